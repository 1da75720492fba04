"""Documents for a terminal, in its width: a first screen, or in full."""

from collections.abc import Iterable, Iterator

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from discretion.escaping import printable
from discretion.presenting.shell import Command
from discretion.presenting.tables import plain_table, plain_words
from discretion.presenting.views.document import (
    CAVEAT,
    Abridged,
    Advice,
    Block,
    Bullets,
    Caveat,
    Cell,
    Document,
    Figure,
    Grid,
    Section,
    Terms,
)

_MORE = "More: --full, --html FILE, --markdown FILE."


def to_text(document: Document, *, full: bool = False) -> Group:
    """Return a document as sentences, bullets and tables, each section below its heading, without figures.

    Parameters
    ----------
    document
        The document.
    full
        Whether to print every section except those of the level "page", and not only the first screen.
    """
    return Group(*_parts(document, full))


def _parts(document: Document, full: bool) -> Iterator[RenderableType]:
    if document.title:
        yield plain_words(document.title, style="bold")
    more = not full and document.is_abridged
    yield from _shown((*document.blocks, *document.sections), full, tight=more)
    if more:
        yield plain_words(_MORE)


def _shown(blocks: Iterable[Block], full: bool, *, tight: bool) -> Iterator[RenderableType]:
    for block in blocks:
        yield from _block(block, full, tight=tight)


def _block(block: Block, full: bool, *, tight: bool) -> Iterator[RenderableType]:
    match block:
        case str() | Advice():
            yield plain_words(block if isinstance(block, str) else block.sentence)
        case Caveat(sentence):
            yield plain_words(f"{CAVEAT} {sentence}")
        case Bullets(sentences):
            yield from (Padding(plain_words(f"• {sentence}"), (0, 0, 0, 2)) for sentence in sentences)
        case Terms(meanings):
            yield from (plain_words(f"{term}: {meaning}") for term, meaning in meanings)
        case Grid():
            if full and block.caption:
                yield plain_words(f"{block.caption}:")
            yield _Tight(_table(block))
            if full:
                yield Text("")
        case Command():
            yield _Folded(block)
        case Abridged(brief, whole):
            yield from _shown(whole if full else brief, full, tight=tight)
        case Section(heading, blocks, level):
            if level == "first" or (full and level == "full"):
                # An abridged first screen has no room for empty lines.
                yield Padding(Text(heading, style="bold underline"), (int(not tight), 0, 0, 0))
                yield from _shown(blocks, full, tight=tight)
        case Figure():
            pass


def _table(grid: Grid) -> Table:
    table = plain_table(*grid.heads)
    for column, head in zip(table.columns, grid.heads, strict=True):
        if head in grid.words:
            column.justify, column.no_wrap = "left", False
    for place, row in enumerate(grid.rows):
        table.add_row(*map(_cell, row), style="bold" if place in grid.strong else None)
    if grid.note:
        table.caption, table.caption_justify = grid.note, "left"
    return table


def _cell(cell: str) -> str | Text:
    if isinstance(cell, Cell) and cell.note:
        return Text(f"{printable(cell)}\n{printable(cell.note)}")
    return cell


class _Tight:
    """A table without the empty lines around it."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in Segment.split_lines(console.render(self._table, options)):
            if any(segment.text.strip() for segment in line):
                yield from (*line, Segment.line())


class _Folded:
    """A command, folded into lines that end in a backslash if it is wider than the terminal."""

    def __init__(self, command: Command) -> None:
        self._command = command

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self._command.lines(options.max_width):
            yield Text(line, overflow="fold")
