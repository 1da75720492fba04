"""The server as a process: it reports its address, and answers until it is stopped."""

import asyncio
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from urllib.parse import urlencode

import uvicorn

from discretion import server_signals
from discretion.errors import InvalidValueError
from discretion.web.application import Pages
from discretion.web.connections import Connection
from discretion.web.files import OpenFiles
from discretion.web.guarding import MOST_ADDRESS, Guard, in_address

# Names that always mean this machine: no network leads them elsewhere.
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
# The hosts that mean all addresses, and the address that this machine's own browser uses then.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def serve(table: str | None, host: str, port: int, tell: Callable[[str], None]) -> None:
    """Answer at an address until a signal comes.

    Parameters
    ----------
    table
        The path of a table that is open from the start, if any.
    host, port
        The host and port at which to listen; port 0 is any free port.
    tell : callable
        A function that receives the address with the token that lets the reader in.

    Raises
    ------
    InvalidValueError
        If the server cannot listen there, or the table cannot be read.
    """
    files = OpenFiles()
    try:
        name = None if table is None else files.open(table)
        with _bound(host, port) as listener:
            port = listener.getsockname()[1]
            guard = Guard(Pages(files).application(), (*_LOOPBACK, in_address(host.lower())))
            about = {} if name is None else {"about": name}
            query = urlencode({**about, "token": guard.token})
            tell(f"http://{in_address(_EVERYWHERE.get(host, host))}:{port}/{'table' if about else ''}?{query}")
            config = uvicorn.Config(
                guard,
                http=Connection,
                ws="none",
                log_config=None,
                log_level="critical",
                access_log=False,
                server_header=False,
                date_header=False,
                proxy_headers=False,
                timeout_keep_alive=20,
                h11_max_incomplete_event_size=2 * MOST_ADDRESS,
                timeout_graceful_shutdown=1,
                lifespan="on",
            )
            asyncio.run(_Server(config).serve([listener]))
    finally:
        files.end()


class _Server(uvicorn.Server):
    """A server that ends once by a signal, also by SIGHUP; an exception in the middle of an answer would be lost."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        with server_signals.handled_by(self.handle_exit):
            yield


def _bound(host: str, port: int) -> socket.socket:
    if not host:
        raise InvalidValueError("--host must be an address such as 127.0.0.1, or 0.0.0.0 for all; got nothing")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, port), family=family, backlog=128)
        # Else each answer on a connection that is kept waits 40 ms; asyncio does this only where the protocol is named.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except (OSError, OverflowError, UnicodeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower().partition(" (while ")[0]
        raise InvalidValueError(
            f"cannot listen at {host[:100]}, port {port}: {reason}; name another --port, or --port 0 for any"
        ) from None
