"""Search for the most useful release: a generalization per column or none, and the few rows to suppress."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

from discretion.anonymity.choosing.constraints import CodeDisclosure, Constraints
from discretion.anonymity.choosing.dependencies import repeated_columns
from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.goal import ReleaseGoal, fewest_left_out
from discretion.anonymity.releasing.information import JointInformation, information_bound
from discretion.anonymity.releasing.suppression import Suppress, Suppression, suppress_cells, suppress_rows
from discretion.anonymity.releasing.utility import (
    CellUtility,
    InformationUtility,
    PairUtility,
    ReleaseUtility,
    Utility,
    utility_of_cells,
)
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Codes
from discretion.numerics.equivalence_classes import Column, cell_counts, everybody, refined, rows_in_small_cells
from discretion.numerics.search.explored_ideals import Ended
from discretion.numerics.search.ideals import Ideals, bits, mask_of
from discretion.numerics.search.monotone_sets import MAX_SETS_EXAMINED, MonotoneSearch, sets_within_work


class SearchEndedError(InvalidValueError):
    """It is not known whether a release is within the goal: the search ended before."""


@dataclass(frozen=True)
class BestRelease:
    """The release that was found.

    Parameters
    ----------
    views
        Of each column that goes out its view.
    cut
        What of their rows and cells does not; its blanks are in the order of the views.
    kept, uncut
        What goes out is worth, and would be if nothing were cut.
    bound
        No choice of views within the goal is worth more, the rows of the smallest classes being cut first.
    ended
        "proved", or what ended the search before.
    """

    views: Mapping[str, Generalization]
    cut: Suppression
    kept: float
    uncut: float
    bound: float
    ended: Ended


def most_useful_release(
    known: Mapping[str, Sequence[Generalization]],
    secrets: Mapping[str, Column],
    goal: ReleaseGoal,
    people: int,
    *,
    keep: Sequence[str] = (),
    chosen: Mapping[str, Generalization] | None = None,
    most_suppressed: int = 0,
    suppress: Suppress = "rows",
    utility: Utility = "information",
    guarded: Sequence[str] = (),
    starts: Sequence[Mapping[str, Generalization]] = (),
    sets: int | None = None,
    time_limit: float = math.inf,
    progress: Callable[[int], None] = lambda _: None,
) -> BestRelease | None:
    """Return the most useful release within the goal, or None if there is none.

    ``max m·H(columns)`` over the m rows that go out: their joint information; or another utility

    Parameters
    ----------
    known
        The columns that somebody may know of a person → their views, the finest first.
    secrets
        The sensitive columns, which nobody knows.
    goal
        What must hold of the table that goes out.
    people
        How many there are.
    keep
        Known columns that go out in some view.
    chosen
        A column → the one of its views that goes out, if it does; of the others any may.
    most_suppressed
        How many rows may be cut.
    suppress
        Whether these are left out, or cells of theirs are blank
        (:func:`~discretion.anonymity.releasing.suppression.suppress_cells`).
    utility
        What counts: "information", as above; "columns", ``Σ_cells H(view) / H(finest view)``, the share of each
        column's own entropy that is kept, added up, repeated columns counted once
        (:func:`~discretion.anonymity.choosing.dependencies.repeated_columns`); "entropy",
        ``Σ_cells log2(n / n_cell)`` where ``n_cell`` of the n people show what a cell does; "precision",
        ``Σ_cells 1 − level / views``; or "discernibility", the ordered pairs of people that are told apart.
    guarded
        The sensitive columns that go out as they are: only what the others carry beside them is information.
    starts
        Choices of views that are known to be good, of the columns that go out: if one of them is within the goal, what
        is found is at least as useful.
    sets
        How many choices of views may be looked at; without it and a time limit so many that their rows are a certain
        amount of work, so that the same is found on every machine.
    time_limit
        Seconds until the best release so far is returned.
    progress
        Called with how many columns the best release so far has.

    Raises
    ------
    SearchEndedError
        If the search ended before anything was found.

    Notes
    -----
    Nothing that a view shows of fewer than k people goes out, whatever the budget: these rows are left out first.
    What is coarser shows it in fewer rows.

    Coarser views and fewer columns only put classes together, so that fewer rows are in small ones, no more can make up
    for what classes lack of diversity, and guesses get no better: what is over a limit, as if no row were left out but
    as many as may be were not counted, is so with anything finer. Source: the entropy is that of Gionis and Tassa,
    "k-Anonymization with Minimal Loss of Information", 2009; the recoding of whole columns with suppression is from
    Samarati, 2001.
    """
    every, chosen = known, chosen or {}
    # Not the finest views of a column, in which too many rows show something rare.
    known = {
        name: [
            view
            for view in views
            if view is chosen.get(name, view) and view.shows_rare(goal.k).sum() <= most_suppressed
        ]
        for name, views in every.items()
    }
    elements = [(name, level) for name, views in known.items() for level in range(len(views))]
    if any(not known[name] for name in keep):
        return None
    index = {element: j for j, element in enumerate(elements)}
    brings = [mask_of(index[name, coarser] for coarser in range(level, len(known[name]))) for name, level in elements]
    ideals = Ideals(brings)
    start = ideals.closure(mask_of(index[name, len(known[name]) - 1] for name in keep))
    commonest = {name: int(np.bincount(column.codes).max()) for name, column in secrets.items()}
    allowed = Constraints(
        goal.k,
        math.floor(goal.budget * people) + most_suppressed,
        {name: count + math.floor(goal.rise * people) + most_suppressed for name, count in commonest.items()},
        None if goal.certain is None else math.floor(goal.certain * people) + most_suppressed,
    )
    columns = {f"{name}\0{level}": known[name][level].column for name, level in elements}
    views = [known[name][level] for name, level in elements]
    loads = _ReleaseLoads(ideals, {**columns, **secrets}, allowed, goal, views, most_suppressed)
    if utility == "information":
        loads.count_information(guarded)

    def cut(ideal: int) -> Suppression | None:
        return loads.cut(ideal, suppress)

    worth: ReleaseUtility
    if utility == "information":
        most = information_bound(people, goal.k, goal.budget)
        worth = InformationUtility(ideals, views, loads.information, most, cut, loads.fewest_out)
    elif utility == "discernibility":
        worth = PairUtility(ideals, views, loads.classes, cut, loads.fewest_out)
    else:
        worths = [
            utility_of_cells(utility, every[name], next(i for i, each in enumerate(every[name]) if each is view))
            for view, (name, _) in zip(views, elements, strict=True)
        ]
        if utility == "columns":  # what follows from another column counts once
            repeated = repeated_columns({name: some[0].column for name, some in every.items() if some[0].bits})
            worths = [worth * (name not in repeated) for worth, (name, _) in zip(worths, elements, strict=True)]
        worth = CellUtility(ideals, views, worths, cut, loads.fewest_out)
    search = MonotoneSearch(
        ideals,
        start,
        loads.loads,
        allowed.limits,
        worth,
        # Of those that are as useful, the one whose columns carry most one by one.
        place=lambda ideal: (-sum(views[j].bits for j in bits(ideals.tops(ideal))), list(bits(ideals.tops(ideal)))),
        starts=list(_masks(starts, elements, views)),
        sets=sets or (sets_within_work(people) if time_limit == math.inf else MAX_SETS_EXAMINED),
        seconds=time_limit,
        progress=lambda ideal: progress(ideals.tops(ideal).bit_count()),
    )
    searched = search.run()
    best = None if searched.best is None else cut(searched.best)
    if searched.ended != "proved" and (best is None or not searched.best):
        raise SearchEndedError("the search ended before it found anything within the goal; let it take longer")
    if searched.best is None or best is None:
        return None
    tops = [elements[j] for j in bits(ideals.tops(searched.best))]
    return BestRelease(
        views={name: known[name][level] for name, level in tops},
        cut=best,
        kept=float(worth.of(searched.best)),
        uncut=float(worth.whole(searched.best)),
        bound=float(searched.bound),
        ended=searched.ended,
    )


def _masks(
    starts: Sequence[Mapping[str, Generalization]],
    elements: Sequence[tuple[str, int]],
    views: Sequence[Generalization],
) -> Iterator[int]:
    """Yield the elements of each start, but of those with a view that shows too much by itself."""
    places = {(name, id(view)): j for j, ((name, _), view) in enumerate(zip(elements, views, strict=True))}
    for start in starts:
        some = [places.get((name, id(view))) for name, view in start.items()]
        if None not in some:
            yield mask_of(j for j in some if j is not None)


class _ReleaseLoads(CodeDisclosure):
    """Counts the rows in classes that are too small or not diverse enough."""

    def __init__(  # noqa: PLR0917 - what a search is given
        self,
        ideals: Ideals,
        coded: Mapping[str, Column],
        constraints: Constraints,
        goal: ReleaseGoal,
        views: Sequence[Generalization],
        most_suppressed: int,
    ) -> None:
        rows = next((column.codes.size for column in coded.values()), 0)
        super().__init__(ideals, [name for name in coded if name not in constraints.guessed], coded, constraints, rows)
        self._goal, self._secrets, self._views = goal, {name: coded[name] for name in constraints.guessed}, views
        self._most_suppressed = most_suppressed
        self._joint: JointInformation | None = None
        self._guarded: Sequence[Column] = ()
        self._information: dict[int, Fraction] = {}
        self._failing: dict[int, int] = {}

    def count_information(self, guarded: Sequence[str]) -> None:
        """Count, with those exposed, the information of the classes beside some sensitive columns."""
        self._joint, self._guarded = JointInformation(self._rows), [self._secrets[name] for name in guarded]

    def exposed(self, ideal: int, classes: Column, by: Column) -> int:
        """Return how many rows at least fail or are left out."""
        counts: Codes | None = None
        if self._goal.diversity:
            failing = self._goal.fewest_failing(refined(classes, by), self._secrets, self._most_suppressed)
        else:
            counts = cell_counts(classes, by)
            failing = rows_in_small_cells(counts, self._goal.k)
        if failing <= self._allowed.exposed:
            self._failing[ideal] = failing
            if counts is not None and self._joint is not None and not self._guarded:
                self._information[ideal] = self._joint.of_sizes(counts)
        return failing

    def fewest_out(self, ideal: int) -> int:
        """Return how many rows at least are left out of an ideal that was looked at."""
        return fewest_left_out(self._failing.get(ideal, 0), self._rows, self._goal.budget)

    def information(self, ideal: int, cut: Suppression | None) -> Fraction:
        """Return what the rows that go out carry beside the guarded columns, ``m·H(shown | guarded)``."""
        assert self._joint is not None
        if cut is None and ideal in self._information:
            return self._information.pop(ideal)
        left = slice(None) if cut is None else ~cut.out
        classes = cut.classes(self._shown(ideal)) if cut is not None and cut.blank_cells else self.classes(ideal)
        beside = reduce(refined, self._guarded, everybody(self._rows))
        both = reduce(refined, self._guarded, classes)
        of_both, of_guarded = (self._joint.of_sizes(np.bincount(each.codes[left])) for each in (both, beside))
        return of_both - of_guarded

    def _shown(self, ideal: int) -> list[Generalization]:
        return [self._views[j] for j in bits(self._ideals.tops(ideal))]

    def cut(self, ideal: int, suppress: Suppress) -> Suppression | None:
        """Return what to cut for the goal to hold, or None if it cannot."""
        classes, shown = self.classes(ideal), self._shown(ideal)
        rare = np.zeros(self._rows, bool)
        for view in shown:
            if view.sizes[view.sizes > 0].min() < self._goal.k:
                rare |= view.shows_rare(self._goal.k)
        out = self._goal.left_out(classes, self._secrets, rare, self._most_suppressed)
        if out is None:
            return None
        if suppress == "cells" and self._holds(blank := suppress_cells(out, shown, self._goal.k), blank.classes(shown)):
            return blank
        return suppress_rows(out, shown) if self._goal.keeps_secrets(classes, self._secrets, ~out) else None

    def _holds(self, cut: Suppression, classes: Column) -> bool:
        failing = self._goal.left_out(classes, self._secrets, cut.out, int(cut.out.sum()))
        return failing is not None and self._goal.keeps_secrets(classes, self._secrets, ~cut.out)
