"""The end of a command by a signal: soon, with one sentence and the exit code that shells know."""

import _thread
import atexit
import io
import os
import select
import sys
import time

# Until signals are handled, Ctrl-C shows Python's own traceback, so this module loads only modules that Python loads.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
else:
    import _signal as signal  # the half that is not enumerations

# Only the main thread may handle them; one that nohup or a shell's background ignores stays ignored.
_SENTENCES = {"SIGINT": "interrupted", "SIGTERM": "ended by SIGTERM", "SIGHUP": "ended by SIGHUP"}
_GRACE = 2.0  # seconds
# The byte that ends the watch: no signal has this number.
_END = b"\0"


def until_told(work: "Callable[[], int]") -> int:
    """Return the exit code of a command's work, or 128 plus the number of the signal that ended it.

    The first signal unwinds the main thread, like Ctrl-C. The process is ended if the main thread does not finish
    within a grace period, such as in a loop of a library that does not return, or at a second signal.
    """
    signals = _Signals()
    code = 0
    try:
        signals.heed()
        code = work()
        signals.leave()
    except BaseException:  # the unwinding, or what some library made of it
        if signals.told is None:
            raise
    if signals.told is None:
        return code
    signals.say()
    return 128 + signals.told


class InterruptingEndsIt:
    """A context in which the first Ctrl-C is a KeyboardInterrupt, for work that can return an early result."""

    def __enter__(self) -> None:
        self._before = self._bell = None
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
            return
        try:
            self._before = signal.signal(signal.SIGINT, self._once)
            self._bell = signal.set_wakeup_fd(-1)
        except ValueError:  # not in the main thread
            return

    def __exit__(self, raised: type[BaseException] | None, *_: object) -> None:
        self._give_back()
        if raised is KeyboardInterrupt:  # too late, or too soon, for an early result
            signal.raise_signal(signal.SIGINT)

    def _once(self, _: int, __: object) -> None:
        self._give_back()
        raise KeyboardInterrupt

    def _give_back(self) -> None:
        if self._bell is not None:
            signal.set_wakeup_fd(self._bell, warn_on_full_buffer=False)
            signal.signal(signal.SIGINT, self._before)  # pyright: ignore[reportArgumentType]
            self._bell = None


class _Told(KeyboardInterrupt):
    """An exception that unwinds like Ctrl-C; with KeyboardInterrupt in ``exec`` itself, Python ends as if by SIGINT."""


class _Signals:
    def __init__(self) -> None:
        self.told: int | None = None
        self._unsaid, self._watching = _thread.allocate_lock(), _thread.allocate_lock()
        self._ending = _thread.allocate_lock()
        self._sentences: dict[int, str] = {}
        self._before: dict[int, object] = {}
        self._bell = self._ringer = -1

    def heed(self) -> None:
        """Handle the signals that nobody else handles or ignores."""
        for name, sentence in _SENTENCES.items():
            number = getattr(signal, name, None)
            if number is None or signal.getsignal(number) not in (signal.SIG_DFL, signal.default_int_handler):
                continue
            self._sentences[number] = sentence
            try:
                self._before[number] = signal.signal(number, self._unwind)
            except ValueError:  # not in the main thread
                return
        atexit.register(self._end)  # the first to be registered is the last to be called
        self._bell, self._ringer = os.pipe()
        os.set_blocking(self._ringer, False)
        signal.set_wakeup_fd(self._ringer, warn_on_full_buffer=False)
        self._watching.acquire()
        try:
            _thread.start_new_thread(self._watch, ())
        except RuntimeError:  # no more threads are allowed: a loop that does not return is then not ended
            self._watching.release()

    def leave(self) -> None:
        """Give the signals back."""
        if self._ringer >= 0:
            signal.set_wakeup_fd(-1)
            os.write(self._ringer, _END)  # another process may hold the pipe, too
            if self._watching.acquire(timeout=_GRACE):  # Python is not finalized while a thread is about to end
                os.close(self._ringer)
                os.close(self._bell)
        for number, handler in self._before.items():
            signal.signal(number, handler)  # pyright: ignore[reportArgumentType]
        if signal.SIGINT in self._before:  # while Python finalizes, its own handler would show a traceback
            atexit.register(signal.signal, signal.SIGINT, signal.SIG_DFL)

    def say(self) -> None:
        """Print the reason for the end, once, and nothing else."""
        if self.told is not None and self._unsaid.acquire(blocking=False):
            wiped = "\r\x1b[2K" if os.isatty(2) else ""  # there may be a line of progress
            try:  # noqa: SIM105 - contextlib takes a while to load, in which the process may be cut short
                os.write(2, f"{wiped}discretion: {self._sentences[self.told]}\n".encode())
            except OSError:
                pass

    def _unwind(self, number: int, _: object) -> None:
        if self.told is not None:
            self._cut_short()
        self.told = number
        sys.stderr = io.StringIO()  # any text from here on is about the unwinding
        raise _Told

    def _end(self) -> None:
        """Exit with the code of the signal that ended the command, if one did, before Python is finalized.

        Finalizing libraries that are only half loaded, while the watching thread runs, may crash or never return.
        """
        if self.told is None:
            return
        try:  # noqa: SIM105 - contextlib takes a while to load
            sys.stdout.flush()
        except (AttributeError, OSError, ValueError):
            pass
        if not self._ending.acquire(blocking=False):  # the other thread is about to end the process
            time.sleep(_GRACE)
        os._exit(128 + self.told)

    def _watch(self) -> None:
        """Receive signals even while the main thread is in a library.

        It imports nothing: a signal may end the main thread's import at a moment that leaves the import lock held.
        """
        first = self._rung(None)
        if first is not None:
            self._rung(_GRACE)
            self.told = self.told or first
            self._cut_short()
        self._watching.release()

    def _rung(self, patience: float | None) -> int | None:
        """Return the next handled signal, or None if there is none within these seconds, or before the end."""
        until = None if patience is None else time.monotonic() + patience
        while until is None or time.monotonic() < until:
            heard, _, _ = select.select([self._bell], [], [], until and max(0.0, until - time.monotonic()))
            rung = os.read(self._bell, 1) if heard else b""
            if not rung or rung == _END:
                return None
            if rung[0] in self._before:
                return rung[0]
        return None

    def _cut_short(self) -> None:
        if not self._ending.acquire(blocking=False):  # both threads may be here at once, and one ends the process
            return
        self.say()
        time.sleep(0.1)  # the other thread may be about to print the reason
        os._exit(128 + (self.told or 0))
