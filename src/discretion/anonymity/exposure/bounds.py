"""What the columns one by one say about all of them together: a certified bound on exposure."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from discretion.anonymity.exposure.bound_curve import ExposureBoundCurve
from discretion.anonymity.exposure.covers import Group, as_group, counting_lines, names_of
from discretion.anonymity.people.conversion import counted
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.outward import above, below
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, as_fraction, least_unexposed

COUNTING = "counting"


def exposure_bound(
    P: Population | Marginals,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    groups: Sequence[Iterable[str]] = (),
) -> Estimate:
    """Return a bound on the exposure that needs only how often each value of each single column occurs.

    The counting bound: for any thresholds ``t_j`` of the columns, with ``N_j(s) = #{v : p_j(v) ≥ s}``,

    ``Q_J(t) ≤ Σ_j Q_j(t_j) + slack·Π_j N_j(t_j)``, ``slack = (largest class size that is exposed) / n < t``

    since a person exposed on all columns is either rare in one of them, or in one of at most ``Π N_j`` cells of
    frequent values, each of which holds at most that many.

    Parameters
    ----------
    P
        The people, with one row each, or what is known of their columns.
    k, threshold
        Exactly one: a number of people, or a share of them in [0, 1].
    columns
        The columns to be known together; None is all of them.
    groups
        Groups of these columns whose class sizes may be used too, as if each were one column; of Marginals, some of
        the groups that they hold. They may overlap. Of thousands of ways to cover the columns by them not all are
        tried.

    Returns
    -------
    Estimate
        Certified: ``value`` and ``high`` are the bound, minimised over the ``t_j`` and over the ways to cover the
        columns by groups and single ones; ``low`` is the largest exposure of any of these, as a joint class lies in a
        class of each. The ends are rounded outwards. ``method`` is "counting", and which groups were used.

    Raises
    ------
    UnsupportedError
        If P is neither a Population nor Marginals; if its people have several rows, when a person's rows on all
        columns are not determined by her values on each; if Marginals hold no counts of a group; or if none or both of
        k and threshold are given.
    InvalidValueError
        If the one given is out of range, a group has a column that is not among the columns, or the counts of groups
        are those of no people.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    It is never above Theorems 2 and 3 of Anonymity (:func:`theorem_bound`): a column has at most 1/t_j values of share
    t_j or more, so ``t_j N_j ≤ 1``, and at ``t = Π t_j`` the slack term ``Π t_j N_j`` is at most any single
    ``t_j |V_j|`` (Theorem 2), and at ``t = c Π t_j`` at most c (Theorem 3). Source: Discretion.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> bound = exposure_bound(adult, threshold="0.001")
    >>> round(bound.value, 6), bound.method, adult.class_sizes().exposure(threshold="0.001") <= bound.value
    (0.101072, 'counting', True)
    >>> bound = exposure_bound(adult, threshold="0.001", groups=[("sex", "income"), ("race", "workclass")])
    >>> round(bound.value, 6), bound.method
    (0.078652, 'counting, with sex and income; race and workclass together')
    """
    people = counted(P)
    least = least_unexposed(people.people, k, threshold)
    marginals = people.marginals(columns, groups)
    known, n = _known(marginals), marginals.people
    surely = max(exposed_below(sizes, least) for sizes in known.values())
    if (whole := _whole(marginals)) in known:
        return rounded_outward(Fraction(surely, n), Fraction(surely, n), _described([whole], marginals))
    most = min(max(least - 1, 1), n)
    bound, used = n, ()
    for rare, cells, made in counting_lines(known, most) if least > 1 else [(0, 0, ())]:
        if rare + most * cells < bound:
            bound, used = rare + most * cells, made
    if surely > bound:
        raise InvalidValueError(
            "no people have these counts: some columns expose more people together than others let them; take the "
            "counts of all columns and groups from the same people"
        )
    return rounded_outward(Fraction(surely, n), Fraction(bound, n), _described(used, marginals))


def exposure_bound_curve(
    P: Population | Marginals, columns: Iterable[str] | None = None, groups: Sequence[Iterable[str]] = ()
) -> ExposureBoundCurve:
    """Return the bound of :func:`exposure_bound` at every threshold at once.

    ``t ↦ min over cuts of Σ_j Q_j(t_j) + slack(t)·Π_j N_j(t_j)``

    Parameters
    ----------
    P
        The people, with one row each, or what is known of their columns.
    columns
        The columns to be known together; None is all of them.
    groups
        Groups of these columns whose class sizes may be used too.

    Returns
    -------
    ExposureBoundCurve
        Call it at a threshold, or ask how many are in classes of at most so many people; ``with_slack(t)`` has
        exactly t as the slack.

    Raises
    ------
    UnsupportedError
        If P is neither a Population nor Marginals, its people have several rows, or Marginals hold no counts of a
        group.
    InvalidValueError
        If a group has a column that is not among the columns.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    Each choice of the cuts is a line in the slack, and their lower envelope is found column by column: no lines but
    those on the envelope of the columns so far can ever be needed, however many values there are. Should these be more
    than 4,096, not all are looked for, and the bound holds but may not be the least.

    Examples
    --------
    >>> curve = exposure_bound_curve(Population("example:adult"), ["sex", "income", "race", "workclass"])
    >>> round(curve("0.001"), 6), round(curve.with_slack("0.001"), 10), len(curve.rare)
    (0.101072, 0.1025190873, 11)
    """
    marginals = counted(P).marginals(columns, groups)
    known = _known(marginals)
    itself = known.get(_whole(marginals))
    lines = [] if itself is not None else counting_lines(known, 1)
    rare, cells = (np.array([line[side] for line in lines], np.int64) for side in (0, 1))
    return ExposureBoundCurve(marginals.people, rare, cells, itself.curve() if itself is not None else None)


def counting_bound(marginals: Marginals, k: int) -> int:
    """Return the counting bound on how many people have fewer than k alike on all columns together.

    ``min over cuts c_j of Σ_j R_j(c_j) + (k - 1)·Π_j N_j(c_j)``, where R_j counts the people whose value in column j
    is had by fewer than c_j, and N_j the other values; with k up to 1 nobody is exposed
    """
    alone, people = marginals.alone(), marginals.people
    if len(alone) == 1 or k <= 1:
        return exposed_below(alone[0], k)
    most = min(k - 1, people)
    lines = counting_lines({1 << i: sizes for i, sizes in enumerate(alone)}, most)
    return min([people, *(rare + most * cells for rare, cells, _ in lines)])


def as_share(people: int, k: int | None, threshold: Threshold | None) -> Fraction:
    """Return the share of the people below which a class is exposed; k of them are k/n, which may be over 1.

    Raises
    ------
    InvalidValueError, UnsupportedError
        As :func:`least_unexposed`.
    """
    least = least_unexposed(people, k, threshold)
    return Fraction(least, people) if threshold is None else as_fraction(threshold)


def rounded_outward(low: Fraction, high: Fraction, method: str) -> Estimate:
    """Return certified ends of an exposure as floats that are no further inwards; its value is the upper one."""
    return Estimate(float(high), low=below(low), high=above(high), confidence=None, method=method)


def exposed_below(sizes: ClassSizes, least: int) -> int:
    """Return how many people are in classes of fewer than ``least``, which may be 0."""
    return sizes.exposed(k=least) if least else 0


def _known(marginals: Marginals) -> dict[Group, ClassSizes]:
    if not marginals.columns:
        return {0: marginals.class_sizes(())}
    names = (*((name,) for name in marginals.columns), *marginals.groups)
    return {as_group(group, marginals.columns): marginals.class_sizes(group) for group in names}


def _whole(marginals: Marginals) -> Group:
    return (1 << len(marginals.columns)) - 1


def _described(used: Iterable[Group], marginals: Marginals) -> str:
    together = [" and ".join(names_of(group, marginals.columns)) for group in used if group.bit_count() > 1]
    return COUNTING + (f", with {'; '.join(together)} together" if together else "")
