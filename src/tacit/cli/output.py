"""What commands put out: one JSON object on stdout, and on a terminal what they are at."""

import sys
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tacit.cli.limits import Limits
from tacit.jobs.watch import Watch
from tacit.presenting.objects import answer
from tacit.presenting.progress import Progress


def print_json(command: str, inputs: Mapping[str, Any], results: Mapping[str, Any]) -> None:
    """Print the object that every command's --json prints."""
    sys.stdout.write(answer(command, inputs, results) + "\n")


class _Watched(Watch):
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
def watching(limits: Limits) -> Generator[Watch]:
    """Give who follows a job on a terminal and under limits."""
    progress = Progress()
    try:
        with limits.watched():
            yield _Watched(progress, limits)
    finally:
        progress.done()
