"""Crowds that add noise to numbers, against the worst adversary: bounds by bins of the noise, both ways."""

import itertools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import UnsupportedError
from discretion.estimate import highest, lowest
from discretion.shuffling.worst_noise import NoiseAmongWorst
from oracles.noisy_crowds import gaussian_excess, laplace_excess
from oracles.promise import exactly

WORST = dc.WorstAllButOne()
NOISES = [dc.Laplace(1), dc.Laplace(10, sensitivity=3), dc.Gaussian(1), dc.Gaussian(4), dc.DiscreteGaussian(2)]


def worst(noise, n):
    return dc.Shuffled(noise, n).seen_by(WORST)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_one_user_has_the_noise_alone(noise):
    assert dc.bayes_security(worst(noise, 1)) == exactly(dc.bayes_security(noise))
    assert dc.privacy_profile(worst(noise, 1), 0.1) == exactly(dc.privacy_profile(noise, 0.1))
    assert dc.dp_epsilon(worst(noise, 1), 1e-6) == exactly(dc.dp_epsilon(noise, 1e-6))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 0.8])
@pytest.mark.parametrize(
    ("noise", "excess"),
    [
        (dc.Laplace(1), lambda ratio: laplace_excess(1, ratio)),
        (dc.Laplace(0.5), lambda ratio: laplace_excess(0.5, ratio)),
        (dc.Gaussian(1), lambda ratio: gaussian_excess(1, ratio)),
    ],
    ids=["Laplace(1)", "Laplace(0.5)", "Gaussian(1)"],
)
def test_of_two_users_the_bounds_hold_all_pairs_of_reports(noise, excess, epsilon):
    delta, truth = dc.privacy_profile(worst(noise, 2), epsilon), excess(math.exp(epsilon))
    assert delta.certified
    assert delta.low <= truth * (1 + 1e-4) + 1e-6
    assert delta.high >= truth * (1 - 1e-4) - 1e-6
    assert delta.low >= 0.9 * truth


def binned(noise, edges):
    """The channel of which the report is the bin of the noise."""
    below = {
        dc.Laplace: lambda z: 0.5 * math.exp(z) if z < 0 else 1 - 0.5 * math.exp(-z),
        dc.Gaussian: lambda z: 0.5 * math.erfc(-z / math.sqrt(2)),
    }[type(noise)]
    scale = noise.scale if isinstance(noise, dc.Laplace) else noise.sigma
    rows = [[0.0, *(below((edge - x) / scale) for edge in edges), 1.0] for x in noise.furthest_pair]
    return dc.Channel(np.diff(rows))


@pytest.mark.long
@pytest.mark.parametrize("noise", [dc.Laplace(1), dc.Laplace(0.3), dc.Gaussian(1)], ids=repr)
@pytest.mark.parametrize("n", [3, 5])
def test_no_crowd_of_bins_leaks_more_than_the_upper_bound(noise, n):
    # Whatever the others hold, all of it gone through; a channel of bins leaks no more than the noise.
    crowd = worst(noise, n)
    for edges in ([0.5], [0.0, 1.0]):
        coarse = worst(binned(noise, edges), n)
        for epsilon in (0.0, 0.2, 0.7):
            assert highest(dc.privacy_profile(crowd, epsilon)) >= lowest(dc.privacy_profile(coarse, epsilon)) - 1e-12
        assert dc.bayes_security(crowd).low <= highest(dc.bayes_security(coarse)) + 1e-12
        assert dc.dp_epsilon(crowd, 1e-3).high >= lowest(dc.dp_epsilon(coarse, 1e-3)) - 1e-9


@pytest.mark.parametrize("n", [2, 3, 50, 2000])
def test_bounds_hold_the_exact_crowd_of_two_reports(n):
    # Geometric noise on 0 and 1 is randomized response, of which every split of the others is gone through.
    noise, exact = dc.Geometric(1), worst(dc.RandomizedResponse(2, epsilon=1), n)
    crowd = NoiseAmongWorst(noise, n)
    for epsilon in (0.0, 0.5 / math.sqrt(n), 2 / math.sqrt(n)):
        truth = highest(dc.privacy_profile(exact, epsilon))
        assert crowd.excess_below(epsilon) <= truth * (1 + 1e-9) + 1e-15
        assert crowd.excess_above(epsilon) >= truth * (1 - 1e-9) - 1e-15
    assert crowd.excess_below(0.0) >= 0.85 * highest(dc.privacy_profile(exact, 0.0))


@pytest.mark.long
def test_bounds_agree_with_those_of_the_explicit_channel():
    noise = dc.DiscreteGaussian(1)
    crowd, explicit = worst(noise, 2), worst(noise.channel(), 2)
    for epsilon in (0.0, 0.5):
        ours, theirs = dc.privacy_profile(crowd, epsilon), dc.privacy_profile(explicit, epsilon)
        assert lowest(ours) <= highest(theirs)
        assert highest(ours) >= lowest(theirs)


@pytest.mark.long
@pytest.mark.parametrize(
    ("noise", "n", "width"),
    [
        (dc.Laplace(20), 1000, 0.05),
        (dc.Laplace(20), 10**6, 0.05),
        (dc.DiscreteGaussian(10), 1000, 0.05),
        (dc.Laplace(1), 10**6, 0.2),
        (dc.Gaussian(4), 1000, 0.1),
    ],
    ids=repr,
)
def test_ends_are_close_where_the_noise_hides_each_report(noise, n, width):
    epsilon = dc.dp_epsilon(worst(noise, n), 1e-6)
    assert (epsilon.high - epsilon.low) / epsilon.high <= width
    # Each end is confirmed by the profile.
    crowd = NoiseAmongWorst(noise, n)
    assert crowd.excess_above(epsilon.high) <= 1e-6
    assert crowd.excess_below(epsilon.low) >= 1e-6


@pytest.mark.long
def test_more_users_hide_more_and_dropouts_hide_less():
    noise = dc.Laplace(2)
    bounds = [dc.dp_epsilon(worst(noise, n), 1e-6) for n in (1, 100, 10**4)]
    assert all(highest(more) < lowest(fewer) for fewer, more in itertools.pairwise(bounds))
    left = dc.Shuffled(noise, 1001).seen_by(dc.WorstAllButOne(dropouts=0.5))
    assert dc.dp_epsilon(left, 1e-6) == dc.dp_epsilon(worst(noise, 501), 1e-6)
    assert dc.ldp_epsilon(left) == exactly(0.5)


@pytest.mark.parametrize(
    "ask",
    [
        dc.posterior_vulnerability,
        lambda crowd: dc.posterior_vulnerability(crowd.seen_by(dc.AllButOne([50, 49]))),
        lambda crowd: dc.posterior_vulnerability(crowd.seen_by(WORST)),
        lambda crowd: dc.mutual_information(crowd.seen_by(WORST)),
        lambda crowd: dc.tradeoff(crowd.seen_by(WORST)),
        lambda crowd: dc.renyi_dp(crowd.seen_by(WORST), 2),
        lambda crowd: dc.dp_epsilon(dc.repeated(crowd.seen_by(WORST), 10), 1e-6),
    ],
)
def test_other_measures_and_adversaries_are_refused_with_what_answers(ask):
    with pytest.raises(UnsupportedError, match="privacy_profile, dp_epsilon"):
        ask(dc.Shuffled(dc.Laplace(1), 100))
