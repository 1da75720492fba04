"""Everybody's values from one unknown population: the sampled interval against the listing, and its limits."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import discretion as dc
from discretion.adversaries.gains import IdentityGain
from discretion.measures.guesses.vulnerability import plan_posterior_vulnerability
from discretion.shuffling import exchangeable
from oracles.promise import exactly
from support.lowering import lowered

RR = dc.RandomizedResponse

REPETITIONS, LEAST_COVERED = 200, 188

WIDE = dc.Channel([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]])
NARROW = dc.Channel([[0.75, 0.25], [0.5, 0.5], [0.0, 1.0]])
CASES = {
    "two values": (RR(2, p=0.75), 12, (1, 1)),
    "a leaning population": (RR(2, p=0.75), 7, (0.5, 3)),
    "without noise": (RR(2, p=1), 12, (1, 1)),
    "pure noise": (RR(2, p=0.5), 5, (2, 1)),
    "three values": (RR(3, p=0.6), 8, (1, 1, 1)),
    "three values, without noise": (RR(3, p=1), 6, (0.5, 0.5, 2)),
    "more reports than values": (WIDE, 6, (1, 2)),
    "fewer reports than values": (NARROW, 6, (1, 1, 2)),
    "alone": (RR(3, p=0.6), 1, (1, 1, 2)),
}


def view_of(mechanism, n, alpha):
    return dc.Shuffled(mechanism, n).seen_by(dc.Exchangeable(alpha))


def sampled(view, gain, rng):
    return exchangeable.sampled_vulnerability(view, gain, np.random.default_rng(rng))


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("told", ["value", "gain"])
def test_intervals_cover_the_listing(case, told, monkeypatch):
    monkeypatch.setattr(exchangeable, "_FEWEST", 1000)
    view = view_of(*CASES[case])
    k = view.secrets
    gain = IdentityGain(k) if told == "value" else dc.gain_matrix(np.eye(k)[:2] - np.arange(k) / 4)
    assert view.is_listable
    truth = plan_posterior_vulnerability(
        view, None if len(set(view.alpha)) == 1 else np.array(view.knowledge.prior), gain
    ).compute()
    with lowered(MAX_CROWDS_DRAWN=1000):
        estimates = [sampled(view, gain, seed) for seed in range(REPETITIONS)]
    assert sum(e.low - 1e-12 <= truth <= e.high + 1e-12 for e in estimates) >= LEAST_COVERED
    assert {e.confidence for e in estimates} == {0.95}


@pytest.mark.parametrize("n", [1000, 5000])
def test_thousands_who_hold_two_values_are_listed(n):
    # Without noise the commoner report, whose number is uniform, is the guess: E[max(h, n-h)]/n.
    s = dc.Shuffled(RR(2, p=1), n)
    assert dc.posterior_vulnerability(s.seen_by(dc.Exchangeable([1, 1]))) == exactly(
        Fraction(sum(max(h, n - h) for h in range(n + 1)), n * (n + 1))
    )


@pytest.mark.parametrize("p", [0.6, 0.9])
def test_the_listing_is_the_mean_over_the_population(p, n=600):
    # Given the population r all is binomial, and in r it is a polynomial: Gauss and Legendre integrate it exactly.
    nodes, weights = np.polynomial.legendre.leggauss(n // 2 + 2)
    r, weights = (1 + nodes[:, None]) / 2, weights / 2
    q = p * r + (1 - p) * (1 - r)
    others = [stats.binom.pmf(np.arange(n + 1) - sent, n - 1, q) for sent in (1, 0)]
    joint = [
        weights @ (r * (p * others[0] + (1 - p) * others[1])),
        weights @ ((1 - r) * ((1 - p) * others[0] + p * others[1])),
    ]
    guess = dc.posterior_vulnerability(dc.Shuffled(RR(2, p=p), n).seen_by(dc.Exchangeable([1, 1])))
    assert guess == pytest.approx(np.maximum(*joint).sum(), rel=1e-11)


@pytest.mark.long
@pytest.mark.parametrize("p", [1, 0.75])
@pytest.mark.parametrize("alpha", [(1, 1), (3, 1)])
def test_a_large_crowd_tells_the_population_and_little_else(p, alpha):
    # Then the guess is the commoner value: E[max(r, 1-r)], ¾ of a uniform r; of r with density 3r², 3/4 + 1/32.
    limit = {(1, 1): 0.75, (3, 1): 0.75 + 1 / 32}[alpha]
    n = 10**6
    estimate = sampled(view_of(RR(2, p=p), n, alpha), IdentityGain(2), 1)
    assert estimate.low <= limit + 2 / math.sqrt(n)
    assert estimate.high >= limit
    assert estimate.high - estimate.low < 0.02


@pytest.mark.long
@pytest.mark.parametrize("alpha", [(1, 1), (4, 1), (1, 2, 5)])
@pytest.mark.parametrize("n", [1, 100, 10**6])
def test_pure_noise_leaves_the_prior(alpha, n):
    estimate = sampled(view_of(RR(len(alpha), epsilon=0), n, alpha), IdentityGain(len(alpha)), 1)
    assert estimate.low <= max(alpha) / sum(alpha) + 1e-12
    assert estimate.high >= max(alpha) / sum(alpha) - 1e-12


def test_a_seed_repeats_the_estimate_and_another_does_not():
    s, adversary = dc.Shuffled(RR(3, epsilon=1), 10_000), dc.Exchangeable([1, 1, 1])
    once, again, other = (dc.posterior_vulnerability(s.seen_by(adversary, seed=rng)) for rng in (5, 5, 6))
    assert once == again
    assert once != other
    assert once.method == exchangeable.SANDWICHED.name
