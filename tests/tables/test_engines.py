"""Every engine tells the same values apart, and gives the same class sizes to the last one."""

import datetime
import decimal
import math
from itertools import combinations
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from discretion.anonymity import Population, column_kinds, generalised, select_columns
from discretion.jobs.audit import audit
from discretion.tables.counting import lattice
from oracles import tables

NAN = float("nan")
DAY, LATER = datetime.date(1, 1, 1), datetime.date(9999, 12, 31)
NOON = datetime.datetime(2020, 3, 29, 12)
TICK = datetime.timedelta(microseconds=1)

# A name → the values of a column, each with the same number of people as it is listed, and which of them are the same.
VALUES: dict[str, tuple[pa.Array, list[int]]] = {
    "null": (pa.array([None, None, "", "null", "None"]), [0, 0, 1, 2, 3]),
    "nothing but null": (pa.array([None] * 3, pa.string()), [0, 0, 0]),
    "not a number": (pa.array([NAN, -NAN, None, math.inf, -math.inf], from_pandas=False), [0, 0, 1, 2, 3]),
    "zero": (pa.array([0.0, -0.0, 5e-324, None]), [0, 0, 1, 2]),
    "near": (pa.array([0.1 + 0.2, 0.3, 0.3]), [0, 1, 1]),
    "whole numbers": (pa.array([2**53, 2**53 + 1, -(2**63), 2**63 - 1, 2**53]), [0, 1, 2, 3, 0]),
    "truth": (pa.array([True, False, None, True]), [0, 1, 2, 0]),
    "case and blanks": (pa.array(["a", "A", "a ", " a", "a", "\u00a0a"]), [0, 1, 2, 3, 0, 4]),
    "composed": (pa.array(["\u00e9", "e\u0301", "\u00e9"]), [0, 1, 0]),
    "compatible": (pa.array(["\ufb01", "fi", "\u212b", "\u00c5", "A\u030a"]), [0, 1, 2, 3, 4]),
    "beyond the plane": (pa.array(["😀", "😁", "😀", "\x00", ""]), [0, 1, 0, 2, 3]),
    "dates": (pa.array([DAY, DAY, LATER, None]), [0, 0, 1, 2]),
    "timestamps": (pa.array([NOON, NOON + TICK, NOON], pa.timestamp("us")), [0, 1, 0]),
    "instants": (pa.array([NOON, NOON + TICK, NOON], pa.timestamp("us", tz="Europe/Paris")), [0, 1, 0]),
    "decimals": (pa.array([decimal.Decimal(x) for x in ("1.50", "1.5", "1.51", "-1.5")]), [0, 0, 1, 2]),
    "wide decimals": (
        pa.array([decimal.Decimal("9" * 36 + ".01"), decimal.Decimal("9" * 36 + ".02")], pa.decimal128(38, 2)),
        [0, 1],
    ),
    "bytes": (pa.array([b"\x00\xff", b"\x00\xff", b"", None]), [0, 0, 1, 2]),
    "lists": (pa.array([[1, None], [None, 1], [1, None], [], None]), [0, 1, 0, 2, 3]),
    "lists of zeros": (pa.array([[0.0], [-0.0], [NAN], [NAN]], from_pandas=False), [0, 0, 1, 1]),
    "structures": (pa.array([{"a": 1, "b": None}, {"a": None, "b": 1}, {"a": 1, "b": None}, None]), [0, 1, 0, 2]),
    "nested": (pa.array([[{"a": "x, y"}], [{"a": "x"}, {"a": "y"}], [{"a": "x, y"}]]), [0, 1, 0]),
    "maps": (pa.array([[("a", 1)], [("a", 1)], [("a", 2)], []], pa.map_(pa.string(), pa.int64())), [0, 0, 1, 2]),
    "categories": (pa.array(["a", "b", "a", None]).dictionary_encode(), [0, 1, 0, 2]),
}


def histogram(sizes: Any) -> dict[int, int]:
    return dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize("kind", VALUES)
def test_the_same_values_are_the_same(engine: Any, kind: str) -> None:
    values, same = VALUES[kind]
    population = Population(engine(pa.table({"x": values, "y": ["all"] * len(same)})))
    assert histogram(population.class_sizes(["x"])) == tables.class_sizes(same)
    assert population.class_sizes(["x", "y"]) == population.class_sizes_of_all([["x"], ["x", "y"]])[1]
    assert population.best_guesses(["x"], "y") == len(same)
    assert population.best_guesses([], "x") == max(same.count(value) for value in same)
    assert population.rarest_value("x")[1] == min(same.count(value) for value in same)
    held = [people for _, people in population.common_values("x", 2)]
    assert held == sorted((count for value in set(same) if (count := same.count(value)) > 1), reverse=True)
    assert population.agreements({"y": "all"}) == [(frozenset("y"), len(same))]


