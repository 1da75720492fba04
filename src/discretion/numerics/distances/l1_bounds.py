"""Bounds on the largest L1 distance between rows, in time linear in the rows."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np

from discretion.numerics.arrays import Reals
from discretion.numerics.distances.l1_tiles import pivots_of, reach_by_pivot

_MOST_PIVOTS = 64


class Bracket(NamedTuple):
    """Bounds of the largest distance: at least ``least`` and at most ``most``."""

    least: float
    most: float


class Rows(Protocol):
    """The interface of rows to bound, which need not be a matrix in memory."""

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        ...

    def blocks(self) -> Iterator[tuple[int, Reals]]:
        """Yield the rows, some at a time, each block with the number of its first row."""
        ...

    def column_means(self) -> Reals:
        """Return the mean of all rows."""
        ...

    def distances_to(self, row: int) -> Reals:
        """Return the L1 distance of every row to one of them."""
        ...


def around_mean(rows: Rows) -> Bracket:
    """Bound by the largest distance from the mean of all rows, which lies in their convex hull (Bayes-sec, Prop. 5)."""
    return _around(rows, rows.column_means())


def around_first(rows: Rows) -> Bracket:
    """Bound by the largest distance of a row from the first one (Bayes-sec, Proposition 5)."""
    _, block = next(rows.blocks())
    return _around(rows, block[0])


def by_l2(rows: Rows) -> Bracket:
    """Bound by the largest Euclidean distance: ``‖x‖₂ <= ‖x‖₁ <= √m ‖x‖₂`` for m columns."""
    columns = rows.shape[1]
    squares = np.concatenate([np.square(block).sum(axis=1) for _, block in rows.blocks()])
    largest = 0.0
    for start, block in rows.blocks():
        for other_start, other in rows.blocks():
            if other_start >= start:
                inner = block @ other.T
                own, theirs = squares[start : start + len(block)], squares[other_start : other_start + len(other)]
                largest = max(largest, float((own[:, None] + theirs - 2 * inner).max()))
    rounding = 4 * (columns + 4) * 2.0**-53 * float(squares.max())
    least, most = np.sqrt(max(0.0, largest - rounding)), np.sqrt(largest + rounding)
    return _outwards(rows, float(least), float(np.sqrt(columns) * most))


def by_pivots(rows: Rows) -> Bracket:
    """Bound by the distances to some rows that are far apart, with the triangle inequality."""
    n, _ = rows.shape
    distances, next_to = pivots_of(rows.distances_to, n, min(_MOST_PIVOTS, n))
    order = np.argsort(next_to, kind="stable")
    clusters, starts = np.unique(next_to[order], return_index=True)
    most = reach_by_pivot(distances[order], starts, clusters)
    return _outwards(rows, float(distances.max()), float(most.max()))


def _around(rows: Rows, point: Reals) -> Bracket:
    furthest = max(float(np.abs(block - point).sum(axis=1).max()) for _, block in rows.blocks())
    return _outwards(rows, furthest, 2 * furthest)


def _outwards(rows: Rows, least: float, most: float) -> Bracket:
    """Return the bracket, widened by the rounding of sums over the columns, or over the rows for their mean."""
    rounding = (sum(rows.shape) + 16) * 2.0**-51
    return Bracket(max(0.0, least - rounding), most + rounding)
