"""A randomized report beside noise on a number of the same person: by densities, by grids and in every order."""

import itertools
import math
import random
import re

import numpy as np
import pytest

import discretion as dc
from oracles import noisy_reports as slow
from oracles.promise import exactly

RESPONSE = dc.RandomizedResponse(2, epsilon=0.5)
ASYMMETRIC = dc.Channel([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3]])
DP_SGD = dc.SubsampledGaussian(1.0, 0.1, 20)


def rows_of(system):
    return [[slow.mpf(float(p)) for p in row] for row in system.channel().dense()]


def drawn(seed):
    """A finite system, a noise, and what the oracle knows of the noise."""
    rng = random.Random(seed)
    k = rng.choice([2, 2, 3, 4])
    matrix = np.array([[rng.choice([0, 1, 1, 1]) * rng.random() + 1e-3 for _ in range(3)] for _ in range(k)])
    finite = rng.choice(
        [dc.RandomizedResponse(k, epsilon=rng.uniform(0.1, 6)), dc.Channel(matrix / matrix.sum(1, keepdims=True))]
    )
    scale, sensitivity = math.exp(rng.uniform(-1, 2)), math.exp(rng.uniform(-1, 1))
    noise = rng.choice(
        [
            (dc.Laplace(scale, sensitivity), slow.Laplace(scale, sensitivity)),
            (dc.Gaussian(scale, sensitivity), slow.Gaussian(scale, sensitivity)),
            (dc.SubsampledGaussian(scale, 0.3, 1), slow.Gaussian(scale, 1.0, 0.3)),
        ]
    )
    return finite, *noise, rng


def test_the_example_of_a_report_beside_laplace_noise():
    assert dc.privacy_profile(RESPONSE & dc.Laplace(2.0), 0.6) == pytest.approx(0.112833, abs=5e-7)
    assert dc.ldp_epsilon(RESPONSE & dc.Laplace(2.0)) == 1.0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(25))
def test_reports_beside_noise_are_as_their_densities_say(seed):
    finite, noise, known, rng = drawn(seed)
    system, rows = finite & noise, rows_of(finite)
    for epsilon in (0.0, rng.uniform(0, 1), rng.uniform(0, 8)):
        delta = slow.profile(rows, known, epsilon)
        assert dc.privacy_profile(system, epsilon) == exactly(delta)
        if 1e-8 < delta < 0.99 and epsilon > 0:
            assert dc.dp_epsilon(system, float(delta)) == pytest.approx(epsilon, rel=1e-6, abs=1e-8)
    assert dc.bayes_security(system) == exactly(1 - slow.profile(rows, known, 0))
    curve = dc.tradeoff(system)
    assert curve.bayes_security == exactly(dc.bayes_security(system))
    # The line of slope -e^ε that the curve touches (Dong, Roth and Su, Proposition 2.12).
    lines = [(slow.exp(e), 1 - slow.profile(rows, known, e)) for e in (0.0, 0.5, 2.0)]
    for rate in (0.01, 0.3):
        missed = curve.at(rate)
        assert float(missed) >= max(float(left - slope * rate) for slope, left in lines) - 1e-12


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("order", [0.4, 1, 2, 3.5])
def test_divergences_of_reports_and_noise_add_up_in_each_direction(seed, order):
    finite, noise, known, _ = drawn(seed)
    assert dc.renyi_dp(finite & noise, order) == exactly(slow.renyi(rows_of(finite), known, order))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("finite", [RESPONSE, ASYMMETRIC, dc.repeated(RESPONSE, 7)], ids=repr)
@pytest.mark.parametrize("noise", [dc.Laplace(1.5), dc.Gaussian(1.5), dc.SubsampledGaussian(1.0, 0.2, 1)], ids=repr)
def test_the_closed_form_is_within_the_grid_of_summed_losses(finite, noise):
    system = finite & noise
    for reverse, epsilon in itertools.product((False, True), (0.0, 0.3, 1.7)):
        told = system.losses[reverse].hockey_stick(epsilon)
        assert told.low - 1e-12 <= system.excess(epsilon, reverse) <= told.high + 1e-12


def test_uses_and_parts_may_be_put_together_in_any_order():
    noise, other = dc.Gaussian(2.0), dc.Gaussian(3.0)
    whole = RESPONSE & (noise & other)
    for again in (noise & RESPONSE & other, (RESPONSE & noise) & other, other & (noise & RESPONSE)):
        assert dc.privacy_profile(again, 0.4) == exactly(dc.privacy_profile(whole, 0.4))
    twice, both = dc.repeated(RESPONSE & noise, 2), dc.repeated(RESPONSE, 2) & dc.repeated(noise, 2)
    assert dc.privacy_profile(twice, 0.4) == exactly(dc.privacy_profile(both, 0.4))
    assert dc.renyi_dp(twice, 2) == exactly(2 * dc.renyi_dp(RESPONSE & noise, 2))
    five = dc.RandomizedResponse(5, epsilon=0.5)
    more, same = (five & noise) & five, dc.repeated(five, 2) & noise
    assert dc.privacy_profile(more, 0.4) == exactly(dc.privacy_profile(same, 0.4))
    assert dc.privacy_profile(dc.repeated(five & noise, 2), 0.4) == exactly(
        dc.privacy_profile(dc.repeated(five, 2) & dc.repeated(noise, 2), 0.4)
    )


