"""Selection of columns to publish together: the most useful sets whose exposure is within a budget."""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Self

from discretion.anonymity.choosing.choices import (
    Choices,
    Columns,
    Weights,
    choices_among,
    most_columns_apart,
    utility_of,
)
from discretion.anonymity.choosing.constraints import (
    CertifiedDisclosure,
    CodeDisclosure,
    Disclosure,
    EngineDisclosure,
    StatisticalDisclosure,
)
from discretion.anonymity.choosing.problem import By, SelectionProblem, selection_problem
from discretion.anonymity.exposure.bounds import exposed_below, exposure_bound
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.anonymity.sampling.future_bound import SampledMarginals
from discretion.errors import EngineError, InvalidValueError, UnsupportedError
from discretion.estimate import Estimate
from discretion.notebook import Chartable, Tabular
from discretion.numerics.search.explored_ideals import Ended
from discretion.numerics.search.monotone_sets import MAX_SETS_EXAMINED, MonotoneSearch, Searched
from discretion.numerics.search.worth import Worth
from discretion.tables.counting.threshold import Threshold
from discretion.validation import as_real

# The most equally useful sets that are compared by their bits.
_TIED = 100
# Up to this, coarsening tries each number of values to distinguish; above it, only doubles.
_FEW_KEPT = 16


@dataclass(frozen=True)
class SelectedSet:
    """A set of columns, with its exposure, its utility and the best guesses of sensitive columns.

    Parameters
    ----------
    columns
        The columns, in the order of the columns to choose from, with copies of each after it.
    exposure
        Exact, as a float; or, as an :class:`Estimate`, a bound: certified, or with a confidence.
    utility
        The utility of the columns together.
    guesses
        A sensitive column → how often its best guess is correct, for an adversary that knows the other columns of the
        set.
    kept
        A column → how many of its most frequent values are distinguished, while all others are one value; columns that
        are not named keep all values.
    """

    columns: Columns
    exposure: float | Estimate
    utility: float
    guesses: Mapping[str, float] = field(hash=False)
    kept: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)


@dataclass(frozen=True)
class Selection(Tabular, Chartable):
    """The sets of columns within a budget.

    A set is below another if each of its columns is in the other, or is a function of a column there, by a given
    hierarchy or by the data.

    Parameters
    ----------
    best
        The most useful set. Among equally useful sets, without given weights: a set to which nothing can be added, with
        the most bits; then the least exposed, then the one with the fewest columns, then the first. None if even the
        empty set, or the set of columns to keep, exposes too many people.
    maximal
        The sets within the budget that are below no other such set, the most useful first. All of them if complete.
    front
        The Pareto front of the examined sets within the budget: no set is as useful and exposes fewer people, or
        exposes as few and is more useful. By rising utility; of sets with the same utility and exposure, the first.
    smallest_over
        The examined sets over the budget that have no other such set below them, those of few columns first. All of
        them if complete.
    bound
        An upper bound on the utility of any set within the budget. If columns distinguish C classes of people, the
        largest antichain of partitions of C elements limits the number of columns of which none determines another.
    independent
        An upper bound on the columns of a set within the budget such that none is determined by all the others
        together: C − 1 with at most C classes, ``C = E + ⌊(n − E) / k⌋`` where E of n people may be exposed. (Each such
        column splits a class, or the ones before it would determine it.) For a release of other people it is the number
        of columns to choose from.
    complete
        Whether every set is known: the sets that were not examined are above one over the budget.
    examined
        The number of sets that were examined.
    possible
        The number of sets. The empty set is in neither number.
    ended
        "proved": no set within the budget is more useful than the best one; "time", "sets" or "interrupted": the reason
        why the search ended before that was proved.
    functions
        A column that is a copy or a function of another → that other one. Columns in a given hierarchy are left out.
        The search for functions takes place only if exposure is measured, people have one row each, and no weights are
        given. The column is published with that other one, unless one of the two is sensitive.
    nearly
        A column that is none of these → a column from which it nearly follows: knowledge of that column reduces wrong
        guesses to at most a twentieth. The search takes place only if functions are searched for, and the rows are in
        this process.
    constants
        The columns with only one value.
    by
        The kind of exposure: "measured", "certified" or "statistical".
    """

    best: SelectedSet | None
    maximal: tuple[SelectedSet, ...]
    front: tuple[SelectedSet, ...]
    smallest_over: tuple[SelectedSet, ...]
    bound: float
    independent: int
    complete: bool
    examined: int
    possible: int
    ended: Ended
    functions: Mapping[str, str]
    nearly: Mapping[str, str]
    constants: Columns
    by: By

    def __repr__(self) -> str:
        best = "no set" if self.best is None else f"best={self.best.columns!r}"
        return f"Selection({best}, {len(self.maximal)} maximal, {self.examined} examined, {self.ended})"

    @property
    def columns(self) -> Columns:
        """The columns of the best set; none if there is no best set."""
        return self.best.columns if self.best else ()

    @property
    def proved(self) -> bool:
        """Whether no set within the budget is more useful than the best one."""
        return self.ended == "proved"


