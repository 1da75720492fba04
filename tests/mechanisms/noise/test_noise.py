"""What every mechanism that adds noise promises, held against the two laws themselves."""

import math
import re

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, laplace, norm

import discretion as dc
from discretion.errors import UnsupportedError
from discretion.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace, SubsampledGaussian
from oracles import noise as slow
from oracles.promise import exactly


def laplace_pair(scale, sensitivity=1.0):
    reach = 45 * scale
    return slow.Densities(
        slow.laplace(scale, 0), slow.laplace(scale, sensitivity), [0, sensitivity], -reach, sensitivity + reach
    )


def gaussian_pair(sigma, sensitivity=1.0):
    reach = 12 * sigma + 3 * sensitivity
    return slow.Densities(slow.gaussian(sigma, 0), slow.gaussian(sigma, sensitivity), [], -reach, sensitivity + reach)


def mixed_pair(sigma, rate):
    absent, present = slow.gaussian(sigma, 0), slow.gaussian(sigma, 1)
    return slow.Densities(lambda y: (1 - rate) * absent(y) + rate * present(y), absent, [], -12 * sigma, 1 + 12 * sigma)


# A mechanism, and its two laws: of the value 0 and of the furthest one.
CONTINUOUS = {
    "Laplace(1)": (Laplace(1), laplace_pair(1)),
    "Laplace(0.1)": (Laplace(0.1), laplace_pair(0.1)),
    "Laplace(20, 3)": (Laplace(20, sensitivity=3), laplace_pair(20, 3)),
    "Gaussian(1)": (Gaussian(1), gaussian_pair(1)),
    "Gaussian(0.15)": (Gaussian(0.15), gaussian_pair(0.15)),
    "Gaussian(30, 2)": (Gaussian(30, sensitivity=2), gaussian_pair(30, 2)),
}
DISCRETE = {
    "Geometric(1)": (Geometric(1), slow.geometric(1, 1)),
    "Geometric(2, 2)": (Geometric(2, sensitivity=2), slow.geometric(2, 2)),
    "Geometric(0.75, 5)": (Geometric(0.75, sensitivity=5), slow.geometric(0.75, 5)),
    "Geometric(12, 3)": (Geometric(12, sensitivity=3), slow.geometric(12, 3)),
    "DiscreteGaussian(1)": (DiscreteGaussian(1), slow.discrete_gaussian(1, 1)),
    "DiscreteGaussian(0.3, 2)": (DiscreteGaussian(0.3, sensitivity=2), slow.discrete_gaussian(0.3, 2)),
    "DiscreteGaussian(4.5, 3)": (DiscreteGaussian(4.5, sensitivity=3), slow.discrete_gaussian(4.5, 3)),
}
ONE_STEP = {
    "SubsampledGaussian(1, 0.1, 1)": (SubsampledGaussian(1, rate=0.1, steps=1), mixed_pair(1, 0.1)),
    "SubsampledGaussian(0.4, 0.6, 1)": (SubsampledGaussian(0.4, rate=0.6, steps=1), mixed_pair(0.4, 0.6)),
    "SubsampledGaussian(2, 1, 4)": (SubsampledGaussian(2, rate=1, steps=4), mixed_pair(1, 1)),
}
SYMMETRIC = CONTINUOUS | DISCRETE
EVERY = SYMMETRIC | ONE_STEP

PRIORS = [(0.5, 0.5), (0.9, 0.1), (0.25, 0.75), (1 - 1e-6, 1e-6), (1.0, 0.0)]


def each(table):
    return pytest.mark.parametrize(("mechanism", "pair"), table.values(), ids=table.keys())


def on_the_furthest(mechanism, prior):
    """The prior on the two furthest secrets, of all that the mechanism has."""
    law = np.zeros(mechanism.secrets)
    law[[0, -1]] = prior
    return law


@each(EVERY)
def test_bayes_security_is_one_minus_the_total_variation(mechanism, pair):
    assert dc.bayes_security(mechanism) == exactly(1 - slow.hockey_stick(pair, 0))
    assert dc.bayes_security(mechanism) == exactly(pair.integral(min, lambda p, q: p - q))


