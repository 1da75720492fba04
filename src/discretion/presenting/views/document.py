"""The parts of a document: blocks of sentences, tables, figures and commands, in sections of three levels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from discretion.presenting.shell import Command

# The most rows of a table that are shown.
SHOWN = 10
# The most rows of a figure; the table has all rows.
MOST_ROWS = 25
# The words before a `Caveat`.
CAVEAT = "Limits of this result."

#: The outputs that show a section: all; all except a terminal's first screen; or only a page.
Level = Literal["first", "full", "page"]


class Cell(str):
    """The words of a table's cell, with a note, a long form and a link.

    Parameters
    ----------
    words
        The words that every output shows.
    note
        A second line; if there is no room for one, it follows after a colon.
    whole
        The long form of shortened words: a page shows it below the pointer.
    link
        The name of a section that a page links to.

    Examples
    --------
    >>> Cell("singling out", note="the share that is unique").note
    'the share that is unique'
    """

    note: str
    whole: str
    link: str

    def __new__(cls, words: str, *, note: str = "", whole: str = "", link: str = "") -> "Cell":
        """Return the words as a cell."""
        cell = super().__new__(cls, words)
        cell.note, cell.whole, cell.link = note, whole, link
        return cell


@dataclass(frozen=True)
class Bullets:
    """Sentences, each in a bullet of its own."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table of words and numbers: the columns other than those of ``words`` have numbers.

    Parameters
    ----------
    heads
        The heads of the columns, with the unit of their numbers unless the numbers have one.
    rows
        Words, or each a `Cell`.
    words
        The heads of the columns of words.
    note
        The text below the table.
    caption
        The title of the table.
    first
        The number of rows that a page and a notebook show; they fold the others. A terminal and Markdown show all.
    rest
        The label of the folded rows.
    strong
        The places of the emphasized rows.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[str]
    note: str = ""
    caption: str = ""
    first: int = SHOWN
    rest: str = "more rows"
    strong: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Terms:
    """Terms, each with its meaning."""

    meanings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Advice:
    """A sentence that the reader must not miss."""

    sentence: str


@dataclass(frozen=True)
class Caveat:
    """A sentence on the limits of the blocks before it."""

    sentence: str


@dataclass(frozen=True)
class Figure:
    """A figure by its name; its chart is made when an output draws it."""

    name: str
    caption: str
    make: Callable[[], Any]


@dataclass(frozen=True)
class Abridged:
    """Blocks, with a short version for a terminal's first screen; either may be empty."""

    brief: tuple["Block", ...]
    whole: tuple["Block", ...]


@dataclass(frozen=True)
class Section:
    """A part of a document, under a heading; it is one of the sections of a document, or folded among blocks.

    Parameters
    ----------
    heading
        The heading.
    blocks
        The blocks below the heading.
    level
        The outputs that show it.
    name
        The name for links.
    """

    heading: str
    blocks: tuple["Block", ...]
    level: Level = "first"
    name: str = ""


Block = str | Bullets | Grid | Terms | Advice | Caveat | Figure | Command | Abridged | Section


@dataclass(frozen=True)
class Document:
    """The document of a result: its title, its first blocks, and its sections.

    Parameters
    ----------
    title
        The title.
    blocks
        The blocks before the sections.
    sections
        The sections, those of the level "first" before the others.
    kind
        The kind of the result on a page, such as "audit".
    line
        The result in a few words, for its ``repr``; the title if empty.
    """

    title: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    kind: str = ""
    line: str = ""

    def with_section(self, section: Section) -> "Document":
        """Return the document with one more section, after those that every output shows."""
        first = sum(each.level == "first" for each in self.sections)
        return replace(self, sections=(*self.sections[:first], section, *self.sections[first:]))

    @property
    def is_abridged(self) -> bool:
        """Whether a terminal's first screen leaves something out."""
        return any(map(_has_more, (*self.blocks, *self.sections)))

    @property
    def figures(self) -> dict[str, Figure]:
        """The figures by their names, the main one first."""
        return {figure.name: figure for figure in _figures_in((*self.blocks, *self.sections))}


def _has_more(block: Block) -> bool:
    if isinstance(block, Section):
        return block.level == "full" or (block.level == "first" and any(map(_has_more, block.blocks)))
    return isinstance(block, Abridged) and bool(block.whole)


def _figures_in(blocks: Sequence[Block]) -> list[Figure]:
    figures: list[Figure] = []
    for block in blocks:
        if isinstance(block, Figure):
            figures.append(block)
        elif isinstance(block, Abridged):
            figures += _figures_in(block.whole)
        elif isinstance(block, Section):
            figures += _figures_in(block.blocks)
    return figures


def first_rows(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str], rest: str) -> Grid:
    """Return a table of the first rows, with a note on the number and the place of the others.

    Examples
    --------
    >>> first_rows(["size"], [["1"]] * 12, [], ".to_frame()").note
    'and 2 more, in .to_frame()'
    """
    note = f"and {len(rows) - SHOWN:,} more, in {rest}" if len(rows) > SHOWN else ""
    return Grid(tuple(heads), tuple(map(tuple, rows[:SHOWN])), frozenset(words), note)


def in_one_line(cell: str) -> str:
    """Return a cell's words, with their note if they have one.

    Examples
    --------
    >>> in_one_line("5 %"), in_one_line(Cell("singling out", note="the share that is unique"))
    ('5 %', 'singling out: the share that is unique')
    """
    return f"{cell}: {cell.note}" if isinstance(cell, Cell) and cell.note else cell
