"""The lower tail of a sum of two binomials, against the law in fractions, and far out where no list reaches."""

import math
from fractions import Fraction

import numpy as np
import pytest

from discretion.numerics.laws.two_binomials import Draw, lower_tail, tilted_moments

DRAWS = [(0.7, 0.3), (0.5, 0.5), (1e-6, 1 - 1e-6), (1 - 2.0**-20, 2.0**-20), (0.9, 0.1)]


def exact_law(count, draw):
    hit, miss = map(Fraction, draw)
    hit, miss = hit / (hit + miss), miss / (hit + miss)
    return [math.comb(count, i) * hit**i * miss ** (count - i) for i in range(count + 1)]


def tail_at(c, d, draws, m, tilt):
    tail = lower_tail(np.array([float(c)]), np.array([float(d)]), draws, np.array([float(m)]), tilt)
    unit = math.exp(tail.log_unit[0])
    return [float(part[0]) * unit for part in tail[:5]]


@pytest.mark.parametrize("tilt", [0.0, 0.01, 0.8, 6.0])
@pytest.mark.parametrize("first", DRAWS)
@pytest.mark.parametrize("second", DRAWS[:3])
@pytest.mark.parametrize(("c", "d"), [(1, 0), (3, 2), (0, 7), (12, 20)])
def test_it_is_the_convolution_of_two_binomials(first, second, c, d, tilt):
    draws = Draw(*first), Draw(*second)
    mean, _ = tilted_moments(np.array([float(c)]), np.array([float(d)]), draws, np.array([tilt]))
    m = min(c + d, int(mean[0] + 0.5))
    own, other = exact_law(c, first), exact_law(d, second)
    law = [
        sum((own[i] * other[j - i] for i in range(c + 1) if 0 <= j - i <= d), Fraction(0)) if j >= 0 else Fraction(0)
        for j in range(-2, m + 2)
    ]
    truth = [float(x) for x in (law[m + 3], law[m + 2], law[m + 1], law[m], sum(law[: m + 2]))]
    found = tail_at(c, d, draws, m, tilt)
    # What is above m counts less, tilted: it is known as well as the rest only then.
    found[0], truth[0] = found[0] * math.exp(-tilt - 1), truth[0] * math.exp(-tilt - 1)
    assert found == pytest.approx(truth, rel=2e-9, abs=2e-13 * max(truth[1:]))


@pytest.mark.parametrize(("n", "deviations"), [(10**6, 0.0), (10**6, 5.0), (10**9, 5.0), (10**9, 25.0)])
def test_a_single_binomial_is_had_at_any_size(n, deviations):
    p = 0.25
    m = math.floor(n * p - deviations * math.sqrt(n * p * (1 - p)))
    tilt = max(0.0, math.log(p * (n - m) / ((1 - p) * m)))
    _, at, before, _, below = tail_at(n, 0, (Draw(p, 1 - p), Draw(0.5, 0.5)), m, tilt)
    # Downwards from m, each mass is the one above times a ratio.
    masses, j = [1.0], m
    while masses[-1] > 1e-18 * masses[0]:
        masses.append(masses[-1] * j / (n - j + 1) * (1 - p) / p)
        j -= 1
    log_at = n * _minus_divergence(m / n, p) - 0.5 * math.log(2 * math.pi * m * (1 - m / n))
    log_at += 1 / (12 * n) - 1 / (12 * m) - 1 / (12 * (n - m))
    assert math.log(at) == pytest.approx(log_at, abs=1e-6 * max(1.0, n / 1e9))
    assert before / at == pytest.approx(masses[1], rel=1e-11)
    assert below / at == pytest.approx(math.fsum(masses[1:]), rel=1e-11)


def _minus_divergence(x, p):
    return -(x * math.log(x / p) + (1 - x) * math.log((1 - x) / (1 - p)))