def test_many_secrets_beside_noise_are_told_apart_like_their_worst_pair():
    three = dc.Channel([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.5, 0.2, 0.3]], inputs=["a", "b", "c"])
    system = three & dc.Laplace(2.0)
    pairs = {pair: dc.restricted(three, pair) & dc.Laplace(2.0) for pair in itertools.combinations("abc", 2)}
    for epsilon in (0.0, 1.0, 2.2):
        worst = max(dc.privacy_profile(pair, epsilon) for pair in pairs.values())
        assert dc.privacy_profile(system, epsilon) == exactly(worst)
    assert dc.tradeoff(system, pair=("a", "c")).at(0.1) == exactly(
        dc.tradeoff(pairs["a", "c"], pair=("a", "c")).at(0.1)
    )
    assert dc.ldp_epsilon(system) == exactly(max(map(dc.ldp_epsilon, pairs.values())))


@pytest.mark.one_in(11)
@pytest.mark.parametrize(
    "noise", [DP_SGD, dc.repeated(dc.Laplace(3.0), 4), dc.Laplace(3.0) & dc.Gaussian(2.0)], ids=repr
)
@pytest.mark.parametrize("finite", [RESPONSE, ASYMMETRIC, dc.RandomizedResponse(3, epsilon=1.0)], ids=repr)
def test_reports_beside_composed_noise_are_bounded_from_both_sides(finite, noise):
    system = finite & noise
    for epsilon in (0.0, 0.8):
        told = dc.privacy_profile(system, epsilon)
        assert float(told) >= float(dc.privacy_profile(noise, epsilon)) - 1e-6
        assert not isinstance(told, dc.Estimate) or told.high - told.low < 5e-4
    security = dc.bayes_security(system)
    assert float(security) == pytest.approx(1 - float(dc.privacy_profile(system, 0.0)), abs=1e-5)
    curve = dc.tradeoff(system)
    assert float(curve.bayes_security) == pytest.approx(float(security), abs=1e-4)


@pytest.mark.long
def test_a_report_beside_dp_sgd_is_as_simulated():
    system, runs, rng = ASYMMETRIC & DP_SGD, 200_000, np.random.default_rng(7)
    rows = ASYMMETRIC.dense()
    seen = rng.choice(3, runs, p=rows[1])
    sums = DP_SGD.sample(np.ones(runs, dtype=int), rng)
    losses = np.log1p(0.1 * np.expm1(sums - 0.5)).sum(axis=1)
    with np.errstate(divide="ignore"):
        losses = losses + np.log(rows[1, seen]) - np.log(rows[0, seen])
    gained = np.maximum(0.0, -np.expm1(0.5 - losses))
    assert abs(gained.mean() - float(system.hockey_stick(0.5))) < 5 * gained.std() / math.sqrt(runs)


def test_secrets_that_do_not_fit_are_refused():
    with pytest.raises(dc.errors.InvalidChannelError, match="in another order"):
        _ = dc.Channel([[1, 0], [0, 1]], inputs=[1, 0]) & dc.Gaussian(1.0)
    with pytest.raises(dc.errors.InvalidChannelError, match="must be equal in number"):
        _ = (RESPONSE & dc.Laplace(1.0)) & dc.RandomizedResponse(3, epsilon=1)


@pytest.mark.parametrize(
    "system",
    [
        dc.Gaussian(1.0),
        DP_SGD,
        dc.Laplace(1.0) & dc.Gaussian(1.0),
        RESPONSE & dc.Laplace(2.0),
        pytest.param(ASYMMETRIC & DP_SGD, marks=pytest.mark.long),
        dc.RandomizedResponse(4, epsilon=1) & dc.Gaussian(1.0),
    ],
    ids=repr,
)
def test_every_measure_that_a_refusal_names_answers(system):
    """A refusal lists measures by name: each of them must take the same system."""
    measures = {name: getattr(dc, name) for name in dir(dc) if hasattr(getattr(dc, name, None), "plan")}
    given = {"privacy_profile": [0.5], "dp_epsilon": [1e-5], "renyi_dp": [2.5]}
    refused, recommended = [], set()
    for name, measure in measures.items():
        try:
            measure(system, *given.get(name, []))
        except dc.errors.UnsupportedError as error:
            refused.append(name)
            recommended |= set(re.findall(r"[a-z_]+", str(error))) & measures.keys()
        except (TypeError, dc.errors.DiscretionError):  # it needs another argument or another system
            continue
    assert recommended or not refused
    assert not recommended & set(refused)
