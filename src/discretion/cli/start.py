"""The start of a command, which may have no room for the libraries that it needs: some abort then, or never return."""

import os
from importlib import import_module

from discretion.cli.exit_codes import BAD_INPUT, without_room
from discretion.cli.terminal import complain
from discretion.memory import process_limit

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


def refused() -> int | None:
    """Load what every command needs; where there is no room for it, say so and return the exit code."""
    limits = {name: limit for name, *_ in _NEEDED if (limit := process_limit(name)) is not None}
    for name, option, what, least in _NEEDED:
        if limits.get(name, least) < least:
            return _say(
                f"this process may have {limits[name]:,} {what}, and discretion needs {least:,}; raise it (ulimit "
                f"{option})",
                BAD_INPUT,
            )
    try:
        if limits.keys() & {"RLIMIT_AS", "RLIMIT_DATA"}:
            os.environ.update({**_SPARING, **os.environ})
            import_module("scipy.special")  # whose BLAS never returns where there is no room, as there is now
        import_module("discretion.cli.run")
    except (ImportError, MemoryError, OSError, RuntimeError, SystemError) as error:
        return _say(*without_room(error))
    return None


def _say(sentence: str, code: int) -> int:
    complain(sentence)
    return code
