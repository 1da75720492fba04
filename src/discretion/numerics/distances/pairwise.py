"""The rows of a matrix that are furthest apart in L1, over all pairs, with one algorithm for each kind of shape."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discretion import limits
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances import l1_tiles
from discretion.validation import Fractions

# Pairs of secrets that are equally far apart.
MAX_PAIRS_LISTED = 10**7

# Up to so many absolute differences NumPy is done before Numba is loaded.
_MOST_BY_ROWS = 1 << 28

BY_ROWS, BY_TILES, BY_SIGNS = (
    "all pairs of rows",
    "all pairs of rows but those that the triangle inequality rules out",
    "the extremes of all signed sums of columns",
)

_NUMBERS_AT_ONCE = 1 << 22
_ROUNDING_OF_SIGN_SUMS = 1e-13

# Of a distance of two rows that sum to 1, for each column: of their entries, differences and sum.
_ROUNDING_OF_FRACTIONS = 4e-16


@dataclass(frozen=True)
class FurthestRows:
    """The largest distance of two rows, and a way to list the pairs (i, j), i < j, within a tolerance of it.

    The pairs come some at a time, the lowest first; when only the first is requested, the list may be incomplete.
    """

    distance: float
    _pairs: Callable[[bool], Iterator[Integers]]

    def first(self) -> tuple[int, int]:
        """Return the lowest of these pairs."""
        i, j = min(tuple(block[0].tolist()) for block in self._pairs(True) if len(block))
        return i, j

    def all(self) -> list[tuple[int, int]]:
        """Return all these pairs, the lowest first."""
        blocks, listed = [np.empty((0, 2), dtype=np.int64)], 0
        for block in self._pairs(False):
            blocks.append(block)
            listed += len(block)
            if listed > (most := limits.current().numbers(MAX_PAIRS_LISTED, each=16)):
                raise TooLargeError(f"more than {most:,} pairs are equally far apart; use leakiest_pair for the first")
        return [(i, j) for i, j in np.unique(np.concatenate(blocks), axis=0).tolist()]


def algorithm_of_shape(rows: int, columns: int) -> str:
    """Return the name of the algorithm for this number of rows and columns."""
    if is_sign_sums_faster(rows, columns):
        return BY_SIGNS
    return BY_TILES if rows * (rows - 1) // 2 * columns > _MOST_BY_ROWS else BY_ROWS


def furthest_rows(matrix: Reals, tolerance: float = 0.0) -> FurthestRows:
    """Find the largest L1 distance between two rows (0 for a single row), and the pairs within a tolerance of it."""
    algorithm = algorithm_of_shape(*matrix.shape)
    if limits.current().steps(work := len(matrix) * matrix.size // 2) < work and algorithm != BY_SIGNS:
        raise TooLargeError(
            f"{len(matrix):,} rows of {matrix.shape[1]:,} entries have too many pairs to compare; merge secrets "
            "or observations"
        )
    if algorithm == BY_TILES:
        tiles = l1_tiles.furthest_rows_by_tiles(matrix, tolerance)
        return FurthestRows(tiles.distance, lambda first: tiles.pairs())
    if algorithm == BY_SIGNS:
        distance = largest_distance_by_signs(matrix)
        return FurthestRows(distance, lambda first: pairs_by_signs(matrix, distance - tolerance, first))
    return furthest_by_distances(lambda: _distances_to_later_rows(matrix), tolerance)


def furthest_by_distances(
    distances_to_later_rows: Callable[[], Iterator[tuple[int, Reals]]], tolerance: float
) -> FurthestRows:
    """Find the same from each row's distances to all later rows, with the number of the row."""
    distance = max((float(distances.max()) for _, distances in distances_to_later_rows()), default=0.0)
    return FurthestRows(distance, lambda first: _pairs_by_rows(distances_to_later_rows(), distance - tolerance, first))


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


def is_sign_sums_faster(rows: int, columns: int) -> bool:
    """Whether all signs of the columns take less time than all pairs of rows."""
    return columns <= 24 and 160 << (columns - 1) <= rows * columns


