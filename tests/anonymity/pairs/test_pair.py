"""Two tables of people told apart as a person would, row by row; and what a join exposes, within its bound."""

from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.anonymity.pairs.coarsening import as_coarse
from discretion.anonymity.pairs.differences import differencing, match_rows, revealed_values
from discretion.anonymity.pairs.join import Side, exposed_if_the_same, joined_exposed, joined_exposed_bound
from discretion.anonymity.pairs.pair import TablePair, open_pair
from discretion.errors import InvalidTableError, UnknownColumnError, UnsupportedError
from oracles import pairs as oracle

VALUE = st.sampled_from(["a", "b", None])
ROWS = st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=14)
K = st.integers(1, 6)
# A person has a shared value in each of two tables, mostly the same, and something of her own in each; or is in one.
PERSON = st.tuples(VALUE, st.booleans(), VALUE, VALUE, st.sampled_from(["both"] * 4 + ["old", "new"]))
PEOPLE = st.lists(PERSON, min_size=1, max_size=25)


def table(rows: list[tuple[Any, ...]], names: str) -> pa.Table:
    return pa.table({name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(names)})


def alike(old: list[tuple[Any, ...]], new: list[tuple[Any, ...]], names: str = "xy") -> TablePair:
    return open_pair(table(old, names), table(new, names))


def overlapping(old: list[Any], new: list[Any]) -> bool:
    """Whether of each column at least half of the rows of one table have values that the other has."""
    return all(
        max(
            sum(row[j] in {other[j] for other in others} for row in rows) / len(rows)
            for rows, others in ((old, new), (new, old))
        )
        >= 1 / 2
        for j in range(2)
    )


@pytest.mark.long
@given(ROWS, ROWS, K)
def test_matching_and_differencing_are_what_counting_by_hand_finds(old: list[Any], new: list[Any], k: int) -> None:
    if not overlapping(old, new):
        return
    pair = alike(old, new)
    classes = pair.classes("xy")
    found = match_rows(*classes, k)
    both = oracle.matched(old, new)
    assert (found.in_both, found.only_old, found.only_new) == (both, len(old) - both, len(new) - both)
    assert (found.of_old.none, found.of_old.one, found.of_old.few) == oracle.candidates(old, new, k)
    assert (found.of_new.none, found.of_new.one, found.of_new.few) == oracle.candidates(new, old, k)
    assert found.linked == sum(old.count(row) == new.count(row) == 1 for row in {*old, *new})
    told = differencing(*classes, k)
    assert (told.added_found, told.removed_found, told.hidden) == oracle.found(old, new, k)
    assert (told.added, told.removed) == (found.only_new, found.only_old)
    (before, after), (had, have) = pair.classes("x"), pair.classes("y")
    assert revealed_values((before, had), (after, have)) == oracle.told(old, new)


@pytest.mark.long
@given(PEOPLE, K)
def test_a_join_exposes_no_more_than_certified_and_no_less_than_the_new_table(people: list[Any], k: int) -> None:
    old = {who: (s, a) for who, (s, _, a, _, where) in enumerate(people) if where != "new"}
    new = {who: ("a" if moved and s else s, b) for who, (s, moved, _, b, where) in enumerate(people) if where != "old"}
    if not (old and new) or not overlapping([(s, 0) for s, _ in old.values()], [(s, 0) for s, _ in new.values()]):
        return
    tables = [
        table([(str(who), *row) for who, row in side.items()], names) for side, names in ((old, "isa"), (new, "isb"))
    ]
    pair = open_pair(*tables, person="i")
    shared = pair.classes("s")
    sides = Side(pair.old.classes("sa"), shared[0]), Side(pair.new.classes("sb"), shared[1])
    truth = joined_exposed(pair.old, pair.new, sides, k)
    assert truth == oracle.join_exposed(old, new, k)
    low, high = joined_exposed_bound(*sides, k)
    assert low == sum(list(new.values()).count(row) < k for row in new.values())
    assert low <= truth <= high <= len(new)
    if old.keys() == new.keys() and all(old[who][0] == new[who][0] for who in old):
        assert exposed_if_the_same(*sides, k) <= truth


@pytest.mark.long
@settings(max_examples=25)
@given(st.lists(st.tuples(VALUE, VALUE, VALUE), min_size=1, max_size=25), K)
def test_of_the_same_people_the_bound_is_no_worse_than_counting(people: list[Any], k: int) -> None:
    joined = table(people, "sab")
    pair = open_pair(joined.select(["s", "a"]), joined.select(["s", "b"]))
    shared = pair.classes("s")
    low, high = joined_exposed_bound(
        Side(pair.old.classes("sa"), shared[0]), Side(pair.new.classes("sb"), shared[1]), k
    )
    counting = dc.exposure_bound(dc.Population(joined), k=k, groups=[["s", "a"], ["s", "b"]])
    assert high <= low + counting.high * len(people) + 1e-9


