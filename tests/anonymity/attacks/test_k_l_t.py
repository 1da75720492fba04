"""k-anonymity, l-diversity and t-closeness are what their papers define, with null as a value."""

import json
import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from pyarrow import parquet

from discretion.anonymity import Population
from discretion.anonymity.attacks.k_l_t import (
    MAX_PEOPLE_COMPARED,
    entropy_l_diversity,
    k_anonymity,
    l_diversity,
    ordered_t_closeness,
    recursive_c_l_diversity,
    t_closeness,
)
from discretion.anonymity.attacks.likeness_disclosure import beta_likeness, delta_disclosure
from discretion.errors import InvalidValueError, TooLargeError, UnknownColumnError, UnsupportedError
from oracles import coarsened, releases, tables
from support.lowering import lowered

ORDER = ["c", None, "a", "b"]
row = st.tuples(st.sampled_from([None, "a", "b"]), st.sampled_from(["a", "b"]), st.sampled_from(ORDER))
some_rows = st.lists(row, min_size=1, max_size=14)
few = settings(max_examples=8, deadline=None)
close = {"rel": 1e-10, "abs": 1e-12}

HIERARCHY = {"a": ["x", "*"], "b": ["x", "*"], "c": ["y", "*"]}
TREE = (("a", "b"), ("c",), ("null",))

EXTREMES = {
    "one person": [("a", "b", "c")],
    "all null": [(None, None, None)] * 4,
    "one class": [("a", "b", secret) for secret in "aabc"],
    "one class, one value": [("a", "b", "a")] * 3,
    "all unique": [(str(i), "b", "abc"[i % 3]) for i in range(6)],
    "all unique, one value": [(str(i), "b", "a") for i in range(5)],
}


def texts(*columns: list[Any]) -> list[list[str]]:
    return [["null" if value is None else value for value in column] for column in columns]


def table_of(rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table(
        {name: pa.array([r[j] for r in rows], pa.string()) for j, name in zip(range(3), "xyz", strict=True)}
    )


SETS = {(): (), ("x",): (0,), ("y", "x"): (1, 0)}


def check(P: Population, rows: list[tuple[Any, ...]], sets: Iterable[tuple[str, ...]] = tuple(SETS)) -> None:
    secret = [r[2] for r in rows]
    order = [value for value in ORDER if value in secret]
    for names in sets:
        seen = tables.restrict(rows, SETS[names])
        assert k_anonymity(P, names) == min(seen.count(mine) for mine in seen)
        assert l_diversity(P, names, "z") == releases.distinct_diversity(seen, secret)
        assert entropy_l_diversity(P, names, "z") == pytest.approx(releases.entropy_diversity(seen, secret), **close)
        assert t_closeness(P, names, "z") == float(releases.closeness(seen, secret))
        assert t_closeness(P, names, "z", order) == float(releases.closeness(seen, secret, order))
        moved = [coarsened.moved(TREE, *texts(values, secret))[1] for values in releases.classes(seen, secret)]
        assert t_closeness(P, names, "z", hierarchy=HIERARCHY) == float(max(moved) / coarsened.height(TREE))
        for least in (2, 3):
            assert recursive_c_l_diversity(P, names, "z", least) == releases.recursive_ratio(seen, secret, least)
        assert beta_likeness(P, names, "z") == pytest.approx(float(releases.likeness(seen, secret)), **close)
        enhanced = releases.enhanced_likeness(seen, secret)
        assert beta_likeness(P, names, "z", enhanced=True) == pytest.approx(float(enhanced), **close)
        assert delta_disclosure(P, names, "z") == pytest.approx(releases.disclosure(seen, secret), **close)


@pytest.mark.long
@few
@given(some_rows)
def test_promises_are_their_definitions(rows: list[Any]) -> None:
    check(Population(table_of(rows)), rows)


@pytest.mark.long
@pytest.mark.parametrize("kind", EXTREMES)
def test_promises_at_extremes(kind: str) -> None:
    check(Population(table_of(EXTREMES[kind])), EXTREMES[kind])


@few
@given(some_rows)
def test_the_closed_forms_of_closeness_are_the_least_cost_of_moving(rows: list[Any]) -> None:
    seen, secret = [r[0] for r in rows], [r[2] for r in rows]
    for order in (None, [value for value in ORDER if value in secret]):
        moved = releases.closeness_by_moving(seen, secret, order)
        assert float(releases.closeness(seen, secret, order)) == pytest.approx(moved, abs=1e-9)


@pytest.mark.long
@few
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(-9, 12)), min_size=1, max_size=12))
def test_numbers_are_ordered_as_numbers_whatever_they_are_written_in(rows: list[tuple[str, int]]) -> None:
    seen, numbers = (list(column) for column in zip(*rows, strict=True))
    expected = float(releases.closeness(seen, numbers, sorted(set(numbers))))
    for written in (
        pa.array(numbers, pa.int64()),
        pa.array([n / 4 for n in numbers]),
        pa.array([f"{n}.0" if i % 2 else str(n) for i, n in enumerate(numbers)]),
    ):
        P = Population(pa.table({"x": seen, "z": written}))
        assert t_closeness(P, ["x"], "z", "numeric") == expected


