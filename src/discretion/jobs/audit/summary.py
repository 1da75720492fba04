"""The audit in a few sentences, for somebody who reads nothing else."""

from collections.abc import Iterable, Iterator

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.audit.collection_text import in_short
from discretion.jobs.audit.result import AS_TOLD, Audit, ColumnDecision, Columns, Offer, RiskReport, SetNames
from discretion.presenting.names import briefly, listed
from discretion.presenting.numbers import bounded, is_any_share, odds, people, percent, points, times
from discretion.presenting.shell import Command

# Of a section that a time limit left empty or incomplete.
CUT_SHORT = "The time limit cut this short; section 8 says what is missing."
# Above the sets of the trade-off.
TRADED = (
    "Fewer columns expose fewer people: of the sets that were looked at, none is worth more than one of these and "
    "exposes as few. What a set is worth is the most columns in it of which none follows from another, or as weights "
    "were told."
)
_VERDICTS = ("publish", "coarsen", "redact", "drop")
# What the search for the recommended columns ended with before its proof.
_ENDED = {
    "time": "the search reached its time limit",
    "sets": "the search looked at as many sets as it may",
    "interrupted": "the search was interrupted",
}

# So many columns are named one by one where another set is named before.
_LISTED = 8
_MODELS = "What models say beside it rests on what each assumes, which --json has; they may be far apart."
# The share of the people that a release may leave out by default.
_SUPPRESSED_BY_DEFAULT = 0.02
# What a release is told as an audit was.
_OF_A_RELEASE = ("--guess-budget=", "--certain-budget=", "--header=", "--person=")


def summary(found: Audit) -> list[str]:
    """Return the answer in a few sentences: what may go out, what goes wrong with all, how to ask instead.

    Examples
    --------
    >>> import discretion as dc
    >>> summary(dc.audit("example:adult", columns=["sex", "race"]))[0]
    'Publish sex, race: all 2 columns. They expose nobody; the budget is 1 %.'
    """
    promised = [said] if found.certified_selection and (said := promise(found)) else []
    return [*in_brief(found), *promised, *in_short(found.collection)]


def in_brief(found: Audit) -> list[str]:
    """Return what may go out, and what goes wrong with all."""
    return list(_sentences(found))


def promise(found: Audit) -> str | None:
    """Return what knowing the single columns alone lets one promise of several, if it does."""
    best = next(iter(found.certified_selection), None)
    if best is None or len(best.columns) == 1:
        return None
    exposed = f"{bounded(best.bound)} of the people" if best.bound.value else "nobody"
    return f"Knowing the single columns alone one could already promise that {listed(best.columns)} expose {exposed}."


def next_step(found: Audit) -> tuple[str, Command] | None:
    """Return what to do with the recommended columns, and its command; None if there are none, or it cannot be typed.

    It is to write them; or where a release does not go, to audit them by themselves. If it is open whose rows these
    are, it is the same audit by the column that may name the persons.
    """
    recommended = found.decision.recommended
    sensitive = [f"--sensitive={_as_list(found.sensitive)}"] if found.sensitive else []
    goal = [f"--k={found.k}", f"--budget={found.budget!r}"]
    if (key := found.decision.key) is not None:
        said = f"First, if {printable(key)} names the person whose row it is, the same audit of people:"
        asked = ["discretion", "audit", found.table, *sensitive, f"--person={key}", *goal, *found.options]
        if key in (*found.sensitive, *found.decision.kept):
            return None
        return None if any(printable(argument) != argument for argument in asked) else (said, Command(asked))
    if not recommended:
        return None
    chosen = [f"--columns={_as_list(recommended)}", *sensitive]
    if found.person is None and not any(option.startswith("--engine=") for option in found.options):
        named = [option for option in found.options if option.startswith(_OF_A_RELEASE)]
        said = "Next, the file with these columns, which is read back and audited:"
        kept = tuple(name for name in recommended if name in found.sensitive)  # else a release leaves them out
        chosen += [f"--keep={_as_list(kept)}"] if kept else []
        if kept and _SUPPRESSED_BY_DEFAULT < found.budget < 1:  # who has a rare value of theirs is left out
            goal.append(f"--max-suppressed={found.budget!r}")
        asked = ["discretion", "release", found.table, *chosen, *goal, *named, "--out=columns.parquet"]
    elif len(recommended) < len(found.columns):
        said = "Next, what these columns give away, as a page:"
        person = [] if found.person is None else [f"--person={found.person}"]
        asked = ["discretion", "audit", found.table, *chosen, *person, *goal, *found.options, "--html=columns.html"]
    else:
        return None
    return None if any(printable(argument) != argument for argument in asked) else (said, Command(asked))


