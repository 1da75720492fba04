r"""Documents as Markdown, in which no name can be anything but words.

Every character that Markdown, the tables, links and formulas of its dialects, or HTML give a meaning is escaped, by a
backslash or as an entity: a name is shown as it is, by all of them.
"""

import re
from collections.abc import Iterator

from discretion.escaping import printable
from discretion.presenting.views.document import Block, Bullets, Document, Grid

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_ACTIVE = re.compile(r"([\\`*_\[\]{}|~$^#])")
# What would begin a list, a rule, a line below a heading, or code.
_AT_THE_START = re.compile(r"^(?: (?= *)|([+=:-])|(\d{1,9})([.)])(?= |$))")
# What becomes a link by itself, or a picture.
_LINKS = re.compile(r"(?<=:)//|(?<=www)\.|@|(?<!\w):(?=[\w+-]+:)", re.IGNORECASE)


def escaped(text: str) -> str:
    r"""Return words as Markdown that shows these words, and nothing else.

    Examples
    --------
    >>> print(escaped("*a|b* <b>"), escaped("www.evil.example"))
    \*a\|b\* &lt;b&gt; www&#46;evil.example
    """
    words = _ACTIVE.sub(r"\\\1", printable(text).translate(_ENTITIES))
    return _LINKS.sub(lambda found: "".join(f"&#{ord(character)};" for character in found[0]), words)


def _line(text: str) -> str:
    """Return words as a line that begins nothing but a paragraph."""
    return _AT_THE_START.sub(_begun, escaped(text))


def _begun(found: re.Match[str]) -> str:
    if found[0] == " ":
        return "&#32;"
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def to_markdown(document: Document) -> str:
    """Return a document as Markdown.

    Examples
    --------
    >>> print(to_markdown(Document("Who stands out", ("Nobody.",))))
    # Who stands out
    <BLANKLINE>
    Nobody.
    <BLANKLINE>
    """
    parts = [f"# {escaped(document.title)}"] if document.title else []
    parts += map(_block, document.blocks)
    for section in document.sections:
        parts += [f"## {escaped(section.heading)}", *map(_block, section.blocks)]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    if isinstance(block, str):
        return _line(block)
    if isinstance(block, Bullets):
        return "\n".join(f"- {_line(sentence)}" for sentence in block.sentences)
    return "\n".join(_table(block))


def _table(grid: Grid) -> Iterator[str]:
    yield _row(map(escaped, grid.heads))
    yield "|" + "|".join("---" if head in grid.words else "---:" for head in grid.heads) + "|"
    for row in grid.rows:
        yield _row(map(escaped, row))
    if grid.note:
        yield f"\n{_line(grid.note)}"


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"
