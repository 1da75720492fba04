"""Who may do what at a service, what it says of itself, and that nothing anybody sends brings it down."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.credentials import new_operator, operator_credential
from discretion.collection.services.curator import CuratorService
from discretion.collection.services.shuffler import ShufflerService
from support.collection.homes import AsOperator, first_shuffler, housed, person, token

KINDS = ("first shuffler", "second shuffler", "last shuffler without a curator", "curator", "analyst")


@pytest.fixture(params=KINDS)
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[AsOperator]:
    curated = request.param != "last shuffler without a curator"
    homes = housed(tmp_path, shufflers=2, curated=curated).homes
    made = {
        "first shuffler": lambda: ShufflerService(homes["shuffler-0"]),
        "second shuffler": lambda: ShufflerService(homes["shuffler-1"]),
        "last shuffler without a curator": lambda: ShufflerService(homes["shuffler-1"]),
        "curator": lambda: CuratorService(homes["curator"]),
        "analyst": lambda: AnalystService(homes["analyst"]),
    }
    with AsOperator(made[request.param]()) as held:
        yield held


def operations(service: AsOperator) -> list[tuple[str, str, str]]:
    """The method, the path and who may ask, of all that a service says it does."""
    paths = service.get("/openapi.json").json()["paths"]
    return [
        (method.upper(), path, next(iter(told.get("security", [{"anybody": []}])[0])))
        for path, held in paths.items()
        for method, told in held.items()
    ]


def filled(path: str, draw: Random) -> str:
    words = {"number": str(draw.choice([0, 1, 2, 9, 2**70])), "place": "0", "batch": draw.choice(["00" * 16, "x", "é"])}
    return re.sub(r"{(\w+)}", lambda name: words[name[1]], path)


def test_nobody_without_a_credential_does_what_takes_one(service: AsOperator) -> None:
    guarded = [(method, path) for method, path, who in operations(service) if who != "anybody"]
    assert guarded
    other = {"authorization": f"Bearer {'0' * 64}"}
    for method, path in guarded:
        for headers in ({}, other, {"authorization": "Bearer"}, {"authorization": "Basic eDp4"}):
            answer = service.request(method, filled(path, Random(0)), headers=headers, content=b"x")
            assert (answer.status_code, list(answer.json())) == (403, ["error"])


def test_an_operator_is_no_neighbour_and_a_neighbour_no_operator(service: AsOperator) -> None:
    before = service.service.home.before
    neighbour = {"authorization": f"Bearer {service.service.home.credential(before)}"} if before else service.operator
    for method, path, who in operations(service):
        if who == "operator" and before:
            assert service.request(method, filled(path, Random(0)), headers=neighbour).status_code == 403
        if who == "sender":
            asked = service.request(method, filled(path, Random(0)), headers=service.operator, content=b"x")
            assert asked.status_code == 403


def test_a_credential_that_is_made_anew_takes_the_place_of_the_old_one(service: AsOperator) -> None:
    assert service.get("/status", headers=service.operator).status_code == 200
    new_operator(service.service.home.folder)
    assert service.get("/status", headers=service.operator).status_code == 403
    new = {"authorization": f"Bearer {operator_credential(service.service.home.folder)}"}
    assert service.get("/status", headers=new).status_code == 200


def test_all_services_say_that_they_are_well_and_what_they_do(service: AsOperator) -> None:
    assert service.get("/health").json() == {"alive": True}
    assert service.get("/ready").json() == {"ready": True}
    assert service.get("/task").content == service.service.task.encoded
    assert "discretion_collect_requests_total" in service.get("/metrics", headers=service.operator).text
    answer = service.get("/nothing")
    assert (answer.status_code, list(answer.json())) == (404, ["error"])
    assert service.put("/task").status_code == 405


@pytest.mark.one_in(3)
def test_the_list_of_operations_is_openapi(service: AsOperator) -> None:
    specs = pytest.importorskip("openapi_spec_validator", reason="openapi-spec-validator: the group servers")
    document = service.get("/openapi.json").json()
    specs.OpenAPIV31SpecValidator(document).validate()
    told = [operation for path in document["paths"].values() for operation in path.values()]
    assert len({operation["operationId"] for operation in told}) == len(told)
    asked = {scheme for operation in told for each in operation.get("security", []) for scheme in each}
    assert asked <= {*document["components"]["securitySchemes"]}
    del document["paths"]["/health"]["get"]["responses"]["2XX"]["description"]
    assert not specs.OpenAPIV31SpecValidator(document).is_valid()


@pytest.mark.one_in(3)
@pytest.mark.parametrize("requests", [60, pytest.param(1000, marks=pytest.mark.long)])
def test_what_nobody_means_well_by_is_refused_and_counts_nowhere(requests: int, service: AsOperator) -> None:
    draw = Random(7)
    home = service.service.home
    before = {} if home.before is None else {"authorization": f"Bearer {home.credential(home.before)}"}
    whole = person(service.service.task).upload()
    for _ in range(requests):
        method, path, who = draw.choice(operations(service))
        if path in ("/destroy", "/rounds/{number}/close", "/rounds/{number}/discard"):
            continue
        body = draw.choice([draw.randbytes(draw.randrange(200)), whole[: draw.randrange(len(whole))], b'{"pieces": 1}'])
        headers = {"operator": service.operator, "sender": before}.get(who, {})
        answer = service.request(method, filled(path, draw), headers=headers, content=body)
        assert answer.status_code < 500, (method, path)
    status = service.get("/status", headers=service.operator).json()
    assert all(held["people"] == 0 for held in status.get("rounds", []))


def test_numbers_of_any_length_name_nothing(service: AsOperator) -> None:
    for digits in (10, 5_000, 60_000):
        answer = service.get(f"/rounds/{'9' * digits}/choice")
        assert (answer.status_code in (400, 404, 405), list(answer.json())) == (True, ["error"])
        answer = service.post("/rounds/1/uploads", content=b"x", headers={"content-length": "9" * digits})
        assert answer.status_code in (400, 404, 413)


def test_nothing_is_left_once_all_is_destroyed(service: AsOperator) -> None:
    folder = service.service.home.folder
    keys = [json.loads(path.read_bytes())["private"].encode() for path in (folder / "keys").iterdir()]
    assert service.post("/destroy", headers=service.operator).json() == {"destroyed": True}
    held = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert not any(key in held for key in keys)
    assert not any((folder / "keys").iterdir())
    assert service.get("/ready").status_code == 503


def test_neither_logs_nor_counts_have_an_address_a_token_or_what_was_sent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with first_shuffler(housed(tmp_path)) as service:
        client = person(service.service.task)
        upload = client.upload()
        service.post("/rounds/1/uploads", content=upload)
        service.post("/rounds/1/uploads", content=b"x" + upload[1:])
        service.get("/status", headers=service.operator)
        told = service.get("/metrics", headers=service.operator).text
    said = capsys.readouterr()
    held = told + said.out + said.err
    for secret in (token(0), upload[32:64], upload[-32:]):
        assert secret.hex() not in held
    for word in ("testclient", "127.0.0.1", service.operator["authorization"][7:], "Lima"):
        assert word not in held
    assert {json.loads(line)["event"] for line in said.err.splitlines()} == {"started", "opened", "tokens", "stopped"}
    assert 'discretion_collect_uploads_total{outcome="stored",round="1"} 1.0' in told
