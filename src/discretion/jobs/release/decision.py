"""The decision of a release: the generalization of each column, and the file's contents and costs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discretion.anonymity.releasing.generalizations import AS_IT_IS, Generalization, identity_generalization
from discretion.anonymity.releasing.search import BestRelease, most_useful_release
from discretion.jobs.release.candidates import Candidates, NothingWithinGoalError, none_left
from discretion.jobs.release.costs import costs_of
from discretion.jobs.release.file import shuffled_rows, table_of
from discretion.jobs.release.nearest import nearest
from discretion.jobs.release.result import ReleasedColumn
from discretion.numerics.arrays import Codes, Integers

# Each column that goes out → its generalization.
Choice = Mapping[str, Generalization]

# Bits by which two sums of the same entropy may differ.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class ReleaseDecision:
    """A file that is within the goal, not written yet.

    Parameters
    ----------
    candidates
        The candidates that it was chosen from.
    best
        The chosen release.
    """

    candidates: Candidates
    best: BestRelease

    @cached_property
    def shown(self) -> Mapping[str, Generalization]:
        """Each column that goes out → its generalization, in the order of the table."""
        generalizations = self.candidates.generalizations
        constants = {name: some[0] for name, some in generalizations.items() if not some[0].bits}  # they cost nothing
        guarded = {name: self._secrets[name] for name in self.candidates.guarded}
        shown = {**constants, **self.best.views, **guarded}
        return {name: shown[name] for name in self.candidates.people.columns if name in shown}

    @cached_property
    def table(self) -> Any:
        """The rows that go out as an Arrow table, with the sensitive columns that do not go out."""
        columns = list(dict.fromkeys([*self.shown, *self._secrets]))
        return table_of({**self.shown, **self._secrets}, self.candidates.values, columns, self.best, self._order)

    @property
    def rows(self) -> Integers:
        """The number in the whole table of each row that goes out."""
        return np.flatnonzero(self.candidates.left)[self._order]

    @cached_property
    def _order(self) -> Codes:
        return shuffled_rows(self.best)

    @property
    def suppressed(self) -> int:
        """The number of people who are left out."""
        return self.candidates.suppressed + int(self.best.cut.out.sum())

    @property
    def publish(self) -> tuple[str, ...]:
        """The columns that go out and their generalizations, as ``publish`` of a release takes them."""
        return tuple(
            name if view.how == AS_IT_IS and "=" not in name else f"{name}={view.how}"
            for name, view in self.shown.items()
        )

    @cached_property
    def costs(self) -> dict[str, Any]:
        """The utility that the file keeps, its upper bound, and the loss by suppression, by name."""
        candidates = self.candidates
        costs = costs_of(
            candidates.people,
            candidates.generalizations,
            self.best,
            candidates.options.utility,
            sensitive=[*candidates.secrets],
            guarded=[self._secrets[name] for name in candidates.guarded],
        )
        return costs | {"bound": 1.0, "ended": "chosen"} if candidates.chosen else costs

    @cached_property
    def columns(self) -> tuple[ReleasedColumn, ...]:
        """The verdict on each column, with its costs."""
        return tuple(self._columns())

    @property
    def _secrets(self) -> Mapping[str, Generalization]:
        return {name: identity_generalization(column, ()) for name, column in self.candidates.secrets.items()}

    def _columns(self) -> Iterator[ReleasedColumn]:
        people = self.candidates.people
        no_generalization = (
            "no generalization fits with the others"
            if self.best.ended == "proved"
            else "no generalization within the goal was found"
        )
        alone = people.class_sizes_of_all([name] for name in people.columns)
        for name, whole in zip(people.columns, (sizes.entropy for sizes in alone), strict=True):
            if name in self.shown:
                view = self.shown[name]
                verdict = "publish" if view.is_as_it_was else "suppress" if view.is_redacted else "generalize"
                redacted = verdict == "generalize" and name in self.candidates.redactions
                how = f"{view.how}, {self.candidates.redactions[name].how}" if redacted else view.how
                lost = max(0.0, whole - view.bits) if abs(whole - view.bits) > _ROUNDING else 0.0
                values = len(self.table[name].unique())
                yield ReleasedColumn(name, verdict, how, whole, lost, values, view.missing)
            else:
                why = self.candidates.reasons.get(name, no_generalization)
                yield ReleasedColumn(name, "drop", why, whole, whole, 0)


def decide_release(
    candidates: Candidates,
    seconds: float | None = None,
    progress: Callable[[int], None] = lambda _: None,
    *,
    starts: Sequence[Choice] = (),
    sets: int | None = None,
    to_proof: bool = False,
) -> ReleaseDecision:
    """Return the most useful release within the goal, or the one whose generalizations the user chose.

    Parameters
    ----------
    candidates
        The candidates to choose from.
    seconds
        The time limit of the search; by default it ends after a number of steps.
    progress
        A function that is called with the number of columns of the best release so far.
    starts
        Choices that are known to be good: the result is at least as useful as any of them that is within the goal.
    sets
        The largest number of choices of generalizations that the search examines.
    to_proof
        Whether the search goes through all choices, if they are few, to prove that none is better.

    Raises
    ------
    NothingWithinGoalError
        If nothing useful is within the goal; the message has the nearest choice and the ways out.
    """
    best = most_useful_release(
        candidates.generalizations,
        candidates.secrets,
        candidates.goal,
        candidates.people.people - candidates.suppressed,
        keep=[name for name in candidates.keep if name not in candidates.secrets],
        chosen=candidates.chosen,
        most_suppressed=candidates.max_suppressed,
        suppress=candidates.options.suppress,
        utility=candidates.options.utility,
        guarded=candidates.guarded,
        starts=starts,
        sets=sets,
        to_proof=to_proof,
        time_limit=math.inf if seconds is None else seconds,
        progress=progress,
    )
    if best is None or not (best.views or candidates.guarded):
        raise NothingWithinGoalError(_refusal(candidates))
    return ReleaseDecision(candidates, best)


def _refusal(candidates: Candidates) -> str:
    secrets, goal, suppressed = candidates.secrets, candidates.goal, candidates.max_suppressed
    if chosen := candidates.chosen:
        only = {name: [generalization] for name, generalization in chosen.items()}
        return nearest(only, secrets, goal, [*chosen], suppressed, chosen=True)
    if not candidates.generalizations:
        return none_left(candidates.reasons)
    return nearest(candidates.generalizations, secrets, goal, candidates.keep, suppressed)
