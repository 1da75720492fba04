"""The exposure of the product of the columns' laws, labelled as the assumption that it is."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes, Population, exposure
from discretion.anonymity.exposure import independence
from discretion.anonymity.exposure.independence import exposure_if_independent, product_exposure
from discretion.errors import UnsupportedError
from discretion.estimate import contrasted
from discretion.intervals import above, below
from oracles import bounds as slowly
from support.marginals import told


@st.composite
def columns(draw: Any) -> list[ClassSizes]:
    people = draw(st.integers(1, 30))
    values = st.lists(st.integers(0, 4), min_size=people, max_size=people)
    return [
        ClassSizes(*np.unique(np.unique(draw(values), return_counts=True)[1], return_counts=True))
        for _ in range(draw(st.integers(1, 4)))
    ]


def oracle(marginals: list[ClassSizes], share: Fraction) -> Fraction:
    tallied = [dict(zip(m.sizes.tolist(), m.counts.tolist(), strict=True)) for m in marginals]
    return Fraction(slowly.product_exposure(tallied, marginals[0].people, share))


@settings(deadline=None)
@given(columns(), st.fractions(0, Fraction(3, 2)))
def test_it_is_the_sum_over_all_cells(marginals: list[ClassSizes], share: Fraction) -> None:
    truth = oracle(marginals, share)
    assert product_exposure(told(marginals), share) == (below(truth), above(truth))


@settings(max_examples=50, deadline=None)
@given(columns(), st.fractions(0, Fraction(3, 2)), st.booleans(), st.integers(1, 4))
def test_rounded_to_bins_it_is_an_interval(
    marginals: list[ClassSizes], share: Fraction, at_a_cell: bool, which: int
) -> None:
    if at_a_cell:  # where rounding errors would show
        share = Fraction(1)
        for marginal in marginals:
            share *= Fraction(int(marginal.sizes[which % len(marginal.sizes)]), marginal.people)
    low, high = independence._rounded(told(marginals), share)
    assert low <= oracle(marginals, share) <= high


def test_columns_that_are_independent_expose_just_that() -> None:
    rows = [(a, b) for a, b in product("aaab", "ccccccde") for _ in range(2)]
    P = Population(pa.table({name: [row[j] for row in rows] for j, name in enumerate("xy")}))
    for k in range(1, len(rows) + 2):
        found = exposure_if_independent(P, k=k)
        assert found.low == found.value == found.high == exposure(P, k=k)
    assert (found.certified, found.assuming) == (False, "independent columns")


def test_an_assumption_is_no_certificate() -> None:
    """Who is what in one column says it in the other: nobody stands out, and a product law has most people do."""
    rows = [letter for letter in "abcdefg" for _ in range(7)]
    P = Population(pa.table({"letter": rows, "again": rows}))
    found = exposure_if_independent(P, k=7)
    assert exposure(P, k=7) == 0 < found.low
    assert not found.certified
    assert contrasted(found, 0.1, lambda a, b: a - b).assuming == "independent columns"


def test_all_of_adult_and_twenty_columns_of_thousands_of_values() -> None:
    adult = Population("example:adult")
    found = exposure_if_independent(adult, k=10)
    assert 0.999 < found.low <= found.high <= 1
    rng = np.random.default_rng(2)
    marginals = []
    for values in rng.integers(1000, 3000, 20):
        law = np.arange(1, values + 1) ** -3.0
        counts = rng.multinomial(10**7, law / law.sum())
        marginals.append(ClassSizes(*np.unique(counts[counts > 0], return_counts=True)))
    low, high = product_exposure(told(marginals), Fraction(1, 10**6))
    assert low <= high <= low + 0.01
    drawn = np.zeros(20_000)
    for m in marginals:
        cells = rng.choice(len(m.sizes), 20_000, p=m.sizes * m.counts / m.people)
        drawn += np.log(m.sizes[cells] / m.people)
    assert abs((drawn < np.log(1e-6)).mean() - low) < 0.02


def test_at_the_ends() -> None:
    adult = Population("example:adult", columns=["sex", "race"])
    assert exposure_if_independent(adult, k=1).value == 0
    assert exposure_if_independent(adult, threshold=0).value == 0
    assert exposure_if_independent(adult, k=adult.people + 1).value == 1
    assert exposure_if_independent(adult, k=10, columns=()).value == 0
    unique = ClassSizes([1], [10**6])
    assert product_exposure(told([unique] * 3), Fraction(2, 10**6)) == (1, 1)
    with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
        exposure_if_independent(adult)
