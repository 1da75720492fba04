"""Which rows of a matrix lie furthest apart in L1, over all pairs; several ways for several shapes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.numerics import l1_tiles, sign_sums
from tacit.numerics.matrices import is_dense

Pairs = NDArray[np.int64]

# Up to so many absolute differences NumPy is done before Numba is loaded.
_MOST_BY_ROWS = 1 << 28

BY_ROWS, BY_TILES, BY_SIGNS = (
    "all pairs of rows",
    "all pairs of rows but those that the triangle inequality rules out",
    "the extremes of all signed sums of columns",
)


@dataclass(frozen=True)
class Furthest:
    """The largest distance of two rows, and a way to list the pairs (i, j), i < j, within a tolerance of it."""

    distance: float
    _pairs: Callable[[bool], Iterator[Pairs]]

    def first(self) -> tuple[int, int]:
        """Return the lowest of these pairs."""
        i, j = min(tuple(found[0].tolist()) for found in self._pairs(True) if len(found))
        return i, j

    def all(self) -> list[tuple[int, int]]:
        """Return these pairs, lowest first."""
        found = np.unique(np.concatenate([np.empty((0, 2), dtype=np.int64), *self._pairs(False)]), axis=0)
        return [(i, j) for i, j in found.tolist()]


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
    return _by_rows(matrix, tolerance)


def _by_rows(matrix: Any, tolerance: float) -> Furthest:
    candidates: list[tuple[NDArray[np.float64], Pairs]] = []
    best = 0.0
    for i, distances in _distances_to_later_rows(matrix):
        best = max(best, float(distances.max()))
        near = np.flatnonzero(distances >= best - tolerance)
        candidates.append((distances[near], np.column_stack([np.full(near.size, i), i + 1 + near])))
    return Furthest(best, lambda first: (pairs[distances >= best - tolerance] for distances, pairs in candidates))


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
        yield i, row.sum() + np.bincount(row_of_entry[first:] - i - 1, corrections, minlength=rows - i - 1)