@each(EVERY)
@pytest.mark.parametrize("epsilon", [-1.5, -0.2, 0, 0.01, 0.3, 1, 4, 20])
def test_the_hockey_stick_is_the_integral_of_the_excess(mechanism, pair, epsilon):
    assert mechanism.hockey_stick(epsilon) == exactly(slow.hockey_stick(pair, epsilon))


@each(EVERY)
@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 4])
def test_the_privacy_profile_is_the_larger_of_both_directions(mechanism, pair, epsilon):
    both = slow.hockey_stick(pair, epsilon), slow.hockey_stick(pair.swapped(), epsilon)
    assert dc.privacy_profile(mechanism, epsilon) == exactly(max(both))


@each(EVERY)
def test_the_profile_falls_and_is_convex_in_the_ratio(mechanism, pair):
    ratios = np.geomspace(1, 1e3, 40)
    deltas = np.array([dc.privacy_profile(mechanism, math.log(ratio)) for ratio in ratios])
    slopes = np.diff(deltas) / np.diff(ratios)
    assert deltas[0] == exactly(1 - dc.bayes_security(mechanism))
    assert np.all(slopes <= 1e-15)
    assert np.all(np.diff(slopes) >= -1e-14)
    assert dc.privacy_profile(mechanism, math.inf) == 0


@each(EVERY)
@pytest.mark.parametrize("prior", PRIORS)
def test_the_posterior_vulnerability_is_its_integral(mechanism, pair, prior):
    if mechanism in dict(ONE_STEP.values()):  # there the first law is that of the second secret
        pair = pair.swapped()
    a, b = prior
    law = on_the_furthest(mechanism, prior)
    found = slow.expected_best(pair, [(a, 0.0), (0.0, b)])
    assert dc.posterior_vulnerability(mechanism, law) == exactly(found)
    assert dc.bayes_risk(mechanism, law) == exactly(pair.integral(lambda p, q: min(type(p)(a) * p, type(q)(b) * q)))


@pytest.mark.long
@each(CONTINUOUS | ONE_STEP)
@pytest.mark.parametrize("prior", PRIORS)
def test_any_gain_is_its_integral(mechanism, pair, prior):
    if mechanism in dict(ONE_STEP.values()):
        pair = pair.swapped()
    rng = np.random.default_rng(7)
    for gain in (rng.normal(size=(4, 2)), np.array([[1, 0], [0, 1], [0.8, 0.8], [0.8, 0.8]]), np.ones((2, 2))):
        found = slow.expected_best(pair, (gain * prior).tolist())
        assert dc.posterior_vulnerability(mechanism, prior, dc.gain_matrix(gain)) == exactly(found)


@each(SYMMETRIC)
@pytest.mark.parametrize("prior", PRIORS)
def test_mutual_information_is_its_integral(mechanism, pair, prior):
    law = on_the_furthest(mechanism, prior)
    assert dc.mutual_information(mechanism, law) == exactly(slow.mutual_information(pair, prior))


@pytest.mark.long
@each(SYMMETRIC)
@pytest.mark.parametrize("order", [0.1, 0.5, 0.6, 0.999999, 1, 1 + 1e-9, 1.5, 2, 3.7])
def test_renyi_divergences_are_their_integrals(mechanism, pair, order):
    # Near order 1, where the integral loses its digits, the divergence is next to that of order 1.
    near, digits = (1, 1e-4) if 0 < abs(order - 1) < 1e-5 else (order, 1e-9)
    assert mechanism.renyi_divergence(order) == pytest.approx(slow.renyi_divergence(pair, near), rel=digits, abs=1e-11)
    assert dc.renyi_dp(mechanism, order) == mechanism.renyi_divergence(order)


@each(EVERY)
def test_its_capacity_counts_its_secrets(mechanism, pair):
    if mechanism.secrets == 2:
        assert dc.multiplicative_bayes_capacity(mechanism) == exactly(2 - dc.bayes_security(mechanism))


