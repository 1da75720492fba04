"""The decision for a terminal: what to do with each column, the next command, and the risks in regulators' words."""

from collections import Counter
from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from discretion.jobs.audit.result import SHOWN, Audit, ColumnDecision, RiskReport, SetNames
from discretion.jobs.audit.summary import (
    TRADED,
    assumptions,
    by_verdict,
    by_whom,
    coarser_views,
    next_step,
    risk_in_words,
    unique_among_all,
    uniqueness_row,
    with_identifiers,
)
from discretion.presenting.numbers import percent
from discretion.presenting.tables import plain_table, plain_words, with_rest
from discretion.presenting.views.terminal import Folded

# Rows of the first screen.
_FIRST = 12
# Risks on the first screen, where there are as many.
_FIRST_RISKS = ("prosecutor risk, highest", "prosecutor risk, average", "marketer risk", "singling out", "inference:")


def decided(found: Audit, *, full: bool) -> Iterator[RenderableType]:
    """Yield what to do with each column, those that go out first, and the command that comes next."""
    decisions = by_verdict(found)
    table = plain_table("column", "do", "why")
    for column in table.columns[1:]:
        column.justify = "left"
    table.columns[2].no_wrap = False
    shown = decisions if full or len(decisions) <= _FIRST + 1 else _some_of_each(decisions)
    for each in shown:
        table.add_row(each.column, each.verdict, each.reason, style="bold" if each.verdict == "publish" else None)
    if rest := Counter(each.verdict for each in decisions) - Counter(each.verdict for each in shown):
        table.caption = f"and {', '.join(f'{count:,} more to {verdict}' for verdict, count in rest.items())}: --full"
        table.caption_justify = "left"
    yield table
    if (said := coarser_views(found)) is not None:
        yield plain_words(said)
    if (step := next_step(found)) is not None:
        said, command = step
        yield plain_words(said)
        yield Folded(command)


def _some_of_each(decisions: list[ColumnDecision]) -> list[ColumnDecision]:
    """Return the first columns of each verdict, as many of each as there is room for on the first screen."""
    ahead = Counter[str]()
    places: list[tuple[int, int]] = []
    for i, each in enumerate(decisions):
        places.append((ahead[each.verdict], i))
        ahead[each.verdict] += 1
    return [decisions[i] for i in sorted(i for _, i in sorted(places)[:_FIRST])]


def traded(found: Audit) -> Iterator[RenderableType]:
    """Yield what less useful sets would expose, the most useful first, if they expose less."""
    if len(found.decision.front) < 2:
        return
    yield plain_words(TRADED)
    table = plain_table("columns", "worth", "people exposed", f"exposed, k={found.k}")
    names = SetNames(found)
    for each in found.decision.front[: -SHOWN - 1 : -1]:
        table.add_row(names.of(each.columns), f"{each.utility:g}", f"{each.exposed_people:,}", percent(each.exposure))
    yield with_rest(table, len(found.decision.front))


def risks(found: Audit, *, full: bool) -> Iterator[RenderableType]:
    """Yield the risks as regulators name them, of the whole table and of what is to be published."""
    shown = [risk for risk in found.risks if full or risk.name.startswith(_FIRST_RISKS)]
    yield _risk_table(shown)
    if (said := by_whom(found)) is not None:
        yield plain_words(said)
    if (said := with_identifiers(found)) is not None:
        yield plain_words(said)
    for sentence in assumptions(shown):
        yield plain_words(sentence)
    yield from _unique(found)
    if full:
        for risk in shown:
            yield plain_words(f"{risk.name}: {risk.meaning}")


def _unique(found: Audit) -> Iterator[RenderableType]:
    """Yield who is unique among everybody, by each model."""
    for sentence in unique_among_all(found):
        yield plain_words(sentence)
    if found.uniqueness is None or not found.uniqueness.models:
        return
    table = plain_table("model", "unique among all", "of those unique here")
    for model in found.uniqueness.models:
        table.add_row(*uniqueness_row(model, found.uniqueness.advised))
    yield table


def _risk_table(shown: list[RiskReport]) -> Table:
    table = plain_table("risk", "whole table", "to publish")
    for risk in shown:
        few = "–" if risk.recommended is None else risk_in_words(risk.recommended)
        table.add_row(risk.name, risk_in_words(risk.whole), few)
    return table
