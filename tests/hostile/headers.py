"""A file without a line of names is not read as one with, if any of its first person's values looks like a value.

Nor is one with a line of names refused, though their words are anybody's and some have numbers in them.
"""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet

from support.cli_runner import run

WORDS = ("town", "job", "blood", "street", "pet", "église", "町", 'so "called"', "with, comma", "two\nlines")


def case(draw: Random, folder: Path) -> None:
    width, height = draw.randint(1, 6), draw.randint(2, 40)
    kinds = draw.choices(draw.choice((KINDS, KINDS_OF_NAMES)), k=width)
    columns = [[kind(draw) for _ in range(height)] for kind in kinds]
    first = [column[0] for column in columns]
    signed = any(name in column[1:] for name, column in zip(first, columns, strict=True)) or any(
        is_plainly_a_value(name) for name in first
    )
    path = draw.choice((as_csv, as_csv, as_json, as_parquet))(draw, folder, columns)
    asked = draw.choice(
        (["audit", "--k", "2"], ["exposure", "--k", "2"], ["exposure", "--k", "2", "--columns", "q"], ["estimate"])
    )
    if path.suffix != ".csv" and asked == ["estimate"]:
        asked = ["audit", "--k", "2"]
    if signed:
        code, out, err = run(asked[0], path, *asked[1:])
        assert (code, out, err.count("\n")) == (2, "", 1), (columns, err)
        said = err.replace(str(path), "")
        assert not any(name in said for name in first if len(name) > 3), (columns, err)
    elif len(set(first)) == width:
        code, out, err = run("exposure", path, "--k", "2", "--json")
        assert code == 0, (columns, err)
        assert json.loads(out)["results"]["people"] == height - 1, columns
    if path.suffix == ".csv":
        names = ",".join(f"n{number}" for number in range(width))
        code, out, err = run("exposure", path, "--k", "2", "--header", draw.choice(("no", names)), "--json")
        assert code == 0, (columns, err)
        assert json.loads(out)["results"]["people"] == height, columns


def word(draw: Random) -> str:
    return f"{draw.choice(WORDS)} {''.join(draw.choices('ghijkl', k=draw.randint(4, 9)))}"


def number(draw: Random) -> str:
    return draw.choice(
        (
            str(draw.randint(-99999, 99999)),
            f"{draw.uniform(0, 1e6):.2f}",
            f"{draw.randint(1, 9)},{draw.randint(100, 999)}",
        )
    )


def day(draw: Random) -> str:
    at = datetime(1900, 1, 1, tzinfo=UTC) + timedelta(seconds=draw.randrange(130 * 365 * 24 * 3600))
    month = draw.choice(MONTHS).split()[at.month - 1]
    ordinal = f"{at.day}{'th' if 3 < at.day < 21 else {1: 'st', 2: 'nd', 3: 'rd'}.get(at.day % 10, 'th')}"
    noon = draw.choice(("AM", "PM", "am", "p.m.", "a. m."))
    form = draw.choice(DAYS).format(month=month, ordinal=ordinal, noon=noon, day=at.day, n=at.month)
    return at.strftime(form)


def mail(draw: Random) -> str:
    return f"{''.join(draw.choices('abcdefg.', k=8))}@{draw.choice(('example.org', 'mail.example.com'))}"


def category(draw: Random) -> str:
    return draw.choice(("smith of the town", "baker of the town", "cook of the town"))


def label(draw: Random) -> str:
    return draw.choice(LABELS).format(draw.randint(1, 40), draw.randint(1900, 2030), draw.choice(MONTHS[0].split()))


KINDS = (word, word, word, label, category, number, day, day, mail)
KINDS_OF_NAMES = (word, word, label, label, category)

LABELS = (
    "sales of {1}", "{1} sales", "{2} {1} sales", "sales q{0}_{1}", "sales on {0} {2}", "{0}th sales", "sales PM{0}.5",
    "{0}% of sales", "{0} month sales", "sales at {0}:30 PM", "sales 5.{0}.{1}", "USD {0}.00 sales", "sales {0} kg",
)  # fmt: skip
MONTHS = (
    "January February March April May June July August September October November December",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "januari februari maart april mei juni juli augustus september oktober november december",
)
DAYS = (
    "%x", "%X", "%c", "%D", "%F", "%T", "%r", "%R", "%d.%m.%Y", "%d/%m/%y", "%m/%d/%Y", "%Y/%m/%d", "{day}.{n}.%Y",
    "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y%m%dT%H%M%S", "%Y-%m-%d %H:%M:%S+00:00", "%Y-%b-%d", "%b {day}",
    "%a, %d %b %Y %H:%M:%S %z", "%d.%m.%Y %H:%M Uhr", "%d.%m.%Y um %H:%M", "%H.%M Uhr", "%I:%M {noon}", "%I.%M {noon}",
    "%m/%d/%Y %I:%M {noon}", "%m/%d/%Y, %I:%M:%S {noon} %Z", "%m/%d/%Y at %I:%M {noon}", "%d/%m/%Y %I {noon}",
    "%a %m/%d/%Y", "%A, %d.%m.%Y", "%d {month} %Y", "{day}. {month} %Y", "{day} de {month} de %Y", "%d-{month}-%Y",
    "{day} de {month} del %Y", "%A, %d %B %Y", "%A, %B %d, %Y", "%B %d, %Y", "%b %d, %Y, %I:%M:%S {noon}", "%d-%b-%y",
    "%d%b%Y", "%d%b%Y:%H:%M:%S", "{ordinal} %B %Y", "{ordinal} of %B %Y", "%B {ordinal}, %Y", "%A {ordinal} %b %Y",
    "%Y年{n}月", "%Y年{n}月{day}日", "%Y年%m月%d日 %H時%M分", "%Y년 {n}월 {day}일",
)  # fmt: skip


def is_plainly_a_value(text: str) -> bool:
    """Whether it was drawn as a number, a day or an address: words have none of their characters, and labels a word."""
    return "sales" not in text and any(character in text for character in "0123456789@")


def as_csv(draw: Random, folder: Path, columns: list[list[str]]) -> Path:
    text = io.StringIO(newline="")
    writer = csv.writer(
        text, lineterminator=draw.choice(("\n", "\r\n")), quoting=draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    )
    writer.writerows(zip(*columns, strict=True))
    (folder / "people.csv").write_bytes(text.getvalue().encode())
    return folder / "people.csv"


def as_rows(columns: list[list[str]]) -> list[dict[str, str]]:
    return [{column[0]: column[row] for column in columns} for row in range(1, len(columns[0]))]


def as_json(draw: Random, folder: Path, columns: list[list[str]]) -> Path:
    path = folder / draw.choice(("people.json", "people.jsonl"))
    rows = as_rows(columns)
    path.write_text(json.dumps(rows) if path.suffix == ".json" else "\n".join(map(json.dumps, rows)))
    return path


def as_parquet(draw: Random, folder: Path, columns: list[list[str]]) -> Path:
    table = pa.Table.from_pylist(as_rows(columns))
    pyarrow.parquet.write_table(table, folder / "people.parquet", use_dictionary=draw.random() < 0.5)
    return folder / "people.parquet"
