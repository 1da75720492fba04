"""Keys that services offer for a task to come: the organizer asks for them, and the parties take the task."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from discretion.collection import Task
from discretion.collection.errors import MalformedError, RefusedTaskError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.home import Home
from discretion.collection.services.public_keys import KeyList, PublicKey, keys_at
from discretion.collection.simulation.parties import free_ports
from support.cli_runner import run
from support.collection.parties import LOOPBACK, eventually, process, refused, said

ROLES = ("shuffler", "curator", "analyst", "admitter")
DESCRIPTION = """
purpose = "to know"
k = 2
smallest_batch = 10
opens = "1 minute"
closes = "{days} days"
features = [{{ name = "sex", values = ["f", "m"] }}, {{ name = "town", values = ["Arica", "Lima"] }}]
shufflers = [{{ url = "{shuffler}" }}]
curator = {{ url = "{curator}" }}
analyst = {{ url = "{analyst}" }}
admitter = {{ url = "{admitter}" }}
"""


@contextmanager
def started(*arguments: str) -> Iterator[None]:
    service = process("collect", *arguments)
    try:
        yield
    finally:
        service.terminate()
        service.communicate(timeout=60)


def lists_keys(url: str) -> bool:
    try:
        with Neighbour(url) as party:
            return bool(keys_at(party).keys)
    except ValueError:
        return False


@pytest.mark.long
def test_a_task_is_made_of_the_keys_that_services_offer_and_started_at_their_homes(tmp_path: Path) -> None:
    ports = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))
    urls = {role: f"http://{LOOPBACK}:{port}/this-task" for role, port in ports.items()}
    homes = {role: tmp_path / role for role in ROLES}
    for role, home in homes.items():
        more = ["--questions", "2"] if role == "admitter" else []
        said("collect", "keys", home, "--role", role, "--days", 30, *more)
    description = tmp_path / "task.toml"
    description.write_text(DESCRIPTION.format(days=28, **urls))
    made = ("collect", "init", str(description), "--out", str(tmp_path / "made"), "--offered-keys")
    assert "shuffler 1: " in refused(*made)
    services = [started(role, str(home), "--port", str(ports[role])) for role, home in homes.items()]
    with services[0], services[1], services[2], services[3]:
        for role in ROLES:
            eventually(lambda role=role: lists_keys(f"http://{LOOPBACK}:{ports[role]}"))
        code, out, err = run(*made)
        assert (code, err) == (0, "")
        description.write_text(DESCRIPTION.format(days=31, **urls))
        assert "valid until the task closes" in refused(*made[:3], "--out", str(tmp_path / "later"), "--offered-keys")
    assert [path.name for path in (tmp_path / "made").iterdir()] == ["task"]
    task = Task.decoded((tmp_path / "made" / "task").read_bytes())
    for name, party in task.parties.items():
        assert f"{name}: key {party.key.hex()} at {party.url}" in out
    for role, home in homes.items():
        with started(role, str(home), "--task", str(tmp_path / "made" / "task")):
            eventually(lambda home=home: run("collect", "status", str(home))[0] == 0)
            with Neighbour(Home(home).party.url) as party:
                assert keys_at(party).task == task.digest


KEYS = [PublicKey("seal", bytes([end]), end) for end in (20, 40, 30)]


def test_the_keys_that_last_longest_are_taken() -> None:
    offered = KeyList(None, KEYS)
    assert offered.offered("seal", 2, 25) == [bytes([40]), bytes([30])]
    with pytest.raises(RefusedTaskError, match=r"offers 2 keys of the kind 'seal'.*and 3 are needed"):
        offered.offered("seal", 3, 25)
    with pytest.raises(RefusedTaskError, match="offers 0 keys of the kind 'sign'"):
        offered.offered("sign", 1, 25)
    with pytest.raises(RefusedTaskError, match="already has a task"):
        KeyList(bytes(32), KEYS).offered("seal", 1, 25)


class Answers(Neighbour):
    """A party that answers the same to everything."""

    def __init__(self, answer: bytes) -> None:
        super().__init__("http://127.0.0.1:1")
        self._answer_of_all = answer

    def ask(self, *_: object, **__: object) -> bytes:
        return self._answer_of_all


@pytest.mark.parametrize(
    "answer",
    [
        b"", b"[]", b"{}", b'{"task": null, "keys": 3}', b'{"task": 3, "keys": []}', b'{"task": "x", "keys": []}',
        b'{"task": null, "keys": [{"kind": "seal", "public_key": 3, "expires": 1}]}',
        b'{"task": null, "keys": [{"kind": "seal", "public_key": "ab", "expires": "soon"}]}', b"[" * 10_000,
    ],
)  # fmt: skip
def test_what_is_no_list_of_keys_is_refused(answer: bytes) -> None:
    with pytest.raises(MalformedError, match="does not list its keys"):
        keys_at(Answers(answer))


def test_keys_of_kinds_that_are_not_known_yet_are_passed_over() -> None:
    keys = b'[{"kind": "new", "public_key": 3}, {"kind": "sign", "public_key": "ab", "expires": 5}]'
    answer = b'{"task": null, "keys": ' + keys + b"}"
    assert keys_at(Answers(answer)) == KeyList(None, (PublicKey("sign", b"\xab", 5),))


@pytest.mark.parametrize("answer", [b"", b"[]", b"{}", b"[" * 10_000])
def test_what_does_not_say_how_the_task_goes_on_is_refused(answer: bytes) -> None:
    with pytest.raises(MalformedError, match="does not answer /ending"):
        Answers(answer).ending()
