"""Which rows of a matrix lie furthest apart in L1, over all pairs; several ways for several shapes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TooLargeError
from tacit.numerics import l1_tiles, sign_sums
from tacit.numerics.matrices import is_dense

Pairs = NDArray[np.int64]

# Up to so many absolute differences NumPy is done before Numba is loaded.
_MOST_BY_ROWS = 1 << 28
MOST_PAIRS = 10**7

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
    _pairs: Callable[[bool], Iterator[Pairs]]

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
            if listed > MOST_PAIRS:
                raise TooLargeError(
                    f"more than {MOST_PAIRS:,} pairs are equally far apart; take leakiest_pair, the first"
                )
        return [(i, j) for i, j in np.unique(np.concatenate(blocks), axis=0).tolist()]


def way(matrix: Any) -> str:
    """Return the name of the algorithm that suits the matrix."""
    rows, columns = matrix.shape
    if not is_dense(matrix):
        return BY_ROWS
    if sign_sums.pays(rows, columns):
        return BY_SIGNS
    return BY_TILES if rows * (rows - 1) // 2 * columns > _MOST_BY_ROWS else BY_ROWS


def furthest_rows(matrix: Any, tolerance: float = 0.0) -> Furthest:
    """Find the largest L1 distance between two rows (0 for a single row), and the pairs within a tolerance of it."""
    how = way(matrix)
    if how == BY_TILES:
        found = l1_tiles.furthest_rows(matrix, tolerance)
        return Furthest(found.distance, lambda first: found.pairs())
    if how == BY_SIGNS:
        distance = sign_sums.largest_distance(matrix)
        return Furthest(distance, lambda first: sign_sums.pairs_at(matrix, distance - tolerance, first))
    distance = max((float(distances.max()) for _, distances in _distances_to_later_rows(matrix)), default=0.0)
    return Furthest(distance, lambda first: _pairs_by_rows(matrix, distance - tolerance, first))


def _pairs_by_rows(matrix: Any, distance: float, first: bool) -> Iterator[Pairs]:
    for i, distances in _distances_to_later_rows(matrix):
        near = np.flatnonzero(distances >= distance)
        if near.size:
            yield np.column_stack([np.full(near.size, i), i + 1 + near])
            if first:
                return


def _distances_to_later_rows(matrix: Any) -> Iterator[tuple[int, NDArray[np.float64]]]:
    rows = matrix.shape[0]
    if is_dense(matrix):
        for i in range(rows - 1):
            yield i, np.abs(matrix[i + 1 :] - matrix[i]).sum(axis=1)
        return
    starts: NDArray[np.int64] = matrix.indptr
    row_of_entry = np.searchsorted(starts, np.arange(int(starts[-1])), side="right") - 1
    for i in range(rows - 1):
        row = matrix[[i], :].toarray().ravel()
        first = int(starts[i + 1])
        there = row[matrix.indices[first:]]
        # Where the later row is 0 it is |row|; correct that at the entries where it is not.
        corrections: NDArray[np.float64] = np.abs(matrix.data[first:] - there) - there
        distances = row.sum() + np.bincount(row_of_entry[first:] - i - 1, corrections, minlength=rows - i - 1)
        yield i, np.maximum(distances, 0.0)  # which rounding may leave below 0
