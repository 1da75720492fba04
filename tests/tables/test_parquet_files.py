"""A Parquet file with texts stored as codes is the table that the engine would read, whatever its writer did."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from discretion.anonymity import Population
from discretion.errors import InvalidTableError, UnknownColumnError
from discretion.tables import parquet_files
from discretion.tables.engines.arrow_tables import TextCoding

N = 3000
rng = np.random.default_rng(0)
TEXTS = pa.array(["north", "south", "é", "", None, "a\nb"])
TABLE = pa.table(
    {
        "town": TEXTS.take(pa.array(rng.integers(0, 6, N))),
        "job": pa.array([f"job {i}" for i in rng.integers(0, 300, N)]),
        "age": pa.array(rng.integers(0, 90, N), pa.int8()),
        "day": pa.array(rng.integers(0, 90, N), pa.int32()).cast(pa.date32()),
        "height": pa.array([(0.0, -0.0, float("nan"), 1.5, None)[i] for i in rng.integers(0, 5, N)]),
        "member": pa.array(rng.integers(0, 2, N) > 0),
        "empty": pa.array([None] * N, pa.string()),
    }
)
SETS = [[name] for name in TABLE.column_names] + [["town", "job"], ["town", "age", "height"], TABLE.column_names]
WRITERS: dict[str, Any] = {
    "at once": {},
    "in groups with texts of their own": {"row_group_size": 100},
    "old pages": {"version": "1.0", "data_page_version": "2.0", "data_page_size": 64},
    "without codes": {"use_dictionary": False},
    "codes for some": {"use_dictionary": ["town"]},
    "codes given up": {"dictionary_pagesize_limit": 32},
    "without Arrow's schema": {"store_schema": False},
}


@pytest.fixture(autouse=True)
def of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_files, "LEAST_ROWS", 1)


def answers(population: Population) -> list[Any]:
    return [
        population.class_sizes_of_all(SETS),
        population.class_sizes(["town", "height"]),
        [population.rarest_value(name) for name in TABLE.column_names],
        [sorted(map(repr, population.common_values(name, 1))) for name in TABLE.column_names],
        sorted(
            (len(which), rows) for which, rows in population.agreements({"town": "é", "job": "job 7", "empty": None})
        ),
        population.absent_values("town", ["west", "", None, "é"]),
    ]


@pytest.mark.one_in(7)
@pytest.mark.parametrize("writer", WRITERS)
def test_it_is_the_table_in_memory(writer: str, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(TABLE, path, **WRITERS[writer])
    assert answers(Population(path)) == answers(Population(TABLE))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_any_kind_of_arrow(kind: pa.DataType, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(TABLE.set_column(0, "town", TABLE["town"].cast(kind)), path)
    assert answers(Population(path)) == answers(Population(TABLE))


def test_texts_that_a_dictionary_holds_twice_are_one() -> None:
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1, None, 3]), pa.array(["a", "b", "a", None]))
    coding = TextCoding()
    codes = coding.codes(twice).to_pylist()
    assert [None if code is None else coding.texts[code].as_py() for code in codes] == ["a", "b", "a", "b", None, None]
    assert coding.texts.to_pylist() == ["a", "b"]


def test_it_is_not_read_by_the_engine_if_texts_repeat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(TABLE, path)
    coded = parquet_files._coded
    found: list[Any] = []
    monkeypatch.setattr(parquet_files, "_coded", lambda *given: found.append(coded(*given)) or found[-1])
    Population(path)
    Population(path, memory="50MB", columns=["age", "day"])
    assert [each is None for each in found] == [False, True]
    names = pa.table({"name": [f"person {i} of all of them" for i in range(200_000)]})
    parquet.write_table(names, path)
    assert Population(path).class_sizes().unique == 200_000
    assert found[-1] is None


def test_more_texts_than_codes_are_read_by_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_files, "MAX_CODES", 299)
    path = tmp_path / "people.parquet"
    parquet.write_table(TABLE, path)
    assert answers(Population(path)) == answers(Population(TABLE))


def test_a_name_that_is_a_value_of_its_column_is_refused_unless_it_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    parquet.write_table(TABLE.append_column("maria", pa.array(["maria", "jo"] * (N // 2))), path)
    with pytest.raises(InvalidTableError, match=f"the name of column {TABLE.num_columns + 1} "):
        Population(path)
    with pytest.raises(InvalidTableError, match=f"the name of column {TABLE.num_columns + 1} "):
        Population(path, columns=["twon"])  # whose error would list the names
    assert Population(path, columns=["town"]).columns == ("town",)
    assert Population(path, header=True).class_sizes(["maria"]).classes == 2
    with pytest.raises(UnknownColumnError, match="there is no column 'twon'"):
        Population(path, columns=["twon"], header=True)
