"""Composition theorems of Anonymity: the least bounds of Theorems 2 and 3 on an exposure, over their parameters."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush

import numpy as np

from discretion import limits
from discretion.anonymity.exposure.bounds import as_share, exposed_below
from discretion.anonymity.exposure.envelope import combine_lines
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.estimate import Estimate
from discretion.intervals import above, below
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.convex_hulls import Line, lower_envelope
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, as_fraction

# Choices of thresholds that the search for the best bound examines.
MAX_COMPOSITIONS = 20_000

_HALVINGS = 60
_LOG_PRICES = (-700.0, 30.0)
_ROUNDING = 1e-14


@dataclass(frozen=True)
class Composition:
    """The bound of a composition theorem, with the parameters that give it.

    Parameters
    ----------
    bound
        The upper bound on the exposure, in [0, 1].
    thresholds
        The t_j of the columns, in their order; empty where the theorem gives only the bound 1.
    c
        The slack c of Theorem 3.
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
        The least bound over all thresholds t_j and all j*, with those that give it.

    Notes
    -----
    The minimum is not at the steps of the Q_j: within a choice of steps, the ``w_j = t_j |V_j|`` with a given product
    and the least sum are equal, except those at the end of their step. The search tries choices of steps in the order
    of a lower bound, the Lagrangian's, until no other choice can be lower. If it reaches 20,000 choices for some j*,
    the result is still a bound on the exposure, but may not be the least.

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
    columns = [_Steps.from_sizes(marginal) for marginal in alone]
    best = Composition(1.0)
    for free in range(len(columns)):
        best = _least_sum(columns, free, share, best)
    return best


@dataclass(frozen=True, eq=False)
class _Steps:
    """The steps of Q_j as a function of ``w = t |V|``: its value is ``rare`` up to ``ends``."""

    people: int
    values: int
    sizes: list[int]
    rare: Reals
    ends: Reals

    @staticmethod
    def from_sizes(marginal: ClassSizes) -> "_Steps":
        rare = marginal.rarer / marginal.people
        ends = marginal.sizes / marginal.people * marginal.classes
        return _Steps(marginal.people, marginal.classes, marginal.sizes.tolist(), rare, ends)

    @cached_property
    def logs(self) -> Reals:
        """The logarithms of w at the ends of the steps."""
        return np.log(self.ends)

    def relaxed(self, price: float, *, is_free: bool) -> tuple[Reals, Reals]:
        """Return for each step the least ``cost - price·log w`` with w up to its end, and that w."""
        if is_free:
            return self.rare - price * self.logs, self.ends
        w = np.minimum(self.ends, price)
        return self.rare + w - price * np.log(w), w


def _least_sum(columns: Sequence[_Steps], free: int, share: Fraction, best: Composition) -> Composition:
    """Return the least bound with j* = free, or ``best`` if that is not larger."""
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
        if lower + more >= best.bound - 1e-13 or tried == limits.current().steps(MAX_COMPOSITIONS, each=256):
            break
        steps = [int(order[rank]) for order, rank in zip(orders, ranks, strict=True)]
        best = min(best, _levelled(columns, steps, free, share, target), key=lambda composition: composition.bound)
    return best


def _price(columns: Sequence[_Steps], free: int, target: float) -> float:
    """Return a nearly optimal Lagrange multiplier of ``Σ log w_j ≥ target``; any multiplier gives a lower bound."""

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


@dataclass(frozen=True)
class TheoremBound(Estimate):
    """The bound that the composition theorems certify, with the parameters that give it.

    Parameters
    ----------
    value, low, high, confidence, method, assuming
        The fields of every :class:`Estimate`.
    thresholds
        A column → its t_j, a share of the people. Empty where the theorems give only the bound 1.
    c
        The slack of Theorem 3, if that is the method.
    j_star
        The column of Theorem 2 that adds no ``t_j |V_j|``, if that is the method.
    """

    thresholds: Mapping[str, float] = field(default_factory=dict[str, float], hash=False)
    c: float | None = None
    j_star: str | None = None


