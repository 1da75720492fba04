"""Markdown shows the words that it was given, whoever reads it: nothing in them is a heading, a link or a cell."""

from html.parser import HTMLParser

import pytest
from hypothesis import given, strategies as st
from markdown_it import MarkdownIt

from discretion.escaping import printable
from discretion.presenting.views import html, markdown
from discretion.presenting.views.document import Bullets, Document, Grid, Section

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ACTIVE = "|\\`*_[]{}<>&$~^#+-=.!:@/()'\" \n\t1aא"
NAMES = st.text(st.sampled_from(ACTIVE), min_size=1, max_size=12) | st.text(min_size=1, max_size=12)
BLOCKS = ["h1", "p", "li", "th", "th", "td", "td", "p", "h2", "p"]


class Blocks(HTMLParser):
    """The blocks of a page, in order, with the words in each; any other element is a finding."""

    _AROUND = ("ul", "table", "thead", "tbody", "tr", "bdi", "div", "strong", "details", "summary")

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, str]] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        assert tag in {*BLOCKS, *self._AROUND}, tag
        if tag in BLOCKS:
            self.found.append((tag, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, words = self.found[-1]
            self.found[-1] = tag, words + data


def spaced(words: str) -> str:
    """Words as a reader sees them: white space at the ends, and how much there is, says nothing."""
    return " ".join(words.split())


def everywhere(name: str) -> Document:
    """A document that has a name wherever one can stand."""
    grid = Grid((name, "share"), ((name, name),), frozenset({name}), name)
    return Document(name, (name, Bullets((name,)), grid), (Section(name, (name,)),))


@pytest.mark.long
@given(NAMES)
def test_a_document_says_what_it_was_given_and_is_made_of_nothing_else(name):
    blocks = Blocks(READER.render(markdown.to_markdown(everywhere(name)))).found
    said = spaced(printable(name))
    if said:
        # What is said above is nobody's cell: an empty line ends the table.
        assert [tag for tag, _ in blocks] == BLOCKS
        assert [spaced(words) for tag, words in blocks] == [
            "share" if place == 4 else said for place, _ in enumerate(BLOCKS)
        ]


@given(NAMES)
def test_html_says_what_it_was_given_and_is_made_of_nothing_else(name):
    page = html.to_html(everywhere(name))
    within = [spaced(words) for tag, words in Blocks(page).found if tag in ("li", "td")]
    assert within == [spaced(printable(name))] * 3
    assert page.count("<") == html.to_html(everywhere("x")).count("<") + 2 * page.count("</bdi>")


@pytest.mark.parametrize(
    "name", ["https://x.test/a", "www.x.test", "someone@x.test", ":smile:", "$x$", "~~x~~", "{.x}", "^x^"]
)
def test_what_some_dialects_make_something_of_is_escaped(name):
    said = markdown.escaped(name)
    assert name not in said
    assert Blocks(READER.render(said)).found[0] == ("p", f"{name}\n")


def test_letters_that_run_leftwards_are_set_apart():
    assert html.escaped("age גיל 5") == "age <bdi>גיל</bdi> 5"


def test_a_page_in_a_notebook_has_no_width_in_pixels_no_colour_and_no_formula():
    page = html.to_html(everywhere("$x$"))
    assert "px" not in page
    assert "color" not in page
    assert "background" not in page
    assert 'class="tex2jax_ignore mathjax_ignore"' in page


def test_of_several_sections_all_but_the_first_are_folded():
    several = Document("", (), (Section("one", ("1",)), Section("two", ("2",))))
    assert html.to_html(several).count("<details open>") == 1
    assert html.to_html(several).count("<details") == 2
