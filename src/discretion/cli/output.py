"""What commands put out: one JSON object on stdout, and on a terminal what they are at."""

import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from discretion.cli.ends import FAILED, NOT_DECIDED
from discretion.cli.limits import Limits
from discretion.cli.terminal import say
from discretion.jobs.gates import Verdict, Word
from discretion.jobs.monitor import Monitor
from discretion.presenting.objects import answer
from discretion.presenting.progress import Progress
from discretion.presenting.views.document import Document


def print_json(
    command: str, inputs: Mapping[str, Any], results: Mapping[str, Any], verdicts: Sequence[Verdict] = ()
) -> None:
    """Print the object that every command's --json prints."""
    sys.stdout.write(answer(command, inputs, results, verdicts) + "\n")


def print_document(document: Document) -> None:
    """Print a result's document in the terminal's width."""
    from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
    from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

    Screen().print(to_text(document, full=True))  # these commands have no --full


def say_verdicts(verdicts: Sequence[Verdict], note: str | None = None) -> None:
    """Print whether each gate holds, a line each, and before them what they take for granted."""
    if note is not None:
        say(f"note: {note}")
    for verdict in verdicts:
        say(str(verdict))


def code_of(words: Iterable[Word]) -> int:
    """Return the exit code of a command whose gates ended so."""
    ends = set(words)
    return FAILED if "failed" in ends else NOT_DECIDED if "not decided" in ends else 0


class _TerminalMonitor(Monitor):
    """Shows each step on the terminal, and ends it at a limit."""

    def __init__(self, progress: Progress, limits: Limits) -> None:
        self._progress, self._limits = progress, limits

    @property
    def over(self) -> bool:
        return self._limits.reached is not None

    def step(self, what: str) -> AbstractContextManager[None]:
        self._progress(what)
        return self._limits.working()


@contextmanager
def monitored(limits: Limits) -> Generator[Monitor]:
    """Give who follows a job on a terminal and under limits."""
    progress = Progress()
    try:
        with limits.watched():
            yield _TerminalMonitor(progress, limits)
    finally:
        progress.done()
