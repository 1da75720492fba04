"""A table is the same table in whatever kind of file or database it is."""

import codecs
import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from discretion.anonymity import Population
from discretion.errors import DiscretionError, InvalidTableError, TooLargeError
from support.cli_runner import run
from support.lowering import lowered

SECRET = "sEcReT"
PEOPLE = pa.table(
    {
        "sex": ["f", "m", "f", None, "m", "f"] * 5,
        "job, or none": ["nurse", 'say "a"', "nurse", "tab\there", None, "two\nlines"] * 5,
        "blood": ["0", "A", "0", "0", "A", None, "B", "AB", "é", "é"] * 3,
    }
)
HALVES = (PEOPLE.slice(0, 11), PEOPLE.slice(11))


def csv_bytes(table: pa.Table = PEOPLE, mark: str = ",") -> bytes:
    written = io.BytesIO()
    pyarrow.csv.write_csv(table, written, pyarrow.csv.WriteOptions(delimiter=mark))
    return written.getvalue()


def json_bytes() -> bytes:
    return "\n".join(map(json.dumps, PEOPLE.to_pylist())).encode()


def text(name: str, content: Callable[[], bytes]) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        (folder / name).write_bytes(gzip.compress(content()) if name.lower().endswith(".gz") else content())
        return str(folder / name)

    return write


def folder_of_parts(folder: Path) -> str:
    for place, part in enumerate(HALVES):
        (folder / "parts").mkdir(exist_ok=True)
        pyarrow.parquet.write_table(part.select([0, 1, 2] if place else [2, 1, 0]), folder / f"parts/p{place}.parquet")
    for left_out in ("_SUCCESS", ".p0.parquet.crc", "_old.parquet"):
        (folder / "parts" / left_out).write_text("x")
    return str(folder / "parts")


def folder_of_keys(folder: Path) -> str:
    for value, name in ((None, "__HIVE_DEFAULT_PARTITION__"), ("f", "f"), ("m", "m")):
        here = folder / "parts" / f"sex={name}"
        here.mkdir(parents=True)
        kept = PEOPLE.filter(
            pa.compute.is_null(PEOPLE["sex"]) if value is None else pa.compute.equal(PEOPLE["sex"], value)
        )
        pyarrow.parquet.write_table(kept.drop_columns("sex"), here / "part.parquet")
    return str(folder / "parts")


def in_sqlite(name: str, table: str = "people", asks: str = "") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        database = sqlite3.connect(folder / name)
        spelled = '"' + table.replace('"', '""') + '"'
        columns = ", ".join('"' + c + '" TEXT COLLATE NOCASE' for c in PEOPLE.column_names)
        database.execute(f"CREATE TABLE {spelled} ({columns})")
        rows = zip(*PEOPLE.to_pydict().values(), strict=True)
        database.executemany(f"INSERT INTO {spelled} VALUES (?, ?, ?)", rows)
        if asks:
            database.execute("CREATE TABLE other (x)")
        database.execute(f"CREATE VIEW seen AS SELECT * FROM {spelled}")
        database.commit()
        database.close()
        return f"{folder / name}{asks}"

    return write


def in_duckdb(name: str, table: str = "people", asks: str = "") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        with duckdb.connect(folder / name) as database:
            spelled = '"' + table.replace('"', '""') + '"'
            database.register("arrived", PEOPLE)
            database.execute(f"CREATE TABLE {spelled} AS FROM arrived")
            if asks:
                database.execute("CREATE SCHEMA ward; CREATE TABLE ward.beds AS SELECT 1 AS x")
            database.execute(f"CREATE VIEW seen AS FROM {spelled}")
        return f"{folder / name}{asks}"

    return write


def in_excel(name: str, asks: str = "") -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        for row in [PEOPLE.column_names, *map(list, zip(*PEOPLE.to_pydict().values(), strict=True))]:
            book.active.append(row)
        if asks:
            book.active.title = "people's"
            book.create_sheet("notes")["A1"] = "x"
        book.save(folder / name)
        return f"{folder / name}{asks}"

    return write


