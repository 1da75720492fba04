"""The guard in front of every page: it checks the client, the page that sends the request, and the size of the request.

The server belongs to one person and handles private data. Its opponents are other pages in the same browser, names of
other hosts that lead to this server (DNS rebinding), and other users of the machine.
"""

import asyncio
import hmac
import secrets
from collections.abc import Iterable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Bytes of an address, and of a form; and seconds that the next part of a body may take.
MOST_ADDRESS = 32_768
MOST_FORM = 262_144
SECONDS_PER_PART = 10.0

# Headers of every answer.
HEADERS = {
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
    """An ASGI application that refuses bad requests with a reason, and adds protective headers to every answer.

    Parameters
    ----------
    application
        The application behind the guard.
    names
        The names, without a port, that requests may use for the server, in addition to the address where they arrive.
    """

    def __init__(self, application: ASGIApp, names: Iterable[str]) -> None:
        self._application, self._names = application, frozenset(names)
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
        await self._application(scope, _patient(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return the refusal of a request that may not pass from any client, or None."""
        headers = Headers(scope=scope)
        host, site, origin = headers.get("host", ""), headers.get("sec-fetch-site"), headers.get("origin")
        # Without a referrer a browser calls the origin of our forms null, and says by itself whose page they are on.
        own = f"http://{host}"
        is_ours = (origin, site) in ((own, None), (own, "same-origin"), ("null", "same-origin"))
        leads_here = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        is_called = headers.getlist("host") == [host] and self._is_own(host.lower(), *scope["server"])
        is_long = len(scope["raw_path"]) + len(scope["query_string"]) > MOST_ADDRESS
        is_change = scope["method"] == "POST"
        refusals = (
            (not is_called, 400, "This server is asked by its own address only, and not by this name."),
            (is_long, 414, "The address is too long."),
            (scope["method"] not in (*_SAFE, "POST"), 405, "This is not how pages ask."),
            (is_change and not is_ours, 403, "Only this server's own pages may change something here."),
            (
                (origin is not None and not is_ours) or (site not in (None, "none", "same-origin") and not leads_here),
                403,
                "Other pages may not look in here.",
            ),
        )
        return next((_refused(status, sentence) for wrong, status, sentence in refusals if wrong), None)

    def _is_own(self, host: str, ip: str, port: int) -> bool:
        """Return whether a request uses a name of this server, rather than another name that leads here.

        The address at which a request arrives is always a name of this server, also if it listens at 0.0.0.0.
        """
        names = {*self._names, in_address(ip)}
        return host in {f"{name}:{port}" for name in names} or (port == 80 and host in names)

    def _exchange(self, scope: Scope) -> Response | None:
        """Return the page that exchanges a token for a cookie, or a refusal; None for a request with the cookie."""
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


def in_address(host: str) -> str:
    """Return a host in the form for addresses: an IPv6 address in brackets."""
    return f"[{host}]" if ":" in host else host


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
    """Limit the time to wait for the next part of a body; the wait for the end of a connection has no limit."""
    whole = False

    async def next_part() -> Message:
        nonlocal whole
        if whole:
            return await receive()
        try:
            async with asyncio.timeout(SECONDS_PER_PART):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "The rest of what the page sent did not come.") from None
        whole = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    return next_part


def _with_headers(send: Send) -> Send:
    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("cache-control", "no-store")  # but for what holds nothing of a table
        await send(message)

    return sending
