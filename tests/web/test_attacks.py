"""What a dishonest page, another user, a network or a careless reader tries on the page to work on, and what it gets.

`SECURITY.md` lists the same attacks. Each is made on a server that runs as a process, as `discretion serve` starts it.
"""

import json
import os
import re
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import quote, urlencode

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from discretion.jobs.monitor import Monitor
from discretion.web.answering import Answered, Asked, Refused, answered
from discretion.web.application import SECONDS_UNSEEN
from discretion.web.connections import MOST_CONNECTIONS, SECONDS_FOR_HEAD
from discretion.web.doors import DOORS
from discretion.web.guarding import HEADERS, MOST_FORM, SECONDS_PER_PART
from discretion.web.open_tables import OpenTables
from support.chromium import running_chromium
from support.served_page import LOOPBACK, Reply, Served, eventually, is_alive, reply, serving

PEOPLE = "age,town\n" + "".join(f"{20 + i % 5},{'abc'[i % 3]}\n" for i in range(300))
CONTENT = "n0b0dy-sees-this"
# A question that takes minutes, and those that only differ from it by a seed.
SLOW = {"about": "hadamard:k=64,epsilon=1", "users": "20000", "shuffled": "yes", "adversary": "uninformed"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "people.csv").write_text(PEOPLE)
    with serving(folder, folder / "people.csv") as page:
        yield page
        # Nothing of all this is said: neither an address, a token, nor a value.
        assert page.ended()[1] == "discretion: interrupted\n"


def has_headers(got: Reply) -> bool:
    return {name: got.headers.get(name) for name in HEADERS} == HEADERS


# By which names it is called, and by what it is not.
HOSTS = {
    "another name": (("host", "evil.example"),),
    "another name with the port": (("host", "evil.example:{port}"),),
    "a name that ends like its own": (("host", "evil.localhost:{port}"),),
    "a name that begins like its own": (("host", "127.0.0.1.evil.example:{port}"),),
    "another port": (("host", "127.0.0.1:1"),),
    "no port": (("host", "127.0.0.1"),),
    "another address of this machine": (("host", "127.0.0.2:{port}"),),
    "two hosts": (("host", "127.0.0.1:{port}"), ("host", "evil.example")),
    "twice its own": (("host", "127.0.0.1:{port}"), ("host", "127.0.0.1:{port}")),
    "a user": (("host", "evil.example@127.0.0.1:{port}"),),
    "nothing": (("host", ""),),
}


@pytest.mark.parametrize("called", HOSTS)
def test_a_name_that_is_not_the_servers_is_refused_with_a_cookie_too(served: Served, called: str) -> None:
    hosts = [(name, value.format(port=served.port)) for name, value in HOSTS[called]]
    got = served.asked("/", headers=hosts)
    assert (got.status, has_headers(got)) == (400, True)


def test_its_own_names_are_answered(served: Served) -> None:
    for name in ("127.0.0.1", "localhost", "LocalHost"):
        assert served.asked("/", headers=[("host", f"{name}:{served.port}")]).status == 200


def test_a_request_without_a_host_is_refused(served: Served) -> None:
    for version in ("1.0", "1.1"):
        got = served.sent(f"GET / HTTP/{version}\r\ncookie: {served.cookie}\r\n\r\n".encode())
        assert (got.status, has_headers(got)) == (400, True)


@pytest.mark.parametrize(
    "query",
    [
        "token=",
        "token=wrong",
        "token={token}x",
        "token={token}&token=wrong",
        "token=wrong&token={token}",
        "Token={token}",
    ],
)
@pytest.mark.parametrize("path", ["/", "/table", "/page.js", "/nowhere"])
def test_only_the_token_itself_and_once_lets_in(served: Served, path: str, query: str) -> None:
    got = served.asked(f"{path}?{query.format(token=served.token)}", known=False)
    assert (got.status, "set-cookie" in got.headers, has_headers(got)) == (403, False, True)


def test_a_false_token_is_refused_with_the_cookie_too(served: Served) -> None:
    assert served.asked("/?token=wrong").status == 403


def test_the_token_of_another_name_or_page_does_not_let_in(served: Served) -> None:
    right = f"/?token={served.token}"
    assert served.asked(right, headers=[("host", f"evil.example:{served.port}")], known=False).status == 400
    assert served.asked(right, headers=[("sec-fetch-site", "cross-site")], known=False).status == 403
    assert served.asked(right, "POST", known=False).status == 403


def test_the_cookie_is_kept_from_scripts_and_other_sites_and_is_not_the_token(served: Served) -> None:
    let_in = served.asked(f"/?token={served.token}", known=False)
    name, *attributes = let_in.headers["set-cookie"].split("; ")
    assert {each.lower() for each in attributes} >= {"httponly", "samesite=strict", "path=/"}
    assert served.token not in let_in.text + name


