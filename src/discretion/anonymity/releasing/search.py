"""Search for the most useful release: a generalization per column or none, and the few rows to suppress."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from discretion.anonymity.choosing.constraints import CodeDisclosure, Constraints
from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.goal import ReleaseGoal
from discretion.anonymity.releasing.suppression import Suppress, Suppression, suppress_cells, suppress_rows
from discretion.anonymity.releasing.utility import CellUtility, PairUtility, ReleaseUtility, Utility, utility_of_cells
from discretion.errors import InvalidValueError
from discretion.numerics.equivalence_classes import Column, refined
from discretion.numerics.search.explored_ideals import Ended
from discretion.numerics.search.ideals import Ideals, bits, mask_of
from discretion.numerics.search.monotone_sets import MonotoneSearch


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
    most_suppressed: int = 0,
    suppress: Suppress = "rows",
    utility: Utility = "entropy",
    time_limit: float = math.inf,
    progress: Callable[[int], None] = lambda _: None,
) -> BestRelease | None:
    """Return the most useful release within the goal, or None if there is none.

    ``max Σ_rows Σ_columns log2(n / n_view)`` over what goes out, where ``n_view`` of the n people have the value that a
    cell shows; or another utility

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
    most_suppressed
        How many rows may be cut.
    suppress
        Whether these are left out, or cells of theirs are blank
        (:func:`~discretion.anonymity.releasing.suppression.suppress_cells`).
    utility
        What counts: "entropy", as above; "precision", ``Σ_cells 1 − level / views``; or "discernibility", the ordered
        pairs of people that are told apart.
    time_limit
        Seconds until the best release so far is returned.
    progress
        Called with how many columns the best release so far has.

    Raises
    ------
    InvalidValueError
        If the search ended before anything was found.

    Notes
    -----
    Nothing that a view shows of fewer than k people goes out, whatever the budget: these rows are left out first.
    What is coarser shows it in fewer rows.

    Coarser views and fewer columns only put classes together, so that fewer rows are in small ones, no more can make up
    for what classes lack of diversity, and guesses get no better: what is over a limit, as if no row were left out but
    as many as may be were not counted, is so with anything finer. Source: the utility is that of Gionis and Tassa,
    "k-Anonymization with Minimal Loss of Information", 2009; the recoding of whole columns with suppression is from
    Samarati, 2001.
    """
    heights = {name: len(views) for name, views in known.items()}
    # Not the finest views of a column, in which too many rows show something rare.
    known = {
        name: [view for view in views if view.shows_rare(goal.k).sum() <= most_suppressed]
        for name, views in known.items()
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
    loads = _ReleaseLoads(ideals, {**columns, **secrets}, allowed, goal, people, most_suppressed)
    views = [known[name][level] for name, level in elements]

    def cut(ideal: int) -> Suppression | None:
        return loads.cut(ideal, [views[j] for j in bits(ideals.tops(ideal))], suppress)

    worth: ReleaseUtility
    if utility == "discernibility":
        worth = PairUtility(ideals, views, loads.classes, cut)
    else:
        levels = [heights[name] - len(known[name]) + level for name, level in elements]
        worths = [
            utility_of_cells(utility, view, level, heights[name])
            for view, level, (name, _) in zip(views, levels, elements, strict=True)
        ]
        worth = CellUtility(ideals, views, worths, cut)
    search = MonotoneSearch(
        ideals,
        start,
        loads.loads,
        allowed.limits,
        worth,
        place=lambda ideal: list(bits(ideals.tops(ideal))),
        seconds=time_limit,
        progress=lambda ideal: progress(ideals.tops(ideal).bit_count()),
    )
    searched = search.run()
    best = None if searched.best is None else cut(searched.best)
    if searched.ended != "proved" and (best is None or not searched.best):
        raise InvalidValueError("the search ended before it found anything within the goal; let it take longer")
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


class _ReleaseLoads(CodeDisclosure):
    """Counts the rows in classes that are too small or not diverse enough."""

    def __init__(  # noqa: PLR0917 - what a search is given
        self,
        ideals: Ideals,
        coded: Mapping[str, Column],
        constraints: Constraints,
        goal: ReleaseGoal,
        rows: int,
        most_suppressed: int,
    ) -> None:
        super().__init__(ideals, [name for name in coded if name not in constraints.guessed], coded, constraints, rows)
        self._goal, self._secrets = goal, {name: coded[name] for name in constraints.guessed}
        self._most_suppressed = most_suppressed

    def exposed(self, classes: Column, by: Column) -> int:
        """Return how many rows at least fail or are left out."""
        if not self._goal.diversity:
            return super().exposed(classes, by)
        return self._goal.fewest_failing(refined(classes, by), self._secrets, self._most_suppressed)

    def cut(self, ideal: int, shown: Sequence[Generalization], suppress: Suppress) -> Suppression | None:
        """Return what to cut for the goal to hold, or None if it cannot."""
        classes = self.classes(ideal)
        rare = reduce(np.logical_or, [view.shows_rare(self._goal.k) for view in shown], np.zeros(self._rows, bool))
        out = self._goal.left_out(classes, self._secrets, rare, self._most_suppressed)
        if out is None:
            return None
        if suppress == "cells" and self._holds(blank := suppress_cells(out, shown, self._goal.k), blank.classes(shown)):
            return blank
        return suppress_rows(out, shown) if self._goal.keeps_secrets(classes, self._secrets, ~out) else None

    def _holds(self, cut: Suppression, classes: Column) -> bool:
        failing = self._goal.left_out(classes, self._secrets, cut.out, int(cut.out.sum()))
        return failing is not None and self._goal.keeps_secrets(classes, self._secrets, ~cut.out)
