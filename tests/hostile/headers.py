"""A file without a line of names is not read as one with, if any of its first person's values looks like a value."""

import csv
import io
import json
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet

from cli_runner import run

WORDS = ("town", "job", "blood", "street", "pet", "église", "町", 'so "called"', "with, comma", "two\nlines")


def case(draw: Random, folder: Path) -> None:
    width, height = draw.randint(1, 6), draw.randint(2, 40)
    columns = [[kind(draw) for _ in range(height)] for kind in draw.choices(KINDS, k=width)]
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
    code, out, err = run(asked[0], path, *asked[1:])
    if signed:
        assert (code, out, err.count("\n")) == (2, "", 1), (columns, err)
        said = err.replace(str(path), "")
        assert not any(name in said for name in first if len(name) > 3), (columns, err)
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
    year, month, date = draw.randint(1900, 2030), draw.randint(1, 12), draw.randint(1, 28)
    return draw.choice(
        ("{0}-{1:02}-{2:02}", "{2}.{1}.{0}", "{1}/{2}/{0}", "{2} Jan {0}", "{0}-{1:02}-{2:02}T10:00:00")
    ).format(year, month, date)


def mail(draw: Random) -> str:
    return f"{''.join(draw.choices('abcdefg.', k=8))}@{draw.choice(('example.org', 'mail.example.com'))}"


def category(draw: Random) -> str:
    return draw.choice(("smith of the town", "baker of the town", "cook of the town"))


KINDS = (word, word, word, category, number, day, mail)


def is_plainly_a_value(text: str) -> bool:
    """Whether it was drawn as a number, a day or an address: words have none of their characters."""
    return any(character in text for character in "0123456789@")


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
