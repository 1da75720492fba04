"""Parties as their operators run them, when strangers, neighbours, clocks and slips do them harm."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from discretion.collection import Client
from discretion.collection.services.calls import Neighbour
from support.cli_runner import run
from support.collection.parties import LOOPBACK, Parties, eventually, process, refused, running, said

pytestmark = pytest.mark.long
PEOPLE = 10  # as many as the task's smallest_batch


@pytest.fixture
def parties(tmp_path: Path) -> Iterator[Parties]:
    with running(tmp_path, 1) as held:
        yield held


def send(parties: Parties, people: int, folder: Path) -> None:
    """Have people send their answers in the first round."""
    parties.ask("admit", "shuffler-1", "--count", people, "--out", folder / "invited")
    with Neighbour(parties.url) as first:
        for place, token in enumerate(tokens_in(folder)):
            answers = {"sex": "fm"[place % 2], "town": "Lima"}
            first.ask(
                "POST", "/rounds/1/uploads",
                content=Client(parties.task.read_bytes(), bytes.fromhex(token), answers).upload(),
            )  # fmt: skip


def tokens_in(folder: Path) -> list[str]:
    """Return the tokens of the people who are invited."""
    return [link.rpartition(".")[2] for link in (folder / "invited" / "invitations").read_text().split()]


def log_of(parties: Parties, name: str) -> tuple[str, list[dict[str, Any]]]:
    """End a party, and return what it logged."""
    parties.processes[name].terminate()
    _, err = parties.processes[name].communicate(timeout=30)
    return err, [json.loads(line) for line in err.splitlines() if line.startswith("{")]


def test_a_stranger_with_many_idle_connections_stops_nobody(parties: Parties, tmp_path: Path) -> None:
    port = int(parties.url.rpartition(":")[2])
    with ExitStack() as stack:
        idle = [
            stack.enter_context(socket.create_connection((LOOPBACK, port), 30, source_address=("127.0.0.2", 0)))
            for _ in range(2100)
        ]
        send(parties, PEOPLE, tmp_path)
        for connection in idle:
            try:
                assert connection.recv(1) == b""
            except ConnectionError:
                continue
    assert parties.ask("close", "shuffler-1") == {"round": 1, "state": "closed"}
    err, events = log_of(parties, "shuffler-1")
    why = {event["why"] for event in events if event["event"] == "connections refused"}
    assert why == {"too many from one sender", "a request that does not come"}
    assert "127.0.0." not in err


def test_a_round_of_too_few_people_is_destroyed_by_no_slip(parties: Parties, tmp_path: Path) -> None:
    send(parties, PEOPLE - 1, tmp_path)
    home = parties.homes["shuffler-1"]
    sentence = " ".join(refused("collect", "close", home).split())
    assert "round 1 has 9 people and needs 10" in sentence
    assert "--discard" in sentence
    (held,) = parties.ask("status", "shuffler-1")["rounds"]
    assert (held["state"], held["people"]) == ("open", 9)
    assert parties.ask("close", "shuffler-1", "--discard") == {"round": 1, "state": "discarded"}


def test_a_party_that_waits_says_for_whom_and_why_and_not_often(parties: Parties, tmp_path: Path) -> None:
    parties.processes["curator"].kill()
    parties.processes["curator"].communicate()
    send(parties, PEOPLE, tmp_path)
    parties.ask("close", "shuffler-1")
    eventually(lambda: parties.ask("status", "shuffler-1")["rounds"][0]["state"] == "shuffled")
    home = str(parties.homes["curator"])
    time.sleep(6)
    parties.processes["curator"] = process("collect", "curator", home)
    eventually(lambda: run("collect", "status", home)[0] == 0)
    eventually(lambda: parties.ask("status", "curator")["counts"][0]["counted"])
    err, events = log_of(parties, "shuffler-1")
    waits = [(event["on"], event["why"]) for event in events if event["event"] == "waits"]
    assert set(waits) == {("curator", "refused")}
    assert 2 <= len(waits) <= 7
    for secret in (LOOPBACK, "Lima", *tokens_in(tmp_path)):
        assert secret not in err


def test_a_service_shows_what_it_will_run_out_of(parties: Parties) -> None:
    home = parties.homes["shuffler-1"]
    with Neighbour(parties.url, (home / "operator").read_text()) as service:
        text = service.ask("GET", "/metrics").decode()
    for name in ("uploads_waiting", "disk_free_bytes", "key_expires_seconds", "clock_doubtful"):
        assert f"discretion_collect_{name} " in text
    assert "discretion_collect_certificate_expires_seconds" not in text
    assert said("collect", "status", home)["role"] == "shuffler"
