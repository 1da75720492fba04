"""Search for the most useful release: a generalization or no column at all for each, and few rows to suppress."""

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
    """The search reached its limit before it found a release within the goal, or proved that there is none."""


@dataclass(frozen=True)
class BestRelease:
    """The best release that the search found.

    Parameters
    ----------
    views
        A published column → its generalization.
    cut
        The suppressed rows and cells; its blanks are in the order of the views.
    kept, uncut
        The utility of the release, and its utility if nothing were suppressed.
    bound
        An upper bound on the utility of any choice of generalizations within the goal, if the rows of the smallest
        classes are suppressed first.
    ended
        "proved", or the reason why the search ended before that.
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
    to_proof: bool = False,
    time_limit: float = math.inf,
    progress: Callable[[int], None] = lambda _: None,
) -> BestRelease | None:
    """Return the most useful release within the goal, or None if there is none.

    ``max m·H(columns)`` over the m published rows: their joint information; or another utility

    Parameters
    ----------
    known
        A column that an adversary may know of a person → its generalizations, the finest first.
    secrets
        The sensitive columns, which the adversary does not know.
    goal
        The conditions on the published table.
    people
        The number of people.
    keep
        Known columns to publish in some generalization.
    chosen
        A column → its only allowed generalization, if it is published; other columns may have any.
    most_suppressed
        The largest number of rows to suppress.
    suppress
        Whether to leave these rows out, or to blank cells in them
        (:func:`~discretion.anonymity.releasing.suppression.suppress_cells`).
    utility
        The utility to maximize: "information", as above; "columns", ``Σ_cells H(view) / H(finest view)``, the sum of
        the shares of each column's own entropy that are kept, with repeated columns counted once
        (:func:`~discretion.anonymity.choosing.dependencies.repeated_columns`); "entropy",
        ``Σ_cells log2(n / n_cell)`` where ``n_cell`` of the n people have the value of a cell; "precision",
        ``Σ_cells 1 − level / views``; or "discernibility", the ordered pairs of people that are distinguished.
    guarded
        The sensitive columns that are published unchanged: only the additional information of other columns counts.
    starts
        Known good choices of generalizations, by column: if one of them is within the goal, the result is at least as
        useful.
    sets
        The largest number of choices to examine. Without it and a time limit, the number follows from a fixed amount of
        work on rows, so every machine finds the same result.
    to_proof
        Whether to go through all choices, if they are few, to prove that none is better.
    time_limit
        The time in seconds after which the search returns the best release so far.
    progress
        A function that is called with the number of columns of the best release so far.

    Raises
    ------
    SearchEndedError
        If the search ended before it found a release.

    Notes
    -----
    Whatever the budget, no value of a generalization that fewer than k people share is published: the search leaves out
    these rows first. A coarser generalization has fewer such rows.

    Coarser generalizations and fewer columns only merge classes. Then fewer rows are in small classes, the lack of
    diversity does not grow, and best guesses do not improve. So a choice over a limit, even without the rows that may
    be left out, stays over it with anything finer. Source: the entropy is that of Gionis and Tassa, "k-Anonymization
    with Minimal Loss of Information", 2009; the recoding of whole columns with suppression is from Samarati, 2001.
    """
    every, chosen = known, chosen or {}
    # Leave out the finest generalizations of a column in which too many rows have a rare value.
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
    if sets is None:
        within_work = sets_within_work(people, ideals.count if to_proof else None)
        sets = within_work if time_limit == math.inf else MAX_SETS_EXAMINED
    search = MonotoneSearch(
        ideals,
        start,
        loads.loads,
        allowed.limits,
        worth,
        # Of equally useful releases, the one whose single columns carry most information.
        place=lambda ideal: (-sum(views[j].bits for j in bits(ideals.tops(ideal))), list(bits(ideals.tops(ideal)))),
        starts=list(_masks(starts, elements, views)),
        sets=sets,
        seconds=time_limit,
        progress=lambda ideal: progress(ideals.tops(ideal).bit_count()),
    )
    searched = search.run()
    best = None if searched.best is None else cut(searched.best)
    if searched.ended != "proved" and (best is None or not searched.best):
        raise SearchEndedError("the search reached its limit before it found a release within the goal; give it longer")
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
    """Yield the elements of each start, except starts with a generalization that shows too much by itself."""
    places = {(name, id(view)): j for j, ((name, _), view) in enumerate(zip(elements, views, strict=True))}
    for start in starts:
        some = [places.get((name, id(view))) for name, view in start.items()]
        if None not in some:
            yield mask_of(j for j in some if j is not None)


class _ReleaseLoads(CodeDisclosure):
    """The disclosure of a release: its load is the rows in classes that are too small or not diverse enough."""

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
        """Count, with the exposed rows, the information of the classes in addition to some sensitive columns."""
        self._joint, self._guarded = JointInformation(self._rows), [self._secrets[name] for name in guarded]

    def exposed(self, ideal: int, classes: Column, by: Column) -> int:
        """Return a lower bound on the rows that fail or are left out."""
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
        """Return a lower bound on the rows that are left out of an examined ideal."""
        return fewest_left_out(self._failing.get(ideal, 0), self._rows, self._goal.budget)

    def information(self, ideal: int, cut: Suppression | None) -> Fraction:
        """Return the information of the published rows in addition to the guarded columns, ``m·H(shown | guarded)``."""
        assert self._joint is not None
        if cut is None and ideal in self._information:
            return self._information.pop(ideal)
        left = None if cut is None else ~cut.out
        classes = cut.classes(self._shown(ideal)) if cut is not None and cut.blank_cells else self.classes(ideal)
        beside = reduce(refined, self._guarded, everybody(self._rows))
        both = reduce(refined, self._guarded, classes)
        of_both, of_guarded = (self._joint.of_sizes(each.sizes(left)) for each in (both, beside))
        return of_both - of_guarded

    def _shown(self, ideal: int) -> list[Generalization]:
        return [self._views[j] for j in bits(self._ideals.tops(ideal))]

    def cut(self, ideal: int, suppress: Suppress) -> Suppression | None:
        """Return the suppression that meets the goal, or None if there is none."""
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
