"""The worst table with the same columns: what an enumeration finds, between the truth and the counting bound."""

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Population, exposure
from discretion.anonymity.exposure.bounds import counting_bound, exposure_bound
from discretion.anonymity.exposure.theorem_bounds import theorem2_bound, theorem3_bound
from discretion.anonymity.exposure.worst_case import worst_exposed, worst_exposure
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.intervals import above, below
from oracles import bounds as slowly
from oracles.promise import exactly
from support.marginals import told

ADULT = ["sex", "income", "race"]


@pytest.fixture(scope="module")
def adult() -> Population:
    return Population("example:adult")


@st.composite
def margins(draw: Any) -> list[list[int]]:
    """Return the counts of the values of each column, of the same few people."""
    columns, most_values, most = draw(st.sampled_from([(2, 3, 8), (3, 2, 7)]))
    people = draw(st.integers(1, most))
    people_by_column = st.lists(st.integers(0, most_values - 1), min_size=people, max_size=people)
    return [sorted(np.unique(draw(people_by_column), return_counts=True)[1].tolist()) for _ in range(columns)]


def sizes_of(margin: list[int]) -> ClassSizes:
    return ClassSizes(*np.unique(margin, return_counts=True))


@settings(max_examples=60, deadline=None)
@given(margins(), st.integers(0, 9))
def test_it_is_that_of_an_enumeration_of_all_tables(columns: list[list[int]], k: int) -> None:
    worst = slowly.worst_exposed(columns, k)
    low, high, _ = worst_exposed(told([sizes_of(margin) for margin in columns]), k)
    assert low == high == worst


@pytest.mark.long
def test_it_is_between_the_truth_and_the_bounds() -> None:
    rng = np.random.default_rng(11)
    for _ in range(25):
        rows = np.stack([rng.choice(v, 60, p=rng.dirichlet(np.full(v, 0.7))) for v in (2, 3, 4)])
        columns = [ClassSizes(*np.unique(np.unique(r, return_counts=True)[1], return_counts=True)) for r in rows]
        marginals = told(columns)
        sizes = np.unique(rows, axis=1, return_counts=True)[1]
        for k in (2, 4, 8):
            low, high, _ = worst_exposed(marginals, k)
            assert sizes[sizes < k].sum() <= high <= counting_bound(marginals, k)
            theorems = theorem2_bound(marginals, k / 60), theorem3_bound(marginals, k / 60)
            assert high <= 60 * min(theorem.bound for theorem in theorems) + 1e-9
            assert max(column.exposed(k=k) for column in columns) <= low <= high


@pytest.mark.long
@pytest.mark.parametrize("k", [2, 10, 33])
def test_adult(adult: Population, k: int) -> None:
    worst = worst_exposure(adult, k=k, columns=ADULT)
    assert exposure(adult, k=k, columns=ADULT) <= worst.high < exposure_bound(adult, k=k, columns=ADULT).value
    found = Fraction(round(worst.value * adult.people), adult.people)
    assert (worst.low, worst.value, worst.high) == (below(found), float(found), above(found))
    assert (worst.confidence, worst.method) == (None, "integer program, solved")


@pytest.mark.long
def test_what_is_known_when_the_time_is_up_is_certified(adult: Population) -> None:
    columns = [*ADULT, "workclass"]
    worst = worst_exposure(adult, threshold="0.001", columns=columns, time_limit=1.0)
    assert exposure(adult, threshold="0.001", columns=columns) <= worst.value == exactly(worst.high)
    surely = max(adult.class_sizes([column]).exposed(threshold="0.001") for column in columns)
    assert below(Fraction(surely, adult.people)) <= worst.low <= worst.high
    assert worst.high <= exposure_bound(adult, threshold="0.001", columns=columns).high
    is_solved = worst.low == exactly(worst.high)
    assert worst.method == "integer program, " + ("solved" if is_solved else "stopped after 1 s")
    at_once = worst_exposure(adult, threshold="0.001", columns=columns, time_limit=1e-9)
    assert at_once.low <= worst.high <= at_once.high <= exposure_bound(adult, threshold="0.001", columns=columns).value
    assert at_once.method == "integer program, stopped after 1e-09 s"


@pytest.mark.long
def test_a_billion_people() -> None:
    rng = np.random.default_rng(4)
    table = rng.multinomial(10**9, rng.dirichlet(np.full(30, 0.05))).reshape(5, 6)
    columns = [ClassSizes(*np.unique(side[side > 0], return_counts=True)) for side in (table.sum(0), table.sum(1))]
    for k in (10, 10**6):
        low, high, _ = worst_exposed(told(columns), k, seconds=2)
        assert table[table < k].sum() <= high <= counting_bound(told(columns), k)
        assert low <= high


def test_at_the_ends(adult: Population) -> None:
    for at in ({"threshold": 0}, {"k": 1}):
        assert worst_exposure(adult, **at, columns=ADULT).high == 0
    assert worst_exposure(adult, k=adult.people + 1, columns=ADULT).low == 1
    assert worst_exposure(adult, k=10, columns=["workclass"]).value == exposure(adult, k=10, columns=["workclass"])
    assert worst_exposure(adult, k=10, columns=()).high == 0
    everybody = ClassSizes([1], [10**6])
    assert worst_exposed(told([everybody, ClassSizes([10**6], [1])]), 2)[:2] == (10**6, 10**6)
    same = ClassSizes([7], [1])
    assert worst_exposed(told([same, same]), 7)[:2] == (0, 0)


def test_what_cannot_be_answered(adult: Population) -> None:
    with pytest.raises(TooLargeError, match=r"at most 4,096 cells, got 6,132; use exposure_bound"):
        worst_exposure(adult, k=10, columns=["age", "native_country", "sex"])
    for seconds in (0, -1, float("nan"), "soon"):
        with pytest.raises(InvalidValueError, match="time_limit"):
            worst_exposure(adult, k=10, columns=ADULT, time_limit=seconds)  # pyright: ignore[reportArgumentType]
    several = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        worst_exposure(several, k=2)
