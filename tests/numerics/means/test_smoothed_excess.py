"""Bounds of the mean excess of a sum of steps of several laws, beside the sum over all that the steps can be."""

import math

import numpy as np
import pytest

from discretion.numerics.means.mean_excess import mean_excess
from discretion.numerics.means.smoothed_excess import SmoothedSum, Steps, largest_excess, spread


def law_of(shift, groups):
    """The atoms of the sum, by going through the steps one after the other."""
    law = {shift: 1.0}
    for steps in groups:
        for _ in range(steps.times):
            wider: dict[float, float] = {}
            for total, mass in law.items():
                for value, p in zip(steps.values.tolist(), steps.probabilities.tolist(), strict=True):
                    wider[total + value] = wider.get(total + value, 0.0) + mass * p
            law = wider
    return law


def mean(law, function):
    return math.fsum(mass * function(total) for total, mass in law.items())


def excess(law):
    return mean(law, lambda total: max(0.0, total))


def random_steps(rng, times, kinds=3):
    values = rng.integers(-4, 5, kinds) / 4 + 0.1 * rng.random()
    return Steps(times, values, rng.dirichlet(np.ones(kinds)))


@pytest.mark.parametrize("seed", range(25))
def test_bounds_enclose_the_mean_excess(seed):
    rng = np.random.default_rng(seed)
    groups = [random_steps(rng, int(rng.integers(1, 4))) for _ in range(3)]
    shift = float(rng.normal() - 1)
    low, high = SmoothedSum(shift, groups).excess()
    assert low <= excess(law_of(shift, groups)) * (1 + 1e-12)
    assert excess(law_of(shift, groups)) <= high * (1 + 1e-12)


@pytest.mark.parametrize("shift", [0.0, -20.0, -800.0])
def test_bounds_are_near_where_steps_are_many(shift):
    values, p = np.array([-1.0, 0.0, 0.7, 1.0]), np.array([0.3, 0.2, 0.25, 0.25])
    values = values - values @ p
    n = 100_000
    exact = n * mean_excess(n, values + shift / n, p).value
    low, high = SmoothedSum(shift, [Steps(n // 2, values, p), Steps(n - n // 2, values, p)]).excess()
    assert low <= exact <= high
    assert high - low < 0.06 * exact


@pytest.mark.parametrize("seed", range(15))
def test_no_split_between_the_laws_exceeds_the_largest(seed):
    rng = np.random.default_rng(100 + seed)
    laws = [random_steps(rng, 1) for _ in range(2)]
    shift, count = float(rng.normal() - 1), 6
    splits = [[laws[0]._replace(times=c), laws[1]._replace(times=count - c)] for c in range(count + 1)]
    bound, _ = largest_excess(shift, count, laws)
    assert max(excess(law_of(shift, split)) for split in splits) <= bound * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(15))
def test_an_advantage_is_what_the_test_gains(seed):
    rng = np.random.default_rng(200 + seed)
    groups = [random_steps(rng, 3), random_steps(rng, 2)]
    own, gains = rng.normal(size=3) / 4, rng.normal(size=3)
    total = SmoothedSum(-0.5, groups)
    if total.is_certain:
        return
    law = law_of(-0.5, groups)

    def passes(y):
        return mean(law, lambda t: 0.5 * math.erfc(-(t + own[y]) / total.error / math.sqrt(2)))

    gained = math.fsum(gains[y] * passes(y) for y in range(3))
    assert gained - 1e-6 <= total.advantage(own, gains) <= gained


@pytest.mark.parametrize("seed", range(5))
def test_spreading_raises_every_convex_mean_and_keeps_the_mean(seed):
    rng = np.random.default_rng(seed)
    steps = Steps(1, rng.normal(size=40), rng.dirichlet(np.ones(40)))
    wide = spread(steps, 9)
    assert wide.values.size <= 9
    assert wide.values @ wide.probabilities == pytest.approx(steps.values @ steps.probabilities, abs=1e-14)
    for cut in np.linspace(-3, 3, 31):
        before = np.maximum(steps.values - cut, 0) @ steps.probabilities
        assert np.maximum(wide.values - cut, 0) @ wide.probabilities >= before - 1e-14
