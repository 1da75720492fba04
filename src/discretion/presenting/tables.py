"""Tables for a terminal, in its width, whose words cannot control it."""

import re
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.containers import Lines
from rich.table import Table
from rich.text import Text

from discretion.escaping import printable
from discretion.presenting.numbers import WITHIN_NUMBERS
from discretion.presenting.width import width

# Replaces a space at which no line may break: rich breaks at no-break spaces, and this is in no printable text.
_KEPT = "\ue000"


class Screen(Console):
    """A console on stdout for tables, without markup, for any setting of COLUMNS and LINES."""

    def __init__(self) -> None:
        height = max(shutil.get_terminal_size().lines, 1)
        super().__init__(markup=False, emoji=False, highlight=False, width=width(), height=height)

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text in the form of all cells, headings and sentences."""
        return super().render_str(printable(text), **options)


class _Words(Text):
    """Words that keep a number on one line with its unit, if there is room for both."""

    def wrap(self, console: Console, width: int, **options: Any) -> Lines:
        """Return the words in lines of at most a width."""
        kept = WITHIN_NUMBERS.sub(_KEPT, self.plain)
        if any(cell_len(word) > width for word in kept.split()):
            return super().wrap(console, width, **options)
        lines = Text(kept, style=self.style).wrap(console, width, **options)
        for line in lines:
            line.plain = line.plain.replace(_KEPT, " ")
        return lines


def plain_words(words: str, style: str = "") -> Text:
    """Return words as a line for a terminal, which they cannot control."""
    return _Words(printable(words), style=style)


def plain_table(*headers: str, wide: int = 12) -> Table:
    """Return a table whose first column, at least ``wide`` characters wide, folds between words, and no other does."""
    table = _PlainTable(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="left" if i == 0 else "right", overflow="fold", no_wrap=i > 0)
    table.columns[0].min_width = wide
    return table


# A longer word in a column other than the first is broken if there is no room for it.
_LONGEST_WORD = 18
# Where a line of names may be broken, and where a cell begins a second line.
_SPACES, _FOLD = re.compile(r"\s+"), "\n"


class _PlainTable(Table):
    """A table of names and numbers, in which no number and no name is cut, and no cell is markup.

    If it is too wide, its heads and sets of names fold; if it is still too wide, each row becomes a few lines.
    """

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        super().add_row(*(plain_words(cell) if isinstance(cell, str) else cell for cell in cells), **options)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        cells = [[_plain(cell) for cell in (column.header, *column.cells)] for column in self.columns]
        for column, (head, *held) in zip(self.columns, cells, strict=True):
            words = " ".join(held) if column.justify == "left" else None
            parts = "\n".join(held).splitlines() if words is None else _SPACES.split(words)
            column.no_wrap = False
            column.width = max(map(cell_len, (*parts, *_SPACES.split(head))))
            if words is not None and column is not self.columns[0]:
                column.width = min(column.width, max(_LONGEST_WORD, cell_len(head)))
        spare = options.max_width - self.__rich_measure__(console, options).minimum
        if spare < 0:
            yield from self._records(cells)
            return
        for column, texts in zip(self.columns, cells, strict=True):
            wanted = max(cell_len(line) for text in texts for line in text.splitlines() or [""])
            taken = min(spare, max(0, wanted - (column.width or 0)))
            column.width, spare = (column.width or 0) + taken, spare - taken
        yield from super().__rich_console__(console, options)

    def _records(self, cells: Sequence[Sequence[str]]) -> Iterator[Text]:
        """Yield each row in lines: its first cell, and every other cell after its column's name."""
        (_, *names), *others = cells
        yield Text("")
        for place, name in enumerate(names, start=1):
            yield Text(name, style="bold")
            for head, *held in others:
                if held[place - 1]:
                    yield Text(f"  {head}: {held[place - 1].replace(_FOLD, ', ')}")
        if self.caption is not None:
            yield Text(str(self.caption))
        yield Text("")


def _plain(cell: RenderableType) -> str:
    return cell.plain if isinstance(cell, Text) else str(cell)
