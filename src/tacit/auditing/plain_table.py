"""Tables for a terminal."""

from typing import Any

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from tacit.auditing.result import SHOWN
from tacit.printable import printable


def plain_table(*headers: str, wide: int = 12) -> Table:
    """Return a table whose first column folds and whose others do not; ``wide`` is the first one's least width."""
    table = _PlainTable(box=box.SIMPLE, pad_edge=False, padding=(0, 1, 0, 0))
    for i, header in enumerate(headers):
        table.add_column(header, justify="left" if i == 0 else "right", overflow="fold", no_wrap=i > 0)
    table.columns[0].min_width = wide
    return table


class _PlainTable(Table):
    """A table whose cells are words and never markup, however a column or a value is called.

    Where there is no room for all columns they fold: a number that is cut is another number.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.__rich_measure__(console, options).minimum > options.max_width:
            for column in self.columns:
                column.no_wrap, column.min_width = False, None
        yield from super().__rich_console__(console, options)

    def add_row(self, *cells: RenderableType | None, **options: Any) -> None:
        super().add_row(*(Text(printable(cell)) if isinstance(cell, str) else cell for cell in cells), **options)


def with_rest(table: Table, rows: int) -> Table:
    """Return the table, which says how many rows it does not show."""
    if rows > SHOWN:
        table.caption = f"and {rows - SHOWN:,} more, in --json"
    return table
