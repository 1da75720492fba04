"""The whole curve of attacks: against all tests there are, closed forms, and what else is read off it."""

import itertools
import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy.stats import norm

import discretion as dc
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.attack_curves.polygon import Polygon
from mechanisms.table import MECHANISMS
from oracles.attack_curves import all_sets, all_tests, least_misses
from oracles.channels import exact
from support.lowering import lowered

RATES = [0.0, 1e-9, 1e-4, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999, 1.0]
EPSILONS = [0.0, 1e-3, 0.1, 0.5, 1.0, 3.0, 30.0, math.inf]

CHANNELS = {
    "two outputs": [[0.75, 0.25], [0.25, 0.75]],
    "nothing told": [[0.5, 0.5], [0.5, 0.5]],
    "everything told": [[1, 0], [0, 1]],
    "one sided": [[0.5, 0.5, 0.0], [0.25, 0.5, 0.25]],
    "disjoint in part": [[0.5, 0.25, 0.25, 0], [0, 0.25, 0.5, 0.25], [0.25, 0.25, 0.25, 0.25]],
    "three that differ": [[0.5, 0.375, 0.125], [0.125, 0.5, 0.375], [0.25, 0.125, 0.625]],
    "ties": [[0.25, 0.25, 0.25, 0.25], [0.5, 0.125, 0.125, 0.25]],
}

NOISES = [
    dc.Laplace(0.5),
    dc.Laplace(1),
    dc.Laplace(30),
    dc.Gaussian(0.3),
    dc.Gaussian(1),
    dc.Gaussian(20),
    dc.Geometric(1),
    dc.Geometric(2, 3),
    dc.Geometric(1, 2**40),
    dc.DiscreteGaussian(1),
    dc.DiscreteGaussian(0.4),
    dc.DiscreteGaussian(3, 5),
    dc.SubsampledGaussian(1, 0.1, 1),
    dc.SubsampledGaussian(2, 1, 10),
    dc.repeated(dc.Geometric(0.5), 20),
    dc.repeated(dc.Gaussian(2), 3),
]
BANDS = [dc.SubsampledGaussian(1, 0.05, 50), dc.parallel(dc.Gaussian(3), dc.Laplace(2))]  # fmt: skip

SYSTEMS = [
    *(pytest.param(dc.Channel(rows), id=name) for name, rows in CHANNELS.items()),
    *(pytest.param(noise, id=repr(noise)) for noise in NOISES),
    *(pytest.param(band, id=repr(band), marks=pytest.mark.long) for band in BANDS),
    pytest.param(dc.repeated(dc.RandomizedResponse(3, epsilon=0.5), 5), id="5 times 3-RR"),
    pytest.param(dc.repeated(dc.Channel(CHANNELS["three that differ"]), 3), id="3 times a channel"),
]


@cache
def curve_of(system):
    return dc.tradeoff(system)


def near(one, other, off=1e-12):
    """Whether two results may be of one number."""
    return lowest(one) <= highest(other) + off and lowest(other) <= highest(one) + off


def laplace(mu, rate):
    """Dong, Roth and Su: of Laplace noise of scale 1 around 0 and μ."""
    if rate < math.exp(-mu) / 2:
        return 1 - math.exp(mu) * rate
    return math.exp(-mu) / 4 / rate if rate <= 0.5 else math.exp(-mu) * (1 - rate)


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("rate", [Fraction(n, 16) for n in range(17)] + [Fraction(1, 1000)])
def test_no_test_of_any_pair_misses_less(name, rate):
    rows = [[Fraction(entry) for entry in row] for row in CHANNELS[name]]
    found = dc.tradeoff(dc.Channel(CHANNELS[name])).at(float(rate))
    assert found == pytest.approx(float(least_misses(all_tests(rows), rate)), abs=1e-15)


