"""Whoever asks in rounds learns only what was asked, promises what holds, and asks for nothing unsafe."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Population, exposure, exposure_bound
from discretion.anonymity.choosing.rounds import HierarchicalRound, hierarchical_rounds
from discretion.errors import InvalidValueError, TooLargeError, UnknownColumnError, UnsupportedError
from oracles.question_rounds import rounds_of
from oracles.tables import exposure_below, restrict
from support.lowering import lowered

ADULT = ["sex", "income", "race", "workclass"]
CATEGORIES = [
    "workclass", "education", "marital_status", "occupation", "relationship", "race", "sex", "native_country"
]  # fmt: skip
NAMES = "wxyz"

value = st.sampled_from([None, "a", "b"])
budgets = st.fractions(0, 1, max_denominator=12)


def some_rows(columns: int, most: int) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.tuples(*[value] * columns), min_size=1, max_size=most)


def population_of(rows: Sequence[tuple[Any, ...]]) -> Population:
    return Population(
        pa.table({NAMES[j]: pa.array([row[j] for row in rows], pa.string()) for j in range(len(rows[0]))})
    )


def known_after(rounds: Iterable[HierarchicalRound]) -> list[tuple[str, ...]]:
    return [each.columns for done in rounds for each in done.questions]


def check_against_every_cover(rows: list[Any], budget: Fraction, k: int, rounds: int) -> None:
    slowly = rounds_of(rows, len(rows[0]), budget, k, rounds)
    found = hierarchical_rounds(population_of(rows), budget, k=k, rounds=rounds)
    assert len(found) in (len(slowly), len(slowly) - 1)
    if len(found) < len(slowly):  # every set had a part that was refused
        assert not slowly[-1].questions
    for done, plain in zip(found, slowly, strict=False):
        asked = [tuple(map(NAMES.index, each.columns)) for each in done.questions]
        assert asked == plain.asked
        assert {tuple(map(NAMES.index, each.columns)) for each in done.refused} <= set(plain.refused)
        for each in (*done.questions, *done.refused):
            assert each.certified.value == float(plain.promises[tuple(map(NAMES.index, each.columns))])
        within = {chosen: bound for chosen, bound in plain.afterwards.items() if bound <= budget}
        largest = tuple(map(NAMES.index, done.largest_certified))
        assert done.largest_certified_bound.value == float(plain.afterwards[largest])
        if within:
            size = max(map(len, within))
            assert plain.afterwards[largest] == min(bound for chosen, bound in within.items() if len(chosen) == size)
            assert len(largest) == size
        assert all(
            each.exposure == float(exposure_below(restrict(rows, p), k))
            for each, p in zip(done.questions, asked, strict=True)
        )
        assert done.exposed_at_most == float(min(1, sum(exposure_below(restrict(rows, p), k) for p in asked)))
        assert [each.classes for each in done.questions] == [len(set(restrict(rows, p))) for p in asked]
        assert all(each.exposure is None and each.classes is None for each in done.refused)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(some_rows(3, 14), budgets, st.integers(1, 16))
def test_three_columns_are_asked_for_as_every_cover_says(rows: list[Any], budget: Fraction, k: int) -> None:
    check_against_every_cover(rows, budget, k, 3)


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(some_rows(4, 20), budgets, st.integers(2, 4))
def test_four_columns_are_asked_for_as_every_cover_says(rows: list[Any], budget: Fraction, k: int) -> None:
    check_against_every_cover(rows, budget, k, 2)


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(some_rows(4, 60), budgets, st.integers(1, 12))
def test_promises_are_kept_and_only_get_better(rows: list[Any], budget: Fraction, k: int) -> None:
    P = population_of(rows)
    rounds = hierarchical_rounds(P, budget, k=k, rounds=4)
    for done in rounds:
        assert all(each.exposure is not None and each.exposure <= each.certified.value for each in done.questions)
        assert all(each.certified.value > budget for each in done.refused)
        assert exposure(P, k=k, columns=done.largest_certified) <= done.largest_certified_bound.value
        if done.size > 1:
            assert all(each.certified.value <= budget for each in done.questions)
    every = [chosen for size in range(5) for chosen in combinations(P.columns, size)]
    for columns in every:
        bounds = [
            exposure_bound(
                P, k=k, columns=columns, groups=[g for g in known_after(rounds[:i]) if set(g) <= set(columns)]
            )
            for i in range(1, len(rounds) + 1)
        ]
        assert all(later.value <= earlier.value for earlier, later in pairwise(bounds))
    sizes = [len(done.largest_certified) for done in rounds]
    assert sizes == sorted(sizes)


def test_only_what_was_asked_is_ever_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    P = Population("example:adult", columns=ADULT)
    looked_at: set[frozenset[str]] = set()
    look = Population.class_sizes

    def watched(self: Population, columns: Iterable[str] | None = None) -> ClassSizes:
        looked_at.add(frozenset(self.known(columns)))
        return look(self, columns)

    monkeypatch.setattr(Population, "class_sizes", watched)
    rounds = hierarchical_rounds(P, 0.01, k=10)
    assert looked_at - {frozenset()} == {frozenset(columns) for columns in known_after(rounds)}
    assert frozenset({"race", "workclass"}) not in looked_at


def test_adult_at_a_hundredth() -> None:
    P = Population("example:adult", columns=ADULT)
    first, second, third = hierarchical_rounds(P, "0.01", k=10)
    assert [each.columns for each in first.questions] == [(column,) for column in ADULT]
    assert all(each.certified.method == "nothing known" for each in first.questions)
    assert first.exposed_at_most == 7 / P.people  # who never worked
    assert [each.columns for each in second.refused] == [("race", "workclass")]
    assert [each.columns for each in third.questions] == [("sex", "income", "race"), ("sex", "income", "workclass")]
    together = sum(exposure(P, k=10, columns=each.columns) for each in second.questions)
    assert second.exposed_at_most == pytest.approx(together, rel=1e-12)
    assert (third.largest_certified, third.largest_certified_bound.value) == (("sex", "income", "race"), 6 / P.people)


@pytest.mark.long
def test_adult_with_eight_categories() -> None:
    P = Population("example:adult")
    rounds = hierarchical_rounds(P, 0.05, k=10, columns=CATEGORIES)
    assert [(done.size, len(done.questions), len(done.refused)) for done in rounds] == [
        (1, 8, 0),
        (2, 22, 6),
        (3, 18, 13),
    ]
    for done in rounds[1:]:
        for each in done.questions:
            assert exposure(P, k=10, columns=each.columns) == each.exposure <= each.certified.value <= 0.05
    assert [len(done.largest_certified) for done in rounds] == [3, 3, 4]
    assert rounds[-1].largest_certified_bound.value <= 0.05
    assert exposure(P, k=10, columns=rounds[-1].largest_certified) <= rounds[-1].largest_certified_bound.value


def test_at_the_ends() -> None:
    P = Population("example:adult", columns=ADULT)
    for at in ({"k": 1}, {"threshold": 0}):
        rounds = hierarchical_rounds(P, 0, **at, rounds=9)
        assert [len(done.questions) for done in rounds] == [4, 6, 4, 1]
        assert {done.exposed_at_most for done in rounds} == {0}
        assert {done.largest_certified for done in rounds} == {tuple(ADULT)}
    (first, second) = hierarchical_rounds(P, 0.5, k=P.people + 1)
    assert (first.exposed_at_most, first.largest_certified, first.largest_certified_bound.value) == (1, (), 1)
    assert (second.questions, len(second.refused), second.exposed_at_most) == ((), 6, 0)
    assert len(hierarchical_rounds(P, 1, k=10, rounds=1)) == 1
    assert hierarchical_rounds(P, 0.01, threshold=Fraction(10, P.people)) == hierarchical_rounds(P, 0.01, k=10)
    (alone,) = hierarchical_rounds(Population(pa.table({"x": ["a"]})), 0, k=2)
    assert (alone.exposed_at_most, alone.largest_certified) == (1, ())


def test_what_cannot_be_asked() -> None:
    adult = Population("example:adult", columns=ADULT)
    people = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        hierarchical_rounds(people, 0.1, k=2)
    with pytest.raises(UnsupportedError, match="hierarchical_rounds takes a Population or a table; got list"):
        hierarchical_rounds(["adult"], 0.1, k=2)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        hierarchical_rounds(adult, 0.1)
    with pytest.raises(InvalidValueError, match=r"budget must be a share of the people in \[0, 1\], got 1.5"):
        hierarchical_rounds(adult, 1.5, k=2)
    with pytest.raises(InvalidValueError, match="rounds must be"):
        hierarchical_rounds(adult, 0.1, k=2, rounds=0)
    with pytest.raises(InvalidValueError, match="at least one column"):
        hierarchical_rounds(adult, 0.1, k=2, columns=())
    with pytest.raises(UnknownColumnError, match="did you mean 'sex'"):
        hierarchical_rounds(adult, 0.1, k=2, columns=["sexx"])


def test_too_many_sets_are_not_searched() -> None:
    P = Population("example:adult", columns=ADULT)
    with lowered(MAX_SETS_PROMISED=14):
        assert len(hierarchical_rounds(P, 1, k=10)[0].largest_certified) == 4
    with lowered(MAX_SETS_PROMISED=9), pytest.raises(TooLargeError, match="more than 9 sets of columns"):
        hierarchical_rounds(P, 0.01, k=10)
