"""Documents as one HTML element for a notebook: as wide as there is room, in the notebook's own colours."""

import re
from collections.abc import Iterator
from html import escape

from discretion.escaping import printable
from discretion.presenting.views.document import Block, Bullets, Document, Grid

# A notebook would set what stands between dollars as a formula.
_WHOLE = 'class="tex2jax_ignore mathjax_ignore" style="max-width: 100%; overflow-wrap: anywhere"'
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
_LEFTWARDS = re.compile(f"{_LETTERS}(?: +{_LETTERS})*")
_UNIT = re.compile(r"(?<=\d) %")


def set_apart(markup: str) -> str:
    """Return escaped text whose letters that run leftwards cannot reorder the words around them."""
    return _LEFTWARDS.sub(r"<bdi>\g<0></bdi>", markup)


def escaped(text: str) -> str:
    """Return words as HTML that shows these words, and nothing else; a number is on one line with its per cent.

    Examples
    --------
    >>> escaped("<b>&'"), escaped("5 %")
    ('&lt;b&gt;&amp;&#x27;', '5&nbsp;%')
    """
    return _UNIT.sub("&nbsp;%", set_apart(escape(printable(text))))


def to_html(document: Document) -> str:
    """Return a document as one element; its sections are folded but for the first of several.

    Examples
    --------
    >>> to_html(Document("Who stands out", ("Nobody.",))).partition(">")[2]
    '<p><strong>Who stands out</strong></p><p>Nobody.</p></div>'
    """
    parts = [f"<p><strong>{escaped(document.title)}</strong></p>"] if document.title else []
    parts += map(_block, document.blocks)
    for place, section in enumerate(document.sections):
        shown = " open" if not place and len(document.sections) > 1 else ""
        within = "".join(map(_block, section.blocks))
        parts.append(f"<details{shown}><summary>{escaped(section.heading)}</summary>{within}</details>")
    return f"<div {_WHOLE}>{''.join(parts)}</div>"


def _block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{escaped(block)}</p>"
    if isinstance(block, Bullets):
        return f"<ul>{''.join(f'<li>{escaped(sentence)}</li>' for sentence in block.sentences)}</ul>"
    return "".join(_table(block))


def _table(grid: Grid) -> Iterator[str]:
    sides = ["left" if head in grid.words else "right" for head in grid.heads]
    yield '<div style="max-width: 100%; overflow-x: auto"><table style="margin: 0"><thead><tr>'
    yield "".join(_cell("th", head, side) for head, side in zip(grid.heads, sides, strict=True))
    yield "</tr></thead><tbody>"
    for row in grid.rows:
        yield f"<tr>{''.join(_cell('td', cell, side) for cell, side in zip(row, sides, strict=True))}</tr>"
    yield "</tbody></table></div>"
    if grid.note:
        yield f"<p>{escaped(grid.note)}</p>"


def _cell(tag: str, words: str, side: str) -> str:
    # A number is never broken, and a name keeps room for some letters of a line.
    room = "min-width: 6em" if side == "left" else "white-space: nowrap" if tag == "td" else "overflow-wrap: normal"
    return f'<{tag} style="text-align: {side}; {room}">{escaped(words)}</{tag}>'
