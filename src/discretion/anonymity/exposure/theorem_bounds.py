"""The composition theorems of Anonymity at their best: the least that Theorems 2 and 3 can say about an exposure."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from discretion.anonymity.exposure.bounds import as_share, exposed_below
from discretion.anonymity.exposure.envelope import Line, combined, lower_envelope
from discretion.anonymity.exposure.theorem2 import Composition, theorem2_bound
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.estimate import Estimate
from discretion.numerics.outward import above, below
from discretion.tables.counting.threshold import Threshold, as_fraction


@dataclass(frozen=True)
class TheoremBound(Estimate):
    """What the composition theorems certify, and the parameters with which they do.

    Parameters
    ----------
    value, low, high, confidence, method, assuming
        As of every :class:`Estimate`.
    thresholds
        A column → its t_j, a share of the people. None is named where the theorems say nothing: ``value`` is 1 then.
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
    """Return the best bound on the exposure that Theorems 2 and 3 of Anonymity give, over all of their parameters.

    ``Q_J(Π t_j) ≤ Σ_j Q_j(t_j) + Σ_{j≠j*} t_j |V_j|`` and ``Q_J(c Π t_j) ≤ Σ_j Q_j(t_j) + c``

    Parameters
    ----------
    P
        The people, with one row each, or what is known of their columns.
    k, threshold
        Exactly one: a number of people, which stands for k/n, or a share t of them in [0, 1].
    columns
        The columns to be known together; None is all of them.

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
        The least over all thresholds t_j and c, and those that give it.

    Raises
    ------
    InvalidValueError
        If the threshold is out of range.

    Notes
    -----
    Within a step of Q_j a larger t_j only lowers c, so the t_j are at the ends of steps: the counting bound's search,
    with 1/t_j in the place of the number of values of share t_j or more.

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
        lines = combined(lines, lower_envelope(steps), share, 1.0)
    compositions = [
        Composition(rare + share * cells, tuple(ends[i] for i in sorted(made)), c=share * cells)
        for rare, cells, made in lines
    ]
    return min([Composition(1.0), *compositions], key=lambda each: each.bound)


def _rounding(marginals: Marginals, share: Fraction) -> Fraction:
    """Return how much of a bound at most is rounded away.

    With d columns it is made of fewer than 4d sums of fewer than 4d logarithms of at most log n, and of ``log 1/t``:
    what these round, an exponential makes relative. The rest is a sum of 2d positive numbers or a product of d.
    """
    if not 0 < share <= 1:
        return Fraction(0)
    d, n = len(marginals.alone()), marginals.people
    logarithms = math.log(share.denominator) - math.log(share.numerator) + 4 * d * (1 + math.log(n))
    return Fraction(2) ** -52 * (8 * d + 16) * math.ceil(logarithms + 1)