@pytest.mark.long
def test_the_cookie_of_another_server_is_refused(served: Served, tmp_path: Path) -> None:
    with serving(tmp_path) as other:
        name, _, value = other.cookie.partition("=")
        for cookie in (other.cookie, f"{served.cookie.partition('=')[0]}={value}", f"{name}=", "=", ";;=;", '"'):
            assert served.asked("/", headers=[("cookie", cookie)]).status == 403


@pytest.mark.parametrize(
    "path", ["//evil.example/", "/\\evil.example/", "///evil.example", "/%09/evil.example", "/%0d%0aset-cookie:x=1"]
)
def test_a_token_leads_nowhere_else(served: Served, path: str) -> None:
    got = served.asked(f"{path}?token={served.token}&x=%0d%0aset-cookie:x=1%22%3E%3Cscript%3E", known=False)
    goals = re.findall(r'(?:url|href)="?=?([^"]*)', got.text)[1:]
    assert goals
    assert all(re.match(r"/(?![/\\])", goal) for goal in goals)
    assert "<script" not in got.text
    assert "\n" not in "".join(got.headers.values())


@pytest.mark.parametrize("target", ["/a\r\nset-cookie: x=1", "/a\tb", "/a\0b", "/\xe9", "/a b"])
def test_an_address_with_line_ends_or_blanks_is_no_request(served: Served, target: str) -> None:
    got = served.asked(target)
    assert got.status in (400, 404)
    assert "set-cookie" not in got.headers


# What a browser adds to the requests that another page makes; the cookie comes along from another port of this host.
FROM_ELSEWHERE = {
    "an image": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"},
    "a script": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script"},
    "a frame": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"},
    "an object": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "object"},
    "a fetch": {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": "https://evil.example"},
    "a fetch by an older browser": {"origin": "https://evil.example"},
    "a fetch from a sandbox": {"origin": "null"},
    "a script of another port": {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
    "a fetch of another port": {"origin": "http://127.0.0.1:1", "sec-fetch-site": "same-site"},
    "a fetch of another scheme": {"origin": "https://{host}"},
}


@pytest.mark.parametrize("path", ["/", "/table?about=people.csv&format=json", "/page.js"])
@pytest.mark.parametrize("request_from", FROM_ELSEWHERE)
def test_another_page_does_not_look_in(served: Served, request_from: str, path: str) -> None:
    headers = [(name, value.format(host=served.host)) for name, value in FROM_ELSEWHERE[request_from].items()]
    got = served.asked(path, headers=headers)
    assert (got.status, has_headers(got)) == (403, True)
    assert "access-control-allow-origin" not in got.headers


@pytest.mark.parametrize("path", ["/files", "/files?name=x.csv", "/cancel", "/table"])
@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "https://{host}"},
        {"origin": "http://{host}.evil.example"},
        {"origin": "http://localhost:{port}"},
        {"origin": ""},
        {"origin": "http://{host}", "sec-fetch-site": "cross-site"},
        {"origin": "http://{host}", "sec-fetch-site": "same-site"},
        {"origin": "http://{host}", "sec-fetch-site": "none"},
    ],
)
def test_another_page_changes_nothing(served: Served, path: str, headers: dict[str, str]) -> None:
    given = [(name, value.format(host=served.host, port=served.port)) for name, value in headers.items()]
    got = served.asked(path, "POST", headers=given, body=b"path=/etc/passwd")
    assert (got.status, has_headers(got)) == (403, True)


def test_a_change_without_an_origin_is_refused(served: Served) -> None:
    head = f"POST /files HTTP/1.1\r\nhost: {served.host}\r\ncookie: {served.cookie}\r\ncontent-length: 0\r\n\r\n"
    assert served.sent(head.encode()).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"])
def test_no_other_method_is_answered(served: Served, method: str) -> None:
    target = "evil.example:80" if method == "CONNECT" else "/"
    got = served.asked(target, method, headers=[("access-control-request-method", "POST")])
    assert (got.status, has_headers(got)) == (405, True)
    assert served.cookie.partition("=")[2] not in got.text


def test_no_other_protocol_is_spoken(served: Served) -> None:
    asks = [("connection", "upgrade"), ("upgrade", "websocket"), ("sec-websocket-version", "13")]
    asks += [("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="), ("origin", "https://evil.example")]
    assert served.asked("/", headers=asks).status == 403
    assert served.asked("/", headers=asks, known=False).status == 403
    assert served.sent(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").status == 400
    assert served.sent(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200)).status == 400


@pytest.mark.parametrize(
    "path",
    ["/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/static/../../etc/passwd", "/static",
     "/site.js", "/home.html.j2", "/people.csv", "/files", "/cancel", "/docs", "/openapi.json", "/table%00",
     "/page.js/../../x", "//etc/passwd", "http://evil.example/etc/passwd", "*", "/favicon.ico"],
)  # fmt: skip
def test_there_is_nothing_beside_the_pages(served: Served, path: str) -> None:
    got = served.asked(path)
    assert got.status in (400, 404, 405)
    assert has_headers(got)
    assert "root:" not in got.text


