"""The largest L1 distance between rows of few columns, in time linear in the rows.

``‖a - b‖₁ = max_σ Σ_y σ_y (a_y - b_y)`` over all signs σ: an isometry of L1 into L∞, where the largest distance is that
of the extremes of each coordinate (Bayes-sec, section VII-B). Opposite signs say the same, so that one sign is fixed.
"""

from collections.abc import Iterator

import numpy as np

from discretion.numerics.arrays import Integers, Reals

_NUMBERS_AT_ONCE = 1 << 22
_ROUNDING = 1e-13


def pays(rows: int, columns: int) -> bool:
    """Whether all signs of the columns are fewer, by the time they take, than all pairs of rows."""
    return columns <= 24 and 160 << (columns - 1) <= rows * columns


def largest_distance(matrix: Reals) -> float:
    """Return the largest L1 distance between two rows."""
    return max(float((sums.max(axis=0) - sums.min(axis=0)).max()) for sums in _sums(matrix))


def pairs_at(matrix: Reals, distance: float, first: bool) -> Iterator[Integers]:
    """Yield the pairs of rows (i, j), i < j, at least so far apart; or for each choice of signs those of the first."""
    for sums in _sums(matrix):
        for one in sums.T[np.flatnonzero(sums.max(axis=0) - sums.min(axis=0) >= distance)]:
            least, most = one.max() - distance + _ROUNDING, one.min() + distance - _ROUNDING
            extremes = np.flatnonzero((one >= most) | (one <= least))
            for at, i in enumerate(extremes):
                later = extremes[at + 1 :]
                apart = later[np.abs(one[later] - one[i]) >= distance]
                if apart.size:
                    yield np.column_stack([np.full(apart.size, i), apart])
                    if first:
                        break


def _sums(matrix: Reals) -> Iterator[Reals]:
    """Yield the signed sums of all rows, for some choices of signs at a time."""
    rows, columns = len(matrix), len(matrix[0])
    choices, step = 1 << (columns - 1), max(1, _NUMBERS_AT_ONCE // rows)
    for start in range(0, choices, step):
        chosen = np.arange(start, min(start + step, choices))
        bits: Integers = chosen >> np.arange(columns)[:, None] & 1
        yield matrix @ (1.0 - 2.0 * bits)
