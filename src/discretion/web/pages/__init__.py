"""The parts of pages: templates, which show documents in the same way as reports, a style and a script."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from discretion.presenting.numbers import percent
from discretion.presenting.views.page import templates


def page(template: str, **parts: Any) -> str:
    """Return a page, or a part of a page, from a template."""
    return _templates().get_template(template).render(**parts)


@cache
def file(name: str) -> str:
    """Return the text of a file in this folder."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8")


@cache
def _templates() -> Any:
    from jinja2 import ChoiceLoader, PackageLoader  # noqa: PLC0415 - the command's help need not wait for it

    own: Any = templates()
    made = own.overlay(loader=ChoiceLoader([PackageLoader("discretion.web", "pages"), own.loader]))
    made.filters["query"] = _query
    made.filters["percent"] = percent
    return made


def _query(texts: Mapping[str, Sequence[str]]) -> str:
    """Return the part of an address after the question mark."""
    return urlencode(texts, doseq=True)
