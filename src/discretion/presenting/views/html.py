"""Documents as one HTML element for a notebook, as wide as possible and in the notebook's own colors."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from discretion.escaping import printable
from discretion.presenting.shell import Command
from discretion.presenting.views.document import (
    CAVEAT,
    Abridged,
    Advice,
    Block,
    Bullets,
    Caveat,
    Document,
    Figure,
    Grid,
    Section,
    Terms,
    in_one_line,
)

# A notebook would render text between dollar signs as a formula.
_WHOLE = 'class="tex2jax_ignore mathjax_ignore" style="max-width: 100%; overflow-wrap: anywhere"'
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
_LEFTWARDS = re.compile(f"{_LETTERS}(?: +{_LETTERS})*")
_UNIT = re.compile(r"(?<=\d) %")


def set_apart(markup: str) -> str:
    """Return escaped text whose right-to-left letters cannot reorder the words around them."""
    return _LEFTWARDS.sub(r"<bdi>\g<0></bdi>", markup)


def escaped(text: str) -> str:
    """Return words as HTML that shows exactly these words; a number stays on one line with its per cent sign.

    Examples
    --------
    >>> escaped("<b>&'"), escaped("5 %")
    ('&lt;b&gt;&amp;&#x27;', '5&nbsp;%')
    """
    return _UNIT.sub("&nbsp;%", set_apart(escape(printable(text))))


def to_html(document: Document) -> str:
    """Return a document as one element, without figures; all sections except the first of several are folded.

    Examples
    --------
    >>> to_html(Document("Who stands out", ("Nobody.",))).partition(">")[2]
    '<p><strong>Who stands out</strong></p><p>Nobody.</p></div>'
    """
    parts = [f"<p><strong>{escaped(document.title)}</strong></p>"] if document.title else []
    parts += _shown(document.blocks)
    for place, section in enumerate(each for each in document.sections if each.level != "page"):
        parts += _section(section, shown=not place and len(document.sections) > 1)
    return f"<div {_WHOLE}>{''.join(parts)}</div>"


def _shown(blocks: Iterable[Block]) -> Iterator[str]:
    for block in blocks:
        yield from _block(block)


def _block(block: Block) -> Iterator[str]:
    match block:
        case str():
            yield f"<p>{escaped(block)}</p>"
        case Advice(sentence):
            yield f"<p><strong>{escaped(sentence)}</strong></p>"
        case Caveat(sentence):
            yield f"<p><em>{CAVEAT}</em> {escaped(sentence)}</p>"
        case Bullets(sentences):
            yield f"<ul>{''.join(f'<li>{escaped(sentence)}</li>' for sentence in sentences)}</ul>"
        case Terms(meanings):
            each = (f"<li><strong>{escaped(term)}</strong>: {escaped(meaning)}</li>" for term, meaning in meanings)
            yield f"<ul>{''.join(each)}</ul>"
        case Grid():
            yield from _grid(block)
        case Command():
            yield f'<pre style="white-space: pre-wrap"><code>{escaped(str(block))}</code></pre>'
        case Abridged(_, whole):
            yield from _shown(whole)
        case Section(level="first" | "full"):
            yield from _section(block)
        case Section() | Figure():
            pass


def _grid(grid: Grid) -> Iterator[str]:
    if grid.caption:
        yield f"<p>{escaped(grid.caption)}:</p>"
    yield from _table(grid, grid.rows[: grid.first])
    if rest := grid.rows[grid.first :]:
        yield f"<details><summary>{len(rest):,} {escaped(grid.rest)}</summary>"
        yield from _table(grid, rest)
        yield "</details>"
    if grid.note:
        yield f"<p>{escaped(grid.note)}</p>"


def _section(section: Section, *, shown: bool = False) -> Iterator[str]:
    yield f"<details{' open' * shown}><summary>{escaped(section.heading)}</summary>"
    yield from _shown(section.blocks)
    yield "</details>"


def _table(grid: Grid, rows: Sequence[Sequence[str]]) -> Iterator[str]:
    sides = ["left" if head in grid.words else "right" for head in grid.heads]
    yield '<div style="max-width: 100%; overflow-x: auto"><table style="margin: 0"><thead><tr>'
    yield "".join(_cell("th", head, side) for head, side in zip(grid.heads, sides, strict=True))
    yield "</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(_cell('td', cell, side) for cell, side in zip(row, sides, strict=True))}</tr>"
    yield "</tbody></table></div>"


def _cell(tag: str, words: str, side: str) -> str:
    # A number is never broken, and a name keeps room for some letters of a line.
    room = "min-width: 6em" if side == "left" else "white-space: nowrap" if tag == "td" else "overflow-wrap: normal"
    return f'<{tag} style="text-align: {side}; {room}">{escaped(in_one_line(words))}</{tag}>'
