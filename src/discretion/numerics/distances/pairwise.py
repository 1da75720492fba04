"""Which rows of a matrix lie furthest apart in L1, over all pairs; several ways for several shapes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from discretion import limits
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances import l1_tiles, sign_sums

# Pairs of secrets that are equally far apart.
MAX_PAIRS_LISTED = 10**7

# Up to so many absolute differences NumPy is done before Numba is loaded.
_MOST_BY_ROWS = 1 << 28

BY_ROWS, BY_TILES, BY_SIGNS = (
    "all pairs of rows",
    "all pairs of rows but those that the triangle inequality rules out",
    "the extremes of all signed sums of columns",
)


@dataclass(frozen=True)
class Furthest:
    """The largest distance of two rows, and a way to list the pairs (i, j), i < j, within a tolerance of it.

    The pairs come some at a time, lowest first among those; when only the first is wanted, perhaps not all.
    """

    distance: float
    _pairs: Callable[[bool], Iterator[Integers]]

    def first(self) -> tuple[int, int]:
        """Return the lowest of these pairs."""
        i, j = min(tuple(found[0].tolist()) for found in self._pairs(True) if len(found))
        return i, j

    def all(self) -> list[tuple[int, int]]:
        """Return these pairs, lowest first."""
        blocks, listed = [np.empty((0, 2), dtype=np.int64)], 0
        for found in self._pairs(False):
            blocks.append(found)
            listed += len(found)
            if listed > (most := limits.current().numbers(MAX_PAIRS_LISTED, each=16)):
                raise TooLargeError(f"more than {most:,} pairs are equally far apart; take leakiest_pair, the first")
        return [(i, j) for i, j in np.unique(np.concatenate(blocks), axis=0).tolist()]


def way(rows: int, columns: int) -> str:
    """Return the name of the algorithm that suits so many rows and columns."""
    if sign_sums.pays(rows, columns):
        return BY_SIGNS
    return BY_TILES if rows * (rows - 1) // 2 * columns > _MOST_BY_ROWS else BY_ROWS


def furthest_rows(matrix: Reals, tolerance: float = 0.0) -> Furthest:
    """Find the largest L1 distance between two rows (0 for a single row), and the pairs within a tolerance of it."""
    how = way(*matrix.shape)
    if how == BY_TILES:
        found = l1_tiles.furthest_rows(matrix, tolerance)
        return Furthest(found.distance, lambda first: found.pairs())
    if how == BY_SIGNS:
        distance = sign_sums.largest_distance(matrix)
        return Furthest(distance, lambda first: sign_sums.pairs_at(matrix, distance - tolerance, first))
    return furthest_of(lambda: _distances_to_later_rows(matrix), tolerance)


def furthest_of(distances_to_later_rows: Callable[[], Iterator[tuple[int, Reals]]], tolerance: float) -> Furthest:
    """Find the same from the number of each row but the last, and its distances to all later ones."""
    distance = max((float(distances.max()) for _, distances in distances_to_later_rows()), default=0.0)
    return Furthest(distance, lambda first: _pairs_by_rows(distances_to_later_rows(), distance - tolerance, first))


def _pairs_by_rows(later: Iterator[tuple[int, Reals]], distance: float, first: bool) -> Iterator[Integers]:
    for i, distances in later:
        near = np.flatnonzero(distances >= distance)
        if near.size:
            yield np.column_stack([np.full(near.size, i), i + 1 + near])
            if first:
                return


def _distances_to_later_rows(matrix: Reals) -> Iterator[tuple[int, Reals]]:
    for i in range(len(matrix) - 1):
        yield i, np.abs(matrix[i + 1 :] - matrix[i]).sum(axis=1)
