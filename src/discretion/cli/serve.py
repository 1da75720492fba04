"""``discretion serve``: serve a page to work on."""

import sys

from discretion.cli.options import File, Whole, command
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError

_MOST_PORTS = 65_535


@command
def serve(table: File | None = None, /, *, port: Whole = 8000, host: str = "127.0.0.1") -> int:
    """Serve a page to work on, for you alone: audits, designs, mechanisms and black boxes, in your browser.

    Open the printed address, which contains your access token. Ctrl-C ends the server and destroys the uploaded data.

    Parameters
    ----------
    table
        A table to open at the start.
    port
        The port to listen on; 0 means any free port.
    host
        The address to listen on; by default only this machine can connect. The page is not encrypted: others on the
        network can read it.
    """
    from discretion.web.serving import serve as served  # noqa: PLC0415 - the extra web

    if not 0 <= port <= _MOST_PORTS:
        raise InvalidValueError(f"--port must be from 0 to {_MOST_PORTS:,}, got {port}")

    def tell(address: str) -> None:
        say(f"Open {address}")
        sys.stdout.flush()  # a program that reads a pipe waits for it

    served(table, host, port, tell)
    return 0
