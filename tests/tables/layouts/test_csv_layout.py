"""A CSV file is read as it stands or refused with the line at fault."""

import csv
import io
import random
from collections import Counter
from pathlib import Path

import pytest

from discretion.anonymity import Population
from discretion.errors import InvalidTableError
from discretion.tables.layouts import csv_layout
from discretion.tables.layouts.csv_layout import CsvLayout
from oracles import tables

SECRET = "sEcReT"


def write(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "people.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "is empty"),
        ("\ufeff", "is empty"),
        ("a,b\n", "has no rows"),
        ("a,b", "has no rows"),
        ("a,b\n1,2\n3,sEcReT,5\n", "line 3 ends a row of 3 values under a header of 2"),
        ("a,b\n1,2\nsEcReT\n", "line 3 ends a row of 1 values under a header of 2"),
        ("a,b\n1,2\nsEcReT", "line 3 ends a row of 1 values under a header of 2"),
        ("A report of sEcReT people\n\na,b\n1,2\n", "line 3 ends a row of 2 values under a header of 1"),
        ("a,b\n1,sEcReT\n\n3,4\n", "line 3 is blank"),
        ("a,b\r\n1,sEcReT\r\n\r\n3,4\r\n", "line 3 is blank"),
        ("a,b\n1,sEcReT\n\r\n\n", "line 3 is blank"),
        ("a,b\n1,sEcReT\n \n", "line 3 ends a row of 1 values"),
        ("a,b\n1,sEcReT\n\r\r\n", "line 3 has a carriage return without a line feed"),
        ("a,a\n1,sEcReT\n", "columns 1 and 2 of .* have the same name; rename"),
        ("a,b,A\n1,sEcReT,2\n", "columns 1 and 3 of .* differ only by case; rename"),
        ("a,,b\n1,sEcReT,2\n", "has no name for column 2"),
        ("\n1\n", "has no name for column 1"),
        ("a;b\n1;sEcReT;3\n", "line 2 ends a row of 3 values under a header of 2"),
        ("a;b,c\n1;sEcReT,3\n", "may be separated by commas or semicolons; .* or put each name and value .* in quotes"),
        ("a\tb\n1\tsEcReT\n", "header without commas but with tabs"),
        (b"a,b\n1,2\n\xe9,sEcReT\n", "is not UTF-8 text: line 3"),
        ("a,b\n1,sEcReT\n".encode("utf-16"), "is not UTF-8 text: line 1"),
        ('a,b\n1,2\n3,"sEcReT\n5,6\n', "line 3 opens a quote that is never closed"),
        ('a,b\n1,"sEcReT"x\n', "line 2 has a quote inside a value"),
        ('a,b\n1,sEc"ReT\n', "line 2 has a quote inside a value"),
        ('a,b\n1,sEc"R"eT\n', "line 2 has a quote inside a value"),
        ('a,b\n1, "sEcReT"\n', "line 2 has a quote inside a value"),
        ('a,"b"c\n1,sEcReT\n', "line 1 has a quote"),
        ("a,b\n1,2\r\n3,sEcReT\n", "line 2 ends otherwise than the header"),
        ("a,b\r1,sEcReT\r", "line 1 has a carriage return without a line feed"),
        ("a,b\n1,sEcReT\r3,4\n", "line 2 has a carriage return without a line feed"),
        ("a,b\n1," + 2_000_001 * "s" + "\n", "line 2 ends a row of more than 2000000 bytes"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_without_a_word_of_its_values(
    tmp_path: Path, content: str | bytes, fault: str
) -> None:
    with pytest.raises(InvalidTableError, match=fault) as refusal:
        Population(write(tmp_path, content))
    assert SECRET not in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.one_in(13)
@pytest.mark.parametrize(
    ("content", "rows"),
    [
        ("a,b\n1,2\n", [("1", "2")]),
        ("a,b\n1,2", [("1", "2")]),
        ("a,b\n1,2\n\n", [("1", "2")]),
        ("a,b\r\n1,2\r\n\r\n\r\n", [("1", "2")]),
        ('a,b\n1,"2\n"\n\n', [("1", "2\n")]),
        ('a,"b\n"\r\n1,2\r\n\r\n', [("1", "2")]),
        ("a;b\n1,5;2\n", [("1,5", "2")]),
        ('\ufeffa;"b"\r\n1;"x;""y"\r\n\r\n', [("1", 'x;"y')]),
        ("a;b,c\n1,2\n", [("1", "2")]),
        ("a;b,c\n1;2\n", [("1", "2")]),
        ('a;"b,c"\n1;2\n', [("1", "2")]),
        ("a,b\r\n1,2\r\n3,4", [("1", "2"), ("3", "4")]),
        ("\ufeffa,b\n1,2\n", [("1", "2")]),
        ('"a","b"\n"1","2"\n', [("1", "2")]),
        ('\ufeff"a,",b\n"1","x""y"\n', [("1", 'x"y')]),
        ('\ufeff"na\nme",town\nann,oslo\nbob,\n', [("ann", "oslo"), ("bob", None)]),
        ("a,b\n01,1\n1,1.0\n", [("01", "1"), ("1", "1.0")]),
        ('a,b\n,2\n"",2\n', [(None, "2"), (None, "2")]),
        ("a\nx\n\ny\n", [("x",), (None,), ("y",)]),
        ("a\nx\n\n", [("x",), (None,)]),
        ("a\r\nx\r\n\r\n", [("x",), (None,)]),
        ('a,b\n"x\n\ny",2\n', [("x\n\ny", "2")]),
        ('a,b\n"x,""y""\r\n",2\n', [('x,"y"\r\n', "2")]),
        ('a,b\n""" ",2\n', [('" ', "2")]),
        ('"a\nb",c\r\n1,\r\n"x\ny","3 ""4"""\r\n', [("1", None), ("x\ny", '3 "4"')]),
        ('"a\nb"\r\n\r\n""\r\nNULL', [(None,), (None,), ("NULL",)]),
        ('"a\r\nb",c\n1,2\n', [("1", "2")]),
        ('a,c\r\n"1\n",2\r\n', [("1\n", "2")]),
        ("a,b\n 1 ,NULL\n#,\\\n", [(" 1 ", "NULL"), ("#", "\\")]),
        ("a,b\nétage,日本\n", [("étage", "日本")]),
        ('select,"a""b"\n1,2\n', [("1", "2")]),
        ("size_of_class,c0\n1,2\n3,2\n", [("1", "2"), ("3", "2")]),
        ("a,b\n1," + 1_999_990 * "s" + "\n", [("1", 1_999_990 * "s")]),
    ],
)
def test_what_is_read(tmp_path: Path, content: str, rows: list[tuple[str | None, ...]]) -> None:
    population = Population(write(tmp_path, content))
    assert population.rows == len(rows)
    for j, column in enumerate(population.columns):
        values = [row[j] for row in rows]
        sizes = population.class_sizes([column])
        assert dict(zip(sizes.sizes, sizes.counts, strict=True)) == tables.class_sizes(values)
        assert population.rarest_value(column)[0] in values


@pytest.mark.long
@pytest.mark.parametrize("chunk", [5, 64, 1 << 22])
def test_the_scan_agrees_with_a_slow_reader_wherever_it_cuts_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr(csv_layout, "CHUNK", chunk)
    rng = random.Random(chunk)
    values = ["", "a", '"', "x,y", "l\nm", "l\r\nm", "\n\n", " ", "é", '""', "'", "long" * 9, '\n"a","b"\n']
    for _ in range(60):
        width, height = rng.randint(1, 4), rng.randint(1, 30)
        rows = [[rng.choice(values) for _ in range(width)] for _ in range(height)]
        text = io.StringIO(newline="")
        quoting = rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        writer = csv.writer(text, lineterminator=rng.choice(["\n", "\r\n"]), quoting=quoting)
        writer.writerows([[f"é{j}" for j in range(width)], *rows])
        layout = csv_layout.csv_layout(write(tmp_path, text.getvalue()))
        multiline = any("\n" in value for row in rows for value in row)
        assert layout == CsvLayout(
            tuple(f"é{j}" for j in range(width)), height, multiline, writer.dialect.lineterminator
        )


@pytest.mark.parametrize("chunk", [3, 7])
@pytest.mark.parametrize(
    ("content", "line"),
    [('a,b\n1,2\n3,"x"y\n', 3), ("a,b\n1,2\n3,4,5\n", 3), (b"a,b\n1,2\n3,\xe9\n", 3), ("a,b\n1,2\n\n3,4\n", 3)],
)
def test_the_line_at_fault_wherever_the_file_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int, content: str | bytes, line: int
) -> None:
    monkeypatch.setattr(csv_layout, "CHUNK", chunk)
    with pytest.raises(InvalidTableError, match=f"line {line}"):
        csv_layout.csv_layout(write(tmp_path, content))


@pytest.mark.long
def test_a_large_file_with_line_breaks_in_its_values(tmp_path: Path) -> None:
    rng = random.Random(0)
    values = ["", "a", '"', "x,y", "l\nm", "\n", '"\n1,2\n"', "long" * 30]
    rows = [tuple(rng.choice(values) for _ in range(4)) for _ in range(60_000)]
    path = tmp_path / "people.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("a", "b", "c", "d"), *rows])
    sizes = Population(path, header=True).class_sizes()
    assert dict(zip(sizes.sizes, sizes.counts, strict=True)) == dict(sorted(Counter(Counter(rows).values()).items()))
