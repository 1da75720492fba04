"""Whatever is killed, cut, delayed, repeated or full: what was acknowledged counts once, and nothing else does.

Everybody answers something else, so that one replay would show.
"""

import os
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from random import Random

import numpy as np
import pytest

from collection.faults.collection import Collection
from discretion.collection import Choice
from discretion.collection.board import Board
from discretion.collection.parts.counting import count_batch
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.tallies import read_tallies
from discretion.collection.services.without_curator import add_board
from discretion.collection.wire.rounds import Round

# So many in the suite; DISCRETION_FAULT_CASES says how many by hand, DISCRETION_FAULT_FIRST from which one on.
CASES = int(os.environ.get("DISCRETION_FAULT_CASES", "5"))
FIRST = int(os.environ.get("DISCRETION_FAULT_FIRST", "0"))


@pytest.mark.long
@pytest.mark.parametrize("number", range(FIRST, FIRST + CASES))
def test_every_acknowledged_report_counts_exactly_once(number: int) -> None:
    with tempfile.TemporaryDirectory(prefix="faults") as folder:
        held = Collection(Random(f"faults {number}"), Path(folder))
        try:
            held.run()
            held.calm()
            check(held)
            print(dict(held.happened), "cut", sum(wire.cuts for wire in held.wires.values()))
        finally:
            held.end()


def check(held: Collection) -> None:
    states = [each["state"] for each in held.status("shuffler-0")["rounds"]]
    print(states, [len(said) for said in held.acknowledged.values()], end=" ")
    passed_on = [number for number, state in enumerate(states, 1) if state != "discarded"]
    batches = batches_sent(held)
    first, last = held.acknowledged[1], held.acknowledged[2]
    assert last <= first
    assert len({says % held.people for says in first}) == len(first) <= held.people
    assert len(first) >= 2 or passed_on == []
    if 1 in passed_on:
        of = Round(held.task)
        if held.curated:
            body = batches["curator", 1]
            told, *_ = read_tallies(held.homes["curator"].folder / "counted-1").groups
            assert codes(told.tolist()) == sorted(first)
            found = count_batch([body], of, held.keys["curator"]["seal"].private)
        else:
            with Neighbour(held.task.shufflers[-1].url, held.homes["shuffler-0"].board_pass) as shuffler:
                body = shuffler.ask("GET", "/rounds/1/board")
            found = count_batch([body], of, None)
        assert (found.dropped, found.repeated, found.unknown) == (0, 0, 0)
        assert sorted(found.answers[found.answers[:, 0] == 0, 1]) == sorted(first)
    if 2 in passed_on:
        choice = published(held)
        of = Round(held.task, choice)
        found = count_batch([batches["analyst", 2]], of, held.keys["analyst"]["seal"].private)
        assert (found.dropped, found.repeated, found.unknown) == (0, 0, 0)
        assert sorted(found.answers[:, 0]) == sorted(last)
        with held.calls("analyst") as analyst:
            assert f'"people":{len(last)}'.encode() in analyst.ask("GET", "/result").replace(b" ", b"")
    elif last:
        assert len(last) < 2, "a round was lost"
    assert not batches.keys() - {(name, number) for name in held.homes for number in passed_on}
    check_nothing_is_left(held)


def codes(tally: list[int]) -> list[int]:
    return np.repeat(np.arange(len(tally)), tally).tolist()


def batches_sent(held: Collection) -> dict[tuple[str, int], bytes]:
    """The batch of each round that was passed to a party: there is one, and no piece of it was ever another one."""
    pieces: dict[tuple[str, int], dict[str, set[bytes]]] = defaultdict(lambda: defaultdict(set))
    for name, wire in held.wires.items():
        for method, path, body in wire.sent():
            if method == "PUT":
                _, _, number, _, batch, place = path.split("/")
                assert place == "0"
                pieces[name, int(number)][batch].add(body)
    found: dict[tuple[str, int], bytes] = {}
    for where, batches in pieces.items():
        assert len(batches) == 1, "two batches of a round"
        (bodies,) = batches.values()
        found[where] = max(bodies, key=len)
        assert all(found[where].startswith(body) for body in bodies), "another order of the same batch"
    return found


def published(held: Collection) -> Choice:
    """The one choice that was ever published, in which those who took part find what they told."""
    whole = [
        body
        for wire in held.wires.values()
        for method, path, body in wire.sent()
        if (method, path) == ("POST", "/rounds/2/choice")
    ]
    longest = max(whole, key=len)
    assert all(longest.startswith(body) for body in whole)
    choice = Choice.decoded(longest, held.task)
    if not held.curated:
        board = Board()
        with Neighbour(held.task.shufflers[-1].url, held.homes["shuffler-0"].board_pass) as shuffler:
            add_board(board, Round(held.task), shuffler)
        for says in held.acknowledged[1]:
            board.check(held.clients[says], choice)
    return choice


def check_nothing_is_left(held: Collection) -> None:
    """Check that shufflers forget what they passed on, whatever they were doing when they were killed."""

    def left() -> list[str]:
        return [
            str(path)
            for name, home in held.homes.items()
            if name.startswith("shuffler")
            for path in home.folder.rglob("*")
            if path.is_file() and any(part in path.read_bytes() for part in sealed)
        ]

    bodies = batches_sent(held).values()
    sealed = {upload[:48] for upload in held.sealed} | {body[:48] for body in bodies}
    until = time.monotonic() + 10
    while found := left():
        assert time.monotonic() < until, (found, held.statuses(), held.logs())
        time.sleep(0.1)
