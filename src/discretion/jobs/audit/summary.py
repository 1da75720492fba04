"""The first sections of an audit's document: the recommendation, each column's verdict, and the whole table's risks."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.audit.collection_document import in_short
from discretion.jobs.audit.result import (
    BY_DROP,
    Audit,
    ColumnDecision,
    InferenceReport,
    Offer,
    RiskReport,
    SetNames,
)
from discretion.jobs.release.blanks import no_decoys
from discretion.jobs.release.result import KEPT
from discretion.jobs.table_measures import GuessReport
from discretion.presenting.names import briefly, listed
from discretion.presenting.numbers import bounded, is_any_share, odds, people, percent, points, times
from discretion.presenting.sentences import ENDED
from discretion.presenting.shell import Command
from discretion.presenting.views.document import Abridged, Advice, Block, Bullets, Cell, Grid, Section

_VERDICTS = ("publish", "generalize", "suppress", "drop")
# Up to this many columns of a second set are named one by one.
_LISTED = 8
_OUT = "--out=published.parquet"
_MODELS = "The models rest on assumptions, which --json lists; their estimates may differ widely."
# Rows of the first screen.
_FIRST = 12
# The risks on the first screen.
_FIRST_RISKS = ("prosecutor risk, highest", "prosecutor risk, average", "marketer risk", "singling out", "inference:")
# A page shows at most this many columns to drop below those to publish; the others are folded.
_DROPPED = 15


def first_sections(audit: Audit) -> tuple[Section, ...]:
    """Return the decision and its reasons, for readers who stop there."""
    return (
        Section("What to publish", tuple(_publish(audit)), name="decision"),
        Section("What to do with each column", tuple(_columns(audit)), name="verdicts"),
        Section("What would go wrong with the whole table", tuple(_whole(audit)), name="whole"),
    )


def _publish(audit: Audit) -> Iterator[Block]:
    if audit.decision.question is not None:
        yield Advice(f"First a question: {audit.decision.question}.")
    if audit.cut_short:
        yield Advice(
            "The time limit cut this audit short: what it shows holds. The full report lists what was not examined."
        )
    yield Bullets(tuple(recommendation(audit)))
    for column in audit.redaction.ruled:
        if column.suspicion == 1 and column.column in audit.decision.recommended:
            yield Advice(no_decoys(column.column, f"{column.people:,}", column.enough_decoys))
    if (step := next_step(audit)) is not None:
        yield from step
    for other in audit.decision.offers[1:]:
        assert other.plan is not None
        if more := _step("Or the file with more columns:", "release", audit.table, *other.plan.arguments(), _OUT):
            yield Abridged((), more)
    yield from _ways_out(audit)
    yield Abridged((), tuple(in_short(audit.collection)))


# The sentence for each limit whose easing lets a file out.
_LIMITS = {
    "k": "People count as exposed if fewer than {} share their values",
    "budget": "{} of the people may be exposed",
    "max_suppressed": "{} of the people may be left out",
    "guess_budget": "The share of correct guesses of a sensitive value may rise by {} of the people",
}
# How many ways out are on the first screen.
_WAYS = 3


def _ways_out(audit: Audit) -> Iterator[Block]:
    """Yield the ways out if nothing is within the goal, each with the command that writes its file."""
    for way in audit.decision.ways_out[:_WAYS]:
        value = getattr(way.options, way.limit)
        purpose = f"{_LIMITS[way.limit].format(value if way.limit == 'k' else percent(value))}:"
        step = _step(purpose, "release", audit.table, *way.options.arguments(), _OUT)
        if step is not None:
            yield from step


def recommendation(audit: Audit) -> Iterator[str]:
    """Yield the recommended columns and what they give away, or the reason why none goes out.

    Examples
    --------
    >>> import discretion as dc
    >>> next(recommendation(dc.audit("example:adult", columns=["sex", "race"])))
    'Publish all 2 columns: sex, race. They expose nobody; the budget is 1 %.'
    """
    if not audit.decision.offers:
        yield _nothing(audit)
        if audit.decision.refusal is not None:
            yield f"{audit.decision.refusal[:1].upper()}{audit.decision.refusal[1:]}."
        if "sets" not in audit.cut_short and any(each.reason != BY_DROP for each in audit.decision.columns):
            ways = "A file goes out if one of these changes; or ask" if audit.decision.ways_out else "Ask"
            yield f"{ways} the people instead: the full report shows how."
        return
    best, *others = audit.decision.offers
    publish = "Publish" if audit.decision.question is None else "If every row is a person of its own, publish"
    yield f"{publish} {_many(audit, best)}: {listed(best.columns)}. {_offered(audit, best)}"
    if (proof := _proof(audit)) is not None:
        yield proof
    for other in others:
        yield _more_columns(best, other)


def _more_columns(best: Offer, other: Offer) -> str:
    """Return a sentence on a file with more columns, and its cost."""
    assert other.plan is not None
    changed = sum(name not in other.columns for name in other.plan.publish)
    names = f": {listed(other.columns)}" if len(other.columns) <= _LISTED else ""
    left = f"; {other.suppressed:,} left out" if other.suppressed else ""
    guesses = "".join(
        f"; {printable(each.sensitive)} guessed {percent(each.after)}, certain for "
        f"{f'{each.certain_people:,}' if each.certain_people else 'nobody'}"
        for each in other.guesses
    )
    return (
        f"For more columns, publish {len(other.columns):,}, {changed or 'none'} generalized{names}. "
        f"They have {other.bits:.3g} bits, expose {percent(other.exposure)}{left}{guesses}."
    )


def _many(audit: Audit, offer: Offer) -> str:
    """Return the number of columns that go out, and of those that are generalized."""
    count = len(offer.columns)
    if count == len(audit.columns):
        many = "the only column" if count == 1 else f"all {count:,} columns"
    else:
        many = f"{count:,} of {len(audit.columns):,} columns"
    changed = sum(each.verdict in ("generalize", "suppress") for each in audit.decision.columns)
    if not changed or offer is not audit.decision.offers[0]:
        return many
    which = f"{changed} " if changed < count else "all " if count > 1 else ""
    return f"{many}, {which}generalized as listed below"


def _offered(audit: Audit, offer: Offer) -> str:
    """Return a sentence on the exposure of a set of columns, and on guesses of the sensitive columns."""
    share = f"{offer.exposed_people:,}, {percent(offer.exposure)}"
    exposed = "nobody" if not offer.exposed_people else f"{odds(offer.exposure)} people ({share})"
    out = offer.suppressed
    left = f"{people(out).capitalize()} {'are' if out > 1 else 'is'} left out ({percent(out / audit.people)}). " * (
        out > 0
    )
    they = "The file exposes" if out else "It exposes" if len(offer.columns) == 1 else "They expose"
    guesses = "".join(
        f"; {printable(guess.sensitive)} is guessed correctly {percent(guess.after)} of the time instead of "
        f"{percent(guess.before)}{_certain(guess)}"
        for guess in offer.guesses
    )
    return f"{left}{they} {exposed}; the budget is {percent(audit.budget)}{guesses}."


def _certain(guess: GuessReport) -> str:
    """Return a clause on the number of people whose sensitive value is certain."""
    return f", and certain for {people(guess.certain_people)}" if guess.certain_people else ", and certain for nobody"


def _nothing(audit: Audit) -> str:
    """Return why no column goes out."""
    within = f"within the budget of {percent(audit.budget)}"
    if audit.sensitive:
        within += f" and guesses of {listed(audit.sensitive)} that rise by at most {points(audit.guess_budget)}"
    if "sets" in audit.cut_short:
        return f"The time limit was reached before the search could find a column that can go out {within}."
    if kept := audit.decision.kept:
        are = "is" if len(kept) == 1 else "are"
        return f"Nothing can go out: no set with {listed(kept)}, which {are} to be kept, is {within}."
    if all(each.reason == BY_DROP for each in audit.decision.columns):
        return "Nothing goes out: every column is to be dropped."
    return f"No column can go out {within}."


def _proof(audit: Audit) -> str | None:
    """Return the utility that the recommendation keeps, and the bound on other choices."""
    best = audit.decision.offers[0]
    if best.by != "unchanged":
        kept = f"The file keeps {percent(best.utility)} of {KEPT[best.by]}, {best.bits:.3g} bits a person"
        if best.ended == "proved":
            return f"{kept}; no other file within the goal keeps more: proved."
        end = "" if best.ended == "sets" else f": the search {ENDED[best.ended]}"
        return f"{kept}; no file within the goal keeps over {percent(best.bound)}{end}."
    if len(best.columns) == len(audit.columns):
        return None
    counted = " of which none follows from another" if best.utility != len(best.columns) else ""
    if best.ended == "proved":
        return f"No set within the budget has more than {columns_of(best.utility)}{counted}: proved."
    return (
        f"No set within the budget has more than {columns_of(best.bound)}{counted}; this one has {best.utility:,g}: "
        f"the search {ENDED[best.ended]}."
    )


def columns_of(utility: float) -> str:
    """Return a utility in columns.

    Examples
    --------
    >>> columns_of(1.0), columns_of(2.5), columns_of(1000)
    ('1 column', '2.5 columns', '1,000 columns')
    """
    return f"{utility:,g} column{'s' * (utility != 1)}"


def next_step(audit: Audit) -> tuple[str, Command] | None:
    """Return the next step with the recommended columns, and its command; None if there is none, or it cannot be typed.

    The step is to write the file, or, if no release can be written, to audit the columns by themselves. If a column may
    name the persons, it is the same audit by this column.
    """
    recommended, options = audit.decision.recommended, audit.options
    if (key := audit.decision.key) is not None:
        columns = None if options.columns is None else tuple(name for name in options.columns if name != key)
        if key in (*audit.sensitive, *audit.decision.kept) or columns == ():
            return None
        same = replace(options, person=key, columns=columns, drop=[name for name in options.drop if name != key])
        purpose = f"First, if {printable(key)} names the person of a row, audit people instead of rows:"
        return _step(purpose, "audit", audit.table, *same.arguments())
    if not recommended:
        return None
    if (plan := audit.decision.plan) is not None:
        purpose = "Next, write the file (it is read back and audited):"
        return _step(purpose, "release", audit.table, *plan.arguments(), _OUT)
    if len(recommended) == len(audit.columns):
        return None
    purpose = "Next, audit these columns by themselves, as a page:"
    chosen = replace(options, columns=recommended, drop=())
    return _step(purpose, "audit", audit.table, *chosen.arguments(), "--html=columns.html")


def _step(purpose: str, job: str, table: str, *options: str) -> tuple[str, Command] | None:
    """Return a step with its command, unless a terminal cannot show the arguments unchanged."""
    place = f"./{table}" if table.startswith("-") and table != "-" else table  # not read as an option
    typed = all(printable(argument) == argument for argument in (place, *options))
    return (purpose, Command(["discretion", job, place, *options])) if typed else None


def _columns(audit: Audit) -> Iterator[Block]:
    decisions = sorted(audit.decision.columns, key=lambda each: _VERDICTS.index(each.verdict))
    whole = _decision_grid(decisions)
    if len(decisions) > _FIRST + 1:
        brief = _some_of_each(decisions)
        rest = Counter(each.verdict for each in decisions) - Counter(each.verdict for each in brief)
        note = f"and {', '.join(f'{count:,} more to {verdict}' for verdict, count in rest.items())}: --full"
        yield Abridged((_decision_grid(brief, note),), (whole,))
    else:
        yield whole


def _decision_grid(decisions: Sequence[ColumnDecision], note: str = "") -> Grid:
    drops = sum(each.verdict == "drop" for each in decisions)
    return Grid(
        ("column", "do", "why"),
        tuple((each.column, each.verdict, each.reason) for each in decisions),
        frozenset(("column", "do", "why")),
        note,
        first=len(decisions) if drops <= _DROPPED + 1 else len(decisions) - drops + _DROPPED,
        rest="more columns to drop",
        strong=frozenset(place for place, each in enumerate(decisions) if each.verdict != "drop"),
    )


def _some_of_each(decisions: list[ColumnDecision]) -> list[ColumnDecision]:
    """Return the first columns of each verdict, up to the room on the first screen."""
    ahead = Counter[str]()
    places: list[tuple[int, int]] = []
    for i, each in enumerate(decisions):
        places.append((ahead[each.verdict], i))
        ahead[each.verdict] += 1
    return [decisions[i] for i in sorted(i for _, i in sorted(places)[:_FIRST])]


def _whole(audit: Audit) -> Iterator[Block]:
    yield Bullets((_exposed_whole(audit), *(guess_sentence(audit, best) for best in _best_guesses(audit))))
    first = [risk for risk in audit.risks if risk.name.startswith(_FIRST_RISKS)]
    yield Abridged(tuple(_risks(audit, first, brief=True)), tuple(_risks(audit, audit.risks)))
    yield from unique_among_all(audit)
    if audit.uniqueness is not None and audit.uniqueness.models:
        yield Grid(
            ("model", "unique among all", "of those unique here"),
            tuple(_uniqueness_row(model, audit.uniqueness.advised) for model in audit.uniqueness.models),
            frozenset(("model",)),
            caption="Unique in the population, by models",
            first=len(audit.uniqueness.models),
        )
    yield Abridged(tuple(_not_examined(audit)), ())


def _not_examined(audit: Audit) -> Iterator[Block]:
    """Yield the number of parts that were not examined, and those that an option would examine."""
    if missing := len(audit.not_examined):
        optional = [sentence for sentence in audit.not_examined if "(--" in sentence]
        among = f"{':' if missing == 1 else ', among them'} {' '.join(optional)}" if optional else "."
        yield f"Not examined: {missing} {'part' if missing == 1 else 'parts'}{among}"


def _exposed_whole(audit: Audit) -> str:
    whole = audit.sets.whole
    others = "1 other" if audit.k == 2 else f"{audit.k - 1:,} others"
    values = "the same value" if len(whole.columns) == 1 else f"all {len(whole.columns):,} values"
    if whole.exposed_people == 0:
        return f"Published whole, the table exposes nobody: everybody shares {values} with at least {others}."
    count = f"{people(whole.exposed_people)}, {percent(whole.exposure)}"
    who = "everybody" if whole.exposure >= 1 else f"{odds(whole.exposure)} people"
    unique = f"{people(whole.unique_people)} {'are' if whole.unique_people > 1 else 'is'} unique"
    alike = "nobody else shares" if audit.k == 2 else f"fewer than {others} share"
    return f"Published whole, the table exposes {who} ({count}): {alike} {values}; {unique}."


def _best_guesses(audit: Audit) -> Iterator[InferenceReport]:
    for secret in audit.sensitive:
        guesses = [report for report in audit.inference if report.sensitive == secret]
        if guesses:
            yield max(guesses, key=lambda report: (report.posterior, -len(report.known)))


def guess_sentence(audit: Audit, best: InferenceReport) -> str:
    """Return a sentence on the guesses of a sensitive column without any column, and with those that help most."""
    return (
        f"A blind guess of {printable(best.sensitive)} is right {times(best.prior)} "
        f"({percent(best.prior)}); by an adversary that "
        f"knows {SetNames(audit).of(best.known, best.sensitive)}, {times(best.posterior)} ({percent(best.posterior)})."
    )


def _risks(audit: Audit, risks: Sequence[RiskReport], *, brief: bool = False) -> Iterator[Block]:
    """Yield the risks as regulators name them, of the whole table and of the recommended file."""
    yield Grid(
        ("risk", "whole table", "to publish"),
        tuple(
            (
                risk.name if brief else Cell(risk.name, note=risk.meaning),
                _risk(risk.whole),
                "–" if risk.recommended is None else _risk(risk.recommended),
            )
            for risk in risks
        ),
        frozenset(("risk",)),
        caption="The risks as regulators name them",
        first=len(risks),
    )
    knows = f"The adversary knows every column but {listed(audit.sensitive)}." if audit.sensitive else ""
    if audit.sets.identifier_like:
        # The whole table has identifiers; next to one, no other column adds to a guess.
        names = briefly(audit.sets.identifier_like)
        verb, them = ("names", "it") if len(audit.sets.identifier_like) == 1 else ("name", "them")
        guesses = f"; other guesses exclude {them}" if audit.inference else ""
        knows += f" “Whole table” includes {names}, which mostly {verb} a person{guesses}."
    if knows:
        yield knows.strip()
    yield from _assumptions(risks)


def _risk(value: float | Estimate) -> str:
    """Return a risk as text, with ≈ if it rests on an assumption (listed below the table)."""
    if isinstance(value, Estimate) and value.assuming is not None:
        return f"≈ {percent(value.value)}"
    return bounded(value)


def _assumptions(risks: Iterable[RiskReport]) -> Iterator[str]:
    """Yield the assumptions of the estimated risks."""
    values = [value for risk in risks for value in (risk.whole, risk.recommended) if isinstance(value, Estimate)]
    for assumption in dict.fromkeys(value.assuming for value in values if value.assuming is not None):
        yield f"≈ an estimate, assuming {assumption}; --json has its interval."


def unique_among_all(audit: Audit) -> list[str]:
    """Return sentences on uniqueness in the population: the certified bound, and a note on the models."""
    uniqueness = audit.uniqueness
    if uniqueness is None:
        return []
    columns, verb = briefly(uniqueness.columns), "is" if uniqueness.unique_people <= 1 else "are"
    here = f"{people(uniqueness.unique_people)} of {uniqueness.people:,} {verb} unique"
    bound = uniqueness.population_unique
    if not isinstance(bound, Estimate):
        return [f"By {columns}, {here}: there is nobody else."]
    if is_any_share(bound):
        sentence = (
            f"By {columns}, {here} in the table. Nothing can be concluded on how many of "
            f"all {uniqueness.population:,} people are unique by them."
        )
    else:
        sentence = (
            f"By {columns}, {here} in the table. Of all {uniqueness.population:,} people at "
            f"most {percent(bound.high)} are unique by them, if the table is a random sample: "
            f"with {percent(bound.confidence or 1.0)} confidence, for any values of the other people."
        )
    return [sentence, _MODELS] if uniqueness.models else [sentence]


def _uniqueness_row(model: UniquenessModel, advised: str | None) -> tuple[str, str, str]:
    """Return a model's estimates: the unique share of the population, and of the people unique in the table."""
    name = f"{model.name}, advised" if model.name == advised else model.name
    if model.population_unique is None or model.of_sample_unique is None:
        return name, "no answer", model.why_not or ""
    return name, f"≈ {percent(model.population_unique)}", f"≈ {percent(model.of_sample_unique)}"
