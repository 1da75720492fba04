"""The largest of k standard normals: its closed forms, its published values, and another integral."""

import itertools
from math import asin, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import quad
from scipy.special import log_ndtr

from discretion.numerics.laws.occupancy import normal_maximum_moments


def close(value):
    return pytest.approx(value, rel=0, abs=1e-12)


# Integrals of normals over orthants: Bose and Gupta, "Moments of order statistics from a normal population", 1959.
CLOSED_FORMS = {
    2: (1 / sqrt(pi), 1),
    3: (3 / (2 * sqrt(pi)), 1 + sqrt(3) / (2 * pi)),
    4: (3 / (2 * sqrt(pi)) * (1 + 2 / pi * asin(1 / 3)), 1 + sqrt(3) / pi),
    5: (5 / (4 * sqrt(pi)) * (1 + 6 / pi * asin(1 / 3)), 1 + 5 * sqrt(3) / (4 * pi) * (1 + 2 / pi * asin(1 / 4))),
}


@pytest.mark.parametrize("k", CLOSED_FORMS)
def test_up_to_five_there_are_closed_forms(k):
    assert normal_maximum_moments(k) == close(CLOSED_FORMS[k])


# Tippett, "On the extreme individuals and the range of samples taken from a normal population", 1925.
@pytest.mark.parametrize(("k", "mean"), [(10, 1.53875), (100, 2.50759), (1000, 3.24144)])
def test_tippett_s_table(k, mean):
    assert normal_maximum_moments(k)[0] == pytest.approx(mean, abs=5e-6)


def by_tails(k):
    """``E[M] = ∫ P(M > x) - P(M < -x)`` and ``E[M²] = ∫ 2x (P(M > x) + P(M < -x))``, x from 0."""

    def larger(x):
        return -np.expm1(k * log_ndtr(x))

    def smaller(x):
        return np.exp(k * log_ndtr(-x))

    def integral(f):
        turns = [0, 2, 4, 5, 6, 8, 14]
        return sum(quad(f, a, b, epsabs=1e-14, epsrel=1e-13)[0] for a, b in itertools.pairwise(turns))

    return integral(lambda x: larger(x) - smaller(x)), integral(lambda x: 2 * x * (larger(x) + smaller(x)))


@pytest.mark.parametrize("k", [2, 3, 6, 17, 100, 1000, 10**5, 10**7, 10**8])
def test_integrals_of_the_tails(k):
    assert normal_maximum_moments(k) == close(by_tails(k))


@given(st.integers(2, 10**8))
def test_integrals_of_the_tails_at_any_k(k):
    assert normal_maximum_moments(k) == close(by_tails(k))


@given(st.integers(2, 10**8 - 1))
def test_another_normal_raises_the_largest_but_never_over_its_bound(k):
    mean, mean_square = normal_maximum_moments(k)
    assert 0 < mean < sqrt(2 * log(k))
    assert mean**2 < mean_square < mean**2 + 1
    assert normal_maximum_moments(k + 1)[0] > mean
