"""The analyst's result as one self-contained page, with the leaks of the collection below it."""

from typing import Any

from discretion.collection.results.analyst import AnalystResult
from discretion.collection.results.documents import (
    analyst_document,
    answer_words,
    leaks_document,
    posterior_grid,
    shares_grid,
)
from discretion.collection.results.leaks import Leaks
from discretion.estimate import Estimate
from discretion.presenting.numbers import number
from discretion.presenting.views import page
from discretion.presenting.views.document import MOST_ROWS, Block, Document, Figure, Section


def to_page(result: AnalystResult, leaks: Leaks | None = None, *, show_rare: bool = False) -> str:
    """Return the result as an HTML page that contains everything it needs, and forbids every load from outside.

    Parameters
    ----------
    result
        The analyst's result.
    leaks
        The leaks of the collection, whose sections follow the answers.
    show_rare
        Whether combinations of fewer than k people are shown one by one.

    Returns
    -------
    str
        The page, the same for the same result; names and answers are escaped.
    """
    analysed = analyst_document(result, show_rare=show_rare)
    sentences, notes = analysed.blocks[:2], analysed.blocks[3:]
    purpose = result.round.task.purpose
    law = posterior_grid(result, show_rare=show_rare)
    shares: list[Block] = [*_figure(result, show_rare), shares_grid(result, show_rare=show_rare), *notes]
    return page.to_page(
        Document(
            analysed.title,
            (f"Asked for: {purpose}",) if purpose else (),
            (
                Section("The answers", sentences),
                Section("Shares of people", tuple(shares)),
                *([] if law is None else [Section("The shares in the population", law)]),
                *(leaks_document(leaks).sections if leaks else ()),
            ),
            kind="collection",
        )
    )


def _figure(result: AnalystResult, show_rare: bool) -> list[Figure]:
    """Return the figure of the shares in a list, which is empty if there are no shares."""
    rows = [
        {"answers": [*map(answer_words, answers)], **_ends(share)}
        for answers, share, _ in result.frequent(show_rare=show_rare)
    ]
    caption = f"The {number(min(len(rows), MOST_ROWS))} most frequent of {number(len(rows))} combinations."
    return [Figure("shares", caption, lambda: _chart(rows))] if rows else []


def _chart(rows: list[dict[str, Any]]) -> Any:
    from discretion import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for

    return charts.answered_shares(rows)


def _ends(share: float | Estimate) -> dict[str, float]:
    if isinstance(share, Estimate):
        return {"share": share.value, "low": share.low, "high": share.high}
    return {"share": share}
