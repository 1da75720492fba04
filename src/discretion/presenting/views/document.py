"""What a document is made of: sentences, lists and tables of words, under headings."""

from collections.abc import Sequence
from dataclasses import dataclass

# Of a table so many rows are shown.
SHOWN = 10


@dataclass(frozen=True)
class Bullets:
    """Sentences, each a point of its own."""

    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """A table whose cells are words; in the columns of the other heads than those of ``words`` stand numbers."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: frozenset[str]
    note: str = ""


Block = str | Bullets | Grid


@dataclass(frozen=True)
class Section:
    """A part of a document, under a heading."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A result as it is shown: its title, what is said first, and what may be folded."""

    title: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...] = ()


def first_rows(heads: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str], rest: str) -> Grid:
    """Return a table of the first rows, which says how many more there are, and where.

    Examples
    --------
    >>> first_rows(["size"], [["1"]] * 12, [], ".to_frame()").note
    'and 2 more, in .to_frame()'
    """
    note = f"and {len(rows) - SHOWN:,} more, in {rest}" if len(rows) > SHOWN else ""
    return Grid(tuple(heads), tuple(map(tuple, rows[:SHOWN])), frozenset(words), note)
