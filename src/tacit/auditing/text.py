"""The audit for a terminal."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacit.auditing.collection import MOST_CATEGORIES
from tacit.auditing.result import Audit, CollectionReport, SetReport
from tacit.auditing.summary import summary
from tacit.auditing.wording import bounded, counted, listed, odds, people, percent, points, printable, times

_ROWS = 10


def to_text(found: Audit) -> Group:
    """Return the audit as something that `rich` prints: a sentence in odds, then a table, for every section.

    Parameters
    ----------
    found
        What `tacit.audit` returned.

    Returns
    -------
    rich.console.Group
        Print it with ``rich.print``.

    Examples
    --------
    >>> import rich, tacit as tc
    >>> rich.print(to_text(tc.audit("example:adult", columns=["sex", "race"])))  # doctest: +ELLIPSIS
    <BLANKLINE>
    example:adult: 32,561 people, 2 columns...
    """
    return Group(*_sections(found))


def _sections(found: Audit) -> Iterator[RenderableType]:
    rows = f" in {found.rows:,} rows" if found.person else ""
    yield _say("")
    yield _say(f"{found.table}: {found.people:,} people{rows}, {len(found.columns)} columns", style="bold")
    yield _say(
        f"Exposed means fewer than {found.k} people alike, herself included. Every number is exact unless marked as a "
        f"bound; budget {percent(found.budget)}."
    )
    sections = {
        "In short": map(_bullet, summary(found)),
        "1. Each column alone": _columns(found),
        "2. Sets of columns together": _sets(found),
        "3. What the columns alone certify": _certified(found),
        "4. The largest sets within the budget": _selected(found),
        "5. Guessing the sensitive column": _inference(found),
        "6. If a column were collected from the people instead": _collection(found),
        "7. Not examined": map(_bullet, found.not_examined or ["Nothing was left out."]),
    }
    for heading, content in sections.items():
        yield Padding(Text(heading, style="bold underline"), (1, 0, 0, 0))
        yield from content
    yield _say("")


def _columns(found: Audit) -> Iterator[RenderableType]:
    most = max(found.columns, key=lambda column: column.exposure)
    yield _say(f"{most.column} exposes most by itself: {_of_people(most.exposure, most.exposed_people)}.")
    table = _table("column", "values", "bits", "rarest value", "held by", f"exposed, k={found.k}")
    for column in found.columns:
        table.add_row(
            column.column + " †" * column.identifier_like,
            f"{column.values:,}",
            f"{column.entropy_bits:.3f}",
            "(withheld)" if column.rarest_withheld else _value(column.rarest_value),
            f"{column.rarest_people:,}",
            percent(column.exposure),
        )
    yield table
    if found.sets.identifier_like:
        yield _say("† identifier-like: its value alone names its person in more than every second try.")


def _sets(found: Audit) -> Iterator[RenderableType]:
    whole = found.sets.whole
    yield _say(
        f"All {len(whole.columns)} columns together expose {_of_people(whole.exposure, whole.exposed_people)}; "
        f"{people(whole.unique_people)} unique."
    )
    yield _say(f"Examined {len(found.sets.examined):,} of {found.sets.possible:,} sets.")
    if found.sets.examined and len(found.sets.examined) == found.sets.possible:
        yield _say("The worst:")
        yield _set_table(found.sets.worst, found.k)
    if found.sets.smallest_over_budget:
        yield _say("The smallest sets over the budget (every set that contains one is over it too):")
        yield _set_table(found.sets.smallest_over_budget, found.k)


def _certified(found: Audit) -> Iterator[RenderableType]:
    if not found.certified:
        yield _say("Nothing to certify: no set of two or more columns, or several rows a person.")
        return
    yield _say("Without looking at the joint table, an upper bound on what each set exposes, beside the truth.")
    table = _table("columns", "certified", "truth")
    for report in found.certified[:_ROWS]:
        table.add_row(listed(report.columns), bounded(report.bound), percent(report.exposure))
    yield table


def _selected(found: Audit) -> Iterator[RenderableType]:
    if not found.selected:
        aside = ", or is identifier-like" if found.sets.identifier_like else ""
        yield _say(f"None: every single column exposes more than {percent(found.budget)} of the people{aside}.")
        return
    best = found.selected[0]
    found_so_far = "" if found.sets.complete else " Larger ones may exist among those not examined."
    yield _say(
        f"{listed(best.columns)} can go out together: {_of_people(best.exposure, best.exposed_people)} exposed."
        f"{found_so_far}"
    )
    yield _set_table(found.selected, found.k)


def _inference(found: Audit) -> Iterator[RenderableType]:
    if not found.inference:
        nothing = f"There is no column to guess {found.sensitive} from, identifier-like ones aside."
        yield _say("No sensitive column was named (--sensitive)." if found.sensitive is None else nothing)
        return
    reports = sorted(found.inference, key=lambda report: (-report.posterior, len(report.known)))
    top = reports[0]
    yield _say(
        f"Without any column {top.sensitive} is guessed right {times(top.prior)}; knowing {listed(top.known)}, "
        f"{times(top.posterior)}. This is about the people in this table only."
    )
    table = _table("known", "guess before", "guess after", "times")
    for report in reports[:_ROWS]:
        ratio = f"{report.posterior / report.prior:.3f}"
        table.add_row(listed(report.known), percent(report.prior), percent(report.posterior), ratio)
    yield table


def _collection(found: Audit) -> Iterator[RenderableType]:
    if not found.collection:
        yield _say(f"No column has between 2 and {MOST_CATEGORIES} values to ask for, or people have several rows.")
        return
    yield _say(
        "The guess of one person's answer by who knows none of the other answers, or all of them, and to whom each "
        "answer is equally likely beforehand; Bayes security β* against who knows none; how far an estimated share is "
        "off (its standard error)."
    )
    for report in found.collection:
        yield from _collected(report)


def _collected(report: CollectionReport) -> Iterator[RenderableType]:
    yield _say("")
    yield Text.assemble(
        (printable(report.column), "bold"),
        f": {report.k} values, {report.n:,} people; blind guess {percent(report.blind_guess)}, "
        f"most common value {percent(report.most_common_share)}",
    )
    table = _table("ε", "shuffled", "knows none", "knows all", "β*", "off by", "in people", wide=1)
    for option in report.options:
        table.add_row(
            "none" if option.epsilon is None else f"{option.epsilon:g}",
            "yes" if option.shuffled else "no",
            percent(option.uninformed),
            bounded(option.all_but_one),
            f"{option.bayes_security:.4f}",
            points(option.error_share),
            counted(option.error_people),
            style="bold" if option == report.recommended else None,
        )
    yield table
    yield Padding(_say(f"→ {report.reason}"), (0, 0, 0, 2))


def _set_table(reports: Sequence[SetReport], k: int) -> Table:
    table = _table("columns", "classes", "unique people", "smallest class", f"exposed, k={k}")
    for report in reports[:_ROWS]:
        table.add_row(
            listed(report.columns), f"{report.classes:,}", f"{report.unique_people:,}", f"{report.smallest_class:,}",
            percent(report.exposure),
        )  # fmt: skip
    if len(reports) > _ROWS:
        table.caption = f"and {len(reports) - _ROWS:,} more, in --json"
    return table


def _of_people(share: float, count: int) -> str:
    return f"{odds(share)} ({people(count)}, {percent(share)})"


def _value(value: str | None) -> str:
    return "(empty)" if value is None else value


def _say(sentence: str, style: str = "") -> Text:
    return Text(printable(sentence), style=style)


def _bullet(sentence: str) -> Padding:
    return Padding(_say("• " + sentence), (0, 0, 0, 2))


def _table(*headers: str, wide: int = 12) -> Table:
    """Return a table whose first column folds and whose others do not; ``wide`` is the first one's least width."""
    table = _PlainTable(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="left" if i == 0 else "right", overflow="fold", no_wrap=i > 0)
    table.columns[0].min_width = wide
    return table


class _PlainTable(Table):
    """A table whose cells are words and never markup, however a column or a value is called."""

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        super().add_row(*(Text(printable(cell)) if isinstance(cell, str) else cell for cell in cells), **options)
