"""Which rows of a matrix lie furthest apart in L1, over all pairs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.matrices import is_dense


def largest_distance(matrix: Any) -> float:
    """Return the largest L1 distance between two rows (0 for a single row)."""
    return max((float(distances.max()) for _, distances in _distances_to_later_rows(matrix)), default=0.0)


def most_distant_pairs(matrix: Any, tolerance: float) -> list[tuple[int, int]]:
    """Return the pairs (i, j), i < j, whose L1 distance is within ``tolerance`` of the largest, lowest first."""
    candidates: list[tuple[float, int, int]] = []
    best = 0.0
    for i, distances in _distances_to_later_rows(matrix):
        best = max(best, float(distances.max()))
        near = np.flatnonzero(distances >= best - tolerance)
        candidates += [(float(distances[j]), i, i + 1 + int(j)) for j in near]
    return [(i, j) for distance, i, j in candidates if distance >= best - tolerance]


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
