"""Certified bounds on the exposure of all columns together, from the counts of each column."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from discretion import limits
from discretion.anonymity.exposure.bound_curve import ExposureBoundCurve
from discretion.anonymity.exposure.envelope import combine_lines
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.intervals import above, below
from discretion.numerics.convex_hulls import Line, Real, lower_envelope
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, as_fraction, least_unexposed

# Sets of columns that a bound by groups continues with, for each column.
MAX_COVERS = 256

COUNTING = "counting"

# A group of columns, as the set bits of a number.
Group = int


@dataclass(frozen=True)
class BoundTerm:
    """The term of a counting bound for one column, or for a group of columns as one.

    Parameters
    ----------
    columns
        The columns.
    rare
        The number of people with a value that is not kept.
    kept
        The number of values that are kept.
    """

    columns: tuple[str, ...]
    rare: int
    kept: int


def bound_terms(
    P: People | Marginals, k: int, columns: Iterable[str] | None = None, groups: Sequence[Iterable[str]] = ()
) -> tuple[BoundTerm, ...]:
    """Return the terms of the bound that :func:`exposure_bound` certifies for classes of fewer than k people.

    They add up to ``Σ rare + (k - 1)·Π kept`` people; a single term, whose values are counted together, to ``rare``.

    Parameters
    ----------
    P, k, columns, groups
        The same as for :func:`exposure_bound`.

    Returns
    -------
    tuple[BoundTerm, ...]
        The terms of columns or groups that cover all columns; empty if everybody may be exposed.

    Examples
    --------
    >>> from discretion.anonymity import ClassSizes, Marginals
    >>> counts = Marginals({"sex": ClassSizes([40, 60], [1, 1]), "town": ClassSizes([5, 95], [1, 1])})
    >>> bound_terms(counts, k=3), exposure_bound(counts, k=3).value
    ((BoundTerm(columns=('sex',), rare=0, kept=2), BoundTerm(columns=('town',), rare=0, kept=2)), 0.08)
    """
    marginals = as_counts(P).marginals(columns, groups)
    known, n = known_sizes(marginals), marginals.people
    if (whole := _whole(marginals)) in known:
        sizes = known[whole]
        rare = exposed_below(sizes, k)
        kept = int(sizes.counts[np.array(sizes.sizes) >= k].sum())
        return (BoundTerm(marginals.columns, rare, kept),)
    terms: list[BoundTerm] = []
    for made in _least_counted(known, k - 1, n)[1]:
        group, cut = _group_of(made, len(marginals.columns)), made >> len(marginals.columns)
        rare, kept, _ = _cuts(known[group])[cut]
        terms.append(BoundTerm(_names_of(group, marginals.columns), rare, kept))
    return tuple(terms)


def _least_counted(known: Mapping[int, ClassSizes], slack: int, n: int) -> tuple[int, tuple[int, ...]]:
    """Return the counting bound on the exposed people, at most n, and its cuts; no cuts if it is n."""
    lines = counting_lines(known, min(max(slack, 1), n))
    rare, cells, made = min(lines, key=lambda line: line[0] + slack * line[1], default=(n, 0, ()))
    bound = rare + slack * cells
    return (bound, made) if bound < n else (n, ())


def exposure_bound(
    P: People | Marginals,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    groups: Sequence[Iterable[str]] = (),
    *,
    kept: Mapping[str, int] | None = None,
) -> Estimate:
    """Return a certified bound on the exposure that needs only the counts of each value of each single column.

    The counting bound: for any thresholds ``t_j`` of the columns, with ``N_j(s) = #{v : p_j(v) ≥ s}``,

    ``Q_J(t) ≤ Σ_j Q_j(t_j) + slack·Π_j N_j(t_j)``, ``slack = (largest class size that is exposed) / n < t``

    since a person exposed on all columns is either rare in one of them, or in one of at most ``Π N_j`` cells of
    frequent values; each such cell holds at most the slack of exposed people.

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    k, threshold
        Exactly one: a number of people, or a share of them in [0, 1].
    columns
        The columns that are known together; None is all of them.
    groups
        Groups of these columns whose class sizes the bound may also use, as if each were one column; with Marginals,
        some of the groups that they hold. They may overlap. If there are thousands of ways to cover the columns by
        them, not all are tried.
    kept
        A column → how many of its most frequent values are distinguished, at least 0; a person with another value
        answers "other". Columns that are not named keep all values.

    Returns
    -------
    Estimate
        Certified: ``value`` and ``high`` are the bound, minimized over the ``t_j`` and over the ways to cover the
        columns by groups and single ones; ``low`` is the largest exposure of any of these, as a joint class lies in a
        class of each. Both bounds are rounded outward. ``method`` is "counting" with the groups that were used.

    Raises
    ------
    InvalidValueError
        If a group has a column that is not among the columns, or no people can have the counts of the groups.
    UnsupportedError
        If ``kept`` distinguishes fewer values of a column than Marginals hold for a group with it.

    Notes
    -----
    It is never above Theorems 2 and 3 of Anonymity (:func:`theorem_bound`): a column has at most 1/t_j values of share
    t_j or more, so ``t_j N_j ≤ 1``, and at ``t = Π t_j`` the slack term ``Π t_j N_j`` is at most any single
    ``t_j |V_j|`` (Theorem 2), and at ``t = c Π t_j`` at most c (Theorem 3). Source: Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> bound = exposure_bound(adult, threshold="0.001")
    >>> round(bound.value, 6), bound.method, adult.class_sizes().exposure(threshold="0.001") <= bound.value
    (0.101072, 'counting', True)
    >>> bound = exposure_bound(adult, threshold="0.001", groups=[("sex", "income"), ("race", "workclass")])
    >>> round(bound.value, 6), bound.method
    (0.078652, 'counting, with sex and income; race and workclass together')
    >>> round(exposure_bound(adult, threshold="0.001", kept={"workclass": 4}).value, 6)  # the others are one
    0.07684
    """
    people = as_counts(P)
    least = least_unexposed(people.people, k, threshold)
    marginals = people.marginals(columns, groups, kept)
    known, n = known_sizes(marginals), marginals.people
    surely = max(exposed_below(sizes, least) for sizes in known.values())
    if (whole := _whole(marginals)) in known:
        return rounded_outward(Fraction(surely, n), Fraction(surely, n), described([whole], marginals))
    bound, used = _least_counted(known, least - 1, n) if least > 1 else (0, ())
    if surely > bound:
        raise InvalidValueError(
            "no people can have these counts: some columns expose more people than others allow; take the counts of "
            "all columns and groups from the same people"
        )
    return rounded_outward(Fraction(surely, n), Fraction(bound, n), described(used, marginals))


def exposure_bound_curve(
    P: People | Marginals, columns: Iterable[str] | None = None, groups: Sequence[Iterable[str]] = ()
) -> ExposureBoundCurve:
    """Return the bound of :func:`exposure_bound` at every threshold at once.

    ``t ↦ min over cuts of Σ_j Q_j(t_j) + slack(t)·Π_j N_j(t_j)``

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    columns
        The columns that are known together; None is all of them.
    groups
        Groups of these columns whose class sizes the bound may also use.

    Returns
    -------
    ExposureBoundCurve
        Call it at a threshold; ``at_most(sizes)`` bounds the people in classes of at most these sizes, and
        ``with_slack(t)`` has exactly t as the slack.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows, or Marginals hold no counts of a group.
    InvalidValueError
        If a group has a column that is not among the columns.

    Notes
    -----
    Each choice of the cuts is a line in the slack. Their lower envelope is computed column by column, since only lines
    on the envelope of the columns so far can ever be needed, whatever the number of values. If there are more than
    4,096 such lines, not all are searched: then the bound still holds, but may not be the least.

    Examples
    --------
    >>> curve = exposure_bound_curve("example:adult", ["sex", "income", "race", "workclass"])
    >>> round(curve("0.001"), 6), round(curve.with_slack("0.001"), 10), len(curve.rare)
    (0.101072, 0.1025190873, 11)
    """
    marginals = as_counts(P).marginals(columns, groups)
    known = known_sizes(marginals)
    itself = known.get(_whole(marginals))
    lines = [] if itself is not None else counting_lines(known, 1)
    rare, cells = (np.array([line[side] for line in lines], np.int64) for side in (0, 1))
    return ExposureBoundCurve(marginals.people, rare, cells, itself.curve() if itself is not None else None)


def counting_bound(marginals: Marginals, k: int) -> int:
    """Return the counting bound on the number of people in classes of fewer than k on all columns together.

    ``min over cuts c_j of Σ_j R_j(c_j) + (k - 1)·Π_j N_j(c_j)``, where R_j counts the people whose value in column j
    fewer than c_j people have, and N_j the other values; with k up to 1 nobody is exposed
    """
    alone, people = marginals.alone(), marginals.people
    if len(alone) == 1 or k <= 1:
        return exposed_below(alone[0], k)
    most = min(k - 1, people)
    lines = counting_lines({1 << i: sizes for i, sizes in enumerate(alone)}, most)
    return min([people, *(rare + most * cells for rare, cells, _ in lines)])


def as_share(people: int, k: int | None, threshold: Threshold | None) -> Fraction:
    """Return the share of the people below which a class is exposed; for k people it is k/n, which may be over 1."""
    least = least_unexposed(people, k, threshold)
    return Fraction(least, people) if threshold is None else as_fraction(threshold)


def rounded_outward(low: Fraction, high: Fraction, method: str) -> Estimate:
    """Return certified bounds on an exposure as floats, rounded outward; the value is the upper bound."""
    return Estimate(float(high), low=below(low), high=above(high), confidence=None, method=method)


def exposed_below(sizes: ClassSizes, least: int) -> int:
    """Return the number of people in classes of fewer than ``least`` people; ``least`` may be 0."""
    return sizes.exposed(k=least) if least else 0


def known_sizes(marginals: Marginals) -> dict[Group, ClassSizes]:
    """Return the class sizes of each column and group of columns, by the columns' places as bits of a number."""
    if not marginals.columns:
        return {0: marginals.class_sizes(())}
    names = (*((name,) for name in marginals.columns), *marginals.groups)
    return {as_group(group, marginals.columns): marginals.class_sizes(group) for group in names}