def theorem_bound(
    P: People | Marginals,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> TheoremBound:
    """Return the least bound on the exposure by Theorems 2 and 3 of Anonymity, over all of their parameters.

    ``Q_J(Π t_j) ≤ Σ_j Q_j(t_j) + Σ_{j≠j*} t_j |V_j|`` and ``Q_J(c Π t_j) ≤ Σ_j Q_j(t_j) + c``

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    k, threshold
        Exactly one: a number of people, which stands for k/n, or a share t of them in [0, 1].
    columns
        The columns that are known together; None is all of them.

    Returns
    -------
    TheoremBound
        Certified: ``value`` and ``high`` are the bound, at most 1, ``low`` the largest exposure of a single column;
        ``method`` is "Theorem 2" or "Theorem 3", and ``thresholds``, ``c`` and ``j_star`` are the t_j, c and j* with
        which it gives that.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    For comparison: :func:`exposure_bound` is never above it. Source: Anonymity, Theorems 2 and 3.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult")
    >>> bound = theorem_bound(adult, threshold="0.001", columns=["sex", "income", "race", "workclass"])
    >>> round(bound.value, 10), bound.method
    (0.4697786644, 'Theorem 3')
    >>> {column: round(t, 4) for column, t in bound.thresholds.items()}, round(bound.c, 4)
    ({'sex': 0.3308, 'income': 0.2408, 'race': 0.8543, 'workclass': 0.697}, 0.0211)
    """
    people = as_counts(P)
    share = as_share(people.people, k, threshold)
    marginals = people.marginals(columns)
    exposed = max(exposed_below(sizes, math.ceil(share * people.people)) for sizes in marginals.alone())
    surely = Fraction(exposed, people.people)
    composition, method = Composition(1.0), "Theorem 2"
    if share <= 1:
        composition, method = min(
            ((theorem2_bound(marginals, share), "Theorem 2"), (theorem3_bound(marginals, share), "Theorem 3")),
            key=lambda each: each[0].bound,
        )
    high = max(surely, min(Fraction(1), Fraction(composition.bound) * (1 + _rounding(marginals, share))))
    return TheoremBound(
        min(max(composition.bound, below(surely)), above(high)),
        below(surely),
        above(high),
        None,
        method,
        thresholds=dict(zip(marginals.columns, composition.thresholds, strict=False)),
        c=composition.c,
        j_star=None if composition.star is None else next(iter(marginals.columns[composition.star :]), None),
    )


def theorem3_bound(marginals: Marginals, threshold: Threshold) -> Composition:
    """Return the least bound of Theorem 3: ``min Σ_j Q_j(t_j) + c`` subject to ``c Π t_j = t``.

    Parameters
    ----------
    marginals
        The columns.
    threshold
        The share t of the people, in [0, 1].

    Returns
    -------
    Composition
        The least bound over all thresholds t_j and c, with those that give it.

    Notes
    -----
    Within a step of Q_j a larger t_j only lowers c, so the t_j are at the ends of steps. The search is that of the
    counting bound, with 1/t_j instead of the number of values of share t_j or more.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult")
    >>> columns = ["sex", "income", "race", "workclass"]
    >>> found = theorem3_bound(adult.marginals(columns), "0.001")
    >>> round(found.bound, 10), round(found.c, 3)
    (0.4697786644, 0.021)
    """
    share, alone = float(as_fraction(threshold)), marginals.alone()
    if share == 0:
        return Composition(0.0, (0.0,) * len(alone), c=0.0)
    lines: list[Line[float]] = [(0.0, 1.0, ())]
    ends: list[float] = []  # of all columns' steps, one after the other
    for marginal in alone:
        rare, most = marginal.rarer / marginal.people, marginal.people / marginal.sizes
        steps = [(a, b, (len(ends) + i,)) for i, (a, b) in enumerate(zip(rare.tolist(), most.tolist(), strict=True))]
        ends += (marginal.sizes / marginal.people).tolist()
        lines = combine_lines(lines, lower_envelope(steps), share, 1.0)
    compositions = [
        Composition(rare + share * cells, tuple(ends[i] for i in sorted(made)), c=share * cells)
        for rare, cells, made in lines
    ]
    return min([Composition(1.0), *compositions], key=lambda each: each.bound)


def _rounding(marginals: Marginals, share: Fraction) -> Fraction:
    """Return an upper bound on the rounding error of a bound.

    With d columns the bound uses fewer than 4d sums of fewer than 4d logarithms of at most log n, and ``log 1/t``: an
    exponential turns their errors into relative ones. The rest is a sum of 2d positive numbers or a product of d.
    """
    if not 0 < share <= 1:
        return Fraction(0)
    d, n = len(marginals.alone()), marginals.people
    logarithms = math.log(share.denominator) - math.log(share.numerator) + 4 * d * (1 + math.log(n))
    return Fraction(2) ** -52 * (8 * d + 16) * math.ceil(logarithms + 1)
