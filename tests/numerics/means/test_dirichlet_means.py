"""Means of logarithms under a Dirichlet law, against digamma functions and quadrature of betas."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.special import beta, psi

from discretion.numerics.means.dirichlet_means import (
    mean_information,
    mean_log,
    mean_log_of_powers,
    mean_s_log_s,
    mean_uncertainty,
)
from oracles.precise_betas import precise_beta_mean
from oracles.promise import exactly

ALPHAS = [[0.5, 0.5], [0.5, 0.5, 0.5], [0.01, 1.0], [1e-4, 3e-4], [2.0, 0.5, 20.0], [1e4, 2e4, 5.0]]


def over_the_share(function, a, b):
    """E f(B) for B ~ Beta(a, b), by a fine trapezoid rule in the logit, which reaches both ends."""
    u = np.arange(-100 / a - 60, 100 / b + 60, 0.02)
    share, rest = 1 / (1 + np.exp(-u)), 1 / (1 + np.exp(u))
    weights = 0.02 * np.exp(-a * np.logaddexp(0, -u) - b * np.logaddexp(0, u)) / beta(a, b)
    return float(weights @ function(share, rest))


@pytest.mark.parametrize("alpha", ALPHAS)
def test_of_one_share_they_are_digamma_functions(alpha):
    share, total = np.eye(len(alpha))[:1], sum(alpha)
    assert mean_log(share, alpha)[0] == exactly(psi(alpha[0]) - psi(total))
    over_its_mean = share * total / alpha[0]
    expected = psi(alpha[0] + 1) - psi(total + 1) + math.log(total / alpha[0])
    assert mean_s_log_s(over_its_mean, over_its_mean - 1, alpha)[0] == exactly(expected)


@pytest.mark.parametrize(
    "s", [(2.0, 1.0), (math.e**2, 1), (1e6, 1.0), (1 + 1e-6, 1), (3, 0), (math.e**50, 1), (0.2, 7)]
)
@pytest.mark.parametrize(("a", "b"), [(0.5, 1), (0.5, 4.5), (1.5, 2.5), (3, 0.7)])
def test_of_two_values_they_are_means_over_one_share(s, a, b):
    def mixed(share, rest):
        return s[0] * share + s[1] * rest

    assert mean_log([s], [a, b])[0] == exactly(over_the_share(lambda p, q: np.log(mixed(p, q)), a, b))
    mean = mixed(a / (a + b), b / (a + b))
    expected = over_the_share(lambda p, q: mixed(p, q) / mean * np.log(mixed(p, q) / mean), a, b)
    over_its_mean = np.array([s]) / mean
    assert mean_s_log_s(over_its_mean, over_its_mean - 1, [a, b])[0] == exactly(expected)
    hidden = over_the_share(
        lambda p, q: sum(  # Σ w log(1 + rest/w)
            w * np.log1p(np.divide(rest, w, where=w > 0, out=np.zeros_like(w)))
            for w, rest in [(s[0] * p, s[1] * q), (s[1] * q, s[0] * p)]
        ),
        a,
        b,
    )
    assert mean_uncertainty([s], [a, b], [1, 1])[0] == pytest.approx(hidden, rel=1e-9, abs=1e-300)


@pytest.mark.long
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (1, 3), (1e6, 1e6), (1e8, 2), (1e8, 1e8), (0.3, 30)])
@pytest.mark.parametrize("odds", [1e-9, 1e-3, 0.3, 3, 40])
def test_of_two_values_what_is_told_keeps_its_digits_however_little(odds, a, b):
    """Against 40 digits: s is 1 and e^-odds, over its mean."""
    mp = pytest.importorskip("mpmath")
    with mp.workdps(40):
        low, share = mp.exp(-mp.mpf(odds)), mp.mpf(a) / (mp.mpf(a) + b)
        mean = share + (1 - share) * low
        s, apart = (1 / mean, low / mean), ((1 - share) * (1 - low) / mean, -share * (1 - low) / mean)

        def excess(p, q):
            away = apart[0] * p + apart[1] * q
            return (1 + away) * mp.log1p(away) - away

        def told(p, q):
            whole = s[0] * p + s[1] * q
            return sum(part * mp.log(each / whole) for each, part in ((s[0], s[0] * p), (s[1], s[1] * q)))

        expected = [precise_beta_mean(function, a, b) for function in (excess, told)]
        given = [[float(x) for x in s]], [[float(x) for x in apart]], [a, b]
        found = [mean_s_log_s(*given)[0], mean_information(*given)[0]]
    assert found == pytest.approx([float(x) for x in expected], rel=1e-12)


def test_certain_evidence_leaves_nothing_unknown():
    assert mean_uncertainty([[1.0, 0.0, 0.0]], [0.5, 0.5, 0.5], [1, 1, 1])[0] == 0


def test_evidence_of_nothing_leaves_the_entropy():
    alpha = np.array([0.5, 2.0, 3.0])
    entropy = psi(alpha.sum() + 1) - alpha @ psi(alpha + 1) / alpha.sum()
    assert mean_uncertainty([[1.0, 1.0, 1.0]], alpha, [1, 1, 1])[0] == exactly(entropy)


@given(st.integers(2, 5), st.integers(1, 4), st.floats(0.05, 5), st.floats(0.01, 50))
def test_values_alike_can_be_counted_together(first, second, alpha, s):
    together = mean_uncertainty([[s, 1.0]], [alpha, alpha], [first, second])[0]
    apart = mean_uncertainty([[s] * first + [1.0] * second], [alpha] * (first + second), [1] * (first + second))[0]
    assert together == exactly(apart)
    assert mean_log([[s, 1.0]], [alpha * first, alpha * second])[0] == exactly(
        mean_log([[s] * first + [1.0] * second], [alpha] * (first + second))[0]
    )


@given(st.lists(st.floats(0.01, 100), min_size=2, max_size=4), st.floats(1e-5, 1e5))
def test_a_factor_comes_out(s, factor):
    alpha = np.arange(1.0, len(s) + 1) / 2
    scaled = [factor * x for x in s]
    assert mean_log([scaled], alpha)[0] == exactly(math.log(factor) + mean_log([s], alpha)[0])
    assert mean_uncertainty([scaled], alpha, np.ones(len(s)))[0] == pytest.approx(
        factor * mean_uncertainty([s], alpha, np.ones(len(s)))[0], rel=1e-10
    )


def test_many_rows_are_each_one():
    rng = np.random.default_rng(4)
    s, alpha = rng.random((700, 6)), rng.random(6) + 0.1
    one_by_one = [mean_log(row[None], alpha)[0] for row in s[::100]]
    assert mean_log(s, alpha)[::100] == exactly_all(one_by_one)


def exactly_all(values):
    return pytest.approx(np.array(values), rel=1e-10, abs=1e-12)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("ratio", [0.0, 0.007, 0.4, 1 - 1e-9])
@pytest.mark.parametrize("alpha", [(1e-8, 1e-8), (3e-7, 1e5), (1e5, 3e-7), (1e-9, 2.0), (1e8, 1e8)])
def test_logarithms_keep_their_digits_whatever_the_parameters(alpha, ratio):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(50):
        a, b, r = map(mpmath.mpf, (*alpha, ratio))
        expected = mpmath.digamma(a) - mpmath.digamma(a + b) if r == 0 else -_mean_of_powers(mpmath, 1 - r, b, a + b)
    assert mean_log([[1.0, ratio]], alpha)[0] == exactly(expected)


def _mean_of_powers(mpmath, step, b, total):
    """``Σ_j step^j/j · E (1-B)^j``, which is ``-E log(1 - step (1-B))``."""
    term, mean, j = mpmath.mpf(1), mpmath.mpf(0), 0
    while term > mpmath.mpf(10) ** -40 * mean or j < 5:
        term *= step * (b + j) / (total + j)
        j += 1
        mean += term / j
    return mean


def test_factors_may_be_below_all_numbers():
    # With probability 2/3, nearly, the share is far below e^-1000 and counts for nothing.
    alpha = np.array([1e-8, 2e-8])
    found = mean_log_of_powers([[0.0, -1000.0]], alpha)[0]
    assert found == pytest.approx(-1000 * 2 / 3, rel=1e-5)
    assert mean_log_of_powers([[0.0, -300.0]], alpha)[0] == exactly(mean_log([[1.0, math.exp(-300)]], alpha)[0])
