"""Columns that may go out together, of a table as wide as a census: one set counted in several ways, and the search."""

from collections.abc import Callable

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import discretion as dc
from discretion.numerics.equivalence_classes import Column, everybody, refined, rows_in_small

PEOPLE, TRAITS, CONSTANTS, RECODES = 299_285, 26, 8, 8


@pytest.fixture(scope="module")
def census() -> pa.Table:
    """Return traits with one common answer, asked of some groups of people only, recodes of these, and constants."""
    draw = np.random.default_rng(0)
    group = draw.choice(6, PEOPLE, p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03])
    columns: dict[str, pa.Array] = {}
    for j in range(TRAITS):
        values, common = int(draw.choice([2, 3, 4, 6, 9, 17, 38, 52])), draw.uniform(0.45, 0.995)
        rest = 1 / np.arange(1, values) ** 1.4
        answers = draw.choice(values, PEOPLE, p=[common, *(1 - common) * rest / rest.sum()])
        held = np.where((draw.random(6) < 0.6)[group], answers, 0)
        columns[f"trait {j}"] = pa.array([f"answer {value}" for value in range(values)]).take(pa.array(held))
    for j in range(RECODES):
        columns[f"recode {j}"] = columns[f"trait {j}"].dictionary_encode().indices
    columns |= {f"constant {j}": pa.array(["94"] * PEOPLE) for j in range(CONSTANTS)}
    return pa.table(columns)


def by_codes(columns: list[Column]) -> int:
    """Refine the classes of all but one column, and count them with the last."""
    classes = everybody(PEOPLE)
    for column in columns[:-1]:
        classes = refined(classes, column)
    return rows_in_small(classes, columns[-1], 10)


def by_sorting(columns: list[Column]) -> int:
    """Add a random word for each value, and sort: exact but for a chance of collisions of 2⁻²⁹."""
    draw = np.random.default_rng(1)
    words = sum(draw.integers(0, 1 << 64, column.count, np.uint64)[column.codes] for column in columns)
    _, sizes = np.unique(np.asarray(words), return_counts=True)
    return int(sizes[sizes < 10].sum())


@pytest.mark.benchmark(group="people exposed by ten columns")
@pytest.mark.parametrize("way", [by_codes, by_sorting])
def test_one_set(benchmark, census: pa.Table, way: Callable[[list[Column]], int]) -> None:
    codes = (census[f"trait {j}"].combine_chunks().dictionary_encode() for j in range(10))
    columns = [Column(np.asarray(c.indices, np.int32), len(c.dictionary)) for c in codes]
    assert benchmark(way, columns) == by_codes(columns)


@pytest.mark.benchmark(group="people exposed by ten columns")
def test_one_set_by_duckdb(benchmark, census: pa.Table) -> None:
    connection = duckdb.connect()
    connection.register("census", census)
    names = ", ".join(f'"trait {j}"' for j in range(10))
    connection.execute(f"create table people as select {names} from census")
    asked = f"select sum(n) from (select count(*) n from people group by {names}) where n < 10"
    assert benchmark(lambda: connection.execute(asked).fetchall()[0][0]) >= 0


@pytest.mark.benchmark(group="the search of 42 columns, 20 seconds")
def test_the_search(benchmark, census: pa.Table) -> None:
    people = dc.Population(census)
    found = benchmark.pedantic(lambda: dc.select_columns(people, 0.01, k=10, time_limit=20), rounds=1)
    benchmark.extra_info |= {"columns": len(found.columns), "bound": found.bound, "ended": found.ended}
    assert found.best.exposure <= 0.01
