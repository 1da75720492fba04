"""What each party has, on disk and in the memory of its process, has no plaintext that is not its own."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from discretion.collection import Choice, Client, Feature, Party, Task
from discretion.collection.errors import ConflictError, UnavailableError, UnknownError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home, Role
from discretion.collection.services.without_curator import open_next
from discretion.collection.simulation.parties import HOST, Parties, free_ports

PEOPLE = 8


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="the memory of processes cannot be read here")
@pytest.mark.parametrize("curated", [True, False])
def test_no_party_has_what_is_another_one_s(curated: bool, tmp_path: Path) -> None:
    roles: dict[str, Role] = {"shuffler 1": "shuffler", "shuffler 2": "shuffler"}
    roles |= {"curator": "curator", "analyst": "analyst"} if curated else {"analyst": "analyst"}
    homes = {name: Home(tmp_path / name) for name in roles}
    task = tasked(homes, roles, curated)
    options = {role: ["--rate", "1e9"] for role in ("curator", "analyst")}
    options["shuffler"] = ["--rate", "1e9", "--people", str(PEOPLE)]
    tokens = [sha256(b"planted %d" % place).digest() for place in range(PEOPLE)]
    clients = [Client(task, token, {"sex": "fm"[place % 2], "town": "Lima"}) for place, token in enumerate(tokens)]
    with Parties(tuple(homes.values()), options) as parties:
        hashes = b"".join(sha256(token).digest() for token in tokens)
        parties.ask(homes["shuffler 1"], "POST", "/tokens", content=hashes)
        send(task, [client.upload() for client in clients], 1)
        with Neighbour(task.shufflers[0].url) as first:
            choice = Choice.decoded(until(lambda: published(task, homes, first)), task)
        send(task, [client.upload(choice) for client in clients], 2)
        until(lambda: b'"counted":true' in parties.ask(homes["analyst"], "GET", "/status").replace(b" ", b""))
        until(lambda: all_delivered(parties, homes))
        single = [message for client in clients for message in client.messages(1)]
        joint = [message for client in clients for message in client.messages(2)]
        uploads = [upload[32:80] for client in clients for upload in (client.upload(), client.upload(choice))]
        plain = {
            "shuffler 1": [*single, *joint], "shuffler 2": joint if not curated else [*single, *joint],
            "curator": joint, "analyst": single,
        }  # fmt: skip
        for name, home in homes.items():
            pid = parties._running[home.folder].pid
            memory = list(readable(pid))
            # What it has to know is found: the search would find what it must not.
            assert count(memory, [home.key(home.party.key).private.hex().encode(), task.digest])
            assert count(memory, plain[name]) == 0, name
            files = [path.read_bytes() for path in [*home.folder.rglob("*"), *open_files(pid)] if path.is_file()]
            assert count(files, [*plain[name], *tokens, *(token.hex().encode() for token in tokens), *uploads]) == 0, (
                name
            )
            assert count(files, [task.encoded])
            if name == "shuffler 2" and not curated:  # the board, which is for everybody
                assert count(files, single) == len(single)
            hashed = [sha256(token).digest() for token in tokens]
            assert count(files, hashed) == 0  # the first shuffler keeps a keyed hash of them
            if name != "shuffler 1":
                assert count([*files, *memory], [*tokens, *hashed]) == 0


def tasked(homes: dict[str, Home], roles: dict[str, Role], curated: bool) -> Task:
    keys = {name: home.furnish(roles[name], 1) for name, home in homes.items()}
    parties = {
        name: Party(f"http://{HOST}:{port}", held["seal"].public)
        for port, (name, held) in zip(free_ports(len(keys)), keys.items(), strict=True)
    }
    now = int(time.time())
    task = Task(
        id=os.urandom(16), purpose="to know", k=2, budget="1", smallest_batch=2, opens=now, closes=now + 10_000,
        features=(Feature("sex", ("f", "m")), Feature("town", ("Kyiv", "Lagos", "Lima"))), analyst=parties["analyst"],
        shufflers=(parties["shuffler 1"], parties["shuffler 2"]), curator=parties.get("curator"),
        signer=keys["curator"]["sign"].public if curated else None,
    )  # fmt: skip
    for home in homes.values():
        home.take(task)
    return task


def send(task: Task, uploads: list[bytes], number: int) -> None:
    with Neighbour(task.shufflers[0].url) as first:
        for upload in uploads:
            until(lambda upload=upload: first.ask("POST", f"/rounds/{number}/uploads", content=upload) is not None)


def published(task: Task, homes: dict[str, Home], first: Neighbour) -> bytes:
    if task.curator is None:
        credential = operator_credential(homes["shuffler 1"].folder)
        with (
            Neighbour(task.shufflers[-1].url, homes["shuffler 1"].board_pass) as last,
            Neighbour(task.shufflers[0].url, credential) as operated,
            suppress(ConflictError),  # it was opened already
        ):
            open_next(task, operated, last)
    return first.ask("GET", "/rounds/2/choice")


def all_delivered(parties: Parties, homes: dict[str, Home]) -> bool:
    told = [parties.ask(home, "GET", "/status") for name, home in homes.items() if name.startswith("shuffler")]
    return all(each.count(b"delivered") == 2 for each in told)


def until(ask: Callable[[], Any]) -> Any:
    """Return what an operation answers once it is there and true."""
    end = time.monotonic() + 120
    while True:
        with suppress(UnknownError, UnavailableError):
            if found := ask():
                return found
        assert time.monotonic() < end
        time.sleep(0.1)


def readable(pid: int) -> Iterator[bytes]:
    """Yield what can be read of a process's memory and is its own."""
    with Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
            where, may, *_ = line.split()
            if may.startswith("rw"):
                start, end = (int(each, 16) for each in where.split("-"))
                with suppress(OSError, OverflowError, ValueError):
                    memory.seek(start)
                    yield memory.read(end - start)


def open_files(pid: int) -> list[Path]:
    """The files that a process has open, those without a name too."""
    return [path for path in Path(f"/proc/{pid}/fd").iterdir() if path.is_file()]


def count(held: list[bytes], planted: list[bytes]) -> int:
    """How many of what was planted is somewhere."""
    return sum(any(each in part for part in held) for each in planted)
