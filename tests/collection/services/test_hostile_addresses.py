"""Where a task's addresses may lead those who work with it, and how much they read there."""

import gzip
import socket
import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from discretion.collection import Choice, Client
from discretion.collection.errors import (
    CollectionError,
    MalformedError,
    RefusedTaskError,
    StrangerError,
    UnavailableError,
)
from discretion.collection.services import networks
from discretion.collection.services.calls import Neighbour
from discretion.collection.services.networks import network_of
from discretion.collection.services.shuffler import ShufflerService
from discretion.collection.services.taking_part import check_boards
from support.collection.certificates import certified
from support.collection.homes import NOW, housed, token

NETWORKS = {
    "loopback": ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
    "private": [
        "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "224.0.0.1", "255.255.255.255",
        "fe80::1", "fe80::1%eth0", "fd00::1", "ff02::1", "::ffff:10.0.0.1", "64:ff9b::a00:1",
    ],
    "public": ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::808:808"],
}  # fmt: skip


@contextmanager
def listening(answer: bytes = b"", tls: ssl.SSLContext | None = None) -> Iterator[tuple[int, list[bytes]]]:
    """Give the port of a machine on the loopback that answers every request so, and what it was sent."""
    heard: list[bytes] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with suppress(OSError), tls.wrap_socket(connection, server_side=True) if tls else connection as line:
                heard.append(line.recv(1 << 16))
                line.sendall(answer)
                line.shutdown(socket.SHUT_WR)

    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        serving = pool.submit(serve)
        yield listener.getsockname()[1], heard
        listener.shutdown(socket.SHUT_RDWR)
        serving.result()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have names lead to IP addresses."""
    known: dict[str, tuple[str, ...]] = {}
    real = socket.getaddrinfo

    def resolved(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        if host not in known:
            return real(host, port, *more, **named)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, port)) for ip in known[host]]

    monkeypatch.setattr(networks.socket, "getaddrinfo", resolved)
    return lambda **given: known.update({name.replace("_", "."): ips for name, ips in given.items()})


@pytest.fixture
def connected(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Where connections were tried, none of which is there."""
    tried: list[Any] = []

    def connect(address: Any, *_: Any, **__: Any) -> Any:
        tried.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr("socket.create_connection", connect)
    return tried


@pytest.mark.parametrize("scheme", ["https", "HTTPS", "Https"])
def test_no_spelling_of_https_is_called_without_a_certificate_that_is_trusted(scheme: str, tmp_path: Path) -> None:
    files = certified(tmp_path / "theirs")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"
    with listening(answer, context) as (port, _):
        url = f"{scheme}://127.0.0.1:{port}"
        with Neighbour(url) as party, pytest.raises(StrangerError, match="not trusted here"):
            party.ask("GET", "/task")
        for near in (None, url):
            with Neighbour(url, authority=str(files.authority), near=near) as party:
                assert party.ask("GET", "/task") == b"hi"


@pytest.mark.parametrize("network", NETWORKS)
def test_every_ip_address_is_in_one_network(network: str) -> None:
    assert {network_of(ip) for ip in NETWORKS[network]} == {network}


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "inner.example", "[::ffff:127.0.0.1]", "127.1", "0x7f.1"])
def test_a_task_from_outside_leads_nobody_to_his_own_machine(host: str, names: Callable[..., None]) -> None:
    names(first_example=("8.8.8.8",), inner_example=("127.0.0.1",))
    with listening() as (port, heard):
        with (
            Neighbour(f"http://{host}:{port}", near="https://first.example") as party,
            pytest.raises(RefusedTaskError, match=r"private network.*--private-addresses") as refused,
        ):
            party.ask("GET", "/rounds/1/board")
        assert refused.value.why == "private address"
    assert heard == []