def _as_list(names: Columns) -> str:
    """Return names as an option takes them."""
    quoted = (name.replace('"', '""') for name in names)
    return ",".join(f'"{name}"' if set(name) & {",", '"'} or name != name.strip() else name for name in quoted)


def offered(found: Audit, offer: Offer) -> str:
    """Return what a set of columns exposes, and what of it is guessed."""
    exposed = "nobody" if not offer.exposed_people else f"{odds(offer.exposure)} people ({_share(offer)})"
    verb = "exposes" if len(offer.columns) == 1 else "expose"
    guesses = "".join(
        f"; {printable(guess.sensitive)} is guessed right {percent(guess.after)} of the time instead of "
        f"{percent(guess.before)}"
        for guess in offer.guesses
    )
    they = "It" if len(offer.columns) == 1 else "They"
    return f"{they} {verb} {exposed}; the budget is {percent(found.budget)}{guesses}."


def nothing(found: Audit) -> str:
    """Return why no column goes out."""
    within = f"within the budget of {percent(found.budget)}"
    if found.sensitive:
        within += f" and guesses of {listed(found.sensitive)} that rise by at most {points(found.guess_budget)}"
    if "sets" in found.cut_short:
        return f"Whether a column can go out {within} was not found out in time."
    if kept := found.decision.kept:
        are = "is" if len(kept) == 1 else "are"
        return f"Nothing can go out: no set with {listed(kept)}, which {are} to be kept, is {within}."
    if all(each.reason == AS_TOLD for each in found.decision.columns):
        return "Nothing goes out: every column is to be dropped."
    return f"No column can go out {within}."


def proved(found: Audit) -> str | None:
    """Return whether another set of columns could be more useful than the recommended one."""
    if not found.decision.offers or len(found.decision.recommended) == len(found.columns):
        return None
    best = found.decision.offers[0]
    counted = " of which none follows from another" if best.utility != len(best.columns) else ""
    if best.ended == "proved":
        return f"No set within the budget has more than {columns_of(best.utility)}{counted}: proved."
    return (
        f"No set within the budget has more than {columns_of(best.bound)}{counted}; this one has {best.utility:,g}: "
        f"{_ENDED[best.ended]}."
    )


def by_verdict(found: Audit) -> list[ColumnDecision]:
    """Return what to do with each column, those to publish first."""
    return sorted(found.decision.columns, key=lambda each: _VERDICTS.index(each.verdict))


def coarser_views(found: Audit) -> str | None:
    """Return what is known of the columns that are to be coarsened or redacted, if there are some."""
    if all(each.verdict in ("publish", "drop") for each in found.decision.columns):
        return None
    beside = "beside those to publish" if found.decision.offers else "by itself"
    return f"Coarsened or redacted as it says, each of these fits {beside}; not all of them do."


def risk_in_words(value: float | Estimate) -> str:
    """Return a risk for a table below which `assumptions` stand."""
    if isinstance(value, Estimate) and value.assuming is not None:
        return f"≈ {percent(value.value)}"
    return bounded(value)


def assumptions(risks: Iterable[RiskReport]) -> list[str]:
    """Return what estimated risks rest on."""
    values = [value for risk in risks for value in (risk.whole, risk.recommended) if isinstance(value, Estimate)]
    assumed = dict.fromkeys(value.assuming for value in values if value.assuming is not None)
    return [f"≈ an estimate, assuming {assumption}; its ends are in --json." for assumption in assumed]


def unique_among_all(found: Audit) -> list[str]:
    """Return what is certain of who is unique among everybody, and what models are; nothing if nobody else is told."""
    told = found.uniqueness
    if told is None:
        return []
    of = f"{people(told.unique_people)} of {told.people:,} {'is' if told.unique_people == 1 else 'are'} unique"
    if not isinstance(told.population_unique, Estimate):
        return [f"By {briefly(told.columns)}, {of}: there is nobody else."]
    if is_any_share(told.population_unique):
        sentences = [
            f"By {briefly(told.columns)}, {of} in the table. Nothing can be concluded on how many of all "
            f"{told.population:,} people are unique by them."
        ]
        return sentences + ([_MODELS] if told.models else [])
    end, sure = percent(told.population_unique.high), percent(told.population_unique.confidence or 1.0)
    sentences = [
        f"By {briefly(told.columns)}, {of} in the table. Of all {told.population:,} people at most {end} are unique by "
        f"them, if the table is a random sample: with {sure} confidence, whatever the others are like."
    ]
    if told.models:
        sentences.append(_MODELS)
    return sentences


