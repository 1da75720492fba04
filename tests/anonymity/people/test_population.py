"""A population answers how many people are alike on any set of columns."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population
from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError
from oracles import tables

PEOPLE = pa.table({"id": [1, 1, 2, 2, 3], "sex": ["f", "f", "f", "f", None], "job": ["a", "b", "b", "a", "a"]})

values = st.sampled_from([None, "a", "b", "c", "A", " ", ""])
rows = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[values] * width), min_size=1, max_size=12).map(lambda rows: (width, rows))
)
few = settings(max_examples=25, deadline=None)


def table_of(width: int, rows: list[tuple[Any, ...]]) -> pa.Table:
    return pa.table({f"x{j}": pa.array([row[j] for row in rows], pa.string()) for j in range(width)})


def histogram(sizes: Any) -> dict[int, int]:
    return dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True))


@pytest.mark.long
@few
@given(rows, st.data())
def test_classes_are_the_people_with_the_same_values(case: tuple[int, list[Any]], data: st.DataObject) -> None:
    width, rows = case
    positions = data.draw(st.lists(st.integers(0, width - 1), unique=True))
    population = Population(table_of(width, rows))
    assert histogram(population.class_sizes()) == tables.class_sizes(rows)
    chosen = population.class_sizes([f"x{j}" for j in positions])
    assert histogram(chosen) == tables.class_sizes(tables.restrict(rows, positions))


@pytest.mark.long
@few
@given(rows, st.data())
def test_a_person_with_several_rows_is_the_bag_of_them(case: tuple[int, list[Any]], data: st.DataObject) -> None:
    width, rows = case
    people = data.draw(st.lists(st.sampled_from("pqr"), min_size=len(rows), max_size=len(rows)))
    table = table_of(width, rows).append_column("who", pa.array(people))
    population = Population(table, person="who")
    told = [(*row, who) for row, who in zip(rows, people, strict=True)]
    positions = data.draw(st.lists(st.integers(0, width - 1), unique=True, min_size=1))
    assert (population.people, population.rows) == (len(set(people)), len(rows))
    expected = tables.class_sizes(tables.bags(told, width, positions))
    assert histogram(population.class_sizes([f"x{j}" for j in positions])) == expected


@pytest.mark.long
@few
@given(rows)
def test_more_columns_part_people_and_expose_at_least_as_many(case: tuple[int, list[Any]]) -> None:
    width, rows = case
    population = Population(table_of(width, rows))
    coarse = population.class_sizes(())
    for j in range(1, width + 1):
        fine = population.class_sizes([f"x{i}" for i in range(j)])
        assert fine.classes >= coarse.classes
        assert all(fine.exposed(k=k) >= coarse.exposed(k=k) for k in range(1, len(rows) + 2))
        coarse = fine


@pytest.mark.long
@few
@given(rows)
def test_the_rarest_value_is_the_first_of_those_that_the_fewest_have(case: tuple[int, list[Any]]) -> None:
    width, rows = case
    column = [row[width - 1] for row in rows]
    fewest = min(column.count(v) for v in column)
    tied = {v for v in column if column.count(v) == fewest}
    expected = min(tied - {None}) if tied - {None} else None
    assert Population(table_of(width, rows)).rarest_value(f"x{width - 1}") == (expected, fewest)


def test_a_person_has_every_value_in_her_rows() -> None:
    assert Population(PEOPLE, person="id").rarest_value("job") == ("b", 2)
    assert Population(PEOPLE, person="id").rarest_value("sex") == (None, 1)


def test_with_nothing_known_everybody_is_alike() -> None:
    assert histogram(Population(PEOPLE).class_sizes(())) == {5: 1}
    assert histogram(Population(PEOPLE, person="id").class_sizes([])) == {3: 1}


def test_columns_are_in_the_order_asked_for() -> None:
    assert Population(PEOPLE).columns == ("id", "sex", "job")
    assert Population(PEOPLE, columns=("job", "id")).columns == ("job", "id")
    assert Population(PEOPLE, person="job").columns == ("id", "sex")
    assert Population(PEOPLE, person="id", columns=iter(["job"])).columns == ("job",)
    assert Population(PEOPLE).class_sizes(["sex", "job"]) == Population(PEOPLE).class_sizes(["job", "sex"])


@pytest.mark.long
def test_many_columns_and_many_values() -> None:
    wide = pa.table({f"column {j}": [str(i % (j + 1)) for i in range(50)] for j in range(150)})
    assert Population(wide).class_sizes([f"column {j}" for j in range(40)]).classes == 50
    many = Population(pa.table({"id": [f"person {i}" for i in range(70_000)], "x": ["a"] * 70_000}))
    assert many.class_sizes(["id"]).unique == 70_000
    assert many.rarest_value("id") == ("person 0", 1)
    assert many.class_sizes(["x"]).sizes.tolist() == [70_000]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"columns": ["Sex"]}, UnknownColumnError, "there is no column 'Sex'; did you mean 'sex'"),
        ({"person": "who"}, UnknownColumnError, "there is no column 'who'"),
        ({"columns": ["sex", "sex"]}, InvalidTableError, "the column 'sex' is named twice"),
        ({"columns": []}, InvalidTableError, "at least one column"),
        ({"columns": "sex"}, InvalidValueError, r"got the text 'sex'; write \['sex'\]"),
        ({"columns": [1]}, InvalidValueError, "names, which are text; got 1"),
        (
            {"columns": ["id", "sex"], "person": "id"},
            InvalidTableError,
            "'id' names the person, so it cannot be",
        ),
        ({"person": "sex"}, InvalidTableError, "'sex' names the person, and is empty in 1 row;"),
    ],
)
def test_what_does_not_describe_people(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Population(PEOPLE, **options)


def test_questions_about_columns_that_there_are_not() -> None:
    population = Population(PEOPLE, columns=["sex"], person="id")
    for question in (
        lambda: population.class_sizes(["job"]),
        lambda: population.class_sizes(["id"]),
        lambda: population.rarest_value("job"),
        lambda: population.best_guesses(["sex"], "job"),
        lambda: population.best_guesses(["job"], "sex"),
    ):
        with pytest.raises(UnknownColumnError):
            question()


def test_a_population_cannot_be_changed_and_shows_no_value() -> None:
    population = Population(PEOPLE)
    with pytest.raises(AttributeError):
        population.people = 7  # type: ignore[misc]
    assert repr(population) == "Population(5 people; id, sex, job)"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("columns", ["sex", 5, ["sex", 5]])
def test_columns_are_named_by_a_sequence_of_texts(columns: Any) -> None:
    with pytest.raises(InvalidValueError, match="columns must be a sequence of names"):
        Population("example:adult").class_sizes(columns)
