"""What the columns one by one say about all of them together: a certified bound on exposure."""

from collections.abc import Iterable, Sequence

import numpy as np

from tacit.anonymity.class_sizes import ClassSizes, Int64s
from tacit.anonymity.population import Population, as_population
from tacit.anonymity.threshold import Threshold, least_unexposed
from tacit.errors import InvalidValueError, UnsupportedError
from tacit.estimate import Estimate
from tacit.validation import as_count

FRONTIER = 1 << 14
BLOCK = 1 << 22

Pairs = tuple[Int64s, Int64s]


def exposure_bound(
    P: Population,
    threshold: Threshold | None = None,
    k: int | None = None,
    columns: Iterable[str] | None = None,
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

    Returns
    -------
    Estimate
        Certified, by "counting": ``value`` and ``high`` are the bound, minimised over the ``t_j``; ``low`` is the
        largest exposure of a single column, as a joint class lies in a class of each. A single column gives its
        exposure itself.

    Raises
    ------
    UnsupportedError
        If P is not a Population; if its people have several rows, when a person's rows on all columns are not
        determined by her values on each; or if none or both of threshold and k are given.
    InvalidValueError
        If the one given is out of range.
    UnknownColumnError
        If the population has no such column.

    Notes
    -----
    It is never above Theorems 2 and 3 of Anonymity: a column has at most 1/t_j values of share t_j or more, so
    ``t_j N_j ≤ 1``, and at ``t = Π t_j`` the slack term ``Π t_j N_j`` is at most any single ``t_j |V_j|`` (Theorem 2),
    and at ``t = c Π t_j`` at most c (Theorem 3). Source: Tacit.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> bound = exposure_bound(adult, threshold="0.001")
    >>> round(bound.value, 6), bound.method, adult.class_sizes().exposure(threshold="0.001") <= bound.value
    (0.101072, 'counting', True)
    """
    population = as_population(P)
    if population.person is not None:
        raise UnsupportedError(
            "single columns do not bound the exposure of people with several rows; use exposure, or a row per person"
        )
    least = least_unexposed(population.people, threshold, k)
    marginals = [population.class_sizes([column]) for column in population.known(columns)]
    bound = counting_bound(marginals, least) if marginals else population.class_sizes(()).exposed(k=max(least, 1))
    low = max((_exposed(marginal, least) for marginal in marginals), default=bound)
    share = bound / population.people
    return Estimate(share, low=low / population.people, high=share, confidence=None, method="counting")


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

    Notes
    -----
    Columns are combined one by one, keeping the pairs ``(Σ R, Π N)`` that no other is at most in both, in exact
    integers. Should there be more than 16,384 of these (a thousand at a million people is much), an even choice of
    them is kept: what comes out then is a bound still, and may not be the least.

    Examples
    --------
    >>> sex, blood = ClassSizes([4, 6], [1, 1]), ClassSizes([1, 9], [1, 1])
    >>> counting_bound([sex, blood], 2)
    3
    """
    k = as_count(k, "k", at_least=0)
    if len({marginal.people for marginal in marginals}) != 1:
        raise InvalidValueError("the counting bound takes the class sizes of one or more columns of the same people")
    if len(marginals) == 1 or k <= 1:
        return _exposed(marginals[0], k)
    people = marginals[0].people
    most = min(k, people + 1) - 1  # in an exposed class; so that the products below fit in 64 bits
    rare, cells = np.zeros(1, np.int64), np.ones(1, np.int64)  # Σ R and Π N of the columns so far
    for marginal in sorted(marginals, key=lambda marginal: len(marginal.sizes)):
        rare, cells = _combined((rare, cells), _cuts(marginal), most, people)
        if not len(rare):
            return people
    return int((rare + most * cells).min())


def _exposed(marginal: ClassSizes, k: int) -> int:
    return marginal.exposed(k=k) if k else 0


def _cuts(marginal: ClassSizes) -> Pairs:
    """Return, for a cut at each class size, how many people are below and how many classes are not."""
    below = marginal.curve().exposed - marginal.sizes * marginal.counts
    return below, np.cumsum(marginal.counts[::-1])[::-1]


def _combined(pairs: Pairs, cuts: Pairs, most: int, people: int) -> Pairs:
    """Return the best pairs with one more column, but for those that cannot beat "everybody is exposed"."""
    (rare, cells), (below, kept) = pairs, cuts
    parts: list[tuple[Int64s, Int64s]] = []
    for block in np.array_split(np.arange(len(rare)), -(-len(rare) * len(below) // BLOCK)):
        total, product = np.add.outer(rare[block], below).ravel(), np.multiply.outer(cells[block], kept).ravel()
        useful = total + most * product < people
        parts.append(_frontier(total[useful], product[useful]))
    total, product = _frontier(*(np.concatenate(side) for side in zip(*parts, strict=True)))
    if len(total) > FRONTIER:
        even = np.linspace(0, len(total) - 1, FRONTIER).astype(np.int64)
        total, product = total[even], product[even]
    return total, product


def _frontier(total: Int64s, product: Int64s) -> Pairs:
    order = np.lexsort((product, total))
    total, product = total[order], product[order]
    least = np.minimum.accumulate(product)
    best = np.append(True, product[1:] < least[:-1])[: len(product)]
    return total[best], product[best]
