"""Laws of counts to full double precision, from the smallest to a billion draws."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discretion.numerics.excess import relative_excess
from discretion.numerics.laws import binomial as kernel
from discretion.numerics.laws.binomial import digamma_lag, gamma_error, split_binomials
from oracles import laws

LAWS = {
    "apart": ([0.75, 0.25], [0.25, 0.75]),
    "alike": ([0.5, 0.5], [0.5, 0.5]),
    "certain": ([1.0, 0.0], [0.0, 1.0]),
    "never a hit": ([0.0, 1.0], [0.125, 0.875]),
    "rare": ([2.0**-20, 1 - 2.0**-20], [0.875, 0.125]),
}


def product(n, laws):
    law = [Fraction(1)]
    for hit, miss in laws:
        law = [miss * a + hit * b for a, b in zip([*law, 0], [0, *law], strict=True)]
    assert len(law) == n + 1
    return law


@pytest.mark.long
@pytest.mark.parametrize("laws", LAWS)
@pytest.mark.parametrize("n", [0, 1, 2, 8, 9, 40])
def test_every_split_has_all_its_digits(laws, n):
    first, second = ([Fraction(p) for p in law] for law in LAWS[laws])
    found = np.vstack(list(split_binomials(n, *map(np.array, LAWS[laws]))))
    assert found.shape == (n + 1, n + 1)
    for c, law in enumerate(found):
        expected = product(n, [first] * c + [second] * (n - c))
        assert law.tolist() == pytest.approx(list(map(float, expected)), rel=1e-12, abs=0)


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


def close(value, rel=1e-13):
    return pytest.approx(float(value), rel=rel, abs=0)


@pytest.mark.parametrize("n", [*range(1, 40), 100, 1999, 2000, 10**5, 10**9, 10**15])
def test_stirling_s_error(n):
    # Below 16 it is a table of differences; what counts is that n! = e^error √(2πn)(n/e)ⁿ, so its absolute error.
    expected = laws.stirling_error(n)
    assert float(kernel.stirling_error(n)) == pytest.approx(float(expected), rel=1e-14, abs=1e-14 if n < 16 else 0)


def test_stirling_s_error_of_no_draw_is_nothing():
    assert kernel.stirling_error([0, 1, 20]).shape == (3,)
    assert kernel.stirling_error(0) == 0


@pytest.mark.parametrize(
    "u",
    [-1.0, -0.999999, -0.5, -0.1, -0.0999, -1e-3, -1e-9, -1e-150, 0.0, 1e-300, 1e-9, 1e-3, 0.0999, 0.1, 0.5, 10, 1e9],
)
def test_relative_excess(u):
    assert float(relative_excess(u)) == close(laws.relative_excess(u), rel=2e-14)


def test_relative_excess_is_never_negative():
    u = np.concatenate([np.linspace(-1, 3, 10_001), np.linspace(-0.11, 0.11, 1001), [-1, 1e300]])
    assert np.all(relative_excess(u) >= 0)


@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1, 8), Fraction(1023, 1024), Fraction(1, 2**40)])
@pytest.mark.parametrize("n", [0, 1, 2, 15, 16, 17, 60])
def test_small_binomials(n, p):
    computed = kernel.binomial_pmf(np.arange(n + 1), n, float(p), float(1 - p))
    assert list(computed) == [close(laws.binomial(n, x, p), rel=1e-12) for x in range(n + 1)]


@pytest.mark.parametrize("p", [0.5, 0.125, 1e-6, 0.999])
@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
@pytest.mark.parametrize("deviations", [-6, -1, 0, 1, 6])
def test_large_binomials(n, p, deviations):
    x = min(n, max(0, round(n * p + deviations * math.sqrt(n * p * (1 - p)))))
    q = float(1 - Fraction(p))
    expected = laws.large_multinomial([x, n - x], [p, q]) * _as_if_summing_to_one(n, [p, q])
    assert float(kernel.binomial_pmf(x, n, p, q)) == close(expected, rel=1e-12)


@pytest.mark.parametrize(("p", "q"), [(0.0, 1.0), (1.0, 0.0)])
def test_a_certain_outcome_is_certain(p, q):
    assert kernel.binomial_pmf(np.arange(6), 5, p, q).tolist() == [float(x == 5 * p) for x in range(6)]


@pytest.mark.parametrize(
    "probabilities",
    [
        [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)],
        [Fraction(0), Fraction(3, 4), Fraction(1, 4)],
        [Fraction(1), Fraction(0), Fraction(0)],
        [Fraction(1, 2**30), Fraction(1, 2), Fraction(1, 2) - Fraction(1, 2**30)],
    ],
)
@pytest.mark.parametrize("n", [0, 1, 7, 25])
def test_small_multinomials(n, probabilities):
    histograms = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    computed = kernel.multinomial_pmf(histograms, [float(p) for p in probabilities])
    assert list(computed) == [close(laws.multinomial(h, probabilities), rel=1e-12) for h in histograms]


@pytest.mark.parametrize(
    ("counts", "probabilities"),
    [
        ([333_333_334, 333_333_333, 333_333_333], [1 / 3] * 3),
        ([500_020_000, 249_990_000, 249_990_000], [0.5, 0.25, 0.25]),
        ([10**9 - 12, 10, 2], [1 - 1e-8 - 1e-9, 1e-8, 1e-9]),
        ([100_200, 99_800] + [100_000] * 8, [0.1] * 10),
    ],
)
def test_large_multinomials(counts, probabilities):
    assert float(kernel.multinomial_pmf(counts, probabilities)) == close(
        laws.large_multinomial(counts, probabilities) * _as_if_summing_to_one(sum(counts), probabilities), rel=1e-11
    )


def _as_if_summing_to_one(n, probabilities):
    """The kernel takes ``e^(n - Σ n q)`` off, so that probabilities a rounding away from 1 in sum do not matter."""
    excess = sum(map(Fraction, probabilities)) - 1
    return (-n * Decimal(excess.numerator) / Decimal(excess.denominator)).exp()


@pytest.mark.parametrize("rate", [Fraction(1, 1000), Fraction(1, 2), Fraction(20), Fraction(10**4), Fraction(10**9)])
def test_poisson(rate):
    spread = math.sqrt(rate)
    for x in {0, 1, 2, 15, 16, *(max(0, round(rate + d * spread)) for d in (-6, -1, 0, 1, 6, 12))}:
        expected = laws.large_poisson(x, rate)
        if expected > Decimal("1e-300"):
            assert float(kernel.poisson_pmf(x, float(rate))) == close(expected, rel=1e-12)


@pytest.mark.parametrize("steps", [0, 1, 2, 3, 4, 15, 16, 31, 32, 33, 500])
def test_a_fair_walk_s_mean_distance(steps):
    assert float(kernel.mean_absolute_walk(steps)) == close(laws.walk(steps), rel=1e-14)


@pytest.mark.parametrize("steps", [10**6, 10**9, 10**9 + 1])
def test_a_long_fair_walk_s_mean_distance(steps):
    # E|S| is twice the largest count's excess over the half: 2n(V - 1/2).
    assert float(kernel.mean_absolute_walk(steps)) == close(2 * steps * laws.binary_advantage(steps), rel=1e-14)


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.01, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("n", [0, 1, 10, 1000, 30_000])
def test_a_window_leaves_out_less_than_1e_20(n, p):
    q = float(1 - Fraction(p))
    first, probabilities = kernel.binomial_window(n, p, q)
    last = first + len(probabilities) - 1
    assert 0 <= first <= last <= n
    assert probabilities.sum() == pytest.approx(1, abs=1e-12)
    # What is beyond an edge is at most a geometric series from its neighbour.
    outside = Decimal(0)
    for x, step in ((first - 1, -1), (last + 1, 1)):
        if 0 <= x <= n and p * q > 0:
            masses = [laws.large_multinomial([y, n - y], [p, q]) for y in (x, x + step) if 0 <= y <= n]
            ratio = masses[1] / masses[0] if len(masses) == 2 else Decimal(0)
            assert ratio < 1
            outside += masses[0] / (1 - ratio)
    assert outside < Decimal("1e-20")


@pytest.mark.parametrize("n", [10**6, 10**9])
def test_a_window_is_narrow(n):
    first, probabilities = kernel.binomial_window(n, 0.25, 0.75)
    assert len(probabilities) < 40 * math.sqrt(n * 0.25 * 0.75)
    assert first < n / 4 < first + len(probabilities)
