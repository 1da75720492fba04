"""The exit codes of commands that fail, and the sentence for a lack of memory or of other resources."""

from collections.abc import Iterator

FAILED, BAD_INPUT, NOT_DECIDED, OUR_ERROR = 1, 2, 3, 70

# Words of libraries and of the system for a lack of memory or of other resources.
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
    """Return a sentence for a library that cannot be loaded or lacks resources, and the exit code."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, MemoryError):
            return (
                "there is not enough memory for this; examine less, or raise a limit (--memory, ulimit -v)",
                BAD_INPUT,
            )
        if any(word in str(cause).lower() for word in _NO_ROOM):
            return (
                "this needs more resources than this process may use; raise its limits (ulimit -v, -d, -u or -n)",
                BAD_INPUT,
            )
    first = str(causes[-1]).strip().splitlines()[:1]
    return f"a library that this needs cannot be loaded ({''.join(first)[:200]}); install discretion again", OUR_ERROR


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):
        if error is not None:
            yield error
            error = error.__cause__ or error.__context__
