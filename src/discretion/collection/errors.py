"""The errors of a collection: each has a reason in words, and the status with which a service answers."""

from discretion.errors import DiscretionError, InvalidValueError


class CollectionError(DiscretionError, ValueError):
    """The base class of all errors of a collection; ``status`` is the status with which a service answers.

    If another party was called, ``party`` is its name in the task, and ``why`` is the cause in words for a log.
    Neither contains an address or an answer.
    """

    status = 400
    party = ""
    why = ""


class MalformedError(CollectionError, InvalidValueError):
    """Malformed bytes, or a value outside its range."""


class RefusedTaskError(CollectionError):
    """A task that a client refuses: it is over, it was changed, or it does not meet the client's terms."""


class StrangerError(CollectionError):
    """A token or a credential that this service does not know."""

    status = 403


class UnknownError(CollectionError):
    """A task, a round or a batch that does not exist."""

    status = 404


class SlowError(CollectionError):
    """A body that does not arrive in time."""

    status = 408


class ConflictError(CollectionError):
    """A request that contradicts an earlier one, or comes too early or too late."""

    status = 409


class OverError(CollectionError):
    """A task that has ended before its last round."""

    status = 410


class TooLongError(CollectionError):
    """A body that is longer than any valid one."""

    status = 413


class BusyError(CollectionError):
    """Too many requests of one sender at once."""

    status = 429


class UnavailableError(CollectionError):
    """Data that cannot be stored or passed on at the moment; nothing of it counts, and the sender may try again."""

    status = 503
