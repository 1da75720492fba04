"""Bounds of mean excesses, beside the exact ones of few kinds of steps."""

import numpy as np
import pytest

from discretion.numerics.means.excess_bounds import mean_excess_above, mean_excess_below
from discretion.numerics.means.mean_excess import mean_excess


def by_convolution(n, steps, probabilities):
    """The mean excess of steps that are whole numbers, by the law of their sum."""
    law = np.zeros(int(steps.max() - steps.min()) + 1)
    np.add.at(law, (steps - steps.min()).astype(int), probabilities)
    total = np.ones(1)
    for _ in range(n):
        total = np.convolve(total, law)
    return float(total @ np.maximum(n * steps.min() + np.arange(total.size), 0)) / n


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [1, 3, 20, 300])
def test_bounds_hold_the_sum_of_whole_steps(n, seed):
    rng = np.random.default_rng(seed)
    steps = np.unique(rng.integers(-30, 60, 40)).astype(float)
    probabilities = rng.dirichlet(np.full(steps.size, 0.3))
    steps[0] -= round(float(probabilities @ steps) / probabilities[0]) if probabilities[0] > 0.05 else 10
    exact = by_convolution(n, steps, probabilities)
    low, high = mean_excess_below(n, steps, probabilities), mean_excess_above(n, steps, probabilities)
    assert low <= exact * (1 + 1e-9)
    assert high >= exact * (1 - 1e-9)
    if exact > 1e-6:
        assert high <= 1.3 * exact


@pytest.mark.parametrize("n", [10, 1000, 10**5, 10**7])
def test_bounds_hold_the_integral_of_five_kinds(n):
    steps, probabilities = np.array([-1.0, -0.4, 0.1, 0.6, 0.9]), np.array([0.4, 0.11, 0.09, 0.2, 0.2])
    steps = steps - float(probabilities @ steps) - 3 / np.sqrt(n)
    exact = mean_excess(n, steps, probabilities)
    low, high = mean_excess_below(n, steps, probabilities), mean_excess_above(n, steps, probabilities)
    assert low <= exact.value + exact.error
    assert high >= exact.value - exact.error
    assert high <= 1.02 * exact.value


def test_steps_of_one_sign_need_no_bounds():
    steps, probabilities = np.linspace(0.1, 2, 9), np.full(9, 1 / 9)
    for bound in (mean_excess_below, mean_excess_above):
        assert bound(7, steps, probabilities) == pytest.approx(1.05, rel=1e-9)
        assert bound(7, -steps, probabilities) == 0