def uniqueness_row(model: UniquenessModel, advised: str | None) -> tuple[str, str, str]:
    """Return a model, what share of all it takes for unique, and what of those who are unique in the table."""
    name = f"{model.name}, advised" if model.name == advised else model.name
    if model.population_unique is None or model.of_sample_unique is None:
        return name, "says nothing", model.why_not or ""
    return name, f"≈ {percent(model.population_unique)}", f"≈ {percent(model.of_sample_unique)}"


def by_whom(found: Audit) -> str | None:
    """Return whose risks these are, if the adversary does not know every column."""
    if not found.sensitive:
        return None
    return f"These are the risks from an adversary who knows every column but {listed(found.sensitive)}."


def with_identifiers(found: Audit) -> str | None:
    """Return that the risks of the whole table are of identifier-like columns too, and guesses are not, if there are.

    The table as it is would go out with them; what else tells of a sensitive value is not seen beside one.
    """
    if not found.sets.identifier_like:
        return None
    names = briefly(found.sets.identifier_like)
    verb, them = ("names", "it") if len(found.sets.identifier_like) == 1 else ("name", "them")
    guesses = f"; the guesses in section 5 are by who does not know {them}" if found.inference else ""
    return f"“Whole table” is with {names}, which mostly {verb} a person{guesses}."


def columns_of(worth: float) -> str:
    """Return a worth in columns.

    Examples
    --------
    >>> columns_of(1.0), columns_of(2.5), columns_of(1000)
    ('1 column', '2.5 columns', '1,000 columns')
    """
    return f"{worth:,g} column{'s' * (worth != 1)}"


def _share(offer: Offer) -> str:
    return f"{offer.exposed_people:,}, {percent(offer.exposure)}"


def _sentences(found: Audit) -> Iterator[str]:
    if found.cut_short:
        yield "The time limit cut this audit short: what it says is so, and section 8 names what is missing."
    if found.decision.question is not None:
        question = found.decision.question
        yield f"{question[0].upper()}{question[1:]}."
    yield from _recommended(found)
    yield from _wrong(found)


def _recommended(found: Audit) -> Iterator[str]:
    if not found.decision.offers:
        yield nothing(found)
        return
    best, *others = found.decision.offers
    if len(best.columns) == len(found.columns):
        many = "the only column" if len(best.columns) == 1 else f"all {len(best.columns):,} columns"
    else:
        many = "1 column" if len(best.columns) == 1 else f"{len(best.columns):,} columns together"
    yield f"Publish {listed(best.columns)}: {many}. {offered(found, best)}"
    if (said := proved(found)) is not None:
        yield said
    for other in others:
        yield (
            f"Counting bits instead, publish {_beside(best.columns, other.columns)}: {other.bits:.3g} bits together, "
            f"not {best.bits:.3g}. {offered(found, other)}"
        )


def _beside(best: Columns, other: Columns) -> str:
    """Return a set's names, or of a large one in what it differs from the best."""
    less = tuple(name for name in best if name not in other)
    more = tuple(name for name in other if name not in best)
    if len(other) <= _LISTED:
        return listed(other)
    changes = ([f"without {briefly(less)}"] if less else []) + ([f"with {briefly(more)}"] if more else [])
    return f"{len(other):,} columns, these {' and '.join(changes)}"


def _wrong(found: Audit) -> Iterator[str]:
    """Yield what would go wrong with the whole table."""
    whole = found.sets.whole
    others = "1 other" if found.k == 2 else f"{found.k - 1:,} others"
    values = "the same value" if len(whole.columns) == 1 else f"all {len(whole.columns):,} values"
    if whole.exposed_people == 0:
        yield f"Published whole, the table exposes nobody: everybody shares {values} with at least {others}."
    else:
        said = odds(whole.exposure)
        who = "everybody" if said == "all" else f"{said} people ({people(whole.exposed_people)})"
        unique = f"{people(whole.unique_people)} {'are' if whole.unique_people > 1 else 'is'} unique"
        alike = "nobody else shares" if found.k == 2 else f"fewer than {others} share"
        yield f"Published whole, the table exposes {who}: {alike} {values}; {unique}."
    for secret in found.sensitive:
        guesses = [report for report in found.inference if report.sensitive == secret]
        if guesses:
            best = max(guesses, key=lambda report: (report.posterior, -len(report.known)))
            yield (
                f"The column {printable(secret)} is guessed right {times(best.prior)} without any column, and "
                f"{times(best.posterior)} by who knows {SetNames(found).of(best.known, secret)}."
            )
