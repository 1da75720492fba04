"""A page shows every block of a document, and nothing that a name could turn it into."""

import json
import re
from html.parser import HTMLParser

import pytest

from discretion.presenting.shell import Command
from discretion.presenting.views.document import (
    Abridged,
    Advice,
    Bullets,
    Caveat,
    Cell,
    Document,
    Figure,
    Grid,
    Section,
    Terms,
)
from discretion.presenting.views.html import to_html
from discretion.presenting.views.markdown import to_markdown
from discretion.presenting.views.page import to_page
from discretion.presenting.views.result import JobResult

HOSTILE = "</script><img src=x onerror=alert(1)>"


class Drawing:
    def to_dict(self, **_: object) -> dict:
        return {"$schema": "https://an.address", "description": HOSTILE}


def whole(name: str) -> Document:
    """A document with every kind of block, and a name wherever one can stand."""
    grid = Grid(
        (name, "share"),
        ((Cell(name, note=name, whole=name, link="more"), "5 %"), (name, "6 %"), (name, "7 %")),
        frozenset({name}),
        name,
        name,
        first=2,
        strong=frozenset({0}),
    )
    blocks = (
        name, Bullets((name,)), grid, Terms(((name, name),)), Advice(name), Caveat(name), Command(["ls", name]),
        Figure("shares", name, Drawing), Abridged((), (name,)), Section(name, (name,), "page", "more"),
    )  # fmt: skip
    return Document(name, (name,), (Section(name, blocks), Section(name, (name,), "full", "second")), kind="audit")


class Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in {"meta", "link"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_a_name_makes_no_element_and_all_are_closed_in_order():
    hostile, tame = Page(to_page(whole(HOSTILE))), Page(to_page(whole("name")))
    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in tame.tags]
    assert hostile.open == []


def test_links_lead_to_what_is_there():
    page = Page(to_page(whole("name")))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert {"#answer", "#details", "#second", "#more"} <= links


def test_a_figure_is_drawn_from_data_without_addresses():
    data = re.search(r'<script type="application/json">(.*?)</script>', to_page(whole("name")))
    assert data is not None
    assert json.loads(data[1]) == {"description": HOSTILE}


def test_rows_beyond_the_first_are_folded_and_the_others_sections_too():
    page = to_page(whole("name"))
    assert re.search(r"<summary>1 more rows</summary>", page)
    assert page.count("<details") == 3
    assert "<details open" not in page


@pytest.mark.parametrize("full", [False, True])
def test_a_terminal_shows_the_first_sections_and_in_full_the_others_but_those_of_a_page(full):
    from rich.console import Console

    from discretion.presenting.views.terminal import to_text

    document = Document(
        "title", ("before", Abridged(("short",), ("long",))),
        (
            Section("one", ("first", Section("inner", ("only on a page",), "page"))),
            Section("two", ("second",), "full"),
        ),
    )  # fmt: skip
    console = Console(width=80)
    with console.capture() as capture:
        console.print(to_text(document, full=full))
    shown = [line for line in map(str.strip, capture.get().splitlines()) if line]
    if full:
        assert shown == ["title", "before", "long", "one", "first", "two", "second"]
    else:
        assert shown == ["title", "before", "short", "one", "first", "More: --full, --html FILE, --markdown FILE."]
    for kept in (to_markdown(document), to_html(document)):
        assert "long" in kept
        assert "second" in kept
        assert "only on a page" not in kept
    assert "only on a page" in to_page(document)


def test_a_result_is_its_document_on_every_face():
    class Result(JobResult):
        def document(self) -> Document:
            return Document("Who stands out", ("Nobody.", Figure("shares", "", Drawing)), line="5 people")

    result = Result()
    assert repr(result) == "Result(5 people)"
    assert result.to_markdown() == "# Who stands out\n\nNobody.\n"
    assert result.to_html() == to_page(result.document())
    assert result._repr_html_() == to_html(result.document())
    assert isinstance(result.chart(), Drawing)
    assert isinstance(result.chart("shares"), Drawing)
