"""A release of a table that lives in an engine is that of the same rows in a file."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discretion as dc
from discretion.errors import EngineError, InvalidValueError, TooLargeError, UnsupportedError
from discretion.tables import ibis_tables
from support.cli_runner import run
from support.servers import PASSWORD, Server

DRAW = np.random.default_rng(30)
ROWS = 600
TABLE = pa.table(
    {
        "age": DRAW.integers(20, 70, ROWS),
        "town": [[None, "Åbo", 'a "b", c', "x\ny", ""][i] for i in DRAW.integers(0, 5, ROWS)],
        "income": [float(x) for x in DRAW.integers(1, 40, ROWS) * 500],
        "born": [date(1950, 1, 1) + timedelta(days=400 * int(i)) for i in DRAW.integers(0, 30, ROWS)],
        "seen": [datetime(2024, 1, 1, 12) + timedelta(days=int(i)) for i in DRAW.integers(0, 20, ROWS)],
        "paid": [Decimal(int(i)) / 4 for i in DRAW.integers(0, 6, ROWS)],
        "smokes": [[True, False, None][i] for i in DRAW.integers(0, 3, ROWS)],
    }
)
GOAL: dict[str, Any] = {"k": 5, "budget": 0.0, "max_suppressed": 0.1, "sensitive": "smokes", "keep": ["smokes"]}


def rows_of(path: Path) -> list[str]:
    return sorted(map(repr, pq.read_table(path).to_pylist()))


def check_alike(table: Any, tmp_path: Path, oracle: pa.Table = TABLE) -> None:
    expected = dc.release(oracle, tmp_path / "expected.parquet", **GOAL)
    result = dc.release(table, tmp_path / "out.parquet", **GOAL)
    assert (result.people, result.columns, result.checked, result.suppressed) == (
        expected.people, expected.columns, expected.checked, expected.suppressed,
    )  # fmt: skip
    assert rows_of(tmp_path / "out.parquet") == rows_of(tmp_path / "expected.parquet")


@pytest.mark.long
@pytest.mark.parametrize("at_once", [1, 7, 100_000])
def test_a_table_in_place_is_released_as_its_rows_are(
    at_once: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ibis_tables, "AT_ONCE", at_once)
    check_alike(ibis.duckdb.connect().create_table("people", TABLE), tmp_path)


def test_what_does_not_fit_is_refused_before_it_is_all_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ibis_tables, "AT_ONCE", 10)
    monkeypatch.setattr(ibis_tables, "as_memory", lambda _: 2000)
    table = ibis.duckdb.connect().create_table("people", TABLE)
    with pytest.raises(TooLargeError, match="does not fit into 2 KB of memory; allow more"):
        dc.release(table, tmp_path / "out.parquet", **GOAL)
    assert not [*tmp_path.iterdir()]


def test_lists_are_refused(tmp_path: Path) -> None:
    table = ibis.duckdb.connect().create_table("people", pa.table({"a": [[1, 2], [1]] * 20, "b": [1, 2] * 20}))
    with pytest.raises(UnsupportedError, match="a column has lists"):
        dc.release(table, tmp_path / "out.parquet")


def test_an_engine_that_fails_meanwhile_is_one_sentence(tmp_path: Path) -> None:
    engine = ibis.duckdb.connect()
    people = engine.create_table("people", pa.table({"a": ["1", "2"] * 20}))
    broken = people.mutate(b=ibis.ifelse(people.a == "2", "sEcReT", "7").cast("int64"))
    with pytest.raises(EngineError) as failure:
        dc.release(broken, tmp_path / "out.parquet")
    assert "sEcReT" not in str(failure.value)


@pytest.fixture(scope="module")
def clinic(postgres: Server) -> Server:
    import psycopg

    kinds = ("bigint", "text", "double precision", "date", "timestamp", "numeric(9, 2)", "boolean")
    fields = ", ".join(f'"{name}" {kind}' for name, kind in zip(TABLE.column_names, kinds, strict=True))
    with psycopg.connect(
        host="127.0.0.1", port=postgres.port, user="ada", password=PASSWORD, dbname="clinic", autocommit=True
    ) as made:
        made.execute(f"CREATE TABLE patients ({fields})")
        places = ", ".join(["%s"] * len(kinds))
        with made.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO patients VALUES ({places})", list(zip(*TABLE.to_pydict().values(), strict=True))
            )
        made.execute(
            "CREATE TABLE odd_kinds AS SELECT md5((i % 5)::text)::uuid AS code,"
            " json_build_object('a', i % 3)::jsonb AS own, (i % 4)::numeric / 2 AS share, '10.0.0.1'::inet AS host"
            " FROM generate_series(1, 200) AS i"
        )
        made.execute("CREATE TABLE stays AS SELECT i % 20 AS id, i % 3 AS ill FROM generate_series(1, 240) AS i")
    return postgres


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_a_table_on_postgresql_is_released_as_its_rows_are(
    clinic: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    monkeypatch.setattr(ibis_tables, "AT_ONCE", 100)
    check_alike(clinic.address(asks="?table=patients"), tmp_path)
    out = tmp_path / "odd.csv"
    result = dc.release(clinic.address(asks="?table=odd_kinds"), out, k=3, budget=0, max_suppressed=0)
    assert {each.column: each.verdict for each in result.columns}["share"] == "publish"
    assert "1.5" in out.read_text()
    with pytest.raises(InvalidValueError, match="the column id has 20 values in 240 rows"):
        dc.release(clinic.address(asks="?table=stays"), out)
    code, _, err = run("release", clinic.address(asks="?table=patients"), "--out", str(tmp_path / "by.csv"), "--k", "5")
    assert (code, err) == (0, "")
    assert PASSWORD not in (tmp_path / "by.csv.discretion.json").read_text()


@pytest.mark.spark
def test_a_table_on_spark_is_released_as_its_rows_are(spark: Any, tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "people.parquet")
    check_alike(dc.tables.spark_table(tmp_path / "people.parquet", spark), tmp_path)