@pytest.mark.long
def test_every_answer_has_the_headers_that_keep_it_to_itself(served: Served) -> None:
    for path in (
        "/",
        "/table",
        "/style.css",
        "/page.js",
        "/charts.js",
        "/nowhere",
        "/design?answers=x",
        f"/?token={served.token}",
    ):
        assert has_headers(served.asked(path)), path
    policy = HEADERS["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "unsafe-eval" not in policy
    assert "script-src" not in policy  # as default-src


# Files.


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of files that were not opened, each of which some field might read."""
    folder = tmp_path_factory.mktemp("planted")
    table = pa.table({"age": ["1", "2"], "town": [CONTENT, "b"]})
    (folder / "zqaa.csv").write_text("0.5,0.5\n0.25,0.75\n")
    (folder / "zqaa.txt").write_text(f"{CONTENT}\n")
    (folder / "zqaa.toml").write_text(f'x = "{CONTENT}"\n')
    np.save(folder / "zqaa.npy", np.array([[0.5, 0.5], [0.25, 0.75]]))
    parquet.write_table(table, folder / "zqaa.parquet")
    with sqlite3.connect(folder / "zqaa.sqlite") as database:
        database.execute("CREATE TABLE people AS SELECT 1 AS age, ? AS town", [CONTENT])
    database.close()
    (folder / "zqaa").mkdir()
    (folder / "zqaa" / "age.csv").write_text("1;2\n")
    return folder


# How a field might name a file; {} stands for its path without the suffix.
SPELLINGS = (
    *("{}.csv", "{}.txt", "{}.parquet", "{}.sqlite", "{}.sqlite#people", "{}.toml", "{}", "file://{}.csv"),
    *("sqlite://{}.sqlite", "duckdb://{}.csv", "channel:{}.npy", "channel:{}.parquet", "channel:{}.csv"),
    *("matrix:{}.csv", "loss:{}.csv", "distance:{}.csv", "mixture:{}.csv", "dirichlet-mixture:{}.csv", "@{}.csv"),
)
NOT_FILES = (
    *("/etc/passwd", "/etc/shadow", "channel:/etc/passwd", "matrix:/etc/hostname", "mixture:/etc/passwd", "-"),
    *("/dev/stdin", "/dev/zero", "/dev/fd/0", "/proc/self/environ", "channel:/dev/zero", "matrix:/dev/stdin", "."),
    *("/", "~", "~root/.ssh/id_rsa", "postgres://ada:pw@127.0.0.1:1/x?table=y", "https://127.0.0.1:1/x.csv"),
    *("s3://bucket/x.parquet", "../../etc/passwd", "*.csv", "example:nothing", "\0", "/etc/passwd\0.csv", "a" * 5000),
)
# A question of each door, into which a field is put.
QUESTIONS = {
    "table": {"about": "people.csv", "person": "none"},
    "exposure": {"about": "people.csv", "person": "none"},
    "design": {"answers": "2", "users": "1000", "guess": "+0.1"},
    "mechanism": {"about": "krr:k=2,epsilon=1"},
    "compare": {"about": "krr:k=2,epsilon=1\nkrr:k=2,epsilon=2"},
    "black-box": {"about": "people.csv"},
    "columns": {"about": "people.csv", "person": "none"},
    "claim": {"about": "krr:k=2,epsilon=1"},
    "channel": {"about": "krr:k=2,epsilon=1"},
    "papers": {"about": "shuffle"},
}
FIELDS = [
    pytest.param(door, field.name, id=f"{door}-{field.name}", marks=[pytest.mark.long] * (DOORS[door].fields[0].file))
    for door in QUESTIONS
    for field in DOORS[door].all_fields
    if not field.choices and hasattr(DOORS[door].job or DOORS[door].options, field.name) | (field.name == "about")
]


def test_every_door_is_tried() -> None:
    # A release is begun by a button alone, and is asked for what a table's page is; see test_table.py for its file.
    assert {*QUESTIONS} == {*DOORS} - {"release"}


def in_process(door: str, texts: dict[str, str], people: Path) -> Answered | Refused:
    """Return what a process answers, which has one table open."""
    given = {name: [text] for name, text in texts.items()}
    got = answered(Asked(door, given, {"people.csv": os.path.realpath(people)}), Monitor(), OpenTables())
    assert isinstance(got, Answered | Refused)
    return got


@pytest.mark.parametrize(("door", "field"), FIELDS)
def test_a_file_that_was_not_opened_is_not_read_and_might_as_well_not_exist(
    planted: Path, tmp_path: Path, door: str, field: str
) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    for spelling in SPELLINGS:
        there, missing = (
            in_process(door, {**QUESTIONS[door], field: spelling.format(planted / name)}, tmp_path / "people.csv")
            for name in ("zqaa", "zqbb")
        )
        assert CONTENT not in str(there), spelling
        # A sentence may cut a long name off anywhere.
        same = [re.sub("zq[ab]*", "zq", str(each)) for each in (there, missing)]
        assert same[0] == same[1], spelling
        assert isinstance(there, Refused), spelling


@pytest.mark.parametrize(("door", "field"), FIELDS)
def test_what_is_no_file_is_not_read_either(tmp_path: Path, door: str, field: str) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE)
    for text in NOT_FILES:
        got = in_process(door, {**QUESTIONS[door], field: text}, tmp_path / "people.csv")
        assert isinstance(got, Refused), text
        assert "internal error" not in got.sentence, text
        assert not re.search(r"root:|PATH=|\bada:pw\b", got.sentence) or "ada:pw" in text, text


UNOPENED = (
    *(
        "/etc",
        "/",
        ".",
        "-",
        "/dev/stdin",
        "/dev/zero",
        "/proc/self/environ",
        "~nobody-here/x.csv",
        "/gone.csv",
        "*.csv",
    ),
    *("postgres://ada:pw@127.0.0.1:1/x", "https://127.0.0.1:1/x.csv", "\0", "a" * 5000),
)


@pytest.mark.parametrize("path", UNOPENED)
def test_what_is_no_file_is_not_opened_even_if_asked_for(served: Served, path: str) -> None:
    got = served.asked("/files", "POST", body=urlencode({"path": path, "door": "//evil.example"}).encode())
    assert (got.status, has_headers(got)) == (422, True)
    assert "PATH=" not in got.text


@pytest.mark.long
def test_a_link_that_turns_elsewhere_later_was_not_opened(tmp_path: Path, planted: Path) -> None:
    (tmp_path / "real.csv").write_text(PEOPLE)
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    secret = tmp_path / "secret.csv"
    secret.write_text(PEOPLE.replace("town", CONTENT))
    with serving(tmp_path, tmp_path / "link.csv") as page:
        (name,) = re.findall(r"about=([^&]+)", page.address)
        assert page.answer("exposure", about=name, columns="town", person="none").status == 200
        (tmp_path / "link.csv").unlink()
        (tmp_path / "link.csv").symlink_to(secret)
        assert page.answer("exposure", about=name, columns="town", person="none", k="5").status == 200
        (tmp_path / "real.csv").unlink()
        (tmp_path / "real.csv").symlink_to(secret)
        got = page.answer("exposure", about=name, columns="town", person="none", k="6")
        assert (got.status, CONTENT in got.text) == (422, False)


@pytest.mark.long
def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(PEOPLE)
    with serving(tmp_path, table) as page:
        before = page.answer("exposure", about="people.csv", person="none").text
        table.write_text(PEOPLE + "99,z\n")
        assert page.answer("exposure", about="people.csv", person="none").text != before


@pytest.mark.long
def test_a_database_reads_no_other_file(served: Served, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(f"a,b\n{CONTENT},1\n")
    with duckdb.connect(str(tmp_path / "view.duckdb")) as database:
        database.execute(f"CREATE VIEW people AS SELECT * FROM read_csv('{other}')")
    with duckdb.connect(str(tmp_path / "attach.duckdb")) as database:
        database.execute(f"CREATE MACRO m() AS TABLE SELECT * FROM read_text('{other}')")
        database.execute("CREATE VIEW people AS SELECT * FROM m()")
    with sqlite3.connect(tmp_path / "view.sqlite") as database:
        database.execute("CREATE TABLE t (a)")
        database.execute(f"CREATE VIEW people AS SELECT readfile('{other}') AS a, load_extension('{other}') AS b")
    database.close()
    for file in ("view.duckdb", "attach.duckdb", "view.sqlite"):
        name = json.loads(served.sends(file, (tmp_path / file).read_bytes()).text)["name"]
        for about in (name, f"{name}#people"):
            got = served.answer("exposure", about=about, person="none")
            assert (got.status, CONTENT in got.text) == (422, False), file


BOMBS = {
    "zeros.csv.gz": lambda: __import__("gzip").compress(b"a,b\n" + b"0,0\n" * (1 << 24)),
    "not.parquet": lambda: b"PAR1" + b"\xff" * 1000 + b"PAR1",
    "not.xlsx": lambda: b"PK\x03\x04" + bytes(1000),
    "not.csv.gz": lambda: b"\x1f\x8b" + bytes(1000),
    "wide.csv": lambda: b",".join(b"c%d" % i for i in range(200_000)) + b"\n",
    "nul.csv": lambda: b"a,b\n\0\0,\0\n" * 100,
    "json.json": lambda: b"[" * 100_000,
}


@pytest.mark.long
@pytest.mark.parametrize("file", BOMBS)
def test_a_file_that_expands_or_is_none_ends_in_a_sentence(served: Served, file: str) -> None:
    name = json.loads(served.sends(file, BOMBS[file]()).text)["name"]
    got = served.answer("exposure", about=name, person="none", columns="a,b")
    assert "internal error" not in got.text
    assert str(served.temporary) not in got.text
    assert served.asked("/").status == 200


# What stands in a table, and what files are called.

SYNTAX = (
    "<img src=x onerror=alert(1)>",
    "seven {{7*7}}",
    "</script><script>alert(2)</script>",
    "seven ${7*7}",
    "'\"><svg onload=alert(3)>",
    "javascript:alert(4)",
)
NAMES = (
    *SYNTAX,
    "../../x.csv",
    "..\\..\\x.csv",
    "/etc/passwd",
    "a\0b.csv",
    "n" * 10_000 + ".csv",
    "x.csv\r\nset-cookie: a=b",
    "",
    ".",
    "..",
    "\u202egnp.csv",
)

# What no name or value may become.
MARKUP = re.compile(r'<img|<svg onload|<script(?! src="/| type="application/json">)|</script><script>|\b49\b')


@pytest.mark.one_in(7)
@pytest.mark.parametrize("given", NAMES)
def test_the_name_of_a_file_that_is_sent_is_only_a_name(served: Served, given: str) -> None:
    before = set(served.temporary.rglob("*"))
    got = served.sends(given, PEOPLE.encode())
    assert (got.status, "set-cookie" in got.headers) == (200, False)
    name = json.loads(got.text)["name"]
    assert len(name) <= 110
    assert not re.search(
        r"[/\\\x00\r\n\u202e]", name.replace("\\x", "").replace("\\r", "").replace("\\n", "").replace("\\u", "")
    )
    (made,) = set(served.temporary.rglob("*")) - before
    assert re.fullmatch(r"discretion-\w+/tmp\w+[A-Za-z0-9.]*", str(made.relative_to(served.temporary)))
    page = served.asked(f"/table?{urlencode({'about': name})}").text
    assert not MARKUP.search(page)


@pytest.mark.long
def test_what_stands_in_a_table_is_text_on_the_page(served: Served) -> None:
    name = json.loads(served.sends("syntax.csv", table_of_syntax()).text)["name"]
    for door in ("exposure", "table"):
        address = f"/{door}?{urlencode({'about': name, 'person': 'none'})}"
        assert json.loads(served.asked(f"{address}&format=json").text)["command"] == DOORS[door].command
        page = served.asked(address)
        assert page.status == 200
        assert not MARKUP.search(page.text)
    assert "&lt;img src=x onerror=alert(1)&gt;" in page.text
    assert "{{7*7}}" in page.text


def table_of_syntax() -> bytes:
    """Return a CSV file whose names and values are all syntax of something."""
    quoted = ['"' + text.replace('"', '""') + '"' for text in SYNTAX]
    return "\n".join([",".join(quoted), *[",".join(quoted[1:] + quoted[:1])] * 30]).encode()


@pytest.mark.parametrize("text", SYNTAX)
def test_what_stands_in_an_address_is_text_on_the_page(served: Served, text: str) -> None:
    for query in (
        {"about": text},
        {"about": "krr:k=2,epsilon=1", "gain": text},
        {text: "1"},
        {"about": text, "format": "json"},
    ):
        for door in ("mechanism", "table"):
            address = f"/{door}?{urlencode(query)}"
            assert eventually(lambda address=address: served.asked(address).status == 422, patience=60)
            got = served.asked(address)
            if "json" in got.headers["content-type"]:
                assert json.loads(got.text)["error"]
            else:
                assert not MARKUP.search(got.text)
    assert not MARKUP.search(served.asked(f"/{quote(text, safe='')}").text)


@pytest.mark.long
@pytest.mark.browser
def test_no_script_of_a_table_runs_in_a_browser(served: Served) -> None:
    name = json.loads(served.sends("<img src=x onerror=alert(1)>.csv", table_of_syntax()).text)["name"]
    with running_chromium() as browser:
        page = browser.new_page()
        said: list[str] = []
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: said.append(request.url))
        page.goto(served.address)
        page.goto(f"http://{served.host}/table?{urlencode({'about': name, 'person': 'none'})}")
        page.wait_for_selector(".again", timeout=60_000)
        assert page.locator("main img, svg[onload], main script").count() == 0
        page.goto(f"http://{served.host}/table?{urlencode({'about': SYNTAX[0], 'k': SYNTAX[2]})}")
        assert page.locator("main img, svg[onload], main script").count() == 0
        assert [each for each in said if not each.startswith((f"http://{served.host}/", "data:"))] == []


# Sizes and slowness.


@pytest.mark.long
@pytest.mark.parametrize(
    ("query", "statuses"),
    [
        ("x=" + "a" * 40_000, (414,)),
        ("a" * 200_000, (400, 414, None)),
        ("&".join(f"a{i}=1" for i in range(3000)), (422,)),
        ("&".join(["answers=1"] * 2500), (422,)),
        ("&" * 30_000, (200, 422)),
        ("about=" + "(" * 20_000, (422,)),
        ("a" * 30_000 + "=1", (422,)),
        ("answers=" + "9" * 20_000, (422,)),
        ("adversary=exchangeable:" + "1," * 10_000, (422,)),
    ],
)
def test_an_address_of_any_size_is_answered_at_once(served: Served, query: str, statuses: tuple[int | None]) -> None:
    begun = time.monotonic()
    for door in ("design", "mechanism"):
        got = served.asked(f"/{door}?{query}")
        assert got.status in statuses
    assert time.monotonic() - begun < 10


def test_many_headers_or_long_ones_are_refused(served: Served) -> None:
    for headers in ([("x", "a" * 200_000)], [(f"x{i}", "a" * 100) for i in range(2000)], [("cookie", "a=b;" * 60_000)]):
        assert served.asked("/", headers=headers).status in (400, None)


@pytest.mark.parametrize("path", ["/files", "/cancel"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_form_that_is_too_large_is_refused(served: Served, path: str, chunked: bool) -> None:
    body = b"path=" + b"a" * (MOST_FORM + 1)
    headers = [("transfer-encoding", "chunked")] if chunked else [("content-length", str(len(body)))]
    got = served.asked(
        path, "POST", headers=headers, body=b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if chunked else body
    )
    assert (got.status, has_headers(got)) == (413, True)


def test_a_form_of_very_many_fields_is_answered(served: Served) -> None:
    body = "&".join(f"{i:x}=" for i in range(40_000)).encode()[:MOST_FORM]
    assert served.asked("/files", "POST", body=body).status == 422


def test_a_file_that_says_it_is_too_large_is_refused_before_it_comes(served: Served) -> None:
    got = served.asked("/files?name=x.csv", "POST", headers=[("content-length", str(1 << 40))], body=b"a,b\n")
    assert (got.status, has_headers(got)) == (413, True)


def test_lengths_that_are_none_are_no_request(served: Served) -> None:
    for headers in (
        [("content-length", "-1")],
        [("content-length", "x")],
        [("content-length", "4"), ("content-length", "5")],
        [("content-length", "4"), ("transfer-encoding", "chunked")],
    ):
        assert served.asked("/files", "POST", headers=headers, body=b"path\r\n").status == 400


@pytest.mark.long
def test_a_head_or_body_that_does_not_come_is_given_up(served: Served) -> None:
    post = f"POST /files HTTP/1.1\r\nhost: {served.host}\r\norigin: http://{served.host}\r\ncontent-length: 100\r\n"
    known = f"{post}cookie: {served.cookie}\r\n\r\npath="
    whole = f"GET / HTTP/1.1\r\nhost: {served.host}\r\n\r\n"
    begun = time.monotonic()
    with ExitStack() as stack:
        heads = [stack.enter_context(served.connection()) for _ in range(4)]
        heads[1].sendall(b"GET / HT")
        heads[2].sendall(whole.encode())
        assert reply(heads[2]).status == 403
        heads[2].sendall(b"GET / HT")  # another request on a connection that has had an answer
        heads[3].sendall(f"{post}\r\n".encode())
        assert reply(heads[3]).status == 403  # whoever is not known need not send the rest
        body = stack.enter_context(served.connection())
        body.sendall(known.encode())
        while time.monotonic() - begun < SECONDS_FOR_HEAD - 2:
            time.sleep(0.5)
            for held in heads[1:]:
                held.sendall(b"a")  # to send a little from time to time helps nobody
        assert reply(body).status == 408
        for held in heads:
            held.settimeout(5)
            with suppress(ConnectionError):
                assert held.recv(1000) == b""
    assert time.monotonic() - begun < max(SECONDS_FOR_HEAD, SECONDS_PER_PART) + 6


def test_a_connection_that_is_closed_half_way_is_closed(served: Served) -> None:
    for raw in (b"", b"GET / HTTP/1.1\r\n", f"POST /files HTTP/1.1\r\nhost: {served.host}\r\n".encode()):
        with served.connection() as connection:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            assert reply(connection).status in (400, None)
    assert served.asked("/").status == 200


def test_what_is_no_request_after_an_answer_ends_the_connection(served: Served) -> None:
    with served.connection() as connection:
        connection.sendall(f"POST / HTTP/1.1\r\nhost: {served.host}\r\ntransfer-encoding: chunked\r\n\r\n".encode())
        assert reply(connection).status == 403
        connection.sendall(b"zz\r\n")
        assert connection.recv(1000) == b""


@pytest.mark.long
def test_idle_connections_shut_nobody_out(served: Served) -> None:
    with ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(served.connection())
        assert served.asked("/").status == 200
        assert served.answer("mechanism", about="krr:k=2,epsilon=1").status == 200
        assert sockets_of(served.process.pid) < MOST_CONNECTIONS + 20


def sockets_of(process: int) -> int:
    """Count a process's open sockets; handles that it closes meanwhile are none."""
    targets: list[str] = []
    for handle in Path(f"/proc/{process}/fd").iterdir():
        with suppress(FileNotFoundError):
            targets.append(str(handle.readlink()))
    return sum(each.startswith("socket:") for each in targets)


# Questions.


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path) as page:
        yield page


