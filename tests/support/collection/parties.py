"""Parties of a collection as their operators run them: commands and processes, each in a folder of its own."""

import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from discretion.collection.simulation.parties import free_ports
from support.cli_runner import run
from support.collection.certificates import Certified

LOOPBACK = "127.0.0.1"


def said(*arguments: object) -> Any:
    """Return what a command that goes well says in JSON."""
    code, out, err = run(*map(str, arguments), "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["command"] == " ".join(map(str, arguments[:2]))
    return told["results"]


def refused(*arguments: object) -> str:
    """Return the one sentence by which a command refuses."""
    code, out, err = run(*map(str, arguments))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("discretion: ")
    assert "Traceback" not in err
    return err


def eventually(holds: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.2)


@dataclass
class Parties:
    """A task that is running: whose homes are where, and who checks certificates by what."""

    task: Path
    homes: dict[str, Path]
    processes: dict[str, subprocess.Popen[str]]
    url: str
    authority: tuple[str, ...]

    def ask(self, command: str, name: str, *more: object) -> Any:
        """Return what a party answers its operator."""
        return said("collect", command, self.homes[name], *self.authority, *more)


@contextmanager
def running(
    folder: Path,
    shufflers: int,
    *,
    curated: bool = True,
    admitted: bool = False,
    tls: Certified | None = None,
    more: str = "",
    options: Mapping[str, Sequence[str]] | None = None,
) -> Iterator[Parties]:
    """Give parties whose keys were made where they are, whose task was described by an organizer with no keys."""
    names = [*(f"shuffler-{place + 1}" for place in range(shufflers)), *(["curator"] if curated else []), "analyst"]
    names += ["admitter"] if admitted else []
    homes = {name: folder / name / "home" for name in names}
    scheme = "http" if tls is None else "https"
    ports = dict(zip(names, free_ports(len(names)), strict=True))
    urls = {name: f"{scheme}://{LOOPBACK}:{ports[name]}" for name in names}
    told = {name: _keys(homes[name], re.sub(r"-\d+", "", name)) for name in names}
    lines = [_TASK.format(opens=_at(-1), closes=_at(24), more=more)]
    for name in names:
        lines += [_TABLES[name.partition("-")[0]], f'url = "{urls[name]}"', told[name]]
    (folder / "task.toml").write_text("\n".join(lines))
    made = said("collect", "init", folder / "task.toml", "--out", folder / "organizer")
    assert made["homes"] == []
    authority = () if tls is None else ("--authority", str(tls.authority))
    certificate = () if tls is None else ("--certificate", str(tls.certificate), "--certificate-key", str(tls.key))
    parties = Parties(folder / "organizer" / "task", homes, {}, urls["shuffler-1"], authority)
    try:
        for name, home in homes.items():
            given = ["collect", name.partition("-")[0], str(home), "--task", str(parties.task), "--rate", "1000"]
            parties.processes[name] = process(*given, *certificate, *authority, *(options or {}).get(name, ()))
        for name, home in homes.items():
            eventually(lambda name=name, home=home: _is_up(parties.processes[name], home, *authority))
        yield parties
    finally:
        for each in parties.processes.values():
            each.terminate()
        for each in parties.processes.values():
            each.communicate(timeout=60)


def _is_up(service: subprocess.Popen[str], home: Path, *authority: str) -> bool:
    """Return whether a party answers its operator; one that has ended never will."""
    assert service.poll() is None, service.communicate()
    return run("collect", "status", str(home), *authority)[0] == 0


def process(*arguments: str) -> subprocess.Popen[str]:
    """Start a command as a process, which may compile nothing (a Linux that cannot hold it to that lets it)."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _COMPILING_NOTHING, sys.executable, "-m", "discretion", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def _keys(home: Path, role: str) -> str:
    """Return the lines that a party's operator sends to the organizer."""
    more = ["--questions", "2"] if role == "admitter" else []
    code, out, err = run("collect", "keys", str(home), "--role", role, *more)
    assert (code, err) == (0, "")
    return out


def _at(hours: float) -> str:
    return (datetime.now(UTC) + timedelta(hours=hours)).isoformat(timespec="seconds")


# As MemoryDenyWriteExecute= of deploy/systemd has it: PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN.
_COMPILING_NOTHING = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(65, 1, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
_TABLES = {"shuffler": "[[shufflers]]", "curator": "[curator]", "analyst": "[analyst]", "admitter": "[admitter]"}
_TASK = """
purpose = "to know"
k = 2
budget = 0.2
smallest_batch = 10
opens = {opens}
closes = {closes}
{more}
[[features]]
name = "sex"
values = ["f", "m"]
[[features]]
name = "town"
values = ["Arica", "Lima"]
"""
