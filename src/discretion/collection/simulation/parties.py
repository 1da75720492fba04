"""The services of all parties, each a process that listens on this machine alone."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from discretion.collection.errors import CollectionError, UnavailableError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.credentials import operator_credential
from discretion.collection.services.home import Home

HOST = "127.0.0.1"
_PORTS = range(20_000, 32_000)
_START = 60.0  # seconds until a service answers
_END = 10.0  # and until it has ended


def free_ports(count: int) -> list[int]:
    """Return this number of ports at which nobody listens.

    They are below the ports that the system gives to connections; otherwise a connection could take one before its
    service listens.
    """
    with ExitStack() as held:  # together, so that no two are the same
        ports: list[int] = []
        while len(ports) < count:
            port = secrets.choice(_PORTS)
            with suppress(OSError):
                held.enter_context(socket.create_server((HOST, port)))
                ports.append(port)
        return ports


@dataclass
class Parties(AbstractContextManager["Parties"]):
    """Services that run within a block.

    Parameters
    ----------
    homes
        The homes of the parties.
    options
        The options with which each service is started, by its role.
    """

    homes: Sequence[Home]
    options: dict[str, list[str]]
    _running: dict[Path, subprocess.Popen[bytes]] = field(default_factory=dict[Path, "subprocess.Popen[bytes]"])

    def __enter__(self) -> "Parties":
        try:
            for home in self.homes:
                self.start(home)
            self.wait_for(self.homes)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            try:
                process.wait(_END)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, home: Home) -> None:
        """Start a service; its log goes to a file in its home."""
        command = [sys.executable, "-m", "discretion", "collect", home.role, str(home.folder), *self.options[home.role]]
        with (home.folder / "log").open("ab") as log:
            self._running[home.folder] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def kill(self, home: Home) -> None:
        """Kill a service, like a power cut."""
        process = self._running[home.folder]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    def wait_for(self, homes: Sequence[Home]) -> None:
        """Wait until services answer.

        Raises
        ------
        UnavailableError
            If a service ends, or does not answer in time.
        """
        until = time.monotonic() + _START
        for home in homes:
            with Neighbour(home.party.url) as service:
                while True:
                    self.check()
                    try:
                        service.ask("GET", "/ready")
                        break
                    except CollectionError:
                        if time.monotonic() > until:
                            raise UnavailableError(f"the {home.role} did not start in {_START:g} seconds") from None
                        time.sleep(0.05)

    def check(self) -> None:
        """Raise an `UnavailableError` with the last line of its log if a service has ended."""
        for home in self.homes:
            if self._running[home.folder].poll() is not None:
                lines = (home.folder / "log").read_text(errors="replace").strip().splitlines()
                raise UnavailableError(f"the {home.role} has ended: {lines[-1] if lines else 'its log is empty'}"[:300])

    def ask(self, home: Home, method: str, path: str, **sent: Any) -> bytes:
        """Call a service as its operator."""
        with Neighbour(home.party.url, operator_credential(home.folder)) as service:
            return service.ask(method, path, **sent)
