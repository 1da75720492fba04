"""The start of a command: check that the process has the resources to load its libraries, which may abort otherwise."""

import os
from importlib import import_module

from discretion.cli.exit_codes import BAD_INPUT, without_room
from discretion.cli.terminal import complain
from discretion.memory import process_limit

# The resources that every command needs: the limit's name, its option of `ulimit`, its unit, and the amount.
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
    """Load the libraries that every command needs; if resources are missing, print this and return the exit code."""
    limits = {name: limit for name, *_ in _NEEDED if (limit := process_limit(name)) is not None}
    for name, option, what, least in _NEEDED:
        if limits.get(name, least) < least:
            return _say(
                f"this process may use {limits[name]:,} {what}, but discretion needs {least:,}; raise the limit "
                f"(ulimit {option})",
                BAD_INPUT,
            )
    try:
        if limits.keys() & {"RLIMIT_AS", "RLIMIT_DATA"}:
            os.environ.update({**_SPARING, **os.environ})
            import_module("scipy.special")  # its BLAS never returns without room, so it is loaded while there is room
        import_module("discretion.cli.run")
    except (ImportError, MemoryError, OSError, RuntimeError, SystemError) as error:
        return _say(*without_room(error))
    return None


def _say(sentence: str, code: int) -> int:
    complain(sentence)
    return code
