"""The connections of a service: how many it holds, of one sender and of all, and for how long one may be idle.

What is not held to this, a few thousand idle connections from one address would stop for everybody.
"""

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from discretion import limits
from discretion.collection.services.monitoring import Log, Meter
from discretion.collection.services.networks import sender_of
from discretion.collection.services.operations import RequestBounds
from discretion.memory import process_limit

# Of a service at once.
MAX_CONNECTIONS = 2000
_REFUSED_AT_ONCE = 100  # until what else there is to do has its turn
_LOG_PERIOD = 10.0  # seconds


class Refusals:
    """Counts connections that are refused or ended, and logs them, seldom and without an address."""

    def __init__(self, log: Log, meter: Meter) -> None:
        self.log, self._meter = log, meter
        self._unlogged: Counter[str] = Counter()
        self._logged_at: dict[str, float] = {}

    def __call__(self, why: str) -> None:
        """Count one, for a reason."""
        self._meter.refused_connection(why)
        self._unlogged[why] += 1
        now = time.monotonic()
        if now - self._logged_at.get(why, -_LOG_PERIOD) >= _LOG_PERIOD:
            self._logged_at[why] = now
            self.log("connections refused", why=why, count=self._unlogged.pop(why))


class Listener(socket.socket):
    """A socket that accepts no more connections than a service holds.

    Parameters
    ----------
    bound
        A socket that listens already; this one takes its place.
    most_of_one
        The connections of one sender at once; None is no limit.
    refusals
        What counts those that are refused.
    """

    def __init__(self, bound: socket.socket, most_of_one: int | None, refusals: Refusals) -> None:
        super().__init__(bound.family, bound.type, bound.proto, fileno=bound.detach())
        self._most_of_one, self._refusals = most_of_one, refusals
        self._held: Counter[str] = Counter()

    @property
    def most(self) -> int:
        """How many connections are held at once: files are needed for the rest, too."""
        most = limits.current().numbers(MAX_CONNECTIONS, each=1 << 16)
        files = process_limit("RLIMIT_NOFILE")
        return most if files is None else min(most, files // 2)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection that may be held, and its address."""
        for _ in range(_REFUSED_AT_ONCE):
            accepted, address = super().accept()
            sender = sender_of(str(address[0]))
            if self._held.total() >= self.most:
                self._refusals("all connections are taken")
            elif self._most_of_one is not None and self._held[sender] >= self._most_of_one:
                self._refusals("too many from one sender")
            else:
                self._held[sender] += 1
                return _Connection(accepted, partial(self._let_go, sender)), address
            accepted.close()
        raise BlockingIOError

    def _let_go(self, sender: str) -> None:
        self._held[sender] -= 1
        if not self._held[sender]:
            del self._held[sender]


class _Connection(socket.socket):
    def __init__(self, accepted: socket.socket, closed: Callable[[], None]) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self._when_closed: Callable[[], None] | None = closed

    def close(self) -> None:
        super().close()
        if self._when_closed is not None:
            self._when_closed()
            self._when_closed = None


def event_loop(seconds: float) -> Callable[[], asyncio.AbstractEventLoop]:
    """Return what makes the loop of a service, which waits so long for TLS to begin and to end."""

    class Loop(asyncio.SelectorEventLoop):
        async def create_server(self, *given: Any, ssl: Any = None, **more: Any) -> asyncio.Server:
            patience: Any = {} if ssl is None else {"ssl_handshake_timeout": seconds, "ssl_shutdown_timeout": seconds}
            return await super().create_server(*given, ssl=ssl, **patience, **more)

    return Loop


def http_protocol(bounds: RequestBounds, refusals: Refusals) -> type[HttpToolsProtocol]:
    """Return the protocol of connections that end unless the head of a request comes whole, and its answer is read.

    The time for a head begins with a connection, and with the first byte after an answer; between them uvicorn waits.
    """

    class Protocol(HttpToolsProtocol):
        _head: asyncio.TimerHandle | None = None
        _unread: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._await_head()

        def data_received(self, data: bytes) -> None:
            cycle: Any = self.cycle  # None before the first request
            if self._head is None and (cycle is None or cycle.response_complete):
                self._await_head()
            super().data_received(data)

        def on_headers_complete(self) -> None:
            self._head = _cancelled(self._head)
            super().on_headers_complete()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._unread = self._unread or self.loop.call_later(
                bounds.unread_seconds, self._end, "an answer that is not read"
            )

        def resume_writing(self) -> None:
            self._unread = _cancelled(self._unread)
            super().resume_writing()

        def connection_lost(self, exc: Exception | None) -> None:
            self._head, self._unread = _cancelled(self._head), _cancelled(self._unread)
            super().connection_lost(exc)

        def _await_head(self) -> None:
            self._head = self.loop.call_later(bounds.head_seconds, self._end, "a request that does not come")

        def _end(self, why: str) -> None:
            refusals(why)
            self.transport.abort()  # to close it would wait until what is written is read

    return Protocol


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
