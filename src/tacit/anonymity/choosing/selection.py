"""Which columns may go out together: the most useful ones that expose few enough people."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from tacit.anonymity.choosing.subset_search import Columns, ColumnSets
from tacit.anonymity.exposure.bounds import counting_bound, exposed_below, exposure_bound
from tacit.anonymity.people.accepted import as_population, counted
from tacit.anonymity.people.marginals import Marginals
from tacit.anonymity.people.population import Population
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate
from tacit.shown import Drawn, Framed
from tacit.tables.counting.threshold import Threshold, least_unexposed, most_exposed
from tacit.validation import as_real

By = Literal["measured", "certified"]


@dataclass(frozen=True)
class SelectedSet:
    """A set of columns: what it gives away, and what it is worth.

    Parameters
    ----------
    columns
        In the order of the columns that were chosen from.
    exposure
        Exact, as a float; or, as an :class:`Estimate`, a certified bound.
    utility
        The sum of the columns' weights.
    """

    columns: Columns
    exposure: float | Estimate
    utility: float


@dataclass(frozen=True)
class Selection(Framed, Drawn):
    """The sets of columns within a budget.

    Where hierarchies of columns are given, a set is below another if each of its columns, or a finer one, is in the
    other; otherwise, if the other contains it.

    Parameters
    ----------
    best
        The most useful set: of several the least exposed, then that of the fewest columns, then the first. None if
        even knowing nothing exposes too many.
    maximal
        The sets within the budget that are below no other one within, in that order, the best first.
    front
        The Pareto front of the sets within the budget: none is as useful and exposes less, or exposes as little and is
        more useful. By rising utility; of sets with the same of both, the first.
    smallest_over
        The sets over the budget that no other one over is below, those of few columns first.
    examined
        How many sets were examined; the others are above one over the budget, and hence over it too.
    possible
        How many sets there are. The empty set is in neither number.
    by
        How exposure was told: "measured" or "certified".
    """

    best: SelectedSet | None
    maximal: tuple[SelectedSet, ...]
    front: tuple[SelectedSet, ...]
    smallest_over: tuple[SelectedSet, ...]
    examined: int
    possible: int
    by: By

    @property
    def columns(self) -> Columns:
        """The columns of the best set; none if there is no best set."""
        return self.best.columns if self.best else ()

    @property
    def complete(self) -> bool:
        """Whether every possible set was examined: no set is above one over the budget."""
        return self.examined == self.possible


def select_columns(
    P: Population | Marginals,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    by: By = "measured",
    *,
    columns: Iterable[str] | None = None,
    weights: Mapping[str, float] | None = None,
    hierarchies: Iterable[Sequence[str]] = (),
) -> Selection:
    """Return the most useful sets of columns whose exposure is at most the budget.

    ``argmax Σ_{j ∈ J} w_j`` subject to ``Q_J ≤ budget``, with Q_J the exposure or its certified bound

    Parameters
    ----------
    P
        The people, or what is known of their columns, if by is "certified".
    budget
        The share of the people in [0, 1] who may be exposed; as for a threshold, a float stands for the simplest
        fraction that rounds to it.
    k, threshold
        Exactly one: who has fewer than k alike is exposed, or fewer than a share of all people in [0, 1].
    by
        "measured": by :func:`exposure`; "certified": by :func:`exposure_bound`, for which the class sizes of single
        columns suffice, of people with one row each.
    columns
        The columns to choose from; None is all of them.
    weights
        A column → its utility, at least 0; 1 unless told. A column that has a finer one in a hierarchy is worth, unless
        told, as much of the finest one's utility as it has of its entropy. Utilities are added up without rounding, so
        that 0.1 and 0.2 are worth 0.3.
    hierarchies
        Views of one column each, from the finest to the coarsest, such as ``["age", "decade"]``. A set takes at most
        one of them.

    Returns
    -------
    Selection
        The best set, the maximal ones, the trade-off, and the smallest ones over the budget.

    Raises
    ------
    UnsupportedError
        If P is not a Population; if none or both of k and threshold are given; or if by is "certified" and people have
        several rows, or P is Marginals without the counts of two columns of a hierarchy together.
    InvalidValueError
        If a number is out of range, weights is no mapping or they add up to more than a float holds, a column is in two
        hierarchies or in one but not among the columns, or one that should be coarser than another is not a function of
        it.
    UnknownColumnError
        If the population has no such column.
    TooLargeError
        If more than a million sets would have to be examined.

    Notes
    -----
    The search is exact: both quantities only rise from a set to one above it, so that a set above one over the budget
    is over too. The exposure, since who is alike on finer or more columns is alike on the others. The counting bound,
    since a further column adds rare people and multiplies cells, by at least 1; and since the m commonest values of a
    coarser column are had by at least as many people as any m values of a finer one. (Where :func:`exposure_bound`
    may not be the least of its kind, a set may be missed.) Source: Anonymity, section 8.2; the levels of the search are
    those of Apriori and Incognito.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> selection = select_columns(adult, budget=0.001, k=10)
    >>> selection.columns, round(selection.best.exposure, 6)
    (('sex', 'income', 'race'), 0.000184)
    >>> [found.columns for found in selection.maximal]
    [('sex', 'income', 'race'), ('sex', 'income', 'workclass')]
    >>> select_columns(adult, budget=0.01, k=10, by="certified").columns
    ('sex', 'income', 'race')
    """
    population = counted(P) if by == "certified" else as_population(P, "select_columns(by='certified')")
    least = least_unexposed(population.people, k, threshold)
    allowed = most_exposed(population.people, budget)
    chosen = population.known(columns)
    examine = _examine(population, least, by)
    sets = ColumnSets(_chains(population, chosen, hierarchies))
    weight = _weights(population, sets.chains, {} if weights is None else weights)
    found = sets.search(examine, allowed, population.people)
    exposed = {**found.within, **found.over}
    utility = {columns: sum((weight[column] for column in columns), Fraction(0)) for columns in exposed}

    def place(columns: Columns) -> tuple[int, list[int]]:
        return len(columns), sorted(map(chosen.index, columns))

    def selected(columns: Columns) -> SelectedSet:
        names = tuple(sorted(columns, key=chosen.index))
        measured = exposed[columns] / population.people
        exposure = measured if by == "measured" else exposure_bound(population, k, threshold, columns)
        return SelectedSet(names, exposure, float(utility[columns]))

    ranked = sorted(found.within, key=lambda columns: (-utility[columns], exposed[columns], place(columns)))
    predecessors = {below for columns in ranked for below in sets.predecessors(columns)}
    return Selection(
        best=selected(ranked[0]) if ranked else None,
        maximal=tuple(selected(columns) for columns in ranked if columns not in predecessors),
        front=tuple(map(selected, _front(ranked, exposed, utility))),
        smallest_over=tuple(map(selected, sorted(found.over, key=place))),
        examined=len(exposed) - 1,
        possible=sets.possible - 1,
        by=by,
    )


def _chains(population: Population | Marginals, chosen: Columns, hierarchies: Iterable[Sequence[str]]) -> list[Columns]:
    """Return the hierarchies, and every other column by itself, in the order of the columns."""
    chain_of = {column: (column,) for column in chosen}
    in_one: set[str] = set()
    for hierarchy in hierarchies:
        chain = population.known(hierarchy)
        for column in chain:
            if column not in chosen:
                raise InvalidValueError(f"the column {column!r} of a hierarchy is not among the columns; name it there")
            if column in in_one:
                raise InvalidValueError(f"the column {column!r} is in two hierarchies; leave it in one")
        in_one.update(chain)
        chain_of |= dict.fromkeys(chain, chain)
    chains = list(dict.fromkeys(chain_of.values()))
    _check_functions(population, [pair for chain in chains for pair in pairwise(chain)])
    return chains


def _check_functions(population: Population | Marginals, pairs: Sequence[tuple[str, str]]) -> None:
    """Raise InvalidValueError unless the second column of each pair is a function of the first, in every row."""
    rows = population
    if isinstance(rows, Population):
        rows = rows if rows.person is None else rows.with_rows(lambda rows: rows, None)
        rows.class_sizes_of_all([*([fine] for fine, _ in pairs), *pairs])
    for fine, coarse in pairs:
        if rows.class_sizes([fine, coarse]).classes != rows.class_sizes([fine]).classes:
            raise InvalidValueError(
                f"{coarse!r} is not a coarser view of {fine!r}: rows alike on {fine!r} differ on {coarse!r}; "
                "a hierarchy goes from the finest column to the coarsest"
            )


def _weights(
    population: Population | Marginals, chains: Iterable[Columns], told: Mapping[str, float]
) -> dict[str, Fraction]:
    if not isinstance(told, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValueError(
            f"weights must be a mapping from columns to numbers, such as {{'age': 2}}, got {type(told).__name__}"
        )
    weights: dict[str, float] = {}
    for column in population.known(told):
        weights[column] = as_real(told[column], f"the weight of {column!r}")
        if not 0 <= weights[column] < math.inf:
            raise InvalidValueError(f"the weight of {column!r} must be at least 0 and finite, got {told[column]!r}")
    for finest, *coarser in chains:
        weights.setdefault(finest, 1.0)
        for column in coarser:
            bits, all_bits = (population.class_sizes([name]).entropy for name in (column, finest))
            weights.setdefault(column, weights[finest] * (bits / all_bits) if all_bits else 0.0)
    exact = {column: _simple_fraction(weight) for column, weight in weights.items()}
    if sum(exact.values()) > Fraction(sys.float_info.max):
        raise InvalidValueError("the weights add up to more than a float holds; divide all of them by the same number")
    return exact


def _simple_fraction(weight: float) -> Fraction:
    """Return the fraction with a denominator of at most a million that the float stands for, or its binary value."""
    simple = Fraction(weight).limit_denominator(1_000_000)
    return simple if float(simple) == weight else Fraction(weight)


def _examine(population: Population | Marginals, least: int, by: By) -> Callable[[Sequence[Columns]], Iterable[int]]:
    """Return what says how many people a set exposes, or is certified to expose at most."""
    if by == "certified":
        return lambda sets: (counting_bound(population.marginals(columns), least) for columns in sets)
    if by == "measured" and isinstance(population, Population):
        return lambda sets: [exposed_below(sizes, least) for sizes in population.class_sizes_of_all(sets)]
    raise InvalidValueError(f"by must be 'measured' or 'certified', got {by!r}")


def _front(
    ranked: Iterable[Columns], exposed: Mapping[Columns, int], utility: Mapping[Columns, Fraction]
) -> Iterator[Columns]:
    """Yield, of sets in descending order of utility, those that none as little exposed is more useful than."""
    most = Fraction(-1)
    for columns in sorted(ranked, key=exposed.__getitem__):
        if utility[columns] > most:
            most = utility[columns]
            yield columns
