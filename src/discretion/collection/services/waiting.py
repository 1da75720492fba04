"""What a service waits for, and when it tries again: soon at first, then ever more seldom."""

import errno
import time

from discretion.collection.errors import CollectionError, UnavailableError
from discretion.collection.services.monitoring import Log

#: Seconds after which a service looks whether there is something to be done.
PERIOD = 0.5
LONGEST_PAUSE = 30.0


def reason_of(error: Exception) -> tuple[str, str]:
    """Return what an error waits for, a party of the task by its name or the disk, and why; both are words of ours."""
    if isinstance(error, CollectionError) and error.party:
        return error.party, error.why
    if isinstance(error, OSError):
        return "disk", errno.errorcode.get(error.errno or 0, type(error).__name__)
    return "disk" if isinstance(error, UnavailableError) else "this party", type(error).__name__


class Waiting:
    """Logs what is waited for when it changes, and else as often as it is tried again.

    Parameters
    ----------
    log
        The service's log.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self._reason: tuple[str, str] | None = None
        self._logged_at = 0.0
        #: Seconds until the next try.
        self.pause = PERIOD

    def failed(self, error: Exception) -> None:
        """Note that it has to be tried again."""
        reason, now = reason_of(error), time.monotonic()
        if reason != self._reason:
            self._reason, self.pause = reason, PERIOD
        elif now - self._logged_at < self.pause:  # somebody had it tried at once
            return
        else:
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
        self._logged_at = now
        self.log("waits", on=reason[0], why=reason[1])

    def went_well(self) -> None:
        """Note that there is nothing to wait for."""
        self._reason, self.pause = None, PERIOD
