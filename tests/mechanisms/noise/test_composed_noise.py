"""Noises side by side: each closed form, listed sequence and integral beside the bounds of their summed losses."""

import math
import pickle

import numpy as np
import pytest

import discretion as dc
from discretion.measures.privacy_loss.composed_losses import ComposedLosses, LossPair
from discretion.mechanisms.noise.gaussian_losses import GaussianLosses
from oracles import composed_noise as slow, noise
from oracles.promise import exactly

LAPLACE = dc.Laplace(1.0)
EPSILONS = [0, 0.1, 0.7, 1.3, 1.9]


def holds(found, truth, width):
    """Whether a certified interval of at most this width holds the truth, up to what the truth is off."""
    low, high = (found.low, found.high) if isinstance(found, dc.Estimate) else (found, found)
    assert low - 1e-12 <= truth <= high + 1e-12
    assert high - low <= width
    assert not isinstance(found, dc.Estimate) or found.certified
    return True


def test_gaussian_noises_are_as_one():
    assert dc.bayes_security(dc.repeated(dc.Gaussian(1.0), 5)) == exactly(math.erfc(math.sqrt(5) / 2 / math.sqrt(2)))
    both = dc.parallel(dc.Gaussian(1.0), dc.Gaussian(2.0, sensitivity=3))
    one = dc.Gaussian(1 / math.hypot(1, 1.5))
    assert dc.bayes_security(both) == exactly(dc.bayes_security(one))
    assert dc.posterior_vulnerability(both, [0.2, 0.8]) == exactly(dc.posterior_vulnerability(one, [0.2, 0.8]))
    assert dc.bayes_risk(both, [0.2, 0.8]) == exactly(dc.bayes_risk(one, [0.2, 0.8]))
    for level in (0.5, 1, 2):
        assert dc.renyi_dp(both, level) == exactly(dc.renyi_dp(one, level))
        assert dc.privacy_profile(both, level) == exactly(dc.privacy_profile(one, level))
    assert dc.dp_epsilon(both, 1e-6) == exactly(dc.dp_epsilon(one, 1e-6))
    assert holds(dc.mutual_information(both, [0.2, 0.8]), dc.mutual_information(one, [0.2, 0.8]), 1e-5)


@pytest.mark.long
@pytest.mark.parametrize("uses", [2, 50, 2000])
@pytest.mark.parametrize("delta", [0.2, 1e-40])
def test_the_grid_brackets_what_gaussian_noise_tells(uses, delta):
    one = dc.Gaussian(0.7 * math.sqrt(uses) if uses > 100 else 0.7)
    total = dc.Gaussian(one.sigma / math.sqrt(uses))
    losses = LossPair.from_parts([(one.losses, one.losses, uses)])
    truth = dc.dp_epsilon(total, delta)
    found = losses.epsilon(delta)
    assert found.low <= truth <= found.high
    assert found.high - found.low < (1e-5 if uses < 100 else 1e-3) * truth
    told = losses.hockey_stick(truth)
    assert told.low <= delta * (1 + 1e-9)
    assert delta * (1 - 1e-9) <= told.high
    shared = losses.forwards.overlap(truth)
    assert shared.low <= total.overlap(truth) <= shared.high


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("second", [LAPLACE, dc.Laplace(0.4, sensitivity=0.3), dc.Gaussian(1.5)], ids=repr)
def test_two_noises_are_as_integrated_one_after_the_other(second, epsilon):
    truth = slow.after_laplace(1.0, second.hockey_stick, epsilon)
    assert holds(dc.privacy_profile(dc.parallel(LAPLACE, second), epsilon), truth, 2e-6)
    assert holds(dc.privacy_profile(dc.parallel(second, LAPLACE), epsilon), truth, 2e-6)


@pytest.mark.parametrize("second", [dc.Geometric(0.8), dc.DiscreteGaussian(1.3)], ids=repr)
@pytest.mark.parametrize("epsilon", [0, 0.7, 1.2])
def test_noise_on_numbers_goes_with_noise_on_whole_numbers(second, epsilon):
    truth = slow.after_laplace(1.0, second.hockey_stick, epsilon)
    assert holds(dc.privacy_profile(dc.parallel(LAPLACE, second), epsilon), truth, 2e-5)


@pytest.mark.parametrize("epsilon", [0, 0.5, 1.7])
def test_discrete_noises_alike_are_as_listed(epsilon):
    once = noise.geometric(1, 2)
    inside = noise.Masses(once.p, once.q)
    reach = len(inside.p) // 2
    # All outputs up to 0, and all from the sensitivity on, tell the same.
    first, last = reach - 1, reach + 1
    merged = noise.Masses(
        *([sum(law[: first + 1]), *law[first + 1 : last], sum(law[last:])] for law in (once.p, once.q))
    )
    truth = slow.listed([merged] * 5, epsilon)
    many = dc.repeated(dc.Geometric(1, sensitivity=2), 5)
    assert dc.privacy_profile(many, epsilon) == exactly(truth)
    if epsilon == 0:
        assert dc.bayes_security(many) == exactly(1 - truth)


