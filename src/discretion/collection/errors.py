"""What is refused in a collection: a reason in words, and the status that a service answers with."""

from discretion.errors import DiscretionError, InvalidValueError


class CollectionError(DiscretionError, ValueError):
    """Something that a party of a collection refuses; ``status`` is what its service answers.

    Where another party was called, ``party`` is its name in the task and ``why`` what failed, in words for a log:
    neither has an address or an answer.
    """

    status = 400
    party = ""
    why = ""


class MalformedError(CollectionError, InvalidValueError):
    """Bytes that are not what they are to be."""


class RefusedTaskError(CollectionError):
    """A task that a client has no part in: expired, changed, or beyond what it accepts."""


class StrangerError(CollectionError):
    """A token or a credential that opens nothing here."""

    status = 403


class UnknownError(CollectionError):
    """A task, a round or a batch that there is not."""

    status = 404


class SlowError(CollectionError):
    """A body that does not come."""

    status = 408


class ConflictError(CollectionError):
    """What was said before, said otherwise; or too early, or too late."""

    status = 409


class OverError(CollectionError):
    """A task that has ended before its last round."""

    status = 410


class TooLongError(CollectionError):
    """A body longer than any that is expected."""

    status = 413


class BusyError(CollectionError):
    """More from one sender at once than a service takes."""

    status = 429


class UnavailableError(CollectionError):
    """Something that cannot be kept or passed on at the moment; nothing of it counts, and it may be tried again."""

    status = 503
