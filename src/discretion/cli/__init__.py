"""The command line: a word per command, each in a file of its own that loads when it is called."""

import os
import sys

from discretion import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:  # until the signals are handled, every import is time in which Ctrl-C shows Python's own traceback
    from collections.abc import Sequence


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Run a command and return its exit code.

    0 is fine, 1 a ``--fail-over`` or a ``check`` that failed, 2 bad input or a limit that was reached, 3 a gate that is
    not decided, 70 an internal error, and 128 and its number what a signal ended: 129 SIGHUP, 130 SIGINT, 143 SIGTERM.

    Without arguments it takes the process', and is the process' command: it ends when signals say so.
    """
    if arguments is not None:
        return _answer(list(arguments))
    from discretion.cli.signals import until_told  # noqa: PLC0415

    for handle in range(3):  # a file or a pipe of ours must not take the place of a stream that is closed
        try:
            os.fstat(handle)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    return until_told(_command)


def _command() -> int:
    _keep_stdout()
    return _answer(sys.argv[1:])


def _keep_stdout() -> None:
    """Let nothing but our own words onto stdout: a library that prints there by itself, as HiGHS does, is not heard."""
    if sys.stdout is None or sys.stdout.fileno() != 1:  # closed, or told where to go by whoever runs us
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
