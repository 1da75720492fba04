"""The audit for a terminal."""

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tacit.auditing.result import Audit, CollectionReport, SetReport
from tacit.auditing.summary import summary
from tacit.auditing.wording import bounded, listed, odds, people, percent, points, times

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
    yield Text()
    yield Text(f"{found.table}: {found.people:,} people{rows}, {len(found.columns)} columns", style="bold")
    yield Text(
        f"Exposed means fewer than {found.k} people alike, herself included. Every number is exact unless marked as a "
        f"bound; budget {percent(found.budget)}."
    )
    sections = {
        "In short": (_bullet(sentence) for sentence in summary(found)),
        "1. Each column alone": _columns(found),
        "2. Sets of columns together": _sets(found),
        "3. What the columns alone certify": _certified(found),
        "4. The largest sets within the budget": _selected(found),
        "5. Guessing the sensitive column": _inference(found),
        "6. If a column were collected from the people instead": _collection(found),
        "7. Not examined": (_bullet(sentence) for sentence in found.not_examined),
    }
    for heading, content in sections.items():
        yield Padding(Text(heading, style="bold underline"), (1, 0, 0, 0))
        yield from content
    yield Text()


def _columns(found: Audit) -> Iterator[RenderableType]:
    most = max(found.columns, key=lambda column: column.exposure)
    yield Text(f"{most.column} exposes most by itself: {_of_people(most.exposure, most.exposed_people)}.")
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
        yield Text("† identifier-like: its value alone names its person in more than every second try.")


def _sets(found: Audit) -> Iterator[RenderableType]:
    whole = found.sets.whole
    yield Text(
        f"All {len(whole.columns)} columns together expose {_of_people(whole.exposure, whole.exposed_people)}; "
        f"{people(whole.unique_people)} unique."
    )
    yield Text(f"Examined {len(found.sets.examined):,} of {found.sets.possible:,} sets.")
    if found.sets.examined and len(found.sets.examined) == found.sets.possible:
        yield Text("The worst:")
        yield _set_table(found.sets.worst, found.k)
    if found.sets.smallest_over_budget:
        yield Text("The smallest sets over the budget (every set that contains one is over it too):")
        yield _set_table(found.sets.smallest_over_budget, found.k)


def _certified(found: Audit) -> Iterator[RenderableType]:
    if not found.certified:
        yield Text("Nothing to certify: no set of two or more columns, or several rows a person.")
        return
    yield Text("Without looking at the joint table, an upper bound on what each set exposes, beside the truth.")
    table = _table("columns", "certified: at most", "truth")
    for report in found.certified[:_ROWS]:
        table.add_row(listed(report.columns), percent(report.bound.value), percent(report.exposure))
    yield table


def _selected(found: Audit) -> Iterator[RenderableType]:
    if not found.selected:
        yield Text(f"None: every single column exposes more than {percent(found.budget)} of the people.")
        return
    best = found.selected[0]
    yield Text(f"{listed(best.columns)} can go out together: {_of_people(best.exposure, best.exposed_people)} exposed.")
    yield _set_table(found.selected, found.k)


def _inference(found: Audit) -> Iterator[RenderableType]:
    if not found.inference:
        nothing = f"There is no column to guess {found.sensitive} from, identifier-like ones aside."
        yield Text("No sensitive column was named (--sensitive)." if found.sensitive is None else nothing)
        return
    reports = sorted(found.inference, key=lambda report: (-report.posterior, len(report.known)))
    top = reports[0]
    yield Text(
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
        yield Text("No column has between 2 and 256 values to ask for, or people have several rows.")
        return
    yield Text("The guess of one person's answer, blindly and by someone who knows all other answers.")
    for report in found.collection:
        yield from _collected(report)


def _collected(report: CollectionReport) -> Iterator[RenderableType]:
    yield Text()
    yield Text.assemble(
        (report.column, "bold"),
        f": {report.k} values, {report.n:,} people; blind guess {percent(report.blind_guess)}, "
        f"most common value {percent(report.most_common_share)}",
    )
    table = _table("ε", "shuffled", "guess, knows nobody", "guess, knows all others", "Bayes security", "share off by")
    for option in report.options:
        table.add_row(
            "none" if option.epsilon is None else f"{option.epsilon:g}",
            "yes" if option.shuffled else "no",
            percent(option.uninformed),
            bounded(option.all_but_one),
            f"{option.bayes_security:.4f}",
            f"{points(option.error_share)} ({people(option.error_people)})",
            style="bold" if option == report.recommended else None,
        )
    yield table
    yield Padding(Text(f"→ {report.reason}"), (0, 0, 0, 2))


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


def _bullet(sentence: str) -> Padding:
    return Padding(Text("• " + sentence), (0, 0, 0, 2))


def _table(*headers: str) -> Table:
    table = Table(box=box.SIMPLE, pad_edge=False)
    for i, header in enumerate(headers):
        table.add_column(
            header, justify="left" if i == 0 else "right", overflow="fold", no_wrap=i > 0, min_width=12 if i == 0 else 0
        )
    return table
