"""The start of a command, which may have no room for the libraries that it needs: some abort then, or never return."""

import os
from collections.abc import Iterator, Sequence
from importlib import import_module

from tacit.cli.terminal import complain
from tacit.memory import process_limit

BAD_INPUT, OUR_ERROR = 2, 70

# What every command starts with for sure: the limit's name, what `ulimit` calls it, what it counts, and how much.
_NEEDED = (
    ("RLIMIT_AS", "-v", "bytes of addresses", 1_500_000_000),
    ("RLIMIT_DATA", "-d", "bytes of data", 750_000_000),
    ("RLIMIT_STACK", "-s", "bytes of stack", 1_000_000),
    ("RLIMIT_NOFILE", "-n", "open files", 32),
    ("RLIMIT_CPU", "-t", "seconds of processor time", 10),
)
# A thread reserves addresses for its stack and its memory, and Arrow's own pool a whole GB.
_SPARING = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

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


def start(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code, or say that there is no room for it."""
    limits = {name: limit for name, *_ in _NEEDED if (limit := process_limit(name)) is not None}
    for name, option, what, least in _NEEDED:
        if limits.get(name, least) < least:
            return _say(
                f"this process may have {limits[name]:,} {what}, and tacit needs {least:,}; raise it (ulimit {option})",
                BAD_INPUT,
            )
    try:
        if limits.keys() & {"RLIMIT_AS", "RLIMIT_DATA"}:
            os.environ.update({**_SPARING, **os.environ})
            import_module("scipy.special")  # whose BLAS never returns where there is no room, as there is now
        from tacit.cli.run import run  # noqa: PLC0415 - loads what may not fit
    except (ImportError, MemoryError, OSError, RuntimeError, SystemError) as error:
        return _say(*without_room(error))
    return run(arguments)


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
    return f"a library that this needs cannot be loaded ({''.join(first)[:200]}); install tacit anew", OUR_ERROR


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    for _ in range(10):
        if error is not None:
            yield error
            error = error.__cause__ or error.__context__


def _say(sentence: str, code: int) -> int:
    complain(sentence)
    return code
