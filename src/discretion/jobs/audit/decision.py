"""The recommendation: the file that the search for a release finds, or unchanged columns if none can be written."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import reduce

from discretion.anonymity import ColumnKind, Population, Selection
from discretion.anonymity.choosing.problem import SelectionProblem
from discretion.anonymity.exposure.bounds import exposed_below
from discretion.anonymity.people.coded import in_process
from discretion.anonymity.people.column_kinds import NAMING
from discretion.anonymity.releasing.search import SearchEndedError
from discretion.escaping import printable
from discretion.jobs.audit.result import BY_DROP, ColumnDecision, Columns, FrontSet, Offer
from discretion.jobs.audit.sets import AuditGoal
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.jobs.gates import Number
from discretion.jobs.options.tables import ReleaseOptions
from discretion.jobs.release.candidates import Candidates, NothingWithinGoalError, candidates_of
from discretion.jobs.release.decision import Choice, ReleaseDecision, decide_release
from discretion.jobs.release.verification import checked_table
from discretion.jobs.release.ways_out import WayOut, ways_out
from discretion.jobs.table_measures import guess_reports
from discretion.numerics.equivalence_classes import everybody, refined, rows_in_small
from discretion.presenting.numbers import bits, percent
from discretion.spelling.rules import rule_of

_NOT_IN_TIME = "not known to fit: the time was over before"
# The search for a file starts with this many sets of columns that may go out unchanged.
_STARTS = 5
# Kinds of columns that are shown with the verdict: they stand out although they name nobody.
_STANDING_OUT = ("date", "coordinate", "weight", "measurement")


@dataclass(frozen=True, eq=False)
class Recommendation:
    """The recommendation of an audit, and the people of the recommended file as it would be written.

    Parameters
    ----------
    columns
        The decision on each column.
    offers
        The files, or sets of columns, that may go out, the recommended one first; empty if nothing is within the goal.
    file
        The people in the recommended file, or of the table if its columns are recommended unchanged; None without an
        offer.
    refusal, ways_out
        The reason why no file is within the goal, with the nearest file; and options with one limit eased, of which one
        file is within the goal.
    numbers
        The numbers of the file by the names that gates use; empty if no file is written.
    unsearched
        The reason why no file was searched for, if the rows are the reason.
    """

    columns: tuple[ColumnDecision, ...]
    offers: tuple[Offer, ...]
    file: Population | None
    refusal: str | None = None
    ways_out: tuple[WayOut, ...] = ()
    numbers: Mapping[str, Number] = field(default_factory=dict[str, Number])
    unsearched: str | None = None


def recommended_file(
    people: Population,
    options: ReleaseOptions,
    selection: Selection,
    kinds: Mapping[str, ColumnKind],
    *,
    memory: int | str | None,
    time: TimeLimit,
    progress: Callable[[str], None],
) -> Recommendation:
    """Return the file to publish by the search of a release.

    The second offer is a file with more columns, if one is within the goal.

    Raises
    ------
    TooLargeError
        If the rows do not fit into the memory.
    UnsupportedError
        If the rows have a type that no file can hold.
    """
    searching, found = ExitStack(), 0

    def better(count: int) -> None:
        nonlocal found
        if not found:
            searching.enter_context(time.searching())
        found = max(found, count, 1)
        progress(f"the file to publish: {count} columns so far")

    ways: Iterator[WayOut] = iter(())
    try:
        candidates = candidates_of(in_process(people, memory), options, progress, kinds)
        ways = ways_out(candidates, options)
        unchanged = list(_as_they_are(candidates, selection))
        progress("the file to publish")
        with searching:
            decision = decide_release(candidates, time.for_search(1 / 2), better, starts=unchanged)
    except (NothingWithinGoalError, SearchEndedError) as refusal:
        progress("what would let a file out")
        eased = tuple(time.left_for("ways_out", ways))
        is_known = not isinstance(refusal, SearchEndedError)
        if not is_known:
            time.cut_off("sets")
        columns = _nothing(people, kinds, options, is_known=is_known)
        return Recommendation(tuple(columns), (), None, str(refusal), eased)
    if decision.best.ended == "time":
        time.cut_off("sets")
    file, best, numbers = _offer(decision, options)
    offers = [best, *_more_columns(decision, options, unchanged, time.for_search(1 / 2))]
    return Recommendation(tuple(_columns(decision, selection, kinds)), tuple(offers), file, numbers=numbers)


def _offer(decision: ReleaseDecision, options: ReleaseOptions) -> tuple[Population, Offer, Mapping[str, Number]]:
    """Return the people of a file, the file as an offer, and its numbers, all counted by the engine."""
    columns, candidates = tuple(decision.shown), decision.candidates
    redact = tuple(name for name in candidates.options.redact if name in columns)
    rules = tuple(line for line in options.rules if rule_of(line).column in columns)
    values = {name: candidates.values[name].to_pylist() for name in candidates.guarded}
    file = Population(decision.table)
    checked, numbers = checked_table(
        decision.table, columns, [*candidates.secrets], candidates.goal, values, written=file
    )
    offer = Offer(
        by=decision.candidates.options.utility,
        columns=columns,
        plan=replace(options, columns=None, keep=(), redact=redact, rules=rules, publish=decision.publish),
        suppressed=decision.suppressed,
        exposed_people=checked.exposed_people,
        exposure=checked.exposure,
        bits=file.class_sizes(columns).entropy,
        utility=decision.costs["kept"],
        bound=decision.costs["bound"],
        ended=decision.costs["ended"],
        guesses=checked.guesses,
    )
    return file, offer, numbers


def _more_columns(
    decision: ReleaseDecision, options: ReleaseOptions, unchanged: Sequence[Choice], seconds: float | None
) -> Iterator[Offer]:
    """Yield the file that keeps most columns, if it has more of them than this one."""
    candidates = decision.candidates
    by_columns = replace(candidates, options=replace(candidates.options, utility="columns"))
    try:
        other = decide_release(by_columns, seconds, starts=[decision.best.views, *unchanged])
    except (NothingWithinGoalError, SearchEndedError):  # the time was over before anything was found
        return
    if len(other.shown) > len(decision.shown):
        yield _offer(other, options)[1]


def _as_they_are(candidates: Candidates, selection: Selection) -> Iterator[Choice]:
    """Yield the best sets of columns that may go out unchanged, as choices of generalizations."""
    for chosen in selection.maximal[:_STARTS]:
        known = [name for name in chosen.columns if name in candidates.generalizations]
        yield {name: candidates.generalizations[name][0] for name in known}


def _columns(
    decision: ReleaseDecision, selection: Selection, kinds: Mapping[str, ColumnKind]
) -> Iterator[ColumnDecision]:
    """Yield the decision on each column that is examined, in the words of the release."""
    exposed_with = _exposed_with(decision)
    unchanged = tuple(name for name, view in decision.shown.items() if view.is_as_it_was)
    for each in decision.columns:
        if each.column not in kinds:
            continue
        choices = tuple(view.how for view in decision.candidates.generalizations.get(each.column, ()))
        called = f"{kind.kind}: " if (kind := kinds[each.column]).kind in _STANDING_OUT else ""
        if each.verdict == "drop":
            source = selection.functions.get(each.column)
            follows = source in unchanged and each.column not in decision.candidates.reasons
            why = each.how
            if follows:
                why = f"determined by {printable(str(source))}: adds nothing"
            elif each.column in exposed_with:
                why = f"{percent(exposed_with[each.column])} exposed with it"
            yield ColumnDecision(each.column, "drop", why if why.startswith(called) else called + why, choices)
        elif each.verdict == "publish":
            reason = _why_published(each.column, selection, unchanged)
            reason = reason or f"{bits(each.bits)} bits of information"
            yield ColumnDecision(each.column, "publish", called + reason, choices)
        else:
            left = f"{bits(each.bits - each.bits_lost)} of {bits(each.bits)} bits"
            yield ColumnDecision(each.column, each.verdict, f"{called}{each.how}: {left}", choices)


def _exposed_with(decision: ReleaseDecision) -> Mapping[str, float]:
    """Return the columns that even at their coarsest expose too many with the published ones, and the share exposed."""
    candidates, goal = decision.candidates, decision.candidates.goal
    people = decision.best.cut.out.size
    shown = reduce(refined, (view.column for view in decision.best.views.values()), everybody(people))
    shares = {
        name: rows_in_small(shown, some[-1].column, goal.k) / people
        for name, some in candidates.generalizations.items()
        if name not in decision.shown
    }
    return {name: share for name, share in shares.items() if share > goal.budget + candidates.max_suppressed / people}


def _nothing(
    people: Population, kinds: Mapping[str, ColumnKind], options: ReleaseOptions, *, is_known: bool
) -> Iterator[ColumnDecision]:
    """Yield the reason for each column, given whether the search proved that no file is within the goal."""
    for name, kind in kinds.items():
        if name in options.drop:
            why = BY_DROP
        elif name in options.sensitive and name not in options.keep:
            why = "sensitive: goes out only if kept"
        elif kind.kind in NAMING and name not in options.keep:
            why = f"{kind.kind}: {kind.reason}"
        elif not is_known:
            why = _NOT_IN_TIME
        else:
            alone = people.class_sizes([name]).exposure(k=options.k)
            why = f"{percent(alone)} exposed by it alone" if alone > options.budget else "no file is within the goal"
        yield ColumnDecision(name, "drop", why)


def offer_of(population: Population, selection: Selection) -> Offer | None:
    """Return the best set of a selection as an offer of unchanged columns, for tables without a release."""
    best = selection.best
    if best is None or not best.columns:
        return None
    exposure = best.exposure
    assert isinstance(exposure, float)
    return Offer(
        by="unchanged",
        columns=best.columns,
        plan=None,
        suppressed=0,
        exposed_people=round(exposure * population.people),
        exposure=exposure,
        bits=population.class_sizes(best.columns).entropy,
        utility=best.utility,
        bound=selection.bound,
        ended=selection.ended,
        guesses=guess_reports(population, best.columns, best.guesses),
    )


def front_of(population: Population, selection: Selection) -> Iterator[FrontSet]:
    """Yield the sets with a positive utility that no other set beats both in utility and in exposure."""
    for chosen in selection.front:
        assert isinstance(chosen.exposure, float)
        if chosen.utility:
            exposed = round(chosen.exposure * population.people)
            yield FrontSet(chosen.columns, chosen.utility, exposed, chosen.exposure)


def columns_as_they_are(
    population: Population,
    problem: SelectionProblem,
    kinds: Mapping[str, ColumnKind],
    selection: Selection,
    goal: AuditGoal,
    *,
    time: TimeLimit,
) -> Iterator[ColumnDecision]:
    """Yield the decision on each column, given the columns that are recommended unchanged."""
    if selection.proved and selection.best is None and goal.keep:
        yield from _nothing_with(goal.keep, kinds)
        return
    published = selection.columns
    secret = [name for name in goal.sensitive if name not in published]
    naming = [name for name, kind in kinds.items() if kind.kind in NAMING]
    open_to = [name for name in kinds if name not in (*published, *goal.drop, *secret, *naming)]
    called = {name: f"{kind.kind}: " if kind.kind in _STANDING_OUT else "" for name, kind in kinds.items()}
    together = population.class_sizes_of_all([*published, name] for name in open_to if time.left)
    least = problem.allowed.least
    beside = {name: exposed_below(sizes, least) for name, sizes in zip(open_to, together, strict=False)}
    for name, kind in kinds.items():
        if name in published:
            entropy = population.class_sizes([name]).entropy
            reason = _why_published(name, selection, published) or f"{bits(entropy)} bits of information"
            yield ColumnDecision(name, "publish", called[name] + reason)
        elif name in goal.drop:
            yield ColumnDecision(name, "drop", BY_DROP)
        elif name in secret:
            yield ColumnDecision(name, "drop", "sensitive: goes out only if kept")
        elif name in naming:
            yield ColumnDecision(name, "drop", f"{kind.kind}: {kind.reason}")
        elif name not in beside:
            yield ColumnDecision(name, "drop", _NOT_IN_TIME)
        elif beside[name] > problem.allowed.exposed:
            exposed = f"{percent(beside[name] / population.people)} exposed {'with it' if published else 'by it alone'}"
            yield ColumnDecision(name, "drop", called[name] + exposed)
        else:
            yield ColumnDecision(name, "drop", _why_dropped(selection, goal))


def _nothing_with(kept: Columns, columns: Iterable[str]) -> Iterator[ColumnDecision]:
    """Yield a drop for each column, since the columns to be kept already give away too much."""
    for name in columns:
        why = "to be kept, and over the budget" if name in kept else "no column fits with those to be kept"
        yield ColumnDecision(name, "drop", why)


def _why_published(name: str, selection: Selection, published: Columns) -> str | None:
    if name in selection.constants:
        return "one value: no information"
    for sources, how in ((selection.functions, "determined by"), (selection.nearly, "nearly determined by")):
        if sources.get(name) in published:
            return f"{how} {printable(sources[name])}"
    return None


def _why_dropped(selection: Selection, goal: AuditGoal) -> str:
    """Return why a column is not published although few enough people are exposed with it."""
    if not selection.proved:
        return "not known to fit: the search ended before" if goal.sensitive else "fits too: the search ended before"
    return "with it a sensitive value is guessed too well" if goal.sensitive else "given no weight"
