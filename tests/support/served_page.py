"""The page to work on as a process of its own, and requests as bytes: those of a browser, and those of nobody's."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import BadStatusLine, HTTPResponse
from pathlib import Path
from urllib.parse import urlencode

LOOPBACK = "127.0.0.1"
Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Reply:
    """What came back; the status is None where the connection was closed without a word."""

    status: int | None
    headers: Mapping[str, str]
    text: str


@dataclass
class Served:
    """A server of a process of its own, and the cookie of the reader whom it let in."""

    process: subprocess.Popen[str]
    address: str
    temporary: Path
    cookie: str = ""

    @property
    def base(self) -> str:
        return f"http://{self.host}"

    @property
    def host(self) -> str:
        return self.address.split("/")[2]

    @property
    def port(self) -> int:
        return int(self.host.rpartition(":")[2])

    @property
    def token(self) -> str:
        return self.address.rpartition("token=")[2]

    def connection(self, patience: float = 120) -> socket.socket:
        return socket.create_connection((LOOPBACK, self.port), timeout=patience)

    def sent(self, raw: bytes, patience: float = 120) -> Reply:
        """Send bytes, whatever they are, and return what comes back."""
        with self.connection(patience) as connection:
            connection.sendall(raw)
            return reply(connection)

    def asked(
        self, target: str, method: str = "GET", headers: Headers = (), body: bytes = b"", *, known: bool = True
    ) -> Reply:
        """Ask as the reader's browser does, but for the headers that are given."""
        named = {name.lower() for name, _ in headers}
        usual = [("host", self.host), ("connection", "close")]
        usual += [("cookie", self.cookie)] * known
        if method == "POST":
            usual += [("origin", f"http://{self.host}"), ("content-length", str(len(body)))]
        lines = [f"{name}: {value}" for name, value in (*(u for u in usual if u[0] not in named), *headers)]
        return self.sent("\r\n".join([f"{method} {target} HTTP/1.1", *lines, "", ""]).encode("latin-1") + body)

    def answer(self, door: str, **texts: str) -> Reply:
        """Ask a door for its answer as JSON."""
        return self.asked(f"/{door}?{urlencode({**texts, 'format': 'json'})}")

    def sends(self, name: str, content: bytes) -> Reply:
        """Send a file, as the page does."""
        return self.asked(f"/files?{urlencode({'name': name})}", "POST", body=content)

    def processes(self) -> list[int]:
        """Return the processes that it started."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(each) for each in children.read_text().split()]

    def ended(self, number: int = signal.SIGINT, patience: float = 10) -> tuple[int, str]:
        """End it by a signal, and return its exit code and what it said on stderr."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=patience)
        return self.process.returncode, said


def reply(connection: socket.socket) -> Reply:
    """Return the next response of a connection."""
    response = HTTPResponse(connection)
    try:
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Reply(response.status, headers, response.read().decode())
    except (BadStatusLine, ConnectionError):
        return Reply(None, {}, "")


@contextmanager
def serving(folder: Path, *arguments: object, environment: Mapping[str, str] | None = None) -> Iterator[Served]:
    """Start a server whose temporary files are in a folder below this one, and let its reader in."""
    temporary = folder / "temporary"
    temporary.mkdir(exist_ok=True)
    with subprocess.Popen(
        [sys.executable, "-m", "discretion", "serve", *map(str, arguments), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary), **(environment or {})},
        preexec_fn=_heeds_signals,  # noqa: PLW1509
    ) as process:  # fmt: skip
        try:
            said = process.stdout.readline()
            address = re.fullmatch(r"Open (http://\S+)\n", said)
            assert address, said + process.stderr.read()
            served = Served(process, address[1], temporary)
            let_in = served.asked("/" + served.address.split("/", 3)[3], known=False)
            served.cookie = let_in.headers["set-cookie"].partition(";")[0]
            yield served
        finally:
            process.terminate()  # so that what it ran is measured
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()


def _heeds_signals() -> None:
    """Undo what nohup or a shell's background ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def is_alive(process: int) -> bool:
    """Return whether a process runs still."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def eventually(holds, patience: float = 10) -> bool:
    """Return whether something holds, now or soon."""
    until = time.monotonic() + patience
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True
