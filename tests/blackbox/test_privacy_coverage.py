"""Right mechanisms are accused as rarely as the confidence says: of many kinds, at the very privacy that they have."""

import math

import numpy as np
import pytest

import tacit as tc
from tacit.blackbox import PrivacyStream

REPETITIONS, MOST_ACCUSED = 100, 50


def given_away(secret, size, rng):
    """Randomized response with ε = 1, but of one in twenty everything is told."""
    shown = tc.RandomizedResponse(2, epsilon=1).sample([secret] * size, rng=rng)
    return np.where(rng.random(size) < 0.05, 10 + secret, shown)


def by(mechanism):
    return lambda secret, size, rng: mechanism.sample([secret] * size, rng=rng)


# How outputs are drawn, and the ε and δ that hold with equality.
RIGHT = {
    "Laplace noise": (by(tc.Laplace(1)), 1, 0),
    "Laplace noise, some δ": (by(tc.Laplace(1)), tc.dp_epsilon(tc.Laplace(1), 0.1), 0.1),
    "Gaussian noise": (by(tc.Gaussian(1)), tc.dp_epsilon(tc.Gaussian(1), 0.05), 0.05),
    "geometric noise": (by(tc.Geometric(1)), 1, 0),
    "discrete Gaussian noise": (by(tc.DiscreteGaussian(1)), tc.dp_epsilon(tc.DiscreteGaussian(1), 0.01), 0.01),
    "randomized response": (by(tc.RandomizedResponse(3, epsilon=0.5)), 0.5, 0),
    "unary encoding, rows": (by(tc.UnaryEncoding.oue(2, epsilon=1)), 1, 0),
    "some are given away": (given_away, 1, 0.05),
    "two sums, noise on each": (lambda secret, size, rng: rng.laplace(size=(size, 2)) + [secret, 0], 1, 0),
    "nothing but noise": (lambda secret, size, rng: rng.normal(size=size), 0, 0),
}


@pytest.mark.long
def test_a_thousand_right_mechanisms_are_rarely_accused():
    """At 95 % each bound may be wrong of 50 in 1000 on average; what is never wrong would hardly accuse any."""
    rng = np.random.default_rng(7)
    wrong = {tc.estimate_epsilon: 0, tc.estimate_privacy_profile: 0}
    for draw, epsilon, delta in RIGHT.values():
        for seed in range(REPETITIONS):
            x, y = draw(0, 150, rng), draw(1, 150, rng)
            wrong[tc.estimate_epsilon] += tc.estimate_epsilon(x, y, delta, rng=seed).low > epsilon
            wrong[tc.estimate_privacy_profile] += tc.estimate_privacy_profile(x, y, epsilon, rng=seed).low > delta
    assert max(wrong.values()) <= MOST_ACCUSED


@pytest.mark.long
def test_who_stops_when_it_pleases_accuses_as_rarely():
    """Looked at after every batch, the bound is above the truth at any time in at most 1 of 20 streams at 95 %."""
    rng, accused = np.random.default_rng(8), 0
    mechanism = by(tc.RandomizedResponse(2, epsilon=1))
    for seed in range(200):
        stream = PrivacyStream(rng=seed)
        for _ in range(12):
            stream.add(mechanism(0, 40, rng), mechanism(1, 40, rng))
            if stream.estimate_epsilon(0).low > 1:
                accused += 1
                break
    assert accused <= 10


@pytest.mark.parametrize("name", RIGHT)
def test_twice_the_privacy_is_not_shown_to_be_there(name):
    """The same mechanisms, claimed to be better than they are by a half, are found out."""
    draw, epsilon, delta = RIGHT[name]
    rng = np.random.default_rng(9)
    x, y = draw(0, 4000, rng), draw(1, 4000, rng)
    found = tc.estimate_epsilon(x, y, delta, rng=1)
    assert found.low <= epsilon
    if epsilon:
        assert found.low > epsilon / 2
    assert found.high == math.inf
