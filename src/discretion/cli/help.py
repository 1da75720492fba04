"""The help of a command, where each option's text fills the lines of the terminal."""

from collections.abc import Iterable
from typing import Any

from attrs import define
from cyclopts.help import DefaultFormatter, HelpPanel, InlineText
from rich.console import Console, ConsoleOptions
from rich.text import Text


@define(kw_only=True)
class HelpFormatter(DefaultFormatter):
    """Joins the lines of a docstring, which are broken for the source and not for the reader's terminal."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print a panel."""
        entries = [entry.copy(description=_joined(entry.description)) for entry in panel.entries]
        super().__call__(console, options, panel.copy(entries=entries))


def _joined(description: Any) -> Any:
    if isinstance(description, InlineText) and isinstance(description.primary_renderable, Text):
        words: Iterable[str] = description.primary_renderable.plain.split()
        return InlineText(Text(" ".join(words)))
    return description