# How the same table is written; what is given for it.
KINDS: dict[str, Callable[[Path], str]] = {
    "csv": text("t.csv", csv_bytes),
    "tsv": text("t.tsv", lambda: csv_bytes(mark="\t")),
    "tsv with a byte-order mark": text("t.tsv", lambda: codecs.BOM_UTF8 + csv_bytes(mark="\t")),
    "tab": text("t.tab", lambda: csv_bytes(mark="\t")),
    "csv.gz": text("t.csv.gz", csv_bytes),
    "tsv.gz": text("T.TSV.GZ", lambda: csv_bytes(mark="\t")),
    "jsonl.gz": text("t.jsonl.gz", json_bytes),
    "json.gz": text("t.json.gz", json_bytes),
    "csv.gz of two members": lambda folder: (
        text("t.csv", lambda: b"")(folder) and members(folder / "t.csv.gz", csv_bytes())
    ),
    "folder": folder_of_parts,
    "folder of keys": folder_of_keys,
    "sqlite": in_sqlite("t.sqlite"),
    "db of sqlite": in_sqlite("t.db"),
    "sqlite, one of two": in_sqlite("t.sqlite3", 'it\'s "people"?', '?table=it\'s "people"?'),
    "a view in sqlite": in_sqlite("t.sqlite", asks="?table=seen"),
    "sqlite by an address": lambda folder: "sqlite://" + in_sqlite("t.sqlite")(folder),
    "duckdb": in_duckdb("t.duckdb"),
    "db of duckdb": in_duckdb("t.db"),
    "duckdb, one of two": in_duckdb("t.duckdb", 'it\'s "people"', '?table=it\'s "people"'),
    "duckdb by an address": lambda folder: "duckdb://" + in_duckdb("t.duckdb", asks="?table=seen")(folder),
    "excel": in_excel("t.xlsx"),
    "excel, one of two": in_excel("t.xlsx", "?sheet=people's"),
}


def members(path: Path, content: bytes) -> str:
    path.write_bytes(gzip.compress(content[:50]) + gzip.compress(content[50:]))
    return str(path)


def sizes(population: Population) -> dict[tuple[str, ...], dict[int, int]]:
    sets = [chosen for many in (1, 2, 3) for chosen in combinations(sorted(population.columns), many)]
    found = (population.class_sizes(chosen) for chosen in sets)
    return {
        chosen: dict(zip(each.sizes.tolist(), each.counts.tolist(), strict=True))
        for chosen, each in zip(sets, found, strict=True)
    }


@pytest.fixture(scope="module")
def counted() -> dict[tuple[str, ...], dict[int, int]]:
    return sizes(Population(PEOPLE))


@pytest.mark.one_in(11)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_the_counts_of_the_table(kind: str, tmp_path: Path, counted: Any) -> None:
    population = Population(KINDS[kind](tmp_path))
    assert population.people == 30
    assert sizes(population) == counted


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_beside_or_into_what_is_read(kind: str, tmp_path: Path) -> None:
    given = KINDS[kind](tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    Population(given, columns=["sex"]).class_sizes()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_standard_input_is_a_csv_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counted: Any) -> None:
    (tmp_path / "t.csv").write_bytes(csv_bytes())
    with (tmp_path / "t.csv").open() as arriving:
        monkeypatch.setattr("sys.stdin", arriving)
        assert sizes(Population("-")) == counted
        with pytest.raises(InvalidTableError, match="standard input is empty"):
            Population("-")


def test_nothing_arrives_on_a_closed_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InvalidTableError, match="nothing arrives on standard input"):
        Population("-")


def sqlite_of(folder: Path, *statements: str) -> str:
    database = sqlite3.connect(folder / "odd.sqlite")
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return str(folder / "odd.sqlite")