def test_a_name_that_leads_elsewhere_when_it_is_looked_up_again_is_called_where_it_was_checked(
    connected: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter(["8.8.8.8", "127.0.0.1", "127.0.0.1"])
    monkeypatch.setattr(networks.socket, "getaddrinfo", lambda _, port, **__: [(0, 0, 0, "", (next(answers), port))])
    with Neighbour("http://rebound.example", near="http://first.example") as party, pytest.raises(CollectionError):
        party.ask("GET", "/task")
    assert connected == [("8.8.8.8", 80)]


@pytest.mark.parametrize("near", ["http://127.0.0.1:1", "http://localhost", "http://own.example", None])
def test_neighbours_on_one_machine_or_in_one_network_reach_each_other(
    near: str | None, names: Callable[..., None]
) -> None:
    names(own_example=("127.0.0.2",))
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi"
    with listening(answer) as (port, _), Neighbour(f"http://localhost:{port}", near=near) as party:
        assert party.ask("GET", "/task") == b"hi"


def test_who_is_in_a_private_network_is_not_led_to_his_own_machine() -> None:
    with (
        Neighbour("http://127.0.0.1:1", near="http://10.0.0.1") as party,
        pytest.raises(RefusedTaskError, match="private network"),
    ):
        party.ask("GET", "/task")


ENDLESS = {
    "declared": b"HTTP/1.1 200 OK\r\ncontent-length: 100000000\r\n\r\n" + bytes(1 << 22),
    "until it closes": b"HTTP/1.1 200 OK\r\n\r\n" + bytes(1 << 22),
    "a refusal": b"HTTP/1.1 400 Bad\r\ncontent-length: 100000000\r\n\r\n" + bytes(1 << 22),
    "in pieces": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n400000\r\n" + bytes(1 << 22) + b"\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("case", ENDLESS)
def test_no_more_of_an_answer_is_read_than_it_may_have(case: str) -> None:
    with (
        listening(ENDLESS[case]) as (port, _),
        Neighbour(f"http://127.0.0.1:{port}") as party,
        pytest.raises(CollectionError, match=r"more than 1,048,576 bytes|answered with status 400"),
    ):
        party.ask("GET", "/task")


def test_what_is_packed_is_not_unpacked() -> None:
    packed = gzip.compress(bytes(1 << 25))
    answer = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed) + packed
    with listening(answer) as (port, heard), Neighbour(f"http://127.0.0.1:{port}") as party:
        assert party.ask("GET", "/task") == packed
    assert b"accept-encoding: identity" in heard[0].lower()


def test_an_answer_of_the_size_that_was_asked_for_is_read() -> None:
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2097152\r\n\r\n" + bytes(1 << 21)
    with listening(answer) as (port, _), Neighbour(f"http://127.0.0.1:{port}") as party:
        with pytest.raises(MalformedError, match="more than"):
            party.ask("GET", "/task")
        assert party.ask("GET", "/task", at_most=1 << 21) == bytes(1 << 21)


INNER = ("http://10.0.0.1:631", "http://169.254.169.254", "http://[fd00::1]:80")


@pytest.mark.parametrize("url", INNER)
@pytest.mark.parametrize("told", [False, True])
def test_neither_participants_nor_services_are_led_into_a_private_network(
    told: bool, url: str, connected: list[Any], tmp_path: Path
) -> None:
    of = housed(tmp_path, curated=False)
    service = ShufflerService(of.homes["shuffler-0"], private_addresses=told)
    party = replace(of.task.analyst, url=url)
    client = Client(
        replace(of.task, shufflers=(replace(of.task.shufflers[0], url=url),)), token(0), {}, now=lambda: NOW
    )
    client.upload()
    choice = Choice(client.task.digest, client.task.digest, 2, "analyst", ((0,),), 0.05, 20)
    with service.neighbour(party) as neighbour, pytest.raises(CollectionError) as failed:
        neighbour.ask("GET", "/health")
    assert (failed.value.party, failed.value.why) == ("analyst", "refused" if told else "private address")
    near = None if told else "https://8.8.8.8"
    with pytest.raises(UnavailableError if told else RefusedTaskError):
        check_boards(client, choice, "", near=near)
    assert len(connected) == (2 if told else 0)
