"""The cheapest questions that certify a set: as cheap as the cheapest of all sets of questions, and they do."""

import math
from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import Population, cheapest_questions
from discretion.anonymity.choosing.partial_tables import most_exposed_in
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from oracles.partial_tables import coarsened, most_exposed
from support.lowering import lowered

NAMES = "xyz"
Questions = dict[tuple[int, ...], tuple[int, ...]]


@st.composite
def tables(draw: st.DrawFn, most_people: int = 12) -> Any:
    """Draw a table of counts, in which the first values of a column are the more frequent ones."""
    shape = draw(st.sampled_from([(2, 2), (2, 3), (3, 3), (2, 2, 2)]))
    people = draw(st.integers(1, most_people))
    cells = draw(st.lists(st.integers(0, math.prod(shape) - 1), min_size=people, max_size=people))
    table = np.bincount(cells, minlength=math.prod(shape)).reshape(shape)
    for axis in range(table.ndim):
        alone = table.sum(axis=tuple(other for other in range(table.ndim) if other != axis))
        table = np.take(table, np.argsort(-alone, kind="stable"), axis)
        table = np.take(table, range(int((alone > 0).sum())), axis)
    return table


def people_of(table: Any) -> Population:
    rows = [cell for cell in np.ndindex(table.shape) for _ in range(table[cell])]
    return Population(pa.table({NAMES[j]: [f"v{row[j]}" for row in rows] for j in range(table.ndim)}))


def all_questions(shape: tuple[int, ...], most_columns: int) -> Iterator[Questions]:
    sets = [some for size in range(1, most_columns + 1) for some in combinations(range(len(shape)), size)]
    options = [
        [None, *product(*(range(1, shape[j]) for j in some))] if all(shape[j] > 1 for j in some) else [None]
        for some in sets
    ]
    for chosen in product(*options):
        yield {some: told for some, told in zip(sets, chosen, strict=True) if told is not None}


def entropy(table: Any) -> float:
    shares = table[table > 0] / table.sum()
    return float(-(shares * np.log2(shares)).sum())


def bound(table: Any, questions: Mapping[tuple[int, ...], tuple[int, ...]], k: int) -> int:
    known = {columns: coarsened(table, columns, kept) for columns, kept in questions.items()}
    asked = tuple(size - 1 for size in table.shape)
    return most_exposed_in(tuple(range(table.ndim)), asked, known, int(table.sum()), k)


def cheapest(table: Any, k: int, allowed: float, most_columns: int) -> float:
    """Return the least information of all sets of questions that certify the table; infinite if there is none."""
    return min(
        (
            sum(entropy(coarsened(table, columns, kept)) for columns, kept in questions.items())
            for questions in all_questions(table.shape, most_columns)
            if bound(table, questions, k) <= allowed
        ),
        default=math.inf,
    )


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(tables(), st.integers(1, 4), st.sampled_from([0, 0.1, 0.3, 0.6, 1]), st.integers(1, 2))
def test_no_other_questions_that_certify_have_less_information(
    table: Any, k: int, budget: float, most_columns: int
) -> None:
    allowed = math.floor(budget * table.sum() + 1e-9)
    found = cheapest_questions(people_of(table), budget, k=k, most_columns=most_columns)
    assert found.proved
    assert found.bits == pytest.approx(cheapest(table, k, allowed, most_columns), abs=1e-9)
    assert found.bits_at_least == found.bits
    if found.bits < math.inf:
        questions = {tuple(map(NAMES.index, each.columns)): each.kept for each in found.questions}
        assert bound(table, questions, k) == round(found.certified * table.sum()) <= allowed


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(tables(most_people=6), st.integers(1, 4), st.sampled_from([0, 0.2, 0.5, 1]))
def test_no_table_that_agrees_with_the_answers_exposes_more_than_is_certified(
    table: Any, k: int, budget: float
) -> None:
    found = cheapest_questions(people_of(table), budget, k=k)
    people = int(table.sum())
    if found.bits < math.inf:
        places = [tuple(map(NAMES.index, each.columns)) for each in found.questions]
        known = {some: coarsened(table, some, each.kept) for some, each in zip(places, found.questions, strict=True)}
        asked = {column: size - 1 for column, size in enumerate(table.shape)}
        worst = most_exposed(table.shape, people, known, asked, k)
        assert worst <= round(found.certified * people) <= budget * people + 1e-9


@settings(max_examples=60, deadline=None)
@given(tables(), st.integers(1, 5), st.data())
def test_who_knows_more_certifies_no_less(table: Any, k: int, data: st.DataObject) -> None:
    """By this the search may leave out what would not certify with everything that may still be asked."""
    every = list(all_questions(table.shape, 2))
    some = data.draw(st.sampled_from(every))
    more = data.draw(st.sampled_from(every))
    finer = {
        places: tuple(map(max, some.get(places, (0,) * len(places)), more.get(places, (0,) * len(places))))
        for places in some | more
    }
    assert bound(table, finer, k) <= bound(table, some, k)


def test_a_search_that_ends_early_says_so_and_certifies_all_the_same() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass"])
    exact = cheapest_questions(adult, 0.01, k=10)
    with lowered(MAX_CERTIFICATES_EXAMINED=10):
        early = cheapest_questions(adult, 0.01, k=10)
    assert exact.proved
    assert not early.proved
    assert early.bits_at_least <= exact.bits <= early.bits
    assert early.certified <= 0.01


def test_on_adult_a_curator_needs_less_than_all_columns() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass"])
    found = cheapest_questions(adult, 0.05, k=10, most_columns=1)
    assert [(each.columns, each.kept) for each in found.questions] == [(("race",), (1,))]
    assert found.bits < sum(adult.class_sizes([name]).entropy for name in adult.columns) / 3
    coarse = cheapest_questions(adult, 0.005, k=10, kept={"race": 1, "workclass": 1})
    assert coarse.certified <= 0.005
    assert cheapest_questions(adult, 0.005, k=10).bits > coarse.bits


def test_extremes_and_what_cannot_be_certified() -> None:
    people = pa.table({"x": ["a", "a", "b"], "y": ["c", "d", "d"]})
    assert cheapest_questions(people, 1, k=2).questions == ()
    assert cheapest_questions(people, 0, k=1).bits == 0
    never = cheapest_questions(people, 0, k=4)
    assert (never.bits, never.certified, never.proved, never.questions) == (math.inf, 1.0, True, ())
    assert cheapest_questions(pa.table({"x": ["a"]}), 0, k=1).bits == 0
    for arguments, error, message in [
        ({"columns": []}, InvalidValueError, "at least one column"),
        ({"columns": ["z"]}, UnknownColumnError, "no column 'z'"),
        ({"most_columns": 0}, InvalidValueError, "most_columns must be"),
        ({"kept": {"x": -1}}, InvalidValueError, "must be a whole number"),
    ]:
        with pytest.raises(error, match=message):
            cheapest_questions(people, 0.1, k=2, **arguments)
    with pytest.raises(UnsupportedError, match="use a row per person"):
        cheapest_questions(Population(pa.table({"id": [1, 1], "x": ["a", "b"]}), person="id"), 0.1, k=2)
