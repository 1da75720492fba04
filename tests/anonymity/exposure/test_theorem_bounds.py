"""Theorems 2 and 3 are taken at their best, and the counting bound is below them."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Population, exposure
from discretion.anonymity.exposure.bounds import counting_bound, exposure_bound
from discretion.anonymity.exposure.theorem_bounds import theorem2_bound, theorem3_bound, theorem_bound
from discretion.errors import InvalidValueError, UnsupportedError
from oracles import bounds as slowly, tables
from oracles.promise import exactly
from support.marginals import marginals_of, sizes_of, told

ADULT = ["sex", "income", "race", "workclass"]
row = st.tuples(*[st.sampled_from("abcd")] * 3)
some_rows = st.lists(row, min_size=1, max_size=40)
shares = st.fractions(Fraction(1, 2000), 1)


@pytest.fixture(scope="module")
def adult() -> Population:
    return Population("example:adult")


@pytest.mark.parametrize(
    ("columns", "threshold", "bound"),
    [
        (ADULT, "0.001", 0.4697786644),
        (ADULT, "0.0001", 0.1962136653),
        (ADULT[:3], "0.001", 0.1604215318),
        (ADULT[:2], "0.001", 0.0060460496),
    ],
)
def test_adult_at_their_best(adult: Population, columns: list[str], threshold: str, bound: float) -> None:
    found = theorem_bound(adult, threshold=threshold, columns=columns)
    assert found.high == exactly(found.value) == pytest.approx(bound, abs=5e-11)
    assert found.low <= exposure(adult, threshold=threshold, columns=columns)
    assert exposure_bound(adult, threshold=threshold, columns=columns).value <= found.value
    assert found.method == ("Theorem 2" if len(columns) == 2 else "Theorem 3")


@settings(deadline=None)
@given(some_rows, shares)
def test_theorem_2_is_the_least_over_steps_and_the_levels_within_them(rows: list[Any], t: Fraction) -> None:
    marginals = marginals_of(rows)
    assert theorem2_bound(told(sizes_of(marginals)), t).bound == pytest.approx(
        slowly.theorem2(marginals, len(rows), t), abs=1e-12
    )


@given(some_rows, shares)
def test_theorem_3_is_the_least_over_the_ends_of_steps(rows: list[Any], t: Fraction) -> None:
    marginals = marginals_of(rows)
    least = float(slowly.theorem3(marginals, len(rows), t))
    assert theorem3_bound(told(sizes_of(marginals)), t).bound == pytest.approx(least, abs=1e-12)


def test_no_thresholds_at_all_give_less() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        n = 2000
        counts = [rng.multinomial(n, rng.dirichlet(np.full(v, 0.5))) for v in (4, 7, 12)]
        columns = [ClassSizes(*np.unique(c[c > 0], return_counts=True)) for c in counts]
        thresholds = np.exp(rng.uniform(math.log(1e-4), 0, (4000, 3)))
        rare = sum(
            np.append(0, c.curve().exposed)[np.searchsorted(c.sizes, t * n, side="left")] / n
            for c, t in zip(columns, thresholds.T, strict=True)
        )
        spread = thresholds * [c.classes for c in columns]
        t = Fraction(1, 500)
        enough = thresholds.prod(axis=1) >= float(t)
        second = (rare + spread.sum(axis=1) - spread.max(axis=1))[enough].min()
        third = (rare + float(t) / thresholds.prod(axis=1)).min()
        assert theorem2_bound(told(columns), t).bound <= second
        assert theorem3_bound(told(columns), t).bound <= third


@settings(deadline=None)
@given(some_rows, shares)
def test_the_counting_bound_is_between_the_exposure_and_the_theorems(rows: list[Any], t: Fraction) -> None:
    n, columns = len(rows), sizes_of(marginals_of(rows))
    counting = counting_bound(told(columns), -(-t.numerator * n // t.denominator)) / n
    assert float(tables.exposure_at(rows, t)) - 1e-12 <= counting
    assert counting <= min(theorem2_bound(told(columns), t).bound, theorem3_bound(told(columns), t).bound) + 1e-12


def test_thresholds_that_reach_the_limit_exactly() -> None:
    halves, tenths = ClassSizes([50], [2]), ClassSizes([10, 50], [5, 1])
    found = theorem2_bound(told([halves, tenths]), "1/20")  # t = 1/2 and 1/10, j* = 1
    assert (found.bound, found.thresholds, found.star) == (pytest.approx(6 / 10, abs=1e-12), (1 / 2, 1 / 10), 0)
    just_above = theorem2_bound(told([halves, tenths]), Fraction(1, 20) + Fraction(1, 10**9)).bound
    assert just_above == pytest.approx(0.5 + 2 / 10, abs=1e-7)  # t = 1/10 and 1/2, j* = 2
    assert theorem2_bound(told([halves, halves]), "1/4").bound == 1


def test_a_single_column_gives_its_exposure_by_theorem_2() -> None:
    sizes = ClassSizes([1, 4, 10], [5, 5, 5])
    for t in ("1/75", "2/75", "4/75", "5/75", "10/75"):
        assert theorem2_bound(told([sizes]), t).bound == pytest.approx(sizes.exposure(threshold=t), abs=1e-15)


def test_at_the_ends(adult: Population) -> None:
    assert theorem_bound(adult, threshold=0).value == 0
    assert theorem_bound(adult, threshold=1, columns=["sex"]).value == 1
    assert theorem_bound(adult, k=adult.people + 1, columns=["sex"]).low == 1
    assert theorem_bound(adult, k=2, columns=()).value <= 2 / adult.people
    assert theorem_bound(adult, k=10).value == 1


def test_many_columns_of_many_values() -> None:
    rng = np.random.default_rng(5)
    columns = []
    for values in rng.integers(2, 5000, 20):
        law = np.arange(1, values + 1) ** -3.0
        counts = rng.multinomial(10**9, law / law.sum())
        columns.append(ClassSizes(*np.unique(counts[counts > 0], return_counts=True)))
    assert 0 < theorem3_bound(told(columns[:4]), 1e-8).bound < 1
    assert theorem2_bound(told(columns), 1e-9).bound <= 1


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(some_rows, shares, st.integers(1, 3))
def test_the_parameters_give_the_bound(rows: list[Any], t: Fraction, columns: int) -> None:
    P = Population(pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate("xyz")}))
    found = theorem_bound(P, threshold=t, columns=list("xyz"[:columns]))
    if not found.thresholds:
        assert (found.value, found.c, found.j_star) == (1, None, None)
        return
    alone = {column: P.class_sizes([column]) for column in found.thresholds}
    rare = sum(sizes.exposure(threshold=found.thresholds[column]) for column, sizes in alone.items())
    product = math.prod(found.thresholds.values())
    if found.method == "Theorem 3":
        assert found.j_star is None
        assert found.c is not None
        assert 0 < found.c < 1
        assert found.c * product == pytest.approx(float(t), rel=1e-12)
        slack = found.c
    else:
        assert found.c is None
        assert product >= t * (1 - Fraction(1, 10**12))
        slack = sum(
            found.thresholds[column] * sizes.classes for column, sizes in alone.items() if column != found.j_star
        )
    assert found.value == pytest.approx(rare + slack, abs=1e-12)


def test_the_parameters_where_they_do_not_matter(adult: Population) -> None:
    nobody = theorem_bound(adult, threshold=0, columns=["sex", "race"])
    assert (nobody.thresholds, nobody.c, nobody.j_star) == ({"sex": 0, "race": 0}, None, "sex")
    everybody = theorem_bound(adult, k=10)
    assert (everybody.value, everybody.thresholds, everybody.c, everybody.j_star) == (1, {}, None, None)
    nothing = theorem_bound(adult, k=2, columns=())
    assert (nothing.thresholds, nothing.j_star) == ({}, None)
    assert hash(nobody) != hash(everybody)
    assert (1 - nobody).value == 1


def test_the_slack_is_needed() -> None:
    """``p = (1-c) I/m + c J/m²``: nobody is exposed on either column at 1/m, and a share of c(1 - 1/m) on both."""
    m, c = 5, Fraction(1, 4)
    n = 4 * m * m  # so that every cell is a whole number of people
    table = np.full((m, m), int(c * n / m**2)) + np.eye(m, dtype=int) * int((1 - c) * n / m)
    joint = ClassSizes(*np.unique(table, return_counts=True))
    columns = [ClassSizes(*np.unique(table.sum(axis=axis), return_counts=True)) for axis in (0, 1)]
    t = c / m**2 + Fraction(1, 10**9)
    assert [column.exposure(threshold=Fraction(1, m)) for column in columns] == [0, 0]
    assert joint.exposure(threshold=t) == pytest.approx(float(c * (1 - Fraction(1, m))), abs=1e-15)
    assert joint.exposure(threshold=t) <= theorem3_bound(told(columns), t).bound <= float(c) + 1e-6


def test_theorem_4() -> None:
    """Groups of a people with all k bits, k of whom redact a bit each: the exposures of the columns add up."""
    c, k = Fraction(1), 6
    a = int(3 / c)
    rows = [tuple(group >> j & 1 for j in range(k)) for group in range(2**k) for _ in range(a)]
    for j in range(k):
        rows[a * j] = tuple(None if i == j else bit for i, bit in enumerate(rows[a * j]))
    n = len(rows)
    q = Fraction(a * 2 ** (k - 1) - 1, n)
    assert c * q**k >= Fraction(2, n)
    alone = [tables.exposure_at(tables.restrict(rows, [j]), q) for j in range(k)]
    assert alone == [Fraction(1, n)] * k
    assert tables.exposure_at(rows, c * q**k) >= sum(alone)


def test_what_cannot_be_bounded(adult: Population) -> None:
    several = Population(pa.table({"id": [1, 1, 2], "x": ["a", "b", "a"]}), person="id")
    with pytest.raises(UnsupportedError, match="several rows"):
        theorem_bound(several, k=2)
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        theorem_bound(adult)
    with pytest.raises(InvalidValueError, match="'x0' counts 2 people, and another one 3"):
        theorem2_bound(told([ClassSizes([1], [2]), ClassSizes([1], [3])]), 0.5)
    with pytest.raises(InvalidValueError, match=r"in \[0, 1\]"):
        theorem3_bound(told([ClassSizes([1], [2])]), 1.5)


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(some_rows, shares)
def test_the_upper_end_is_not_below_theorem_3_in_fractions(rows: list[Any], t: Fraction) -> None:
    P = Population(pa.table({name: pa.array([r[j] for r in rows], pa.string()) for j, name in enumerate("xy")}))
    found = theorem_bound(P, threshold=t)
    steps = [
        [
            (Fraction(int(rare), P.people), Fraction(P.people, int(size)))
            for rare, size in zip(s.rarer, s.sizes, strict=True)
        ]
        for s in (P.class_sizes([name]) for name in "xy")
    ]
    least = min(a + b + t * c * d for a, c in steps[0] for b, d in steps[1]) if t else Fraction(0)
    if found.method == "Theorem 3":
        assert found.high >= min(least, 1)
    assert found.value <= min(least, 1) * (1 + Fraction(1, 10**10))
    assert Fraction(P.class_sizes().exposed(threshold=t), P.people) <= found.high
