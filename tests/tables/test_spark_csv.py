"""Spark reads a CSV file as the table that its text says, to the last character; hundreds by hand with --cases."""

from collections import Counter
from functools import reduce
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest

from discretion.anonymity import Population
from discretion.errors import InvalidTableError
from discretion.tables.spark import spark_table
from hostile.csv_tables import Row, meant, told_apart, write
from support.engines import ON_SPARK

pytestmark = ON_SPARK

# Where a value holds a line feed Spark's own reader is needed, which drops these. Better no table than another.
REFUSED = ("has NUL characters and line breaks", "was read by Spark as")


def test_the_table_on_spark_is_what_the_text_says(spark: Any, tmp_path: Path, cases: int | None) -> None:
    expected: dict[int, list[Row]] = {}
    frames: list[Any] = []
    for number in range(cases or 40):
        path = tmp_path / f"{number}.csv"
        header = write(Random(f"CSV tables on Spark {number}"), path)
        table = meant(path, header)
        try:
            read = spark_table(path, spark, header=header)
        except InvalidTableError as refusal:
            assert (
                table is None
                or not told_apart(table[0])
                or (any(why in str(refusal) for why in REFUSED) and b"\n" in path.read_bytes())
            ), (path.read_bytes(), str(refusal))
            continue
        assert table is not None, path.read_bytes()
        assert read.columns == table[0], path.read_bytes()
        expected[number] = table[1]
        frames.append(spark.table(read.get_name()).selectExpr(f"{number} AS number", "array(*) AS people"))
        if number % 20 == 0 and table[1]:
            there, here = Population(read), Population(path, header=header)
            for columns in ([there.columns[0]], there.columns):
                assert there.class_sizes(columns) == here.class_sizes(columns)
            assert there.rarest_value(there.columns[0]) == here.rarest_value(there.columns[0])
    assert len(expected) > len(list(tmp_path.iterdir())) / 2
    found: dict[int, list[Row]] = {number: [] for number in expected}
    for number, values in reduce(lambda a, b: a.union(b), frames).collect():
        found[number].append(tuple(values))
    for number, rows in expected.items():
        assert Counter(found[number]) == Counter(rows), (tmp_path / f"{number}.csv").read_bytes()


@pytest.mark.parametrize(
    ("name", "text", "sizes"),
    [
        ("people.csv", '"town"\n"x\ry"\n"z"\n"z"\n', [1, 2]),
        ("people.csv", '"to\rwn"\n"x"\n"z"\n"z"\n', [1, 2]),
        ("people.csv", '"to\nwn"\r\n"x"\r\n"z"\r\n"z"\r\n', [1, 2]),
        ("people.csv", '"town"\r\n"x\r\ny"\r\n"z"\r\n"z"\r\n', [1, 2]),
        ("people.csv", "town\ntown\ntown\n\x1a\n", [1, 2]),
        ("people.csv", "town;age\nz;1,5\nx;1,5\nz;1,5\n\n\n", [1, 2]),
        ("people.csv", 'town;age\n"z\n";1,5\nx;1,5\n"z\n";1,5\n\n', [1, 2]),
        ("pe[o]ple*.csv", "town\nz\nx\nz", [1, 2]),
        ("people, with a=1 {b}.csv", "town\nz\nx\nz", [1, 2]),
    ],
)
def test_people_are_counted(spark: Any, tmp_path: Path, name: str, text: str, sizes: list[int]) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")
    assert Population(spark_table(path, spark, header=True)).class_sizes().sizes.tolist() == sizes


@pytest.mark.parametrize("town", ["Oslo", "Oslo\nNorth"])
def test_row_numbers_without_a_name(spark: Any, tmp_path: Path, town: str) -> None:
    path = tmp_path / "people.csv"
    pd.DataFrame({"town": [town, "Rome", town], "job": ["cook", "smith", "baker"]}).to_csv(path)
    there, here = Population(spark_table(path, spark)), Population(path)
    assert there.columns == here.columns == ("row", "town", "job")
    assert [there.class_sizes([name]) for name in there.columns] == [here.class_sizes([name]) for name in here.columns]


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("people.csv", 'town\n"x\ny\x00"\n', "has NUL characters and line breaks in its values"),
        ("people.csv", 'town\n"x\ny"\n\n', "was read by Spark as 1 rows but has 2; write it as Parquet"),
        ("_people.csv", "town\nx\n", "whose names begin with _ or ."),
    ],
)
def test_what_spark_would_not_count(spark: Any, tmp_path: Path, name: str, text: str, why: str) -> None:
    path = tmp_path / name
    path.write_text(text, newline="")
    with pytest.raises(InvalidTableError, match=why):
        spark_table(path, spark)
