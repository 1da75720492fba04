"""The lower convex hull: against the lines through all pairs of points."""

import numpy as np
import pytest

from discretion.numerics import convex_hulls as module
from discretion.numerics.convex_hulls import Measured, lower_hull


def is_below_all(x, y, corner):
    """Whether no two other points have a line between them that is on or below this one."""
    for a in range(x.size):
        for b in range(x.size):
            if x[a] < x[corner] < x[b] and y[a] + (y[b] - y[a]) * (x[corner] - x[a]) / (x[b] - x[a]) <= y[corner]:
                return False
    return not any(x[a] == x[corner] and y[a] < y[corner] for a in range(x.size))


@pytest.mark.parametrize(
    ("passes", "compiled_from", "compiled"),
    [(50, 50_000, module.compiled), (0, 50_000, module.compiled), (0, 0, module.compiled), (0, 0, lambda loop: loop)],
    ids=["NumPy", "Python", "machine code", "the same loop as Python"],
)
def test_corners_are_the_points_below_all_lines(monkeypatch, passes, compiled_from, compiled):
    monkeypatch.setattr(module, "_PASSES", passes)
    monkeypatch.setattr(module, "_COMPILED_FROM", compiled_from)
    monkeypatch.setattr(module, "compiled", compiled)
    rng = np.random.default_rng(2)
    for _ in range(50):
        x, y = np.append(rng.integers(0, 9, 20), [0, 9]) / 8, np.append(rng.integers(0, 9, 20), [9, 0]) / 8
        corners = lower_hull(Measured.from_values(x), Measured.from_values(y))
        inner = [corner for corner in corners if 0 < x[corner] < x.max()]
        expected = {(x[c], y[c]) for c in range(x.size) if 0 < x[c] < x.max() and is_below_all(x, y, c)}
        assert {(x[c], y[c]) for c in inner} == expected
        assert len(inner) == len(expected)


@pytest.mark.parametrize("compiled_from", [50_000, 0])
def test_what_is_small_at_either_end_keeps_its_digits(monkeypatch, compiled_from):
    monkeypatch.setattr(module, "_COMPILED_FROM", compiled_from)
    steps = np.array([1e-30, 1e-20, 0.5, 0.5 - 1e-17, 1e-17])
    sums = np.append(0, np.cumsum(steps)), np.append(np.cumsum(steps[::-1])[::-1], 0)
    falls = np.array([1e-10, 1e-9, 0.75, 0.25, 1e-19])
    x, y = Measured(*sums), Measured(np.append(np.cumsum(falls[::-1])[::-1], 0), np.append(0, np.cumsum(falls)))
    assert lower_hull(x, y).tolist() == [0, 1, 2, 3, 4, 5]


def test_as_machine_code_it_has_the_same_corners(monkeypatch):
    rng = np.random.default_rng(4)
    for scale in (1.0, 1e-12):
        x, y = np.sort(rng.random(3000)) * scale, np.sort(rng.random(3000))[::-1] ** 3
        points = Measured(x, scale - x), Measured(y, 1 - y)
        found = []
        for compiled_from in (10**6, 0):
            monkeypatch.setattr(module, "_COMPILED_FROM", compiled_from)
            found.append(lower_hull(*points).tolist())
        assert found[0] == found[1]
