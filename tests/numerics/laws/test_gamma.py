"""What Stirling's formula leaves out, against its known series and the factorials."""

import math

import numpy as np
import pytest

from discretion.numerics.laws.gamma import digamma_lag, gamma_error


@pytest.mark.parametrize("n", [1, 2, 5, 15, 16, 17, 40])
def test_it_mends_stirling_s_formula_for_factorials(n):
    stirling = (n - 0.5) * math.log(n) - n + math.log(2 * math.pi) / 2
    assert stirling + float(gamma_error(n)) == pytest.approx(math.log(math.factorial(n - 1)), rel=1e-14, abs=1e-14)


def test_it_fades_as_one_over_twelve_times_the_argument():
    z = np.array([1e3, 1e6, 1e12])
    assert gamma_error(z) == pytest.approx(1 / (12 * z) - 1 / (360 * z**3), rel=1e-13)


def test_on_either_side_of_sixteen_it_is_one_function():
    below, above = gamma_error([16 * (1 - 1e-12), 16 * (1 + 1e-12)])
    assert below == pytest.approx(above, rel=1e-10)


@pytest.mark.parametrize("z", [1e-8, 0.3, 1.0, 15.9, 16.0, 16.1, 300.0, 1e8, 1e16])
def test_the_digamma_function_lags_behind_the_logarithm(z):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        expected = mpmath.log(mpmath.mpf(z)) - mpmath.digamma(mpmath.mpf(z))
    assert float(digamma_lag(z)) == pytest.approx(float(expected), rel=1e-13)
