"""All services in threads of one process, over sockets: what they hand on, count, publish and say is one collection."""

import io
import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from pathlib import Path
from secrets import token_bytes
from threading import Thread
from typing import Any

import pytest
import uvicorn
from pyarrow import parquet

from discretion.collection import Party, Task
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.curator import CuratorService
from discretion.collection.services.home import Home, Role
from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.service import Service
from discretion.collection.services.shuffler import ShufflerService
from discretion.collection.simulation.parties import HOST, free_ports
from discretion.collection.simulation.people import send_answers
from support.cli_runner import run
from support.collection.in_process import SEX_AND_TOWN

pytestmark = pytest.mark.long
PEOPLE = [{"sex": "fm"[place % 2], "town": ("Kyiv", "Lima", "Rome", None)[place % 4]} for place in range(40)]
ROLES: dict[str, Role] = {"first": "shuffler", "second": "shuffler", "curator": "curator", "analyst": "analyst"}


class Heard(list[Any]):
    """The other end of a pipe, in the same process."""

    send = list[Any].append


@pytest.fixture(params=[1, 2])
def homes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Home]]:
    """Give the homes of parties whose services run; the curator may ask in so many rounds."""
    held = {name: Home(tmp_path / name) for name in ROLES}
    keys = {name: home.furnish(ROLES[name], 2) for name, home in held.items()}
    ports = dict(zip(ROLES, free_ports(len(ROLES)), strict=True))
    parties = {name: Party(f"http://{HOST}:{ports[name]}", keys[name]["seal"].public) for name in ROLES}
    now = int(time.time())
    task = Task(
        bytes(16), "to know", SEX_AND_TOWN, 2, "0.2", 2, now, now + 86_000, (parties["first"], parties["second"]),
        parties["analyst"], parties["curator"], keys["curator"]["sign"].public, rounds=request.param,
    )  # fmt: skip
    for home in held.values():
        home.take(task)
    services: dict[str, Service] = {
        "first": ShufflerService(held["first"], people=len(PEOPLE)), "second": ShufflerService(held["second"]),
        "curator": CuratorService(held["curator"]), "analyst": AnalystService(held["analyst"]),
    }  # fmt: skip
    servers = [
        uvicorn.Server(uvicorn.Config(
            service.application(RequestBounds(rate=1e9)), HOST, ports[name], log_config=None, lifespan="on",
        ))
        for name, service in services.items()
    ]  # fmt: skip
    threads = [Thread(target=server.run) for server in servers]
    for thread in threads:
        thread.start()
    while not all(server.started for server in servers):
        time.sleep(0.01)
    yield held
    for server in servers:
        server.should_exit = True
    for thread in threads:
        thread.join()


def test_what_everybody_answers_is_what_comes_out(homes: dict[str, Home]) -> None:
    with ExitStack() as stack:
        asked = {
            name: stack.enter_context(Neighbour(home.party.url, operator_credential(home.folder)))
            for name, home in homes.items()
        }
        check(homes, asked)
    assert not any(path.is_file() for home in homes.values() for path in (home.folder / "keys").iterdir())


def check(homes: dict[str, Home], asked: dict[str, Neighbour]) -> None:
    task, tokens = homes["first"].task, [token_bytes(32) for _ in PEOPLE]
    asked["first"].ask("POST", "/tokens", content=b"".join(sha256(token).digest() for token in tokens))
    heard = Heard()
    send_answers(task.encoded, PEOPLE, tokens, heard)
    assert heard == [1, 2]
    while not json.loads(asked["analyst"].ask("GET", "/status"))["counted"]:
        time.sleep(0.05)
    told = Counter((person["sex"], "other" if person["town"] == "Rome" else person["town"]) for person in PEOPLE)
    shares = json.loads(asked["analyst"].ask("GET", "/result/all"))["shares"]
    assert {tuple(each["answers"]): round(each["share"] * 40) for each in shares} == told
    assert json.loads(asked["analyst"].ask("GET", "/result"))["people"] == 40
    rows = parquet.read_table(io.BytesIO(asked["analyst"].ask("GET", "/result/file"))).to_pylist()
    assert {(row["sex"], row["town"]): row["people"] for row in rows} == told
    counted = json.loads(asked["curator"].ask("GET", "/result"))
    assert (counted["people"], counted["chosen"]["features"]) == (40, ["sex", "town"])
    assert asked["curator"].ask("GET", "/rounds/2/choice") == asked["first"].ask("GET", "/rounds/2/choice")
    check_commands(homes)
    for service in asked.values():
        service.ask("POST", "/destroy")


def check_commands(homes: dict[str, Home]) -> None:
    """Check that the command line says of each home what its service does."""
    analyst, curator, first = (str(homes[name].folder) for name in ("analyst", "curator", "first"))
    page, file = homes["analyst"].folder / "page.html", homes["analyst"].folder / "all.parquet"
    code, out, _ = run("collect", "result", analyst, "--html", page, "--parquet", file)
    assert (code, "40 people answered " in out) == (0, True)
    assert page.stat().st_size > 10_000
    assert parquet.read_table(file).num_rows == 4
    told = json.loads(run("collect", "result", curator, "--json")[1])["results"]
    assert told["people"] == 40
    assert told["leaks"]["trust"]
    assert run("collect", "result", curator, "--fail-over", "people<41")[0] == 1
    code, _, err = run("collect", "result", first)
    assert (code, "home of the shuffler" in err) == (2, True)
    assert "round 1: delivered, 40 people" in run("collect", "status", first)[1]
    assert "round 1: counted" in run("collect", "status", curator)[1]
