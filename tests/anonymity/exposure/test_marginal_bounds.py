"""Bounds from the counts of columns hold for every table that has them, and are those of the people counted."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

import discretion as dc
from discretion.anonymity import ClassSizes
from discretion.anonymity.choosing.rounds import HierarchicalRound
from discretion.errors import InvalidValueError, UnsupportedError
from oracles.bounds import tables_with

ADULT = ["sex", "income", "race", "workclass"]
Table = NDArray[np.int64]


@pytest.fixture(scope="module")
def adult() -> dc.Population:
    return dc.Population("example:adult", columns=ADULT)


@st.composite
def margins(draw: Any) -> list[list[int]]:
    """Return the counts of the values of each column, of the same few people."""
    columns, most_values, most = draw(st.sampled_from([(2, 3, 8), (3, 2, 6)]))
    people = draw(st.integers(1, most))
    values = st.lists(st.integers(0, most_values - 1), min_size=people, max_size=people)
    return [np.unique(draw(values), return_counts=True)[1].tolist() for _ in range(columns)]


def counted(margin: list[int]) -> dict[str, int]:
    return {f"value {i}": count for i, count in enumerate(margin)}


def exposed(table: Table, k: int) -> int:
    return int(table[table < k].sum())


at = st.one_of(st.fractions(0, 1).map(lambda t: {"threshold": t}), st.integers(1, 9).map(lambda k: {"k": k}))


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(margins(), at)
def test_every_table_with_the_counts_is_within_the_bounds(columns: list[list[int]], asked: dict[str, Any]) -> None:
    marginals = dc.Marginals({f"x{j}": counted(margin) for j, margin in enumerate(columns)})
    n = marginals.people
    k = asked["k"] if "k" in asked else -(-asked["threshold"].numerator * n // asked["threshold"].denominator)
    truths = [Fraction(exposed(table, k), n) for table in tables_with(columns)]
    for bound in (dc.exposure_bound(marginals, **asked), dc.anonymity.theorem_bound(marginals, **asked)):
        assert bound.certified
        assert bound.low <= min(truths) <= max(truths) <= bound.high
    worst = dc.anonymity.worst_exposure(marginals, **asked)
    assert worst.low <= max(truths) <= worst.high
    assert worst.value == float(max(truths))
    assert max(truths) <= dc.anonymity.exposure_bound_curve(marginals).fewer_than(k)


def joint_tables(people: int, shape: tuple[int, ...]) -> Iterator[Table]:
    """Return all tables of so many people."""
    cells = int(np.prod(shape))
    for bars in combinations(range(people + cells - 1), cells - 1):
        yield (np.diff([-1, *bars, people + cells - 1]) - 1).reshape(shape)


def margin_of(table: Table, axes: tuple[int, ...]) -> Table:
    return table.sum(axis=tuple(axis for axis in range(table.ndim) if axis not in axes))


def counts_of(table: Table, axes: tuple[int, ...]) -> dict[tuple[int, ...], int]:
    return {cell: int(count) for cell, count in np.ndenumerate(margin_of(table, axes)) if count}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 7), min_size=1, max_size=5),
    st.lists(st.sampled_from([(0, 1), (1, 2), (0, 2)]), min_size=1, max_size=3, unique=True),
    st.integers(2, 6),
)
def test_every_table_with_the_counts_of_pairs_is_within_the_bound(
    people: list[int], pairs: list[tuple[int, int]], k: int
) -> None:
    table = np.bincount(people, minlength=8).reshape(2, 2, 2)
    marginals = dc.Marginals(
        {"xyz"[j]: {cell[0]: count for cell, count in counts_of(table, (j,)).items()} for j in range(3)},
        groups={("xyz"[i], "xyz"[j]): counts_of(table, (i, j)) for i, j in pairs},
    )
    bound = dc.exposure_bound(marginals, k=k, groups=marginals.groups)
    curve = dc.anonymity.exposure_bound_curve(marginals, groups=marginals.groups)
    kept = [margin_of(table, axes) for axes in (*pairs, (0,), (1,), (2,))]
    alike = [
        other
        for other in joint_tables(len(people), (2, 2, 2))
        if all(
            np.array_equal(margin_of(other, axes), margin)
            for axes, margin in zip((*pairs, (0,), (1,), (2,)), kept, strict=True)
        )
    ]
    truths = [Fraction(exposed(other, k), len(people)) for other in alike]
    assert any(np.array_equal(other, table) for other in alike)
    assert bound.low <= min(truths) <= max(truths) <= bound.high <= dc.exposure_bound(marginals, k=k).high
    assert curve.fewer_than(k) == bound.high


PAIRS = [("x", "y"), ("y", "z")]
ASKED: dict[str, Callable[[Any], Any]] = {
    "exposure_bound": lambda P: dc.exposure_bound(P, k=3),
    "exposure_bound at a threshold": lambda P: dc.exposure_bound(P, threshold="1/5", columns=["z", "x"]),
    "exposure_bound of nothing": lambda P: dc.exposure_bound(P, k=3, columns=()),
    "exposure_bound with pairs": lambda P: dc.exposure_bound(P, k=3, groups=PAIRS),
    "exposure_bound with a single column": lambda P: dc.exposure_bound(P, k=3, groups=[["x"], *PAIRS]),
    "exposure_bound with the pair itself": lambda P: dc.exposure_bound(P, k=3, columns=["x", "y"], groups=[("y", "x")]),
    "exposure_bound_curve": lambda P: dc.anonymity.exposure_bound_curve(P).at_most(range(12)).tolist(),
    "exposure_bound_curve with pairs": lambda P: (
        dc.anonymity.exposure_bound_curve(P, groups=PAIRS).at_most(range(12)).tolist()
    ),
    "theorem_bound": lambda P: dc.anonymity.theorem_bound(P, threshold="1/10"),
    "theorem_bound of people": lambda P: dc.anonymity.theorem_bound(P, k=2, columns=["y", "x"]),
    "worst_exposure": lambda P: dc.anonymity.worst_exposure(P, k=2),
    "exposure_if_independent": lambda P: dc.anonymity.exposure_if_independent(P, k=3),
    "column_entropies": dc.anonymity.column_entropies,
    "select_columns": lambda P: dc.select_columns(P, "1/3", k=2, by="certified", weights={"x": 2}),
    "hierarchical_rounds": lambda P: dc.anonymity.hierarchical_rounds(P, "1/2", k=2, columns=["x", "y"]),
    "hierarchical_rounds at a threshold": lambda P: dc.anonymity.hierarchical_rounds(
        P, "2/3", threshold="1/8", rounds=1
    ),
}


@pytest.mark.long
@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(st.tuples(*[st.sampled_from([None, "a", "b", "c"])] * 3), min_size=1, max_size=15),
)
def test_people_and_the_counts_of_their_columns_give_the_same(rows: list[Any]) -> None:
    table = pa.table({name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate("xyz")})
    people = dc.Population(table)
    told: dict[str, dict[Any, int]] = {name: {} for name in "xyz"}
    together: dict[tuple[str, ...], dict[Any, int]] = {pair: {} for pair in PAIRS}
    for row in rows:
        values = dict(zip("xyz", row, strict=True))
        for name, value in values.items():
            told[name][value] = told[name].get(value, 0) + 1
        for pair in PAIRS:
            both = tuple(values[name] for name in pair)
            together[pair][both] = together[pair].get(both, 0) + 1
    counts = dc.Marginals(told, groups=together)
    assert counts == people.marginals(groups=PAIRS)
    for asked, answered in ASKED.items():
        assert answered(counts) == answered(people), asked


def test_adult_and_the_counts_of_its_columns_give_the_same(adult: dc.Population) -> None:
    pairs = list(combinations(ADULT, 2))
    counts = adult.marginals(groups=pairs)
    assert dc.exposure_bound(counts, threshold="0.001") == dc.exposure_bound(adult, threshold="0.001")
    assert dc.exposure_bound(counts, threshold="0.001", groups=pairs) == dc.exposure_bound(
        adult, threshold="0.001", groups=pairs
    )
    assert dc.anonymity.theorem_bound(counts, threshold="0.001") == dc.anonymity.theorem_bound(adult, threshold="0.001")
    assert dc.anonymity.exposure_if_independent(counts, k=10) == dc.anonymity.exposure_if_independent(adult, k=10)
    for budget in (0.001, 0.01):
        of_counts, of_people = (dc.select_columns(P, budget, k=10, by="certified") for P in (counts, adult))
        assert of_counts == of_people


def test_rounds_end_with_the_questions_whose_answers_are_not_there(adult: dc.Population) -> None:
    everything: tuple[HierarchicalRound, ...] = dc.anonymity.hierarchical_rounds(adult, "0.01", k=10)
    first, second = dc.anonymity.hierarchical_rounds(adult.marginals(), "0.01", k=10)
    assert first == everything[0]
    assert [(each.columns, each.certified) for each in second.questions] == [
        (each.columns, each.certified) for each in everything[1].questions
    ]
    assert second.refused == everything[1].refused
    assert {(each.exposure, each.classes) for each in second.questions} == {(None, None)}
    certified = sum(round(each.certified.value * adult.people) for each in second.questions)
    assert second.exposed_at_most == certified / adult.people >= everything[1].exposed_at_most
    assert second.largest_certified_bound == first.largest_certified_bound
    pairs = adult.marginals(groups=[each.columns for each in second.questions])
    *answered, third = dc.anonymity.hierarchical_rounds(pairs, "0.01", k=10)
    assert tuple(answered) == everything[:2]
    assert [each.columns for each in third.questions] == [each.columns for each in everything[2].questions]
    some = adult.marginals(groups=[each.columns for each in second.questions[1:]])
    *_, half = dc.anonymity.hierarchical_rounds(some, "0.01", k=10)
    assert [each.exposure is None for each in half.questions] == [True, *[False] * (len(half.questions) - 1)]
    assert half.exposed_at_most >= everything[1].exposed_at_most


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        (lambda M: dc.exposure(M, k=2), "exposure_bound"),
        (dc.exposure_curve, "exposure_bound_curve"),
        (lambda M: dc.select_columns(M, 0.1, k=2), "by='certified'"),
        (lambda M: dc.anonymity.reidentification(M, ["x"]), "exposure_bound"),
        (lambda M: dc.anonymity.inference(M, ["x"], "y"), "exposure_bound"),
        (lambda M: dc.anonymity.k_anonymity(M, ["x"]), "exposure_bound"),
        (lambda M: dc.anonymity.sampled_exposure(M, "0.1"), "exposure_bound"),
        (lambda M: dc.anonymity.surprisal(M, "x"), "exposure_bound"),
        (lambda M: dc.anonymity.entropy_exposure_bound(M, k=2), "column_entropies"),
    ],
)
def test_what_needs_the_people_says_what_needs_them_not(ask: Callable[[Any], Any], instead: str) -> None:
    with pytest.raises(UnsupportedError, match=instead):
        ask(dc.Marginals({"x": {"a": 2, "b": 1}, "y": {"c": 3}}))


def test_groups_that_are_not_there_are_not_made_up(adult: dc.Population) -> None:
    counts = adult.marginals(groups=[("sex", "race")])
    with pytest.raises(UnsupportedError, match="these Marginals lack the counts of sex and income together"):
        dc.exposure_bound(counts, k=10, groups=[("sex", "income")])
    with pytest.raises(UnsupportedError, match="race and sex together"):
        dc.select_columns(adult.marginals(), 0.1, k=10, by="certified", hierarchies=[["race", "sex"]])
    with pytest.raises(InvalidValueError, match="'sex' is not a generalization of 'race'"):
        dc.select_columns(counts, 0.1, k=10, by="certified", hierarchies=[["race", "sex"]])


def test_a_hierarchy_is_shown_by_the_counts_of_both_together() -> None:
    rows = [(str(age), f"{age // 10}0s") for age in (21, 22, 22, 31, 35, 35, 35, 40)]
    people = dc.Population(pa.table({"age": [age for age, _ in rows], "decade": [decade for _, decade in rows]}))
    counts = people.marginals(groups=[("age", "decade")])
    of_counts, of_people = (
        dc.select_columns(P, 0.5, k=2, by="certified", hierarchies=[["age", "decade"]]) for P in (counts, people)
    )
    assert of_counts == of_people


def test_groups_that_contradict_the_columns_are_of_no_people() -> None:
    alike, unique = ClassSizes([4], [1]), ClassSizes([1], [4])
    counts = dc.Marginals({"x": alike, "y": alike, "z": alike}, groups={("x", "y"): unique})
    with pytest.raises(InvalidValueError, match="no people can have these counts"):
        dc.exposure_bound(counts, k=2, groups=counts.groups)