def duckdb_of(folder: Path, *statements: str) -> str:
    with duckdb.connect(folder / "odd.duckdb") as database:
        for statement in statements:
            database.execute(statement)
    return str(folder / "odd.duckdb")


def sheet_of(folder: Path, *rows: list[Any], change: Callable[[Any], None] = lambda _: None) -> str:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    change(book.active)
    book.save(folder / "odd.xlsx")
    return str(folder / "odd.xlsx")


def parts_of(folder: Path, **parts: pa.Table | str) -> str:
    for name, part in parts.items():
        path = folder / "odd" / name.replace("__", "=").replace("_SLASH_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(part) if isinstance(part, str) else pyarrow.parquet.write_table(part, f"{path}.parquet")
    (folder / "odd").mkdir(exist_ok=True)
    return str(folder / "odd")


def raw(name: str, content: bytes) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        (folder / name).write_bytes(content)
        return str(folder / name)

    return write


def cut(write: Callable[[Path], str], kept: float) -> Callable[[Path], str]:
    def damage(folder: Path) -> str:
        path = Path(write(folder))
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
        return str(path)

    return damage


def merged(sheet: Any) -> None:
    sheet.merge_cells("A2:A3")


def failed(sheet: Any) -> None:
    sheet["A2"].data_type = "e"


def beside(write: Callable[[Path], str], ending: str) -> Callable[[Path], str]:
    def leave(folder: Path) -> str:
        path = write(folder)
        Path(path + ending).write_text("x")
        return path

    return leave


ONE, TWO = pa.table({"a": ["x"]}), pa.table({"a": [1]})
GZ = gzip.compress(csv_bytes(pa.table({"a": [f"{SECRET}{i}" for i in range(3000)]})))
# fmt: off
ODD: dict[str, tuple[Callable[[Path], str], str]] = {
    "empty gzip": (raw("t.csv.gz", b""), "is empty"),
    "gzip of nothing": (raw("t.csv.gz", gzip.compress(b"")), "is empty"),
    "gzip of a gzip": (raw("t.csv.gz", gzip.compress(GZ)), "a gzip file inside of a gzip file"),
    "gzip cut short": (raw("t.csv.gz", GZ[:-9]), "cut short or damaged"),
    "gzip cut in half": (raw("t.csv.gz", GZ[: len(GZ) // 2]), "cut short or damaged"),
    "gzip with a wrong checksum": (raw("t.csv.gz", GZ[:-8] + b"1234" + GZ[-4:]), "cut short or damaged"),
    "gzip with something behind": (raw("t.csv.gz", GZ + b"sEcReT"), "cut short or damaged"),
    "no gzip": (raw("t.csv.gz", b"sEcReT"), "is not a gzip file"),
    "no kind of gzip": (raw("t.parquet.gz", GZ), "is not a kind of file that can be read"),
    "json in gzip": (raw("t.json.gz", gzip.compress(b'{"a": sEcReT}')), "line 1 is not JSON"),
    "tsv of commas": (raw("t.tsv", b"a,b\n1,sEcReT\n"), "a header without tabs but with commas; use --delimiter ','"),
    "tsv with a row too short": (raw("t.tsv", b"a\tb\n1,sEcReT\n"), "line 2 ends a row of 1 values under"),
    "no database": (raw("t.db", b"sEcReT" * 99), "neither a DuckDB nor a SQLite file"),
    "two tables": (
        lambda f: sqlite_of(f, "CREATE TABLE a (x)", "CREATE TABLE b (x)", "CREATE VIEW c AS SELECT * FROM a"),
        r"has several tables; name one as \?table=NAME: a, b, c",
    ),
    "no table of that name": (
        lambda f: sqlite_of(f, "CREATE TABLE a (x)") + "?table=sqlite_master",
        "has no table 'sqlite_master'; name one as .*: a",
    ),
    "no tables": (lambda f: sqlite_of(f, "VACUUM"), "neither a DuckDB nor a SQLite file|has no tables"),
    "several kinds in a column": (
        lambda f: sqlite_of(f, "CREATE TABLE t (a)", "INSERT INTO t VALUES (1), ('1'), ('sEcReT')"),
        r"the column 'a' of .* holds values of several kinds \(integer, text\)",
    ),
    "numbers beyond doubles": (
        lambda f: sqlite_of(f, "CREATE TABLE t (a)", "INSERT INTO t VALUES (9007199254740993), (0.5)"),
        "the column 'a' of .* holds decimals and whole numbers",
    ),
    "not UTF-8": (
        lambda f: sqlite_of(f, "CREATE TABLE t (a)", "INSERT INTO t VALUES (CAST(x'FF7345635265' AS TEXT))"),
        "not in UTF-8",
    ),
    "names that are a person": (
        lambda f: sqlite_of(f, 'CREATE TABLE t ("sEcReT" TEXT)', "INSERT INTO t VALUES ('sEcReT'), ('b')"),
        "seem to be named by a person's values: the name of column 1 comes again",
    ),
    "names that are a person's in DuckDB": (
        lambda f: duckdb_of(f, 'CREATE TABLE t ("ada@example.org" TEXT)', "INSERT INTO t VALUES ('b')"),
        "the name of column 1 is an e-mail address",
    ),
    "names that come again in DuckDB": (
        lambda f: duckdb_of(f, 'CREATE TABLE t ("sEcReT" TEXT)', "INSERT INTO t VALUES ('sEcReT')"),
        "the name of column 1 comes again",
    ),
    "names that differ by case": (lambda f: sheet_of(f, ["b", "B"], [SECRET, "x"]), "names that differ only by case"),
    "a view that reads elsewhere": (
        lambda f: duckdb_of(f, "CREATE VIEW v AS FROM read_text('/etc/hostname')") + "?table=v",
        "cannot be read",
    ),
    "intervals": (lambda f: duckdb_of(f, "CREATE TABLE t AS SELECT INTERVAL 1 MONTH AS a"), "cannot be counted"),
    "no parts": (parts_of, "it is a folder without a Parquet file"),
    "only hidden parts": (lambda f: parts_of(f, _a=ONE), "it is a folder without a Parquet file"),
    "other types": (lambda f: parts_of(f, a=ONE, b=TWO), "differ in the column 'a': string in one, int64 in another"),
    "other columns": (
        lambda f: parts_of(f, a=ONE, b=pa.table({"b": ["x"]})),
        "differ in the column 'a': string in one, nothing in another",
    ),
    "other files": (lambda f: parts_of(f, a=ONE, **{"b.csv": "a\n1"}), "holds 'b.csv', which is no Parquet file"),
    "other folders": (lambda f: parts_of(f, a=ONE, b_SLASH_c=ONE), "a folder that is linked, or not named key=value"),
    "a log of parts": (lambda f: parts_of(f, a=ONE, _delta_log_SLASH_c=ONE), "is kept by _delta_log"),
    "other keys": (lambda f: parts_of(f, a=ONE, year__sEcReT_SLASH_c=ONE), "below folders of different keys"),
    "a key that is a column": (lambda f: parts_of(f, a__sEcReT_SLASH_c=ONE), "columns 1 and 2 .* the same name"),
    "a part that is none": (lambda f: parts_of(f, **{"k__sEcReT_SLASH_c.parquet": "PAR1"}), "c.parquet in .* is not"),
    "a pattern": (lambda f: parts_of(f, **{"a*": ONE}), "could be read as a pattern"),
    "merged cells": (lambda f: sheet_of(f, ["a"], [SECRET], ["x"], change=merged), "has merged cells"),
    "an error in a cell": (lambda f: sheet_of(f, ["a", "b"], ["#N/A", SECRET], change=failed), "an error .* in row 2"),
    "a formula without a value": (lambda f: sheet_of(f, ["a"], ["=1+1"]), "a formula without its value"),
    "a blank row": (lambda f: sheet_of(f, ["a"], [SECRET], [None], ["x"]), "has a blank row, 3"),
    "a row too long": (lambda f: sheet_of(f, ["a"], [SECRET, "x"]), "more values in row 2 than names"),
    "a person for names": (lambda f: sheet_of(f, ["ada", 41], ["bob", 42]), "column 2 is a number"),
    "a name again": (lambda f: sheet_of(f, ["a", SECRET], ["x", SECRET]), "column 2 comes again below"),
    "several kinds in a sheet": (lambda f: sheet_of(f, ["a"], [SECRET], [1]), "'a' of .* must hold values of one kind"),
    "nothing in a sheet": (sheet_of, "is empty: a sheet begins with"),
    "no such sheet": (lambda f: sheet_of(f, ["a"], ["x"]) + "?sheet=b", "no sheet 'b'; name one as .*: Sheet"),
    "no workbook": (raw("t.xlsx", b"sEcReT"), "is not an Excel workbook"),
    "workbook cut short": (cut(in_excel("t.xlsx"), 0.9), "is not an Excel workbook"),
}
# fmt: on


@pytest.mark.parametrize("odd", ODD)
def test_an_odd_one_is_refused_in_one_sentence(odd: str, tmp_path: Path) -> None:
    make, fault = ODD[odd]
    with pytest.raises(DiscretionError, match=fault) as refusal:
        Population(make(tmp_path))
    assert SECRET not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_what_unpacks_to_more_than_there_is_room_for_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a\n" + b"x\n" * 1_000_000))
    with lowered(MAX_BYTES_SPOOLED=1_000_000), pytest.raises(TooLargeError, match="holds more than 1 MB"):
        Population(path)


def test_a_workbook_that_unpacks_to_more_than_the_memory_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/sharedStrings.xml", bytes(80_000_000))
    with pytest.raises(TooLargeError, match="unpacks to 80 MB"):
        Population(tmp_path / "t.xlsx", memory="60MB")


def test_two_far_cells_take_no_room(tmp_path: Path) -> None:
    def far(sheet: Any) -> None:
        sheet["XFD1048576"] = 1

    with pytest.raises(InvalidTableError, match="has a blank row, 3"):
        Population(sheet_of(tmp_path, ["a"], ["x"], change=far))


def test_values_of_a_sheet_keep_their_types(tmp_path: Path) -> None:
    from datetime import date, datetime

    rows = [["n", "day", "at"], [1, date(2020, 1, 2), datetime(2020, 1, 2, 3)], [1.0, date(2020, 1, 2), None]]
    population = Population(sheet_of(tmp_path, *rows, [0.5, None, None]))
    told = [population.common_values(column, 1) for column in ("n", "day", "at")]
    assert told[1] == [("2020-01-02", 2), (None, 1)]
    assert [people for _, people in told[0]] == [2, 1]
    assert Population(sheet_of(tmp_path, [1, 2], [1, 3]), header=False).columns == ("column1", "column2")
    assert Population(sheet_of(tmp_path, ["x", 2], ["y", 3]), header=["a", "b"]).people == 2


def test_texts_of_a_database_are_compared_as_they_are(tmp_path: Path) -> None:
    for make in (sqlite_of, duckdb_of):
        given = make(
            tmp_path,
            "CREATE TABLE t (name TEXT COLLATE NOCASE)",
            "INSERT INTO t VALUES ('a'), ('A'), (''), (NULL), ('a')",
        )
        assert Population(given).class_sizes().sizes.tolist() == [1, 2]
        assert Population(given).class_sizes().counts.tolist() == [3, 1]


def test_a_nul_in_a_text_of_sqlite_ends_it_not(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "t.sqlite")
    database.execute("CREATE TABLE t (a)")
    database.executemany("INSERT INTO t VALUES (?)", [("x\0y",), ("x\0z",), ("x",), ("x\0y",)])
    database.commit()
    database.close()
    assert Population(tmp_path / "t.sqlite").class_sizes().sizes.tolist() == [1, 2]


def test_a_database_to_which_somebody_wrote_last_is_read_whole(tmp_path: Path) -> None:
    """DuckDB leaves what it wrote last in a log beside the file, if its process is killed."""
    import subprocess
    import sys

    path = tmp_path / "t.duckdb"
    code = (
        f"import duckdb, os; d = duckdb.connect({str(path)!r}); d.execute('CREATE TABLE t AS SELECT 1 AS a');"
        "d.execute('CHECKPOINT'); d.execute(\"SET checkpoint_threshold = '1GB'\");"
        "d.execute('INSERT INTO t VALUES (2), (3)'); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert (tmp_path / "t.duckdb.wal").exists()
    assert Population(path).people == 3


WRITTEN_OVER = ["sqlite, one of two", "duckdb by an address", "excel, one of two", "csv.gz"]


@pytest.mark.parametrize("kind", WRITTEN_OVER)
def test_an_output_is_not_the_file_that_holds_the_table(kind: str, tmp_path: Path) -> None:
    given = KINDS[kind](tmp_path)
    (path,) = [path for path in tmp_path.iterdir() if path.suffix in {".duckdb", ".sqlite3", ".xlsx", ".gz"}]
    before = path.read_bytes()
    code, _, err = run("audit", given, "--html", str(path))
    assert (code, path.read_bytes()) == (2, before)
    assert "it is an input file" in err


def workbook_of_three_sheets(folder: Path) -> str:
    book = pytest.importorskip("openpyxl").Workbook()
    for title, state in (("2024", "visible"), ("2023", "hidden"), ("notes", "veryHidden")):
        book.create_sheet(title).append(["a"])
        book[title].append(["x"])
        book[title].sheet_state = state
    del book["Sheet"]
    book.save(folder / "t.xlsx")
    return f"{folder / 't.xlsx'}?sheet=2024"


def two_tables(name: str) -> Callable[[Path], str]:
    def write(folder: Path) -> str:
        path = folder / name
        with closing(duckdb.connect(str(path)) if name.endswith("duckdb") else sqlite3.connect(path)) as database:
            for table in ("people", "visits"):
                database.execute(f"CREATE TABLE {table} (a TEXT)")
                database.execute(f"INSERT INTO {table} VALUES ('x')")
            database.commit()
        return f"{path}?table=people"

    return write


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("source", "left_out"),
    [
        (
            folder_of_parts,
            ("files and folders whose names begin with . or _: .p0.parquet.crc, _SUCCESS, _old.parquet",),
        ),
        (workbook_of_three_sheets, ("2 other sheets: 2023, notes",)),
        (two_tables("t.sqlite"), ("1 other table: visits",)),
        (two_tables("t.duckdb"), ("1 other table: visits",)),
        (text("t.csv", csv_bytes), ()),
    ],
)
def test_what_is_not_read_of_a_source_stands_in_the_answer(
    source: Callable[[Path], str], left_out: tuple[str, ...], tmp_path: Path
) -> None:
    table = source(tmp_path)
    assert Population(table).left_out == left_out
    code, out, _ = run("exposure", table, "--k", "2", "--json")
    assert code == 0 and json.loads(out)["results"]["left_out"] == list(left_out)
    code, out, _ = run("audit", table, "--k", "1", "--json")
    sentences = json.loads(out)["results"]["not_examined"]
    assert code == 0 and all(any(sentence.startswith(part) for sentence in sentences) for part in left_out)
    _, out, _ = run("diff", table, table, "--k", "1", "--person", "none", "--json")
    assert json.loads(out)["results"]["not_read"] == [f"{side}: {part}" for side in ("OLD", "NEW") for part in left_out]
    (tmp_path / "policy.toml").write_text('person = "none"\nfail_over = ["k_anonymity<2"]\n')
    _, out, _ = run("check", table, "--policy", str(tmp_path / "policy.toml"), "--json")
    assert all(f"not checked: {part}" in out for part in left_out)
