"""The dominating pair of (ε, δ)-differential privacy, against its definition in many digits."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.mechanisms import DominatingPair
from oracles.promise import exactly

mp = pytest.importorskip("mpmath")
EPSILONS = (0, 1e-9, 0.1, 1, 5, 40, 700)
DELTAS = (0, 1e-300, 1e-6, 0.1, 0.5, 1 - 2**-30, 1)
CLAIMS = [*product(EPSILONS, DELTAS)]
RATES = (0, 1e-6, 0.001, 0.1, 0.5, 1)
DIGITS = 700


def rows(epsilon: float, delta: float) -> list[list[Any]]:
    """Return the probabilities of the four reports, a row per secret."""
    proof, odds = mp.mpf(delta), mp.exp(epsilon)
    first = [proof, (1 - proof) * odds / (1 + odds), (1 - proof) / (1 + odds), mp.mpf(0)]
    return [first, first[::-1]]


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_every_measure_is_that_of_its_four_reports(epsilon: float, delta: float) -> None:
    pair = DominatingPair(epsilon, delta)
    with mp.workdps(DIGITS):
        p, q = rows(epsilon, delta)
        for level in (0, 0.05, 1, 4.9, 699, 701):
            excess = sum(max(mp.mpf(0), a - mp.exp(level) * b) for a, b in zip(p, q, strict=True))
            assert dc.privacy_profile(pair, level) == exactly(float(excess))
        assert dc.bayes_security(pair) == exactly(float(sum(map(min, p, q))))
        for guilty in (0.5, 0.1, 0.999):
            prior = [1 - guilty, guilty]
            best = [max(prior[0] * a, prior[1] * b) for a, b in zip(p, q, strict=True)]
            assert dc.posterior_vulnerability(pair, prior) == exactly(float(sum(best)))


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_its_best_attack_is_the_one_that_the_claim_allows(epsilon: float, delta: float) -> None:
    curve = dc.tradeoff(DominatingPair(epsilon, delta))
    with mp.workdps(DIGITS):
        for rate in RATES:
            rest = 1 - mp.mpf(delta)
            misses = max(0, rest - mp.exp(epsilon) * rate, mp.exp(-epsilon) * (rest - rate))
            assert curve.at(rate) == exactly(float(misses))
            assert curve.true_positive_rate(rate) == exactly(float(1 - misses))


@pytest.mark.parametrize(("epsilon", "delta"), [claim for claim in CLAIMS if claim[1] < 1])
def test_it_is_private_as_claimed_and_no_more(epsilon: float, delta: float) -> None:
    pair = DominatingPair(epsilon, delta)
    assert dc.privacy_profile(pair, epsilon) == delta
    assert dc.dp_epsilon(pair, delta) == epsilon
    assert dc.ldp_epsilon(pair) == (math.inf if delta else epsilon)
    assert dc.dp_epsilon(pair, delta / 2) == (math.inf if delta else epsilon)
    assert dc.dp_epsilon(pair, 1) == 0
    with mp.workdps(DIGITS):
        for level in (2e-6, 0.3, 0.7, 1 - 2**-20):
            if delta < level:
                lost = (level - mp.mpf(delta)) / (1 - mp.mpf(delta))
                odds = (1 - lost) * mp.exp(epsilon) - lost
                assert dc.dp_epsilon(pair, level) == exactly(float(mp.log(max(odds, 1))))


@pytest.mark.parametrize(("epsilon", "delta"), [(math.inf, 0), (math.inf, 0.1), (0, 1), (3, 1)])
def test_a_claim_without_content_allows_the_secret_to_be_reported(epsilon: float, delta: float) -> None:
    pair = DominatingPair(epsilon, delta)
    assert dc.bayes_security(pair) == 0
    assert dc.posterior_vulnerability(pair) == 1
    assert dc.tradeoff(pair).at(0) == 0
    assert dc.privacy_profile(pair, math.inf) == 1


@pytest.mark.parametrize("seed", range(20))
def test_nothing_with_the_claim_is_worse(seed: int) -> None:
    channel = dc.Channel(np.random.default_rng(seed).dirichlet(np.full(5, 0.5), size=2))
    epsilon = 0.2 * seed
    pair = DominatingPair(epsilon, float(dc.privacy_profile(channel, epsilon)))
    assert dc.refines(pair, channel)
    assert dc.bayes_security(pair) <= dc.bayes_security(channel) + 1e-12
    for rate in RATES:
        assert dc.tradeoff(pair).at(rate) <= dc.tradeoff(channel).at(rate) + 1e-12


def test_what_is_too_unlikely_for_a_double_is_not_impossible() -> None:
    assert dc.renyi_dp(DominatingPair(1000), math.inf) == exactly(1000)


@pytest.mark.parametrize(
    ("epsilon", "delta", "words"),
    [
        (-1, 0, "epsilon must be at least 0, got -1"),
        (math.nan, 0, "epsilon"),
        (1, 1.5, r"delta must be in \[0, 1\], got 1.5"),
    ],
)
def test_what_is_no_claim_is_refused(epsilon: float, delta: float, words: str) -> None:
    with pytest.raises(InvalidValueError, match=words):
        DominatingPair(epsilon, delta)


def test_a_pair_is_of_its_two_secrets() -> None:
    pair = DominatingPair(1)
    assert dc.tradeoff(pair, (1, 0)).at(0.1) == dc.tradeoff(pair).at(0.1)
    with pytest.raises(InvalidValueError, match="2 is not a secret of the system"):
        dc.tradeoff(pair, (0, 2))
