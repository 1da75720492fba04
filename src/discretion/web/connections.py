"""Connections to the page: limits on their number, and on the time that one may keep the server waiting."""

import asyncio
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from discretion.web.guarding import HEADERS

# At once; a browser opens six.
MOST_CONNECTIONS = 64
# How long the head of a request may take, and how long written bytes may stay unread, in seconds.
SECONDS_FOR_HEAD = 10.0
_SECONDS_UNREAD = 60.0


class Connection(H11Protocol):
    """One connection; it ends if the head of a request is not complete in time, or if an answer is not read.

    If there are too many connections, the one that has been idle for longest ends, so idle ones block nobody.
    """

    _head: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _idle_since = 0.0

    def connection_made(self, transport: Any) -> None:
        """Accept the connection, in place of an idle one if necessary."""
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > MOST_CONNECTIONS:
            held = cast("set[Connection]", self.connections)
            idle = [each for each in held if each is not self and each._is_idle]
            min(idle, key=lambda each: each._idle_since, default=self)._end()

    def data_received(self, data: bytes) -> None:
        """Read bytes; the first byte after an answer begins another head, or belongs to a body that nobody reads."""
        if self._head is None and self._is_idle:
            self._await_head()
        super().data_received(data)

    def handle_events(self) -> None:
        """Answer a request once its head is complete."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._head = _cancelled(self._head)

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are not a request, with the headers of every answer."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            refusal = h11.Response(status_code=400, headers=[("connection", "close"), *HEADERS.items()])
            for event in (refusal, h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def pause_writing(self) -> None:
        """Wait until the client reads some of the answer, but not for ever."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(_SECONDS_UNREAD, self._end)

    def resume_writing(self) -> None:
        """Continue to write."""
        self._unread = _cancelled(self._unread)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers."""
        self._head, self._unread = _cancelled(self._head), _cancelled(self._unread)
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or cycle.response_complete

    def _await_head(self) -> None:
        self._idle_since = self.loop.time()
        self._head = self.loop.call_later(SECONDS_FOR_HEAD, self._end)

    def _end(self) -> None:
        self.connections.discard(self)  # which it leaves a moment later by itself
        self.transport.abort()  # to close it would wait until what is written is read


def _cancelled(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
