"""What to do with each column: publish it, make it coarser, redact its rare values, or drop it."""

from collections.abc import Iterator, Mapping
from typing import Literal

from tacit.anonymity import ColumnKind, Population, Selection
from tacit.anonymity.attacks.attack import inferences
from tacit.jobs.audit.result import ColumnDecision, GuessReport, Offer
from tacit.jobs.audit.sets import NAMING, Wanted
from tacit.jobs.audit.views import Views
from tacit.presenting.numbers import bits, percent
from tacit.printable import printable

# Coarser views are tried of so many columns, those first with which fewest are exposed.
_VIEWED = 40


def offer_of(population: Population, selection: Selection, by: Literal["columns", "bits"]) -> Offer | None:
    """Return the best set of a selection as an offer."""
    best = selection.best
    if best is None or not best.columns:
        return None
    exposure = best.exposure
    assert isinstance(exposure, float)
    attacks = {
        name: inferences(population, [tuple(column for column in best.columns if column != name)], name)
        for name in best.guesses
    }
    return Offer(
        by=by,
        columns=best.columns,
        exposed_people=round(exposure * population.people),
        exposure=exposure,
        bits=population.class_sizes(best.columns).entropy,
        utility=best.utility,
        bound=selection.bound,
        ended=selection.ended,
        guesses=tuple(
            GuessReport(name, attack.prior, attack.posterior, attack.certain_people)
            for name, (attack,) in attacks.items()
        ),
    )


def decide(
    population: Population, kinds: Mapping[str, ColumnKind], selection: Selection, wanted: Wanted
) -> Iterator[ColumnDecision]:
    """Yield what to do with each column, beside the columns that are recommended."""
    published = selection.columns
    secret = [name for name in wanted.sensitive if name not in published]
    naming = [name for name, kind in kinds.items() if kind.kind in NAMING]
    open_to = [name for name in kinds if name not in (*published, *wanted.drop, *secret, *naming)]
    together = population.class_sizes_of_all([*published, name] for name in open_to)
    beside = {name: sizes.exposure(k=wanted.k) for name, sizes in zip(open_to, together, strict=True)}
    views = Views(population, published, sorted(open_to, key=beside.__getitem__)[:_VIEWED], wanted)
    for name, kind in kinds.items():
        if name in published:
            entropy = population.class_sizes([name]).entropy
            yield ColumnDecision(name, "publish", _why_published(name, selection) or f"tells {bits(entropy)} bits")
        elif name in wanted.drop:
            yield ColumnDecision(name, "drop", "as told")
        elif name in secret:
            yield ColumnDecision(name, "drop", "sensitive: goes out only if kept")
        elif name in naming:
            yield ColumnDecision(name, "drop", f"{kind.kind}: {kind.reason}")
        elif view := views.of(name):
            yield ColumnDecision(name, *view)
        elif beside[name] > wanted.budget:
            yield ColumnDecision(name, "drop", f"{percent(beside[name])} exposed with it")
        else:
            yield ColumnDecision(name, "drop", _why_dropped(selection, wanted))


def _why_published(name: str, selection: Selection) -> str | None:
    if name in selection.constants:
        return "one value: tells nothing"
    source = selection.functions.get(name)
    return None if source not in selection.columns else f"follows from {printable(source or '')}"


def _why_dropped(selection: Selection, wanted: Wanted) -> str:
    """Return why a column is not published with which few enough people are exposed."""
    if not selection.proved:
        return "not known to fit: the search ended before"
    return "with it a sensitive value is guessed too well" if wanted.sensitive else "told to be worth nothing"
