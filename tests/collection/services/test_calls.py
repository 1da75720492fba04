"""Calls over connections that the other party closes."""

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from discretion.collection.errors import UnavailableError
from discretion.collection.services.calls import Neighbour

ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi"


@contextmanager
def closing_first(times: int) -> Iterator[str]:
    """A service that reads so many requests and closes their connections, and answers the next one."""

    def serve() -> None:
        for place in range(times + 1):
            connection, _ = listening.accept()
            with connection:
                connection.recv(1 << 16)
                if place == times:
                    connection.sendall(ANSWER)

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        listening.settimeout(10)
        serving = pool.submit(serve)
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        listening.close()
        serving.exception()


def test_what_is_read_is_asked_for_again_once() -> None:
    with closing_first(1) as url, Neighbour(url) as party:
        assert party.ask("GET", "/result") == b"hi"


@pytest.mark.parametrize(("method", "times"), [("GET", 2), ("POST", 1)])
def test_no_more_than_that_and_nothing_that_is_sent(method: str, times: int) -> None:
    with closing_first(times) as url, Neighbour(url) as party:
        with pytest.raises(UnavailableError, match="does not answer"):
            party.ask(method, "/result")
        assert party.ask("GET", "/result") == b"hi"
