"""Runs the command line: in this process, or under limits in one of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from discretion.cli import main

ROOT = Path(__file__).parents[2]

# Between a fork of this process and the command it would be this process, large as it is, that the limits hold for.
_LIMITED = """
import json, os, resource, sys
limits, command = json.loads(sys.argv[1]), sys.argv[2:]
for name, value in limits.items():
    resource.setrlimit(getattr(resource, name), (value, value))
os.execv(command[0], command)
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment in which `discretion` is the command of this source, by a program in the folder."""
    (folder / "bin").mkdir()
    program = folder / "bin" / "discretion"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m discretion "$@"\n')
    program.chmod(0o755)
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), **more}


def run(*arguments: str) -> tuple[int, str, str]:
    """Return the exit code, and what went to stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue()


def run_under(limits: Mapping[str, int], *arguments: str, folder: Path | None = None) -> tuple[int, str, str]:
    """Return the exit code, stdout and stderr of a command whose process is limited."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _LIMITED, json.dumps(limits), sys.executable, "-m", "discretion",
        *arguments], capture_output=True, check=False, cwd=folder, text=True, timeout=300,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr
