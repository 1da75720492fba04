"""What is quoted is an estimate: neither an end of the interval nor its middle, and right on average or nearly."""

from math import erfc, exp, sqrt

import numpy as np
import pytest

from discretion.blackbox import BayesRiskStream, NearestNeighbours, estimate_bayes_risk, estimate_bayes_security
from discretion.blackbox.progressive_validation import Validation, meeting_point
from oracles import blackbox as slow


def response_rows(k, epsilon, rows):
    """The first rows of k-ary randomized response."""
    channel = np.full((rows, k), 1 / (exp(epsilon) + k - 1))
    np.fill_diagonal(channel, exp(epsilon) / (exp(epsilon) + k - 1))
    return channel


def by_batches(secrets, observations, rng):
    stream = BayesRiskStream()
    for start in range(0, len(secrets), max(1, len(secrets) // 50)):
        stream.add(secrets[start : start + len(secrets) // 50], observations[start : start + len(secrets) // 50])
    return stream.estimate()


def errors_of(measure, draw, truth, runs):
    rng = np.random.default_rng(3)
    off = np.array([measure(*draw(rng), rng=seed).value - truth for seed in range(runs)])
    return abs(off.mean()), sqrt((off**2).mean())


# β*, samples, runs; the bias and the root mean square of the errors at most. k-RR: β* = k/(e^ε + k - 1).
SECURITIES = {
    "two values of 420-RR": (response_rows(420, 3.3, 2), 420 / (exp(3.3) + 419), 100_000, 16, 0.006, 0.012),
    "10-RR": (response_rows(10, 1, 10), 10 / (exp(1) + 9), 3000, 40, 0.04, 0.08),
    "5×20": (slow.random_channel(5, 20), None, 3000, 40, 0.03, 0.05),
    "10×1000": (slow.random_channel(10, 1000), None, 100_000, 8, 0.02, 0.03),
    "geometric 10×1000": (slow.geometric_channel(10, 1000), None, 3000, 30, 0.006, 0.01),
    "no leakage": (slow.null_channel(10, 2), 1, 3000, 30, 0.04, 0.05),
    "all leaks": (np.eye(3), 0, 60, 10, 0, 0),
}


@pytest.mark.long
@pytest.mark.parametrize("name", SECURITIES)
def test_the_security_is_right_on_average(name):
    channel, truth, size, runs, most_bias, most_error = SECURITIES[name]
    truth = slow.bayes_security(channel) if truth is None else truth
    bias, error = errors_of(estimate_bayes_security, lambda rng: slow.drawn(channel, size, rng), truth, runs)
    assert bias <= most_bias
    assert error <= most_error


RISKS = {
    "two values of 420-RR": (response_rows(420, 3.3, 2), 100_000, 12, 0.005, 0.01),
    "5×20": (slow.random_channel(5, 20), 3000, 40, 0.006, 0.02),
    "geometric 10×1000": (slow.geometric_channel(10, 1000), 3000, 30, 0.006, 0.006),
    "no leakage": (slow.null_channel(10, 2), 3000, 30, 0.01, 0.015),
    "all leaks": (np.eye(3), 60, 10, 0, 0),
}


@pytest.mark.long
@pytest.mark.parametrize("measure", [estimate_bayes_risk, by_batches])
@pytest.mark.parametrize("name", RISKS)
def test_the_risk_is_right_on_average(name, measure):
    channel, size, runs, most_bias, most_error = RISKS[name]
    truth = slow.bayes_risk(channel)
    bias, error = errors_of(measure, lambda rng: slow.drawn(channel, size, rng), truth, runs)
    assert bias <= most_bias
    assert error <= most_error


@pytest.mark.long
@pytest.mark.parametrize("dimensions", [1, 2])
@pytest.mark.parametrize(("measure", "errors"), [(estimate_bayes_risk, 1), (estimate_bayes_security, 2)])
def test_neighbours_of_gaussians_are_right_on_average(dimensions, measure, errors):
    truth = errors * erfc(1 / sqrt(2)) / 2
    bias, error = errors_of(measure, lambda rng: slow.two_gaussians(4000, dimensions, 2.0, rng), truth, 12)
    assert bias <= 0.015 * errors
    assert error <= 0.02 * errors


@pytest.mark.parametrize(
    ("held_out", "trained", "met"),
    [
        ((0.5, 0.5), (0.3, 0.4), 0.5),  # nothing to learn: the held-out error stays
        ((0.9, 0.5), (0.2, 0.2), 0.2),  # only what was not seen is not guessed
        ((0.6, 0.5), (0.3, 0.4), 0.45),  # both come alike
        ((0.7, 0.5), (0.3, 0.4), 0.5 - 0.1 * 2 / 3),
        ((0.5, 0.5), (0.4, 0.4), 0.45),
        ((0.4, 0.5), (0.4, 0.3), 0.4),  # neither does what it should
    ],
)
def test_errors_meet_where_they_close_in_on_each_other(held_out, trained, met):
    assert meeting_point(held_out, trained) == pytest.approx(met, rel=1e-12)


def test_the_risk_of_a_validation_by_hand():
    # Guessed from 4 samples 4, 3 wrong; from 8 then 8, 2 wrong. Training errors: 1 of 8, then 4 of 16.
    known, tested, errors, least = np.array([4, 8]), np.array([4, 8]), np.array([3, 2]), np.array([1, 4])
    validation = Validation(known, tested, errors, least)
    # Held out 3/4, then 5/12; trained 1/8, then 1/4: they close by 1/3 and 1/8.
    assert validation.likely_risk() == pytest.approx(5 / 12 - (5 / 12 - 1 / 4) * 8 / 11, rel=1e-12)
    assert Validation(known, tested, errors, None).likely_risk() == 2 / 8
    assert Validation(known[1:], tested[1:], errors[1:], least[1:]).likely_risk() == 1 / 4


def planar_geometric(size, rng):
    """Places on a grid of 20 by 20 with a prior of 1/rank, blurred as F-BLEAU's example ``geometric-4`` is.

    ``P(o | s) ∝ exp(-(ln 4 / 100)·‖o - s‖)`` on a grid of step 15 where places are 150 apart.
    """
    places = 10 * np.stack(np.meshgrid(np.arange(20), np.arange(20)), axis=-1).reshape(-1, 2)
    prior = 1 / rng.permutation(np.arange(1, 401))
    prior /= prior.sum()
    around = np.stack(np.meshgrid(np.arange(-120, 121), np.arange(-120, 121)), axis=-1).reshape(-1, 2)
    law = np.exp(-15 * np.log(4) / 100 * np.hypot(*around.T))
    law /= law.sum()
    secrets = rng.choice(400, size, p=prior)
    observations = places[secrets] + around[rng.choice(law.size, size, p=law)]
    grid = np.stack(np.meshgrid(np.arange(-60, 250), np.arange(-60, 250)), axis=-1).reshape(-1, 2)
    best = np.zeros(len(grid))
    scale = 1 / np.exp(-15 * np.log(4) / 100 * np.hypot(*around.T)).sum()
    for place, weight in zip(places, prior, strict=True):
        best = np.maximum(best, weight * scale * np.exp(-15 * np.log(4) / 100 * np.hypot(*(grid - place).T)))
    return secrets, observations.astype(float), 1 - best.sum()


@pytest.mark.long
def test_joined_neighbours_come_nearer_to_the_risk_of_places_blurred():
    secrets, observations, truth = planar_geometric(15_000, np.random.default_rng(4))
    by_few = estimate_bayes_risk(secrets, observations, method=NearestNeighbours(k=11), rng=1)
    learned = estimate_bayes_risk(secrets, observations, method="nearest-neighbours", rng=1)
    assert truth < learned.value < by_few.value - 0.004
    assert learned.high < by_few.high