def test_discrete_gaussian_noises_add_up_exactly():
    many = dc.repeated(dc.DiscreteGaussian(1.0), 5)
    # The sum of the outputs is all that tells of their common centre.
    outputs = np.arange(-60, 61)
    law = np.exp(-np.square(outputs) / 2)
    law /= law.sum()
    total = law
    for _ in range(4):
        total = np.convolve(total, law)
    sums = np.arange(total.size) - total.size // 2
    losses = (5 / 2 - sums) * 1.0
    for epsilon in (0, 1, 4):
        truth = float(total @ np.maximum(0.0, -np.expm1(np.minimum(epsilon - losses, 0))))
        assert dc.privacy_profile(many, epsilon) == exactly(truth)
    assert isinstance(dc.bayes_security(many), float)
    assert dc.dp_epsilon(many, dc.privacy_profile(many, 1.0)) == exactly(1.0)
    assert dc.bayes_risk(many, [0.3, 0.7]) == exactly(1 - dc.posterior_vulnerability(many, [0.3, 0.7]))


@pytest.mark.parametrize("n", [2, 7, 30])
@pytest.mark.parametrize("epsilon", [0, 0.9, 3])
@pytest.mark.parametrize(
    "once",
    [
        dc.RandomizedResponse(10**6, epsilon=5.0),
        dc.RandomizedResponse(3, epsilon=1.0),
        dc.SubsetSelection(8, 1.0, size=3),
        dc.UnaryEncoding.oue(6, 1.5),
    ],
    ids=repr,
)
def test_uses_of_a_protocol_tell_a_pair_apart_or_say_nothing(once, n, epsilon):
    told = once.support.gap / -math.expm1(-once.epsilon)
    truth = slow.told_sometimes(told, once.epsilon, n, epsilon)
    many = dc.repeated(once, n)
    assert dc.privacy_profile(many, epsilon) == exactly(truth)
    assert dc.bayes_security(many) == exactly(1 - slow.told_sometimes(told, once.epsilon, n, 0))


def test_ten_million_uses_are_exact_too():
    # Between p^n and q^n stands the normal law, to which so many uses come near.
    once, n = dc.RandomizedResponse(2, epsilon=1e-3), 10**7
    security = dc.bayes_security(dc.repeated(once, n))
    assert isinstance(security, float)
    gap = 2 * once.p - 1
    assert security == pytest.approx(math.erfc(gap * math.sqrt(n) / math.sqrt(2)), rel=1e-3)


@pytest.mark.parametrize("seed", range(2))
def test_what_noises_tell_is_as_simulated(seed):
    rng = np.random.default_rng(seed)
    first, second, runs = dc.Laplace(1.5), dc.DiscreteGaussian(2.0, sensitivity=2), 200_000
    whole = dc.parallel(dc.repeated(first, 3), second)
    y = first.sample(np.zeros(3 * runs), rng).reshape(runs, 3)
    z = second.sample(np.zeros(runs, dtype=int), rng)
    losses = ((np.abs(y - 1) - np.abs(y)) / 1.5).sum(axis=1) + ((z - 2) ** 2 - z**2) / 8
    told = np.maximum(0.0, -np.expm1(-losses))
    assert abs(told.mean() - (1 - float(dc.bayes_security(whole)))) < 5 * told.std() / math.sqrt(runs)


def test_mutual_information_is_between_its_bounds():
    pair = noise.Densities(noise.laplace(1.0, 0), noise.laplace(1.0, 1.0), [0, 1], -45, 46)
    single = noise.mutual_information(pair, (0.3, 0.7))
    losses = LossPair.from_parts([(LAPLACE.losses, LAPLACE.losses, 1)])
    found = losses.forwards.information(0.3, 0.7), losses.backwards.information(0.7, 0.3)
    assert sum(part.low for part in found) <= single <= sum(part.high for part in found)
    assert sum(part.high - part.low for part in found) < 1e-6
    twice = dc.mutual_information(dc.repeated(LAPLACE, 2), [0.3, 0.7])
    assert single < twice.low <= twice.high < 2 * single


