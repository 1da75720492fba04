"""The progress of a command on a terminal."""

import shutil
import sys
import time
from contextlib import suppress
from threading import Event, Thread
from typing import TextIO

from discretion.escaping import printable


class Progress:
    """Shows the current step and its time on a terminal's stderr, after one second."""

    _PERIOD = 1.0

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._what = ""
        self._shown = False
        self._ended = Event()
        self._clock: Thread | None = None

    def __call__(self, what: str) -> None:
        """Set the current step."""
        self._what = what
        if self._clock is None and sys.stderr is not None and sys.stderr.isatty():  # pyright: ignore[reportUnnecessaryComparison] - it may be closed
            self._clock = Thread(target=self._tick, args=(sys.stderr,), daemon=True)
            self._clock.start()

    def done(self) -> None:
        """Wipe the line."""
        self._ended.set()
        if self._clock is not None:
            self._clock.join()
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            self._shown = False

    def _tick(self, terminal: TextIO) -> None:
        while not self._ended.wait(self._PERIOD):
            self._shown = True
            with suppress(OSError, ValueError):  # a terminal that has gone is no reason to stop
                terminal.write(f"\r\x1b[2K{self._said()}")
                terminal.flush()

    def _said(self) -> str:
        """Return the progress in one line of the terminal, since a wrapped line could not be wiped."""
        from rich.cells import cell_len, set_cell_size  # noqa: PLC0415 - answers in JSON need no rich

        passed = f" … {time.monotonic() - self._start:.0f} s"
        room, said = max(shutil.get_terminal_size().columns - len(passed) - 1, 0), printable(self._what)
        return set_cell_size(said, min(cell_len(said), room)) + passed