@pytest.mark.long
def test_all_kinds_of_values_beside_each_other(engine: Any) -> None:
    width = {
        name: (values.take(pa.array([i % len(values) for i in range(60)])), same)
        for name, (values, same) in VALUES.items()
    }
    population = Population(engine(pa.table({name: values for name, (values, _) in width.items()})))
    people = [tuple(same[i % len(same)] for _, same in width.values()) for i in range(60)]
    assert histogram(population.class_sizes()) == tables.class_sizes(people)
    names = list(width)
    sets = [(j,) for j in range(len(names))] + [(j, (7 * j + 3) % len(names)) for j in range(len(names))]
    found = population.class_sizes_of_all([names[j] for j in dict.fromkeys(chosen)] for chosen in sets)
    assert [histogram(sizes) for sizes in found] == [tables.class_sizes(tables.restrict(people, c)) for c in sets]
    rarest = population.rarest_values(names)
    assert [holders for _, holders in rarest.values()] == [sizes.smallest for sizes in found[: len(names)]]
    assert rarest == {name: population.rarest_value(name) for name in names}


def test_columns_are_of_the_same_kinds_on_every_engine(engine: Any) -> None:
    late = [None] * 15_000 + [f"{day % 28 + 1:02d}.03.{1950 + day % 70}" for day in range(5_000)]
    table = pa.table(
        {
            "id": range(20_000),
            "born": late,  # which the first rows do not show
            "height": [150 + i % 50 for i in range(20_000)],
            "at": pa.array([DAY] * 20_000),
            "nothing": pa.array([None] * 20_000, pa.string()),
        }
    )
    there, here = column_kinds(Population(engine(table))), column_kinds(Population(table))
    assert there == here
    assert [kind.kind for kind in there] == ["identifier", "date", "trait", "constant", "constant"]


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            *[st.sampled_from([None, "", "a", "A", "\u00e9", "e\u0301"])] * 2, st.sampled_from([0.0, -0.0, NAN, None])
        ),
        min_size=1,
        max_size=40,
    )
)
def test_any_table_gives_the_class_sizes_of_its_rows(engine: Any, rows: list[tuple[Any, ...]]) -> None:
    columns = list(zip(*rows, strict=True))
    table = pa.table(
        {
            "x": pa.array(columns[0], pa.string()),
            "y": pa.array(columns[1], pa.string()),
            "z": pa.array(columns[2], pa.float64()),
        }
    )
    sets = [chosen for size in range(4) for chosen in combinations(range(3), size)]
    found = Population(engine(table)).class_sizes_of_all([["xyz"[j] for j in chosen] for chosen in sets])
    plain = [tuple("nan" if value != value else value for value in row) for row in rows]  # noqa: PLR0124
    assert [histogram(sizes) for sizes in found] == [tables.class_sizes(tables.restrict(plain, c)) for c in sets]


def test_a_person_with_several_rows_is_the_bag_of_them(engine: Any) -> None:
    told = [(1, "f", "a"), (1, "f", "b"), (2, "f", "b"), (2, "f", "a"), (3, None, "a"), (4, "f", "a"), (4, "f", None)]
    who, sex, job = zip(*told, strict=True)
    population = Population(engine(pa.table({"who": who, "sex": sex, "job": job})), person="who")
    for positions in ([1], [2], [1, 2]):
        expected = tables.class_sizes(tables.bags(told, 0, positions))
        assert histogram(population.class_sizes([("who", "sex", "job")[j] for j in positions])) == expected
    assert population.best_guesses(["sex"], "job") == 3


def test_coarser_views_are_the_same_on_every_engine(engine: Any) -> None:
    table = pa.table({"age": [31, 32, None, 47, 31], "job": ["a", "é", "a", None, 'say "b"']})
    population = generalised(Population(engine(table)), "age", "decade", {"31": "30s", "32": "30s", None: None}, "old")
    population = generalised(population, "job", "work", {"a": "A", None: "none"}, other="else")
    assert population.common_values("decade", 1) == [("30s", 3), ("old", 1), (None, 1)]
    assert population.common_values("work", 1) == [("A", 2), ("else", 2), ("none", 1)]
    chosen = select_columns(population, 1, k=2, columns=["age", "decade"], hierarchies=[["age", "decade"]])
    assert [(found.columns, found.exposure) for found in chosen.front] == [
        ((), 0.0),
        (("decade",), 0.4),
        (("age",), 0.6),
    ]


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    from importlib.resources import files

    return pq.read_table(files("discretion.tables") / "adult.parquet")


@pytest.mark.long
@pytest.mark.parametrize("kept", [False, True])
def test_class_sizes_of_adult_are_equal_to_the_last_one(
    engine: Any, adult: pa.Table, kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lattice, "_WORTH_KEEPING", 0 if kept else math.inf)
    columns = ["sex", "income", "race", "workclass", "age"]
    sets = [chosen for size in range(1, 6) for chosen in combinations(columns, size)]
    bundled = Population("example:adult")
    assert list(Population(engine(adult)).class_sizes_of_all(sets)) == [bundled.class_sizes(chosen) for chosen in sets]


@pytest.mark.long
def test_an_audit_is_the_same_on_every_engine(engine: Any, adult: pa.Table) -> None:
    columns = ["sex", "race", "workclass"]
    there, here = (audit(t, columns=columns, sensitive="race") for t in (engine(adult), "example:adult"))
    assert {**there.to_dict(), "table": None} == {**here.to_dict(), "table": None}