def _whole(marginals: Marginals) -> Group:
    return (1 << len(marginals.columns)) - 1


def described(used: Iterable[Group], marginals: Marginals) -> str:
    """Return the method of a counting bound that used these columns and groups of columns."""
    groups = [_group_of(made, len(marginals.columns)) for made in used]
    together = [" and ".join(_names_of(group, marginals.columns)) for group in groups if group.bit_count() > 1]
    return COUNTING + (f", with {'; '.join(together)} together" if together else "")


def counting_lines(known: Mapping[Group, ClassSizes], slack: int) -> list[Line[int]]:
    """Return the lines ``slack ↦ Σ R + slack·Π N`` over all covers and cuts; their minimum is the counting bound.

    Parameters
    ----------
    known
        The class sizes of the same people on some groups of the columns 0..d-1, including each single column.
    slack
        The least number of people per cell of interest, at least 1: lines that are trivial at this slack and above are
        left out.

    Returns
    -------
    list[Line[int]]
        Rare people, cells, and the groups that cover the columns; a group has the place of its cut above the bits of
        its columns. Empty if everybody may be exposed.
    """
    people, columns = next(iter(known.values())).people, max(known).bit_length()
    cuts = {
        group: lower_envelope((rare, kept, (group | place << columns,)) for rare, kept, place in _cuts(sizes))
        for group, sizes in known.items()
    }
    return covering_lines(cuts, slack, people)


