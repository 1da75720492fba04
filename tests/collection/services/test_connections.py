"""A service that strangers hold connections to answers everybody else."""

import json
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from discretion.collection.errors import CollectionError
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.networks import sender_of
from discretion.collection.services.operations import RequestBounds, RequestRates
from discretion.collection.simulation.parties import free_ports
from support.collection.certificates import Certified, certified
from support.collection.homes import housed
from support.collection.parties import LOOPBACK, eventually

SERVED = """
import sys
from pathlib import Path
from discretion.collection.services.analyst import AnalystService
from discretion.collection.services.home import Home
from discretion.collection.services.operations import RequestBounds
from discretion.collection.services.serving import serve
folder, port, bounds, certificate, key = sys.argv[1:]
service = AnalystService(Home(Path(folder), now=lambda: 500.0))
bounds = RequestBounds(**eval(bounds))
serve(service.application(bounds), "127.0.0.1", int(port), bounds=bounds, refusals=service.refusals,
      certificate=certificate or None, certificate_key=key or None)
"""


@dataclass
class Served:
    """A service of a process of its own."""

    port: int
    log: Path
    authority: str | None

    def connection(self, from_host: str = LOOPBACK) -> socket.socket:
        return socket.create_connection((LOOPBACK, self.port), timeout=10, source_address=(from_host, 0))

    def answers(self) -> bool:
        with Neighbour(self.url, authority=self.authority) as service, suppress(CollectionError):
            return json.loads(service.ask("GET", "/health")) == {"alive": True}
        return False

    @property
    def url(self) -> str:
        return f"{'http' if self.authority is None else 'https'}://{LOOPBACK}:{self.port}"

    def held(self, of: int) -> int:
        """Return of how many connections at once each is answered."""
        with ExitStack() as stack:
            connections = [stack.enter_context(self.connection()) for _ in range(of)]
            return sum(map(answered, connections))

    def refused(self) -> set[str]:
        events = [json.loads(line) for line in self.log.read_text().splitlines()]
        return {event["why"] for event in events if event["event"] == "connections refused"}


@contextmanager
def serving(folder: Path, tls: Certified | None = None, **bounds: float | None) -> Iterator[Served]:
    (port,) = free_ports(1)
    home = housed(folder / "homes").homes["analyst"].folder
    files = ("", "") if tls is None else (str(tls.certificate), str(tls.key))
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-c", SERVED, str(home), str(port), repr(bounds), *files], stdout=log, stderr=log
        )
    served = Served(port, folder / "log", None if tls is None else str(tls.authority))
    try:
        eventually(served.answers)
        yield served
    finally:
        process.terminate()
        process.wait(20)


def answered(connection: socket.socket) -> bool:
    try:
        connection.sendall(REQUEST)
        return connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
    except ConnectionError:
        return False


def ended(connection: socket.socket) -> bool:
    """Whether a connection was ended by the other side, without an answer."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Certified:
    return certified(tmp_path_factory.mktemp("tls") / "ours")


@pytest.mark.long
@pytest.mark.parametrize("encrypted", [False, True])
def test_two_thousand_idle_connections_from_one_address_stop_nobody_else(
    encrypted: bool, tls: Certified, tmp_path: Path
) -> None:
    with serving(tmp_path, tls if encrypted else None, head_seconds=3) as served, ExitStack() as stack:
        idle = [stack.enter_context(served.connection("127.0.0.2")) for _ in range(2100)]
        assert served.answers()
        assert "too many from one sender" in served.refused()
        assert all(map(ended, idle))
        assert served.answers()


@pytest.mark.long
def test_no_more_connections_are_held_than_files_may_be_open(tmp_path: Path) -> None:
    with serving(tmp_path, connections=None, head_seconds=2) as served, ExitStack() as stack:
        idle = [stack.enter_context(served.connection()) for _ in range(2100)]
        eventually(lambda: "all connections are taken" in served.refused())
        assert all(map(ended, idle))
        eventually(served.answers)


SLOW = {"a header": b"GET /health HTTP/1.1\r\nhost: x\r\na: ", "a path": b"GET /", "line breaks": b""}
REQUEST = b"GET /health HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.mark.long
@pytest.mark.parametrize("slow", SLOW)
@pytest.mark.parametrize("asked_before", [False, True])
def test_who_sends_a_byte_a_moment_is_not_waited_for(asked_before: bool, slow: str, tmp_path: Path) -> None:
    with serving(tmp_path, head_seconds=2) as served, served.connection() as connection:
        if asked_before:
            assert answered(connection)
        connection.sendall(SLOW[slow])
        connection.settimeout(0.2)
        for _ in range(60):
            try:
                connection.sendall(b"\n" if slow == "line breaks" else b"A")
            except ConnectionError:
                break
            if ended(connection):
                break
        else:
            pytest.fail("it was waited for")
        assert served.refused() == {"a request that does not come"}


@pytest.mark.long
def test_an_answer_that_nobody_reads_is_not_kept(tmp_path: Path) -> None:
    with serving(tmp_path, rate=None, unread_seconds=1) as served, served.connection() as deaf:
        deaf.setblocking(False)
        asked = b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n" * 4000
        with suppress(BlockingIOError):
            while asked:
                asked = asked[deaf.send(asked) :]
        eventually(lambda: "an answer that is not read" in served.refused())
        assert served.answers()


@pytest.mark.long
def test_a_tls_connection_that_never_begins_is_ended(tls: Certified, tmp_path: Path) -> None:
    with serving(tmp_path, tls, head_seconds=1) as served, served.connection() as silent:
        with served.connection() as connection:
            context = ssl.create_default_context(cafile=str(tls.authority))
            with context.wrap_socket(connection, server_hostname=LOOPBACK) as idle:
                assert ended(idle)
        assert ended(silent)


@pytest.mark.long
def test_a_connection_that_ends_makes_room_for_another_one(tmp_path: Path) -> None:
    with serving(tmp_path, connections=2) as served:
        for _ in range(20):
            assert served.answers()
        eventually(lambda: served.held(of=2) == 2)  # the last of them may end a moment later
        eventually(lambda: served.held(of=3) == 2)
        assert served.refused() == {"too many from one sender"}
        eventually(served.answers)
        assert LOOPBACK not in served.log.read_text()


def test_all_addresses_of_a_network_of_ipv6_are_one_sender() -> None:
    assert sender_of("2001:db8::1") == sender_of("2001:db8::ffff:ffff:ffff:ffff")
    assert sender_of("2001:db8::1") != sender_of("2001:db8:0:1::1")
    assert sender_of("::ffff:192.0.2.1") == sender_of("192.0.2.1") != sender_of("192.0.2.2")
    assert sender_of("fe80::1%eth0") == sender_of("fe80::2")


def test_behind_a_proxy_all_that_comes_is_taken() -> None:
    rates = RequestRates(RequestBounds(rate=None).rate)
    for _ in range(10_000):
        rates.take(LOOPBACK)
