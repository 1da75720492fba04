"""Documents as self-contained pages, which load nothing."""

import base64
import hashlib
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

from discretion.escaping import printable
from discretion.presenting.numbers import WITHIN_NUMBERS
from discretion.presenting.views.document import CAVEAT, Document
from discretion.presenting.views.html import set_apart

# Loaded by its name: this package must not import it, and a page without figures need not wait a second for Altair.
_CHARTS = "discretion.charts.embedded"
_ROOM = "discretion.presenting.views"


def to_page(document: Document) -> str:
    """Return a document as an HTML page that contains everything it needs and forbids every load from outside.

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
    sources = ([import_module(_CHARTS).library()] if document.figures else []) + [page_file("page.js")]
    scripts = [(script, _digest(script)) for script in sources]
    page = templates().get_template("page.html.j2")
    whole = page.render(document=document, drawn=_drawn(document), scripts=scripts, style=page_file("page.css"))
    return whole.strip() + "\n"


def to_fragment(document: Document) -> str:
    """Return a document as a part of a page with the style and the scripts of `to_page`, or its own.

    Examples
    --------
    >>> "<h2>Who stands out</h2>" in to_fragment(Document("Who stands out", ("Nobody.",)))
    True
    """
    return templates().get_template("fragment.html.j2").render(document=document, drawn=_drawn(document)).strip() + "\n"


def _drawn(document: Document) -> dict[str, str]:
    """Return the specification of each figure by its name."""
    figures = document.figures
    embedded: Any = import_module(_CHARTS) if figures else None
    return {name: embedded.specification(figure.make()) for name, figure in figures.items()}


@cache
def templates() -> Any:
    """Return the environment of the templates, in which every value is escaped, and right-to-left letters isolated."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - text output need not wait for it

    made: Any = Environment(
        loader=PackageLoader(_ROOM, "."),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"spelled": _spelled, "tidy": _tidy, "kind": _kind}
    made.globals["caveat"] = CAVEAT
    return made


def _kind(block: object) -> str:
    return type(block).__name__


@cache
def page_file(name: str) -> str:
    """Return the text of a file for pages."""
    return files(_ROOM).joinpath(name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    """Return the digest of a script for a page's policy, which runs no other script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _spelled(text: str) -> Any:
    """Return the text for an attribute or a title, which cannot have elements."""
    from markupsafe import escape  # noqa: PLC0415 - comes with Jinja

    return escape("\u00a0".join(map(printable, text.split("\u00a0"))))


def _tidy(text: str) -> str:
    """Return a sentence whose numbers stay on the same line as their units."""
    return WITHIN_NUMBERS.sub("\u00a0", text)


def _shown(value: Any) -> Any:
    """Return the text of a value on a page, without invisible characters and with right-to-left letters isolated.

    So no name can reorder the words around it.
    """
    from markupsafe import Markup  # noqa: PLC0415

    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return Markup(set_apart(str(_spelled(value))))
