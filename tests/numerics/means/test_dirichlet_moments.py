"""The mean of Π (1 + β_x P_x)^s_x, against the sum over all powers in forty digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.numerics.means.dirichlet_moments import log_shifted_moments


def expanded(counts, alpha, beta):
    """Multiply out: the mean of Π P_x^K_x is a quotient of rising factorials."""
    with localcontext() as context:
        context.prec = 60
        powers = [Decimal(1)]
        for count, a, b in zip(counts, alpha, beta, strict=True):
            term, factors = Decimal(1), []
            for k in range(count + 1):
                factors.append(term)
                term = term * (count - k) / (k + 1) * Decimal(b) * (Decimal(a) + k)
            product = [Decimal(0)] * (len(powers) + count)
            for i, power in enumerate(powers):
                for j, factor in enumerate(factors):
                    product[i + j] += power * factor
            powers = product
        total, rising, mean = sum(Decimal(a) for a in alpha), Decimal(1), Decimal(0)
        for k, power in enumerate(powers):
            mean += power / rising
            rising *= total + k
        return float(mean.ln())


@pytest.mark.parametrize(
    "alpha",
    [[0.5] * 3, [0.01, 0.02, 0.01], [1e-8] * 4, [1e-12, 1e-3], [3.0, 0.5, 20.0], [1e3, 1e3, 2e3], [0.5] * 6, [9, 12]],
)
@pytest.mark.parametrize("n", [0, 1, 7, 60])
@pytest.mark.parametrize("beta", [0.0, 1e-6, 1.0, 6.4, 1e4, 1e15])
def test_it_is_the_sum_over_all_powers(alpha, n, beta):
    rng = np.random.default_rng(n)
    counts = rng.multinomial(n, rng.dirichlet(np.ones(len(alpha))), size=4)
    counts[0] = [n] + [0] * (len(alpha) - 1)
    betas = np.full(len(alpha), beta)
    expected = [expanded(row, alpha, betas) for row in counts.tolist()]
    assert log_shifted_moments(counts, np.array(alpha, dtype=float), betas) == pytest.approx(
        expected, rel=1e-13, abs=2e-12
    )


@given(
    st.lists(st.tuples(st.integers(0, 12), st.floats(0.05, 30), st.floats(0, 100)), min_size=2, max_size=4),
)
def test_each_value_has_its_own_parameters(values):
    counts, alpha, beta = (list(part) for part in zip(*values, strict=True))
    found = log_shifted_moments(np.array([counts]), np.array(alpha), np.array(beta))
    assert found[0] == pytest.approx(expanded(counts, alpha, beta), rel=1e-12, abs=2e-12)


def test_of_one_value_that_has_all_it_is_a_power():
    # Next to all of P is on the first value.
    found = log_shifted_moments(np.array([[500, 0]]), np.array([1e9, 1e-9]), np.array([3.0, 3.0]))
    assert found[0] == pytest.approx(500 * math.log(4), rel=1e-8)


def test_of_thousands_they_are_a_distribution():
    # Over all tallies of n reports of two values, the probabilities of their sequences sum to 1.
    n, beta = 3000, math.expm1(1)
    counts = np.stack([np.arange(n + 1), n - np.arange(n + 1)], axis=1)
    logs = log_shifted_moments(counts, np.full(2, 0.5), np.full(2, beta)) - n * math.log(2 + beta)
    ways = [math.lgamma(n + 1) - math.lgamma(s + 1) - math.lgamma(n - s + 1) for s in range(n + 1)]
    assert np.exp(logs + ways).sum() == pytest.approx(1, rel=1e-10)
