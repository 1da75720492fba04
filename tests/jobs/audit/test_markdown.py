"""The document says everything that the terminal shows, and nothing that the table's names could turn it into."""

import re

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from discretion.errors import InvalidValueError
from discretion.presenting.views.result_views import markdown as to_markdown, page as to_html
from discretion.presenting.views.terminal import to_text
from jobs.audit import samples

READER = MarkdownIt("commonmark").enable("table")
SAMPLES = ["usual", "hostile", "bare", "wide"]


@pytest.fixture(params=SAMPLES)
def found(request):
    return getattr(samples, request.param)()


def words(text: str) -> list[str]:
    """Words and numbers in the order in which they stand."""
    return re.findall(r"[^\W_]+(?:[.,]\d+)*", text)


def as_read(document: str) -> str:
    """What a reader of the Markdown sees."""
    tokens = READER.parse(document)
    inline = (child for token in tokens for child in token.children or (token,))
    return "\n".join(each.content for each in inline if each.type in ("text", "fence"))


def on_a_terminal(found) -> str:
    console = Console(width=5000, color_system=None, markup=False)
    with console.capture() as capture:
        console.print(to_text(found.document(), full=True))
    return capture.get()


@pytest.mark.one_in(3)
def test_every_word_and_number_of_the_terminal_is_there_and_no_other(found):
    assert sorted(words(as_read(found.to_markdown()))) == sorted(words(on_a_terminal(found)))


def test_every_section_stands_in_order_under_a_heading(found):
    headings = re.findall(r"^## (.*)$", found.to_markdown(), re.MULTILINE)
    places = [heading.partition(" ")[0] for heading in headings]
    assert places == [*["What"] * 3, *(f"{number}." for number in range(1, 11))]


def test_a_hostile_name_makes_no_element_and_no_cell():
    ours, tame = (READER.parse(to_markdown(found)) for found in (samples.hostile(), samples.usual()))
    inside = {child.type for token in ours for child in token.children or ()}
    assert inside == {"text"}
    cells = [[token.type for token in tokens if token.type.startswith(("t", "h"))] for tokens in (ours, tame)]
    assert set(cells[0]) == set(cells[1])


def test_a_notebook_shows_the_same_in_short_and_folds_the_rest(found):
    element = found._repr_html_()
    assert element.count("<details open>") == 1
    assert len(re.findall(r"<summary>(?:What (?:to|would)|\d+\. )", element)) == 13
    tags = " ".join(re.findall(r"<[^>]*>", element))
    assert not re.search(r"<(script|style|img|link)|\b(src|href)=|\d(px|pt)\b|color|background", tags)


@pytest.mark.one_in(5)
def test_methods_give_what_the_functions_give(found):
    assert found.to_html() == to_html(found)
    assert found.to_markdown() == to_markdown(found)


@pytest.mark.long
def test_figures_are_those_of_the_page():
    found = samples.usual()
    assert found.chart().to_dict() == found.chart("columns").to_dict()
    assert found.chart("certified").to_dict() != found.chart().to_dict()
    with pytest.raises(
        InvalidValueError, match="no figure 'hats'; it has 'columns', 'certified', 'selected', 'front', 'guesses'"
    ):
        found.chart("hats")
