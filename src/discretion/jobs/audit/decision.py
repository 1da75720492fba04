"""What to do with each column: publish it, make it coarser, redact its rare values, or drop it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from discretion.anonymity import ColumnKind, Population, Selection
from discretion.anonymity.choosing.problem import Asked
from discretion.anonymity.people.column_kinds import NAMING
from discretion.escaping import printable
from discretion.jobs.audit.decision_result import AS_TOLD, ColumnDecision, Columns, FrontSet, Offer
from discretion.jobs.audit.sets import Wanted
from discretion.jobs.audit.time_limit import TimeLimit
from discretion.jobs.audit.views import Views
from discretion.jobs.table_measures import guess_reports
from discretion.presenting.numbers import bits, percent

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
    for found in selection.front:
        assert isinstance(found.exposure, float)
        if found.utility:
            exposed = round(found.exposure * population.people)
            yield FrontSet(found.columns, found.utility, exposed, found.exposure)


def decide(
    population: Population,
    asked: Asked,
    kinds: Mapping[str, ColumnKind],
    selection: Selection,
    wanted: Wanted,
    *,
    time: TimeLimit,
) -> Iterator[ColumnDecision]:
    """Yield what to do with each column, beside the columns that are recommended."""
    if selection.proved and selection.best is None and wanted.keep:
        yield from _nothing_with(wanted.keep, kinds)
        return
    published = selection.columns
    secret = [name for name in wanted.sensitive if name not in published]
    naming = [name for name, kind in kinds.items() if kind.kind in NAMING]
    open_to = [name for name in kinds if name not in (*published, *wanted.drop, *secret, *naming)]
    views = Views(population, asked, published)
    called = {name: f"{kind.kind}: " if kind.kind in _STANDING_OUT else "" for name, kind in kinds.items()}
    beside = views.exposed_with(open_to if time.left else ())
    viewed = sorted(beside, key=beside.__getitem__)[:_VIEWED]
    for name, kind in kinds.items():
        if name in published:
            entropy = population.class_sizes([name]).entropy
            told = _why_published(name, selection) or f"tells {bits(entropy)} bits"
            yield ColumnDecision(name, "publish", called[name] + told)
        elif name in wanted.drop:
            yield ColumnDecision(name, "drop", AS_TOLD)
        elif name in secret:
            yield ColumnDecision(name, "drop", "sensitive: goes out only if kept")
        elif name in naming:
            yield ColumnDecision(name, "drop", f"{kind.kind}: {kind.reason}")
        elif name not in beside:
            yield ColumnDecision(name, "drop", "not known to fit: the time was over before")
        elif name in viewed and (view := views.of(name)):
            yield ColumnDecision(name, view[0], called[name] + view[1])
        elif beside[name] > asked.allowed.exposed:
            exposed = f"{percent(beside[name] / population.people)} exposed {'with it' if published else 'by it alone'}"
            yield ColumnDecision(name, "drop", called[name] + exposed)
        else:
            yield ColumnDecision(name, "drop", _why_dropped(selection, wanted))


def _nothing_with(kept: Columns, columns: Iterable[str]) -> Iterator[ColumnDecision]:
    """Yield that nothing goes out, since what is to be kept gives away too much already."""
    for name in columns:
        why = "to be kept, and over the budget" if name in kept else "nothing fits beside what is to be kept"
        yield ColumnDecision(name, "drop", why)


def _why_published(name: str, selection: Selection) -> str | None:
    if name in selection.constants:
        return "one value: tells nothing"
    for sources, how in ((selection.functions, "follows"), (selection.nearly, "nearly follows")):
        if sources.get(name) in selection.columns:
            return f"{how} from {printable(sources[name])}"
    return None


def _why_dropped(selection: Selection, wanted: Wanted) -> str:
    """Return why a column is not published with which few enough people are exposed."""
    if not selection.proved:
        return "not known to fit: the search ended before" if wanted.sensitive else "fits too: the search ended before"
    return "with it a sensitive value is guessed too well" if wanted.sensitive else "told to be worth nothing"
