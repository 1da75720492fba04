"""A browser without scripts for `discretion serve`, and the server that it asks."""

import json
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.cookiejar import CookieJar
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

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
    """Asks a server from its own pages; the address lets another one in."""

    base: str
    address: str
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


@contextmanager
def served(*files: str) -> Generator[Browser]:
    """Start a server, and give a browser that it let in; the files are open there."""
    command = [sys.executable, "-m", "discretion", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split()[-1]
            browser = Browser(address.partition("/?")[0], address, build_opener(HTTPCookieProcessor(CookieJar())))
            browser.opener.open(address).close()
            for file in files:
                assert browser.post("/files", {"path": file}).status == 200
            yield browser
        finally:
            process.terminate()
