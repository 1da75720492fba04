"""Find the command, run it, and turn errors into one sentence on stderr."""

import gc
import io
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from cyclopts import App, CycloptsError, Parameter

from discretion import __version__
from discretion.cli.commands import COMMANDS
from discretion.cli.exit_codes import BAD_INPUT, OUR_ERROR, without_room
from discretion.cli.terminal import complain, say_aside
from discretion.errors import DiscretionError, InternalError
from discretion.input_files import recording_files_read

_INTERRUPTED = 130


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - what Python makes of a closed one
        return _refuse("standard output is closed; redirect it to /dev/null if nobody reads it")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that cannot show ε is no reason to fail
            stream.reconfigure(errors="backslashreplace")
    code = _ended(arguments)
    try:
        sys.stdout.flush()
    except OSError as error:
        return unwritten(error, code)
    return code


def unwritten(error: OSError, code: int = 0) -> int:
    """Return the exit code of a command whose output could not be written, given its own exit code."""
    with suppress(OSError, ValueError):  # Python's last flush goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError) or code == BAD_INPUT:  # the reader has gone, or an error is printed already
        return code
    return _refuse(f"standard output cannot be written: {(error.strerror or str(error)).lower()}")


def _ended(arguments: Sequence[str]) -> int:  # noqa: PLR0911 - one way out per kind of end
    arguments = ["/dev/stdin" if word == "-" else word for word in arguments]  # cyclopts reads "-" as an option
    try:
        app = _app(arguments)
        with recording_files_read():
            return int(app(arguments, exit_on_error=False, print_error=False, result_action="return_value") or 0)
    except CycloptsError as error:
        return _refuse(" ".join(str(error).split()))
    except InternalError as error:
        complain(str(error))
        return OUR_ERROR
    except DiscretionError as error:
        return _refuse(str(error))
    except BrokenPipeError as error:
        return unwritten(error)
    except SystemExit as stop:  # rich exits with 1 when the reader of its output has gone
        return unwritten(BrokenPipeError()) if stop.code == 1 else int(stop.code or 0)
    except KeyboardInterrupt:
        return _interrupted()
    except (ImportError, MemoryError) as error:
        sentence, code = without_room(error)
        complain(sentence)
        return code
    except (OSError, OverflowError, RecursionError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return _refuse(f"a file cannot be read or written, or a number is too large: {reason}".splitlines()[0])
    except Exception as error:
        if "interrupt" in str(error).lower():  # the table engine's word for Ctrl-C
            return _interrupted()
        sentence, code = without_room(error)
        if code == BAD_INPUT:
            return _refuse(sentence)
        for line in "".join(traceback.format_tb(error.__traceback__)).splitlines():
            say_aside(line)
        # Without the error's own text: a library may quote a value of the table.
        complain(f"internal error ({type(error).__name__}); please report it with the lines above")
        return OUR_ERROR


def _app(arguments: Sequence[str]) -> App:
    console = formatter = None
    if not {"--help", "-h"}.isdisjoint(arguments):
        from discretion.cli.help import HelpFormatter  # noqa: PLC0415 - answers in JSON need no rich
        from discretion.presenting.tables import Screen  # noqa: PLC0415

        console, formatter = Screen(), HelpFormatter()
        if sys.flags.optimize > 1:
            complain("help has no explanations of options without docstrings (PYTHONOPTIMIZE=2, python -OO)")
    if arguments[:1] and arguments[0] in COMMANDS:
        # Not from within cyclopts: so deep in the stack Python maps and unmaps memory at every call of what is loaded.
        import_module(f"discretion.cli.{arguments[0]}")
    if not gc.isenabled():
        gc.freeze()  # no more of what has loaded is ever looked through
        gc.set_threshold(10_000)  # and less often what loads as it is needed
        gc.enable()
    return command_line(console=console, help_formatter=formatter)


def command_line(**options: Any) -> App:
    """Return all commands, each loaded when it is called."""
    app: Any = App(
        name="discretion", version=__version__, help_format="plaintext",
        default_parameter=Parameter(negative="", show_default=_shown_default), **options,
    )  # fmt: skip
    for name, summary in COMMANDS.items():
        app.command(f"discretion.cli.{name}:{name}", name=name, help=summary)
    app.command("discretion.cli.completion:install_completion", name="--install-completion")
    return app


def _shown_default(value: Any) -> str | None:
    """Return a default for the help; none for flags and for options that may be given several times."""
    return None if value in (None, False, ()) else str(value)


def _refuse(sentence: str) -> int:
    complain(sentence)
    return BAD_INPUT


def _interrupted() -> int:
    complain("interrupted")
    return _INTERRUPTED
