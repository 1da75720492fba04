"""The intervals hold: against black boxes whose truth is known, and exactly where all samples can be listed."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from discretion.blackbox import estimate_bayes_risk, estimate_bayes_security
from oracles import blackbox as slow

REPETITIONS, LEAST_COVERED = 1000, 940
MEASURES = {estimate_bayes_risk: slow.bayes_risk, estimate_bayes_security: slow.bayes_security}

# Few secrets: a union bound over many pairs covers more than it need.
CHANNELS = {
    "5×20": (slow.random_channel(5, 20), 3000),
    "3×300": (slow.random_channel(3, 300), 900),
    "geometric 3×300": (slow.geometric_channel(3, 300), 900),
    "blurred geometric 3×300": (slow.geometric_channel(3, 300, nu=0.005), 900),
    "no leakage": (slow.null_channel(3, 2), 900),
}


@pytest.fixture
def interval_alone(monkeypatch):
    """Without the estimate in it, which takes longer than the interval and has tests of its own."""
    monkeypatch.setattr("discretion.blackbox.bayes_security.likely_security", lambda *_: 0.5)


@pytest.mark.long
@pytest.mark.usefixtures("interval_alone")
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", CHANNELS)
def test_discrete_intervals_cover_the_truth(name, measure):
    channel, size = CHANNELS[name]
    truth = MEASURES[measure](channel)
    options = {"among": range(len(channel))} if measure is estimate_bayes_security else {}
    rng = np.random.default_rng(5)
    estimates = [measure(*slow.drawn(channel, size, rng), rng=seed, **options) for seed in range(REPETITIONS)]
    assert sum(e.low <= truth <= e.high for e in estimates) >= LEAST_COVERED


@pytest.mark.long
@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("dimensions", [1, 10])
def test_the_upper_limit_for_gaussians_covers_the_truth(dimensions, measure):
    distance, size = 2.0, 300
    truth = slow.gaussian_bayes_risk(distance) * (1 if measure is estimate_bayes_risk else 2)
    rng = np.random.default_rng(6)
    estimates = [measure(*slow.two_gaussians(size, dimensions, distance, rng), rng=seed) for seed in range(REPETITIONS)]
    assert all(e.low == 0 for e in estimates)
    assert sum(truth <= e.high for e in estimates) >= LEAST_COVERED
    # The value estimates, the limit does not.
    assert np.mean([abs(e.value - truth) for e in estimates]) < np.mean([abs(e.high - truth) for e in estimates])


@pytest.mark.long
@pytest.mark.parametrize(("measure", "nothing"), [(estimate_bayes_risk, 0.75), (estimate_bayes_security, 1.0)])
def test_nearest_neighbours_find_no_leakage_where_there_is_none(measure, nothing):
    rng = np.random.default_rng(7)
    samples = ((rng.integers(4, size=120), rng.normal(size=(120, 2))) for _ in range(REPETITIONS))
    estimates = [measure(*sample, rng=seed) for seed, sample in enumerate(samples)]
    assert sum(e.high >= nothing for e in estimates) >= LEAST_COVERED


@pytest.mark.one_in(3)
@pytest.mark.parametrize("dimensions", [1, 2, 10])
def test_the_upper_limit_for_gaussians_comes_near_the_truth(dimensions):
    distance = 2.0
    samples = slow.two_gaussians(4000, dimensions, distance, np.random.default_rng(8))
    truth = slow.gaussian_bayes_risk(distance)
    assert truth <= estimate_bayes_risk(*samples, rng=0).high <= truth + 0.06
    assert 2 * truth <= estimate_bayes_security(*samples, rng=0).high <= 2 * truth + 0.12


@pytest.mark.parametrize("kind", [int, float])
def test_the_interval_is_narrow(kind):
    rng = np.random.default_rng(9)
    channel = CHANNELS["5×20"][0]
    for seed in range(50):
        secrets, observations = slow.drawn(channel, 3000, rng)
        estimate = estimate_bayes_risk(secrets, observations.astype(kind), rng=seed)
        assert estimate.low <= slow.bayes_risk(channel) <= estimate.high
        assert estimate.high - estimate.low <= 0.08


@cache
def risks_of_all_samples_of_four(confidence):
    """Return each sample with its estimate, which no law has a say in."""
    pairs = itertools.product(itertools.product(range(2), repeat=2), repeat=4)
    given = [(sample, *map(list, zip(*sample, strict=True))) for sample in pairs]
    return [
        (sample, estimate_bayes_risk(secrets, observations, confidence=confidence, rng=3))
        for sample, secrets, observations in given
        if len(set(secrets)) == 2
    ]


@pytest.mark.long
@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("law", [(4, 1, 1, 4), (1, 1, 1, 1), (6, 3, 1, 2), (0, 5, 4, 1), (9, 0, 1, 2)])
def test_the_risk_of_all_samples_of_four_is_missed_as_rarely_as_said(law, confidence):
    cells = dict(zip([(0, 0), (0, 1), (1, 0), (1, 1)], [Fraction(w, sum(law)) for w in law], strict=True))
    risk = min(cells[0, 0], cells[1, 0]) + min(cells[0, 1], cells[1, 1])
    below, above = Fraction(0), Fraction(0)
    for sample, estimate in risks_of_all_samples_of_four(confidence):
        chance = np.prod([cells[pair] for pair in sample])
        below += chance * (estimate.high < risk)
        above += chance * (estimate.low > risk)
    assert below <= (1 - Fraction(confidence)) / 2
    assert above <= (1 - Fraction(confidence)) / 2


@cache
def securities_of_all_samples_of_six(confidence):
    """Return each three observations of either secret with their estimate, which no law has a say in."""
    secrets = [0] * 3 + [1] * 3
    return [
        (observations, estimate_bayes_security(secrets, observations, confidence=confidence, rng=3, among=[0, 1]))
        for observations in itertools.product(range(2), repeat=6)
    ]


@pytest.mark.long
@pytest.mark.usefixtures("interval_alone")
@pytest.mark.parametrize("confidence", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("rows", [((9, 1), (1, 9)), ((10, 0), (8, 2)), ((5, 5), (5, 5)), ((10, 0), (1, 9))])
def test_the_security_of_all_samples_of_six_is_missed_from_below_as_rarely_as_said(rows, confidence):
    a, b = ([Fraction(w, 10) for w in row] for row in rows)
    security = sum(map(min, a, b))
    above = Fraction(0)
    for observations, estimate in securities_of_all_samples_of_six(confidence):
        chance = np.prod([(a if i < 3 else b)[o] for i, o in enumerate(observations)])
        above += chance * (estimate.low > security)
    assert above <= (1 - Fraction(confidence)) / 2


UNEVEN = {
    "few samples of one": (slow.random_channel(3, 4), (8, 20, 60)),
    "alike": (slow.null_channel(2, 2), (15, 15)),
    "one gives itself away": (np.array([[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 1]]), (40, 40, 1)),
    "a rare sign": (np.array([[0.99, 0.01], [1, 0]]), (30, 30)),
}


@pytest.mark.long
@pytest.mark.usefixtures("interval_alone")
@pytest.mark.parametrize("confidence", [0.5, 0.9])
@pytest.mark.parametrize("name", UNEVEN)
def test_the_security_is_missed_as_rarely_as_said_on_either_side(name, confidence):
    channel, sizes = UNEVEN[name]
    truth, secrets = slow.bayes_security(channel), np.repeat(np.arange(len(sizes)), sizes)
    rng, runs = np.random.default_rng(11), 150
    below = above = outside = 0
    for seed in range(runs):
        observations = (rng.random(secrets.size)[:, None] > channel.cumsum(axis=1)[secrets]).sum(axis=1)
        told = estimate_bayes_security(secrets, observations, confidence, rng=seed, among=secrets)
        untold = estimate_bayes_security(secrets, observations, confidence, rng=seed)
        below, above = below + (told.high < truth - 1e-9), above + (told.low > truth + 1e-9)
        outside += untold.high < truth - 1e-9
    # Three standard deviations of a binomial count above its mean.
    misses = 1 - confidence
    for missed, chance in [(below, misses / 2), (above, misses / 2), (outside, misses)]:
        assert missed <= runs * chance + 3 * (runs * chance * (1 - chance)) ** 0.5
