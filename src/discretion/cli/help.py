"""The help of a command, with each option's text wrapped to the terminal's width."""

from collections.abc import Iterable
from typing import Any

from attrs import define
from cyclopts.help import DefaultFormatter, HelpPanel, InlineText
from rich.console import Console, ConsoleOptions
from rich.text import Text


@define(kw_only=True)
class HelpFormatter(DefaultFormatter):
    """A formatter that joins the lines of a docstring, so that they are wrapped to the terminal's width."""

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Print a panel."""
        entries = [entry.copy(description=_joined(entry.description)) for entry in panel.entries]
        super().__call__(console, options, panel.copy(entries=entries))


def _joined(description: Any) -> Any:
    if isinstance(description, InlineText) and isinstance(description.primary_renderable, Text):
        words: Iterable[str] = description.primary_renderable.plain.split()
        return InlineText(Text(" ".join(words)))
    return description
