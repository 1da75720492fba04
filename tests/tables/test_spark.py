"""Tables on a Spark cluster: what goes wrong there ends in one sentence, and never in half a report."""

import re
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from discretion.anonymity import Population
from discretion.errors import EngineError, InvalidTableError, UnsupportedError
from discretion.jobs.audit import audit
from discretion.tables.spark import spark_table
from support.cli_runner import run
from support.engines import ON_SPARK

SECRET = "sEcReT"
PEOPLE = {"sex": ["f", "m", "f", None, "m", "f"], 'a "quoted", name': ["1", "2", "é", "x, y", 'say "x"', "01"]}


def on_spark(test: Any) -> Any:
    for mark in ON_SPARK:
        test = mark(test)
    return test


@on_spark
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_on_spark_is_the_file_here(spark: Any, kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"people.{kind}"
    if kind == "csv":
        pa.csv.write_csv(pa.table(PEOPLE), path)
    else:
        pq.write_table(pa.table(PEOPLE), path)
    there, here = Population(spark_table(path, spark)), Population(path)
    assert there.columns == here.columns == tuple(PEOPLE)
    for columns in (["sex"], ['a "quoted", name'], list(PEOPLE)):
        assert there.class_sizes(columns) == here.class_sizes(columns)
        assert there.rarest_value(columns[0]) == here.rarest_value(columns[0])


@on_spark
@pytest.mark.parametrize("table", ["example:adult", "people.csv"])
def test_the_main_job_is_the_same_on_spark(
    spark: Any, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pa.csv.write_csv(pa.table({"sex": ["f", "m"] * 8, "work": [*"abcdefgh", *["a", "b"] * 4]}), "people.csv")
    asked = ["--columns", "sex,race,income" if table.startswith("example") else "sex,work", "--k", "4", "--json"]
    (code, there, err), (_, here, _) = (
        run("audit", table, *asked, "--engine", engine) for engine in ("spark", "duckdb")
    )
    assert code == 0
    assert re.fullmatch(
        "discretion: note: while Spark counts, its workers hold people's values on their disks, .*\n", err
    )
    assert there.replace('"spark"', '"duckdb"') == here


@on_spark
def test_a_line_break_in_a_value(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('sex,note\nf,"a\nb"\nm,""\nm,\n')
    assert Population(spark_table(path, spark)).class_sizes(["note"]).sizes.tolist() == [1, 2]


@on_spark
def test_a_job_that_dies_midway_leaves_no_report(spark: Any) -> None:
    import ibis

    spark.sql(
        "CREATE OR REPLACE TEMP VIEW dying AS SELECT"
        f" if(id = 90000, raise_error('{SECRET}'), id % 7) AS a, id % 3 AS b FROM range(0, 100000, 1, 4)"
    )
    dying = ibis.pyspark.connect(spark).table("dying")
    assert Population(dying).class_sizes(["b"]).people == 100_000
    for ask in (lambda: Population(dying).class_sizes(), lambda: audit(dying)):
        with pytest.raises(EngineError, match=r"failed before it answered .*, so there is no result") as refusal:
            ask()
        assert SECRET not in str(refusal.value)
        assert "\n" not in str(refusal.value)


@on_spark
def test_a_job_that_is_cancelled(spark: Any) -> None:
    import ibis

    spark.sql(
        "CREATE OR REPLACE TEMP VIEW endless AS"
        " SELECT id AS a FROM range(100000000000) WHERE sha2(string(id), 256) > '0'"
    )
    endless = ibis.pyspark.connect(spark).table("endless")

    def cancel() -> None:
        while not spark.sparkContext.statusTracker().getActiveJobsIds():
            time.sleep(0.1)
        spark.sparkContext.cancelAllJobs()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    with pytest.raises(EngineError, match="failed before it answered"):
        Population(endless)
    canceller.join()


def test_without_pyspark_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table(PEOPLE), path)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(UnsupportedError, match="needs the package pyspark, which Discretion's extra spark brings"):
        spark_table(path)
    code, out, err = run("audit", str(path), "--engine", "spark")
    assert (code, out) == (2, "")
    assert "Discretion's extra spark" in err


@pytest.mark.parametrize(
    ("name", "fault"),
    [("nobody.parquet", "there is no file"), ("people.json", "Spark reads .parquet and .csv"), ("bad.csv", "line 3")],
)
def test_files_that_spark_is_not_given(name: str, fault: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(f"a,b\n1,2\n{SECRET}\n")
    with pytest.raises(InvalidTableError, match=fault) as refusal:
        spark_table(tmp_path / name)
    assert SECRET not in str(refusal.value)