def select_columns(
    P: People | Marginals | SampledMarginals,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    by: By = "measured",
    *,
    columns: Iterable[str] | None = None,
    keep: Iterable[str] = (),
    drop: Iterable[str] = (),
    weights: Weights = None,
    sensitive: Iterable[str] = (),
    guess_budget: float | None = None,
    certain_budget: Threshold | None = None,
    hierarchies: Iterable[Sequence[str]] = (),
    n: int | None = None,
    confidence: float | None = None,
    coarsen: bool = False,
    time_limit: float | None = None,
    progress: Callable[[Columns], None] | None = None,
) -> Selection:
    """Return the most useful sets of columns whose exposure is at most the budget.

    ``argmax U(J)`` subject to ``Q_J ≤ budget``, with Q_J the exposure or its certified bound

    Parameters
    ----------
    P
        The people; with by="certified" also the counts of their columns; with by="statistical" the sampled people or
        their counts, also as :class:`SampledMarginals`.
    budget
        The share of the people in [0, 1] who may be exposed; as for a threshold, a float stands for the simplest
        fraction that rounds to it.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    by
        "measured": by :func:`exposure`; "certified": by :func:`exposure_bound`, which needs only the class sizes of
        single columns, for people with one row each; "statistical": the same for a release of n other people, by the
        bound of :func:`future_exposure_bound`, which holds for all sets of the columns at once.
    columns
        The columns to choose from; None is all of them.
    keep, drop
        Columns to publish in any case, or never.
    weights
        "columns", the default: the utility of a set is the number of its columns without those that are functions or
        near functions of another one, since they add no information; a column with a finer one in a hierarchy counts
        for the share of the finer one's entropy that it has. "bits": the same with each column's entropy. Or a mapping,
        column → its utility, at least 0; columns that are not named count as in "columns". Utilities are added without
        rounding: 0.1 and 0.2 make 0.3.
    sensitive
        Columns whose best guess must not improve by more than guess_budget. They are published only if they are kept.
    guess_budget
        The allowed rise of the share of correct guesses of each sensitive column, in [0, 1]; by default 0.05.
    certain_budget
        The largest share of the people whose value of a sensitive column may be certain; by default no limit, since
        every table has small classes whose members share a value.
    hierarchies
        Generalizations of one column each, from the finest to the coarsest, such as ``["age", "decade"]``. A set takes
        at most one of them.
    n, confidence
        If by is "statistical": the number of other people in the release, and the confidence of the bounds, in (0, 1);
        by default 0.95.
    coarsen
        If by is "certified": whether less frequent values of a column may become one value, "other", so that more
        columns fit in the budget; ``kept`` of each set holds how many values are distinguished. The search tries 1, 2,
        …, 16, 32, … values, each as a generalization in a hierarchy; with many columns, set a time limit. Columns to
        keep are published unchanged.
    time_limit
        When to stop, in seconds; None is when it is proved that no set is more useful. At this time, or at Ctrl-C, the
        search returns its results so far.
    progress
        A function that is called with each set that is better than those before.

    Returns
    -------
    Selection
        The best set, an upper bound on the utility of any other set, the maximal sets and the trade-off.

    Raises
    ------
    UnsupportedError
        If by is "certified" or "statistical" and people have several rows, columns are sensitive, or P is Marginals
        without the counts of two columns of a hierarchy together; if n is missing, or given with another by; if values
        are randomized and weights are bits, or columns of a hierarchy are randomized; or if ``coarsen`` is set with
        another by, or with hierarchies.

    Notes
    -----
    The search skips a set only if it is above a set over the budget: then it is over the budget too, since every
    constraint only rises from a set to one above it. The exposure rises, since people who share their values on finer
    or more columns share them on the others. The best guess improves, since it is best for each class, and the guess
    for parts of a class is no worse. The counting bound rises, since a further column adds rare people and multiplies
    cells by at least 1; and since at least as many people have the m commonest values of a coarser column as have any
    m values of a finer one. (Where :func:`exposure_bound` may not be the least of its kind, a set may be missed.) For
    other people, the bounds of the finer columns also hold for a coarser one. The engine counts the best set again as a
    check. Source: Anonymity, section 8.2; the search is that of ``discretion.numerics.search``.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> selection = select_columns(adult, budget=0.001, k=10)
    >>> selection.columns, round(selection.best.exposure, 6), selection.proved
    (('sex', 'income', 'workclass'), 0.000645, True)
    >>> [found.columns for found in selection.maximal]
    [('sex', 'income', 'workclass'), ('sex', 'income', 'race')]
    >>> select_columns(adult, budget=0.01, k=10, by="certified").columns
    ('sex', 'income', 'race')
    >>> select_columns(adult, budget=0.01, k=10, by="statistical", n=30_000).columns
    ('sex', 'income', 'race')
    >>> coarser = select_columns(adult, budget=0.01, k=10, by="certified", coarsen=True)
    >>> coarser.columns, coarser.best.kept, round(coarser.best.exposure.value, 6)
    (('sex', 'income', 'race', 'workclass'), {'race': 2, 'workclass': 2}, 0.009951)
    """
    if weights == "bits" and isinstance(P, SampledMarginals) and P.randomizers:
        raise UnsupportedError("randomized reports do not show the entropy of a column; give weights as numbers")
    people, views = P, None
    if coarsen:
        if by != "certified" or tuple(hierarchies):
            raise UnsupportedError(
                'coarsen=True needs by="certified" and no hierarchies; to generalize a table use discretion.release'
            )
        keep, drop = tuple(keep), tuple(drop)
        views = _CoarserViews.of(as_counts(P), columns, {*keep, *drop})
        people, columns, hierarchies = views.marginals, None, views.chains
    problem = selection_problem(
        people, budget, k, threshold, by,
        columns=columns, keep=keep, drop=drop, sensitive=sensitive,
        guess_budget=guess_budget, certain_budget=certain_budget, hierarchies=hierarchies,
        n=n, confidence=confidence,
    )  # fmt: skip
    selection = selection_of(problem, weights, time_limit=time_limit, progress=progress)
    return selection if views is None else views.named(selection)