def sources(folder: Path, seen: list[str], numbers: list[int]) -> dict[str, Any]:
    """The same people from everywhere that holds integers."""
    table = pa.table({"x": seen, "z": pa.array(numbers, pa.int64())})
    people = list(zip(seen, numbers, strict=True))
    (folder / "people.csv").write_text("x,z\n" + "".join(f"{x},{z}\n" for x, z in people))
    (folder / "people.jsonl").write_text("".join(json.dumps({"x": x, "z": z}) + "\n" for x, z in people))
    parquet.write_table(table, folder / "people.parquet")
    return {
        "integers": table,
        "decimals": table.set_column(1, "z", table["z"].cast(pa.decimal128(25, 3))),
        "text": table.set_column(1, "z", pa.array([f"{z}.000" if z % 2 else str(z) for z in numbers])),
        "csv": folder / "people.csv",
        "json": folder / "people.jsonl",
        "parquet": folder / "people.parquet",
    }


@pytest.mark.long
def test_numbers_that_are_one_in_double_precision_are_told_apart_wherever_they_come_from(tmp_path: Path) -> None:
    seen, numbers = list("abbabaabba"), [2**61 + z for z in (-3, 2, 0, 1, 1, -1, 3, 3, 0, -2)]
    expected = float(releases.closeness(seen, numbers, sorted(set(numbers))))
    for where, table in sources(tmp_path, seen, numbers).items():
        assert t_closeness(Population(table), ["x"], "z", "numeric") == expected, where


def test_decimals_are_compared_to_the_last_digit() -> None:
    low, high = (f"0.1{'0' * 50}{last}" for last in (1, 2))
    numbers = [low, high, "1e-1", "0.10", "2", "1e-400", "0"]
    rank = {"0": 0, "1e-400": 1, "1e-1": 2, "0.10": 2, low: 3, high: 4, "2": 5}
    expected = float(releases.closeness("abbaaba", [rank[z] for z in numbers], list(range(6))))
    assert t_closeness(Population(pa.table({"x": list("abbaaba"), "z": numbers})), ["x"], "z", "numeric") == expected


def test_too_many_numbers_of_one_double_are_refused() -> None:
    P = Population(pa.table({"x": list("aabb"), "z": [str(2**60 + i) for i in range(4)]}))
    refused = pytest.raises(TooLargeError, match=r"more than 3 .* as integers or decimals")
    with lowered(MAX_TIED_TEXTS=3), refused:
        t_closeness(P, ["x"], "z", "numeric")


