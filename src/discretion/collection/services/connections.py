"""The connections of a service: limits on their number, in total and for one sender, and on idle time.

Without these limits a few thousand idle connections from one address would stop the service for everybody.
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

# The most connections of a service at once.
MAX_CONNECTIONS = 2000
_REFUSED_AT_ONCE = 100  # before other work has its turn
_LOG_PERIOD = 10.0  # seconds


class Refusals:
    """A counter of refused or ended connections, which it logs rarely and without addresses."""

    def __init__(self, log: Log, meter: Meter) -> None:
        self.log, self._meter = log, meter
        self._unlogged: Counter[str] = Counter()
        self._logged_at: dict[str, float] = {}

    def __call__(self, why: str) -> None:
        """Count one connection with the reason for its end."""
        self._meter.refused_connection(why)
        self._unlogged[why] += 1
        now = time.monotonic()
        if now - self._logged_at.get(why, -_LOG_PERIOD) >= _LOG_PERIOD:
            self._logged_at[why] = now
            self.log("connections refused", why=why, count=self._unlogged.pop(why))


class Listener(socket.socket):
    """A socket that accepts connections up to the limits of a service.

    Parameters
    ----------
    bound
        A listening socket, which this one replaces.
    most_of_one
        The most connections of one sender at once; None is no limit.
    refusals
        The counter of refused connections.
    """

    def __init__(self, bound: socket.socket, most_of_one: int | None, refusals: Refusals) -> None:
        super().__init__(bound.family, bound.type, bound.proto, fileno=bound.detach())
        self._most_of_one, self._refusals = most_of_one, refusals
        self._held: Counter[str] = Counter()

    @property
    def most(self) -> int:
        """The most connections at once: at most half of the files that the process may open."""
        most = limits.current().numbers(MAX_CONNECTIONS, each=1 << 16)
        files = process_limit("RLIMIT_NOFILE")
        return most if files is None else min(most, files // 2)

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection within the limits, and its address."""
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
    """Return a factory of the event loop of a service, with a time limit for TLS to begin and to end."""

    class Loop(asyncio.SelectorEventLoop):
        async def create_server(self, *given: Any, ssl: Any = None, **more: Any) -> asyncio.Server:
            patience: Any = {} if ssl is None else {"ssl_handshake_timeout": seconds, "ssl_shutdown_timeout": seconds}
            return await super().create_server(*given, ssl=ssl, **patience, **more)

    return Loop


def http_protocol(bounds: RequestBounds, refusals: Refusals) -> type[HttpToolsProtocol]:
    """Return a protocol of connections with time limits for the head of a request and for reading an answer.

    The time for a head begins with a connection, and with the first byte after an answer. Between an answer and that
    byte, uvicorn's own limit holds.
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
