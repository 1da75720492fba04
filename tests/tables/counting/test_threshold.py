"""Thresholds are exact: the float k/n means k/n."""

import math
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.errors import InvalidValueError, UnsupportedError
from discretion.tables.counting.threshold import as_fraction, least_unexposed


@given(st.integers(1, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_float_of_a_share_is_that_share(share: tuple[int, int]) -> None:
    k, n = share
    assert as_fraction(k / n) == Fraction(k, n)


@pytest.mark.parametrize("n", [1, 2, 3, 10, 49, 1000, 3256])
def test_every_share_of_some_people(n: int) -> None:
    assert all(as_fraction(k / n) == Fraction(k, n) for k in range(n + 1))


@given(st.floats(0, 1))
def test_a_float_means_a_fraction_that_rounds_to_it_with_no_larger_denominator(x: float) -> None:
    fraction = as_fraction(x)
    assert float(fraction) == x
    assert fraction.denominator <= Fraction(x).denominator


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_no_fraction_of_smaller_denominator_rounds_to_it(share: tuple[int, int]) -> None:
    x = share[0] / share[1]
    simplest = as_fraction(x).denominator
    assert all(round(x * d) / d != x for d in range(1, simplest))


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        (0, Fraction(0)),
        (1, Fraction(1)),
        (-0.0, Fraction(0)),
        (0.001, Fraction(1, 1000)),
        ("0.001", Fraction(1, 1000)),
        ("1/3", Fraction(1, 3)),
        ("1e-3", Fraction(1, 1000)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Fraction(2, 7), Fraction(2, 7)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.int64(1), Fraction(1)),
    ],
)
def test_what_is_a_threshold(given_: object, meant: Fraction) -> None:
    fraction = as_fraction(given_)  # type: ignore[arg-type]
    assert fraction == meant
    assert isinstance(fraction.numerator, int)


@pytest.mark.parametrize(
    "given_",
    [
        -0.1,
        1.1,
        math.nan,
        math.inf,
        True,
        None,
        "a",
        "",
        "2",
        "1/0",
        "nan",
        Decimal("NaN"),
        Decimal("Infinity"),
        2,
        [0.1],
        0j,
    ],
)
def test_what_is_not(given_: object) -> None:
    with pytest.raises(InvalidValueError, match=r"a threshold must be a number in \[0, 1\]"):
        as_fraction(given_)  # type: ignore[arg-type]


@given(st.integers(1, 10**6), st.fractions(0, 1), st.integers(1, 10**6))
def test_a_class_is_exposed_when_its_share_is_below_the_threshold(n: int, t: Fraction, size: int) -> None:
    assert (size < least_unexposed(n, threshold=t)) == (Fraction(size, n) < t)


def test_threshold_or_k_not_both_and_not_neither() -> None:
    for options in ({}, {"threshold": 0.1, "k": 2}):
        with pytest.raises(UnsupportedError, match=r"either threshold=.* or k="):
            least_unexposed(10, **options)
    with pytest.raises(InvalidValueError, match="k must be a whole number of at least 1"):
        least_unexposed(10, k=0)


def test_no_table_engine_is_imported_for_a_threshold() -> None:
    engines = "('ibis', 'duckdb', 'pyarrow', 'pandas')"
    modules = "discretion.anonymity, discretion.tables.counting.threshold"
    code = f"import sys, {modules}; print(*(m for m in {engines} if m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
