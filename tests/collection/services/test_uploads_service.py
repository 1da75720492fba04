"""Two processes take the uploads of one round: each token counts once, and what was acknowledged is there."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from secrets import token_bytes

import pytest

from discretion.collection import Client
from discretion.collection.errors import CollectionError, ConflictError, UnavailableError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home
from discretion.collection.simulation.parties import free_ports
from support.collection.dishonest import round_of, status
from support.collection.parties import LOOPBACK, Parties, eventually, process, refused, running
from support.servers import PASSWORD, Server

pytestmark = pytest.mark.long
PEOPLE = 40


@contextmanager
def beside(parties: Parties, *more: str) -> Iterator[tuple[str, int]]:
    """Run a process that takes uploads beside the first shuffler; return its address and its number."""
    (port,) = free_ports(1)
    home = str(parties.homes["shuffler-1"])
    front = process("collect", "shuffler", home, "--uploads-only", "--port", str(port), "--rate", "1000", *more)
    url = f"http://{LOOPBACK}:{port}"
    try:
        with Neighbour(url) as service:
            eventually(lambda: is_ready(service))
            yield url, front.pid
    finally:
        front.kill()
        front.communicate()


def is_ready(service: Neighbour) -> bool:
    try:
        service.ask("GET", "/ready")
    except CollectionError:
        return False
    return True


def race(parties: Parties, urls: list[str], killed: int | None) -> None:
    """Send two uploads of each token to both processes at once, and count the whole round."""
    home, draw = Home(parties.homes["shuffler-1"]), Random(1)
    tokens = [token_bytes(32) for _ in range(PEOPLE)]
    sexes = [{"sex": "f", "town": "Lima"}, {"sex": "m", "town": "Arica"}]
    pairs = [[Client(home.task, token, answers).upload() for answers in sexes] for token in tokens]
    with Neighbour(home.party.url, operator_credential(home.folder)) as first:
        first.ask("POST", "/tokens", content=b"".join(sha256(token).digest() for token in tokens))
        acknowledged = [set[int]() for _ in tokens]

        def send(token: int, which: int, url: str) -> None:
            with Neighbour(url) as service:
                try:
                    service.ask("POST", "/rounds/1/uploads", content=pairs[token][which])
                    acknowledged[token].add(which)
                except (ConflictError, UnavailableError):
                    return

        tries = [(token, which, url) for token in range(PEOPLE) for which in range(2) for url in urls]
        draw.shuffle(tries)
        with ThreadPoolExecutor(8) as pool:
            running_tries = [pool.submit(send, *each) for each in tries]
            if killed is not None:
                running_tries[len(tries) // 3].result()
                os.kill(killed, signal.SIGKILL)
            for each in running_tries:
                each.result()
        assert all(len(each) <= 1 for each in acknowledged)
        counted = sum(map(len, acknowledged))
        assert counted >= PEOPLE // 2
        people = next(each["people"] for each in status(parties, "shuffler-1")["rounds"])
        assert counted <= people <= PEOPLE
        first.ask("POST", "/rounds/1/close")
        record = round_of(parties, "shuffler-1")
        assert (record["state"], record["messages"], record["dropped"]) == ("delivered", 2 * people, 0)


@pytest.mark.parametrize("is_killed", [False, True])
def test_uploads_that_race_at_two_processes_count_once(is_killed: bool, tmp_path: Path) -> None:
    with running(tmp_path, 1) as parties, beside(parties) as (url, pid):
        race(parties, [parties.url, url], pid if is_killed else None)


@pytest.mark.postgres
def test_a_machine_with_a_copy_of_the_home_takes_uploads_into_one_database(
    postgres: Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    store = ("--store", postgres.address().replace("postgres://", "postgresql+psycopg://", 1))
    with running(tmp_path, 1, options={"shuffler-1": store}) as parties, beside(parties, *store) as (url, _):
        race(parties, [parties.url, url], None)


def test_a_process_that_takes_uploads_does_nothing_else(tmp_path: Path) -> None:
    with running(tmp_path, 2) as parties:
        with beside(parties) as (url, _), Neighbour(url, operator_credential(parties.homes["shuffler-1"])) as front:
            for path in ("/rounds/1/close", "/rounds/1/discard", "/tokens"):
                with pytest.raises(CollectionError, match="there is no such operation"):
                    front.ask("POST", path)
        home = parties.homes["shuffler-2"]
        assert "people send their reports to the first" in refused(
            "collect", "shuffler", home, "--uploads-only", "--port", 1
        )
