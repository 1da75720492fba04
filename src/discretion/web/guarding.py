"""What stands before every page: who may ask, from which page, and how much may be sent.

The server is one person's, for private data. Its threats are the other pages that her browser shows, the names that
others make lead here (DNS rebinding), and the other people of the machine.
"""

import asyncio
import hmac
import secrets
from collections.abc import Iterable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Bytes of an address, and of a form; and seconds that the next part of a body may take.
MOST_ADDRESS = 32_768
MOST_FORM = 262_144
SECONDS_PER_PART = 10.0

_HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data:; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
_SAFE = ("GET", "HEAD")


class Guard:
    """Answers itself what may not pass, and says why; what passes gets the headers that keep a page to itself.

    Parameters
    ----------
    application
        What stands behind it.
    hosts
        The names and ports by which the server may be asked.
    """

    def __init__(self, application: ASGIApp, hosts: Iterable[str]) -> None:
        self._application, self._hosts = application, frozenset(hosts)
        self.token, self._session = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        # Browsers send a cookie to all ports of a host: two servers must not take each other's.
        self._cookie = f"discretion-{secrets.token_hex(4)}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._application(scope, receive, send)
            return
        answer = self._refusal(scope) or self._exchange(scope)
        if answer is not None:
            await answer(scope, receive, _with_headers(send))
            return
        try:
            await self._application(scope, _patient(receive), _with_headers(send))
        except TimeoutError:
            await _refused(408, "The rest of what the page sent did not come.")(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request may not pass, whoever sends it."""
        headers = Headers(scope=scope)
        host, site, origin = headers.get("host", ""), headers.get("sec-fetch-site"), headers.get("origin")
        if headers.getlist("host") != [host] or host.lower() not in self._hosts:
            return _refused(400, "This server is asked by its own address only, and not by this name.")
        if len(scope["raw_path"]) + len(scope["query_string"]) > MOST_ADDRESS:
            return _refused(414, "The address is too long.")
        if scope["method"] not in (*_SAFE, "POST"):
            return _refused(405, "This is not how pages ask.")
        # Without a referrer a browser calls the origin of our forms null, and says by itself whose page they are on.
        own = f"http://{host}"
        is_ours = (origin, site) in ((own, None), (own, "same-origin"), ("null", "same-origin"))
        if scope["method"] == "POST" and not is_ours:
            return _refused(403, "Only this server's own pages may change something here.")
        leads_here = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if site not in (None, "none", "same-origin") and not leads_here:
            return _refused(403, "Other pages may not look in here.")
        return None

    def _exchange(self, scope: Scope) -> Response | None:
        """Return the page that takes a token for a cookie, or who is not known; None for who has the cookie."""
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        tokens = [value for name, value in query if name == "token"]
        if tokens and scope["method"] in _SAFE:
            if len(tokens) != 1 or not _same(tokens[0], self.token):
                return _refused(403, "The token in this address is not this server's; it is new at every start.")
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            path = "/" + scope["raw_path"].decode("latin-1").lstrip("/\\")  # two slashes would begin another host
            address = escape(path + ("?" + rest if rest else ""))
            # Not a redirection: a browser that follows one from elsewhere would leave a strict cookie out.
            page = HTMLResponse(
                f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Discretion</title>'
                f'<link rel="icon" href="data:,">'
                f'<meta http-equiv="refresh" content="0; url={address}"><p><a href="{address}">Go on</a></p></html>'
            )
            page.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
            return page
        cookies = cookie_parser(Headers(scope=scope).get("cookie", ""))
        if not _same(cookies.get(self._cookie, ""), self._session):
            return _refused(403, "Open the address that the command printed; it has a token that lets you in.")
        return None


def _same(given: str, own: str) -> bool:
    return hmac.compare_digest(given.encode(), own.encode())


def _refused(status: int, sentence: str) -> Response:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Discretion: refused</title>'
        f'<link rel="icon" href="data:,"><h1>Refused</h1>'
        f"<p>{escape(sentence)}</p></html>",
        status,
    )


def _patient(receive: Receive) -> Receive:
    """Wait for the next part of a body no longer than a while; for the end of a connection as long as it takes."""
    whole = False

    async def next_part() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        async with asyncio.timeout(SECONDS_PER_PART):
            message = await receive()
        whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    return next_part


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")  # but for what holds nothing of a table
        await send(message)

    return sending
