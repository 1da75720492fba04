"""What stands before the pages: no request gets past it without the cookie, whatever else it has."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from discretion.errors import TooLargeError
from discretion.web import files
from discretion.web.guarding import HEADERS, Guard

HOST, PORT = "127.0.0.1", 8000
Headers = Sequence[tuple[str, str]]


async def _pages(scope: Any, receive: Any, send: Any) -> None:
    """Stand for the pages: whoever gets here has seen them."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"private"})


def asked(guard: Guard, method: str, path: str, query: str, headers: Headers) -> tuple[int, dict[str, str], bytes]:
    """Return the status, headers and body of the answer to a request."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers],
        "server": (HOST, PORT), "client": (HOST, 1), "scheme": "http", "root_path": "", "http_version": "1.1",
    }  # fmt: skip
    asyncio.run(guard(scope, receive, send))
    start, *bodies = sent
    named = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], named, b"".join(each.get("body", b"") for each in bodies)


LATIN = st.text(st.characters(max_codepoint=255, exclude_categories=["Cc"]), max_size=40)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "OPTIONS", "TRACE", "DELETE", ""]) | LATIN
PATHS = st.sampled_from(["/", "/table", "/files", "/cancel", "/page.js", "//x", "*"]) | LATIN.map("/{}".format)
QUERIES = st.sampled_from(["", "token=", "token=x&token=y", "a=b&token=%00", "about=x&format=json"]) | LATIN
NAMES = st.sampled_from(
    [
        "Host",
        "Cookie",
        "Origin",
        "Sec-Fetch-Site",
        "Sec-Fetch-Mode",
        "Sec-Fetch-Dest",
        "X-Part",
        "Accept",
        "Content-Length",
    ]
) | LATIN.filter(bool)
VALUES = (
    st.sampled_from(
        [
            f"{HOST}:{PORT}",
            f"http://{HOST}:{PORT}",
            "null",
            "same-origin",
            "none",
            "navigate",
            "document",
            "discretion-=x",
            "answer",
        ]
    )
    | LATIN
)
HEADER_LISTS = st.lists(st.tuples(NAMES, VALUES), max_size=6)


@given(METHODS, PATHS, QUERIES, HEADER_LISTS, st.booleans())
def test_no_request_without_the_cookie_gets_anything_but_a_refusal(
    method: str, path: str, query: str, headers: Headers, called: bool
) -> None:
    rightly = [("Host", f"{HOST}:{PORT}")] if called else []
    status, got, body = asked(Guard(_pages, ("localhost",)), method, path, query, [*rightly, *headers])
    assert status in (400, 403, 405, 414)
    assert "set-cookie" not in got
    assert b"private" not in body
    assert got.items() >= HEADERS.items()


@given(METHODS, PATHS, HEADER_LISTS)
def test_with_the_cookie_it_is_the_host_the_origin_and_the_method_that_decide(
    method: str, path: str, headers: Headers
) -> None:
    guard = Guard(_pages, ("localhost",))
    host = ("Host", f"{HOST}:{PORT}")
    _, let_in, _ = asked(guard, "GET", "/", f"token={guard.token}", [host])
    cookie = ("Cookie", let_in["set-cookie"].partition(";")[0])
    others = [each for each in headers if each[0].lower() not in ("cookie", "host", "origin", "sec-fetch-site")]
    status, _, body = asked(guard, method, path, "", [host, cookie, *others])
    assert (status, body) == (200, b"private") if method in ("GET", "HEAD") else status in (403, 405)


@pytest.mark.parametrize("port", [80, 8000])
@pytest.mark.parametrize("names", [(), ("localhost",), ("mine.example",)])
def test_the_address_at_which_a_request_comes_in_is_its_name_too(names: tuple[str, ...], port: int) -> None:
    guard = Guard(_pages, names)
    for ip, host in {"192.0.2.7": "192.0.2.7", "2001:db8::7": "[2001:db8::7]"}.items():
        for name in (host, *names):
            assert guard._is_own(f"{name}:{port}", ip, port)
            assert guard._is_own(name, ip, port) == (port == 80)
        assert not guard._is_own(f"evil.example:{port}", ip, port)
        assert not guard._is_own(f"192.0.2.8:{port}", ip, port)


def test_a_file_that_grows_beyond_what_is_taken_is_refused_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_SENT", 1000)

    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield bytes(100)

    kept = files.OpenFiles()
    try:
        with pytest.raises(TooLargeError, match="and the file is larger; open it by its path"):
            asyncio.run(kept.receive("x.csv", 0, endless()))
        assert [*Path(kept.folder).iterdir()] == []
    finally:
        kept.end()


def test_the_example_is_open_by_its_own_name() -> None:
    kept = files.OpenFiles()
    try:
        assert kept.open("example:adult") == "example:adult"
        assert [*kept.places] == ["example:adult"]
    finally:
        kept.end()


def test_no_more_files_are_open_than_a_page_can_show(tmp_path: Path) -> None:
    kept = files.OpenFiles()
    try:
        with pytest.raises(TooLargeError, match="at most 100 files may be open"):
            for number in range(200):
                (tmp_path / f"{number}.csv").write_text("a,b\n")
                kept.open(str(tmp_path / f"{number}.csv"))
    finally:
        kept.end()
