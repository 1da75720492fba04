"""Less frequent values as one: bounds, rounds and selections take and return how many values are told apart."""

from fractions import Fraction
from itertools import product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Marginals, Population, exposure_bound, hierarchical_rounds, select_columns
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from oracles.tables import class_sizes

NAMES = "xyz"
value = st.sampled_from(["a", "a", "a", "b", "b", "c", "d", None])
people = st.lists(st.tuples(value, value, value), min_size=1, max_size=50)
numbers = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 5))


def answers(rows: list[tuple[Any, ...]], kept: dict[str, int]) -> list[tuple[Any, ...]]:
    """Return everybody's values, the less frequent ones of a column being "other"; null comes last of as frequent."""
    told: list[list[Any]] = []
    for name, column in zip(NAMES, zip(*rows, strict=True), strict=True):
        by_frequency = sorted(set(column), key=lambda each: (-column.count(each), each is None, each or ""))
        told.append([each if by_frequency.index(each) < kept.get(name, 9) else "other" for each in column])
    return list(zip(*told, strict=True))


def table_of(rows: list[tuple[Any, ...]]) -> Population:
    return Population(pa.table({n: pa.array([row[j] for row in rows], pa.string()) for j, n in enumerate(NAMES)}))


def exposed(rows: list[tuple[Any, ...]], k: int) -> Fraction:
    return Fraction(sum(rows.count(row) < k for row in rows), len(rows))


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(people, numbers, st.integers(1, 8), st.sets(st.sampled_from(["xy", "yz", "xz", "xyz"])))
def test_a_bound_on_kept_values_is_that_of_the_table_in_which_the_others_are_one(
    rows: list[Any], kept: dict[str, int], k: int, groups: set[str]
) -> None:
    coarse = table_of(answers(rows, kept))
    bound = exposure_bound(table_of(rows), k=k, groups=list(map(tuple, groups)), kept=kept)
    if not (kept.keys() and groups):  # of values that as many people have, another one may be kept
        assert bound == exposure_bound(coarse, k=k, groups=list(map(tuple, groups)))
    assert exposed(answers(rows, kept), k) <= bound.high
    marginals = table_of(rows).marginals()
    assert exposure_bound(marginals, k=k, kept=kept) == exposure_bound(coarse, k=k)
    assert marginals.marginals(kept=kept) == coarse.marginals()


@pytest.mark.long
@settings(max_examples=12, deadline=None)
@given(people, numbers, st.sampled_from([0, Fraction(1, 10), Fraction(1, 2), 1]), st.integers(1, 5))
def test_rounds_with_kept_values_promise_what_holds(rows: list[Any], kept: dict[str, int], budget: Any, k: int) -> None:
    told = answers(rows, kept)
    for done in hierarchical_rounds(table_of(rows), budget, k=k, kept=kept):
        for each in done.questions:
            places = [NAMES.index(name) for name in each.columns]
            alike = [tuple(row[j] for j in places) for row in told]
            assert each.exposure == float(exposed(alike, k))
            assert each.classes == len(set(alike))
        places = [NAMES.index(name) for name in done.largest_certified]
        alike = [tuple(row[j] for j in places) for row in told]
        assert exposed(alike, k) <= done.largest_certified_bound.high


def test_rounds_with_kept_values_ask_further_than_without() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass", "education"])
    plain = hierarchical_rounds(adult, 0.01, k=10)[-1]
    coarse = hierarchical_rounds(adult, 0.01, k=10, kept={"race": 2, "workclass": 2, "education": 4})[-1]
    assert plain.largest_certified == ("sex", "race")
    assert len(coarse.largest_certified) == 3
    marginals = adult.marginals()
    rounds = hierarchical_rounds(marginals, 0.01, k=10, kept={"race": 2})
    assert [each.classes for each in rounds[0].questions] == [2, 3, 9, 16]


def best_by_enumeration(sizes: list[ClassSizes], people: int, budget: Fraction, k: int) -> float:
    """Return the largest utility of a certified set: each column counts for its share of its entropy."""
    best = 0.0
    for kept in product(*(range(each.classes) for each in sizes)):
        chosen = {f"{j}": each.coarsened(most) for j, (each, most) in enumerate(zip(sizes, kept, strict=True)) if most}
        if not chosen or Fraction(exposure_bound(Marginals(chosen, people), k=k).value).limit_denominator(100) > budget:
            continue
        best = max(best, sum(each.entropy / sizes[int(name)].entropy for name, each in chosen.items()))
    return best


