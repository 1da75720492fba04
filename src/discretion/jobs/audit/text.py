"""The audit for a terminal."""

from collections.abc import Iterator, Sequence
from itertools import chain

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from discretion.jobs.audit.collection_text import collected
from discretion.jobs.audit.decision_text import decided, risks, traded
from discretion.jobs.audit.result import SHOWN, Audit, InferenceReport, ReleaseReport, SetNames, SetReport
from discretion.jobs.audit.summary import CUT_SHORT, in_brief, promise, summary
from discretion.presenting.names import briefly, listed, short
from discretion.presenting.numbers import (
    bits,
    bounded,
    closeness,
    factor,
    interval,
    number,
    odds,
    people,
    percent,
    times,
)
from discretion.presenting.tables import plain_table, plain_words, with_rest


def to_text(found: Audit, *, full: bool = False) -> Group:
    """Return the audit as something that `rich` prints: the decision, and what would go wrong without it.

    Parameters
    ----------
    found
        What `discretion.audit` returned.
    full
        Whether to add every section: a sentence in odds, then a table.

    Returns
    -------
    rich.console.Group
        Print it with ``rich.print``.

    Examples
    --------
    >>> import rich, discretion as dc
    >>> rich.print(to_text(dc.audit("example:adult", columns=["sex", "race"])))  # doctest: +ELLIPSIS
    <BLANKLINE>
    example:adult: 32,561 people, 2 columns...
    """
    return Group(*(_printed(found) if full else _first_screen(found)))


def _first_screen(found: Audit) -> Iterator[RenderableType]:
    title, terms = introduction(found)
    yield plain_words("")
    yield plain_words(title, style="bold")
    yield plain_words(terms)
    yield plain_words("")
    yield from map(_bullet, in_brief(found))
    yield from decided(found, full=False)
    yield from risks(found, full=False)
    missing = len(found.not_examined)
    left_out = f" Not examined: {missing} {'thing' if missing == 1 else 'things'}." if missing else ""
    yield plain_words(f"More: --full, --html FILE, --markdown FILE.{left_out}")
    yield plain_words("")


def _printed(found: Audit) -> Iterator[RenderableType]:
    title, terms = introduction(found)
    yield plain_words("")
    yield plain_words(title, style="bold")
    yield plain_words(terms)
    for heading, content in sections(found):
        yield Padding(Text(heading, style="bold underline"), (1, 0, 0, 0))
        yield from content
    yield plain_words("")


def introduction(found: Audit) -> tuple[str, str]:
    """Return what was audited, and what is meant by exposed."""
    rows = f" in {found.rows:,} rows" if found.person else ""
    source = "" if found.preset is None else f" ({found.preset.stated}: {found.preset.source})"
    return (
        f"{found.table}: {people(found.people)}{rows}, {len(found.columns):,} column{'s' * (len(found.columns) != 1)}",
        f"Exposed means fewer than {found.k:,} people alike, herself included{source}. Every number is exact unless "
        f"marked as a bound, an estimate or an assumption; budget {percent(found.budget)}.",
    )


def sections(found: Audit) -> Iterator[tuple[str, Iterator[RenderableType]]]:
    """Yield the heading of each section with what stands below it."""
    # Each with the sections of the answer that it shows.
    parts = {
        "In short": (map(_bullet, summary(found)), ()),
        "What to do with each column": (decided(found, full=True), ("sets",)),
        "The risks in regulators' words": (risks(found, full=True), ()),
        "1. Each column alone": (_columns(found), ()),
        "2. Sets of columns together": (_sets(found), ("sets",)),
        "3. What the columns alone certify": (_certified(found), ("certified",)),
        "4. The largest sets within the budget": (_selected(found), ("sets", "release", "certified_selection")),
        "5. Guessing the sensitive columns": (_inference(found), ("inference",)),
        "6. If a column were collected from the people instead": (collected(found), ("collection",)),
        "7. If people redacted rare values": (_redaction(found), ("redaction",)),
        "8. Not examined": (map(_bullet, found.not_examined or ["Nothing was left out."]), ()),
    }
    for heading, (content, shown) in parts.items():
        yield heading, chain(content, [] if set(shown).isdisjoint(found.cut_short) else [plain_words(CUT_SHORT)])


