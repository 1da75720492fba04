"""The cause for which a service waits, and the time of its next try: soon at first, then later and later."""

import errno
import time

from discretion.collection.errors import CollectionError, UnavailableError
from discretion.collection.services.monitoring import Log

#: Seconds after which a service checks whether work is due.
PERIOD = 0.5
LONGEST_PAUSE = 30.0


def reason_of(error: Exception) -> tuple[str, str]:
    """Return the party or the disk for which an error waits, and the cause, in fixed words."""
    if isinstance(error, CollectionError) and error.party:
        return error.party, error.why
    if isinstance(error, OSError):
        return "disk", errno.errorcode.get(error.errno or 0, type(error).__name__)
    return "disk" if isinstance(error, UnavailableError) else "this party", type(error).__name__


class Waiting:
    """The waiting of a service, logged when its cause changes, and at each new try.

    Parameters
    ----------
    log
        The log of the service.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self._reason: tuple[str, str] | None = None
        self._logged_at = 0.0
        #: Seconds until the next try.
        self.pause = PERIOD

    def failed(self, error: Exception) -> None:
        """Record a failed try, and set the pause until the next one."""
        reason, now = reason_of(error), time.monotonic()
        if reason != self._reason:
            self._reason, self.pause = reason, PERIOD
        elif now - self._logged_at < self.pause:  # the try was at somebody's request
            return
        else:
            self.pause = min(2 * self.pause, LONGEST_PAUSE)
        self._logged_at = now
        self.log("waits", on=reason[0], why=reason[1])

    def went_well(self) -> None:
        """Record that nothing has to wait."""
        self._reason, self.pause = None, PERIOD
