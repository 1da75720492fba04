"""Every way to hand over a table gives the same answers, and every bad table one sentence."""

import gzip
import json
import math
import os
import socket
import sqlite3
import subprocess
import sys
from contextlib import ExitStack, closing
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from discretion.anonymity import ClassSizes, Population
from discretion.errors import InvalidTableError, TooLargeError, UnsupportedError

SECRET = "sEcReT"
PEOPLE = {
    "sex": ["f", "m", "f", None, "m", "f"],
    "blood": ["0", "A", "0", "0", "A", None],
    "select": ["x", "x", "x", "x", "x", "x"],
    'a "quoted", name': ["1", "2", "3", "4", "5", "6"],
}


def as_csv(path: Path) -> Path:
    pyarrow.csv.write_csv(pa.table(PEOPLE), path / "people.csv")
    return path / "people.csv"


def as_parquet(path: Path) -> str:
    pyarrow.parquet.write_table(pa.table(PEOPLE), path / "people.parquet")
    return str(path / "people.parquet")


def as_json(path: Path) -> Path:
    (path / "people.json").write_text(json.dumps(pa.table(PEOPLE).to_pylist(), indent=1))
    return path / "people.json"


def as_json_lines(path: Path) -> Path:
    (path / "people.ndjson").write_text("\n".join(map(json.dumps, pa.table(PEOPLE).to_pylist())))
    return path / "people.ndjson"


def as_arrow(_: Path) -> Any:
    return pa.table(PEOPLE)


def as_stream(_: Path) -> Any:
    return pa.table(PEOPLE).to_reader(max_chunksize=2)


def as_pandas(_: Path) -> Any:
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(PEOPLE, index=[3, 1, 4, 1, 5, 9])