def slow(seed: int) -> str:
    return f"/mechanism?{urlencode({**SLOW, 'seed': str(seed)})}"


@pytest.mark.long
def test_many_slow_questions_take_no_more_processes_than_a_few_and_hold_up_no_page(busy: Served) -> None:
    with ThreadPoolExecutor(20) as asking:
        statuses = [got.status for got in asking.map(lambda seed: busy.asked(slow(seed)), range(50))]
    assert statuses == [200] * 50  # pages that say how far it is
    assert len(busy.processes()) <= 4 + 1  # and the one by which Python tracks them
    begun = time.monotonic()
    assert busy.asked("/").status == 200
    assert time.monotonic() - begun < 1
    for seed in range(50):
        assert busy.asked("/cancel", "POST", body=urlencode({"address": slow(seed)}).encode()).status == 200
    assert eventually(lambda: busy.answer("mechanism", about="krr:k=2,epsilon=1").status == 200)


@pytest.mark.long
def test_more_slow_questions_than_can_wait_are_refused(busy: Served) -> None:
    with ThreadPoolExecutor(20) as asking:
        statuses = [got.status for got in asking.map(lambda seed: busy.asked(slow(seed)), range(120))]
    assert statuses.count(422) == 120 - 104
    assert set(statuses) == {200, 422}


