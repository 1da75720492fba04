"""A shuffler's service counts what a person sends once, and nothing that is not what it is to be."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from discretion.collection import Choice, Client, Feature
from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.shuffler import ShufflerService
from support.collection.homes import NOW, AsOperator, first_shuffler, housed, person, token
from support.collection.in_process import certified

UPLOADS = "/rounds/1/uploads"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[AsOperator]:
    with first_shuffler(housed(tmp_path)) as held:
        yield held


def people(service: AsOperator) -> int:
    (first,) = service.get("/status", headers=service.operator).json()["rounds"]
    return first["people"]


def test_the_same_upload_again_is_answered_as_before_and_counts_once(service: AsOperator) -> None:
    upload = person(service.service.task).upload()
    assert [service.post(UPLOADS, content=upload).status_code for _ in range(3)] == [204, 204, 204]
    assert people(service) == 1


def test_another_upload_with_the_same_token_is_refused(service: AsOperator) -> None:
    assert service.post(UPLOADS, content=person(service.service.task).upload()).status_code == 204
    refused = service.post(UPLOADS, content=person(service.service.task, sex="m").upload())
    assert refused.status_code == 409
    assert "already used" in refused.json()["error"]
    assert people(service) == 1


def test_strangers_and_late_ones_count_nowhere(service: AsOperator) -> None:
    task = service.service.task
    assert service.post(UPLOADS, content=person(task, place=9).upload()).status_code == 403
    assert service.post(UPLOADS, content=person(task, 0).upload()).status_code == 204
    assert service.post(UPLOADS, content=person(task, 1).upload()).status_code == 204
    assert service.post("/rounds/1/close", headers=service.operator).json() == {"round": 1, "state": "closed"}
    late = service.post(UPLOADS, content=person(task, 2).upload())
    assert (late.status_code, "too late" in late.json()["error"]) == (409, True)
    assert people(service) == 2


def test_a_batch_under_the_minimum_is_destroyed_unopened(service: AsOperator) -> None:
    upload = person(service.service.task).upload()
    assert service.post(UPLOADS, content=upload).status_code == 204
    assert service.post("/rounds/1/discard", headers=service.operator).json()["state"] == "discarded"
    home = service.service.home.folder
    held = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert upload[32:96] not in held


def test_a_round_of_too_few_people_is_not_closed_by_a_word_that_does_not_say_so(service: AsOperator) -> None:
    upload = person(service.service.task).upload()
    assert service.post(UPLOADS, content=upload).status_code == 204
    refused = service.post("/rounds/1/close", headers=service.operator)
    assert refused.status_code == 409
    assert "round 1 has 1 people and needs 2" in refused.json()["error"]
    assert "until 1970-01-01 00:16 UTC, or add --discard" in refused.json()["error"]
    assert service.post(UPLOADS, content=person(service.service.task, 1).upload()).status_code == 204
    assert service.post("/rounds/1/close", headers=service.operator).json() == {"round": 1, "state": "closed"}
    assert service.post("/rounds/1/discard", headers=service.operator).json()["state"] != "discarded"


MALFORMED = {
    "nothing": (b"", 400), "a token alone": (token(0), 400), "a byte less": (-1, 400), "a byte more": (1, 413),
    "a megabyte": (bytes(1 << 20), 413),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_a_body_of_another_length_is_refused_with_one_reason(case: str, service: AsOperator) -> None:
    given, status = MALFORMED[case]
    whole = person(service.service.task).upload()
    body = given if isinstance(given, bytes) else whole[:given] if given < 0 else whole + bytes(given)
    refused = service.post(UPLOADS, content=body)
    assert refused.status_code == status
    assert list(refused.json()) == ["error"]
    assert people(service) == 0


def test_a_body_without_end_is_read_no_further_than_one_may_be_long(service: AsOperator) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        while sent < 1 << 30:
            sent += 1 << 12
            yield bytes(1 << 12)

    app = service.app
    read = 0

    async def receive() -> dict[str, object]:
        nonlocal read
        read += 1 << 12
        return {"type": "http.request", "body": next(endless()), "more_body": True}

    answered: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        answered.append(message)

    scope = {
        "type": "http", "method": "POST", "path": UPLOADS, "raw_path": UPLOADS.encode(), "query_string": b"",
        "headers": [], "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 1), "client": ("127.0.0.1", 2),
        "root_path": "",
    }  # fmt: skip
    assert service.portal is not None
    service.portal.call(app, scope, receive, send)
    assert answered[0]["status"] == 413
    assert read < 1 << 14


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    with first_shuffler(housed(tmp_path), bounds=RequestBounds(rate=1e9, seconds=0.05)) as service:
        answered: list[dict[str, object]] = []

        async def receive() -> dict[str, object]:
            import anyio

            await anyio.sleep(60)
            raise AssertionError

        async def send(message: dict[str, object]) -> None:
            answered.append(message)

        scope = {
            "type": "http", "method": "POST", "path": UPLOADS, "raw_path": UPLOADS.encode(), "query_string": b"",
            "headers": [], "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", 1),
            "client": ("127.0.0.1", 2), "root_path": "",
        }  # fmt: skip
        assert service.portal is not None
        service.portal.call(service.app, scope, receive, send)
        assert answered[0]["status"] == 408
        assert people(service) == 0


def test_who_asks_too_often_has_to_wait(tmp_path: Path) -> None:
    with first_shuffler(housed(tmp_path), bounds=RequestBounds(rate=30)) as service:
        statuses = [service.get("/health").status_code for _ in range(200)]
    assert set(statuses) == {200, 429}
    assert statuses.index(429) >= 20


def test_a_longer_round_goes_on_after_a_restart(tmp_path: Path) -> None:
    features = [Feature(name, ("y", "n")) for name in "abcde"]
    of = housed(tmp_path, features, curated=False, rounds=2)
    pairs = tuple(combinations(range(5), 2))
    choice = certified(Choice(of.task.digest, of.task.digest, 2, "curator", pairs, 0.05, 20), of.task)
    clients = [Client(of.task, token(place), {}, now=lambda: NOW) for place in range(2)]
    with first_shuffler(of, people=2) as service:
        for client in clients:
            assert service.post(UPLOADS, content=client.upload()).content.decode() == of.homes["shuffler-0"].board_pass
        service.post("/rounds/1/close", headers=service.operator)
        while service.post("/rounds/2/choice", content=choice.encoded, headers=service.operator).status_code != 204:
            pass
    with AsOperator(ShufflerService(of.homes["shuffler-0"])) as service:
        uploads = [client.upload(choice) for client in clients]
        assert len(uploads[0]) > len(clients[0].upload())
        assert [service.post("/rounds/2/uploads", content=upload).status_code for upload in uploads] == [200, 200]


@pytest.mark.parametrize("number", [0, 2, 3, 99])
def test_a_round_that_has_not_begun_takes_nothing(number: int, service: AsOperator) -> None:
    upload = person(service.service.task).upload()
    assert service.post(f"/rounds/{number}/uploads", content=upload).status_code == 404