def as_polars(_: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(PEOPLE)


def as_categories(_: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(PEOPLE).astype("category")


def as_duckdb(_: Path) -> Any:
    return ibis.duckdb.connect().create_table("people", pa.table(PEOPLE))


def as_packed(path: Path) -> Path:
    (path / "people.csv.gz").write_bytes(gzip.compress(as_csv(path).read_bytes()))
    return path / "people.csv.gz"


def as_folder(path: Path) -> Path:
    (path / "parts").mkdir()
    as_parquet(path / "parts")
    return path / "parts"


def as_duckdb_file(path: Path) -> Path:
    with duckdb.connect(path / "people.duckdb") as database:
        database.register("arrived", pa.table(PEOPLE))
        database.execute("CREATE TABLE people AS FROM arrived")
    return path / "people.duckdb"


def as_sqlite_file(path: Path) -> Path:
    with closing(sqlite3.connect(path / "people.sqlite")) as database:
        marks = ", ".join("?" * len(PEOPLE))
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in PEOPLE)
        database.execute(f"CREATE TABLE people ({names})")
        database.executemany(f"INSERT INTO people VALUES ({marks})", zip(*PEOPLE.values(), strict=True))
        database.commit()
    return path / "people.sqlite"


def as_expression(path: Path) -> Any:
    table = as_duckdb(path)
    return table.mutate(sex=table.sex.upper().lower()).filter(ibis.literal(True))


def as_memtable(_: Path) -> Any:
    return ibis.memtable(pa.table(PEOPLE))


HANDS = [
    as_csv,
    as_parquet,
    as_json,
    as_json_lines,
    as_arrow,
    as_stream,
    as_pandas,
    as_polars,
    as_categories,
    as_duckdb,
    as_expression,
    as_memtable,
    as_packed,
    as_folder,
    as_duckdb_file,
    as_sqlite_file,
]


@pytest.mark.one_in(11)
@pytest.mark.parametrize("hand_over", HANDS)
def test_every_way_to_hand_over_a_table_gives_the_same_answers(hand_over: Any, tmp_path: Path) -> None:
    population = Population(hand_over(tmp_path))
    assert population.columns == tuple(PEOPLE)
    assert population.people == population.rows == 6
    assert population.class_sizes(["sex", "blood"]).sizes.tolist() == [1, 2]
    assert population.class_sizes(["sex", "blood"]).counts.tolist() == [2, 2]
    assert population.class_sizes().unique == 6
    assert population.rarest_value("sex") == (None, 1)
    assert population.rarest_value("blood") == (None, 1)
    assert population.rarest_value('a "quoted", name') == ("1", 1)
    assert population.rarest_value("select") == ("x", 6)
    assert population.best_guesses(["sex"], "blood") == 5


@pytest.mark.long
@pytest.mark.parametrize("hand_over", HANDS)
def test_people_with_several_rows_in_every_way(hand_over: Any, tmp_path: Path) -> None:
    population = Population(hand_over(tmp_path), columns=["sex", "select"], person='a "quoted", name')
    assert population.class_sizes().sizes.tolist() == [1, 2, 3]


def test_an_ibis_table_stays_on_its_own_engine() -> None:
    connection = ibis.duckdb.connect()
    connection.con.register("arrived", pa.table(PEOPLE))
    connection.con.execute("CREATE TABLE people AS FROM arrived")
    table = connection.table("people")
    before = connection.con.execute("SHOW ALL TABLES").fetchall()
    population = Population(table)
    connection.con.execute("INSERT INTO people FROM arrived")
    assert population.class_sizes(["select"]).sizes.tolist() == [12]
    assert connection.con.execute("SHOW ALL TABLES").fetchall() == before


@pytest.mark.filterwarnings("ignore:.*infer_string")  # Ibis asks pandas 3 for it
def test_an_ibis_table_on_sqlite(tmp_path: Path) -> None:
    connection = ibis.sqlite.connect(tmp_path / "people.db")
    table = connection.create_table("people", pa.table(PEOPLE))
    population = Population(table)
    assert population.class_sizes(["sex", "blood"]).counts.tolist() == [2, 2]
    assert population.rarest_value("sex") == (None, 1)
    assert population.best_guesses(["sex"], "blood") == 5
    with pytest.raises(UnsupportedError, match="the engine that holds the Ibis table cannot answer this"):
        Population(table, person='a "quoted", name').class_sizes()


TYPES: dict[str, pa.Array] = {
    "integers": pa.array([1, 1, None, 2]),
    "floats": pa.array([math.nan, math.nan, None, 0.5], from_pandas=False),
    "zeros": pa.array([0.0, -0.0, None, 0.5]),
    "booleans": pa.array([True, True, None, False]),
    "texts": pa.array(["a", "a", None, ""]),
    "bytes": pa.array([b"\x00\xff", b"\x00\xff", None, b""]),
    "lists": pa.array([[1, None], [1, None], None, []]),
    "structs": pa.array([{"a": None}, {"a": None}, None, {"a": 1}]),
    "maps": pa.array([[("a", 1)], [("a", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "decimals": pa.array([Decimal("1.50"), Decimal("1.50"), None, Decimal("1.51")]),
    "dates": pa.array([date(1, 1, 1), date(1, 1, 1), None, date(9999, 12, 31)]),
    "times": pa.array([datetime(2020, 1, 1)] * 2 + [None, datetime(2021, 1, 1)]),
    "zoned": pa.array([0, 0, None, 1], pa.timestamp("us", tz="Europe/Paris")),
    "categories": pa.array(["a", "a", None, ""]).dictionary_encode(),
    "nested": pa.array([[{"a": "x, y"}], [{"a": "x, y"}], None, [{"a": "x"}, {"a": "y"}]]),
    "nothing but null": pa.nulls(4),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("in_place", [False, True])
def test_values_of_every_type_are_the_same_or_not_and_null_is_a_value(kind: str, in_place: bool) -> None:
    table = pa.table({"values": TYPES[kind]})
    if in_place and kind == "nothing but null":
        table = table.cast(pa.schema({"values": pa.int64()}))
    population = Population(ibis.duckdb.connect().create_table("t", table) if in_place else table)
    expected = [4] if kind == "nothing but null" else [1, 2]
    assert population.class_sizes().sizes.tolist() == expected
    value, size = population.rarest_value("values")
    assert size == expected[0]
    assert isinstance(value, str | None)
    assert (value is None) == (kind == "nothing but null")


def test_values_in_json_stay_apart_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    values = [
        "1",
        1,
        1.0,
        "2020-01-01",
        "2020-01-01T00:00:00",
        [1],
        ["1"],
        {"a": 1},
        {"a": None},
        True,
        "true",
        "null",
        "é",
        "",
    ]
    path.write_text("\n".join(json.dumps({"~a/'b": v}) for v in [*values, None]) + "\n{}\n")
    population = Population(path)
    assert population.columns == ("~a/'b",)
    sizes = population.class_sizes()
    assert (sizes.unique, sizes.classes) == (len(values), len(values) + 1)
    assert population.rarest_value("~a/'b") == ("", 1)


# JSON of different values; those of the last row are equal, for an escape is only a way to write a letter.
JSON_TEXTS = [
    *("1", "1.0", "1.00", "1e0", "1E0", "10e-1", '"1"', '"1.0"', "-0", "0", "-0.0", "100000", "1e5", "100000.0"),
    *("12345678901234567890123", "0.1234567890123456789012345678901", "0.1234567890123456789012345678902"),
    *(r'"\u0001"', r'"\u00011.5"', "1.5", r'"\\u00011.5"', r'"\u0001\u00011.5"', r'"x\u0001"', r'"a: 1.5, \"2.5\""'),
    *("[1.0]", "[1.00]", '["1.0"]', r'{"k":"\u00012.5"}', '{"k":2.5}', '{"k":2.50}', '{"2.5":1.0}', "true", '"true"'),
]


@pytest.mark.parametrize("key", ["a", r"\u0001~/'b"])
def test_a_value_in_json_is_its_text(key: str, tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f'{{"{key}": {text}, "other": 0.5}}\n' for text in [*JSON_TEXTS, '"é"', r'"\u00e9"']))
    name = json.loads(f'"{key}"')
    sizes = Population(path, columns=[name]).class_sizes()
    assert (sizes.unique, sizes.classes) == (len(JSON_TEXTS), len(JSON_TEXTS) + 1)


def test_people_with_decimals_of_their_own_are_as_many_in_every_format(tmp_path: Path) -> None:
    texts = [f"0.{10**30 + i}" for i in range(300)]
    (tmp_path / "people.csv").write_text("\n".join(["x", *texts]))
    (tmp_path / "people.json").write_text("[" + ",\n".join(f'{{"x": {text}}}' for text in texts) + "]")
    (tmp_path / "lines.jsonl").write_text("\n".join(f'{{"x": {text}}}' for text in texts))
    decimals = [Decimal(text) for text in texts]
    frame = pa.table({"x": pa.array(decimals, pa.decimal128(38, 31))})
    pyarrow.parquet.write_table(frame, tmp_path / "people.parquet")
    with closing(sqlite3.connect(tmp_path / "people.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE people (x TEXT)")
        connection.executemany("INSERT INTO people VALUES (?)", [(text,) for text in texts])
    with duckdb.connect(str(tmp_path / "people.duckdb")) as database:
        file = str(tmp_path / "people.csv")
        database.execute("CREATE TABLE people AS SELECT * FROM read_csv(?, all_varchar = true)", [file])
    tables = [*sorted(tmp_path.iterdir()), frame]
    assert len(tables) == 7
    assert {Population(table).class_sizes().unique for table in tables} == {300}


def test_a_key_that_first_comes_late_is_a_column(tmp_path: Path) -> None:
    path = tmp_path / "people.jsonl"
    path.write_text('{"a": 1}\n' * 50_000 + '{"b": 2}\n')
    assert sorted(Population(path).columns) == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("t.json", "", "has no rows"),
        ("t.json", "[]", "has no rows"),
        ("t.json", '["sEcReT"]', "holds something other than objects"),
        ("t.json", '[["sEcReT"]]', "holds something other than objects"),
        ("t.json", '{"a": "sEcReT", "a": 2}', "the same key twice"),
        ("t.json", '{"a": "sEcReT", "A": 2}', "differ only by case"),
        ("t.json", '{"": "sEcReT"}', "has no name for column 1"),
        ("t.json", "{}", "has no columns"),
        ("t.json", '[{"a": "sEcReT"}, {"a": ]', "is not well-formed JSON"),
        ("t.ndjson", '{"a": 1}\n\n{"a": sEcReT}\n', "is not well-formed JSON in UTF-8: line 3 is not JSON"),
        ("t.ndjson", '{"a": "sEcReT"}\n{"a":', "is not well-formed JSON in UTF-8: line 2 is not JSON"),
        ("t.ndjson", b'{"a": "\xffsEcReT"}\n', "is not UTF-8 text: line 1"),
        ("t.json", '[{"a": "sEcReT"}] x', "starts an array but does not end with it"),
        ("t.json", '[{"a": "sEcReT"}]]', "is not well-formed JSON in UTF-8: line 1 is not JSON"),
        ("t.json", '[{"a": 1},\n {"a" "sEcReT"}\n]', "is not well-formed JSON in UTF-8: line 2 is not JSON"),
        ("t.json", '[{"a": "sEcReT \\ud800"}]', "line 1 has half of a character"),
        ("t.jsonl", '{"a": 1}\n{"a": "sEcReT \\udc00"}', "line 2 has half of a character"),
        ("t.json", '\ufeff[{"a": "sEcReT"}]', "begins with a byte-order mark"),
        ("t.json", '[{"a": "sEcReT"}]'.encode("utf-16"), "is not UTF-8 text: line 1"),
        ("t.json", '[{"x": 1, "sEcReT\\u0000": 1}]', "the name of column 2 of .* has a NUL"),
        ("t.parquet", "sEcReT", "is not a Parquet file, or is cut short or damaged"),
        ("t.parquet", "", "is not a Parquet file, or is cut short or damaged"),
        ("t.ods", "sEcReT", "is not a kind of file that can be read; those are .csv, .tsv, .tab, .parquet, .json"),
        ("people", "sEcReT", "is not a kind of file that can be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_sentence(
    tmp_path: Path, name: str, content: str | bytes, fault: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InvalidTableError, match=fault) as refusal:
        Population(path)
    assert SECRET not in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_parquet_file_cut_short_or_damaged(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pyarrow.parquet.write_table(pa.table({"a": [SECRET + str(i) for i in range(1000)]}), path)
    whole = path.read_bytes()
    for damaged in (whole[:-20], whole[:100], whole[:4] + bytes(3000) + whole[3004:]):
        path.write_bytes(damaged)
        with pytest.raises(InvalidTableError, match="damaged") as refusal:
            Population(path)
        assert SECRET not in str(refusal.value)


@pytest.mark.long
@pytest.mark.parametrize("name", ["people.json", "people.jsonl"])
def test_a_json_text_that_is_too_long(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text('{"a": "sEcReT' + 100_000_000 * "x" + '"}')
    with pytest.raises(TooLargeError, match="holds an object of more than 16,777,216 bytes") as refusal:
        Population(path)
    assert SECRET not in str(refusal.value)


def test_a_parquet_file_nested_too_deep(tmp_path: Path) -> None:
    kind = pa.int32()
    for _ in range(200):
        kind = pa.list_(kind)
    path = tmp_path / "people.parquet"
    pyarrow.parquet.write_table(pa.table({"a": pa.array([None], kind)}), path)
    with pytest.raises(InvalidTableError, match="has a column nested deeper than can be read"):
        Population(path)


def test_paths_that_lead_to_no_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidTableError, match=r"nobody\.csv': there is no such file"):
        Population(tmp_path / "nobody.csv")
    with pytest.raises(InvalidTableError, match="there is no such file on this machine"):
        Population("https://example.org/people.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidTableError, match="it is a folder"):
        Population(tmp_path / "folder.csv")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = as_csv(tmp_path)
    path.chmod(0)
    with pytest.raises(InvalidTableError, match="permission denied"):
        Population(path)


@pytest.mark.long
@pytest.mark.parametrize("folder", ["people", "year=2020", "[b-d]", "a*b?", "a\\[x]", "{a,c}", "a%20b:c", "~"])
@pytest.mark.parametrize("hand_over", [as_csv, as_parquet, as_json])
def test_a_path_is_never_a_pattern(hand_over: Any, folder: str, tmp_path: Path) -> None:
    for place in (folder, "c", "aabb", "a"):
        (tmp_path / place).mkdir()
        written = Path(hand_over(tmp_path / place))
        for name in ("it's [a-z]*", "it's b", "it's b?"):
            (tmp_path / place / f"{name}{written.suffix}").write_bytes(written.read_bytes())
        assert Population(tmp_path / place / f"it's [a-z]*{written.suffix}").rows == 6


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (pa.table({}), "has no columns"),
        (pa.table({"a": pa.array([], pa.string())}), "has no rows"),
        (pa.table([pa.array(["sEcReT"]), pa.array([1])], names=["a", "a"]), "have the same name; rename"),
        (pa.table({"a": ["sEcReT"], "A": [1]}), "differ only by case"),
        (pa.table({"": ["sEcReT"]}), "has no name for column 1"),
        (pa.chunked_array([["sEcReT"]]), "must have columns"),
    ],
)
def test_an_arrow_table_that_will_not_do(table: Any, fault: str) -> None:
    with pytest.raises(InvalidTableError, match=fault) as refusal:
        Population(table)
    assert SECRET not in str(refusal.value)


def test_a_pandas_frame_that_will_not_do() -> None:
    pd = pytest.importorskip("pandas")
    for frame, fault in (
        (pd.DataFrame({"a": [SECRET, 1, b"x"]}, dtype=object), "each of one type"),
        (pd.DataFrame([[SECRET]]), "a column whose name is not text"),
        (pd.DataFrame([[SECRET, 1]], columns=["a", "a"]), "have the same name; rename"),
        (pd.DataFrame({"a": []}), "has no rows"),
        (pd.DataFrame(index=[1, 2]), "has no columns"),
    ):
        with pytest.raises(InvalidTableError, match=fault) as refusal:
            Population(frame)
        assert SECRET not in str(refusal.value)


def test_a_polars_frame_that_will_not_do() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(InvalidTableError, match="a column of Python objects"):
        Population(pl.DataFrame({"a": [SECRET, ()]}, schema={"a": pl.Object}))
    with pytest.raises(InvalidTableError, match="must have columns"):
        Population(pl.Series([SECRET]))
    with pytest.raises(UnsupportedError, match="got LazyFrame"):
        Population(pl.LazyFrame({"a": [1]}))


def test_an_ibis_table_that_will_not_do() -> None:
    connection = ibis.duckdb.connect()
    empty = connection.create_table("nobody", schema=ibis.schema({"a": "string"}))
    with pytest.raises(InvalidTableError, match="has no rows"):
        Population(empty)
    twins = ibis.memtable(pa.table({"a": [SECRET], "A": [1]}))
    with pytest.raises(InvalidTableError, match="differ only by case"):
        Population(twins)
    with pytest.raises(UnsupportedError, match="an Ibis expression must be a table"):
        Population(empty.a)


@pytest.mark.parametrize("table", [None, 3, [{"a": 1}], {"a": [1]}, b"people.csv"])
def test_what_is_no_table(table: Any) -> None:
    with pytest.raises(UnsupportedError, match="a table must be a path to a file, a pandas, polars or Arrow table"):
        Population(table)


def test_the_bundled_example() -> None:
    adult = Population("example:adult")
    assert (adult.people, len(adult.columns)) == (32561, 15)
    assert adult.class_sizes(["workclass"]).classes == 9


@pytest.mark.long
def test_pandas_and_polars_are_not_imported_for_those_who_do_not_use_them() -> None:
    code = (
        "import sys; from discretion.anonymity import Population; P = Population('example:adult');"
        "P.class_sizes(['sex']), P.rarest_value('sex');"
        "print(*(m for m in ('pandas', 'polars') if m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.long
def test_the_embedded_engine_writes_nothing_and_fetches_nothing(tmp_path: Path) -> None:
    code = (
        "from discretion.anonymity import Population;"
        "from discretion.tables.engines.embedded import EmbeddedEngine; e = EmbeddedEngine('x');"
        "print(e.read(\"SELECT current_setting('temp_directory'), current_setting('autoinstall_known_extensions'),"
        " current_setting('autoload_known_extensions'), current_setting('enable_progress_bar')\"));"
        "Population('example:adult').class_sizes()"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert (shown.stdout, shown.stderr) == ("[('', False, False, False)]\n", "")
    assert not list(tmp_path.iterdir())


# What somebody might try who gets a query of his own into the engine.
ESCAPES = [
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM read_parquet('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM '{file}'",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM read_csv('http://127.0.0.1:{port}/x.csv')",
    "SELECT * FROM read_text('/dev/fd/{descriptor}')",
    "SELECT * FROM variable_of_python",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{file}' (USE_TMP_FILE false)",
    "COPY people FROM '{file}'",
    "COPY (SELECT 1) TO '/dev/fd/{descriptor}' (FORMAT csv, USE_TMP_FILE false)",
    "EXPORT DATABASE '{folder}/out'",
    "IMPORT DATABASE '{folder}'",
    "ATTACH '{folder}/out.db'",
    "ATTACH 'http://127.0.0.1:{port}/x.db' (READ_ONLY)",
    "INSTALL httpfs",
    "INSTALL httpfs FROM community",
    "INSTALL '{folder}/x.duckdb_extension'",
    "LOAD httpfs",
    "LOAD '{folder}/x.duckdb_extension'",
    "CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'x')",
    "CALL enable_logging(storage = 'file', storage_path = '{folder}/log')",
    "PRAGMA profiling_output = '{folder}/out.json'",
    "SET profiling_output = '{folder}/out.json'",
    "SET log_query_path = '{folder}/log'",
    "SET temp_directory = '{folder}'",
    "SET enable_external_access = true",
    "SET allowed_paths = ['{file}']",
    "SET allowed_directories = ['{folder}']",
    "SET disabled_filesystems = ''",
    "SET autoload_known_extensions = true",
    "SET lock_configuration = false",
    "RESET lock_configuration",
    "SET memory_limit = '100GB'",
]


@pytest.mark.parametrize(
    "hand_over", [as_csv, as_parquet, as_json, as_arrow, as_packed, as_folder, as_duckdb_file, as_sqlite_file]
)
def test_no_query_leaves_the_embedded_engine(hand_over: Any, tmp_path: Path) -> None:
    population = Population(hand_over(tmp_path))
    connection = population._rows.table.get_backend().con
    variable_of_python = pa.table(PEOPLE)
    assert variable_of_python
    secret = tmp_path / "folder" / "secret.csv"
    secret.parent.mkdir()
    secret.write_text(f"{SECRET}\n")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        ExitStack() as files,
    ):
        opened = [files.enter_context(secret.open("r+b")).fileno() for _ in range(4)]  # the numbers that it knew
        server.setblocking(False)
        for escape in ESCAPES:
            for descriptor in opened if "descriptor" in escape else opened[:1]:
                spelled = escape.format(
                    file=secret, folder=secret.parent, port=server.getsockname()[1], descriptor=descriptor
                )
                with pytest.raises(duckdb.Error) as refusal:
                    connection.execute(spelled).fetchall()
                assert SECRET not in str(refusal.value)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert list(secret.parent.iterdir()) == [secret]
    assert secret.read_text() == f"{SECRET}\n"
    assert population.class_sizes(["sex", "blood"]).counts.tolist() == [2, 2]


@pytest.mark.parametrize("kind", [pa.decimal256(60, 2), pa.timestamp("ns", tz="UTC"), pa.list_(pa.decimal256(60, 2))])
def test_types_whose_values_would_be_merged_are_refused(tmp_path: Path, kind: pa.DataType) -> None:
    table = pa.table({"a": pa.array([None, None], type=kind)})
    pa.parquet.write_table(table, tmp_path / "t.parquet")
    for given in (table, tmp_path / "t.parquet"):
        with pytest.raises(InvalidTableError, match="cannot be counted exactly"):
            Population(given)


@pytest.mark.parametrize(
    "array",
    [
        pa.array([1, 2], pa.duration("ns")),
        pa.array([(1, 0, 0), (0, 30, 0)], pa.month_day_nano_interval()),
        pa.array([[1], [2]], pa.list_(pa.duration("ns"))),
    ],
    ids=lambda array: str(array.type),
)
def test_types_whose_values_would_be_merged_on_the_way_from_arrow_are_refused(array: pa.Array) -> None:
    with pytest.raises(InvalidTableError, match="cannot be counted exactly"):
        Population(pa.table({"a": array}))


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[1], [2]], pa.list_(pa.float16())),
        pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]),
        pa.array([{}, {}], pa.struct([])),
    ],
    ids=lambda array: str(array.type),
)
def test_types_that_the_engine_does_not_know_are_refused(array: pa.Array) -> None:
    table = pa.table({"b": pa.array([1] * len(array)), "a": array})
    with pytest.raises(InvalidTableError, match=r"'a' .* holds a type of value that the engine does not know"):
        Population(table)
    assert Population(table, columns=["b"]).class_sizes().classes == 1


def test_values_that_the_engine_cannot_write_are_refused_when_asked_for() -> None:
    population = Population(pa.table({"a": pa.array([2**62, 2**62], pa.timestamp("s"))}))
    with pytest.raises(InvalidTableError, match="holds a type of value that the engine does not know"):
        population.rarest_value("a")


@pytest.mark.parametrize("error", [OSError(SECRET), RuntimeError(SECRET), OverflowError(SECRET)], ids=repr)
def test_a_stream_that_fails_is_refused_in_one_sentence(error: Exception) -> None:
    def batches() -> Any:
        yield pa.record_batch({"a": ["x"]})
        raise error

    with pytest.raises(InvalidTableError, match="cannot be turned into an Arrow table") as refusal:
        Population(pa.RecordBatchReader.from_batches(pa.schema({"a": pa.string()}), batches()))
    assert SECRET not in str(refusal.value)


def test_numbers_that_no_type_holds_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(InvalidTableError, match="each of one type"):
        Population(pd.DataFrame({"a": [2**70, 1]}, dtype=object))


def test_paths_that_no_system_or_engine_takes(tmp_path: Path) -> None:
    with pytest.raises(InvalidTableError, match=r"a{100}\.csv': file name too long"):
        Population("a" * 5000 + ".csv")
    path = tmp_path / "people-\udcff.csv"
    try:
        path.write_text("a\n1\n")
    except (OSError, UnicodeEncodeError):
        pytest.skip("this system has no such names")
    with pytest.raises(InvalidTableError, match=r"people-\\udcff.csv': its path is not in UTF-8"):
        Population(path)


@pytest.mark.parametrize(("ticks", "read"), [([0, 1000, None, 1000], [1, 2]), ([0, 1, None, 1], None)])
def test_old_timestamps_are_read_where_no_nanosecond_is_lost(ticks: Any, read: Any, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    table = pa.table({"when.seen": pa.array(ticks, pa.timestamp("ns")), "all": ["a"] * len(ticks), "when": [1] * 4})
    pa.parquet.write_table(table, path, use_deprecated_int96_timestamps=True)
    assert Population(path, columns=["all"]).people == len(ticks)
    if read:
        assert Population(path).class_sizes(["when.seen"]).sizes.tolist() == read
    else:
        with pytest.raises(InvalidTableError, match=r"'when.seen' .* may hold nanoseconds in an old type"):
            Population(path)


def test_old_timestamps_inside_others_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    seen = pa.array([[0], [1]], pa.list_(pa.timestamp("ns")))
    pa.parquet.write_table(pa.table({"seen": seen}), path, use_deprecated_int96_timestamps=True)
    with pytest.raises(InvalidTableError, match=r"'seen' .* may hold nanoseconds"):
        Population(path)


HALVES = np.array([0.1, 0.1, 2, np.nan], np.float16)
SAYS_WHICH = "'a'.*make it text"


def test_halves_are_numbers() -> None:
    table = pa.table({"a": pa.array(HALVES, from_pandas=True)})
    encoded = pa.table({"a": pa.DictionaryArray.from_arrays([0, 0, 1, None], pa.array(HALVES[1:3]))})
    for given in (table, encoded):
        assert Population(given).class_sizes() == ClassSizes([1, 2], [2, 1])
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    for given in (pd.DataFrame({"a": HALVES}), pl.DataFrame({"a": pl.Series([0.1, 0.1, 2, None], dtype=pl.Float16)})):
        assert Population(given).class_sizes() == ClassSizes([1, 2], [2, 1])


def test_what_pandas_alone_can_say_is_told_as_it_says_it() -> None:
    pd = pytest.importorskip("pandas")
    ages = pd.Series([1, 2, 5, 7, 9.5, 99])
    for column, rarest, sizes in (
        (pd.cut(ages, [0, 2, 6, 10]), "(2, 6]", ClassSizes([1, 2], [2, 2])),
        (pd.cut(ages, [0, 2, 6, 10], right=False), "[0, 2)", ClassSizes([1, 2], [2, 2])),
        (pd.cut(ages, [0, 2, 6, 10]).astype(pd.IntervalDtype("float64", "right")), "(2.0, 6.0]", None),
        (pd.Series(pd.PeriodIndex(["2020-01", "NaT", "2020-01"], freq="M")), None, ClassSizes([1, 2], [1, 1])),
        (pd.Series(pd.PeriodIndex(["2020-01", "2020-02", "2020-01"], freq="M")), "2020-02", None),
        (pd.Series(pd.arrays.SparseArray([0, 0, 1])), "1", ClassSizes([1, 2], [1, 1])),
    ):
        population = Population(pd.DataFrame({"a": column}))
        assert population.rarest_value("a") == (rarest, 1)
        if sizes is not None:
            assert population.class_sizes() == sizes


NOON, EASTERN = datetime(2020, 1, 1, 12), timezone(timedelta(hours=-5))


@pytest.mark.parametrize(
    "values",
    [
        [b"a", "a"],
        [date(2020, 1, 1), NOON],
        [NOON, NOON.replace(tzinfo=UTC)],
        [time(12), time(12, tzinfo=EASTERN)],
        [time(12, tzinfo=UTC), time(12, tzinfo=EASTERN)],
        [True, 1],
        [2**53 + 1, 0.5],
        [1 + 1j],
        [{0, 8}, {8, 0}],
        [[b"a"], ["a"]],
        [{"b": NOON.date()}, {"b": NOON}],
    ],
    ids=repr,
)
def test_python_objects_of_which_arrow_would_lose_or_merge_some_are_refused(values: list[Any]) -> None:
    pd = pytest.importorskip("pandas")
    with pytest.raises(InvalidTableError, match=SAYS_WHICH):
        Population(pd.DataFrame({"a": pd.Series(values, dtype=object)}))


def test_nanoseconds_in_python_objects_are_refused_too() -> None:
    pd = pytest.importorskip("pandas")
    for values in ([pd.Timestamp(1), pd.Timestamp(2)], [timedelta(1), pd.Timedelta(1, "ns")]):
        with pytest.raises(InvalidTableError, match=SAYS_WHICH):
            Population(pd.DataFrame({"a": pd.Series(values, dtype=object)}))


def test_python_objects_of_one_kind_are_values() -> None:
    pd = pytest.importorskip("pandas")
    for values in (
        [b"a", b"a", b"b"],
        [1, 1.0, np.float32(2.5)],
        [NOON, NOON, NOON.replace(year=1500)],
        [NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=UTC).astimezone(EASTERN), NOON.replace(tzinfo=EASTERN)],
        [Decimal("1.0"), Decimal("1.00"), Decimal("1e-30")],
        [(1, 2), [1, 2], np.array([3])],
        [{"a": 1, "b": "x"}, {"b": "x", "a": 1}, {"a": 2}],
    ):
        frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
        assert Population(frame).class_sizes() == ClassSizes([1, 2], [1, 1]), values


def test_integers_that_arrow_lacks_are_refused_unless_left_out() -> None:
    pl = pytest.importorskip("polars")
    for kind in (pl.Int128, pl.UInt128, pl.List(pl.Int128), pl.Struct({"x": pl.UInt128})):
        value: Any = {"List": [2**100], "Struct": {"x": 2**100}}.get(str(kind).partition("(")[0], 2**100)
        frame = pl.DataFrame({"b": [1, 1], "a": pl.Series([value, value], dtype=kind)})
        with pytest.raises(InvalidTableError, match=SAYS_WHICH):
            Population(frame)
        assert Population(frame, columns=["b"]).class_sizes() == ClassSizes([2], [1])