@pytest.mark.long
def test_asking_and_cancelling_in_turn_leaves_no_process_behind(busy: Served) -> None:
    for seed in range(30):
        with busy.connection() as connection:  # who asks goes away
            connection.sendall(
                f"GET {slow(seed)} HTTP/1.1\r\nhost: {busy.host}\r\ncookie: {busy.cookie}\r\n\r\n".encode()
            )
        busy.asked("/cancel", "POST", body=urlencode({"address": slow(seed)}).encode())
    assert eventually(lambda: len(busy.processes()) <= 4 + 1)


@pytest.mark.long
def test_a_question_that_nobody_looks_at_any_more_ends(busy: Served) -> None:
    part = [("x-part", "answer")]
    assert busy.asked(slow(1)).status == 200  # a page without a script
    assert busy.asked(slow(2), headers=part).status == 202  # a tab that is closed
    with busy.connection() as connection:  # a program that gives up
        head = f"GET {slow(3)}&format=json HTTP/1.1\r\nhost: {busy.host}\r\ncookie: {busy.cookie}\r\n\r\n"
        connection.sendall(head.encode())
        time.sleep(1)
    assert len(busy.processes()) >= 3
    until = time.monotonic() + SECONDS_UNSEEN + 10
    while time.monotonic() < until:
        assert busy.asked(slow(4), headers=part).status == 202
    assert [busy.asked(slow(seed), headers=part).status for seed in (1, 4)] == [202, 202]
    assert len(busy.processes()) == 2 + 1
    assert busy.asked(slow(2), headers=part).status == 202  # begun anew


