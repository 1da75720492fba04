"""The command line: a word per command, each in a file of its own that loads when it is called."""

import gc
import os
import sys

from discretion import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # until the signals are handled, every import is time in which Ctrl-C shows Python's own traceback
    from collections.abc import Sequence


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run a command and return its exit code.

    0 means success, 1 that a ``--fail-over`` or a ``check`` failed, 2 bad input or a limit that was reached, 3 that a
    gate is not decided, 70 an internal error, and 128 plus the signal's number that a signal ended the command: 129
    SIGHUP, 130 SIGINT, 143 SIGTERM.

    Without arguments, it reads those of the process and handles its signals.
    """
    if arguments is not None:
        return _answer(list(arguments))
    from discretion.cli.signals import until_told  # noqa: PLC0415

    for handle in range(3):  # a file or a pipe that we open must not take the place of a closed stream
        try:
            os.fstat(handle)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    return until_told(_command)


def _command() -> int:
    gc.disable()  # nothing that loads is garbage: `run` enables it when all has loaded
    _keep_stdout()
    return _answer(sys.argv[1:])


def _keep_stdout() -> None:
    """Keep the prints of libraries, such as HiGHS, out of stdout."""
    if sys.stdout is None or sys.stdout.fileno() != 1:  # closed, or redirected by the caller
        return
    sys.stdout.flush()
    ours = os.fdopen(
        os.dup(1), "w", encoding=sys.stdout.encoding, errors=sys.stdout.errors, closefd=False,
        buffering=1 if sys.stdout.line_buffering else -1,
    )  # fmt: skip
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    sys.stdout = sys.__stdout__ = ours  # pyright: ignore[reportAttributeAccessIssue, reportConstantRedefinition]


def _answer(given: list[str]) -> int:
    from discretion.cli.commands import overview  # noqa: PLC0415

    try:
        if given in ([], ["--help"], ["-h"], ["--version"]) and sys.stdout is not None:
            print(f"{__version__}\n" if given == ["--version"] else overview(), end="", flush=True)
            return 0
    except OSError as error:
        from discretion.cli.run import unwritten  # noqa: PLC0415

        return unwritten(error)
    from discretion.cli.start import refused  # noqa: PLC0415 - the overview answers without loading anything

    if (code := refused()) is None:
        from discretion.cli.run import run  # noqa: PLC0415 - loads what may not fit

        code = run(given)
    return code