@dataclass(frozen=True)
class _CoarserViews:
    """Generalizations of columns, with their less frequent values as one; each is a column of its own.

    Parameters
    ----------
    marginals
        The counts of all generalizations.
    chains
        The generalizations of each column that has several, from the finest to the coarsest.
    view_of
        A generalization → its column, and how many of the column's values it distinguishes.
    """

    marginals: Marginals
    chains: tuple[Columns, ...]
    view_of: Mapping[str, tuple[str, int]]

    @classmethod
    def of(cls, counts: Population | Marginals, columns: Iterable[str] | None, as_they_are: Container[str]) -> Self:
        """Return the generalizations of columns; some columns stay as they are."""
        alone = {name: counts.class_sizes([name]) for name in counts.known(columns)}
        finer = {name: sizes for name, sizes in alone.items() if name not in as_they_are}
        view_of = {
            f"{name}\0{kept}": (name, kept) for name, sizes in finer.items() for kept in _numbers_kept(sizes.classes)
        }
        chains = [(name, *(view for view, (column, _) in view_of.items() if column == name)) for name in finer]
        sizes = alone | {view: alone[name].coarsened(kept) for view, (name, kept) in view_of.items()}
        groups = {pair: sizes[pair[0]] for chain in chains for pair in pairwise(chain)}
        return cls(Marginals(sizes, counts.people, groups), tuple(c for c in chains if len(c) > 1), view_of)

    def named(self, selection: Selection) -> Selection:
        """Return a selection among the generalizations, with the names of their columns."""

        def named(chosen: SelectedSet) -> SelectedSet:
            kept = dict(self.view_of[view] for view in chosen.columns if view in self.view_of)
            columns = tuple(self.view_of[view][0] if view in self.view_of else view for view in chosen.columns)
            return replace(chosen, columns=columns, kept=kept)

        return replace(
            selection,
            best=None if selection.best is None else named(selection.best),
            maximal=tuple(map(named, selection.maximal)),
            front=tuple(map(named, selection.front)),
            smallest_over=tuple(map(named, selection.smallest_over)),
        )


def _numbers_kept(values: int) -> list[int]:
    """Return the numbers of values of a column that may be distinguished, falling, from at most all but one."""
    doubles = (_FEW_KEPT << power for power in range(1, values.bit_length()))
    return [kept for kept in (*range(1, _FEW_KEPT + 1), *doubles) if kept < values - 1][::-1]


