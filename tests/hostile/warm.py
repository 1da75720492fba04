"""Programs in processes forked from one that has loaded the libraries: many times cheaper than from the start."""

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import MappingProxyType

import discretion

COMMAND = Path(discretion.__file__).with_name("__main__.py")
# Becomes, in a process of its own each time, the program that a line asks for.
_SERVER = """
import json, os, runpy, signal, sys
for ignored_by_nohup in (signal.SIGINT, signal.SIGHUP):
    signal.signal(ignored_by_nohup, signal.SIG_DFL)
import altair, ibis, numba, scipy.optimize
import discretion.cli.audit, discretion.cli.run, discretion.charts, discretion.jobs.audit
for line in sys.stdin:
    asked = json.loads(line)
    child = os.fork()
    if not child:
        os.setsid()
        for handle, name in enumerate((os.devnull, asked["out"], asked["said"])):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), handle)
        os.environ.update(asked["environment"])
        sys.argv = [asked["program"], *asked["arguments"]]
        runpy.run_path(asked["program"], run_name="__main__")
        sys.exit()
    print(child, flush=True)
    _, status, used = os.wait4(child, 0)
    print(os.waitstatus_to_exitcode(status), used.ru_maxrss << 10, flush=True)
"""


class Forked:
    """A program that runs, a command unless another is named; what it says goes to a file."""

    def __init__(
        self,
        arguments: tuple[str, ...],
        said: Path,
        *,
        program: Path = COMMAND,
        out: str = os.devnull,
        environment: Mapping[str, str] = MappingProxyType({}),
        preloaded: str = "",
    ) -> None:
        self._said = said
        said.touch()
        self._server = _server(preloaded)
        asked = {"program": str(program), "arguments": arguments, "environment": dict(environment)}
        asked |= {"said": str(said), "out": out}
        self._server.stdin.write(json.dumps(asked) + "\n")
        self._server.stdin.flush()
        self.number = int(self._server.stdout.readline())
        self._code: int | None = None
        self.held = 0  # bytes at most, once it has ended; those of the libraries too

    def send(self, told: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.number, told)

    def ended(self) -> tuple[int, str]:
        """Wait for its end, and return its exit code and what it said."""
        if self._code is None:
            self._code, self.held = map(int, self._server.stdout.readline().split())
        return self._code, self._said.read_text()

    def done(self) -> None:
        """Leave nothing of it."""
        if self._code is None:
            self.send(signal.SIGKILL)
            self.ended()
        self._said.unlink(missing_ok=True)


@cache
def _server(preloaded: str) -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", _SERVER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "LD_PRELOAD": preloaded},
    )  # fmt: skip
    atexit.register(server.communicate)
    return server
