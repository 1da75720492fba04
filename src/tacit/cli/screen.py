"""Tables on a terminal, in words that can steer nothing."""

import shutil
from typing import Any

from rich.console import Console
from rich.text import Text

from tacit.printable import printable

# Narrower, words fold into single letters; wider is padding.
_NARROWEST, _WIDEST = 40, 500


class Screen(Console):
    """What tables are shown on: stdout, without markup, at any setting of COLUMNS and LINES."""

    def __init__(self) -> None:
        size = shutil.get_terminal_size()
        width = min(max(size.columns, _NARROWEST), _WIDEST)
        super().__init__(markup=False, emoji=False, highlight=False, width=width, height=max(size.lines, 1))

    def render_str(self, text: str, **options: Any) -> Text:
        """Return the text as every cell, heading and sentence is shown."""
        return super().render_str(printable(text), **options)
