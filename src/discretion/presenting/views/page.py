"""Documents as one self-contained page: figures, tables and folded sections; it loads nothing from anywhere."""

from functools import cache
from typing import Any

from discretion.presenting.pages import environment, style
from discretion.presenting.views.document import CAVEAT, Document


def to_page(document: Document) -> str:
    """Return a document as an HTML page that holds everything it needs and forbids every load from outside.

    Parameters
    ----------
    document
        The document; its names and values are escaped.

    Returns
    -------
    str
        The page, the same for the same document.

    Examples
    --------
    >>> page = to_page(Document("Who stands out", ("Nobody.",)))
    >>> page[:15], "Content-Security-Policy" in page
    ('<!doctype html>', True)
    """
    figures, scripts = document.figures, []
    drawn: dict[str, str] = {}
    if figures:
        from discretion.charts import embedded  # noqa: PLC0415 - Altair takes a second that other output need not wait for

        drawn = {name: embedded.specification(figure.make()) for name, figure in figures.items()}
        scripts = [(script, embedded.digest(script)) for script in embedded.scripts()]
    return _template().render(document=document, drawn=drawn, scripts=scripts, style=style()).strip() + "\n"


@cache
def _template() -> Any:
    made = environment("discretion.presenting.views")
    made.filters["kind"] = _kind
    made.globals["caveat"] = CAVEAT
    return made.get_template("page.html.j2")


def _kind(block: object) -> str:
    return type(block).__name__
