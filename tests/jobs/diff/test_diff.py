"""Two tables side by side: what differs is counted as by hand, decided, said, and no value of a person is in it."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import discretion as dc
from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError
from discretion.jobs.diff import Diff, diff, diff_measures
from discretion.jobs.gates import numbers_in
from discretion.presenting.views.terminal import to_text
from discretion.tables.locations import EXAMPLE, path_of

COLUMNS = ["sex", "race", "education", "income"]
RARE = "wombat keeper"


@pytest.fixture(scope="module")
def adult() -> pa.Table:
    return pq.read_table(path_of(EXAMPLE)).select(COLUMNS)


def spoken(found: Diff, width: int = 80, *, full: bool = True) -> str:
    shown = io.StringIO()
    Console(width=width, file=shown).print(to_text(found.document(), full=full))
    return shown.getvalue()


def words(found: Diff) -> str:
    return " ".join(spoken(found).split())


def row_of(adult: pa.Table, **values: str) -> pa.Table:
    """The first person with these values."""
    for name, value in values.items():
        adult = adult.filter(pc.equal(adult[name], value))
    return adult.slice(0, 1)


@pytest.mark.long
def test_a_person_who_was_added_is_found_though_each_table_hides_her(adult: pa.Table) -> None:
    new = pa.concat_tables([adult, row_of(adult, sex="Female", race="White", education="HS-grad")])
    found = diff(adult, new)
    told = found.differencing
    assert (told.added, told.added_found, told.removed_found, told.hidden) == (1, 1, 0, 1)
    assert found.decision == "do not publish"
    said = words(found)
    decision = "Do not publish NEW (the Table) unchanged in addition to OLD (the Table)."
    assert said.startswith(f"{decision} • 1 person was added ")
    assert "Each table alone hides 1 person of these among 10 or more; only both together reveal them." in said
    assert "HS-grad" not in json.dumps(found.to_dict()) + said


@pytest.mark.long
def test_a_person_who_was_swapped_for_another_leaves_both_found(adult: pa.Table) -> None:
    came, went = row_of(adult, sex="Female", race="White"), adult.slice(0, 1)
    assert came.to_pylist() != went.to_pylist()
    found = diff(adult, pa.concat_tables([adult.slice(1), came]))
    assert (found.differencing.added_found, found.differencing.removed_found) == (1, 1)
    assert found.before.people == found.after.people


def test_her_income_is_told_by_the_difference_alone(adult: pa.Table) -> None:
    new = pa.concat_tables([adult, row_of(adult, sex="Male", race="White", education="Masters")])
    found = diff(adult, new, sensitive="income")
    assert found.values_told == {"income": 1}
    assert "The difference reveals the income of 1 person who came or went; neither table alone does." in words(found)


@pytest.mark.long
def test_the_same_table_twice_differs_in_nothing(adult: pa.Table) -> None:
    found = diff(adult, adult)
    assert found.is_the_same
    assert found.decision == "publish"
    assert found.join is None
    assert words(found).startswith("Nothing differs: NEW (the Table) has the same columns and rows as OLD")
    assert found.measures["rise.exposure"] == 0
    shuffled = adult.take(pa.array(range(len(adult) - 1, -1, -1))).select(COLUMNS[::-1])
    assert diff(adult, shuffled).is_the_same


def test_who_swapped_their_values_is_followed_though_nobody_else_can_tell() -> None:
    old = pa.table({"id": range(40), "x": ["a", "b"] * 20})
    found = diff(old, old.set_column(1, "x", pa.array(["b", "a", *["a", "b"] * 19])), person="id")
    assert found.is_the_same
    assert "40 stayed; of these, 2 people changed in the shared columns." in words(found)


@pytest.mark.long
def test_who_came_by_ten_is_not_found() -> None:
    old = pa.table({"x": ["a"] * 50 + ["b"] * 50})
    new = pa.table({"x": ["a"] * 60 + ["b"] * 50})
    assert (diff(old, new).found, diff(old, new).decision) == (0, "publish")
    assert diff(old, new, k=11).differencing.hidden == 10


@pytest.mark.long
def test_measures_are_those_of_each_table_by_itself(adult: pa.Table) -> None:
    new = adult.slice(0, 9_000).drop_columns(["education"])
    found = diff(adult, new, sensitive="income", k=40)
    for each, table in ((found.before, adult), (found.after, new)):
        people = dc.Population(table)
        known = [name for name in people.columns if name != "income"]
        sizes, guess = people.class_sizes(known), dc.anonymity.inference(people, known, "income")
        assert (each.people, each.unique_people, each.smallest_class) == (sizes.people, sizes.unique, sizes.smallest)
        assert (each.exposure, each.exposed_people) == (sizes.exposure(k=40), sizes.exposed(k=40))
        (told,) = each.guesses
        assert (told.before, told.after, told.certain_people) == (guess.prior, guess.posterior, guess.certain_people)
    shared = dc.Population(adult).class_sizes(["sex", "race"])
    assert found.shared_before.exposed_people == shared.exposed(k=40)


@pytest.mark.long
def test_a_release_in_coarser_form_is_compared_as_coarsely(tmp_path: Path) -> None:
    columns = ["age", "sex", "education"]
    coarse, fine = str(tmp_path / "coarse.csv"), str(tmp_path / "fine.parquet")
    dc.release(EXAMPLE, coarse, columns=columns, k=400, budget=0, keep=columns, max_suppressed=0.3)
    dc.release(EXAMPLE, fine, columns=columns, k=20, budget=0, keep=columns)
    for old in (fine, EXAMPLE):
        found = diff(old, coarse, columns)
        assert "age" in found.columns.coarsened
        assert found.columns.coarsened["age"] == "new"
        assert not found.columns.left_out
        assert not found.is_of_others
        assert "age is compared in the coarser form of NEW." in words(found)
    assert found.differencing.added == 0  # each person of the release is one of the table
    assert found.differencing.removed == found.before.people - found.after.people


def test_another_form_is_left_out_and_said() -> None:
    old = pa.table({"x": ["a", "b"] * 50, "y": [f"{i % 5}" for i in range(100)]})
    new = pa.table({"x": ["a", "b"] * 50, "y": [f"no {i % 5}" for i in range(100)]})
    found = diff(old, new)
    assert found.columns.left_out == ("y",)
    assert (
        "y is left out of the matching: 0 % of the rows of OLD and 0 % of those of NEW have a value of the other table"
        in words(found)
    )
    assert found.join is not None  # what each says of y in its own form


@pytest.mark.long
def test_tables_of_others_are_said_to_be() -> None:
    old = pa.table({"x": [f"{i % 20}" for i in range(100)], "y": [f"{i // 20}" for i in range(100)]})
    new = pa.table({"x": [f"{i % 20}" for i in range(0, 200, 2)], "y": ["0"] * 96 + ["1", "2", "3", "4"]})
    found = diff(old, new)
    assert found.is_of_others
    assert words(found).split(" • ")[1].startswith("Only ")
    whole = diff(old, new, budget=1)
    assert (whole.decision, whole.may_be_of_the_same) == ("not decided", True)
    assert "depends on whether both tables are of the same people" in words(whole)
    named = [table.append_column("id", pa.array(range(100))) for table in (old, new)]
    assert diff(*named, person="id", budget=1).decision == "not decided"
    others = named[1].set_column(2, "id", pa.array(range(99, 199)))
    assert diff(named[0], others, person="id", budget=1).decision == "publish"


def test_with_who_they_are_people_are_followed_and_the_join_is_counted(adult: pa.Table) -> None:
    named = adult.append_column("id", pa.array(range(len(adult))))
    old, new = named.drop_columns(["income"]), named.drop_columns(["race"]).slice(5)
    found = diff(old, new, person="id")
    assert vars(found.changes) == {"added": 0, "removed": 5, "stayed": len(adult) - 5, "changed": 0}
    exact = dc.Population(adult.slice(5)).class_sizes().exposed(k=10)
    assert found.join.exposed_people == exact
    assert found.join.certified.low <= found.join.exposure <= found.join.certified.high
    assert "By id, nobody came, 5 people went and 32,556 stayed; of these, nobody changed" in words(found)
    assert found.measures["persons.removed"] == 5


def test_a_column_that_only_the_old_table_has_left_is_what_is_joined() -> None:
    new = pa.table({"s": [f"{i % 20}" for i in range(801)], "t": [f"{i // 20 % 2}" for i in range(801)]})
    old = new.slice(1).set_column(0, "s", pa.array([f"[{i % 20 // 10}0, {i % 20 // 10 + 1}0)" for i in range(1, 801)]))
    found = diff(old, new)
    assert (found.columns.coarsened, found.found, found.join) == ({"s": "old"}, 1, None)
    (without_t,) = (each for each in found.without if each.column == "t")
    assert without_t.join is not None
    assert "joined" in spoken(found)


@pytest.mark.one_in(7)
@pytest.mark.parametrize("column", COLUMNS)
def test_without_a_column_it_is_as_if_the_new_table_had_never_had_it(adult: pa.Table, column: str) -> None:
    old, new = adult.drop_columns(["income"]), adult.drop_columns(["race"]).slice(3)
    ways = {each.column: each for each in diff(old, new, budget=0).without}
    if column == "race":
        assert column not in ways
        return
    alone = diff(old, new.drop_columns([column]), budget=0)
    way = ways[column]
    assert (way.found, way.exposure) == (alone.found, alone.after.exposure)
    assert way.join == (None if alone.join is None else alone.join.certified.high)


def test_only_a_bound_above_the_budget_decides_nothing() -> None:
    old = pa.table({"s": [f"{i % 2}" for i in range(400)], "a": [f"{i // 2 % 5}" for i in range(400)]})
    new = pa.table({"s": [f"{i % 2}" for i in range(400)], "b": [f"{i % 7}" for i in range(400)]})
    found = diff(old, new)
    assert found.decision == "not decided"
    assert "depends on the exposure by joining the tables" in words(found)
    assert "--person COLUMN" in words(found)
    assert diff(old, new, budget=1).decision == "publish"


def test_json_has_every_measure_that_there_is_and_no_rare_value(adult: pa.Table) -> None:
    strange = adult.set_column(2, "education", pa.array([*adult["education"].to_pylist()[:-1], RARE]))
    found = diff(adult, strange, sensitive="income")
    result = found.to_dict()
    assert RARE not in json.dumps(result) + spoken(found)
    measures = result["measures"]
    told = {name for name, value in measures.items() if value == "inf" or name.startswith("join")}
    told |= {*numbers_in(measures)}
    assert told == {name for name in diff_measures(["income"]) if not name.startswith("persons.")}
    assert all(found.missing[name] for name in diff_measures(["income"]))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_fits_a_terminal(adult: pa.Table, width: int) -> None:
    named = adult.append_column("id", pa.array(range(len(adult))))
    found = diff(named.drop_columns(["income"]), named.drop_columns(["race"]).slice(5), person="id")
    assert max(map(len, spoken(found, width).splitlines())) <= width
    first = spoken(found, width, full=False).splitlines()
    assert max(map(len, first)) <= width
    if width >= 80:
        assert len(first) <= 45


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        ({"k": 0}, InvalidValueError, "k must be"),
        ({"budget": 2}, InvalidValueError, "budget must be in"),
        ({"sensitive": "incme"}, UnknownColumnError, "income"),
        ({"columns": ["sex", "rce"]}, UnknownColumnError, "race"),
        ({"sensitive": COLUMNS}, InvalidTableError, "are sensitive"),
        ({"person": "id"}, UnknownColumnError, "id"),
    ],
)
def test_what_is_no_question_is_refused(
    adult: pa.Table, change: dict[str, Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        diff(adult, adult, **change)


def test_standard_input_holds_one_table() -> None:
    with pytest.raises(InvalidValueError, match="only one of the tables"):
        diff("-", "-")


def test_one_person_in_each() -> None:
    old, new = pa.table({"x": ["a"]}), pa.table({"x": ["a"], "y": [None]})
    found = diff(old, new, budget=1)
    assert (found.matching.linked, found.found, found.join, found.decision) == (1, 0, None, "publish")
