"""Rounds by value: what is asked is safe by what is known, and comes further than rounds by column."""

from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population, hierarchical_rounds, value_rounds
from discretion.anonymity.choosing.partial_tables import coarser, most_exposed_in, sizes_in
from discretion.anonymity.choosing.value_rounds import ValueQuestion
from discretion.anonymity.people.records import Records
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from oracles.partial_tables import coarsened, most_exposed, tables_of

Known = dict[tuple[int, ...], tuple[int, ...]]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Known, dict[int, int], int]:
    """Draw a table, what is known of it, what is asked for, and k."""
    shape = draw(st.sampled_from([(2, 2), (2, 3), (3, 3), (2, 2, 2), (4, 2)]))
    people = draw(st.integers(1, 7 if np.prod(shape) < 8 else 5))
    cells = draw(st.lists(st.integers(0, int(np.prod(shape)) - 1), min_size=people, max_size=people))
    truth = np.bincount(cells, minlength=int(np.prod(shape))).reshape(shape)
    known: Known = {(column,): (size - 1,) for column, size in enumerate(shape)}
    columns = range(len(shape))
    for size in range(2, len(shape) + 1):
        for several in combinations(columns, size):
            if draw(st.booleans()):
                known[several] = tuple(draw(st.integers(0, shape[column] - 1)) for column in several)
    asked = {column: draw(st.integers(0, shape[column] - 1)) for column in columns}
    return truth, known, asked, draw(st.integers(1, people + 2))


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(cases())
def test_no_table_that_agrees_with_what_is_known_exposes_more(case: tuple[Any, Known, dict[int, int], int]) -> None:
    truth, known, asked, k = case
    tables = {columns: coarsened(truth, columns, kept) for columns, kept in known.items()}
    bound = most_exposed_in(tuple(asked), tuple(asked.values()), tables, int(truth.sum()), k)
    worst = most_exposed(truth.shape, int(truth.sum()), tables, asked, k)
    assert worst <= bound <= truth.sum()
    if known.get(tuple(asked)) == tuple(asked.values()) or not any(asked.values()):
        assert bound == worst


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(cases(), st.data())
def test_nor_does_a_table_with_the_people_whom_the_known_ones_have_lost(
    case: tuple[Any, Known, dict[int, int], int], data: st.DataObject
) -> None:
    truth, known, asked, k = case
    tables: dict[tuple[int, ...], Any] = {}
    for columns, kept in known.items():
        whole = coarsened(truth, columns, kept)
        lost = np.array([data.draw(st.integers(0, min(2, count))) for count in whole.ravel().tolist()])
        tables[columns] = whole - lost.reshape(whole.shape)
    people = int(truth.sum())
    bound = most_exposed_in(tuple(asked), tuple(asked.values()), tables, people, k)
    assert most_exposed(truth.shape, people, tables, asked, k) <= bound


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 3, 4])
def test_of_two_columns_with_two_values_the_bound_is_nearly_the_worst(k: int) -> None:
    """Of all tables of 12 people: where it is not the worst, it is at most k - 1 people above."""
    worst: dict[tuple[int, int], int] = {}
    for table in tables_of(12, (2, 2)):
        margins = int(table[0].sum()), int(table[:, 0].sum())
        worst[margins] = max(worst.get(margins, 0), int(table[table < k].sum()))
    for (row, column), exposed in worst.items():
        tables = {(0,): np.array([row, 12 - row]), (1,): np.array([column, 12 - column])}
        bound = most_exposed_in((0, 1), (1, 1), tables, 12, k)
        assert exposed <= bound <= exposed + k - 1


def test_a_coarser_table_is_the_sum_of_a_finer_one() -> None:
    table = np.arange(24).reshape(2, 3, 4)
    assert coarser(table, (0, 1, 3)).tolist() == coarsened(table, (0, 1, 2), (0, 1, 3)).tolist()
    records = Records(np.array([[0, 2], [1, 0], [0, 1]]), np.array([5, 2, 1]))
    assert records.most_kept == (1, 2)
    assert records.table((0, 1), (1, 1)).tolist() == [[0, 6], [2, 0]]
    assert records.table((1,), (0,)).tolist() == [8]
    assert Records.of(np.array([[3], [0], [1]]), np.array([2, 5, 2])).ranks.tolist() == [[2], [0], [1]]


def recounted(rows: list[tuple[Any, ...]], names: str, question: ValueQuestion, k: int) -> float:
    """Return the share of the people with fewer than k alike in a question's answers, one by one."""
    told: list[list[Any]] = []
    for name, kept in zip(question.columns, question.kept, strict=True):
        column = [row[names.index(name)] for row in rows]
        by_frequency = sorted(set(column), key=lambda value: (-column.count(value), value is None, value or ""))
        told.append([value if by_frequency.index(value) < kept else "other" for value in column])
    answers = list(zip(*told, strict=True))
    return sum(answers.count(answer) < k for answer in answers) / len(rows)


