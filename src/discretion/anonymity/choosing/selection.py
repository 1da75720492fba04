"""Which columns may go out together: the most useful ones that give away little enough."""

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

# So many sets that are equally useful are compared by their bits.
_TIED = 100
# Each number of values that a column may be coarsened to, up to here; above it the doubles only.
_FEW_KEPT = 16


@dataclass(frozen=True)
class SelectedSet:
    """A set of columns: what it gives away, and its utility.

    Parameters
    ----------
    columns
        In the order of the columns that were chosen from, copies of each after it.
    exposure
        Exact, as a float; or, as an :class:`Estimate`, a bound: certified, or with a confidence.
    utility
        What the columns are worth.
    guesses
        A sensitive column → how often the best guess of it is right for who knows the others of the set.
    kept
        A column → how many of its most frequent values are distinguished, the others being one; of the other columns all
        are.
    """

    columns: Columns
    exposure: float | Estimate
    utility: float
    guesses: Mapping[str, float] = field(hash=False)
    kept: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)


@dataclass(frozen=True)
class Selection(Tabular, Chartable):
    """The sets of columns within a budget.

    A set is below another if each of its columns is in the other, or is a function of one there: as told by
    hierarchies or found out.

    Parameters
    ----------
    best
        The most useful set: of several, unless weights were told, the one that nothing can be added to with most bits,
        then the least exposed, then that of the fewest columns, then the first. None if even knowing nothing, or what
        is to be kept, exposes too many.
    maximal
        Sets within the budget that are below no other one within, the most useful first. All of them if complete.
    front
        The Pareto front of the sets within the budget that were looked at: none is as useful and exposes less, or
        exposes as little and is more useful. By rising utility; of sets with the same of both, the first.
    smallest_over
        The sets over a budget that were met and that no other one over is below, those of few columns first. All of
        them if complete.
    bound
        No set within the budget is more useful than this. Of columns that tell apart C classes of people only so many
        can be such that none determines another one: as many as the largest antichain of partitions of C elements.
    independent
        No set within the budget has more columns than this of which none is determined by all the others together:
        C − 1, if there are C classes at most, ``C = E + ⌊(n − E) / k⌋`` where E of n people may be exposed. (Column by
        column, each of them splits a class, or the ones before it would determine it.) Of a release of other people it
        is the number of columns to choose from.
    complete
        Whether every set is known: those that were not looked at are above one over the budget.
    examined
        How many sets were looked at.
    possible
        How many there are. The empty set is in neither number.
    ended
        "proved": no set within is more useful than the best one; "time", "sets" or "interrupted": what ended the
        search before it was proved.
    functions
        A column that is a copy or a function of another → that other one. With a hierarchy told, those in it are left
        out; found out only where exposure is measured, of people with one row each, and weights are not told. It goes
        out with that other one, unless one of the two is sensitive.
    nearly
        A column that is none of these → one from which it nearly follows: who knows that other one guesses it wrong
        for at most a twentieth of those for whom who knows nothing does. Found out only where functions are, and where
        the rows are in this process.
    constants
        The columns with one value only.
    by
        How exposure was told: "measured", "certified" or "statistical".
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
        The people, or what is known of their columns, if by is "certified"; if it is "statistical", those who were
        sampled, or what is known of them, also as :class:`SampledMarginals`.
    budget
        The share of the people in [0, 1] who may be exposed; as for a threshold, a float stands for the simplest
        fraction that rounds to it.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    by
        "measured": by :func:`exposure`; "certified": by :func:`exposure_bound`, for which the class sizes of single
        columns suffice, of people with one row each; "statistical": as certified, for a release of n other people, by
        the bound of :func:`future_exposure_bound`, which holds for all sets of the columns at once.
    columns
        The columns to choose from; None is all of them.
    keep, drop
        Columns that go out in any case, or in none.
    weights
        "columns", the default: a set is worth as many columns as it has of which none is a function of another, or
        nearly so, for what follows from another column tells nothing more; a column that has a finer one in a hierarchy
        counts for as much of it as it has of its entropy. "bits": the same with each column's entropy. Or a mapping,
        column → its utility, at least 0, as above unless told; these are added up without rounding, so that 0.1 and
        0.2 are worth 0.3.
    sensitive
        Columns that nobody is to guess much better than without the set. They go out only if they are kept.
    guess_budget
        By how much the share of right guesses of each of them may rise, in [0, 1]; 0.05 unless told.
    certain_budget
        Of which share of the people each of them may be known for certain; of anybody unless told, for small classes
        that agree are in every table.
    hierarchies
        Views of one column each, from the finest to the coarsest, such as ``["age", "decade"]``. A set takes at most
        one of them.
    n, confidence
        If by is "statistical": how many other people the release has, and how surely the bounds hold, in (0, 1); 0.95
        unless told.
    coarsen
        If by is "certified": whether less frequent values of a column may be one, "other", so that it goes out where
        it could not as it is; how many values are told apart is in ``kept`` of each set. As many as 1, 2, …, 16, 32, …
        are tried, each a coarser view in a hierarchy: of many columns, with a time limit. Columns to keep go out as
        they are.
    time_limit
        When to stop, in seconds; None is when it is proved that nothing is more useful. What is found until then,
        or until Ctrl-C, is returned.
    progress
        Called with each set that is better than those before.

    Returns
    -------
    Selection
        The best set, how much more useful another one can be, the maximal ones and the trade-off.

    Raises
    ------
    UnsupportedError
        If by is "certified" or "statistical" and people have several rows, columns are sensitive, or P is Marginals
        without the counts of two columns of a hierarchy together; if n is missing or given without need; if values are
        randomized and weights are bits, or columns of a hierarchy are; or if ``coarsen`` is asked for with another by,
        or with hierarchies.

    Notes
    -----
    What the search leaves out is left out for a reason: all that it counts only rises from a set to one above it, so
    that a set above one over the budget is over too. The exposure, since who is alike on finer or more columns is alike
    on the others. The guess, since it is best for each class, and that of parts of a class is no worse. The counting
    bound, since a further column adds rare people and multiplies cells, by at least 1; and since the m commonest values
    of a coarser column are had by at least as many people as any m values of a finer one. (Where
    :func:`exposure_bound` may not be the least of its kind, a set may be missed.) Of other people a coarser column has
    the limits of its finer ones too. The best set is counted once more by
    the engine. Source: Anonymity, section 8.2; the search is that of ``discretion.numerics.search``.

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
        raise UnsupportedError("reports that were randomized do not show the bits of a column; give weights as numbers")
    people, views = P, None
    if coarsen:
        if by != "certified" or tuple(hierarchies):
            raise UnsupportedError(
                'coarsen=True goes with by="certified" and no hierarchies; generalize a table by discretion.release'
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
    """Columns with their less frequent values as one, each a column of its own.

    Parameters
    ----------
    marginals
        The counts of all of them.
    chains
        The views of each column that has several, from the finest to the coarsest.
    view_of
        A coarser view → its column, and how many of its values it tells apart.
    """

    marginals: Marginals
    chains: tuple[Columns, ...]
    view_of: Mapping[str, tuple[str, int]]

    @classmethod
    def of(cls, counts: Population | Marginals, columns: Iterable[str] | None, as_they_are: Container[str]) -> Self:
        """Return the views of columns, of some of which there is only one."""
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
        """Return a selection among the views, by the columns that they are of."""

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
    """Return how many of so many values may be told apart from the others, falling, all but one at most."""
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
    """Return the most useful sets of columns, as :func:`select_columns` does, after looking at so many at most."""
    population, people, least = problem.population, problem.population.people, problem.allowed.least
    weighted = isinstance(weights, Mapping)
    functions = None if weighted else problem.functions
    bringing = None if functions is None else functions.without(problem.sensitive)
    choices = choices_among(problem.columns, problem.kept, problem.chains, bringing)
    constants = () if functions is None else functions.constants
    classes = len(problem.columns) + 1 if problem.certificate else problem.allowed.most_classes(people)
    # Which columns determine another one is known of all of them where their codes are at hand, hierarchies aside.
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
        raise InvalidValueError(f"time_limit must be seconds above 0, or None, got {time_limit!r}")
    return seconds


def _disclosure(problem: SelectionProblem, choices: Choices) -> Disclosure:
    """Return the disclosure of sets of columns."""
    population = problem.population
    if problem.certificate is not None:
        return StatisticalDisclosure(problem.certificate, choices.ideals, choices.names)
    if problem.by == "certified" or not isinstance(population, Population):
        return CertifiedDisclosure(population, choices.ideals, choices.names, problem.allowed.least)
    if problem.codes is None:
        return EngineDisclosure(population, choices.ideals, choices.names, problem.allowed)
    return CodeDisclosure(choices.ideals, choices.names, problem.codes, problem.allowed, population.people)


def _best(searched: Searched, worth: Worth, disclosure: Disclosure, choices: Choices) -> int | None:
    """Return the set of most bits among the most useful ones that nothing can be added to."""
    if searched.best is None:
        return None
    most = worth.of(searched.best)
    useful = [ideal for ideal in searched.maximal if worth.of(ideal) == most][:_TIED] or [searched.best]
    bits = {ideal: disclosure.entropy(ideal) for ideal in useful}
    return min(bits, key=lambda ideal: (-bits[ideal], searched.within[ideal], choices.place(ideal)))


def _check(population: Population, columns: Columns, least: int, exposed: int) -> None:
    """Count the best set by the engine too: by another way, which must come to the same."""
    if (recount := exposed_below(population.class_sizes(columns), least)) != exposed:
        raise EngineError(f"{exposed} people were counted as exposed, and {recount} by the engine; please report this")
