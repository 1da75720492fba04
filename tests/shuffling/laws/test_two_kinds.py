"""Two values and two kinds of report, the others as bad as can be: all that they hold, and what none exceeds."""

import functools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.channels.storage import Dense
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.information.mutual_information import information_of
from discretion.measures.privacy_loss.divergences import excess_over
from discretion.shuffling.laws.two_kinds import TwoKinds
from oracles import two_valued_crowds as slow
from oracles.promise import exactly

WORST = dc.WorstAllButOne()
RR = dc.RandomizedResponse
LEANING = dc.Channel([[0.875, 0.125], [0.5, 0.5]])
RARE = dc.Channel([[0.999, 0.001], [0.75, 0.25]])
MECHANISMS = [RR(2, 1), RR(2, 4), LEANING, RARE]


@functools.cache
def laws(mechanism, n):
    """The laws of the count for each value of the target, whatever the others hold, in long doubles."""
    rows = mechanism.channel().dense().astype(slow.Number)
    return [slow.views(rows, (count, n - 1 - count)) for count in range(n)]


def kinds(mechanism, n, most=1 << 24):
    return TwoKinds(mechanism.channel().dense(), n, most)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("n", [2, 3, 40, 300])
def test_every_excess_is_the_largest_of_all_that_the_others_can_hold(mechanism, n):
    walked, bounded = kinds(mechanism, n), kinds(mechanism, n, most=1)
    for epsilon in (-0.3, 0.0, 0.01, 0.4, math.inf):
        for a, b in ((0, 1), (1, 0)):
            ratio = math.exp(epsilon)
            truth = float(max(excess_over(views[a], views[b], ratio) for views in laws(mechanism, n)))
            assert walked.excess_beyond((a, b), epsilon) == exactly(truth)
            within = bounded.excess_beyond((a, b), epsilon)
            assert lowest(within) <= truth * (1 + 1e-12)
            assert truth <= highest(within) * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("delta", [0.2, 1e-3, 1e-8])
def test_epsilon_is_that_of_the_worst_of_all(mechanism, delta):
    n, most = 60, dc.ldp_epsilon(mechanism)
    ways = [(views[a], views[b]) for views in laws(mechanism, n) for a, b in ((0, 1), (1, 0))]
    truth = float(max(slow.least_epsilon(p, q, delta) for p, q in ways))
    assert kinds(mechanism, n).epsilon(delta, most) == exactly(truth)
    within = kinds(mechanism, n, most=1).epsilon(delta, most)
    assert lowest(within) <= truth * (1 + 1e-10)
    assert truth <= highest(within) * (1 + 1e-10)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("n", [2, 60])
def test_no_others_leave_the_values_farther_apart_than_two_laws(mechanism, n):
    both, prior = kinds(mechanism, n), np.array([0.3, 0.7])
    gain = [[1, 0], [0, 1], [0.7, 0.6]]
    rows = both.rows
    assert rows.sum(axis=1) == pytest.approx([1, 1], abs=1e-15)
    for views in laws(mechanism, n):
        seen = views.astype(float)
        assert information_of(Dense(seen), prior) <= information_of(Dense(rows), prior) * (1 + 1e-9)
        guess = slow.posterior_vulnerability(views, prior, gain)
        assert guess <= slow.posterior_vulnerability(rows, prior, gain) * (1 + 1e-12)
    for order in (0.5, 1, 2, 16):
        within = both.renyi(order)
        if order != 1:
            truth = max(slow.renyi_divergence(v[a], v[1 - a], order) for v in laws(mechanism, n) for a in (0, 1))
            assert lowest(within) <= float(truth) * (1 + 1e-8)
            assert float(truth) <= highest(within) * (1 + 1e-8)


def test_others_whose_reports_are_certain_hide_nothing():
    for mechanism in (RR(2, p=1.0), dc.Channel([[1, 0], [0.5, 0.5]])):
        crowd = dc.Shuffled(mechanism, 10**6).seen_by(WORST)
        assert dc.bayes_security(crowd) == exactly(dc.bayes_security(mechanism))
        assert dc.privacy_profile(crowd, 0.2) == exactly(dc.privacy_profile(mechanism, 0.2))


def test_a_million_users_are_walked_through():
    # By an independent walk of the ridge; all others on one value fall short of it by 2 and 31 in ten million.
    million = dc.Shuffled(RR(2, 1), 10**6).seen_by(WORST)
    assert dc.privacy_profile(million, 0.00285) == pytest.approx(9.968808619659e-7, rel=2e-12)
    assert dc.dp_epsilon(million, 1e-6) == pytest.approx(0.0028490105772, abs=5e-14)
    assert dc.privacy_profile(dc.Shuffled(RR(2, 1), 10**5).seen_by(WORST), 0.0095) == pytest.approx(
        1.971082841e-6, abs=5e-16
    )


# What is asked, and its limit without any leak.
MEASURES = {
    "δ": (lambda crowd: dc.privacy_profile(crowd, 2.85 / math.sqrt(crowd.n)), 0.0),
    "ε": (lambda crowd: dc.dp_epsilon(crowd, 1e-6), 0.0),
    "distance": (lambda crowd: 1 - dc.bayes_security(crowd), 0.0),
    "guess": (dc.posterior_vulnerability, 0.5),
    "guess of a prior": (lambda crowd: dc.posterior_vulnerability(crowd, [0.5001, 0.4999]), 0.5001),
    "no risk": (lambda crowd: 1 - dc.bayes_risk(crowd), 0.5),
    "information": (dc.mutual_information, 0.0),
    "capacity": (dc.shannon_capacity, 0.0),
    "divergence": (lambda crowd: dc.renyi_dp(crowd, 2), 0.0),
    "divergence of a large order": (lambda crowd: dc.renyi_dp(crowd, 64), 0.0),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("mechanism", [RR(2, 1), LEANING], ids=repr)
@pytest.mark.parametrize("n", [10**5, 10**9])
def test_any_measure_is_exact_or_within_five_percent_of_what_leaks(name, mechanism, n):
    asked, limit = MEASURES[name]
    crowd = dc.Shuffled(mechanism, n).seen_by(WORST)
    found = asked(crowd)
    assert lowest(found) >= limit
    if isinstance(found, Estimate):
        assert found.certified
        assert found.high - found.low <= 0.05 * (found.low - limit) + 2e-12
    alike = [dc.Shuffled(mechanism, n).seen_by(dc.AllButOne(counts)) for counts in ([n - 1, 0], [0, n - 1])]
    corner = 0.0 if "divergence" in name else max(lowest(asked(crowd)) for crowd in alike)
    assert highest(found) >= corner * (1 - 1e-10) - 1e-12


def test_the_curve_of_a_large_crowd_lies_above_that_of_others_who_are_alike():
    n = 50_000
    worst, alike = (
        dc.tradeoff(dc.Shuffled(LEANING, n).seen_by(others)) for others in (WORST, dc.AllButOne([n - 1, 0]))
    )
    for rate in (1e-4, 0.01, 0.4):
        assert highest(worst.true_positive_rate(rate)) >= lowest(alike.true_positive_rate(rate)) * (1 - 1e-10)
        assert isinstance(worst.true_positive_rate(rate), float)
