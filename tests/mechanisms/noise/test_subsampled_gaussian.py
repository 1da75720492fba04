"""DP-SGD: certified bounds against brute force, simulation and a privacy accountant."""

import math
import pickle
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import discretion as dc
from discretion.estimate import highest
from discretion.mechanisms import Gaussian, SubsampledGaussian
from oracles import noisy_reports as slow
from oracles.promise import exactly
from oracles.rounded_losses import profile_bounds
from support.lowering import lowered


def densities(sigma, rate):
    def absent(y):
        return math.exp(-((y / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))

    return absent, lambda y: (1 - rate) * absent(y) + rate * absent(y - 1)


def cumulative(sigma, y):
    return math.erfc(-y / sigma / math.sqrt(2)) / 2


def two_steps(sigma, rate, epsilon, reverse):
    """Integrate over the first sum what is above the second one's threshold (the likelihood ratio rises)."""

    def ratio(y):
        return 1 - rate + rate * math.exp((2 * y - 1) / (2 * sigma**2))

    def inner(y):
        # Given y, Q exceeds e^ε P where the second ratio is above e^ε / the first.
        goal = math.exp(-epsilon if reverse else epsilon) / ratio(y)
        bound = 0.5 + sigma**2 * math.log((goal - 1 + rate) / rate) if goal > 1 - rate else -math.inf
        p = cumulative(sigma, bound) if reverse else 1 - cumulative(sigma, bound)
        shifted = cumulative(sigma, bound - 1) if reverse else 1 - cumulative(sigma, bound - 1)
        p_all, q_all = absent(y) * p, present(y) * ((1 - rate) * p + rate * shifted)
        return p_all - math.exp(epsilon) * q_all if reverse else q_all - math.exp(epsilon) * p_all

    absent, present = densities(sigma, rate)
    # Where the threshold starts to be finite, the integrand has a corner.
    goal = math.exp(-epsilon if reverse else epsilon) / (1 - rate)
    far = 300 * sigma**2
    corner = brentq(lambda y: ratio(y) - goal, -far, far) if goal > 1 - rate else -math.inf
    low, high = -12 * sigma, 1 + 12 * sigma
    edges = sorted({low, min(max(corner, low), high), *np.linspace(low, high, 21)})
    parts = [quad(inner, a, b, epsabs=1e-15, full_output=1)[0] for a, b in pairwise(edges)]
    return math.fsum(parts)


def profile_of(mechanism, epsilon, reverse):
    return mechanism.hockey_stick(epsilon, reverse=reverse)


@pytest.mark.long
@pytest.mark.parametrize("reverse", [False, True], ids=["with the record", "without it"])
@pytest.mark.parametrize("epsilon", [0, 0.05, 0.4])
@pytest.mark.parametrize(("sigma", "rate"), [(1, 0.3), (0.6, 0.1), (3, 0.9)])
def test_two_steps_are_as_integrated(sigma, rate, epsilon, reverse):
    found = profile_of(SubsampledGaussian(sigma, rate, steps=2), epsilon, reverse)
    truth = two_steps(sigma, rate, epsilon, reverse)
    assert found.certified
    assert found.low - 1e-13 <= truth <= found.high + 1e-13
    assert found.high - found.low < 1e-4


SETTINGS = [(1, 0.01, 1000), (0.8, 0.02, 200), (5, 0.5, 20), (0.4, 0.01, 100), (2, 0.999, 3), (100, 0.01, 10)]


@pytest.mark.long
@pytest.mark.parametrize(("sigma", "rate", "steps"), SETTINGS)
def test_the_bounds_are_close_and_those_of_both_directions_agree(sigma, rate, steps):
    mechanism = SubsampledGaussian(sigma, rate, steps)
    security = dc.bayes_security(mechanism)
    assert security.certified
    assert security.high - security.low < 5e-5
    assert mechanism.hockey_stick(0) == mechanism.hockey_stick(0, reverse=True)
    assert 1 - security.value == pytest.approx(mechanism.hockey_stick(0).value, abs=1e-15)


@pytest.mark.long
@pytest.mark.parametrize(("sigma", "rate", "steps"), SETTINGS)
def test_the_upper_end_is_no_looser_than_an_accountant_s_and_the_lower_one_below_it(sigma, rate, steps):
    accountant = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution")
    mechanism = SubsampledGaussian(sigma, rate, steps)
    optimist, pessimist = (
        accountant.from_gaussian_mechanism(
            sigma,
            sampling_prob=rate,
            pessimistic_estimate=upper,
            use_connect_dots=upper,
            value_discretization_interval=1e-4,
        ).self_compose(steps)
        for upper in (False, True)
    )
    for epsilon in (0, 0.1, 1):
        found = dc.privacy_profile(mechanism, epsilon)
        least, most = (theirs.get_delta_for_epsilon(epsilon) for theirs in (optimist, pessimist))
        low, high = (found.low, found.high) if isinstance(found, dc.Estimate) else (found, found)
        assert least <= high + 1e-12
        assert low <= most + 1e-12
        assert high <= most * (1 + 1e-3) + 1e-11


@pytest.mark.long
def test_a_hundred_steps_are_as_simulated():
    sigma, rate, steps, runs = 0.7, 0.05, 100, 40_000
    mechanism = SubsampledGaussian(sigma, rate, steps)
    sums = mechanism.sample(np.repeat([0, 1], runs), rng=4)
    losses = np.log1p(rate * np.expm1((2 * sums - 1) / (2 * sigma**2))).sum(axis=1)
    told = (losses[runs:] > 0).mean() - (losses[:runs] > 0).mean()
    assert abs(told - mechanism.hockey_stick(0).value) < 5 * math.sqrt(0.5 / runs)
    high = (losses[runs:] > 1).mean() - math.e * (losses[:runs] > 1).mean()
    assert abs(high - mechanism.hockey_stick(1).value) < 5 * math.sqrt(2 / runs)


@pytest.mark.parametrize("sigma", [0.1, 0.3, 1, 8])
@pytest.mark.parametrize("steps", [1, 16])
def test_when_all_take_part_the_steps_are_one_with_less_noise(sigma, steps):
    composed, one = SubsampledGaussian(sigma, rate=1, steps=steps), Gaussian(sigma / math.sqrt(steps))
    assert dc.bayes_security(composed) == pytest.approx(dc.bayes_security(one), rel=1e-12)
    for epsilon in (0, 0.5, 3):
        assert dc.privacy_profile(composed, epsilon) == exactly(dc.privacy_profile(one, epsilon))


def test_one_step_leaks_its_rate_of_the_gaussian():
    # MATHS: 1 - q(2Φ(1/2σ) - 1).
    for sigma, rate in ((1, 0.01), (0.2, 0.5), (10, 1e-6)):
        expected = 1 - rate * math.erf(1 / (2 * sigma) / math.sqrt(2))
        assert dc.bayes_security(SubsampledGaussian(sigma, rate, steps=1)) == exactly(expected)


def test_a_rate_near_1_is_next_to_all():
    nearly = dc.bayes_security(SubsampledGaussian(2, 1 - 1e-9, steps=9))
    assert nearly.low - 1e-7 <= dc.bayes_security(Gaussian(2 / 3)) <= nearly.high + 1e-7


@pytest.mark.long
def test_more_steps_leak_more_and_more_noise_less():
    securities = [dc.bayes_security(SubsampledGaussian(1, 0.02, steps)) for steps in (2, 10, 100, 1000)]
    assert all(more.high < fewer.low for fewer, more in pairwise(securities))
    noisy = [dc.bayes_security(SubsampledGaussian(sigma, 0.02, 100)) for sigma in (0.5, 1, 4)]
    assert all(less.high < more.low for less, more in pairwise(noisy))


@pytest.mark.long
def test_the_limit_is_near_for_many_steps_and_named_as_what_it_is():
    mechanism = SubsampledGaussian(2, 0.001, 100_000)
    exact, asymptote = dc.bayes_security(mechanism), mechanism.asymptotic_bayes_security()
    assert asymptote.value == pytest.approx(exact.value, abs=2e-3)
    assert asymptote.method.startswith("approximate")
    assert asymptote.certified
    assert asymptote.low <= exact.low < exact.high <= asymptote.high
    # μ = q √(T (e^(1/σ²) - 1)), 2Φ(-μ/2)
    mu = 0.001 * math.sqrt(100_000 * math.expm1(0.25))
    assert mechanism.asymptotic_bayes_security().value == exactly(math.erfc(mu / 2 / math.sqrt(2)))
    assert SubsampledGaussian(0.01, 0.5, 10).asymptotic_bayes_security().value == 0


def test_extreme_settings_still_have_bounds():
    for sigma, rate, steps in ((1e3, 1e-9, 10), (0.02, 0.1, 5), (1, 1e-200, 100), (1e6, 0.5, 2)):
        security = dc.bayes_security(SubsampledGaussian(sigma, rate, steps))
        assert 0 <= security.low <= security.high <= 1
        assert security.high - security.low < 1e-8 or sigma < 1
    # With hardly any noise the record is seen unless it never takes part.
    seen = dc.bayes_security(SubsampledGaussian(0.02, 0.1, 5))
    assert seen.low - 1e-9 <= 0.9**5 <= seen.high + 1e-9


def test_the_widest_noise_is_bounded_without_a_grid():
    assert dc.bayes_security(SubsampledGaussian(1e150, 0.5, 2)).high == 1
    quiet = dc.bayes_security(SubsampledGaussian(1e12, 0.5, 3))
    assert 1 - quiet.low == pytest.approx(3 * 0.5 * 1e-12 / math.sqrt(2 * math.pi), rel=1e-3)


def log_affinity(sigma, rate):
    """``log ∫ √(PQ)`` of one step, its integrand cut into smooth pieces."""
    absent, present = densities(sigma, rate)
    middle = 0.5 + sigma**2 * math.log((1 - rate) / rate)
    edges = sorted({*np.linspace(-12 * sigma, 12 * sigma, 49), *(middle + sigma * np.linspace(-12, 12, 49))})
    inside = [edge for edge in edges if -12 * sigma <= edge <= 12 * sigma + 1]
    parts = [quad(lambda y: math.sqrt(absent(y) * present(y)), a, b, epsabs=0)[0] for a, b in pairwise(inside)]
    return math.log(math.fsum(parts))


MANY = [(0.3, 0.5, 100), (0.1, 0.5, 1000), (0.2, 0.1, 1000), (1, 0.01, 10**7), (0.1, 0.5, 10**7), (0.001, 0.999, 10**7)]


@pytest.mark.long
@pytest.mark.parametrize(("sigma", "rate", "steps"), MANY)
def test_when_hardly_anything_is_hidden_the_affinity_says_so_without_a_large_grid(sigma, rate, steps):
    tracemalloc.start()
    found = dc.bayes_security(SubsampledGaussian(sigma, rate, steps))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Hellinger: 1 - √(1 - ρ^2T) <= β* <= ρ^T, up to 1e-8 of log ρ.
    affinity = steps * log_affinity(sigma, rate)
    assert found.high <= math.exp(affinity + 1e-8 * steps)
    assert found.low >= math.exp(2 * (affinity - 1e-8 * steps)) / 2
    assert most < 2e8


def test_a_sum_that_spreads_far_gets_a_coarse_grid():
    tracemalloc.start()
    found = SubsampledGaussian(0.1, 0.5, 10**7).hockey_stick(1.2e8)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.certified
    assert most < 4e8


def test_bounds_hold_where_all_is_told_but_a_rounding():
    # With hardly any noise the record stays hidden only if it never takes part.
    sigma, rate, steps = 0.014, 0.012, 3300
    found = dc.bayes_security(SubsampledGaussian(sigma, rate, steps))
    assert found.low <= math.exp(steps * math.log1p(-rate)) <= found.high < 1e-8


@pytest.mark.parametrize("reverse", [False, True], ids=["with the record", "without it"])
def test_the_profile_is_close_where_losses_are_far_apart(reverse):
    # Up to e^-1250 the record is seen when it takes part: δ is 1 - (1-q)² or, in reverse, 1 - e (1-q)².
    truth = 1 - math.e * 0.25 if reverse else 0.75
    found = SubsampledGaussian(0.01, 0.5, 2).hockey_stick(1.0, reverse=reverse)
    assert found.low <= truth <= found.high
    assert found.high - found.low < 1e-10


def test_the_profile_is_refined_at_the_epsilon_asked_for():
    found = SubsampledGaussian(0.7, 0.05, 100).hockey_stick(2.0, reverse=True)
    assert found.high - found.low < 5e-4 * found.high


def test_a_used_mechanism_can_be_sent_to_another_process():
    mechanism = SubsampledGaussian(1, 0.1, 5)
    told = mechanism.hockey_stick(0.3)
    assert pickle.loads(pickle.dumps(mechanism)).hockey_stick(0.3) == told


@pytest.mark.long
def test_any_prior_and_the_ldp_measures_follow():
    mechanism = SubsampledGaussian(1, 0.05, 50)
    vulnerability = dc.posterior_vulnerability(mechanism, [0.5, 0.5])
    security = dc.bayes_security(mechanism)
    assert vulnerability.value == pytest.approx(1 - security.value / 2, abs=1e-12)
    assert dc.bayes_risk(mechanism).value == pytest.approx(security.value / 2, abs=1e-12)
    assert dc.multiplicative_bayes_capacity(mechanism).value == pytest.approx(2 - security.value, abs=1e-12)
    rare = dc.posterior_vulnerability(mechanism, [0.9, 0.1])
    assert rare.value == pytest.approx(0.9 + 0.1 * mechanism.hockey_stick(math.log(9)).value, abs=1e-12)
    common = dc.posterior_vulnerability(mechanism, [0.1, 0.9])
    assert common.value == pytest.approx(0.9 + 0.1 * mechanism.hockey_stick(math.log(9), reverse=True).value, abs=1e-9)
    assert dc.ldp_epsilon(mechanism) == math.inf
    assert dc.leakiest_pair(mechanism) == (0, 1)
    assert security.method == "certified bounds on a grid of privacy losses"
    assert dc.method(dc.bayes_security, mechanism) == (security.method, "bound")


# By dp-accounting from both sides (a pessimistic and an optimistic distribution at an interval of 1e-3 to 1e-4).
LITTLE_NOISE = [
    ((0.1, 0.01, 100), 1e-5, (354.10, 354.21)),
    ((0.12, 0.01, 10), 1e-2, (41.658, 41.668)),
    ((0.1, 0.001, 10), 1e-5, (96.05, 96.06)),
    ((0.4, 0.01, 100), 1e-5, (12.22468, 12.22470)),
    ((0.5, 0.002, 10_000), 1e-5, (8.86591, 8.86594)),
    ((1, 0.01, 1000), 1e-5, (1.82822, 1.82825)),
]


@pytest.mark.long
@pytest.mark.parametrize(("setting", "delta", "truth"), LITTLE_NOISE)
def test_epsilon_is_right_where_little_noise_parts_the_losses(setting, delta, truth):
    epsilon = dc.dp_epsilon(SubsampledGaussian(*setting), delta)
    assert epsilon.low <= truth[1]
    assert truth[0] <= epsilon.high <= truth[1]
    assert epsilon.high - epsilon.low < 1e-5 * epsilon.high


@pytest.mark.long
@pytest.mark.parametrize(("setting", "delta"), [((0.05, 0.001, 2), 1e-3), ((0.05, 0.01, 50), 1e-5)])
def test_losses_that_are_all_but_one_number_are_summed(setting, delta):
    system = SubsampledGaussian(*setting)
    epsilon = dc.dp_epsilon(system, delta)
    assert dc.privacy_profile(system, epsilon.high).low <= delta <= dc.privacy_profile(system, epsilon.low).high


def test_renyi_divergences_of_the_example_and_of_a_gaussian():
    assert dc.renyi_dp(SubsampledGaussian(1, 0.01, 1), 2) == exactly(math.log(1 + 1e-4 * math.expm1(1)))
    assert dc.renyi_dp(SubsampledGaussian(2, 1, 3), 2.5) == exactly(3 * dc.renyi_dp(Gaussian(2), 2.5))
    assert dc.renyi_dp(SubsampledGaussian(1, 0.01, 100), 7) == exactly(
        100 * dc.renyi_dp(SubsampledGaussian(1, 0.01, 1), 7)
    )
    assert dc.renyi_dp(SubsampledGaussian(1, 0.01, 1), math.inf) == math.inf


@pytest.mark.parametrize("order", [2, 3, 10, 60])
@pytest.mark.parametrize(("sigma", "rate"), [(1.0, 0.01), (0.3, 0.5), (8.0, 1e-4)])
def test_the_sum_of_a_whole_order_is_what_the_quadrature_of_its_neighbours_comes_to(sigma, rate, order):
    one = SubsampledGaussian(sigma, rate, 1)
    near = [dc.renyi_dp(one, order * (1 + off)) for off in (-1e-12, 1e-12)]
    assert dc.renyi_dp(one, order) == pytest.approx(math.fsum(map(float, near)) / 2, rel=1e-10)


@pytest.mark.long
@pytest.mark.parametrize("order", [0.1, 0.5, 1, 1.0001, 1.7, 2, 5.5, 32])
@pytest.mark.parametrize(("sigma", "rate"), [(0.2, 0.3), (1.0, 0.01), (1.0, 0.9), (6.0, 1e-3)])
def test_renyi_divergences_are_as_integrated_in_both_directions(sigma, rate, order):
    one, noise = SubsampledGaussian(sigma, rate, 1), slow.Gaussian(sigma, 1.0, rate)
    ways = [slow.of_noise(noise, order, reverse) for reverse in (False, True)]
    assert [float(one.divergence(order, reverse)) for reverse in (False, True)] == [
        pytest.approx(float(way), rel=1e-10) for way in ways
    ]
    # From order 1 on that of Q from P is the larger (Mironov, Talwar and Zhang, 2019, Theorem 5).
    assert order < 1 or ways[0] >= ways[1]
    assert dc.renyi_dp(one, order) == pytest.approx(float(max(ways)), rel=1e-10)


@pytest.mark.one_in(17)
@pytest.mark.parametrize("order", [0.5, 1, 1.0001, 2.5, 3, 1e5 + 0.5, 1e9])
@pytest.mark.parametrize("sigma", [1e-6, 1e-3, 0.02, 50, 1e6])
def test_renyi_divergences_of_extreme_noise_stay_between_elementary_bounds(sigma, order):
    found = dc.renyi_dp(SubsampledGaussian(sigma, 0.1, 1), order)
    low, high = (found.low, found.high) if isinstance(found, dc.Estimate) else (found, found)
    assert 0 <= low <= high <= order / 2 / sigma / sigma * (1 + 1e-9)  # no more than if all took part
    if order > 1:
        least = order / (order - 1) * (math.log(0.1) + (order - 1) / 2 / sigma / sigma)
        assert high >= least * (1 - 1e-9)
        assert high - low <= 1e-9 * high or sigma < 1e-3


@pytest.mark.long
@pytest.mark.parametrize("steps", [2, 10, 60])
@pytest.mark.parametrize("rate", [0.001, 0.01, 0.3])
@pytest.mark.parametrize("sigma", [0.05, 0.06, 0.08, 0.1, 0.12, 0.3])
def test_epsilon_and_delta_are_those_of_losses_rounded_up_and_down(sigma, rate, steps):
    mechanism = SubsampledGaussian(sigma, rate, steps)
    least, most = zip(*(profile_bounds(sigma, rate, steps, way) for way in (False, True)), strict=True)
    with lowered(MAX_LOSS_POINTS=1 << 14):  # as true, and quicker
        epsilons = {delta: dc.dp_epsilon(mechanism, delta) for delta in (1e-6, 1e-3, 0.02, 0.2)}
        deltas = {
            (epsilon, reverse): mechanism.hockey_stick(epsilon, reverse=reverse)
            for epsilon in (0.0, 0.3, 20.0, 90.0, 400.0)
            for reverse in (False, True)
        }
    for delta, epsilon in epsilons.items():
        assert max(profile(epsilon.high) for profile in least) <= delta
        assert epsilon.low == 0 or max(profile(epsilon.low) for profile in most) >= delta
    for (epsilon, reverse), delta in deltas.items():
        assert delta.low <= most[reverse](epsilon)
        assert least[reverse](epsilon) <= delta.high


@pytest.mark.long
@pytest.mark.parametrize("setting", [(0.4, 0.01, 100), (0.1, 0.01, 100), (0.5, 0.002, 10_000), (1, 0.1, 20)])
def test_the_curve_answers_as_the_profile_and_epsilon_do(setting):
    system = SubsampledGaussian(*setting)
    curve = dc.tradeoff(system)
    for delta in (1e-12, 1e-5, 0.1):
        epsilon = curve.epsilon(delta)
        assert epsilon == dc.dp_epsilon(system, delta)
        assert math.isfinite(epsilon.high)
        # A line below the curve: f(α) >= 1 - δ - e^ε α.
        for rate in (1e-6, 0.01, 0.3):
            slope = math.exp(min(epsilon.high, 700))
            assert highest(curve.at(rate)) >= 1 - delta - slope * rate - 1e-12
    assert curve.delta(1.5) == dc.privacy_profile(system, 1.5)
    assert curve.bayes_security == dc.bayes_security(system)
    assert curve.epsilon(0) == math.inf
    for reverse in (False, True):
        assert dc.tradeoff(system, (1, 0) if reverse else (0, 1)).epsilon(1e-5) == dc.dp_epsilon(system, 1e-5)


@pytest.mark.long
def test_true_positives_at_one_percent_are_bracketed_closely():
    found = dc.tradeoff(SubsampledGaussian(0.5, 0.002, 10_000)).true_positive_rate(0.01)
    # By the least δ(ε) + e^ε α of dp-accounting's pessimistic distribution at an interval of 2e-5: 0.16054498.
    assert found.low <= 0.16054498 <= found.high + 1e-7
    assert found.high - found.low < 1e-4 * found.high
