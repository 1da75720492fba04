"""Runs the command line in this process."""

import contextlib
import io

from tacit.cli import main


def run(*arguments: str) -> tuple[int, str, str]:
    """Return the exit code, and what went to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()