def selection_of(
    problem: SelectionProblem,
    weights: Weights = None,
    *,
    sets: int = MAX_SETS_EXAMINED,
    time_limit: float | None = None,
    progress: Callable[[Columns], None] | None = None,
) -> Selection:
    """Return the most useful sets of columns, as :func:`select_columns` does, after examining at most ``sets`` sets."""
    population, people, least = problem.population, problem.population.people, problem.allowed.least
    weighted = isinstance(weights, Mapping)
    functions = None if weighted else problem.functions
    bringing = None if functions is None else functions.without(problem.sensitive)
    choices = choices_among(problem.columns, problem.kept, problem.chains, bringing)
    constants = () if functions is None else functions.constants
    classes = len(problem.columns) + 1 if problem.certificate else problem.allowed.most_classes(people)
    # If the codes are in this process, it is known for all columns which determine another one, except in hierarchies.
    all_known = functions is not None and problem.codes is not None and all(len(chain) == 1 for chain in problem.chains)
    most_apart = most_columns_apart(classes) if all_known else None
    worth = utility_of(choices, population, weights, functions, most_apart)
    disclosure = _disclosure(problem, choices)
    search = MonotoneSearch(
        choices.ideals,
        choices.start,
        disclosure.loads,
        problem.allowed.limits,
        worth,
        place=choices.place,
        sets=sets,
        seconds=math.inf if time_limit is None else _as_time(time_limit),
        progress=lambda ideal: progress(choices.columns(ideal)) if progress is not None else None,
    )
    searched = search.run()

    def selected(ideal: int) -> SelectedSet:
        if ideal in searched.within:
            names, loads = choices.columns(ideal), searched.within[ideal]
        else:
            names, loads = choices.telling(ideal, constants), searched.over[ideal]
        if problem.certificate is not None:
            exposure = problem.certificate.exposure(choices.telling(ideal, constants))
        else:
            measured = problem.by == "measured"
            exposure = loads[0] / people if measured else exposure_bound(population, max(1, least), columns=names)
        step = 1 if problem.allowed.certain is None else 2
        guesses = {name: right / people for name, right in zip(problem.sensitive, loads[1::step], strict=False)}
        return SelectedSet(names, exposure, float(worth.of(ideal)), guesses)

    best = _best(searched, worth, disclosure, choices) if not weighted else searched.best
    published = () if best is None else choices.columns(best)
    if best is not None and problem.codes is not None and isinstance(population, Population):
        _check(population, published, least, searched.within[best][0])
    maximal = [ideal for ideal in searched.maximal if ideal != best]
    if best in searched.maximal:
        maximal.insert(0, best)
    return Selection(
        best=None if best is None else selected(best),
        maximal=tuple(map(selected, maximal)),
        front=tuple(map(selected, searched.front)),
        smallest_over=tuple(map(selected, sorted(searched.over, key=choices.place))),
        bound=float(searched.bound),
        independent=max(0, classes - 1),
        complete=searched.complete,
        examined=searched.examined - (0 in searched.within or 0 in searched.over),
        possible=choices.ideals.count - 1,
        ended=searched.ended,
        functions={} if functions is None else functions.sources(published),
        nearly={} if functions is None else functions.near_sources(published),
        constants=constants,
        by=problem.by,
    )


def _as_time(time_limit: float) -> float:
    seconds = as_real(time_limit, "time_limit")
    if not seconds > 0:
        raise InvalidValueError(f"time_limit must be a number of seconds above 0, or None; got {time_limit!r}")
    return seconds


def _disclosure(problem: SelectionProblem, choices: Choices) -> Disclosure:
    """Return the disclosure that yields the loads for sets of columns."""
    population = problem.population
    if problem.certificate is not None:
        return StatisticalDisclosure(problem.certificate, choices.ideals, choices.names)
    if problem.by == "certified" or not isinstance(population, Population):
        return CertifiedDisclosure(population, choices.ideals, choices.names, problem.allowed.least)
    if problem.codes is None:
        return EngineDisclosure(population, choices.ideals, choices.names, problem.allowed)
    return CodeDisclosure(choices.ideals, choices.names, problem.codes, problem.allowed, population.people)


def _best(searched: Searched, worth: Worth, disclosure: Disclosure, choices: Choices) -> int | None:
    """Return the set with the most bits among the most useful ones to which nothing can be added."""
    if searched.best is None:
        return None
    most = worth.of(searched.best)
    useful = [ideal for ideal in searched.maximal if worth.of(ideal) == most][:_TIED] or [searched.best]
    bits = {ideal: disclosure.entropy(ideal) for ideal in useful}
    return min(bits, key=lambda ideal: (-bits[ideal], searched.within[ideal], choices.place(ideal)))


def _check(population: Population, columns: Columns, least: int, exposed: int) -> None:
    """Check the best set by a count of the engine, another method that must give the same number."""
    if (recount := exposed_below(population.class_sizes(columns), least)) != exposed:
        raise EngineError(f"{exposed} people were counted as exposed, and {recount} by the engine; please report this")
