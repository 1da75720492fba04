"""Class sizes on many sets of columns at once are those on each, and tables of any size are taken."""

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population
from discretion.errors import InvalidTableError, UnknownColumnError
from discretion.tables.counting import lattice
from oracles import tables

SIZES = {"sex": 2, "region": 9, "age": 90, "town": 400}


def crowd(people: int) -> pa.Table:
    """Return people with independent traits, and a county that the town determines."""
    rng = np.random.default_rng(6)
    columns = {name: rng.choice(k, people, p=rng.dirichlet(np.ones(k))) for name, k in SIZES.items()}
    return pa.table({**columns, "county": columns["town"] // 20, "planet": np.zeros(people, int)})


def every_set(columns: Any) -> list[tuple[str, ...]]:
    return [chosen for size in range(len(columns) + 1) for chosen in combinations(columns, size)]


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lattice, "_WORTH_KEEPING", 0)


def questions(population: Population, sets: Any, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many sets the rows were grouped on."""
    asked: list[Any] = []
    ask = lattice._ask
    monkeypatch.setattr(lattice, "_ask", lambda rows, them: ask(rows, [asked.append(c) or (c, g) for c, g in them]))
    population.class_sizes_of_all(sets)
    return len(asked)


few_values = st.sampled_from([None, "a", "b"])


@pytest.mark.long
@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("here", [True, False], ids=["by codes", "by an engine"])
@settings(max_examples=25)
@given(rows=st.lists(st.tuples(*[few_values] * 4), min_size=1, max_size=30), data=st.data())
def test_of_any_sets_asked_at_once(here: bool, rows: list[tuple[Any, ...]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.sets(st.integers(0, 3)).map(sorted), max_size=8))
    table = pa.table({"abcd"[j]: pa.array([row[j] for row in rows], pa.string()) for j in range(4)})
    population = Population(table if here else ibis.duckdb.connect().create_table("people", table))
    found = population.class_sizes_of_all([["abcd"[j] for j in positions] for positions in chosen])
    for sizes, positions in zip(found, chosen, strict=True):
        expected = tables.class_sizes(tables.restrict(rows, positions))
        assert dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True)) == expected


@pytest.mark.long
def test_groupings_are_kept_while_they_help_and_no_longer() -> None:
    connection = ibis.duckdb.connect()
    table = connection.create_table("people", crowd(200_000))
    before = connection.con.execute("SHOW ALL TABLES").fetchall()
    sets = every_set(table.columns)
    found = Population(table).class_sizes_of_all(sets)
    separate = Population(table)
    assert list(found) == [separate.class_sizes(columns) for columns in sets]
    assert connection.con.execute("SHOW ALL TABLES").fetchall() == before


def test_an_engine_where_groupings_would_have_to_be_written_is_asked_set_by_set(
    kept: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ibis.duckdb.connect().create_table("people", crowd(1000))
    expected = Population(table).class_sizes_of_all(every_set(table.columns))
    monkeypatch.setattr("discretion.tables.engines.rows._KEEPING_ENGINES", ())
    monkeypatch.setattr(type(table), "cache", None)
    assert Population(table).class_sizes_of_all(every_set(table.columns)) == expected


def test_what_others_determine_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = every_set(["age", "town", "county", "planet"])[1:]
    # Nothing beside the planet, and county only alone, with age, with town (to see that it adds nothing).
    asked = questions(Population(ibis.duckdb.connect().create_table("people", crowd(5000))), sets, monkeypatch)
    assert asked == len([("age",), ("town",), ("county",), ("planet",)]) + len(
        [("age", "town"), ("age", "county"), ("town", "county")]
    )


def test_nothing_adds_to_what_tells_everybody_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    table = crowd(500).append_column("number", pa.array(range(500)))
    population = Population(ibis.duckdb.connect().create_table("people", table))
    assert questions(population, [("number",), *(("number", name) for name in SIZES)], monkeypatch) == 1


def test_people_with_several_rows_are_asked_set_by_set() -> None:
    table = crowd(300).append_column("who", pa.array(np.arange(300) // 3))
    population, again = Population(table, person="who"), Population(table, person="who")
    sets = every_set(["sex", "region", "planet"])
    assert list(population.class_sizes_of_all(sets)) == [again.class_sizes(columns) for columns in sets]


@pytest.mark.long
def test_a_million_distinct_values() -> None:
    n = 1_000_000
    table = pa.table({"id": np.arange(n), "text": [f"{i}" for i in range(n)], "half": np.arange(n) // 2})
    alone, text, half, all_of_them = Population(table).class_sizes_of_all(
        [["id"], ["text"], ["half"], table.column_names]
    )
    assert (alone.unique, text.unique, all_of_them.unique) == (n, n, n)
    assert (half.sizes.tolist(), half.counts.tolist()) == ([2], [n // 2])


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.list_(pa.float64()), pa.null()])
def test_a_column_of_nothing_but_null_tells_nothing(kind: pa.DataType) -> None:
    table = crowd(1000).append_column("empty", pa.array([None] * 1000, kind))
    population = Population(table)
    alone, sex, both = population.class_sizes_of_all([["empty"], ["sex"], ["sex", "empty"]])
    assert (alone.sizes.tolist(), both) == ([1000], sex)
    assert population.rarest_value("empty") == (None, 1000)


def test_columns_that_there_are_not_or_are_named_twice() -> None:
    population = Population(crowd(10))
    with pytest.raises(UnknownColumnError, match="there is no column 'twon'; did you mean 'town'"):
        population.class_sizes_of_all([["sex"], ["twon"]])
    with pytest.raises(InvalidTableError, match="'sex' is named twice"):
        population.class_sizes_of_all([["sex", "sex"]])
    doubled = pa.table([pa.array([1]), pa.array([2])], names=["sex", "sex"])
    with pytest.raises(InvalidTableError, match="have the same name"):
        Population(doubled)


@pytest.mark.long
@pytest.mark.usefixtures("kept")
def test_threads_get_the_answers_to_their_own_questions_about_many_sets() -> None:
    one, many = Population(crowd(2000)), [Population(crowd(2000))] * 12
    sets = every_set(one.columns)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda population: population.class_sizes_of_all(sets), many))
    assert found == [one.class_sizes_of_all(sets)] * len(many)
