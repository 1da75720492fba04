"""A clock that jumps closes no round, whichever way it jumps and whenever; an operator's word does."""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest

from discretion.collection.services.clock import LONGEST_PAUSE, TOLERATED, Clock
from discretion.collection.services.home import Home
from discretion.collection.services.shuffler import ShufflerService
from support.collection.homes import AsOperator, housed, person, token
from support.collection.parties import eventually

DAY = 24 * 3600.0


@dataclass
class Times:
    """The time of the day, and the seconds that pass."""

    wall: float = 1e9
    passed: float = 77.0

    def clock(self, folder: Path) -> Clock:
        return Clock(folder / "clock", lambda: self.wall, lambda: self.passed)

    def go_on(self, seconds: float, jump: float = 0) -> None:
        self.passed += seconds
        self.wall += seconds + jump


@pytest.mark.parametrize("jump", [TOLERATED + 1, -TOLERATED - 1, 10 * 365 * DAY, -1e9])
def test_a_jump_while_the_service_runs_is_doubtful_until_it_is_confirmed(jump: float, tmp_path: Path) -> None:
    times = Times()
    clock = times.clock(tmp_path)
    for _ in range(100):
        times.go_on(3600)
        assert not clock.is_doubtful()
    times.go_on(1, jump)
    assert clock.is_doubtful()
    times.go_on(1, -jump)
    assert clock.is_doubtful()
    clock.confirm()
    assert not clock.is_doubtful()


def test_many_small_steps_are_a_jump(tmp_path: Path) -> None:
    times = Times()
    clock = times.clock(tmp_path)
    doubts = []
    for _ in range(11):
        times.go_on(60, 30)
        doubts.append(clock.is_doubtful())
    assert doubts == [False] * 10 + [True]


@pytest.mark.parametrize(
    ("away", "doubtful"),
    [(60, False), (LONGEST_PAUSE - 60, False), (LONGEST_PAUSE + 60, True), (-TOLERATED + 60, False),
     (-TOLERATED - 60, True), (-1e9, True)],
)  # fmt: skip
def test_a_clock_that_was_set_while_the_service_was_away_is_doubtful(
    away: float, doubtful: bool, tmp_path: Path
) -> None:
    times = Times()
    assert not times.clock(tmp_path).is_doubtful()
    times.go_on(5, away)
    assert times.clock(tmp_path).is_doubtful() == doubtful


@pytest.mark.parametrize("content", [b"", b"soon", b"9" * 5000, b"\xff" * 9])
def test_a_file_that_is_none_of_ours_is_as_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "clock").write_bytes(content)
    Times().clock(tmp_path).is_doubtful()


@pytest.mark.parametrize("while_away", [False, True])
def test_a_round_is_not_destroyed_by_a_clock_set_forward(
    while_away: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    of = housed(tmp_path, opens=0, closes=2_000_000)
    times = Times(wall=500.0)
    home = Home(of.homes["shuffler-0"].folder, now=lambda: times.wall)

    def service_of(home: Home) -> ShufflerService:
        service = ShufflerService(home)
        service.clock = times.clock(home.folder)
        return service

    service = service_of(home)
    service._step()
    if while_away:
        service._store.close()
        times.go_on(1, 1_500_000)
        service = service_of(home)
    else:
        times.go_on(1, 1_500_000)
    for _ in range(3):
        service._step()
    (held,) = service.status()["rounds"]
    assert held["state"] == "open"
    events = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [event["event"] for event in events].count("clock") == 1
    with AsOperator(service) as asked:
        assert asked.post("/rounds/1/close", headers=asked.operator).status_code == 409
        assert asked.post("/rounds/1/discard", headers=asked.operator).json()["state"] == "discarded"
    assert not service.clock.is_doubtful()


def test_a_round_whose_time_is_over_closes_by_itself(tmp_path: Path) -> None:
    of = housed(tmp_path, opens=0, closes=20_000)
    times = Times(wall=500.0)
    service = ShufflerService(Home(of.homes["shuffler-0"].folder, now=lambda: times.wall))
    service.clock = times.clock(service.home.folder)
    service._step()
    service._store.add_tokens(sha256(token(place)).digest() for place in (0, 1))
    with AsOperator(service) as asked:
        for place in (0, 1):
            asked.post("/rounds/1/uploads", content=person(of.task, place).upload())
        times.go_on(12_000)
        eventually(lambda: service.status()["rounds"][0]["state"] == "shuffled")
