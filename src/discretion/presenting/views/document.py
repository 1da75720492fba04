"""What a document is made of: blocks of sentences, tables, figures and commands, in sections of three levels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from discretion.presenting.shell import Command

# Of a table so many rows are shown.
SHOWN = 10
# Of a figure with more rows, which is a wall, so many are drawn; the table has them all.
MOST_ROWS = 25
# What stands before a `Caveat`.
CAVEAT = "What this does not show."

#: Which faces show a section: all; all but a terminal's first screen; or a page only.
Level = Literal["first", "full", "page"]


class Cell(str):
    """The words of a table's cell, with what belongs to them.

    Parameters
    ----------
    words
        What every face shows.
    note
        A second line; where there is no room for one, it follows after a colon.
    whole
        What the words stand for, where they are short for it: a page shows it beneath the pointer.
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
    """Sentences, each a point of its own."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table whose cells are words; in the columns of the other heads than those of ``words`` stand numbers.

    Parameters
    ----------
    heads
        The heads of the columns, with the unit of the numbers below them where these have none.
    rows
        Words, or each a `Cell`.
    words
        The heads of the columns of words.
    note
        What stands below the table.
    caption
        What the table is of.
    first
        How many rows a page and a notebook show; they fold the others. A terminal and Markdown show all.
    rest
        What the folded rows are called.
    strong
        The places of the rows that stand out.
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
    """Terms, each with what it means."""

    meanings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Advice:
    """A sentence that the reader must not miss."""

    sentence: str


@dataclass(frozen=True)
class Caveat:
    """What the blocks before it do not show."""

    sentence: str


@dataclass(frozen=True)
class Figure:
    """A figure by its name; its chart is made when a face draws it."""

    name: str
    caption: str
    make: Callable[[], Any]


@dataclass(frozen=True)
class Abridged:
    """Blocks of which a terminal's first screen shows a short version; either may be empty."""

    brief: tuple["Block", ...]
    whole: tuple["Block", ...]


@dataclass(frozen=True)
class Section:
    """A part of a document, under a heading; it stands among the sections of a document, or folded among blocks.

    Parameters
    ----------
    heading
        The heading.
    blocks
        What stands below it.
    level
        Which faces show it.
    name
        What a link calls it.
    """

    heading: str
    blocks: tuple["Block", ...]
    level: Level = "first"
    name: str = ""


Block = str | Bullets | Grid | Terms | Advice | Caveat | Figure | Command | Abridged | Section


@dataclass(frozen=True)
class Document:
    """A result as it is shown: its title, what every face shows first, and its sections.

    Parameters
    ----------
    title
        The title.
    blocks
        What stands before the sections.
    sections
        The sections, those of the level "first" before the others.
    kind
        What a page calls the result, such as "audit".
    line
        The result in a few words, for its ``repr``; the title if there are none.
    """

    title: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()
    kind: str = ""
    line: str = ""

    def with_section(self, section: Section) -> "Document":
        """Return the document with one more section, the last of those that every face shows."""
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
    """Return a table of the first rows, which says how many more there are, and where.

    Examples
    --------
    >>> first_rows(["size"], [["1"]] * 12, [], ".to_frame()").note
    'and 2 more, in .to_frame()'
    """
    note = f"and {len(rows) - SHOWN:,} more, in {rest}" if len(rows) > SHOWN else ""
    return Grid(tuple(heads), tuple(map(tuple, rows[:SHOWN])), frozenset(words), note)


def in_one_line(cell: str) -> str:
    """Return a cell's words, with the note that they may have.

    Examples
    --------
    >>> in_one_line("5 %"), in_one_line(Cell("singling out", note="the share that is unique"))
    ('5 %', 'singling out: the share that is unique')
    """
    return f"{cell}: {cell.note}" if isinstance(cell, Cell) and cell.note else cell
