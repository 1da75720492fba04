"""Whatever a column, a table or a value is called, it steers no terminal, makes no element, and is in JSON as it is."""

import json
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pyarrow
from markdown_it import MarkdownIt
from pyarrow import parquet

from discretion import charts
from discretion.errors import InvalidTableError
from discretion.tables.engines.rows import check_names
from support.cli_runner import run

PARTS = (
    "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\x00", "\x7f", "\x08\x08", "\r", "\n", "\u2028", "\x85", "\u202e",
    "\u2066", "\u200f", "\u061c", "\u200b", "\u200d", "\ufeff", "\U000e0041", "\u3164", "\ufe0f", "\xa0", "\xad",
    "\u2800", "</script>", "<script>alert(1)</script>", "<img src=http://x.test/ onerror=alert(1)>", "--><!--", "]]>",
    "<svg/onload=", "{{ 7*7 }}", "{% raw %}", "{# x", "${7*7}", "%s%n", "{0}", "javascript:alert(1)", "http://x.test/",
    "data:text/html,x", "[red]", "[/]", "[link=http://x.test]", ":smile:", "\\[x]", "=cmd|' /C calc'!A0", "@SUM(1)",
    "datum['x']", 'datum["x"]', "a.b", "a[0]", "signal", "width", "name:N", "'", '"', "\\", "`", ";", "--", "&lt;",
    "&#x202e;", "\\u202e", "x" * 300, "Größe", "年齢", "عمر", "גיל", "👩\u200d🔬", "\U0001f600", "constructor",
    "__proto__", "url(http://x.test)", "' onclick='x",
)  # fmt: skip
STEERING = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0xE0000, 0xE0080))} - {"\n"}
STEERING |= set("\u2028\u2029\u202e\u2066\u200f\u061c\u200b\u200d\ufeff\u3164\ufe0f\xad\u2800\U00016fe4")
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
LOADING = {
    "src",
    "href",
    "data",
    "action",
    "poster",
    "srcset",
    "background",
    "formaction",
    "ping",
    "xlink:href",
    "style",
}


def case(draw: Random, folder: Path) -> None:
    width = draw.randint(2, 3)
    names = [hostile(draw) for _ in range(width)]
    try:
        check_names(names, "")
    except InvalidTableError:
        return
    rows = draw.randint(5, 15)
    values = [draw.choices(("x", hostile(draw)), k=rows) for _ in range(width)]
    stem = "".join(c for c in hostile(draw) if c not in "/\0").encode()[:80].decode(errors="ignore") + "t"
    path = folder / f"{stem}.parquet"
    tame = folder / "tame.parquet"
    parquet.write_table(pyarrow.Table.from_arrays(list(map(pyarrow.array, values)), names=names), path)
    parquet.write_table(pyarrow.Table.from_arrays(list(map(pyarrow.array, values)), names=[*"abcd"][:width]), tame)
    options = ["--show-rare"] * (draw.random() < 0.5) + ["--k", str(draw.randint(1, 5)), "--header", "yes"]
    on_a_terminal(path, names, options)
    if any("\0" in name for name in names):  # which the engine cannot read in Parquet
        return
    code, out, err = run("audit", str(path), *options, "--json")
    assert (code, err) == (0, ""), err
    assert out.isascii() and not STEERING & set(out)
    answer = json.loads(out)
    assert [column["column"] for column in answer["results"]["columns"]] == answer["inputs"]["columns"] == names
    assert answer["inputs"]["table"] == str(path)
    if "--show-rare" in options:
        shown = [column["rarest_value"] for column in answer["results"]["columns"]]
        assert all(value in some for value, some in zip(shown, values, strict=True))
    if draw.random() > 0.94:
        on_a_page(path, tame, names, options)
    if draw.random() > 0.97:
        in_a_figure(names)


def hostile(draw: Random) -> str:
    return "".join(draw.choice((draw.choice(PARTS), chr(draw.randrange(0xD800)))) for _ in range(draw.randint(1, 4)))