@pytest.mark.long
def test_a_question_whose_process_is_killed_ends_in_a_sentence_and_may_be_asked_again(busy: Served) -> None:
    with ThreadPoolExecutor(1) as asking:
        for _ in range(2):
            got = asking.submit(busy.asked, f"{slow(1)}&format=json")
            time.sleep(1.5)
            os.kill(max(busy.processes()), signal.SIGKILL)
            assert got.result().status == 422
            assert "not enough memory" in got.result().text


@pytest.mark.long
def test_a_question_that_is_too_large_is_refused(served: Served) -> None:
    for about in ("krr:k=1000000000,epsilon=1", "krr:k=2,epsilon=1;" * 1000, "laplace:scale=1e-300"):
        got = served.answer("mechanism", about=about, users="9999999999", shuffled="yes")
        assert got.status == 422
        assert "internal error" not in got.text


# The end.


def sent_files(page: Served) -> list[Path]:
    return [path for path in page.temporary.rglob("*") if path.is_file()]


@pytest.mark.long
def test_what_is_sent_is_for_nobody_else(busy: Served) -> None:
    assert busy.sends("people.csv", PEOPLE.encode()).status == 200
    (file,) = sent_files(busy)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


@pytest.mark.long
def test_a_file_that_does_not_come_whole_is_not_kept(busy: Served) -> None:
    with busy.connection() as connection:
        connection.sendall(
            f"POST /files?name=x.csv HTTP/1.1\r\nhost: {busy.host}\r\norigin: http://{busy.host}\r\n"
            f"cookie: {busy.cookie}\r\ncontent-length: 100\r\n\r\na,b\n".encode()
        )
        assert eventually(lambda: bool(sent_files(busy)))
    assert eventually(lambda: not sent_files(busy))
    assert "x.csv" not in busy.asked("/table").text


