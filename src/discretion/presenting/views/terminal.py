"""Documents for a terminal: their title is what was asked for, and is not said again."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from discretion.presenting.tables import plain_words, titled_table
from discretion.presenting.views.document import Block, Bullets, Document


def to_text(document: Document) -> Group:
    """Return a document as sentences, points and tables, each section below its heading."""
    return Group(*_parts(document))


def _parts(document: Document) -> Iterator[RenderableType]:
    for block in document.blocks:
        yield from _block(block)
    for section in document.sections:
        yield Padding(Text(section.heading, style="bold underline"), (1, 0, 0, 0))
        for block in section.blocks:
            yield from _block(block)


def _block(block: Block) -> Iterator[RenderableType]:
    if isinstance(block, str):
        yield plain_words(block)
    elif isinstance(block, Bullets):
        yield from (plain_words(f"• {sentence}") for sentence in block.sentences)
    else:
        table = titled_table(None, block.heads, [head for head in block.heads if head not in block.words])
        for row in block.rows:
            table.add_row(*row)
        if block.note:
            table.caption = block.note
        yield table