def covering_lines(cuts: Mapping[Group, Sequence[Line[Real]]], slack: Real, limit: Real) -> list[Line[Real]]:
    """Return the lower envelope of ``slack ↦ Σ a + slack·Π b`` over covers of the columns and lines of their groups.

    Parameters
    ----------
    cuts
        The lines of some groups of the columns 0..d-1, including each single column, as `lower_envelope` returns them.
    slack, limit
        Lines that are not below the limit at this slack or above are left out.

    Notes
    -----
    Dynamic programming over the set of columns covered so far: the next group is one with the first column that is
    not covered. Groups may overlap. Of more than 256 sets with the same first column to cover, only the best are kept:
    the result is still a bound, but may not be the least.
    """
    columns = max(cuts).bit_length()
    nothing: list[Line[Any]] = [(0, 1, ())]
    reached: dict[Group, list[Line[Real]]] = {0: nothing}
    for column in range(columns):
        states = sorted(
            (covered for covered in reached if _first_missing(covered) == column),
            key=lambda covered: min(rare + slack * cells for rare, cells, _ in reached[covered]),
        )
        for covered in states[: limits.current().steps(MAX_COVERS, each=1 << 16)]:
            for group, choices in cuts.items():
                if group >> column & 1 and (lines := combine_lines(reached[covered], choices, slack, limit)):
                    both = covered | group
                    reached[both] = lower_envelope([*reached.get(both, ()), *lines])
    return reached.get((1 << columns) - 1, [])


def as_group(names: Iterable[str], columns: Sequence[str]) -> Group:
    """Return a group of the columns as a number."""
    return sum(1 << columns.index(name) for name in names)


def _names_of(group: Group, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of a group."""
    return tuple(name for position, name in enumerate(columns) if group >> position & 1)


def _first_missing(covered: Group) -> int:
    return (~covered & (covered + 1)).bit_length() - 1


def _group_of(made: int, columns: int) -> Group:
    """Return the columns of a group in a line, without the place of its cut."""
    return made & ((1 << columns) - 1)


def _cuts(sizes: ClassSizes) -> list[tuple[int, int, int]]:
    """Return for a cut at each class size the people below it, the classes not below it, and its place."""
    below = sizes.rarer.tolist()
    kept = sizes.counts[::-1].cumsum()[::-1].tolist()
    return [(rare, cells, place) for place, (rare, cells) in enumerate(zip(below, kept, strict=True))]