ENDS = {
    signal.SIGINT: (130, "interrupted"),
    signal.SIGTERM: (143, "ended by SIGTERM"),
    signal.SIGHUP: (129, "ended by SIGHUP"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("question", [False, True])
def test_a_signal_ends_it_soon_in_one_sentence_and_leaves_nothing(busy: Served, number: int, question: bool) -> None:
    busy.sends("people.csv", PEOPLE.encode())
    if question:
        busy.asked(slow(1))
        busy.asked(slow(2))
    started = busy.processes()
    with busy.connection():
        begun = time.monotonic()
        code, said = busy.ended(number)
        assert time.monotonic() - begun < 2
    assert (code, said) == (ENDS[number][0], f"discretion: {ENDS[number][1]}\n")
    assert list(busy.temporary.iterdir()) == []
    assert eventually(lambda: not any(map(is_alive, started)))


@pytest.mark.long
@pytest.mark.parametrize("moment", [0.0, 0.1, 0.3])
def test_ctrl_c_in_a_terminal_reaches_all_processes_and_only_one_speaks(tmp_path: Path, moment: float) -> None:
    with serving(tmp_path) as page:
        time.sleep(moment)
        os.killpg(page.process.pid, signal.SIGINT)
        assert page.process.communicate(timeout=10)[1] == "discretion: interrupted\n"


@pytest.mark.long
@pytest.mark.parametrize(
    "numbers", [(signal.SIGKILL,), (signal.SIGINT, signal.SIGINT), (signal.SIGTERM, signal.SIGINT)]
)
def test_however_it_is_killed_its_processes_and_what_was_sent_go_with_it(
    busy: Served, numbers: tuple[int, ...]
) -> None:
    busy.sends("people.csv", PEOPLE.encode())
    busy.asked(slow(1))
    started = busy.processes()
    for number in numbers:
        busy.process.send_signal(number)
    busy.process.communicate(timeout=10)
    assert eventually(lambda: not any(map(is_alive, started)))
    assert eventually(lambda: not list(busy.temporary.iterdir()))


@pytest.mark.long
def test_the_token_is_said_once_and_nothing_else(busy: Served) -> None:
    for path in ("/", "/nowhere", "/table?about=x", f"/?token={busy.token}"):
        busy.asked(path)
    busy.sent(b"nonsense\r\n\r\n")
    busy.process.send_signal(signal.SIGINT)
    assert busy.process.communicate(timeout=10) == ("", "discretion: interrupted\n")


# Where it listens.


def serve(*arguments: object, code: str = "") -> tuple[int, str, str]:
    program = f"{code}\nimport sys; from discretion.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", *map(str, arguments)],
        capture_output=True, check=False, text=True, timeout=60,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.long
def test_a_port_that_is_taken_is_a_sentence() -> None:
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = serve("--port", port)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"cannot listen at 127.0.0.1, port {port}: address already in use; name another --port" in err


UNSERVED = (
    *(["--host", ""], ["--host", "no such host"], ["--host", "192.0.2.1"], ["--port", "65536"], ["--port", "-1"]),
    *(["/etc"], ["/gone.csv"], ["/dev/zero"]),
)


@pytest.mark.long
@pytest.mark.parametrize("arguments", UNSERVED)
def test_what_cannot_be_served_is_a_sentence(arguments: list[str]) -> None:
    code, out, err = serve(*arguments, *([] if "--port" in arguments else ["--port", "0"]))
    assert (code, out, err.count("\n")) == (2, "", 1)


@pytest.mark.long
@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "h11"])
def test_without_its_extra_it_says_what_to_install(missing: str) -> None:
    code, out, err = serve(code=f"import sys; sys.modules[{missing!r}] = None")
    assert (code, out, err) == (2, "", f"discretion: the page needs {missing}: install discretion[web]\n")


@pytest.mark.long
def test_at_all_addresses_it_answers_to_each_by_its_own_address_only(tmp_path: Path) -> None:
    with serving(tmp_path, "--host", "0.0.0.0") as page:
        assert page.host == f"127.0.0.1:{page.port}"
        for host, status in {"evil.example": 400, "0.0.0.0": 200, "192.0.2.1": 400, "localhost": 200}.items():
            assert page.asked("/", headers=[("host", f"{host}:{page.port}")]).status == status
        with socket.create_connection(("127.0.0.2", page.port)) as connection:
            head = f"GET / HTTP/1.1\r\nhost: 127.0.0.2:{page.port}\r\ncookie: {page.cookie}\r\n\r\n"
            connection.sendall(head.encode())
            assert reply(connection).status == 200


def test_at_the_loopback_nobody_else_is_listened_to(served: Served) -> None:
    with pytest.raises(ConnectionRefusedError), socket.create_connection(("127.0.0.2", served.port)):
        pass
