"""The web addresses of parties, read in one way only, so that a checked address is the address that is called."""

import re
from dataclasses import dataclass

_PORTS = {"http": 80, "https": 443}
# ASCII alone, and nothing that two readers could take for two things: no user, no query, no fragment, no escape.
_ADDRESS = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>(?:/[a-z0-9_~-][a-z0-9._~-]*)*)/?",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True)
class WebAddress:
    """The web address of a party's service.

    Parameters
    ----------
    scheme
        ``http`` or ``https``.
    host
        A name, or an IP address without brackets.
    port
        From 1 to 65,535.
    path
        The prefix of the paths of its operations: empty, or beginning with a slash.
    """

    scheme: str
    host: str
    port: int
    path: str = ""

    @property
    def url(self) -> str:
        """The address in its only spelling."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def web_address(url: object) -> WebAddress | None:
    """Return a text as a web address, or None if it is not one.

    Examples
    --------
    >>> web_address("HTTPS://First.Example").url
    'https://first.example:443'
    >>> web_address("https://ada:secret@first.example") is None
    True
    """
    if not isinstance(url, str) or len(url) > 2000 or (match := _ADDRESS.fullmatch(url)) is None:
        return None
    scheme = match["scheme"].lower()
    port = _PORTS[scheme] if match["port"] is None else int(match["port"])
    if not 0 < port < 1 << 16:
        return None
    return WebAddress(scheme, match["host"].lower().strip("[]"), port, match["path"])
