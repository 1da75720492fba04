"""Several tasks of a party in one process: each at its own path, for its own operator, and mixed with no other."""

import io
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from discretion.collection import Party
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home, Role
from discretion.collection.services.monitoring import Log
from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.several_tasks import application_of, common_address
from discretion.collection.simulation.parties import free_ports
from discretion.errors import InvalidValueError
from support.cli_runner import run
from support.collection.in_process import made
from support.collection.parties import LOOPBACK, eventually, process, refused, said

ROLES: tuple[Role, ...] = ("shuffler", "curator", "analyst")
WELL = RequestBounds(rate=1e9)
PEOPLE = 12


def homes_of(folder: Path, ports: dict[Role, int], path: str) -> dict[Role, Home]:
    """Return the homes of a task whose parties are at a path of their addresses."""
    homes: dict[Role, Home] = {role: Home(folder / role) for role in ROLES}
    keys = {role: home.furnish(role, 2) for role, home in homes.items()}
    parties = {
        role: Party(f"http://{LOOPBACK}:{ports[role]}{path}", held["seal"].public) for role, held in keys.items()
    }
    now = int(time.time())
    task = replace(
        made(smallest_batch=10, budget="0.9").task, purpose=f"at {path}", shufflers=(parties["shuffler"],),
        curator=parties["curator"], analyst=parties["analyst"], signer=keys["curator"]["sign"].public, opens=now,
        closes=now + 86_000,
    )  # fmt: skip
    for home in homes.values():
        home.take(task)
    return homes


def analyst_at(folder: Path, path: str, port: int = 3) -> AnalystService:
    home = homes_of(folder, {"shuffler": 1, "curator": 2, "analyst": port}, path)["analyst"]
    return AnalystService(home, log=Log(io.StringIO(), home.task.digest.hex()[:16]))


def test_each_task_answers_at_its_own_path_and_to_its_own_operator(tmp_path: Path) -> None:
    services = [analyst_at(tmp_path / name, path) for name, path in (("a", "/a"), ("b", "/a/b"), ("c", "/c"))]
    with TestClient(application_of(services, WELL)) as asked:
        for service in services:
            path = service.home.party.address.path
            assert asked.get(f"{path}/task").content == service.task.encoded
            assert asked.get(f"{path}/ready").json() == {"ready": True}
            for other in services:
                credential = f"Bearer {operator_credential(other.home.folder)}"
                answer = asked.get(f"{path}/status", headers={"authorization": credential})
                assert (answer.status_code == 200) == (other is service)
        for path in ("/task", "/nobody/task", "/ab/task", "/"):
            answer = asked.get(path)
            assert (answer.status_code, answer.json()) == (404, {"error": "no task has this path"})
        assert "openapi" in asked.get("/c/rounds/x").json()["error"]
    for service in services:
        stream = service.log._to
        assert isinstance(stream, io.StringIO)
        events = [json.loads(line) for line in stream.getvalue().splitlines()]
        assert {event["task"] for event in events} == {service.task.digest.hex()[:16]}
        assert {"started", "stopped"} <= {event["event"] for event in events}


def test_a_task_that_is_destroyed_leaves_the_others_alone(tmp_path: Path) -> None:
    one, other = services = [analyst_at(tmp_path / "a", "/a"), analyst_at(tmp_path / "b", "/b")]
    with TestClient(application_of(services, WELL)) as asked:
        credential = {"authorization": f"Bearer {operator_credential(one.home.folder)}"}
        assert asked.post("/a/destroy", headers=credential).json() == {"destroyed": True}
        assert asked.get("/a/task").status_code == 503
        assert asked.get("/b/task").content == other.task.encoded
        assert asked.get("/b/ready").json() == {"ready": True}


@pytest.mark.parametrize("path", ["", "/at/this/path"])
def test_a_single_task_answers_whether_a_proxy_takes_the_path_off_or_not(path: str, tmp_path: Path) -> None:
    service = analyst_at(tmp_path / "a", path)
    with TestClient(application_of([service], WELL)) as asked:
        assert asked.get("/task").content == asked.get(f"{path}/task").content == service.task.encoded


@pytest.mark.parametrize(
    ("second", "port", "why"),
    [("/a", 3, "two of these tasks have the address http://127.0.0.1:3/a"), ("/b", 4, "start a process for each")],
)
def test_tasks_that_cannot_be_told_apart_by_their_paths_are_refused(
    second: str, port: int, why: str, tmp_path: Path
) -> None:
    services = [analyst_at(tmp_path / "a", "/a"), analyst_at(tmp_path / "b", second, port)]
    with pytest.raises(InvalidValueError, match=why):
        common_address(services)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--people", "20"], "are of one task"), (["--store", "sqlite:///x"], "are of one task"),
        (["--uploads-only"], "are of one task"), (["--task", "task"], "start each folder once by itself"),
    ],
)  # fmt: skip
def test_what_is_of_one_task_is_not_taken_for_several(options: list[str], why: str, tmp_path: Path) -> None:
    assert why in " ".join(refused("collect", "shuffler", tmp_path / "a", tmp_path / "b", *options).split())


def test_a_service_takes_a_home() -> None:
    assert "name the party's folder" in refused("collect", "curator")


@pytest.mark.long
def test_two_collections_go_through_in_three_processes(tmp_path: Path) -> None:
    ports = dict(zip(ROLES, free_ports(3), strict=True))
    tasks = {name: homes_of(tmp_path / name, ports, f"/{name}") for name in ("first", "second")}
    services = [
        process("collect", role, *(str(homes[role].folder) for homes in tasks.values()), "--rate", "1000")
        for role in ROLES
    ]
    try:
        for homes in tasks.values():
            for home in homes.values():
                eventually(lambda home=home: run("collect", "status", str(home.folder))[0] == 0)
        for name, homes in tasks.items():
            shuffler = str(homes["shuffler"].folder)
            said("collect", "admit", shuffler, "--count", PEOPLE, "--out", tmp_path / f"{name}-invited")
            invitations = (tmp_path / f"{name}-invited" / "invitations").read_text().split()
            towns = ["Lima", "Lagos"] if name == "first" else ["Kyiv"]
            for round_ in (1, 2):
                for place, invitation in enumerate(invitations):
                    (tmp_path / "mine").write_text(invitation)
                    (tmp_path / "answers.json").write_text(json.dumps({"sex": "f", "town": towns[place % len(towns)]}))
                    given = ["--answers", tmp_path / "answers.json"] if round_ == 1 else []
                    state = tmp_path / f"{name}-{place}"
                    said("collect", "submit", "--invitation", tmp_path / "mine", "--state", state, *given, "--yes")
                said("collect", "close", shuffler)
                if round_ == 1:
                    eventually(lambda shuffler=shuffler: len(said("collect", "status", shuffler)["rounds"]) == 2)
        for name, homes in tasks.items():
            analyst = homes["analyst"].folder
            eventually(lambda analyst=analyst: said("collect", "status", analyst)["counted"])
            result = said("collect", "result", analyst)
            assert result["people"] == PEOPLE
            towns = {share["answers"][result["features"].index("town")] for share in result["shares"]}
            assert towns == ({"Lima", "Lagos"} if name == "first" else {"Kyiv"})
    finally:
        for service in services:
            service.terminate()
        logs = [service.communicate(timeout=60)[1] for service in services]
    digests = {homes["analyst"].task.digest.hex()[:16] for homes in tasks.values()}
    for log in logs:
        assert {json.loads(line)["task"] for line in log.splitlines() if line.startswith("{")} == digests
