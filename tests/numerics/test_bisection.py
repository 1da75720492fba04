"""Bisection against what the ends are known to be."""

import numpy as np

from discretion.numerics.bisection import bisected


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
