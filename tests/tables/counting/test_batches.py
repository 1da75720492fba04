"""Several sets of columns in one pass over the rows are what each is by itself."""

from itertools import combinations
from typing import Any

import ibis
import pyarrow as pa
import pytest

from discretion.tables.counting import batches, rarest_values
from discretion.tables.counting.grouping import SIZE
from discretion.tables.counting.lattice import histogram
from discretion.tables.engines.rows import Rows
from discretion.tables.sources import open_rows
from oracles import tables

# Of each type two columns, so that they share a slot; null beside what is not there in another set.
TABLES: dict[str, dict[str, pa.Array]] = {
    "a row": {"a": pa.array(["x"]), "b": pa.array([None], pa.string())},
    "nothing but null": {"a": pa.array([None] * 3, pa.string()), "b": pa.array([None] * 3, pa.int64())},
    "texts": {"a": pa.array(["x", "", None, "x"]), "b": pa.array(["x", "x", "y", None])},
    "types": {
        "a": pa.array([1, 2, 2, None]),
        "b": pa.array([2.5, -0.0, 0.0, None]),
        "c": pa.array(["1", "2", "2", None]),
        "d": pa.array([True, None, True, False]),
        "e": pa.array([1, 1, 1, 1]),
        "f": pa.array([[1], [1, 2], None, [1]]),
    },
}


def held(columns: dict[str, pa.Array]) -> Rows:
    """Hold a table in an engine of its own, which keeps texts as texts."""
    return open_rows(ibis.duckdb.connect().create_table("people", pa.table(columns)), lambda names: names)


def people_of(columns: dict[str, pa.Array]) -> list[tuple[str, ...]]:
    return [
        tuple(repr(0.0 if value == 0 else value) for value in row.values()) for row in pa.table(columns).to_pylist()
    ]


@pytest.mark.parametrize("kind", TABLES)
def test_class_sizes_of_several_sets_in_one_pass(kind: str) -> None:
    rows, people, names = held(TABLES[kind]), people_of(TABLES[kind]), list(TABLES[kind])
    sets = [chosen for size in range(1, len(names) + 1) for chosen in combinations(range(len(names)), size)]
    named = [[names[j] for j in chosen] for chosen in sets]
    grouped = rows.table.group_by(list(rows.fields.values())).agg(**{SIZE: rows.table.count()})
    for table in (rows.table, grouped):
        found: list[dict[int, int]] = [{} for _ in sets]
        classes = batches.classes_in_one_pass(rows, table, named)
        for size, i, count in rows.ask(histogram(classes, batches.VIEW)):
            found[i][size] = count
        assert found == [tables.class_sizes(tables.restrict(people, chosen)) for chosen in sets]


@pytest.mark.parametrize("kind", TABLES)
def test_rarest_values_in_one_pass(kind: str) -> None:
    rows, people, names = held(TABLES[kind]), people_of(TABLES[kind]), list(TABLES[kind])
    least = {name: min(tables.class_sizes([(row[j],) for row in people])) for j, name in enumerate(names)}
    assert list(rarest_values._in_passes(rows, least)) == list(rarest_values._apart(rows, least, len(people)))


def test_a_class_has_no_more_keys_than_the_widest_set_has_columns_of_a_type() -> None:
    rows = held({name: pa.array([1]) for name in "abcdefgh"})
    classes: Any = batches.classes_in_one_pass(rows, rows.table, combinations("abcdefgh", 2))
    assert len(classes.columns) == 2 + 2


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 200])
def test_passes_hold_each_item_once(length: int) -> None:
    parts = list(batches.passes(range(length)))
    assert [item for part in parts for item in part] == list(range(length))
    assert all(0 < len(part) <= 64 for part in parts)
