"""Texts become codes that stand for them, whatever their Arrow type and however they come in pieces."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discretion.anonymity import Population
from discretion.errors import InvalidTableError
from discretion.tables.engines.arrow_tables import _coded

TEXTS = [pa.string(), pa.large_string(), pa.string_view()]


def decoded(codes: Any, texts: Any) -> list[Any]:
    told = texts.to_pylist()
    return [None if code is None else told[code] for code in codes.to_pylist()]


@pytest.mark.long
@pytest.mark.parametrize("kind", TEXTS, ids=str)
@pytest.mark.parametrize(
    ("values", "narrowest"), [(3, pa.uint8()), (256, pa.uint8()), (257, pa.uint16()), (70_000, pa.int32())]
)
def test_codes_stand_for_their_texts(kind: pa.DataType, values: int, narrowest: pa.DataType) -> None:
    first = [None, *(f"é{i % min(values, 30_000)}" for i in range(70_000))]
    second = [f"é{i}" for i in range(values)] + [None, ""]
    column = pa.chunked_array([pa.array(first, kind), pa.array([], kind), pa.array(second[: values + 1], kind)])
    table, dictionaries = _coded(pa.table({"a": column, "b": range(len(column))}))
    assert table["a"].type == narrowest
    assert decoded(table["a"], dictionaries["a"]) == column.to_pylist()
    assert table["b"].to_pylist() == list(range(len(column)))


@pytest.mark.parametrize("values", [[], ["a", "b", "c"], [str(i) for i in range(70_000)]], ids=["none", "few", "many"])
def test_texts_that_hardly_repeat_are_left(values: list[str]) -> None:
    table = pa.table({"a": pa.array(values, pa.string())})
    assert _coded(table) == (table, {})


def test_a_column_of_nothing_but_nulls() -> None:
    population = Population(pa.table({"a": pa.array([None] * 5, pa.string()), "b": ["x"] * 5}))
    assert population.class_sizes().sizes.tolist() == [5]
    assert population.rarest_value("a") == (None, 5)


def test_values_come_back_as_they_were() -> None:
    people = pa.table({"a": ["x", 'say "y"', "x", None, "x", 'say "y"', "é", "é", "é", "x"], "n": [10**6] * 10})
    population = Population(people)
    assert population.common_values("a", 1) == [("x", 4), ("é", 3), ('say "y"', 2), (None, 1)]
    assert population.common_values("n", 1) == [("1000000", 10)]


def test_bytes_that_are_no_text_are_refused() -> None:
    broken = pa.Array.from_buffers(
        pa.string(),
        8,
        [None, pa.py_buffer(b"".join(i.to_bytes(4, "little") for i in range(9))), pa.py_buffer(b"\xff" * 8)],
    )
    with pytest.raises(InvalidTableError, match="cannot be read"):
        Population(pa.table({"a": broken}))


def test_nothing_of_a_table_is_kept_beside_its_copy() -> None:
    before = pa.total_allocated_bytes()
    population = Population(pa.table({"n": pa.array(range(1_000_000), pa.int64())}))
    assert pa.total_allocated_bytes() - before < 1_000_000
    assert population.people == 1_000_000


@pytest.mark.long
def test_threads_get_the_answers_to_their_own_questions() -> None:
    rng = np.random.default_rng(0)
    table = pa.table({f"c{i}": rng.integers(0, 5 + i, 20_000).astype(str) for i in range(8)})
    pairs = list(combinations(table.column_names, 2))
    one, many = Population(table), Population(table)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(many.class_sizes, pairs)) == [one.class_sizes(pair) for pair in pairs]


@pytest.mark.parametrize(
    "numbers", [[-128, 127], [-129, 0], [2**31 - 1, -(2**31)], [2**31, 0], [2**63 - 1, None], [None, None]]
)
def test_integers_stay_the_numbers_they_are(numbers: list[Any]) -> None:
    population = Population(pa.table({"a": pa.array([*numbers, numbers[0]], pa.int64())}))
    given = {None if number is None else str(number) for number in numbers}
    assert {value for value, _ in population.common_values("a", 1)} == given
