"""The counting bound is certified, the least of its kind, and below the paper's."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from oracles import tables
from tacit.anonymity import ClassSizes, Population, bounds, counting_bound, exposure, exposure_bound
from tacit.errors import InvalidValueError, UnsupportedError

ADULT = ["sex", "income", "race", "workclass"]
row = st.tuples(*[st.sampled_from([None, "a", "b", "c"])] * 3)
some_rows = st.lists(row, min_size=1, max_size=30)


@pytest.fixture(scope="module")
def adult() -> Population:
    return Population("example:adult")


def marginals_of(rows: list[Any]) -> list[dict[int, int]]:
    return [tables.class_sizes(tables.restrict(rows, [j])) for j in range(len(rows[0]))]


def sizes_of(marginals: list[dict[int, int]]) -> list[ClassSizes]:
    return [ClassSizes(list(m), list(m.values())) for m in marginals]


def histogram(sizes: ClassSizes) -> dict[int, int]:
    return dict(zip(sizes.sizes.tolist(), sizes.counts.tolist(), strict=True))


@given(some_rows, st.integers(1, 35))
def test_it_is_the_least_over_all_breakpoints(rows: list[Any], k: int) -> None:
    marginals, n = marginals_of(rows), len(rows)
    slowly = tables.counting_bound(marginals, n, Fraction(k - 1, n))
    assert Fraction(counting_bound(sizes_of(marginals), k), n) == slowly


@given(some_rows, st.integers(1, 35))
def test_it_is_never_below_the_exposure(rows: list[Any], k: int) -> None:
    assert Fraction(counting_bound(sizes_of(marginals_of(rows)), k), len(rows)) >= tables.exposure_below(rows, k)


@given(some_rows, st.fractions(Fraction(1, 50), 1))
def test_it_is_never_above_theorems_2_and_3(rows: list[Any], t: Fraction) -> None:
    marginals, n = marginals_of(rows), len(rows)
    k = -(-t.numerator * n // t.denominator)
    assert Fraction(counting_bound(sizes_of(marginals), k), n) <= tables.theorem_bounds(marginals, n, t)


@given(some_rows, st.integers(0, 35))
def test_a_single_column_gives_its_exposure(rows: list[Any], k: int) -> None:
    (sizes, *_) = sizes_of(marginals_of(rows))
    assert counting_bound([sizes], k) == (sizes.exposed(k=k) if k else 0)


@settings(max_examples=30, deadline=None)
@given(
    some_rows, st.one_of(st.fractions(0, 1).map(lambda t: {"threshold": t}), st.integers(1, 35).map(lambda k: {"k": k}))
)
def test_the_estimate_holds_the_exposure(rows: list[Any], at: dict[str, Any]) -> None:
    P = Population(pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate("xyz")}))
    for columns in (None, (), ("x",), ("x", "z")):
        bound = exposure_bound(P, **at, columns=columns)
        assert bound.low <= exposure(P, **at, columns=columns) <= bound.high == bound.value
        assert (bound.confidence, bound.method) == (None, "counting")
        if columns is not None and len(columns) <= 1:
            assert bound.low == bound.high == exposure(P, **at, columns=columns)


def test_adult_at_a_thousandth(adult: Population) -> None:
    bound = exposure_bound(adult, "0.001", columns=ADULT)
    marginals = [histogram(adult.class_sizes([column])) for column in ADULT]
    t, n = Fraction(1, 1000), adult.people
    assert bound.value == float(tables.counting_bound(marginals, n, Fraction(32, n)))
    assert float(tables.counting_bound(marginals, n, t)) == pytest.approx(0.10252, abs=5e-6)
    assert bound.value == pytest.approx(0.10107, abs=5e-6)
    assert tables.theorem_bounds(marginals, n, t) > bound.value > exposure(adult, "0.001", columns=ADULT)


def test_every_pair_and_triple_of_adult_is_bounded(adult: Population) -> None:
    for size in (2, 3):
        for columns in combinations(["sex", "race", "education", "native_country", "age"], size):
            for k in (2, 10, 100):
                assert exposure(adult, k=k, columns=columns) <= exposure_bound(adult, k=k, columns=columns).value


def test_all_of_adult_is_certified_to_expose_anybody(adult: Population) -> None:
    assert exposure_bound(adult, k=10).value == 1


def test_many_columns_with_hundreds_of_breakpoints_agree_with_a_dense_search() -> None:
    rng = np.random.default_rng(7)
    n, columns = 50_000, []
    for values in (2000, 800, 300):
        law = np.arange(1, values + 1) ** -1.5
        counts = rng.multinomial(n, law / law.sum())
        columns.append(ClassSizes(*np.unique(counts[counts > 0], return_counts=True)))
    edges = [np.append(c.sizes, n + 1) for c in columns]
    rare = [np.array([c.exposed(k=int(e)) for e in es]) for c, es in zip(columns, edges, strict=True)]
    kept = [np.array([c.counts[c.sizes >= e].sum() for e in es]) for c, es in zip(columns, edges, strict=True)]
    for k in (2, 3, 10):
        dense = min(
            int((r + rare[1][:, None] + rare[2] + (k - 1) * cells * np.multiply.outer(kept[1], kept[2])).min())
            for r, cells in zip(rare[0], kept[0], strict=True)
        )
        assert counting_bound(columns, k) == min(dense, n)
    assert counting_bound(columns * 5, 2) <= n


def test_in_blocks_it_is_the_same_and_a_capped_frontier_is_a_bound_still(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    columns = []
    for values in (40, 60, 30):
        counts = rng.multinomial(10_000, rng.dirichlet(np.full(values, 0.3)))
        columns.append(ClassSizes(*np.unique(counts[counts > 0], return_counts=True)))
    exact = counting_bound(columns, 2)
    monkeypatch.setattr(bounds, "BLOCK", 7)
    assert counting_bound(columns, 2) == exact
    monkeypatch.setattr(bounds, "FRONTIER", 3)
    assert exact <= counting_bound(columns, 2) <= 10_000


def test_a_billion_people_do_not_overflow() -> None:
    unique = ClassSizes([1], [10**9])
    assert counting_bound([unique] * 14, 2) == 10**9
    assert counting_bound([ClassSizes([10**9], [1])] * 14, 10**9) == 10**9 - 1
    assert counting_bound([ClassSizes([10**9], [1])] * 14, 10**30) == 10**9


def test_what_cannot_be_bounded(adult: Population) -> None:
    people = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        exposure_bound(people, k=2)
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        exposure_bound(adult, k=2, threshold=0.1)
    with pytest.raises(InvalidValueError, match="one or more columns of the same people"):
        counting_bound([ClassSizes([1], [2]), ClassSizes([1], [3])], 2)
    with pytest.raises(InvalidValueError, match="one or more columns of the same people"):
        counting_bound([], 2)