def _columns(found: Audit) -> Iterator[RenderableType]:
    most = max(found.columns, key=lambda column: column.exposure)
    yield plain_words(f"{most.column} exposes most by itself: {_of_people(most.exposure, most.exposed_people)}.")
    table = plain_table("column", "values", "bits", "rarest value", "held by", f"exposed, k={found.k}")
    for column in found.columns:
        table.add_row(
            column.column + " †" * column.identifier_like,
            f"{column.values:,}",
            bits(column.entropy_bits),
            "(withheld)" if column.rarest_withheld else _value(column.rarest_value),
            f"{column.rarest_people:,}",
            percent(column.exposure),
        )
    yield table
    if found.sets.identifier_like:
        yield plain_words("† identifier-like: its value alone names its person in more than every second try.")


def _sets(found: Audit) -> Iterator[RenderableType]:
    whole = found.sets.whole
    yield plain_words(
        f"All {len(whole.columns):,} columns together expose {_of_people(whole.exposure, whole.exposed_people)}; "
        f"{people(whole.unique_people)} unique."
    )
    yield plain_words(f"Examined {number(found.sets.examined)} of {number(found.sets.possible)} sets.")
    if found.sets.smallest_over_budget:
        yield plain_words("Small sets over a budget (every set that contains one is over it too):")
        yield _set_table(found.sets.smallest_over_budget, found)


def _certified(found: Audit) -> Iterator[RenderableType]:
    if not found.certified:
        if "certified" not in found.cut_short:
            yield plain_words("Nothing to certify: no set of two or more columns, or several rows a person.")
        return
    yield plain_words(
        "Without looking at the joint table, an upper bound on what each set exposes, beside the truth, and "
        "what it would be if the columns had nothing to do with each other: an assumption, and no promise."
    )
    table = plain_table("columns", "certified", "truth", "if independent (an assumption)")
    names = SetNames(found)
    for report in found.certified[:SHOWN]:
        table.add_row(
            names.of(report.columns),
            bounded(report.bound),
            percent(report.exposure),
            percent(report.if_independent.value),
        )
    yield table


def _selected(found: Audit) -> Iterator[RenderableType]:
    if not found.selected:
        aside = ", or is identifier-like" if found.sets.identifier_like else ""
        if "sets" not in found.cut_short:
            yield plain_words(
                f"None: every single column exposes more than {percent(found.budget)} of the people{aside}."
            )
        return
    best = found.selected[0]
    found_so_far = (
        "" if found.sets.complete or best == found.sets.whole else " Larger ones may exist among those not examined."
    )
    yield plain_words(
        f"{SetNames(found).of(best.columns)} can go out together: "
        f"{_of_people(best.exposure, best.exposed_people)} exposed."
        f"{found_so_far}"
    )
    yield _released(found)
    if found.sensitive:
        secret = found.sensitive[0]
        yield plain_words(
            f"l: so many values of {secret} occur at least among people alike on the other columns. t: at most this "
            f"share of them would have to change for their {secret} to be spread as everybody's."
        )
    yield from traded(found)
    yield from _promised(found, best)
    if promised := promise(found):
        yield plain_words(promised)


def _promised(found: Audit, best: SetReport) -> Iterator[RenderableType]:
    """Yield what releasing all columns together promises, and what another release of the best set would expose."""
    if not found.release:
        return
    together = found.release[-1]
    if len(together.columns) > 1 and together.columns not in {report.columns for report in found.selected}:
        aside = ", identifier-like ones aside," if found.sets.identifier_like else ""
        secret = f", l = {together.l_diversity}, t = {_t(together)}" if found.sensitive else ""
        yield plain_words(
            f"All {len(together.columns):,} columns together{aside} are {together.k_anonymity:,}-anonymous{secret}."
        )
    future = found.release[0].future_exposure
    if future is not None:
        yield plain_words(
            f"In another release of as many people like these, an estimated {interval(future)} would be exposed by "
            f"{SetNames(found).of(best.columns)}."
        )


