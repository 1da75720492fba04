"""Find the command, run it, and turn what goes wrong into one sentence on stderr."""

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from tacit.cli import COMMANDS
from tacit.errors import TacitError


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code."""
    try:
        code = _app()(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
        return int(code or 0)
    except CycloptsError as error:
        return _refuse(" ".join(str(error).split()))
    except TacitError as error:
        return _refuse(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("tacit: interrupted\n")
        return 130
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _app() -> App:
    app = App(name="tacit", version=_version, help_format="plaintext")
    for name, summary in COMMANDS.items():
        app.command(f"tacit.cli.{name}:{name}", name=name, help=summary)
    return app


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow, and rarely asked

    return version("tacit")


def _refuse(sentence: str) -> int:
    sys.stderr.write(f"tacit: {sentence}\n")
    return 2
