"""The server as a process: it says its address, and answers until it is stopped."""

import asyncio
import ipaddress
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from discretion.errors import InvalidValueError
from discretion.web.application import Pages
from discretion.web.files import OpenFiles
from discretion.web.guarding import Guard

# At once; a browser opens six.
MOST_CONNECTIONS = 64
SECONDS_FOR_HEAD = 10.0


def serve(table: str | None, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Answer at an address until a signal comes.

    Parameters
    ----------
    table
        The path of a table that is open from the start, if any.
    host, port
        Where to listen; port 0 is any that is free.
    tell
        Is told the address that lets a reader in.

    Raises
    ------
    InvalidValueError
        If nobody can listen there, or the table cannot be read.
    """
    files = OpenFiles()
    try:
        name = None if table is None else files.open(table)
        with _bound(host, port) as listener:
            port = listener.getsockname()[1]
            guard = Guard(Pages(files).application(), _names(host, port))
            start = "/" if name is None else f"/table?about={name}&"
            tell(f"http://{_in_address(host)}:{port}{start}{'?' if name is None else ''}token={guard.token}")
            config = uvicorn.Config(
                guard,
                http=_Impatient,
                ws="none",
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                timeout_keep_alive=20,
                timeout_graceful_shutdown=1,
                limit_concurrency=MOST_CONNECTIONS,
                lifespan="on",
            )
            asyncio.run(uvicorn.Server(config).serve([listener]))
    finally:
        files.end()


class _Impatient(H11Protocol):
    """Ends a connection on which the head of a request does not come whole in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._waiting = self.loop.call_later(SECONDS_FOR_HEAD, transport.abort)

    def handle_events(self) -> None:
        before = self.cycle
        super().handle_events()
        if self.cycle is not before and self._waiting is not None:  # a head has come
            self._waiting.cancel()
            self._waiting = None

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)


def _bound(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=128)
        # Else each answer on a connection that is kept waits 40 ms; asyncio does this only where the protocol is named.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InvalidValueError(
            f"cannot listen at {host[:100]}, port {port}: {reason}; name another --port, or --port 0 for any"
        ) from None


def _names(host: str, port: int) -> list[str]:
    """Return the names by which a browser may ask."""
    own = ["127.0.0.1", "localhost", "[::1]"] if _is_loopback(host) else [_in_address(host)]
    return [f"{name}:{port}" for name in own] + (own if port == 80 else [])


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
