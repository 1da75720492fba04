"""What is printed on a terminal as blocks of a document, so that both say the same."""

from collections.abc import Iterable
from typing import Any

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from discretion.presenting.shell import Command
from discretion.presenting.views.document import Block, Bullets, Grid

_BULLET = "• "


def as_blocks(printed: Iterable[RenderableType | Command]) -> tuple[Block, ...]:
    """Return sentences, points and tables for a terminal as blocks; styles and empty lines are left out.

    Examples
    --------
    >>> as_blocks([Text(""), Text("So much."), Text("• one"), Text("• two")])
    ('So much.', Bullets(sentences=('one', 'two')))
    """
    blocks: list[Block] = []
    for renderable in printed:
        shown: Any = renderable.renderable if isinstance(renderable, Padding) else renderable
        if isinstance(shown, Table):
            blocks.append(_grid(shown))
            continue
        words = _words(shown)
        if words.startswith(_BULLET):
            last = blocks[-1] if blocks else None
            before = last.sentences if isinstance(last, Bullets) else ()
            blocks[len(blocks) - bool(before) :] = [Bullets((*before, words.removeprefix(_BULLET)))]
        elif words:
            blocks.append(words)
    return tuple(blocks)


def _grid(table: Table) -> Grid:
    heads = tuple(_words(column.header).replace("-\n", "").replace("\n", " ") for column in table.columns)
    cells = ([_lines(cell) for cell in column.cells] for column in table.columns)
    words = frozenset(head for head, column in zip(heads, table.columns, strict=True) if column.justify == "left")
    return Grid(heads, tuple(zip(*cells, strict=True)), words, _words(table.caption))


def _lines(cell: Any) -> str:
    return "; ".join(_words(cell).replace(",\n", ",").splitlines())


def _words(shown: Any) -> str:
    return "" if shown is None else shown.plain if isinstance(shown, Text) else str(shown)
