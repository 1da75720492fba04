"""Bounds on the largest L1 distance between rows, in time linear in the rows."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.l1_tiles import pivots_of, reach_by_pivot
from tacit.numerics.matrices import dense, is_dense

Reals = NDArray[np.float64]

_ENTRIES_AT_ONCE = 1 << 20
_MOST_PIVOTS = 64


class Bracket(NamedTuple):
    """The largest distance is no less than ``least`` and no more than ``most``."""

    least: float
    most: float


def around_mean(matrix: Any) -> Bracket:
    """Bound by the furthest row from the mean of all rows, which lies in their convex hull (Bayes-sec, Prop. 5)."""
    return _around(matrix, np.asarray(matrix.mean(axis=0)).ravel())


def around_first(matrix: Any) -> Bracket:
    """Bound by the furthest row from the first one (Bayes-sec, Proposition 5)."""
    return _around(matrix, dense(matrix[[0], :])[0])


def by_l2(matrix: Any) -> Bracket:
    """Bound by the largest Euclidean distance: ``‖x‖₂ <= ‖x‖₁ <= √m ‖x‖₂`` for m columns."""
    columns = matrix.shape[1]
    squares = np.concatenate([np.square(block).sum(axis=1) for block in _blocks(matrix)])
    largest = 0.0
    for start, block in _numbered(matrix):
        for other_start, other in _numbered(matrix):
            if other_start >= start:
                inner = block @ other.T
                own, theirs = squares[start : start + len(block)], squares[other_start : other_start + len(other)]
                largest = max(largest, float((own[:, None] + theirs - 2 * inner).max()))
    rounding = 4 * (columns + 4) * 2.0**-53 * float(squares.max())
    least, most = np.sqrt(max(0.0, largest - rounding)), np.sqrt(largest + rounding)
    return _outwards(matrix, float(least), float(np.sqrt(columns) * most))


def by_pivots(matrix: Any) -> Bracket:
    """Bound by the distances to some rows far from one another: no two rows are further apart than through them."""
    distances, next_to = pivots_of(matrix, min(_MOST_PIVOTS, matrix.shape[0]))
    order = np.argsort(next_to, kind="stable")
    clusters, starts = np.unique(next_to[order], return_index=True)
    most = reach_by_pivot(distances[order], starts, clusters)
    return _outwards(matrix, float(distances.max()), float(most.max()))


def _around(matrix: Any, point: Reals) -> Bracket:
    furthest = max(float(np.abs(block - point).sum(axis=1).max()) for block in _blocks(matrix))
    return _outwards(matrix, furthest, 2 * furthest)


def _outwards(matrix: Any, least: float, most: float) -> Bracket:
    """Return the bracket with room for what sums over the columns, or over the rows for their mean, round."""
    rounding = (sum(matrix.shape) + 16) * 2.0**-51
    return Bracket(max(0.0, least - rounding), most + rounding)


def _blocks(matrix: Any) -> Iterator[Reals]:
    return (block for _, block in _numbered(matrix))


def _numbered(matrix: Any) -> Iterator[tuple[int, Reals]]:
    step = max(1, _ENTRIES_AT_ONCE // matrix.shape[1])
    for start in range(0, matrix.shape[0], step):
        block = matrix[start : start + step]
        yield start, block if is_dense(block) else dense(block)
