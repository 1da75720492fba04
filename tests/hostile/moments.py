"""Signals at random moments, from the first to the last, of a command that writes files."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from hostile.commands import drawn
from hostile.warm import Forked

# What a signal makes of a command, besides its own result; SIGPIPE tells nobody anything.
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9, signal.SIGPIPE: 0}
_HEEDED = 1 << (signal.SIGTERM - 1)
_LONGEST = 3.0  # seconds, about as long as a command takes
_SOON = 15.0  # after the grace, on a machine that is busy


def case(draw: Random, folder: Path) -> None:
    start_matters = draw.random() < 0.2
    command, before = drawn(draw, folder)
    told = draw.choice([*CODES])
    moments = [draw.random() ** 2 * _LONGEST, draw.choice((0.0, draw.random()))]
    twice = draw.random() < 0.3 and told is not signal.SIGKILL
    process = (_Started if start_matters else Forked)(command.arguments, folder.with_name(f"{folder.name}-said"))
    heeded = False
    try:
        time.sleep(moments[0])
        heeded = _bits(process.number, "SigCgt") & _HEEDED != 0
        process.send(told)
        if twice:
            time.sleep(moments[1])
            process.send(told)
        sent = time.monotonic()
        code, said = process.ended()
        took = time.monotonic() - sent
        assert told is signal.SIGPIPE or took < _SOON, (command, told, f"took {took:.1f} s")
        if not heeded:  # Python itself was still starting
            assert code in (0, CODES[told], -told, 1 if told is signal.SIGINT else 0), (command, told, code)
            said = "" if told is signal.SIGINT else said
        # Once it is done, Python dies by the signal where it takes itself down.
        assert code in (0, CODES[told]) or (code == -told and told is not signal.SIGPIPE) or not heeded, (told, code)
        command.check(before, code, said, folder)
        until = time.monotonic() + 5
        while orphans := _of_session(process.number):
            assert time.monotonic() < until, (command, told, "left", orphans)
            time.sleep(0.05)
    finally:
        process.done()


class _Started:
    """A process of its own from the start."""

    def __init__(self, arguments: tuple[str, ...], said: Path) -> None:
        self._said = said
        before = signal.signal(signal.SIGHUP, signal.SIG_DFL)  # which nohup ignores
        with said.open("wb") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "discretion", *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr, start_new_session=True,
            )  # fmt: skip
        signal.signal(signal.SIGHUP, before)
        self.number = self._process.pid

    def send(self, told: signal.Signals) -> None:
        self._process.send_signal(told)

    def ended(self) -> tuple[int, str]:
        return self._process.wait(60), self._said.read_text()

    def done(self) -> None:
        self._process.kill()
        self._process.wait()
        self._said.unlink(missing_ok=True)


def _bits(process: int, name: str) -> int:
    with suppress(OSError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next((int(line.split()[1], 16) for line in lines if line.startswith(f"{name}:")), 0)
    return 0


def _of_session(session: int) -> list[int]:
    """Return the processes of a session that are alive."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        with suppress(OSError):
            if entry.name.isdigit():
                state, *_, of = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                if int(of) == session and state != "Z":
                    found.append(int(entry.name))
    return found