@pytest.mark.parametrize("name", CHANNELS)
def test_a_pair_has_its_own_curve_in_its_order(name):
    channel = dc.Channel(CHANNELS[name])
    rows = exact(channel.matrix)
    for a, b in itertools.permutations(range(len(rows)), 2):
        points = list(all_sets(rows[a], rows[b]))
        curve = dc.tradeoff(channel, (a, b))
        for rate in (0, 0.1, 0.25, 0.6, 1):
            assert curve.at(rate) == pytest.approx(float(least_misses(points, Fraction(rate))), abs=1e-15)


def test_a_pair_is_named_by_its_labels():
    channel = dc.Channel(CHANNELS["three that differ"], inputs=["a", "b", "c"])
    curve = dc.tradeoff(channel, ("c", "a"))
    assert curve.pair == ("c", "a")
    assert curve.at(0.1) == dc.tradeoff(dc.restricted(channel, ["c", "a"]), ("c", "a")).at(0.1)


@pytest.mark.parametrize("mu", [1e-3, 0.3, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("rate", RATES)
def test_gaussian_and_laplace_noise_have_the_published_curves(mu, rate):
    gaussian = dc.tradeoff(dc.Gaussian(1 / mu))
    assert gaussian.at(rate) == pytest.approx(norm.sf(mu - norm.isf(rate)), abs=1e-12)
    assert gaussian.true_positive_rate(rate) == pytest.approx(norm.sf(norm.isf(rate) - mu), rel=1e-10)
    assert dc.tradeoff(dc.Laplace(1 / mu)).at(rate) == pytest.approx(laplace(mu, rate), abs=1e-12)


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_curve_is_that_of_the_privacy_profile_and_of_bayes_security(system):
    curve = curve_of(system)
    for epsilon in EPSILONS:
        assert near(curve.delta(epsilon), dc.privacy_profile(system, epsilon))
    assert near(curve.bayes_security, dc.bayes_security(system))
    assert near(curve.advantage, 1 - dc.bayes_security(system))


@pytest.mark.parametrize("system", SYSTEMS)
def test_epsilon_is_that_of_differential_privacy(system):
    curve = curve_of(system)
    for delta in (1e-9, 1e-4, 0.1):
        found, told = curve.epsilon(delta), dc.dp_epsilon(system, delta)
        assert near(found, told, off=1e-9) or lowest(found) == highest(told) == math.inf


@pytest.mark.long
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_curve_falls_is_convex_and_no_worse_than_accusing_blindly(system):
    curve = curve_of(system)
    rates = np.sort(np.concatenate([RATES, np.linspace(0, 1, 23)]))
    for end in (lowest, highest):
        misses = np.array([end(curve.at(rate)) for rate in rates])
        assert (misses <= 1 - rates + 1e-12).all()
        assert (misses >= 0).all()
        assert (np.diff(misses) <= 1e-12).all()
    for (x, low), (y, middle), (z, high) in zip(
        *(list(zip(rates, misses, strict=True))[i:] for i in range(3)), strict=False
    ):
        assert middle * (z - x) <= (low * (z - y) + high * (y - x)) + 1e-12


@pytest.mark.parametrize("system", SYSTEMS)
def test_hits_are_what_is_not_missed_and_the_curve_of_all_pairs_is_symmetric(system):
    curve = curve_of(system)
    for rate in RATES:
        missed = curve.at(rate)
        assert near(curve.true_positive_rate(rate), 1 - missed)
        if highest(missed) > 1e-6:  # accusing where there is innocence, and the other way round: f(f(α)) <= α
            assert lowest(curve.at(highest(missed))) <= rate + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_normal_curve_with_the_fitted_shift_is_below_and_with_less_is_not(system):
    curve = curve_of(system)
    shift = curve.gaussian_mu(0.001)
    few = 2000 if isinstance(curve.tests, Polygon) else 31
    rates = np.append(norm.sf(np.linspace(-3, 3, few)), [0.001, 0.999])
    misses = [curve.at(rate) for rate in rates]
    most, least = (np.maximum([end(each) for each in misses], 0.001) for end in (highest, lowest))
    assert (norm.sf(highest(shift) - norm.isf(rates)) <= most + 1e-9).all()
    assert lowest(shift) == 0 or (norm.sf(0.98 * lowest(shift) - norm.isf(rates)) > least).any()


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_mechanism_has_the_curve_of_its_channel(mechanism):
    curve, listed = dc.tradeoff(mechanism), dc.tradeoff(mechanism.channel())
    for rate in RATES[1:]:
        assert curve.at(rate) == pytest.approx(listed.at(rate), abs=1e-12)
    assert curve.bayes_security == pytest.approx(dc.bayes_security(mechanism), rel=1e-10)
    for epsilon in EPSILONS:
        assert curve.delta(epsilon) == pytest.approx(dc.privacy_profile(mechanism, epsilon), rel=1e-10, abs=1e-12)
    last = mechanism.secrets - 1
    assert dc.tradeoff(mechanism, (last, 0)).at(0.1) >= curve.at(0.1) - 1e-12


def test_what_is_seen_through_a_noisy_glass_tells_less_at_every_rate():
    rng = np.random.default_rng(5)
    for _ in range(20):
        channel, noise = (dc.Channel(rng.dirichlet(np.full(m, 0.5), k)) for k, m in ((3, 5), (5, 4)))
        before, after = dc.tradeoff(channel), dc.tradeoff(channel >> noise)
        assert all(after.at(rate) >= before.at(rate) - 1e-12 for rate in np.linspace(0, 1, 41))


def test_extremes():
    blind = dc.tradeoff(dc.RandomizedResponse(3, epsilon=0))
    assert [blind.at(rate) for rate in (0, 0.25, 1)] == [1, 0.75, 0]
    assert blind.gaussian_mu() == blind.advantage == blind.epsilon(0) == 0
    plain = dc.tradeoff(dc.Channel(np.eye(3)))
    assert [plain.at(rate) for rate in (0, 0.25, 1)] == [0, 0, 0]
    assert plain.gaussian_mu() == plain.epsilon(0.5) == math.inf
    assert plain.gaussian_mu(0.01) == pytest.approx(2 * norm.isf(0.01))
    loud = dc.tradeoff(dc.RandomizedResponse(2, epsilon=700))
    assert (loud.at(0), loud.at(1e-300)) == (1, pytest.approx(1e-304, abs=1e-12))
    assert (loud.epsilon(0), loud.delta(699)) == (pytest.approx(700), pytest.approx(1 - math.exp(-1)))
    only = dc.tradeoff(dc.Channel([[0.5, 0.5]]))
    assert [only.at(rate) for rate in (0, 0.25, 1)] == [1, 0.75, 0]


def test_gaussian_privacy_is_told_from_all_else():
    assert dc.tradeoff(dc.Gaussian(0.5)).gaussian_mu() == 2
    assert dc.tradeoff(dc.repeated(dc.Gaussian(1), 4)).gaussian_mu() == pytest.approx(2)
    # Dong, Roth and Su: ε-differential privacy is μ-Gaussian with the corner of its curve on that of the normal one.
    for epsilon in (0.1, 1.0, 5.0):
        corner = 1 / (1 + math.exp(epsilon))
        found = dc.tradeoff(dc.RandomizedResponse(2, epsilon=epsilon)).gaussian_mu()
        assert found == pytest.approx(2 * norm.isf(corner), rel=1e-10)
    steps = curve_of(BANDS[0])
    assert steps.gaussian_mu().high == math.inf
    assert isinstance(steps.gaussian_mu(1e-4), Estimate)
    assert steps.gaussian_mu(1e-4).high - steps.gaussian_mu(1e-4).low < 1e-4


@pytest.mark.long
@pytest.mark.parametrize("scale", [0.5, 1, 4])
def test_the_fit_of_a_smooth_curve_is_the_largest_shift_along_it(scale):
    rates = norm.sf(np.linspace(-6, 6, 20_001))
    shifts = [norm.isf(rate) - norm.ppf(missed) for rate in rates if 0 < (missed := laplace(1 / scale, rate)) < 1]
    found = dc.tradeoff(dc.Laplace(scale)).gaussian_mu()
    assert lowest(found) <= highest(found) < lowest(found) + 1e-6
    assert max(shifts) <= highest(found) + 1e-12
    assert lowest(found) <= max(shifts) + 1e-5


def test_two_values_that_are_nearer_are_harder_to_tell_apart():
    noise = dc.Geometric(2, 3)
    assert dc.tradeoff(noise, (0, 1)).at(0.1) > dc.tradeoff(noise, (3, 0)).at(0.1) == dc.tradeoff(noise).at(0.1)


def test_little_room_leaves_the_curve_as_it_is_or_bounds_it():
    channel = dc.Channel(CHANNELS["three that differ"])
    with lowered(MAX_LOSS_POINTS=1):
        assert dc.tradeoff(channel).at(0.1) == pytest.approx(curve_of(channel).at(0.1), abs=1e-15)
        loud = dc.tradeoff(dc.repeated(dc.Laplace(1e-3), 3)).at(0.1)
    assert (loud.low, loud.high) == pytest.approx((0, 0.9))


def test_steps_with_the_record_and_without_it_are_told_apart_in_both_directions():
    system = dc.SubsampledGaussian(1, 0.3, 1)
    one_way, other, both = dc.tradeoff(system, (0, 1)), dc.tradeoff(system, (1, 0)), dc.tradeoff(system)
    # P = N(0, 1) against Q = .7 N(0, 1) + .3 N(1, 1), whose likelihood ratio rises with the output.
    for at in (-1.0, 0.3, 2.0):
        rate, missed = norm.sf(at), 0.7 * norm.cdf(at) + 0.3 * norm.cdf(at - 1)
        assert one_way.at(rate) == pytest.approx(missed, abs=1e-12)
        assert other.at(missed) == pytest.approx(rate, abs=1e-12)
        assert both.at(rate) <= min(one_way.at(rate), other.at(rate)) + 1e-12
    many = dc.SubsampledGaussian(1, 0.3, 2)
    assert dc.tradeoff(many, (0, 1)).at(0.1).low > dc.tradeoff(many).at(0.1).high - 1e-6
    assert not near(dc.tradeoff(many, (0, 1)).at(0.01), dc.tradeoff(many, (1, 0)).at(0.01))


@pytest.mark.long
def test_many_steps_are_within_what_was_asked_for():
    curve = dc.tradeoff(dc.SubsampledGaussian(sigma=1, rate=0.01, steps=1000))
    for rate in (1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.999):
        missed = curve.at(rate)
        assert missed.certified
        assert missed.high - missed.low < 1e-6


def test_curves_compose_as_their_systems_do():
    once, other = dc.RandomizedResponse(2, epsilon=1), dc.Channel(CHANNELS["ties"])
    together = dc.tradeoff(dc.parallel(once.channel(), other), (0, 1))
    composed = dc.tradeoff(once, (0, 1)).compose(dc.tradeoff(other, (0, 1)))
    for rate in RATES:
        assert composed.at(rate) == pytest.approx(together.at(rate), abs=1e-12)
    assert composed.pair == (0, 1)
    step = dc.tradeoff(dc.SubsampledGaussian(1, 0.1, 2))
    four = dc.tradeoff(dc.SubsampledGaussian(1, 0.1, 4), (0, 1))
    with pytest.raises(TooLargeError, match="take the curve of the result"):
        step.compose(step)
    assert lowest(four.at(0.1)) > 0
    banded = dc.tradeoff(dc.RandomizedResponse(2, epsilon=1)).compose(
        dc.blackbox.estimate_tradeoff([0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    )
    assert banded.at(0.1).confidence == pytest.approx(0.95)


def test_precision_is_of_all_who_are_accused():
    curve = dc.tradeoff(dc.Channel(CHANNELS["two outputs"]))
    assert curve.precision(0.5, 0.25) == pytest.approx(0.75)
    assert curve.precision(0.1, 0.25) == pytest.approx(0.075 / (0.075 + 0.225))
    assert curve.precision(0, 0.25) == 0
    assert dc.tradeoff(dc.Channel(np.eye(2))).precision(0.01, 0) == 1
    with pytest.raises(InvalidValueError, match="accuses nobody"):
        curve.precision(0.5, 0)
    band = curve_of(BANDS[0]).precision(0.1, 0.01)
    assert 0.1 < band.low <= band.value <= band.high < band.low + 1e-4


WRONG = {
    "a label that is none": (lambda: dc.tradeoff(dc.RandomizedResponse(3, epsilon=1), (0, 3)), "3 is not a secret"),
    "a label of a channel": (lambda: dc.tradeoff(dc.Channel(np.eye(2), inputs="ab"), ("a", 1)), "'a', 'b'"),
    "equal labels": (lambda: dc.tradeoff(dc.RandomizedResponse(3, epsilon=1), (1, 1)), "two different secrets"),
    "three labels": (lambda: dc.tradeoff(dc.RandomizedResponse(3, epsilon=1), (0, 1, 2)), "two different secrets"),
    "no pair": (lambda: dc.tradeoff(dc.RandomizedResponse(3, epsilon=1), 1), r"write \(a, b\)"),
    "a text": (lambda: dc.tradeoff(dc.RandomizedResponse(3, epsilon=1), "ab"), r"write \(a, b\)"),
    "values of noise": (lambda: dc.tradeoff(dc.Laplace(1), (0, 2)), "0.0, 1.0"),
    "a rate below 0": (lambda: dc.tradeoff(dc.Laplace(1)).at(-0.1), "false_positive_rate must be in"),
    "a rate above 1": (lambda: dc.tradeoff(dc.Laplace(1)).true_positive_rate(1.1), "false_positive_rate must be in"),
    "a rate that is none": (lambda: dc.tradeoff(dc.Laplace(1)).at(math.nan), "must be a number"),
    "a prior above 1": (lambda: dc.tradeoff(dc.Laplace(1)).precision(2, 0.1), "prior must be in"),
    "an epsilon below 0": (lambda: dc.tradeoff(dc.Laplace(1)).delta(-1), "epsilon must be at least 0"),
    "a delta above 1": (lambda: dc.tradeoff(dc.Laplace(1)).epsilon(2), "delta must be in"),
    "a least rate of a half": (lambda: dc.tradeoff(dc.Laplace(1)).gaussian_mu(0.5), r"\[0, 0.5\)"),
    "a bare crowd": (
        lambda: dc.tradeoff(dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 9)),
        "WorstAllButOne",
    ),
    "a smooth curve": (lambda: dc.tradeoff(dc.Laplace(1)).compose(dc.tradeoff(dc.Laplace(1))), "discretion.parallel"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name):
    ask, said = WRONG[name]
    with pytest.raises((InvalidValueError, UnsupportedError), match=said):
        ask()


def test_the_algorithm_has_a_name():
    assert dc.method(dc.tradeoff, dc.Channel(np.eye(2))).rung == "exact"
    assert dc.method(dc.tradeoff, dc.Gaussian(1)).rung == "closed form"
    assert dc.method(dc.tradeoff, dc.SubsampledGaussian(1, 0.1, 9)).rung == "bound"


def test_a_curve_shows_itself_in_a_few_words():
    assert (
        repr(dc.tradeoff(dc.Gaussian(1.0)))
        == "AttackCurve(all pairs, closed form of Gaussian noise (Bayes-sec Prop. 4))"
    )
    pair = dc.tradeoff(dc.Channel([[0.75, 0.25], [0.25, 0.75]], inputs=["a", "b"]), ("a", "b"))
    assert repr(pair) == "AttackCurve('a' against 'b', exact, a polygon of 2 segments)"
    band = dc.blackbox.estimate_tradeoff([0.0, 1.0, 2.0], [1.0, 2.0, 3.0])
    assert repr(band).endswith("confidence=0.95)")
