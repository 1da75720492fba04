"""Theorem 2 of Anonymity at its best: thresholds of the columns, and which of them is exempt."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from discretion import limits
from discretion.anonymity.people.marginals import Marginals
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import bisected
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, as_fraction

_HALVINGS = 60
_LOG_PRICES = (-700.0, 30.0)
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Composition:
    """What a composition theorem gives, and for which of its parameters.

    Parameters
    ----------
    bound
        On the exposure, in [0, 1].
    thresholds
        The t_j of the columns, in their order; none where the theorem says no more than that the bound is 1.
    c
        That of Theorem 3.
    star
        The place of the column j* of Theorem 2.
    """

    bound: float
    thresholds: tuple[float, ...] = ()
    c: float | None = None
    star: int | None = None


def theorem2_bound(marginals: Marginals, threshold: Threshold) -> Composition:
    """Return the least bound of Theorem 2: ``min Σ_j Q_j(t_j) + Σ_{j≠j*} t_j |V_j|`` subject to ``Π t_j ≥ t``.

    Parameters
    ----------
    marginals
        The columns.
    threshold
        The share t of the people, in [0, 1].

    Returns
    -------
    Composition
        The least over all thresholds t_j and all j*, and those that give it.

    Raises
    ------
    InvalidValueError
        If the threshold is out of range.

    Notes
    -----
    The least is not at the steps of the Q_j: within a choice of steps the ``w_j = t_j |V_j|`` of given product and
    least sum are level but for those at the end of their step. Choices of steps are tried in the order of a lower
    bound, the Lagrangian's, until none left can be lower. Should these be more than 20,000 for some j*, what comes
    out is a bound on the exposure still, and may not be the least.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> from discretion.anonymity import Population
    >>> found = theorem2_bound(Population("example:adult").marginals(["sex", "income"]), "0.001")
    >>> round(found.bound, 10), found.star
    (0.0060460496, 0)
    """
    share, alone = as_fraction(threshold), marginals.alone()
    if float(share) == 0:
        return Composition(0.0, (0.0,) * len(alone), star=0)
    columns = [_Steps.of(marginal) for marginal in alone]
    best = Composition(1.0)
    for free in range(len(columns)):
        best = _least_sum(columns, free, share, best)
    return best


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps of Q_j: up to ``w = t |V|`` of ``ends`` it is ``rare``."""

    people: int
    values: int
    sizes: list[int]
    rare: Reals
    ends: Reals

    @staticmethod
    def of(marginal: ClassSizes) -> "_Steps":
        rare = marginal.rarer / marginal.people
        ends = marginal.sizes / marginal.people * marginal.classes
        return _Steps(marginal.people, marginal.classes, marginal.sizes.tolist(), rare, ends)

    @cached_property
    def logs(self) -> Reals:
        """What log w is at the ends."""
        return np.log(self.ends)

    def relaxed(self, price: float, *, is_free: bool) -> tuple[Reals, Reals]:
        """Return, per step, the least ``cost - price·log w`` with w up to its end, and that w."""
        if is_free:
            return self.rare - price * self.logs, self.ends
        w = np.minimum(self.ends, price)
        return self.rare + w - price * np.log(w), w


def _least_sum(columns: Sequence[_Steps], free: int, share: Fraction, best: Composition) -> Composition:
    """Return the least bound with j* = free, or ``best`` if that is no more."""
    target = math.log(share) + sum(math.log(column.values) for column in columns)  # of Σ log w_j
    if sum(math.log(column.ends[-1]) for column in columns) < target - 1e-9:
        return best
    price = _price(columns, free, target)
    relaxed = [column.relaxed(price, is_free=j == free)[0] for j, column in enumerate(columns)]
    orders = [np.argsort(cost, kind="stable") for cost in relaxed]
    largest = price * (abs(target) + sum(float(np.abs(column.logs).max()) for column in columns))
    lower = price * target + sum(float(cost.min()) for cost in relaxed) - largest * _ROUNDING
    excess = [(cost[order] - cost[order[0]]).tolist() for cost, order in zip(relaxed, orders, strict=True)]
    for tried, (more, ranks) in enumerate(_by_sum(excess)):
        if lower + more >= best.bound - 1e-13 or tried == limits.current().most_compositions:
            break
        steps = [int(order[rank]) for order, rank in zip(orders, ranks, strict=True)]
        best = min(best, _levelled(columns, steps, free, share, target), key=lambda composition: composition.bound)
    return best


def _price(columns: Sequence[_Steps], free: int, target: float) -> float:
    """Return about the best Lagrange multiplier of ``Σ log w_j ≥ target``: any gives a lower bound."""

    def reached(price: float) -> float:
        total = 0.0
        for j, column in enumerate(columns):
            cost, w = column.relaxed(price, is_free=j == free)
            total += math.log(w[cost.argmin()])
        return total

    _, enough = bisected(lambda log_price: reached(math.exp(log_price)) < target, *_LOG_PRICES, _HALVINGS)
    return math.exp(enough)


def _by_sum(lists: Sequence[Sequence[float]]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Return all choices of a rank in each ascending list, by ascending sum."""
    heap = [(sum(values[0] for values in lists), (0,) * len(lists), 0)]
    while heap:
        total, ranks, first = heappop(heap)
        yield total, ranks
        for j in range(first, len(lists)):
            if (rank := ranks[j] + 1) < len(lists[j]):
                step = lists[j][rank] - lists[j][rank - 1]
                heappush(heap, (total + step, (*ranks[:j], rank, *ranks[j + 1 :]), j))


def _levelled(
    columns: Sequence[_Steps], steps: Sequence[int], free: int, share: Fraction, target: float
) -> Composition:
    """Return the bound with each t_j at most at the end of its step, or 1 if they cannot reach the threshold."""
    product = math.prod(column.sizes[step] for column, step in zip(columns, steps, strict=True))
    if product < share * columns[0].people ** len(columns):
        return Composition(1.0)
    rare = sum(float(column.rare[step]) for column, step in zip(columns, steps, strict=True))
    ends = [float(column.ends[step]) for column, step in zip(columns, steps, strict=True)]
    left = target - math.log(ends[free])
    others = sorted(end for j, end in enumerate(ends) if j != free)
    total, most = 0.0, math.inf
    for position, end in enumerate(others):
        level = math.exp(left / (len(others) - position))
        if level <= end:
            total, most = total + (len(others) - position) * level, level
            break
        total, left = total + end, left - math.log(end)
    thresholds = [
        column.sizes[step] / column.people if j == free or end <= most else most / column.values
        for j, (column, step, end) in enumerate(zip(columns, steps, ends, strict=True))
    ]
    return Composition(rare + total, tuple(thresholds), star=free)