@each(SYMMETRIC)
def test_its_epsilon_is_the_largest_loss(mechanism, pair):
    assert dc.ldp_epsilon(mechanism) == exactly(mechanism.epsilon) == exactly(mechanism.renyi_divergence(math.inf))
    if math.isfinite(mechanism.epsilon):
        assert dc.privacy_profile(mechanism, mechanism.epsilon) == 0
        assert dc.privacy_profile(mechanism, mechanism.epsilon * (1 - 1e-9)) > 0


@each(SYMMETRIC)
def test_the_furthest_values_are_the_leakiest(mechanism, pair):
    assert dc.leakiest_pair(mechanism) == (0, mechanism.sensitivity)


def test_noise_with_a_density_has_one_pair():
    for mechanism in (dc.Laplace(2, sensitivity=3), dc.Gaussian(1, sensitivity=3)):
        assert dc.leakiest_pairs(mechanism) == [(0, 3)]


def test_subsampled_noise_has_no_crowd():
    with pytest.raises(UnsupportedError, match="sort continuous reports into bins"):
        dc.Shuffled(dc.SubsampledGaussian(1, 0.1, 5), 10)


@each(DISCRETE)
def test_closed_forms_agree_with_the_explicit_channel(mechanism, pair):
    channel = mechanism.channel()
    assert dc.bayes_security(mechanism) == exactly(dc.bayes_security(channel))
    assert dc.leakiest_pair(mechanism) == dc.leakiest_pair(channel)
    for epsilon in (0, 0.1, 0.5, 2):
        assert dc.privacy_profile(mechanism, epsilon) == exactly(dc.privacy_profile(channel, epsilon))


MEASURES = {
    name: getattr(dc, name)
    for name in (
        "bayes_security",
        "mutual_information",
        "posterior_vulnerability",
        "bayes_risk",
        "multiplicative_bayes_capacity",
    )
} | {"privacy_profile": lambda mechanism: dc.privacy_profile(mechanism, 0.5)}


@each(CONTINUOUS | ONE_STEP)
def test_a_continuum_of_outputs_has_no_channel_and_says_what_can_be_measured(mechanism, pair):
    with pytest.raises(dc.errors.UnsupportedError, match=r"continuum of observations.*bayes_security") as refused:
        mechanism.channel()
    named = {word for word in re.findall(r"[a-z_]+", str(refused.value)) if word in MEASURES}
    assert named >= {"bayes_security", "bayes_risk", "posterior_vulnerability", "privacy_profile"}
    for name, ask in MEASURES.items():
        if name in named:
            assert float(ask(mechanism)) >= 0
        else:
            with pytest.raises(dc.errors.UnsupportedError):
                ask(mechanism)


@each(CONTINUOUS)
@pytest.mark.parametrize("seed", [1, None], ids=["seeded", "the system's randomness"])
def test_continuous_noise_has_its_law(mechanism, pair, seed):
    noise = mechanism.sample(np.full(20_000, 7.5), rng=seed) - 7.5
    law = laplace(scale=mechanism.scale) if isinstance(mechanism, Laplace) else norm(scale=mechanism.sigma)
    assert kstest(noise, law.cdf).pvalue > (1e-9 if seed is None else 1e-4)


@each(DISCRETE)
@pytest.mark.parametrize("seed", [1, None], ids=["seeded", "the system's randomness"])
def test_discrete_noise_has_its_law(mechanism, pair, seed):
    people = 20_000
    noise = mechanism.sample(np.full(people, -3), rng=seed) + 3
    masses = np.array([float(p) for p in pair.p])
    first = -(masses.size - 1 - mechanism.sensitivity) // 2  # the outputs are -reach..sensitivity+reach
    expected = people * masses
    common = expected >= 5
    counts = np.bincount(noise - first, minlength=masses.size)[: masses.size]
    rest = people - counts[common].sum(), people - expected[common].sum()
    found = chisquare([*counts[common], rest[0] + 5], [*expected[common], rest[1] + 5], sum_check=False)
    assert found.pvalue > (1e-9 if seed is None else 1e-4)


@each(SYMMETRIC)
def test_the_same_seed_gives_the_same_noise_and_nobody_none(mechanism, pair):
    values = np.arange(50)
    assert np.array_equal(mechanism.sample(values, rng=3), mechanism.sample(values, rng=np.random.default_rng(3)))
    assert mechanism.sample([], rng=3).size == 0


