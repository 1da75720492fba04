"""How a command ends that cannot do what it should: its exit code, and the sentence where something has no room."""

from collections.abc import Iterator

FAILED, BAD_INPUT, NOT_DECIDED, OUR_ERROR = 1, 2, 3, 70

# How libraries and the system say that there is no room.
_NO_ROOM = (
    "failed to map segment",
    "cannot allocate",
    "allocation failed",
    "bad_alloc",
    "can't start new thread",
    "resource temporarily unavailable",
    "too many open files",
    "cannot create",
)


def without_room(error: BaseException) -> tuple[str, int]:
    """Return a sentence for a library that cannot be loaded or has no room, and the exit code that fits."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, MemoryError):
            return (
                "there is not enough memory for this; ask for less, or raise a limit (--memory, ulimit -v)",
                BAD_INPUT,
            )
        if any(word in str(cause).lower() for word in _NO_ROOM):
            return "this takes more than this process may have; raise its limits (ulimit -v, -d, -u or -n)", BAD_INPUT
    first = str(causes[-1]).strip().splitlines()[:1]
    return f"a library that this needs cannot be loaded ({''.join(first)[:200]}); install discretion anew", OUR_ERROR


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):
        if error is not None:
            yield error
            error = error.__cause__ or error.__context__
