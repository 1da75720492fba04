"""A home whose files somebody else wrote is refused in one sentence that names the file, by every command."""

import json
import shutil
import socket
from pathlib import Path

import pytest

from discretion.collection.services.shuffler import ShufflerService
from support.cli_runner import run
from support.collection.homes import AsOperator, housed, person
from support.collection.parties import LOOPBACK, eventually, refused

ROLES = ("shuffler", "curator", "analyst", "admitter")
DATABASES = {"shuffler": "store.sqlite", "admitter": "admissions.sqlite"}
GARBAGE = {
    "nothing": b"", "bytes": bytes(range(256)) * 64, "a word": b"clerk", "a list": b"[]", "zeros": bytes(8192),
    "deep": b"[" * 100_000, "an empty list in CBOR": b"\x80", "a record in CBOR": b"\xa1\x66groups\x63abc",
}  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A home of each role, whose keys take longer to make than all that a test does to its copy."""
    folder = tmp_path_factory.mktemp("whole")
    homes = {admitted: housed(folder / str(admitted), admitted=admitted).homes for admitted in (False, True)}
    names = {role: "shuffler-0" if role == "shuffler" else role for role in ROLES}
    return {role: homes[role == "admitter"][name].folder for role, name in names.items()}


@pytest.fixture
def home(whole: dict[str, Path], role: str, tmp_path: Path) -> Path:
    return shutil.copytree(whole[role], tmp_path / "home")


def commands(role: str, home: Path, port: int) -> list[list[str]]:
    return [
        ["collect", role, str(home), "--port", str(port)],
        *(["collect", command, str(home)] for command in ("status", "result", "close", "open")),
    ]  # fmt: skip


@pytest.mark.one_in(5)
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("garbage", GARBAGE)
@pytest.mark.parametrize(
    "file", ["role", "task", "keys", "operator", "clock", "choice", "counted", "counted-1", "choice-2"]
)
def test_every_command_refuses_a_damaged_home_in_one_sentence(file: str, garbage: str, role: str, home: Path) -> None:
    for path in (home / "keys").iterdir() if file == "keys" else [home / file]:
        path.write_bytes(GARBAGE[garbage])
        path.chmod(0o600)
    with socket.create_server((LOOPBACK, 0)) as taken:
        for command in commands(role, home, taken.getsockname()[1]):
            code, out, err = run(*command)
            assert (code, out) == (2, ""), (command, err)
            lines = [line for line in err.splitlines() if not line.startswith("{")]
            assert len(lines) == 1
            if command[1] == role and file in ("role", "task"):
                assert f"{home / file} is damaged" in lines[0]


@pytest.mark.parametrize("garbage", ["bytes", "zeros", "a word"])
@pytest.mark.parametrize("role", DATABASES)
def test_a_damaged_database_is_named(role: str, garbage: str, home: Path) -> None:
    (home / DATABASES[role]).write_bytes(GARBAGE[garbage] * 2)
    sentence = " ".join(refused("collect", role, home, "--port", "1").split())
    assert "the database is damaged" in sentence
    assert "docs/how-to/collecting.md" in sentence


def test_a_store_that_is_damaged_while_the_service_runs_is_no_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = housed(tmp_path)
    service = ShufflerService(of.homes["shuffler-0"])
    with AsOperator(service) as asked:
        service._store.close()
        for path in of.homes["shuffler-0"].folder.glob("store.sqlite*"):
            path.write_bytes(GARBAGE["bytes"])
        upload = person(of.task).upload()

        def is_named() -> bool:  # what another thread has open at that moment is busy first
            answer = asked.post("/rounds/1/uploads", content=upload)
            assert answer.status_code == 503
            return "damaged" in answer.json()["error"]

        eventually(is_named, 10)
        assert asked.get("/ready").status_code == 503
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert not any(event["event"] == "error" for event in events)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("file", ["task", "keys", "operator", "clock", "choice", "counted", *DATABASES.values()])
def test_a_damaged_home_is_destroyed_all_the_same(file: str, role: str, home: Path) -> None:
    keys = [path.read_bytes() for path in (home / "keys").iterdir()]
    for path in (home / "keys").iterdir() if file == "keys" else [home / file]:
        path.write_bytes(GARBAGE["bytes"])
    for _ in range(2):
        assert run("collect", "destroy", str(home))[0] == 0
        left = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file() and path.name != "task")
        assert not any(key in left for key in [*keys, GARBAGE["bytes"]] if file != "operator")
    if file != "task":
        sentence = " ".join(refused("collect", role, home, "--port", "1").split())
        assert f"were destroyed; to destroy what is left, run discretion collect destroy {home}" in sentence
