"""Escape text from outside: characters that steer a terminal, reorder a line or are invisible are spelled out."""

from typing import Any

_LONGEST_REPR = 60

# Letters and marks by their category, though nothing is drawn for them.
_UNSEEN = frozenset(
    map(
        chr,
        [
            *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0x16FE4),
            *range(0x180B, 0x1810),
            *range(0xFE00, 0xFE10),
            *range(0xE0100, 0xE01F0),
        ],
    )
)


def printable(text: str) -> str:
    """Return the text as one line of visible characters; all others become escapes as in a Python string.

    Controls, line breaks, marks of direction, joiners, tags and lone surrogates then cannot steer a terminal or hide
    in a name. Letters of every script stay.

    Examples
    --------
    >>> printable("Größe, 年齢"), printable("to" + chr(27) + "wn") == "to" + chr(92) + "x1bwn"
    ('Größe, 年齢', True)
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() and c not in _UNSEEN else _spelled(c) for c in text)


def short_repr(value: Any) -> str:
    """Return a short name of a value for an error message: its repr, shortened, or its type.

    Python refuses to print whole numbers of many digits and lists of many levels.

    Examples
    --------
    >>> short_repr(0.5), short_repr(10**5000), short_repr("long" * 100)[-5:]
    ('0.5', 'an int that is too large to print', 'glon…')
    """
    try:
        text = repr(value)
    except Exception:  # whatever a foreign object raises
        kind = type(value).__name__
        article = "an" if kind[0] in "aeiou" else "a"
        return f"{article} {kind} that is too large to print"
    return text if len(text) <= _LONGEST_REPR else text[:_LONGEST_REPR] + "…"


def _spelled(character: str) -> str:
    return character.encode("unicode_escape").decode()
