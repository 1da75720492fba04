"""Several tasks of a party in one process: each at its own path, for its own operator, and mixed with no other."""

import io
import json
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from discretion.collection import Party
from discretion.collection.services import serving
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home, Role
from discretion.collection.services.monitoring import Log
from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.public_keys import offering
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
        (["--people", "20"], "need a single task"), (["--store", "sqlite:///x"], "need a single task"),
        (["--uploads-only"], "need a single task"),
    ],
)  # fmt: skip
def test_what_is_of_one_task_is_not_taken_for_several(options: list[str], why: str, tmp_path: Path) -> None:
    assert why in " ".join(refused("collect", "shuffler", tmp_path / "a", tmp_path / "b", *options).split())


def test_a_service_takes_a_home() -> None:
    assert "name the party's folder" in refused("collect", "curator")


def offering_of(folder: Path) -> Home:
    home = Home(folder)
    home.furnish("analyst", 30)
    return home


def test_keys_for_a_task_to_come_are_offered_beside_other_tasks(tmp_path: Path) -> None:
    task, next_ = analyst_at(tmp_path / "a", "/a"), offering_of(tmp_path / "next")
    with TestClient(application_of([task], WELL, None, offering([next_], WELL))) as asked:
        of_task = asked.get("/a/keys").json()
        assert of_task["task"] == task.task.digest.hex()
        assert [key["public_key"] for key in of_task["keys"]] == [task.task.analyst.key.hex()]
        (first,) = asked.get("/keys").json()["keys"]
        assert (first["kind"], first["kem_id"], first["kdf_id"], first["aead_id"]) == ("seal", 32, 1, 1)
        next_.furnish("analyst", 60)  # while the service runs
        offered = asked.get("/keys").json()
        assert offered["task"] is None
        newer, older = offered["keys"]
        assert older == first
        assert newer["expires"] > older["expires"]
        assert asked.get("/health").json() == {"alive": True}
        assert asked.get("/openapi.json").json()["paths"].keys() == {"/health", "/keys"}
        assert asked.get("/task").status_code == 404


def test_keys_that_are_over_are_offered_no_more_and_destroyed_by_the_next_ones(tmp_path: Path) -> None:
    start = time.time()
    offering_of(tmp_path)
    later = Home(tmp_path, now=lambda: start + 31 * 86_400)
    assert later.offered_keys() == []
    made = later.furnish("analyst", 90)
    assert [path.name for path in (tmp_path / "keys").iterdir()] == [made["seal"].id]


def test_of_several_folders_the_one_with_a_key_of_the_task_takes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Starlette] = []
    monkeypatch.setattr(serving, "serve", lambda application, *_, **__: served.append(application))
    running_ = homes_of(tmp_path / "first", {"shuffler": 1, "curator": 2, "analyst": 3}, "/first")["analyst"]
    of_next = homes_of(tmp_path / "second", {"shuffler": 1, "curator": 2, "analyst": 3}, "/second")
    task = tmp_path / "task"
    task.write_bytes(of_next["analyst"].task.encoded)
    (of_next["analyst"].folder / "task").unlink()
    unused = offering_of(tmp_path / "unused")
    folders = [str(home.folder) for home in (running_, unused, of_next["analyst"])]
    assert run("collect", "analyst", *folders, "--task", str(task)) == (0, "", "")
    assert [Home(Path(folder)).has_task for folder in folders] == [True, False, True]
    with TestClient(served[-1]) as asked:
        assert asked.get("/second/task").content == task.read_bytes()
        assert asked.get("/first/task").content == running_.task.encoded
        assert [key["public_key"] for key in asked.get("/keys").json()["keys"]] == [
            key.public.hex() for key in unused.offered_keys()
        ]
    assert "none of these folders has a key of the task" in refused(
        "collect", "analyst", running_.folder, unused.folder, "--task", task
    )


def test_a_task_whose_keys_were_destroyed_keeps_no_other_one_from_starting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Starlette] = []
    monkeypatch.setattr(serving, "serve", lambda application, *_, **__: served.append(application))
    over, still = (analyst_at(tmp_path / name, f"/{name}").home for name in ("over", "still"))
    over.destroy()
    code, out, err = run("collect", "analyst", str(over.folder), str(still.folder))
    assert (code, out) == (0, "")
    assert f"{over.folder} is left out: its keys were destroyed" in err
    with TestClient(served[-1]) as asked:
        assert asked.get("/still/ready").json() == {"ready": True}
    assert "were destroyed" in refused("collect", "analyst", over.folder)


def test_a_folder_without_a_task_says_what_to_name(tmp_path: Path) -> None:
    home = offering_of(tmp_path / "next")
    told = " ".join(refused("collect", "analyst", home.folder).split())
    assert "has no task: name one with --task, or a --port at which its keys are offered" in told
    root = analyst_at(tmp_path / "root", "")
    told = " ".join(refused("collect", "analyst", root.home.folder, home.folder).split())
    assert "an address without a path, where keys are offered for other tasks" in told


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