def _released(found: Audit) -> Table:
    secret = ["l", "t"] if found.sensitive else []
    table = plain_table("columns", "classes", "unique people", "k-anonymous", *secret, f"exposed, k={found.k}")
    releases = {release.columns: release for release in found.release}
    names = SetNames(found)
    for report in found.selected[:SHOWN]:
        release = releases.get(report.columns)
        promised = ["–"] * len(secret)
        if secret and release is not None:
            promised = [f"{release.l_diversity}", _t(release)]
        table.add_row(
            names.of(report.columns), f"{report.classes:,}", f"{report.unique_people:,}",
            f"{report.smallest_class:,}", *promised, percent(report.exposure),
        )  # fmt: skip
    return with_rest(table, len(found.selected))


def _t(release: ReleaseReport) -> str:
    return "–" if release.t_closeness is None else closeness(release.t_closeness)


def _inference(found: Audit) -> Iterator[RenderableType]:
    if not found.inference:
        if "inference" in found.cut_short:
            return
        nothing = f"There is no column to guess {listed(found.sensitive)} from, identifier-like ones aside."
        yield plain_words(nothing if found.sensitive else "No sensitive column was named (--sensitive).")
        return
    for secret in found.sensitive:
        known = [report for report in found.inference if report.sensitive == secret]
        yield from _guessed(sorted(known, key=lambda report: (-report.posterior, len(report.known))), SetNames(found))


def _guessed(reports: Sequence[InferenceReport], names: SetNames) -> Iterator[RenderableType]:
    """Yield the guesses of one sensitive column, the best first."""
    top = reports[0]
    yield plain_words(
        f"Without any column {top.sensitive} is guessed right {times(top.prior)}; knowing "
        f"{names.of(top.known, top.sensitive)}, {times(top.posterior)}; of {people(top.certain_people)} it is known "
        "for certain. This is about the people in this table only."
    )
    table = plain_table("known", "guess before", "guess after", "times", "known for certain")
    for report in reports[:SHOWN]:
        ratio = factor(report.posterior / report.prior)
        certain = f"{report.certain_people:,}"
        table.add_row(
            names.of(report.known, top.sensitive), percent(report.prior), percent(report.posterior), ratio, certain
        )
    yield table


def _redaction(found: Audit) -> Iterator[RenderableType]:
    rules = found.redaction.columns
    if not rules:
        if "redaction" in found.cut_short:
            return
        nothing = f"Nothing to redact: at least {found.k:,} people hold every value, identifier-like columns aside."
        yield plain_words("With several rows a person this was not examined." if found.person is not None else nothing)
        return
    yield plain_words(
        f"Rule: redact a value that fewer than {found.k:,} people hold, and any other with a small probability. With "
        "these decoys a redacted value is a rare one in no more than every second case, without them in every case. "
        "The shares redacted and exposed after are exact expectations."
    )
    table = plain_table("column", "rare values", "held by", "decoys", "redacted", "exposed before", "exposed after")
    for rule in rules:
        table.add_row(
            rule.column,
            f"{rule.rare_values:,}",
            f"{rule.rare_people:,}",
            percent(rule.decoys),
            percent(rule.redacted),
            percent(rule.exposure),
            "not counted" if rule.redacted_exposure is None else percent(rule.redacted_exposure),
        )
    yield table
    for rule in rules:
        if rule.decoys == 1:
            yield plain_words(
                f"Of {rule.column} everybody would redact: at least half of the people have rare values. It is better "
                "not to ask for it."
            )
    for together in found.redaction.together:
        if together.redacted_exposure is not None:
            yield plain_words(
                f"After all rules {briefly(together.columns)} together would expose "
                f"{percent(together.redacted_exposure)}; before, {percent(together.exposure)}."
            )


def _set_table(reports: Sequence[SetReport], found: Audit) -> Table:
    table = plain_table("columns", "classes", "unique people", "smallest class", f"exposed, k={found.k}")
    names = SetNames(found)
    for report in reports[:SHOWN]:
        table.add_row(
            names.of(report.columns), f"{report.classes:,}", f"{report.unique_people:,}",
            f"{report.smallest_class:,}", percent(report.exposure),
        )  # fmt: skip
    return with_rest(table, len(reports))


def _of_people(share: float, count: int) -> str:
    return f"{odds(share)} ({people(count)}, {percent(share)})"


def _value(value: str | None) -> str:
    return "(empty)" if value is None else short(value)


def _bullet(sentence: str) -> Padding:
    return Padding(plain_words("• " + sentence), (0, 0, 0, 2))