@pytest.mark.long
@pytest.mark.parametrize(
    ("shared", "a", "b"),
    [
        (["sex", "race"], ["education"], ["marital_status", "income"]),
        (["sex", "education"], ["age"], ["race", "marital_status"]),
        (["age"], ["sex", "race"], ["education"]),
    ],
)
@pytest.mark.parametrize("k", [2, 10])
def test_of_adult_published_twice_the_join_is_within_its_bound(
    shared: list[str], a: list[str], b: list[str], k: int
) -> None:
    adult = dc.Population("example:adult")
    truth = adult.class_sizes([*shared, *a, *b]).exposed(k=k)
    found = dc.diff("example:adult", "example:adult", [*shared, *a, *b], k=k)
    assert found.is_the_same
    rows = adult.read_rows(lambda rows, _: rows.arrow(rows.table)).rename_columns(adult.columns)
    rows = rows.append_column("row", pa.array(range(adult.people)))
    tables = [rows.select(["row", *shared, *own]) for own in (a, b)]
    found = dc.diff(*tables, person="row", k=k)
    join = found.join
    assert join is not None
    assert join.exposed_people == truth
    assert join.exposure == truth / adult.people
    certified = join.certified
    assert certified.certified
    assert certified.low <= found.after.exposure <= join.exposure <= certified.high
    assert max(adult.class_sizes([*shared, *own]).exposed(k=k) for own in (a, b)) <= join.if_the_same <= truth
    columns = dc.exposure_bound(adult, k=k, columns=[*shared, *a, *b], groups=[[*shared, *a], [*shared, *b]])
    assert certified.high <= columns.high + found.after.exposure
    without = dc.diff(*(each.drop_columns(["row"]) for each in tables), k=k)
    assert without.join.exposure == certified
    assert without.measures["join.exposed_people"].low <= truth <= without.measures["join.exposed_people"].high


def test_people_with_several_rows_are_alike_by_all_their_rows() -> None:
    old = [("p", "a", "1"), ("p", "b", "1"), ("q", "b", "1"), ("q", "a", "1"), ("r", "a", "1")]
    new = [("q", "a", "2"), ("q", "b", "2"), ("r", "a", "2"), ("r", "a", "2"), ("s", "a", "2")]
    pair = open_pair(table(old, "ixo"), table(new, "ixn"), person="i")
    before, after = pair.classes("x")
    assert pair.old.people == pair.new.people == 3
    assert before.codes[0] == before.codes[1] == after.codes[0]  # {a, b} in either order
    assert before.codes[2] == after.codes[2] != after.codes[1]  # {a} once, and twice
    found = dc.diff(table(old, "ixo"), table(new, "ixn"), person="i", k=2)
    assert vars(found.changes) == {"added": 1, "removed": 1, "stayed": 2, "changed": 1}


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from("pqrs"), VALUE), min_size=1, max_size=12), st.data())
def test_bags_are_alike_just_if_they_hold_the_same_rows_as_often(
    rows: list[tuple[str, str]], data: st.DataObject
) -> None:
    later = [(who, value) for who, value in data.draw(st.permutations(rows)) if data.draw(st.booleans())] or rows
    if not overlapping([(value, 0) for _, value in rows], [(value, 0) for _, value in later]):
        return
    pair = open_pair(table(rows, "ix"), table(later, "ix"), person="i")
    codes = [each.codes.tolist() for each in pair.classes("x")]
    bags = [
        [sorted((str(value) for whose, value in side if whose == who), key=str) for who in "pqrs" if who in dict(side)]
        for side in (rows, later)
    ]
    assert sum(map(len, codes)) == sum(map(len, bags))
    sizes = sorted(Counter(codes[0] + codes[1]).values())
    assert sizes == sorted(Counter(map(tuple, bags[0] + bags[1])).values())
    assert len({*codes[0]} & {*codes[1]}) == len({*map(tuple, bags[0])} & {*map(tuple, bags[1])})


def test_columns_of_different_types_are_compared_by_what_they_say() -> None:
    old, new = pa.table({"n": [1, 2, 3], "x": ["1", "2", "3"]}), pa.table({"n": [1.0, 2.0, 3.5], "x": [1, 2, 3]})
    pair = open_pair(old, new)
    assert pair.retyped == {"x": ("text", "whole numbers")}
    before, after = pair.classes("n")
    assert before.codes[:2].tolist() == after.codes[:2].tolist()
    assert before.codes[2] != after.codes[2]
    before, after = pair.classes("x")
    assert before.codes.tolist() == after.codes.tolist()


