"""What the columns one by one say about all of them together: a certified bound on exposure."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from tacit.anonymity.bound_curve import ExposureBoundCurve
from tacit.anonymity.class_sizes import ClassSizes
from tacit.anonymity.covers import Group, as_group, counting_lines, names_of
from tacit.anonymity.population import Population, with_a_row_each
from tacit.anonymity.threshold import Threshold, as_fraction, least_unexposed
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate
from tacit.numerics.outward import above, below
from tacit.validation import as_count

COUNTING = "counting"


def exposure_bound(
    P: Population,
    threshold: Threshold | None = None,
    k: int | None = None,
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
        The people, with one row each.
    threshold, k
        Exactly one: a share of the people in [0, 1], or a number of people.
    columns
        The columns to be known together; None is all of them.
    groups
        Groups of these columns whose class sizes may be used too, as if each were one column. They may overlap. Of
        thousands of ways to cover the columns by them not all are tried.

    Returns
    -------
    Estimate
        Certified: ``value`` and ``high`` are the bound, minimised over the ``t_j`` and over the ways to cover the
        columns by groups and single ones; ``low`` is the largest exposure of any of these, as a joint class lies in a
        class of each. The ends are rounded outwards. ``method`` is "counting", and which groups were used.

    Raises
    ------
    UnsupportedError
        If P is not a Population; if its people have several rows, when a person's rows on all columns are not
        determined by her values on each; or if none or both of threshold and k are given.
    InvalidValueError
        If the one given is out of range, or a group has a column that is not among the columns.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    It is never above Theorems 2 and 3 of Anonymity (:func:`theorem_bound`): a column has at most 1/t_j values of share
    t_j or more, so ``t_j N_j ≤ 1``, and at ``t = Π t_j`` the slack term ``Π t_j N_j`` is at most any single
    ``t_j |V_j|`` (Theorem 2), and at ``t = c Π t_j`` at most c (Theorem 3). Source: Tacit.

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
    population = with_columns_that_bound(P)
    least = least_unexposed(population.people, threshold, k)
    chosen = population.known(columns)
    known = _known(population, chosen, groups)
    surely = Fraction(max(exposed_below(sizes, least) for sizes in known.values()), population.people)
    if (whole := _whole(chosen)) in known:
        return rounded_outward(surely, surely, _described([whole], chosen))
    most = min(max(least - 1, 1), population.people)
    bound, used = population.people, ()
    for rare, cells, made in counting_lines(known, most) if least > 1 else [(0, 0, ())]:
        if rare + most * cells < bound:
            bound, used = rare + most * cells, made
    return rounded_outward(surely, Fraction(bound, population.people), _described(used, chosen))


def exposure_bound_curve(
    P: Population, columns: Iterable[str] | None = None, groups: Sequence[Iterable[str]] = ()
) -> ExposureBoundCurve:
    """Return the bound of :func:`exposure_bound` at every threshold at once.

    ``t ↦ min over cuts of Σ_j Q_j(t_j) + slack(t)·Π_j N_j(t_j)``

    Parameters
    ----------
    P
        The people, with one row each.
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
        If P is not a Population, or its people have several rows.
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
    population = with_columns_that_bound(P)
    chosen = population.known(columns)
    known = _known(population, chosen, groups)
    itself = known.get(_whole(chosen))
    lines = [] if itself is not None else counting_lines(known, 1)
    rare, cells = (np.array([line[side] for line in lines], np.int64) for side in (0, 1))
    return ExposureBoundCurve(population.people, rare, cells, itself.curve() if itself is not None else None)


def counting_bound(marginals: Sequence[ClassSizes], k: int) -> int:
    """Return the counting bound on how many people have fewer than k alike on all columns together.

    ``min over cuts c_j of Σ_j R_j(c_j) + (k - 1)·Π_j N_j(c_j)``, where R_j counts the people whose value in column j
    is had by fewer than c_j, and N_j the other values

    Parameters
    ----------
    marginals
        The class sizes of each column by itself, at least one column, of the same people.
    k
        At least 0; with 0 and 1 nobody is exposed.

    Returns
    -------
    int
        In 0..n.

    Raises
    ------
    InvalidValueError
        If there is no column, they are of different numbers of people, or k is negative.

    Examples
    --------
    >>> sex, blood = ClassSizes([4, 6], [1, 1]), ClassSizes([1, 9], [1, 1])
    >>> counting_bound([sex, blood], 2)
    3
    """
    k = as_count(k, "k", at_least=0)
    check_same_people(marginals)
    if len(marginals) == 1 or k <= 1:
        return exposed_below(marginals[0], k)
    people = marginals[0].people
    most = min(k - 1, people)
    lines = counting_lines({1 << i: sizes for i, sizes in enumerate(marginals)}, most)
    return min([people, *(rare + most * cells for rare, cells, _ in lines)])


def with_columns_that_bound(P: object) -> Population:
    """Return the population, if single columns say anything about the exposure of its people."""
    return with_a_row_each(
        P, "single columns do not bound the exposure of people with several rows; use exposure, or a row per person"
    )


def marginals_of(population: Population, columns: Iterable[str] | None) -> list[ClassSizes]:
    """Return the class sizes of each column by itself; with no column everybody is alike."""
    alone = [population.class_sizes([column]) for column in population.known(columns)]
    return alone or [population.class_sizes(())]


def check_same_people(marginals: Sequence[ClassSizes]) -> None:
    """Raise InvalidValueError unless these are the class sizes of one or more columns of the same people."""
    if len({marginal.people for marginal in marginals}) != 1:
        raise InvalidValueError("bounds take the class sizes of one or more columns of the same people")


def as_share(people: int, threshold: Threshold | None, k: int | None) -> Fraction:
    """Return the share of the people below which a class is exposed; k of them are k/n, which may be over 1.

    Raises
    ------
    InvalidValueError, UnsupportedError
        As :func:`least_unexposed`.
    """
    least = least_unexposed(people, threshold, k)
    return Fraction(least, people) if threshold is None else as_fraction(threshold)


def rounded_outward(low: Fraction, high: Fraction, method: str) -> Estimate:
    """Return certified ends of an exposure as floats that are no further inwards; its value is the upper one."""
    return Estimate(float(high), low=below(low), high=above(high), confidence=None, method=method)


def exposed_below(sizes: ClassSizes, least: int) -> int:
    """Return how many people are in classes of fewer than ``least``, which may be 0."""
    return sizes.exposed(k=least) if least else 0


def _known(
    population: Population, columns: tuple[str, ...], groups: Sequence[Iterable[str]]
) -> dict[Group, ClassSizes]:
    known = [as_group(group, columns) for group in groups]
    singles = [1 << position for position in range(len(columns))] or [0]
    return {group: population.class_sizes(names_of(group, columns)) for group in (*singles, *known)}


def _whole(columns: tuple[str, ...]) -> Group:
    return (1 << len(columns)) - 1


def _described(used: Iterable[Group], columns: tuple[str, ...]) -> str:
    together = [" and ".join(names_of(group, columns)) for group in used if group.bit_count() > 1]
    return COUNTING + (f", with {'; '.join(together)} together" if together else "")