@each(SYMMETRIC)
@pytest.mark.parametrize("values", [[math.nan], [math.inf], [[1]], 1, ["1"], [[0], [0, 1]]])
def test_only_numbers_in_a_row_take_noise(mechanism, pair, values):
    with pytest.raises(dc.errors.InvalidValueError, match="values must be"):
        mechanism.sample(values, rng=1)


@each(EVERY)
def test_mechanisms_do_not_change_and_are_equal_when_their_parameters_are(mechanism, pair):
    with pytest.raises(AttributeError):
        mechanism.sensitivity = 2
    again = eval(repr(mechanism))
    assert again == mechanism
    assert hash(again) == hash(mechanism)


BAD = [
    (lambda: Laplace(0), "scale must be a positive, finite number, got 0"),
    (lambda: Laplace(-1), "got -1"),
    (lambda: Laplace(math.nan), "scale must be a number, got nan"),
    (lambda: Laplace(math.inf), "finite"),
    (lambda: Laplace(True), "got True"),
    (lambda: Laplace("1"), "got '1'"),
    (lambda: Laplace(1, sensitivity=0), "sensitivity must be a positive"),
    (lambda: Laplace(1e300, sensitivity=1e-300), "sensitivity/scale"),
    (lambda: Gaussian(0), "sigma must be a positive"),
    (lambda: Gaussian(1, sensitivity=-2), "sensitivity must be a positive"),
    (lambda: Gaussian(1e-300, sensitivity=1e300), "sensitivity/sigma"),
    (lambda: Gaussian.classical(1.5, 1e-6), "(0, 1], where this noise suffices, got 1.5"),
    (lambda: Gaussian.classical(0, 1e-6), "epsilon must be a positive"),
    (lambda: Gaussian.classical(1, 0), "delta must be a positive"),
    (lambda: Gaussian.classical(1, 1), "delta must be in (0, 1), got 1"),
    (lambda: Geometric(0), "epsilon must be a positive"),
    (lambda: Geometric(math.inf), "finite"),
    (lambda: Geometric(1, sensitivity=0), "whole number of at least 1, got 0"),
    (lambda: Geometric(1, sensitivity=1.5), "whole number of at least 1, got 1.5"),
    (lambda: Geometric(1, sensitivity=2**60), "at most 2^53"),
    (lambda: Geometric(1e-16), "fits in 64 bits"),
    (lambda: Geometric(1, sensitivity=100_000).channel(), "use bayes_security"),
    (lambda: DiscreteGaussian(0), "sigma must be a positive"),
    (lambda: DiscreteGaussian(1, sensitivity=True), "got True"),
    (lambda: DiscreteGaussian(1e7).hockey_stick(0), "take discretion.Gaussian"),
    (lambda: DiscreteGaussian(1e-320), "sensitivity/sigma"),
    (lambda: DiscreteGaussian(1e300).sample([0]), "at most 1e+15 for sampling"),
    (lambda: SubsampledGaussian(1e-200, rate=0.5, steps=2), "1/sigma² must fit in a double, got a sigma"),
    (lambda: SubsampledGaussian(1e200, rate=0.5, steps=2), "1/sigma² must fit in a double, got a sigma"),
    (lambda: SubsampledGaussian(1, rate=0, steps=1), "rate must be in (0, 1], got 0"),
    (lambda: SubsampledGaussian(1, rate=1.1, steps=1), "rate must be in (0, 1], got 1.1"),
    (lambda: SubsampledGaussian(1, rate=0.5, steps=0), "steps must be a whole number of at least 1, got 0"),
    (lambda: SubsampledGaussian(1, rate=0.5, steps=10**8), "at most 10,000,000"),
    (lambda: SubsampledGaussian(-1, rate=0.5, steps=1), "sigma must be a positive"),
    (lambda: Laplace(1).hockey_stick(math.nan), "epsilon must be a number"),
    (lambda: Laplace(1).renyi_divergence(0), "order must be positive"),
]


@pytest.mark.parametrize(("make", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_parameters_are_refused_in_a_sentence(make, words):
    with pytest.raises(dc.errors.InvalidValueError) as refused:
        make()
    assert words in str(refused.value)
