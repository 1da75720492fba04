"""The clock of a party, which closes rounds: one that jumps closes none until the operator confirms it.

A round that is closed too early is destroyed with all that its people have sent. The clock of the day is set by people
and by networks, and a machine may start with any. So it is held to the machine's own count of seconds while the service
runs, and to the last time that was seen while it does not.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from discretion.collection.errors import UnavailableError
from discretion.collection.parts.durable import write_whole

#: A clock that is wrong by more seconds than this is doubtful.
TOLERATED = 300.0
#: And so is one that is further on than this since the service ended.
LONGEST_PAUSE = 24 * 3600.0
_PERIOD = 60.0  # seconds between two times that are kept


def _seconds_since_start() -> float:
    """Return seconds that nobody sets, and that go on while a machine sleeps where the system counts them."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class Clock:
    """The time of a service, and whether it may be trusted.

    Parameters
    ----------
    path
        The file in which the last time is kept.
    now
        The time in seconds since 1970.
    elapsed
        Seconds since some moment, which nobody sets.
    """

    def __init__(
        self, path: Path, now: Callable[[], float], elapsed: Callable[[], float] = _seconds_since_start
    ) -> None:
        self._path, self._now, self._elapsed = path, now, elapsed
        self._set_at, self._kept_at = (now(), elapsed()), -_PERIOD
        last = self._last_seen()
        self._doubtful = last is not None and not -TOLERATED <= now() - last <= LONGEST_PAUSE

    def is_doubtful(self) -> bool:
        """Whether the time has jumped since it was last confirmed, or since the service ran before."""
        now, elapsed = self._now(), self._elapsed()
        then, began = self._set_at
        self._doubtful = self._doubtful or abs((now - then) - (elapsed - began)) > TOLERATED
        if not self._doubtful and elapsed - self._kept_at >= _PERIOD:
            self._keep()
        return self._doubtful

    def confirm(self) -> None:
        """Take the time as it is for the right one."""
        self._set_at, self._doubtful = (self._now(), self._elapsed()), False
        self._keep()

    def _keep(self) -> None:
        with suppress(UnavailableError):  # a full disk is found out elsewhere
            write_whole(self._path, f"{self._now():.0f}".encode())
            self._kept_at = self._elapsed()

    def _last_seen(self) -> float | None:
        try:
            return float(int(self._path.read_bytes()[:20]))
        except (OSError, ValueError):  # of a home that is new, or of which somebody else wrote this
            return None
