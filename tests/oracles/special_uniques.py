"""Minimal uniques and SUDA scores on lists of tuples, set by set as the papers define them."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import prod

from oracles.tables import Row, restrict


def minimal_uniques(rows: list[Row], max_size: int) -> set[tuple[tuple[int, ...], int]]:
    """Return each minimal unique as its columns, ascending, and its row."""
    found: set[tuple[tuple[int, ...], int]] = set()
    for size in range(1, max_size + 1):
        for places in combinations(range(len(rows[0])), size):
            held = restrict(rows, places)
            alike = Counter(held)
            for i, values in enumerate(held):
                smaller: Iterable[tuple[int, ...]] = (part for n in range(1, size) for part in combinations(places, n))
                if alike[values] == 1 and not any((part, i) in found for part in smaller):
                    found.add((places, i))
    return found


def scores(rows: list[Row], max_size: int) -> list[int]:
    """Return the score of each row: the sum over its minimal uniques of Π (m - i), i from their size to M."""
    columns, result = len(rows[0]), [0] * len(rows)
    for places, i in minimal_uniques(rows, max_size):
        result[i] += prod(columns - j for j in range(len(places), min(max_size, columns - 1) + 1))
    return result
