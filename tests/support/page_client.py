"""A browser without scripts for `discretion serve`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

from support.served_page import Served

# How often a part is asked for before it is given up: each time the server waits two seconds for the answer.
_PATIENCE = 60


@dataclass(frozen=True)
class Reply:
    """What a server answered, and at which path after redirections."""

    status: int
    text: str
    path: str

    @property
    def results(self) -> Any:
        return json.loads(self.text)["results"]


@dataclass(frozen=True)
class Browser:
    """Asks a server from its own pages."""

    base: str
    opener: OpenerDirector

    def get(self, path: str, texts: Mapping[str, Any] = {}, **headers: str) -> Reply:
        query = f"?{urlencode(texts, doseq=True)}" if texts else ""
        return self._asked(Request(self.base + path + query, headers=headers))

    def part(self, path: str, texts: Mapping[str, Any] = {}) -> Reply:
        """Return the part of a page that holds the answer, once it is there."""
        for _ in range(_PATIENCE):
            reply = self.get(path, texts, **{"X-Part": "answer"})
            if reply.status != 202:
                return reply
        raise TimeoutError(reply.text)

    def json(self, path: str, texts: Mapping[str, Any]) -> Reply:
        return self.get(path, {**texts, "format": "json"})

    def post(self, path: str, form: Mapping[str, str], origin: str | None = None) -> Reply:
        headers = {"Origin": origin or self.base}
        return self._asked(Request(self.base + path, urlencode(form).encode(), headers, method="POST"))

    def _asked(self, request: Request) -> Reply:
        try:
            answer = self.opener.open(request, timeout=120)
        except HTTPError as error:
            answer = error
        with answer:
            return Reply(answer.status, answer.read().decode(), answer.url.removeprefix(self.base))


def let_in(server: Served, *files: str) -> Browser:
    """Return a browser that a server has let in; the files are open there."""
    browser = Browser(server.base, build_opener(HTTPCookieProcessor(CookieJar())))
    browser.opener.open(server.address).close()
    for file in files:
        assert browser.post("/files", {"path": file}).status == 200
    return browser
