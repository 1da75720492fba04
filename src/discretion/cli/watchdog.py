"""The limits of a command: on time, and on the memory of its process."""

import _thread
import math
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

from discretion.errors import InvalidValueError, TooLargeError
from discretion.memory import held_memory, process_limit, said_size

# The seconds that the work may take to unwind after a limit, and the bytes that libraries hold in addition to a table.
GRACE = 3.0
OVERHEAD = 500_000_000
# A check interrupts the work, so it is not done often.
_PERIOD = 0.1
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
_SIGNAL = getattr(signal, "SIGALRM", signal.SIGINT)


def as_seconds(text: str | None) -> float | None:
    """Return the seconds of a time such as 30, 2.5s or 2m; None for no limit."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smh]?)", text)
    seconds = float(found[1]) * _UNITS[found[2]] if found else math.nan
    if not seconds > 0:
        raise InvalidValueError(
            f"--time must be seconds above 0, or minutes or hours such as 2m or 1h, got {text[:40]!r}"
        )
    return seconds


class _Reached(KeyboardInterrupt):  # libraries do not catch it
    pass


@contextmanager
def _never_lost() -> Generator[None]:
    """Raise again, a moment later, an exception that Python lost because it was raised in a destructor."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    before = sys.unraisablehook

    def lost(what: Any) -> None:
        if isinstance(what.exc_value, _Reached):
            signal.setitimer(signal.ITIMER_REAL, _PERIOD)
        else:
            before(what)

    sys.unraisablehook = lost
    try:
        yield
    finally:
        sys.unraisablehook = before
        signal.setitimer(signal.ITIMER_REAL, 0)


class Watchdog:
    """Ends the work of the main thread if it takes too long, or if its process holds too much memory.

    Work that does not end even then, such as a loop of a library, is ended with the process.

    Parameters
    ----------
    seconds
        The time limit, or None.
    memory
        The additional bytes that may be held, without those of libraries; or None.
    patience
        Additional seconds for work that keeps the time by itself.
    """

    def __init__(self, seconds: float | None, memory: int | None = None, patience: float = 0) -> None:
        self._until = math.inf if seconds is None else time.monotonic() + seconds + patience
        self._memory = math.inf if memory is None else (held_memory() or 0) + memory + OVERHEAD
        self._processor = (process_limit("RLIMIT_CPU") or math.inf) - 1
        self._slow = f"the time limit of {seconds or 0:g} s was reached; raise it with --time, or examine less"
        self._large = (
            f"the memory limit of {said_size(memory or 0)} was reached; raise it with --memory, or examine less"
        )
        self._working = False
        self._over = threading.Event()
        self.reached: str | None = None

    @contextmanager
    def working(self) -> Generator[None]:
        """End the work within by TooLargeError if a limit was or is reached."""
        try:
            self._working = True
            self.reached = self.reached or self._found()
            if self.reached is not None:
                raise _Reached
            yield
        except BaseException:  # the unwinding, or what a library made of it
            if self.reached is None:
                raise
            raise TooLargeError(self.reached) from None
        finally:
            self._working = False

    @contextmanager
    def watched(self) -> Generator[None]:
        """Watch the limits during the context; only work of the main thread can be ended midway."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: Any = signal.signal(_SIGNAL, self._unwind)
        watching = threading.Thread(target=self._watch, daemon=True)
        try:
            with _never_lost():
                watching.start()
                yield
        finally:
            self._over.set()
            if watching.ident is not None:
                watching.join()  # Python is not finalized while a thread is about to end
            signal.signal(_SIGNAL, before)

    def _found(self) -> str | None:
        if time.monotonic() >= self._until:
            return self._slow
        if time.process_time() >= self._processor:
            return "the limit on processor time was reached; raise it (ulimit -t), or examine less"
        return self._large if (held_memory() or 0) > self._memory else None

    def _unwind(self, _: int, __: FrameType | None) -> None:
        if self._working:
            raise _Reached

    def _watch(self) -> None:
        while self.reached is None:
            if self._over.wait(min(_PERIOD, max(0.0, self._until - time.monotonic()))):
                return
            self.reached = self._found()
        if hasattr(signal, "pthread_kill"):  # wakes a waiting thread
            signal.pthread_kill(threading.main_thread().ident or 0, _SIGNAL)
        else:
            _thread.interrupt_main(_SIGNAL)
        if not self._over.wait(GRACE):
            with suppress(OSError):
                os.write(2, f"discretion: {self.reached}\n".encode())
            os._exit(2)
