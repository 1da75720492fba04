"""What to do with each column: publish it, make it coarser, redact its rare values, or drop it."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from discretion.anonymity import ColumnKind, Population, Selection
from discretion.anonymity.choosing.problem import SelectionProblem
from discretion.anonymity.exposure.bounds import exposed_below
from discretion.anonymity.people.column_kinds import NAMING
from discretion.escaping import printable
from discretion.jobs.audit.result import BY_DROP, ColumnDecision, Columns, FrontSet, Offer, Verdict
from discretion.jobs.audit.sets import AuditGoal
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.jobs.table_measures import guess_reports
from discretion.numerics.arrays import Integers
from discretion.numerics.equivalence_classes import Column, best_guesses, everybody, refined, rows_in_small
from discretion.presenting.numbers import bits, percent
from discretion.tables.counting.codes import column_numbers

# What a column is called by that stands out though it names nobody, where it is said what to do with it.
_STANDING_OUT = ("date", "coordinate", "weight", "measurement")
# Coarser views are tried of so many columns, those first with which fewest are exposed.
_VIEWED = 40


def offer_of(population: Population, selection: Selection, by: Literal["columns", "bits"]) -> Offer | None:
    """Return the best set of a selection as an offer."""
    best = selection.best
    if best is None or not best.columns:
        return None
    exposure = best.exposure
    assert isinstance(exposure, float)
    return Offer(
        by=by,
        columns=best.columns,
        exposed_people=round(exposure * population.people),
        exposure=exposure,
        bits=population.class_sizes(best.columns).entropy,
        utility=best.utility,
        bound=selection.bound,
        ended=selection.ended,
        guesses=guess_reports(population, best.columns, best.guesses),
    )


def front_of(population: Population, selection: Selection) -> Iterator[FrontSet]:
    """Yield the sets that are worth something and of which none is as useful as another that exposes no more."""
    for chosen in selection.front:
        assert isinstance(chosen.exposure, float)
        if chosen.utility:
            exposed = round(chosen.exposure * population.people)
            yield FrontSet(chosen.columns, chosen.utility, exposed, chosen.exposure)


def decide(
    population: Population,
    problem: SelectionProblem,
    kinds: Mapping[str, ColumnKind],
    selection: Selection,
    goal: AuditGoal,
    *,
    time: TimeLimit,
) -> Iterator[ColumnDecision]:
    """Yield what to do with each column, beside the columns that are recommended."""
    if selection.proved and selection.best is None and goal.keep:
        yield from _nothing_with(goal.keep, kinds)
        return
    published = selection.columns
    secret = [name for name in goal.sensitive if name not in published]
    naming = [name for name, kind in kinds.items() if kind.kind in NAMING]
    open_to = [name for name in kinds if name not in (*published, *goal.drop, *secret, *naming)]
    generalizations = Generalizations(population, problem, published)
    called = {name: f"{kind.kind}: " if kind.kind in _STANDING_OUT else "" for name, kind in kinds.items()}
    beside = generalizations.exposed_with(open_to if time.left else ())
    viewed = sorted(beside, key=beside.__getitem__)[:_VIEWED]
    for name, kind in kinds.items():
        if name in published:
            entropy = population.class_sizes([name]).entropy
            reason = _why_published(name, selection) or f"{bits(entropy)} bits of information"
            yield ColumnDecision(name, "publish", called[name] + reason)
        elif name in goal.drop:
            yield ColumnDecision(name, "drop", BY_DROP)
        elif name in secret:
            yield ColumnDecision(name, "drop", "sensitive: goes out only if kept")
        elif name in naming:
            yield ColumnDecision(name, "drop", f"{kind.kind}: {kind.reason}")
        elif name not in beside:
            yield ColumnDecision(name, "drop", "not known to fit: the time was over before")
        elif name in viewed and (view := generalizations.fitting(name)):
            yield ColumnDecision(name, view[0], called[name] + view[1])
        elif beside[name] > problem.allowed.exposed:
            exposed = f"{percent(beside[name] / population.people)} exposed {'with it' if published else 'by it alone'}"
            yield ColumnDecision(name, "drop", called[name] + exposed)
        else:
            yield ColumnDecision(name, "drop", _why_dropped(selection, goal))


def _nothing_with(kept: Columns, columns: Iterable[str]) -> Iterator[ColumnDecision]:
    """Yield that nothing goes out, since what is to be kept gives away too much already."""
    for name in columns:
        why = "to be kept, and over the budget" if name in kept else "nothing fits beside what is to be kept"
        yield ColumnDecision(name, "drop", why)


def _why_published(name: str, selection: Selection) -> str | None:
    if name in selection.constants:
        return "one value: no information"
    for sources, how in ((selection.functions, "follows"), (selection.nearly, "nearly follows")):
        if sources.get(name) in selection.columns:
            return f"{how} from {printable(sources[name])}"
    return None


def _why_dropped(selection: Selection, goal: AuditGoal) -> str:
    """Return why a column is not published with which few enough people are exposed."""
    if not selection.proved:
        return "not known to fit: the search ended before" if goal.sensitive else "fits too: the search ended before"
    return "with it a sensitive value is guessed too well" if goal.sensitive else "given no weight"


# A number is put into so many steps at most.
_STEPS = 50
# Values that fewer people hold than so many times k are merged into one.
_TIMES_K = (1, 2, 5, 10, 20, 50)
# The share of a column's entropy that a view must keep to be worth it.
_ENOUGH = 0.25


class Generalizations:
    """Generalizations of columns, tried beside those that are published, where the rows are in this process.

    Parameters
    ----------
    population
        The people.
    problem
        What a set may give away, and codes of the rows.
    published
        The columns that go out in any case.
    """

    def __init__(self, population: Population, problem: SelectionProblem, published: Columns) -> None:
        self._population, self._published, self._allowed = population, published, problem.allowed
        self._coded: Mapping[str, Column] = problem.codes or {}
        self._classes = self._alike(published)
        # Each sensitive column, the classes of who is alike on the others, and how many guesses may be right.
        self._secrets = [
            (self._coded[name], self._alike([column for column in published if column != name]), right)
            for name, right in problem.allowed.guessed.items() if self._coded
        ]  # fmt: skip

    def _alike(self, columns: Sequence[str]) -> Column:
        classes = everybody(self._population.people)
        for name in columns if self._coded else ():
            classes = refined(classes, self._coded[name])
        return classes

    def exposed_with(self, names: Sequence[str]) -> Mapping[str, int]:
        """Return how many people each of some columns exposes beside those that are published."""
        least = self._allowed.least
        if self._coded:
            return {name: rows_in_small(self._classes, self._coded[name], least) for name in names}
        together = self._population.class_sizes_of_all([*self._published, name] for name in names)
        return {name: exposed_below(sizes, least) for name, sizes in zip(names, together, strict=True)}

    def fitting(self, name: str) -> tuple[Verdict, str] | None:
        """Return what to do for some generalization of the column to fit, and how, if there is one."""
        if not self._coded:
            return None
        return next((generalization for generalization in (*self._steps(name), *self._without_rare(name))), None)

    def _steps(self, name: str) -> Iterator[tuple[Verdict, str]]:
        """Yield the finest steps that a number fits in."""
        values, column = self._population.read_rows(lambda rows, _: column_numbers(rows, name)), self._coded[name]
        if values is None or np.isnan(values).all():
            return
        numbers = np.full(column.count, math.nan)
        numbers[column.codes] = values  # the rows of a code have one number
        span = float(np.nanmax(numbers) - np.nanmin(numbers))
        if not 0 < span < math.inf:
            return
        least = 10 ** math.floor(math.log10(span / _STEPS))
        for step in (lead * least * 10**tens for tens in range(4) for lead in (1, 2, 5)):
            places = np.floor(numbers / step)
            _, codes = np.unique(places, return_inverse=True)
            if 1 < codes.max() + 1 <= _STEPS and self._fits(codes[column.codes], column):
                yield "coarsen", f"in steps of {step:g} it fits"

    def _without_rare(self, name: str) -> Iterator[tuple[Verdict, str]]:
        """Yield the fewest rare values to be merged into one."""
        column = self._coded[name]
        sizes = np.bincount(column.codes, minlength=column.count)
        for most in (times * self._allowed.least for times in _TIMES_K):
            rare = sizes < most
            if (
                rare.any()
                and (~rare).sum() > 1
                and self._fits(np.where(rare, 0, np.cumsum(~rare))[column.codes], column)
            ):
                yield "redact", f"without the values of fewer than {most:,} it fits"

    def _fits(self, codes: Integers, column: Column) -> bool:
        """Whether a view says less than the column but enough, and goes out with what is published."""
        view = Column(codes.astype(np.int32), int(codes.max()) + 1)
        if refined(view, everybody(codes.size)).count == column.count or _bits(view) < _ENOUGH * _bits(column):
            return False
        certainly = self._allowed.certain
        return rows_in_small(self._classes, view, self._allowed.least) <= self._allowed.exposed and all(
            right <= most and (certainly is None or certain <= certainly)
            for secret, classes, most in self._secrets
            for right, certain in [best_guesses(refined(classes, view), secret)]
        )


def _bits(column: Column) -> float:
    shares = np.bincount(column.codes) / column.codes.size
    return -float(shares @ np.log2(shares, where=shares > 0, out=np.zeros_like(shares)))