def test_measures_that_add_up():
    whole = dc.parallel(dc.repeated(dc.Laplace(2.0), 3), dc.Geometric(0.5))
    assert dc.ldp_epsilon(whole) == exactly(2.0)
    assert dc.dp_epsilon(whole, 0) == exactly(2.0)
    for order in (0.5, 1, 3):
        parts = 3 * dc.renyi_dp(dc.Laplace(2.0), order) + dc.renyi_dp(dc.Geometric(0.5), order)
        assert dc.renyi_dp(whole, order) == exactly(parts)
    assert dc.privacy_profile(whole, 2.0) == 0
    assert dc.leakiest_pair(whole) == (0, 1)
    assert dc.leakiest_pairs(dc.repeated(dc.Laplace(2.0, sensitivity=3), 2)) == [(0, 3)]


def test_noises_with_and_without_sampling_go_together():
    steps = dc.SubsampledGaussian(1.0, 0.1, 20)
    assert dc.bayes_security(dc.repeated(steps, 5)) == dc.bayes_security(dc.SubsampledGaussian(1.0, 0.1, 100))
    alone, whole = dc.bayes_security(steps), dc.bayes_security(dc.parallel(steps, dc.Gaussian(3.0)))
    assert dc.bayes_security(dc.Gaussian(3.0)) * alone.low <= whole.low <= whole.high < alone.low


def test_what_is_composed_counts_alike_parts_together():
    a, b = dc.Laplace(1.0), dc.Gaussian(2.0)
    assert dc.parallel(dc.parallel(a, b), a) == dc.parallel(dc.repeated(a, 2), b)
    assert dc.repeated(dc.parallel(a, b), 3) == dc.parallel(dc.repeated(a, 3), dc.repeated(b, 3))
    whole = dc.parallel(a, b)
    told = dc.bayes_security(whole)
    assert dc.bayes_security(pickle.loads(pickle.dumps(whole))) == told


def test_there_is_a_channel_where_all_noises_have_one():
    once = dc.DiscreteGaussian(0.5)
    twice = dc.repeated(once, 2)
    assert dc.bayes_security(twice) == exactly(dc.bayes_security(dc.Channel(once.channel().matrix) & once.channel()))
    assert dc.bayes_security(twice.channel()) == exactly(dc.bayes_security(twice))
    with pytest.raises(dc.errors.UnsupportedError, match="continuum of observations"):
        dc.repeated(LAPLACE, 2).channel()
    with pytest.raises(dc.errors.UnsupportedError, match="continuum of observations"):
        dc.parallel(LAPLACE, dc.RandomizedResponse(2, epsilon=1.0)).channel()


@pytest.mark.long
def test_extreme_losses_are_bounded_where_they_cannot_be_resolved():
    twice = dc.dp_epsilon(dc.repeated(dc.Laplace(0.001), 2), 1e-6)
    # A quarter of the mass has the largest loss, 2000, and nothing else comes near: δ = (1 - e^(ε - 2000))/4.
    assert holds(twice, 2000 + math.log1p(-4e-6), 1e-7)
    many = dc.bayes_security(dc.repeated(dc.DiscreteGaussian(1000.0), 10**6))
    assert many.low <= math.erfc(0.5 / math.sqrt(2)) <= many.high
    assert many.high - many.low < 1e-3
    rare = dc.dp_epsilon(dc.SubsampledGaussian(1, 1e-4, 100), 1e-7)
    assert rare.certified
    assert 0 <= rare.low <= rare.high


@pytest.mark.long
@pytest.mark.parametrize(
    ("mu", "told", "epsilon"),
    # What is shared is 1 less a number that has few digits of it, or none; and so is the moment of the tilted losses.
    [(14.285432865099013, 0.023737684161446886, 0.0013859175126551967), (40.3, 0.0133, 0.0), (0.0554, 93.36, 0.0)],
)
def test_what_two_noises_share_has_all_digits_where_it_is_rare(mu, told, epsilon):
    gaussian = dc.Gaussian(1 / mu)

    def shared(level):
        return gaussian.overlap(level) if level >= 0 else math.exp(level) * gaussian.overlap(-level)

    scale = shared(0.0) * (math.exp(-told / 2) if told > 1 else 1)
    truth = scale * slow.after_laplace(1 / told, lambda level: shared(level) / scale, epsilon)
    found = dc.parallel(gaussian, dc.Laplace(1 / told)).overlap(epsilon, False)
    assert found.low * (1 - 1e-10) <= truth <= found.high * (1 + 1e-10)
    assert found.high - found.low < 1e-5 * truth


def test_an_affinity_counts_what_a_grid_cuts_off():
    # Of two laws 64 deviations apart all that they share is where either has next to nothing.
    low, high = ComposedLosses(((GaussianLosses(64.0), 1),))._by_affinity(0.0)
    assert low <= math.erfc(32 / math.sqrt(2)) <= high