def on_a_terminal(path: Path, names: list[str], options: list[str]) -> None:
    for command in (
        ["audit", str(path), *options],
        ["audit", str(path), *options, "--columns", "nobody"],
        ["exposure", str(path), "--k", "3", "--header", "yes"],
        ["exposure", str(path) + ".csv", "--k", "3"],
        ["estimate", str(path)],
        ["measure", f"channel:{path}"],
        ["reproduce", names[0]],
    ):
        code, out, err = run(*command)
        assert code in (0, 2), (command, err)
        assert err.count("\n") == (code == 2), (command, err)
        assert not STEERING & set(out + err), (command, STEERING & set(out + err))


def structure(document: str) -> Counter[tuple[str, str]]:
    """The blocks, cells and marks in the lines of a Markdown document, and the elements of HTML in it."""
    tokens = MARKDOWN.parse(document)
    inner = [token for outer in tokens for token in outer.children or () if token.type != "text"]
    return Counter((token.type, token.content * (token.type == "html_inline")) for token in [*tokens, *inner])


class Structure(HTMLParser):
    """The elements of a page and their attributes, and the data in its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self.keys: Counter[str] = Counter()
        self._in_data = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_data = tag == "script" and ("type", "application/json") in attrs
        for name, value in attrs:
            assert name not in LOADING or (value or "").startswith(("#", "data:,")), (tag, name, value)
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs:
            self.elements[dict(attrs)["content"] or "", ()] += 1
        if tag != "bdi":  # stands around letters that run leftwards
            self.elements[tag, tuple(sorted(name for name, _ in attrs))] += 1

    def handle_data(self, data: str) -> None:
        if self._in_data:
            self._count(json.loads(data))
            self._in_data = False

    def _count(self, value: object) -> None:
        if isinstance(value, dict):
            self.keys.update("data" if key.startswith("data-") else key for key in value)  # named by their hashes
        for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            self._count(item)


def on_a_page(path: Path, tame: Path, names: list[str], options: list[str]) -> None:
    pages: list[str] = []
    documents: list[str] = []
    for table, page in ((path, path.with_suffix(".html")), (tame, path.with_name("tame.html"))):
        document = page.with_suffix(".md")
        code, out, err = run("audit", str(table), *options, "--html", str(page), "--markdown", str(document))
        assert (code, err) == (0, "")
        assert not STEERING & set(out)
        pages.append(page.read_text(encoding="utf-8"))
        documents.append(document.read_text(encoding="utf-8"))
    assert not STEERING & set(documents[0])
    blocks, tame_blocks = map(structure, documents)
    # A command that a terminal would not show as it is does not stand there.
    are_typed = len({document.count("```sh") for document in documents}) == 1
    assert (blocks == tame_blocks) if are_typed else blocks <= tame_blocks, (names, blocks - tame_blocks)
    library = {c for c in pages[1] if c in STEERING}
    assert not STEERING & set(pages[0]) - library, STEERING & set(pages[0]) - library
    ours, plain = map(Structure, pages)
    assert (ours.elements == plain.elements) if are_typed else ours.elements <= plain.elements, names
    assert ours.keys == plain.keys, (names, ours.keys - plain.keys, plain.keys - ours.keys)


def in_a_figure(names: list[str]) -> None:
    drawn: list[Counter[str]] = []
    for some in (names, [*"abcd"][: len(names)]):
        columns = [
            {"column": name, "exposure": 0.5, "exposed_people": 5, "identifier_like": False, "columns": [name]}
            for name in some
        ]
        svg = charts.to_svg(charts.exposure_by_column(columns, 10, 0.01))
        assert not STEERING & set(svg)
        root = ElementTree.fromstring(svg)
        assert not any("href" in name or name.startswith("on") for element in root.iter() for name in element.attrib)
        drawn.append(Counter(element.tag for element in root.iter()))
    assert drawn[0] == drawn[1], names
