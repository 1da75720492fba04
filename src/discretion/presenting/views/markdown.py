r"""Documents as Markdown, in which names cannot be markup.

Every character with a meaning in Markdown, in the tables, links and formulas of its dialects, or in HTML is escaped, by
a backslash or as an entity, so that all of them show a name unchanged.
"""

import re
from collections.abc import Iterable, Iterator

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

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ACTIVE = re.compile(r"([\\`*_\[\]{}|~$^#])")
# Text that would begin a list, a rule, a line below a heading, or code.
_AT_THE_START = re.compile(r"^(?: (?= *)|([+=:-])|(\d{1,9})([.)])(?= |$))")
# Text that would become a link or a picture.
_LINKS = re.compile(r"(?<=:)//|(?<=www)\.|@|(?<!\w):(?=[\w+-]+:)", re.IGNORECASE)


def escaped(text: str) -> str:
    r"""Return words as Markdown that shows exactly these words.

    Examples
    --------
    >>> print(escaped("*a|b* <b>"), escaped("www.evil.example"))
    \*a\|b\* &lt;b&gt; www&#46;evil.example
    """
    words = _ACTIVE.sub(r"\\\1", printable(text).translate(_ENTITIES))
    return _LINKS.sub(lambda found: "".join(f"&#{ord(character)};" for character in found[0]), words)


def _line(text: str) -> str:
    """Return words as a line that can only begin a paragraph."""
    return _AT_THE_START.sub(_begun, escaped(text))


def _begun(found: re.Match[str]) -> str:
    if found[0] == " ":
        return "&#32;"
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def to_markdown(document: Document) -> str:
    """Return a document as Markdown: all its sections except those of the level "page", without figures.

    Examples
    --------
    >>> print(to_markdown(Document("Who stands out", ("Nobody.",))))
    # Who stands out
    <BLANKLINE>
    Nobody.
    <BLANKLINE>
    """
    parts = [f"# {escaped(document.title)}"] if document.title else []
    return "\n\n".join([*parts, *_shown((*document.blocks, *document.sections), "##")]) + "\n"


def _shown(blocks: Iterable[Block], level: str) -> Iterator[str]:
    for block in blocks:
        yield from _block(block, level)


def _block(block: Block, level: str) -> Iterator[str]:
    match block:
        case str() | Advice():
            yield _line(block if isinstance(block, str) else block.sentence)
        case Caveat(sentence):
            yield f"{CAVEAT} {escaped(sentence)}"
        case Bullets(sentences):
            yield "\n".join(f"- {_line(sentence)}" for sentence in sentences)
        case Terms(meanings):
            yield "\n".join(f"- {_line(f'{term}: {meaning}')}" for term, meaning in meanings)
        case Grid():
            if block.caption:
                yield _line(f"{block.caption}:")
            yield "\n".join(_table(block))
        case Command():
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", str(block))), default=0))
            yield f"{fence}sh\n{block}\n{fence}"
        case Abridged(_, whole):
            yield from _shown(whole, level)
        case Section(heading, blocks, shown):
            if shown != "page":
                yield f"{level} {escaped(heading)}"
                yield from _shown(blocks, f"{level}#")
        case Figure():
            pass


def _table(grid: Grid) -> Iterator[str]:
    yield _row(map(escaped, grid.heads))
    yield "|" + "|".join("---" if head in grid.words else "---:" for head in grid.heads) + "|"
    for row in grid.rows:
        yield _row(escaped(in_one_line(cell)) for cell in row)
    if grid.note:
        yield f"\n{_line(grid.note)}"


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"
