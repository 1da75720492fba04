"""Right mechanisms are accused as rarely as the confidence says: of many kinds, at the very privacy that they have."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.blackbox import PrivacyStream


def given_away(secret, size, rng):
    """Randomized response with ε = 1, but of one in twenty everything is told."""
    shown = dc.RandomizedResponse(2, epsilon=1).sample([secret] * size, rng=rng)
    return np.where(rng.random(size) < 0.05, 10 + secret, shown)


def by(mechanism):
    return lambda secret, size, rng: mechanism.sample([secret] * size, rng=rng)


# How outputs are drawn, and the ε and δ that hold with equality.
RIGHT = {
    "Laplace noise": (by(dc.Laplace(1)), 1, 0),
    "Laplace noise, some δ": (by(dc.Laplace(1)), dc.dp_epsilon(dc.Laplace(1), 0.1), 0.1),
    "Gaussian noise": (by(dc.Gaussian(1)), dc.dp_epsilon(dc.Gaussian(1), 0.05), 0.05),
    "geometric noise": (by(dc.Geometric(1)), 1, 0),
    "discrete Gaussian noise": (by(dc.DiscreteGaussian(1)), dc.dp_epsilon(dc.DiscreteGaussian(1), 0.01), 0.01),
    "randomized response": (by(dc.RandomizedResponse(3, epsilon=0.5)), 0.5, 0),
    "unary encoding, rows": (by(dc.UnaryEncoding.oue(2, epsilon=1)), 1, 0),
    "some are given away": (given_away, 1, 0.05),
    "two sums, noise on each": (lambda secret, size, rng: rng.laplace([secret, 0], size=(size, 2)), 1, 0),
    "nothing but noise": (lambda secret, size, rng: rng.normal(size=size), 0, 0),
}


@pytest.mark.long
@pytest.mark.parametrize(("bounded", "repetitions"), [("ε", 100), ("δ", 20)])
def test_right_mechanisms_are_rarely_accused(bounded, repetitions):
    """A thousand of them for ε: at 95 %, 50 on average may be, if a bound is no better than it says."""
    rng, accused = np.random.default_rng(7), 0
    for draw, epsilon, delta in RIGHT.values():
        for seed in range(repetitions):
            x, y = draw(0, 150, rng), draw(1, 150, rng)
            if bounded == "ε":
                accused += dc.estimate_epsilon(x, y, delta, rng=seed).low > epsilon
            else:
                accused += dc.estimate_privacy_profile(x, y, epsilon, rng=seed).low > delta
    assert accused <= repetitions * len(RIGHT) / 20


@pytest.mark.long
def test_who_stops_when_it_pleases_accuses_as_rarely():
    """Looked at after every batch, until a bound is above the truth."""
    rng, accused = np.random.default_rng(8), 0
    draw = by(dc.RandomizedResponse(2, epsilon=1))
    for seed in range(100):
        stream = PrivacyStream(rng=seed)
        for _ in range(8):
            stream.add(draw(0, 40, rng), draw(1, 40, rng))
            if stream.estimate_epsilon(0).low > 1:
                accused += 1
                break
    assert accused <= 5


@pytest.mark.parametrize("name", RIGHT)
def test_more_than_half_of_their_epsilon_is_shown_by_a_few_thousand_outputs(name):
    draw, epsilon, delta = RIGHT[name]
    rng = np.random.default_rng(9)
    x, y = draw(0, 4000, rng), draw(1, 4000, rng)
    found = dc.estimate_epsilon(x, y, delta, rng=1)
    assert found.low <= epsilon
    if epsilon:
        assert found.low > epsilon / 2
    assert found.high == math.inf