@pytest.mark.parametrize(
    "values",
    [
        [date(2020, 1, 1), date(2020, 1, 2)],
        [datetime(2020, 1, 1, 3), datetime(2020, 1, 1, 4)],
        [1.25, -0.5],
        [2**62, 7],
        [Decimal("1.50"), Decimal("2.00")],
    ],
)
def test_what_a_file_of_texts_says_is_what_a_typed_one_does(values: list[Any]) -> None:
    typed, said = pa.table({"x": values}), pa.table({"x": [*map(str, values)]})
    before, after = open_pair(typed, said).classes("x")
    assert before.codes.tolist() == after.codes.tolist()


@pytest.mark.parametrize(
    ("fine", "coarse", "as_it"),
    [
        (["17", "25", "61"], ["<20", "[20, 40)", ">=60"], ["<20", "[20, 40)", ">=60"]),
        (["[20, 25)", "[25, 30)", "<15"], ["[20, 30)", "<20"], ["[20, 30)", "[20, 30)", "<20"]),
        (["2024-01-31 10:00:00", "2023-05-06"], ["2024", "2023"], ["2024", "2023"]),
        (["a", "b", "c"], ["a", "b", "((other))", "(other)"], None),
        (["a", "b", "(other)"], ["a", "(other)"], ["a", "(other)", "(other)"]),
        (["99", "25"], ["[20, 40)", "[40, 60)"], ["99", "[20, 40)"]),
        (["[15, 25)"], ["<20", "[20, 30)"], None),
        (["[10, 25)"], ["[20, 30)"], None),
        (["a", "b"], ["[20, 30)"], None),
        (["1", "2"], ["3", "4"], None),
        (["2024-01-31"], ["2024-02-01"], None),
        (["[0, 10)", "[10, 20)"], ["[0, 10)", "[20, 30)"], None),
    ],
)
def test_a_column_is_as_coarse_as_the_other_table_has_it(
    fine: list[str], coarse: list[str], as_it: list[str] | None
) -> None:
    assert as_coarse([*fine, None], [*coarse, None]) == (None if as_it is None else [*as_it, None])


def test_values_that_hardly_overlap_are_left_out_and_said() -> None:
    old, new = pa.table({"x": ["a", "b"] * 5, "y": range(10)}), pa.table({"x": ["a", "b"] * 5, "y": range(20, 30)})
    pair = open_pair(old, new)
    assert (pair.left_out, [*pair.shared], pair.overlaps["y"]) == (("y",), ["x"], (0.0, 0.0))
    with pytest.raises(InvalidTableError, match="share no column in which at least half"):
        open_pair(old.select(["y"]), new.select(["y"]))


def test_a_table_of_some_towns_only_is_in_the_same_form() -> None:
    old, new = pa.table({"town": ["a"] * 10}), pa.table({"town": ["a", "b", "c", "d"] * 10})
    pair = open_pair(old, new)
    assert (pair.left_out, pair.overlaps["town"]) == ((), (1.0, 0.25))
    assert differencing(*pair.classes(["town"]), 11).removed == 0


def test_what_cannot_be_compared_is_refused_in_words() -> None:
    old, new = pa.table({"x": ["a"], "p": ["1"]}), pa.table({"y": ["a"], "p": ["1"]})
    with pytest.raises(InvalidTableError, match="no column in common but the person's"):
        open_pair(old, new, person="p")
    with pytest.raises(InvalidTableError, match="no column in common, so"):
        open_pair(old.select(["x"]), new.select(["y"]))
    with pytest.raises(UnknownColumnError, match="z"):
        open_pair(old, new, ["p", "z"])
    with pytest.raises(UnknownColumnError, match="q"):
        open_pair(old, new, person="q")
    with pytest.raises(InvalidTableError, match="is empty in 1 row"):
        open_pair(pa.table({"p": ["1", None], "x": ["a", "b"]}), old, person="p")
    with pytest.raises(InvalidTableError, match="cannot be one of columns"):
        open_pair(old, old, ["x", "p"], person="p")
    with pytest.raises(UnknownColumnError, match="y"):
        open_pair(old, new, ["y"])


def test_rows_that_stay_in_their_engine_are_refused() -> None:
    ibis = pytest.importorskip("ibis")
    elsewhere = ibis.duckdb.connect().create_table("t", pa.table({"x": ["a"]}))
    with pytest.raises(UnsupportedError, match="the new one stay in their engine"):
        open_pair(pa.table({"x": ["a"]}), elsewhere)
