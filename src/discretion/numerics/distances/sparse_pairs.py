"""Which rows of a sparse matrix lie furthest apart in L1, over all pairs, its zeros left out of the sums."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from discretion.numerics.arrays import Reals
from discretion.numerics.distances.pairwise import Furthest, furthest_of


def furthest_rows(matrix: Any, tolerance: float = 0.0) -> Furthest:
    """Find the largest L1 distance between two rows of a CSR array, and the pairs within a tolerance of it."""
    return furthest_of(lambda: _distances_to_later_rows(matrix), tolerance)


def _distances_to_later_rows(matrix: Any) -> Iterator[tuple[int, Reals]]:
    rows, starts = int(matrix.shape[0]), np.asarray(matrix.indptr, dtype=np.int64)
    row_of_entry = np.searchsorted(starts, np.arange(int(starts[-1])), side="right") - 1
    for i in range(rows - 1):
        row: Reals = matrix[[i], :].toarray().ravel()
        first = int(starts[i + 1])
        there: Reals = row[matrix.indices[first:]]
        # Where the later row is 0 it is |row|; correct that at the entries where it is not.
        corrections: Reals = np.abs(matrix.data[first:] - there) - there
        distances = row.sum() + np.bincount(row_of_entry[first:] - i - 1, corrections, minlength=rows - i - 1)
        yield i, np.maximum(distances, 0.0)  # which rounding may leave below 0
