"""A file that is cut, flipped, lengthened or encoded anew is read as what it then says, or refused truly."""

import csv
import io
import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet

from discretion.anonymity import Population
from discretion.errors import InvalidTableError, TooLargeError

NAMES = ("name", "town", "so called")
WORDS = ("", "ann", "bob", "Oslo", "a,b", 'a "b"', "two\nlines", "é", "町", "x" * 30, " ", "0.5")

Table = tuple[tuple[str, ...], list[tuple[Any, ...]]]


def case(draw: Random, folder: Path) -> None:
    rows = [tuple(draw.choice(WORDS) for _ in NAMES) for _ in range(draw.randint(1, 12))]
    suffix = draw.choice((".csv", ".json", ".jsonl", ".parquet"))
    path = folder / f"people{suffix}"
    content = mutated(draw, WRITERS[suffix](draw, rows))
    path.write_bytes(content)
    try:
        population = Population(path, header=True)
        found = {name: dict(Counter(sizes(population, name))) for name in population.columns}
    except (InvalidTableError, TooLargeError) as refusal:
        said = str(refusal)
        assert "\n" not in said.replace(str(path), "")
        check_reason(content, suffix, said)
        return
    if suffix == ".parquet":  # whose flipped bytes may be values, or what one of two readers does not look at
        assert not is_parquet(content) or population.people == pyarrow.parquet.read_table(path).num_rows
        return
    names, people = READERS[suffix](content)
    assert sorted(population.columns) == sorted(names), (content, names)
    for place, name in enumerate(names):
        assert found[name] == dict(Counter(Counter(person[place] for person in people).values())), (content, name)


def sizes(population: Population, name: str) -> list[int]:
    classes = population.class_sizes([name])
    return [
        size for size, count in zip(classes.sizes.tolist(), classes.counts.tolist(), strict=True) for _ in range(count)
    ]


def mutated(draw: Random, content: bytes) -> bytes:
    at = draw.randrange(len(content))
    before, after = content[:at], content[at:]
    inserted = draw.choice((b'"', b",", b"\n", b"\r", b"\r\n", b"\xff", b"\0", b"[", b"}", b"\\"))
    added = draw.choice((b"\n", b"\n\n", b"x", b"]", b"{}", b" ", b"\r\n", b"\0"))
    mutations = (
        content,
        before,
        before + bytes([after[0] ^ 1 << draw.randrange(8)]) + after[1:],
        before + inserted + after,
        before + after[:20] + after,
        before + after[draw.randint(1, 5) :],
        content + added,
        content.decode("latin-1").encode(draw.choice(("utf-16", "utf-8-sig", "utf-8", "utf-32"))),
        content.decode(errors="replace").encode("latin-1", errors="replace"),
    )
    return draw.choice(mutations)


def check_reason(content: bytes, suffix: str, said: str) -> None:
    """Check what is said of a file that was refused by looking at it by other means."""
    if "UTF-8 text" in said:
        line = int(re.findall(r"line (\d+)", said)[0])
        lines = content.split(b"\n")
        assert not decodes(content), (content, said)
        assert not decodes(lines[line - 1]) or suffix != ".csv", (content, said)
    if "has no rows" in said:
        people = () if not content.strip() else READERS[suffix](content)[1] if suffix in READERS else ()
        assert not people, (content, said)
    if "well-formed" in said and "UTF-8 text" not in said:
        lines = re.findall(r"line (\d+) is not JSON", said)
        if lines and suffix == ".jsonl":
            *before, line = content.split(b"\n")[: int(lines[0])]
            assert all(is_json(other) for other in before if other.strip()), (content, said)
            assert not is_json(line), (content, said)
        else:
            assert not is_json(content), (content, said)
    if "does not end with it" in said:
        assert not is_json(content) or len(values_in(content)) > 1, (content, said)
    if "quote" in said and suffix == ".csv":
        assert b'"' in content, (content, said)
    if found := re.search(r"line (\d+) ends a row of (\d+) values under a header of (\d+)", said):
        line, width, header = map(int, found.groups())
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
        ends = dict((reader.line_num, len(row)) for row in reader)  # noqa: C402 - the number changes
        assert ends[line] == width != header, (content, said)
    if "is blank" in said:
        line = int(re.findall(r"line (\d+) is blank", said)[0])
        assert not content.split(b"\n")[line - 1].strip(b"\r"), (content, said)
    assert "report this" not in said, (content, said)
    if suffix == ".parquet" and "damaged" in said:
        assert not (is_parquet(content) and is_parquet_to_the_engine(content)), said
    elif suffix != ".parquet":
        assert "damaged" not in said, (content, said)


def decodes(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_json(content: bytes) -> bool:
    try:
        values = values_in(content)
        json.dumps(values, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


def is_parquet(content: bytes) -> bool:
    try:
        table = pyarrow.parquet.read_table(io.BytesIO(content))
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError):
        return False
    return True


def is_parquet_to_the_engine(content: bytes) -> bool:
    """Whether the embedded engine reads it by itself, who looks at more of a footer."""
    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(content)
        file.flush()
        try:
            duckdb.read_parquet(file.name).fetchall()
        except duckdb.Error:
            return False
    return True


def values_in(content: bytes) -> list[Any]:
    # A comma before the end of an object is let through.
    text, values, decoder = re.sub(r",(\s*})", r"\1", content.decode()), [], json.JSONDecoder()
    while text := text.lstrip(" \t\r\n"):
        value, end = decoder.raw_decode(text)
        values.append(value)
        text = text[end:]
    return values


def csv_table(content: bytes) -> Table:
    header, *others = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    # A blank line is a person without a value in a table of one column, and no row at the end of another one.
    rows = [header or [""], *(row or [""] for row in others if row or len(header) < 2)]
    return tuple(rows[0]), [tuple(value or None for value in row) for row in rows[1:]]


def json_table(content: bytes) -> Table:
    values = values_in(content)
    people = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    names = tuple(dict.fromkeys(key for person in people for key in person))
    return names, [
        tuple(json.dumps(person[key]) if person.get(key) is not None else None for key in names) for person in people
    ]


def as_csv(draw: Random, rows: list[tuple[str, ...]]) -> bytes:
    text = io.StringIO(newline="")
    quoting = draw.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    csv.writer(text, lineterminator=draw.choice(("\n", "\r\n")), quoting=quoting).writerows([NAMES, *rows])
    return text.getvalue().encode()


def as_json(draw: Random, rows: list[tuple[str, ...]]) -> bytes:
    people = [dict(zip(NAMES, row, strict=True)) for row in rows]
    return json.dumps(people, indent=draw.choice((None, 1)), ensure_ascii=draw.random() < 0.5).encode()


def as_json_lines(draw: Random, rows: list[tuple[str, ...]]) -> bytes:
    return "\n".join(
        json.dumps(dict(zip(NAMES, row, strict=True)), ensure_ascii=draw.random() < 0.5) for row in rows
    ).encode()


def as_parquet(draw: Random, rows: list[tuple[str, ...]]) -> bytes:
    content = io.BytesIO()
    table = pa.Table.from_pylist([dict(zip(NAMES, row, strict=True)) for row in rows])
    pyarrow.parquet.write_table(table, content, compression=draw.choice(("none", "snappy", "zstd")))
    return content.getvalue()


WRITERS = {".csv": as_csv, ".json": as_json, ".jsonl": as_json_lines, ".parquet": as_parquet}
READERS = {".csv": csv_table, ".json": json_table, ".jsonl": json_table}