@pytest.mark.long
@settings(max_examples=10, deadline=None)
@given(people, st.fractions(0, 1, max_denominator=12), st.integers(1, 5))
def test_a_selection_that_may_coarsen_is_the_most_useful_certified_one(
    rows: list[Any], budget: Fraction, k: int
) -> None:
    P = table_of(rows)
    selection = select_columns(P, budget, k=k, by="certified", coarsen=True)
    sizes = [P.class_sizes([name]) for name in NAMES]
    if selection.best is None:
        assert P.people < k
        return
    told = answers(rows, dict(selection.best.kept))
    places = [NAMES.index(name) for name in selection.columns]
    assert exposed([tuple(row[j] for j in places) for row in told], k) <= selection.best.exposure.high
    assert set(selection.best.kept) <= set(selection.columns)
    if all(each.classes > 1 for each in sizes):
        assert selection.best.utility == pytest.approx(best_by_enumeration(sizes, P.people, budget, k), abs=1e-6)
    plain = select_columns(P, budget, k=k, by="certified")
    assert plain.best is None or selection.best.utility >= plain.best.utility - 1e-9
    assert exposure_bound(P, k=k, columns=selection.columns, kept=selection.best.kept) == selection.best.exposure


def test_columns_to_keep_go_out_as_they_are() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass"])
    chosen = select_columns(adult, 0.02, k=10, by="certified", coarsen=True, keep=iter(["workclass"]))
    assert chosen.best is not None
    assert "workclass" in chosen.columns
    assert "workclass" not in chosen.best.kept


@settings(max_examples=60)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=9), st.integers(0, 10))
def test_coarsened_class_sizes_are_those_of_the_largest_classes_and_the_rest(sizes: list[int], kept: int) -> None:
    largest = sorted(sizes, reverse=True)
    rest = sum(largest[kept:])
    expected = class_sizes(
        [place for place, size in enumerate([*largest[:kept], *[rest] * (rest > 0)]) for _ in range(size)]
    )
    found = ClassSizes(*zip(*sorted((size, sizes.count(size)) for size in set(sizes)), strict=True)).coarsened(kept)
    assert dict(zip(found.sizes.tolist(), found.counts.tolist(), strict=True)) == expected


def test_what_cannot_be_kept() -> None:
    P = table_of([("a", "b", "c"), ("a", "c", "d"), ("b", "b", "e"), ("c", "b", "e")])
    for kept, error, message in [
        ({"w": 1}, UnknownColumnError, "there is no column 'w'"),
        ({"x": -1}, InvalidValueError, r"kept\['x'\] must be a whole number of at least 0"),
        ({"x": True}, InvalidValueError, "must be a whole number"),
        (["x"], InvalidValueError, "kept must be a mapping from columns to numbers"),
    ]:
        with pytest.raises(error, match=message):
            exposure_bound(P, k=2, kept=kept)
    pairs = P.marginals(groups=[("x", "y")])
    with pytest.raises(UnsupportedError, match="x and y together do not show the rare values of x"):
        exposure_bound(pairs, k=2, groups=[("x", "y")], kept={"x": 1})
    assert exposure_bound(pairs, k=2, groups=[("x", "y")], kept={"z": 1}).value <= 1
    for arguments in [{"by": "measured"}, {"by": "certified", "hierarchies": [["x", "y"]]}]:
        with pytest.raises(UnsupportedError, match="coarsen=True needs"):
            select_columns(P, 0.1, k=2, coarsen=True, **arguments)


def test_a_selection_shows_how_many_values_are_told_apart() -> None:
    adult = Population("example:adult", columns=["sex", "race", "workclass"])
    chosen = select_columns(adult, 0.01, k=10, by="certified", coarsen=True)
    assert "sex, race (2 values and other), workclass (5 values and other) can go out together" in chosen.to_markdown()
    assert "race (2 values and other)" in chosen.chart().to_dict()["description"]
    assert [None, 2, 5] in chosen.to_frame().column("kept").to_pylist()