value = st.sampled_from(["a", "a", "a", "b", "b", "c", "d"])


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(value, value, value), min_size=1, max_size=60),
    st.sampled_from([0, 0.05, 0.2, 1]), st.integers(1, 6), st.integers(1, 5),
)  # fmt: skip
def test_what_is_asked_and_what_goes_out_is_within_the_budget(
    rows: list[tuple[str, ...]], budget: float, k: int, rounds: int
) -> None:
    table = pa.table({name: [row[j] for row in rows] for j, name in enumerate("xyz")})
    done = value_rounds(table, budget, k=k, rounds=rounds)
    assert [round_.number for round_ in done] == list(range(1, len(done) + 1))
    finest: dict[tuple[str, ...], float] = {}
    for round_ in done:
        for question in round_.questions:
            assert question.exposure <= question.certified
            assert question.exposure == pytest.approx(recounted(rows, "xyz", question, k))
        if round_.number > 1:
            rest = sum(
                share for columns, share in finest.items() if columns not in {q.columns for q in round_.questions}
            )
            assert rest + sum(question.certified for question in round_.questions) <= budget + 1e-12
            finest |= {question.columns: question.exposure for question in round_.questions}
        assert round_.exposed_at_most == pytest.approx(min(1, sum(finest.values())))
        if (release := round_.release) is not None:
            assert len(release.columns) > 1
            assert release.exposure <= release.certified <= budget + 1e-12
            assert release.exposure == pytest.approx(recounted(rows, "xyz", release, k))


def test_rounds_by_value_go_on_where_rounds_by_column_refuse_all_pairs() -> None:
    """200 people; two, four and nine values; k = 5, a budget of 5 %."""
    rng = np.random.default_rng(1)
    rows = {"a": rng.permutation(200) % 2, "b": rng.permutation(200) % 4, "c": rng.permutation(200) % 9}
    people = Population(pa.table(rows))
    by_column = hierarchical_rounds(people, 0.05, k=5)
    assert len(by_column[-1].refused) == 3
    assert len(by_column[-1].largest_certified) == 1
    by_value = value_rounds(people, 0.05, k=5, rounds=8)
    finest = {question.columns: question.kept for round_ in by_value for question in round_.questions}
    assert finest["a", "b"] == (1, 3)  # all eight pairs
    assert len(finest) >= 6
    assert by_value[-1].exposed_at_most <= 0.05
    assert by_value[-1].release is not None
    assert by_value[-1].release.exposure <= 0.05


@pytest.mark.long
def test_of_adult_all_four_columns_go_out_by_value_and_two_by_column() -> None:
    people = Population("example:adult", columns=["sex", "race", "workclass", "education"])
    by_column = hierarchical_rounds(people, 0.01, k=10)
    assert by_column[-1].largest_certified == ("sex", "race")
    release = value_rounds(people, 0.01, k=10)[-1].release
    assert release is not None
    assert release.columns == people.columns
    assert release.exposure <= release.certified <= 0.01
    by_columns = value_rounds(people, 0.01, k=10, columns=["sex", "race"])[-1].release
    assert by_columns is not None
    assert release.bits > 2 * by_columns.bits


def test_what_cannot_be_asked() -> None:
    people = Population(pa.table({"x": ["a", "b"], "y": ["a", "a"]}))
    assert [round_.number for round_ in value_rounds(people, 1, k=2)] == [1]  # one column tells nobody apart
    several = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="people with several rows have several"):
        value_rounds(several, 0.1, k=2)
    with pytest.raises(UnknownColumnError, match="there is no column 'z'"):
        value_rounds(people, 0.1, k=2, columns=["z"])
    with pytest.raises(InvalidValueError, match="at least one column"):
        value_rounds(people, 0.1, k=2, columns=[])
    with pytest.raises(InvalidValueError, match="most_columns must be"):
        value_rounds(people, 0.1, k=2, most_columns=1)
    assert sizes_in(np.array([1, 4, 0])).exposed(k=2) == 1


def test_a_column_with_a_value_of_one_person_goes_out_without_telling_it() -> None:
    rng = np.random.default_rng(5)
    rare = ["a"] * 50 + ["b"] * 49 + ["c"]
    people = Population(pa.table({"x": rare, "y": rng.permutation(["d", "e"] * 50), "z": rare[::-1]}))
    for round_ in value_rounds(people, 0, k=2, rounds=4):
        assert round_.release is None or round_.release.exposure == 0
    last = value_rounds(people, 0.03, k=2, rounds=4)[-1].release
    assert last is not None
    assert set(last.columns) == {"x", "y", "z"}
    assert last.exposure <= last.certified <= 0.03
