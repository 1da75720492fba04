"""The vote of the nearest neighbors on a line, in a tree and by a metric is the one that is counted by hand."""

import math

import numpy as np
import pytest

from discretion.blackbox import NearestNeighbours, nearest_neighbours
from discretion.errors import InvalidValueError


def votes(known, secrets, query, k):
    """The votes of each secret, and of the secrets with the most, those of the nearest observation."""
    distances = np.abs(known - query)
    counts = np.bincount(secrets[distances <= np.sort(distances)[min(k, known.size) - 1]])
    leaders = np.flatnonzero(counts == counts.max()).tolist()
    nearest = min(distances[secrets == s].min() for s in leaders)
    return {s for s in leaders if distances[secrets == s].min() == nearest}


@pytest.mark.one_in(11)
@pytest.mark.parametrize("way", ["in a tree", "on a line", "on a line, as Python"])
@pytest.mark.parametrize("scale", [1.0, 0.37, 1e200])
def test_it_is_the_most_frequent_secret_of_the_nearest(way, scale, monkeypatch):
    monkeypatch.setattr(nearest_neighbours, "_ON_A_LINE_FROM", math.inf if way == "in a tree" else 1)
    if way == "on a line, as Python":
        monkeypatch.setattr(nearest_neighbours, "compiled", lambda loop: loop)
    rng = np.random.default_rng(0)
    for trial in range(60):
        n, kinds = rng.integers(1, 60), rng.integers(1, 5)
        known = (rng.integers(-6, 6, n) + (0 if trial % 2 else rng.random(n))) * scale
        secrets, queries = rng.integers(0, kinds, n), np.append(rng.random(20) * 14 - 7, known / scale) * scale
        for k in (1, 3, 7, int(n)):
            found = NearestNeighbours(k).fit(known, secrets).predict(queries)
            for query, secret in zip(queries, found, strict=True):
                assert secret in votes(known, secrets, query, k)


def test_a_line_takes_infinite_numbers_and_says_what_it_does_not_take(monkeypatch):
    monkeypatch.setattr(nearest_neighbours, "_ON_A_LINE_FROM", 1)
    fitted = NearestNeighbours(1).fit([0.0, 1.0, math.inf], ["a", "b", "c"])
    assert fitted.predict([0.4, 1e9, math.inf, -math.inf]).tolist() == ["a", "b", "c", "a"]
    with pytest.raises(InvalidValueError, match="nearest neighbors need numbers, got nan"):
        fitted.predict([math.nan])
