"""The width of terminal output, for any setting of COLUMNS."""

import shutil
import textwrap

# Narrower, words fold into single letters; wider is padding.
_NARROWEST, _WIDEST = 40, 500


def width() -> int:
    """Return the terminal's width in columns."""
    return min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST)


def folded(sentence: str) -> str:
    """Return a sentence in lines of the terminal's width, broken only between words."""
    return textwrap.fill(sentence, width(), break_long_words=False, break_on_hyphens=False)
