"""The composition theorems of Anonymity at their best: the least that Theorems 2 and 3 can say about an exposure."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity.bounds import (
    as_share,
    check_same_people,
    exposed_below,
    marginals_of,
    rounded_outward,
    with_columns_that_bound,
)
from tacit.anonymity.class_sizes import ClassSizes
from tacit.anonymity.envelope import Line, combined, lower_envelope
from tacit.anonymity.population import Population
from tacit.anonymity.threshold import Threshold, as_fraction
from tacit.estimate import Estimate
from tacit.numerics.outward import above, below

MOST_CHOICES = 20_000
_HALVINGS = 60
_LOG_PRICES = (-700.0, 30.0)
_ROUNDING = 1e-14

Reals = NDArray[np.float64]


def theorem_bound(
    P: Population,
    threshold: Threshold | None = None,
    k: int | None = None,
    columns: Iterable[str] | None = None,
) -> Estimate:
    """Return the best bound on the exposure that Theorems 2 and 3 of Anonymity give, over all of their parameters.

    ``Q_J(Π t_j) ≤ Σ_j Q_j(t_j) + Σ_{j≠j*} t_j |V_j|`` and ``Q_J(c Π t_j) ≤ Σ_j Q_j(t_j) + c``

    Parameters
    ----------
    P
        The people, with one row each.
    threshold, k
        Exactly one: a share t of the people in [0, 1], or a number of people, which stands for k/n.
    columns
        The columns to be known together; None is all of them.

    Returns
    -------
    Estimate
        Certified: ``value`` and ``high`` are the bound, at most 1, ``low`` the largest exposure of a single column;
        ``method`` is "Theorem 2" or "Theorem 3".

    Raises
    ------
    UnsupportedError
        If P is not a Population, its people have several rows, or none or both of threshold and k are given.
    InvalidValueError
        If the one given is out of range.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    For comparison: :func:`exposure_bound` is never above it. Source: Anonymity, Theorems 2 and 3.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> bound = theorem_bound(adult, "0.001", columns=["sex", "income", "race", "workclass"])
    >>> round(bound.value, 10), bound.method
    (0.4697786644, 'Theorem 3')
    """
    population = with_columns_that_bound(P)
    share = as_share(population.people, threshold, k)
    marginals = marginals_of(population, columns)
    exposed = max(exposed_below(marginal, math.ceil(share * population.people)) for marginal in marginals)
    surely = Fraction(exposed, population.people)
    if share > 1:
        return rounded_outward(surely, Fraction(1), "Theorem 2")
    bound, method = min(
        (theorem2_bound(marginals, share), "Theorem 2"), (theorem3_bound(marginals, share), "Theorem 3")
    )
    high = max(surely, min(Fraction(1), Fraction(bound) * (1 + _rounding(marginals, share))))
    return Estimate(min(max(bound, below(surely)), above(high)), below(surely), above(high), None, method)


def theorem2_bound(marginals: Sequence[ClassSizes], threshold: Threshold) -> float:
    """Return the least bound of Theorem 2: ``min Σ_j Q_j(t_j) + Σ_{j≠j*} t_j |V_j|`` subject to ``Π t_j ≥ t``.

    Parameters
    ----------
    marginals
        The class sizes of each column by itself, at least one column, of the same people.
    threshold
        The share t of the people, in [0, 1].

    Returns
    -------
    float
        In [0, 1]. The least over all thresholds t_j and all j*.

    Raises
    ------
    InvalidValueError
        If there is no column, they are of different numbers of people, or the threshold is out of range.

    Notes
    -----
    The least is not at the steps of the Q_j: within a choice of steps the ``w_j = t_j |V_j|`` of given product and
    least sum are level but for those at the end of their step. Choices of steps are tried in the order of a lower
    bound, the Lagrangian's, until none left can be lower. Should these be more than 20,000 for some j*, what comes
    out is a bound on the exposure still, and may not be the least.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> sex, income = adult.class_sizes(["sex"]), adult.class_sizes(["income"])
    >>> round(theorem2_bound([sex, income], "0.001"), 10)
    0.0060460496
    """
    share = _checked(marginals, threshold)
    if float(share) == 0:
        return 0.0
    columns = [_Steps.of(marginal) for marginal in marginals]
    best = 1.0
    for free in range(len(columns)):
        best = _least_sum(columns, free, share, best)
    return best


def theorem3_bound(marginals: Sequence[ClassSizes], threshold: Threshold) -> float:
    """Return the least bound of Theorem 3: ``min Σ_j Q_j(t_j) + c`` subject to ``c Π t_j = t``.

    Parameters
    ----------
    marginals
        The class sizes of each column by itself, at least one column, of the same people.
    threshold
        The share t of the people, in [0, 1].

    Returns
    -------
    float
        In [0, 1]. The least over all thresholds t_j and c.

    Raises
    ------
    InvalidValueError
        If there is no column, they are of different numbers of people, or the threshold is out of range.

    Notes
    -----
    Within a step of Q_j a larger t_j only lowers c, so the t_j are at the ends of steps: the counting bound's search,
    with 1/t_j in the place of the number of values of share t_j or more.

    Examples
    --------
    >>> adult = Population("example:adult")
    >>> columns = ["sex", "income", "race", "workclass"]
    >>> round(theorem3_bound([adult.class_sizes([column]) for column in columns], "0.001"), 10)
    0.4697786644
    """
    share = float(_checked(marginals, threshold))
    if share == 0:
        return 0.0
    lines: list[Line[float]] = [(0.0, 1.0, ())]
    for marginal in marginals:
        rare, most = marginal.rarer / marginal.people, marginal.people / marginal.sizes
        steps = [(a, b, ()) for a, b in zip(rare.tolist(), most.tolist(), strict=True)]
        lines = combined(lines, lower_envelope(steps), share, 1.0)
    return min([1.0, *(rare + share * cells for rare, cells, _ in lines)])


def _rounding(marginals: Sequence[ClassSizes], share: Fraction) -> Fraction:
    """Return how much of a bound at most is rounded away.

    With d columns it is made of fewer than 4d sums of fewer than 4d logarithms of at most log n, and of ``log 1/t``:
    what these round, an exponential makes relative. The rest is a sum of 2d positive numbers or a product of d.
    """
    if share == 0:
        return Fraction(0)
    d, n = len(marginals), marginals[0].people
    logarithms = math.log(share.denominator) - math.log(share.numerator) + 4 * d * (1 + math.log(n))
    return Fraction(2) ** -52 * (8 * d + 16) * math.ceil(logarithms + 1)


def _checked(marginals: Sequence[ClassSizes], threshold: Threshold) -> Fraction:
    check_same_people(marginals)
    return as_fraction(threshold)


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

    def relaxed(self, price: float, *, is_free: bool) -> tuple[Reals, Reals]:
        """Return, per step, the least ``cost - price·log w`` with w up to its end, and that w."""
        if is_free:
            return self.rare - price * np.log(self.ends), self.ends
        w = np.minimum(self.ends, price)
        return self.rare + w - price * np.log(w), w


def _least_sum(columns: Sequence[_Steps], free: int, share: Fraction, best: float) -> float:
    """Return the least bound with j* = free, or ``best`` if that is less."""
    target = math.log(share) + sum(math.log(column.values) for column in columns)  # of Σ log w_j
    if sum(math.log(column.ends[-1]) for column in columns) < target - 1e-9:
        return best
    price = _price(columns, free, target)
    relaxed = [column.relaxed(price, is_free=j == free)[0] for j, column in enumerate(columns)]
    orders = [np.argsort(cost, kind="stable") for cost in relaxed]
    largest = price * (abs(target) + sum(float(np.abs(np.log(column.ends)).max()) for column in columns))
    lower = price * target + sum(float(cost.min()) for cost in relaxed) - largest * _ROUNDING
    excess = [(cost[order] - cost[order[0]]).tolist() for cost, order in zip(relaxed, orders, strict=True)]
    for tried, (more, ranks) in enumerate(_by_sum(excess)):
        if lower + more >= best - 1e-13 or tried == MOST_CHOICES:
            break
        steps = [int(order[rank]) for order, rank in zip(orders, ranks, strict=True)]
        best = min(best, _levelled(columns, steps, free, share, target))
    return best


def _price(columns: Sequence[_Steps], free: int, target: float) -> float:
    """Return about the best Lagrange multiplier of ``Σ log w_j ≥ target``: any gives a lower bound."""

    def reached(price: float) -> float:
        total = 0.0
        for j, column in enumerate(columns):
            cost, w = column.relaxed(price, is_free=j == free)
            total += math.log(w[cost.argmin()])
        return total

    low, high = _LOG_PRICES
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(math.exp(middle)) >= target else (middle, high)
    return math.exp(high)


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


def _levelled(columns: Sequence[_Steps], steps: Sequence[int], free: int, share: Fraction, target: float) -> float:
    """Return the bound with each t_j at most at the end of its step, or 1 if they cannot reach the threshold."""
    product = math.prod(column.sizes[step] for column, step in zip(columns, steps, strict=True))
    if product < share * columns[0].people ** len(columns):
        return 1.0
    rare = sum(float(column.rare[step]) for column, step in zip(columns, steps, strict=True))
    ends = [float(column.ends[step]) for column, step in zip(columns, steps, strict=True)]
    left = target - math.log(ends.pop(free))
    ends.sort()
    total = 0.0
    for position, end in enumerate(ends):
        level = math.exp(left / (len(ends) - position))
        if level <= end:
            return rare + total + (len(ends) - position) * level
        total, left = total + end, left - math.log(end)
    return rare + total
