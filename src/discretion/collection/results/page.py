"""The analyst's result as one self-contained page, and what the collection leaked below it."""

from functools import cache
from typing import Any

from discretion.collection.results.analysed import AnalystResult
from discretion.collection.results.leaks import Leaks
from discretion.collection.results.leaks_said import leaks_document
from discretion.collection.results.said import analysed_document, answer_words, posterior_grid, shares_grid
from discretion.estimate import Estimate
from discretion.presenting.numbers import number
from discretion.presenting.views.document import SHOWN, Section
from discretion.presenting.views.page import digest, environment, script_of_pages, style


def to_page(result: AnalystResult, leaks: Leaks | None = None, *, show_rare: bool = False) -> str:
    """Return the result as an HTML page that holds everything it needs and forbids every load from outside.

    Parameters
    ----------
    result
        The analyst's.
    leaks
        What the collection leaked; its sections stand below the answers.
    show_rare
        Whether combinations that fewer than k people have are told one by one.

    Returns
    -------
    str
        The page, the same for the same result; names and answers are escaped.
    """
    from discretion import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for
    from discretion.charts import embedded  # noqa: PLC0415

    said, library = analysed_document(result, show_rare=show_rare), (embedded.library(), script_of_pages())
    rows = [
        {"answers": [*map(answer_words, answers)], **_ends(share)}
        for answers, share, _ in result.frequent(show_rare=show_rare)
    ]
    law = posterior_grid(result, show_rare=show_rare)
    sections = () if law is None else (Section("The shares of the people they were drawn from", law),)
    rendered = _template().render(
        title=said.title,
        purpose=result.of.task.purpose,
        lead=[block for block in said.blocks[:2] if isinstance(block, str)],
        figure=embedded.specification(charts.answered_shares(rows)) if rows else "",
        caption=f"The {number(min(len(rows), charts.MOST_ROWS))} most frequent of {number(len(rows))} combinations.",
        shares=shares_grid(result, show_rare=show_rare),
        notes=said.blocks[3:],
        sections=(*sections, *(leaks_document(leaks).sections if leaks else ())),
        first=SHOWN,
        style=style(),
        library=library[0],
        boot=library[1],
        scripts=[*map(digest, library)],
    )
    return rendered.strip() + "\n"


def _ends(share: float | Estimate) -> dict[str, float]:
    if isinstance(share, Estimate):
        return {"share": share.value, "low": share.low, "high": share.high}
    return {"share": share}


@cache
def _template() -> Any:
    made = environment("discretion.collection.results")
    made.filters["number"] = number
    return made.get_template("page.html.j2")
