"""The clock of a party, which closes rounds; after a jump it closes none until the operator confirms the clock.

If a round is closed too early, the answers of its people are destroyed. People and networks set the clock of a machine,
and a machine may start with a wrong one. So the clock is compared with the machine's own count of seconds while the
service runs, and with the last recorded time when it starts.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from discretion.collection.errors import UnavailableError
from discretion.collection.parts.durable import write_whole

#: A clock with a difference of more seconds than this is doubtful.
TOLERATED = 300.0
#: So is a clock that shows more seconds than this since the service ended.
LONGEST_PAUSE = 24 * 3600.0
_PERIOD = 60.0  # seconds between two recorded times


def _seconds_since_start() -> float:
    """Return seconds of a counter that nobody sets, and that counts while a machine sleeps if the system allows it."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if clock is None else time.clock_gettime(clock)


class Clock:
    """The time of a service, and whether it may be trusted.

    Parameters
    ----------
    path
        The file of the last recorded time.
    now
        A function that returns the time in seconds since 1970.
    elapsed
        A function that returns the seconds since some moment, by a counter that nobody sets.
    """

    def __init__(
        self, path: Path, now: Callable[[], float], elapsed: Callable[[], float] = _seconds_since_start
    ) -> None:
        self._path, self._now, self._elapsed = path, now, elapsed
        self._set_at, self._kept_at = (now(), elapsed()), -_PERIOD
        last = self._last_seen()
        self._doubtful = last is not None and not -TOLERATED <= now() - last <= LONGEST_PAUSE

    def is_doubtful(self) -> bool:
        """Return whether the clock has jumped since it was last confirmed, or since the service last ran."""
        now, elapsed = self._now(), self._elapsed()
        then, began = self._set_at
        self._doubtful = self._doubtful or abs((now - then) - (elapsed - began)) > TOLERATED
        if not self._doubtful and elapsed - self._kept_at >= _PERIOD:
            self._keep()
        return self._doubtful

    def confirm(self) -> None:
        """Accept the current time as the right one."""
        self._set_at, self._doubtful = (self._now(), self._elapsed()), False
        self._keep()

    def _keep(self) -> None:
        with suppress(UnavailableError):  # a full disk is reported elsewhere
            write_whole(self._path, f"{self._now():.0f}".encode())
            self._kept_at = self._elapsed()

    def _last_seen(self) -> float | None:
        try:
            return float(int(self._path.read_bytes()[:20]))
        except (OSError, ValueError):  # the home is new, or somebody else wrote this file
            return None