def largest_distance_by_signs(matrix: Reals) -> float:
    """Return the largest L1 distance between two rows of few columns, in time linear in the rows.

    ``‖a - b‖₁ = max_σ Σ_y σ_y (a_y - b_y)`` over all signs σ: an isometry of L1 into L∞, where the largest distance is
    that of the extremes of each coordinate (Bayes-sec, section VII-B). Opposite signs give the same, so that one sign
    is fixed.
    """
    return max(float((sums.max(axis=0) - sums.min(axis=0)).max()) for sums in _sign_sums(matrix))


def pairs_by_signs(matrix: Reals, distance: float, first: bool) -> Iterator[Integers]:
    """Yield the pairs of rows (i, j), i < j, at least this far apart; with ``first`` only some, including the first."""
    for sums in _sign_sums(matrix):
        for one in sums.T[np.flatnonzero(sums.max(axis=0) - sums.min(axis=0) >= distance)]:
            least, most = one.max() - distance + _ROUNDING_OF_SIGN_SUMS, one.min() + distance - _ROUNDING_OF_SIGN_SUMS
            extremes = np.flatnonzero((one >= most) | (one <= least))
            for place, i in enumerate(extremes):
                later = extremes[place + 1 :]
                far = later[np.abs(one[later] - one[i]) >= distance]
                if far.size:
                    yield np.column_stack([np.full(far.size, i), far])
                    if first:
                        break


def _sign_sums(matrix: Reals) -> Iterator[Reals]:
    """Yield the signed sums of all rows, for some choices of signs at a time."""
    rows, columns = len(matrix), len(matrix[0])
    choices, step = 1 << (columns - 1), max(1, _NUMBERS_AT_ONCE // rows)
    for start in range(0, choices, step):
        signs = np.arange(start, min(start + step, choices))
        bits: Integers = signs >> np.arange(columns)[:, None] & 1
        yield matrix @ (1.0 - 2.0 * bits)


def furthest_sparse_rows(matrix: Any, tolerance: float = 0.0) -> FurthestRows:
    """Find the largest L1 distance between two rows of a CSR array, and the pairs within a tolerance of it."""
    return furthest_by_distances(lambda: _distances_to_later_sparse_rows(matrix), tolerance)


def _distances_to_later_sparse_rows(matrix: Any) -> Iterator[tuple[int, Reals]]:
    rows, starts = int(matrix.shape[0]), np.asarray(matrix.indptr, dtype=np.int64)
    row_of_entry = np.searchsorted(starts, np.arange(int(starts[-1])), side="right") - 1
    for i in range(rows - 1):
        row: Reals = matrix[[i], :].toarray().ravel()
        first = int(starts[i + 1])
        values: Reals = row[matrix.indices[first:]]
        # Where the later row is 0 it is |row|; correct that at the entries where it is not.
        corrections: Reals = np.abs(matrix.data[first:] - values) - values
        distances = row.sum() + np.bincount(row_of_entry[first:] - i - 1, corrections, minlength=rows - i - 1)
        yield i, np.maximum(distances, 0.0)  # which rounding may leave below 0


def furthest_fraction_rows(matrix: Fractions, tolerance: Fraction) -> tuple[Fraction, list[tuple[int, int]]]:
    """Return the largest L1 distance of two rows (0 for a single row), and the pairs within a tolerance of it.

    Doubles find the candidates for the largest distance, fractions decide.
    """
    doubles = matrix.astype(np.float64)
    near = [np.abs(doubles[a + 1 :] - doubles[a]).sum(axis=1) for a in range(len(doubles) - 1)]
    slack = float(tolerance) + _ROUNDING_OF_FRACTIONS * (doubles.shape[1] + 4)
    least = max((float(row.max()) for row in near), default=0.0) - slack
    distances = {
        (a, b): sum(np.abs(matrix[a] - matrix[b]), Fraction(0))
        for a, row in enumerate(near)
        for b in (a + 1 + np.flatnonzero(row >= least)).tolist()
    }
    largest = max(distances.values(), default=Fraction(0))
    return largest, [pair for pair, distance in distances.items() if distance >= largest - tolerance]