def test_any_kind_of_values_may_be_put_in_order(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    path.write_text(json.dumps([{"x": x, "z": z} for x, z in zip("aaab", [1, "one", None, True], strict=True)]))
    expected = float(releases.closeness("aaab", "1oNT", "T1No"))
    assert t_closeness(Population(path), ["x"], "z", ["true", "1", None, "one"]) == expected
    dated = pa.table({"x": list("aab"), "z": pa.array([3, 1, 2], pa.date32())})
    days = ["1970-01-02", "1970-01-03", "1970-01-04"]
    assert t_closeness(Population(dated), ["x"], "z", days) == float(releases.closeness("aab", "312", "123"))


def test_promises_about_people_with_several_rows() -> None:
    told = [(1, "f", "a"), (1, "f", "b"), (2, "f", "b"), (2, "f", "a"), (3, None, "a"), (4, "f", "a"), (4, "f", None)]
    who, sex, job = zip(*told, strict=True)
    P = Population(pa.table({"who": who, "sex": sex, "job": job}), person="who")
    seen, secret = tables.bags(told, 0, [1]), tables.bags(told, 0, [2])
    assert k_anonymity(P, ["sex"]) == 1
    assert l_diversity(P, ["sex"], "job") == releases.distinct_diversity(seen, secret) == 1
    assert entropy_l_diversity(P, (), "job") == pytest.approx(math.exp(1.5 * math.log(2)), **close)
    assert t_closeness(P, ["sex"], "job") == float(releases.closeness(seen, secret))
    assert beta_likeness(P, ["sex"], "job") == pytest.approx(float(releases.likeness(seen, secret)), **close)
    assert delta_disclosure(P, ["sex"], "job") == releases.disclosure(seen, secret) == math.inf
    assert recursive_c_l_diversity(P, (), "job", 2) == releases.recursive_ratio([()] * 4, secret, 2)
    with pytest.raises(UnsupportedError, match="bags of values of people with several rows have no hierarchy"):
        t_closeness(P, ["sex"], "job", hierarchy=HIERARCHY)
    with pytest.raises(UnsupportedError, match="bags of values of people with several rows have no order"):
        t_closeness(P, ["sex"], "job", "numeric")


def test_promises_are_the_same_on_every_engine(engine: Any) -> None:
    rows = [("a", "b", value) for value in "abca"] + [(None, "b", "c"), (None, "b", None), (None, None, "a")]
    check(Population(engine(table_of(rows))), rows, [("x",)])
    numbers = Population(engine(pa.table({"x": ["a", "a", None, None], "z": ["2.5", "-1", "10", "2.50"]})))
    assert t_closeness(numbers, ["x"], "z", "numeric") == float(releases.closeness("aabb", "mlhm", "lmh"))


@pytest.mark.parametrize(
    ("order", "fault"),
    [
        ("ascending", "order must be 'numeric' or the values as text from low to high, got 'ascending'"),
        (3, "got 3"),
        (["a", 3, None], "values as text, or None for null, got 3"),
        (["a", "b", "a", None], "it gives 'a' twice"),
        (["a", "c", None], "it gives 'c' though nobody has it"),
        (["a", None], "each of the 3 sensitive values; it lacks 1$"),
        ("numeric", "'z' is null or not a number for 3 people; fill it in, or list its values"),
    ],
)
def test_orders_that_are_not_of_the_values(order: Any, fault: str) -> None:
    P = Population(table_of([("a", "b", "a"), ("a", "b", "b"), ("a", "b", None)]))
    with pytest.raises(InvalidValueError, match=fault):
        t_closeness(P, ["x"], "z", order)


def test_a_hierarchy_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "z.csv"
    path.write_text("".join(f"{value};{';'.join(groups)}\n" for value, groups in HIERARCHY.items()))
    P = Population(table_of([("a", "b", "a"), ("a", "b", "b"), ("b", "b", "c"), ("b", "b", "a")]))
    assert t_closeness(P, ["x"], "z", hierarchy=path) == t_closeness(P, ["x"], "z", hierarchy=HIERARCHY) == 0.25
    with pytest.raises(InvalidValueError, match="both set the distances between values"):
        t_closeness(P, ["x"], "z", "numeric", HIERARCHY)
    with pytest.raises(InvalidValueError, match="no line for 1 of its values"):
        t_closeness(P, ["x"], "z", hierarchy={"a": ["x"], "b": ["x"]})
    with pytest.raises(InvalidValueError, match="as many coarser groups for each value"):
        t_closeness(P, ["x"], "z", hierarchy={"a": ["x"], "b": ["x"], "c": []})
    with pytest.raises(InvalidValueError, match="values in one group on level 1 are in different groups on level 2"):
        t_closeness(P, ["x"], "z", hierarchy={"a": ["x", "y"], "b": ["x", "z"], "c": ["x", "z"]})
    with pytest.raises(InvalidValueError, match="l must be a whole number of at least 2, got 1"):
        recursive_c_l_diversity(P, ["x"], "z", 1)


def test_an_order_that_compares_as_an_array() -> None:
    P = Population(table_of([("a", "b", "a"), ("a", "b", "b")]))
    with pytest.raises(InvalidValueError, match="order must be 'numeric' or the values as text"):
        t_closeness(P, ["x"], "z", np.array(["a", "b"]))  # type: ignore[arg-type]


def test_values_that_are_no_numbers() -> None:
    for values in ([1.0, None], [1.0, float("nan")], ["1", "nan"], ["1", "one"]):
        P = Population(pa.table({"x": ["a", "b"], "z": pa.array(values, from_pandas=False)}))
        with pytest.raises(InvalidValueError, match="not a number for 1 people"):
            t_closeness(P, ["x"], "z", "numeric")
    for values in ([True, False], pa.array([1, 2], pa.date32())):
        with pytest.raises(InvalidValueError, match="not a number for 2 people"):
            t_closeness(Population(pa.table({"x": ["a", "b"], "z": values})), ["x"], "z", "numeric")


def test_what_cannot_be_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    P = Population(table_of(EXTREMES["one class"]))
    for ask in (l_diversity, entropy_l_diversity, t_closeness, beta_likeness, delta_disclosure):
        with pytest.raises(InvalidValueError, match="'x' is among the columns that the adversary knows"):
            ask(P, ["x"], "x")
        with pytest.raises(UnknownColumnError, match="no column 'nobody'"):
            ask(P, ["nobody"], "z")
        with pytest.raises(UnsupportedError, match=r"takes a Population or a table; got list; a table is a path"):
            ask([("f",)], ["x"], "z")
    with pytest.raises(UnsupportedError, match="k_anonymity takes a Population or a table; got list"):
        k_anonymity([("f",)])
    path = tmp_path / "people.json"
    path.write_text('[{"x": 1, "z": 1}, {"x": 1, "z": "1"}]')
    with pytest.raises(InvalidValueError, match="two sensitive values are the same as text"):
        t_closeness(Population(path), ["x"], "z", ["1"])
    assert MAX_PEOPLE_COMPARED**2 < 2**63
    in_order = partial(ordered_t_closeness, hierarchy=None, way_out="")
    for ask in (t_closeness, beta_likeness, partial(beta_likeness, enhanced=True), delta_disclosure, in_order):
        with lowered(MAX_PEOPLE_COMPARED=3), pytest.raises(TooLargeError, match="at most 3 people, got 4"):
            ask(P, ["x"], "z")


@pytest.mark.parametrize(
    ("x", "z", "expected"),
    [
        ("aabb", "stst", 0.0),
        ("aabb", "ssst", math.inf),  # t has a share of 1/4 and a gain of 1, s of 3/4 and 1/3 > -ln 3/4
        ("aaaabbbb", "stuvstuv", 0.0),
        ("aaaabbbb", "ssuvstuv", 1.0),  # t has a gain of 1 < ln 8, and s one of 1/3 < -ln 3/8
        ("ab", "ss", 0.0),  # a share of 1 has no gain, and no room for one
        ("ab", "st", math.inf),  # a gain of 1 > ln 2
    ],
)
def test_enhanced_likeness_limits_the_gains_of_frequent_values_whatever_beta(x, z, expected):
    """Cao and Karras, 2012, Definition 3: a gain is at most min(beta, -ln p(s))."""
    P = Population(pa.table({"x": list(x), "z": list(z)}))
    assert beta_likeness(P, ["x"], "z", enhanced=True) == pytest.approx(expected)
    assert beta_likeness(P, ["x"], "z") <= beta_likeness(P, ["x"], "z", enhanced=True)
