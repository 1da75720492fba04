"""Bisection against what the ends are known to be."""

import math

import numpy as np
import pytest

from discretion.numerics.bisection import bisected, root


def test_it_ends_around_where_the_condition_stops_to_hold() -> None:
    squares = np.array([0.25, 2.0, 9.0])
    low, high = bisected(lambda x: x * x < squares, np.zeros(3), np.full(3, 4.0), halvings=60)
    assert (low <= np.sqrt(squares)).all()
    assert (high >= np.sqrt(squares)).all()
    assert (high - low <= np.spacing(high)).all()


def test_one_interval_is_halved_as_often_as_asked() -> None:
    low, high = bisected(lambda x: x < 0.3, 0.0, 1.0, halvings=3)
    assert (float(low), float(high)) == (0.25, 0.375)


def test_what_cannot_be_halved_is_not_asked_again() -> None:
    asked: list[np.ndarray] = []

    def holds(x: np.ndarray) -> np.ndarray:
        asked.append(x)
        return x < [1.3, 1.9]

    low, high = bisected(holds, [1.0, 1.0], [2.0, 2.0], halvings=80)
    assert low.tolist() == np.nextafter([1.3, 1.9], 0).tolist()
    assert high.tolist() == [1.3, 1.9]
    assert len(asked) < 60


@pytest.mark.parametrize(
    ("function", "low", "high", "truth"),
    [
        (lambda x: x**3 - 2, 0.0, 2.0, 2 ** (1 / 3)),
        (lambda x: math.exp(-100 * x) - 1e-8, 0.0, 5.0, math.log(1e8) / 100),
        (lambda x: math.log(max(5e-324, 1e-3 - x)) - math.log(1e-9), 0.0, 1e-3, 1e-3 - 1e-9),
        (lambda x: math.atan(x - 0.3), -5.0, 90.0, 0.3),
        (lambda x: 1.0 if x < 0.7 else -1.0, 0.0, 1.0, 0.7),
        (lambda x: x, 0.0, 1.0, 0.0),
        (lambda x: x - 1, 0.0, 1.0, 1.0),
    ],
)
def test_a_root_is_as_near_as_asked_within_few_looks(function, low, high, truth) -> None:
    looks: list[float] = []

    def looked_at(x: float) -> float:
        looks.append(x)
        return function(x)

    assert root(looked_at, low, high, 1e-13) == pytest.approx(truth, rel=2e-13, abs=0)
    assert len(looks) < 800 and all(low <= x <= high for x in looks)
    assert root(function, low, high, 0.0, absolute=1e-3) == pytest.approx(truth, abs=1e-3)
