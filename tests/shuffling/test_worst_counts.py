"""The others who expose the target most: what is looked through, against all that they can hold."""

import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.estimate import Estimate
from oracles import adversaries as slow, channels, measures
from oracles.promise import exactly
from oracles.strategies import gains, stochastic
from support.lowering import lowered

RR, UE = dc.RandomizedResponse, dc.UnaryEncoding
WORST = dc.WorstAllButOne()

ASYMMETRIC = dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375], [0.25, 0.375, 0.375]])
TWO_REPORTS = dc.Channel([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])
LEANING = dc.Channel([[0.875, 0.125], [0.5, 0.5]])

MEASURES = {
    "guess": lambda s, adversary: dc.posterior_vulnerability(s.seen_by(adversary)),
    "guess of a prior": lambda s, adversary: dc.posterior_vulnerability(
        s.seen_by(adversary), [0.5] + [0.5 / (s.secrets - 1)] * (s.secrets - 1)
    ),
    "no risk": lambda s, adversary: 1 - dc.bayes_risk(s.seen_by(adversary)),
    "information": lambda s, adversary: dc.mutual_information(s.seen_by(adversary)),
    "distance": lambda s, adversary: 1 - dc.bayes_security(s.seen_by(adversary)),
    "δ": lambda s, adversary: dc.privacy_profile(s.seen_by(adversary), 0.3),
    "ε": lambda s, adversary: dc.dp_epsilon(s.seen_by(adversary), 1e-4),
    "divergence": lambda s, adversary: dc.renyi_dp(s.seen_by(adversary), 2),
}


@pytest.mark.long
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize(
    ("mechanism", "n"),
    [
        (RR(2, epsilon=1), 70),
        (LEANING, 70),
        (RR(3, epsilon=1), 9),
        (ASYMMETRIC, 6),
        (TWO_REPORTS, 9),
        (UE.oue(2, 1), 9),
    ],
    ids=str,
)
def test_they_are_the_worst_of_all_who_can_be_named(name, mechanism, n):
    asked, s = MEASURES[name], dc.Shuffled(mechanism, n)
    found = asked(s, WORST)
    assert isinstance(found, float)
    worst = max(asked(s, dc.AllButOne(counts)) for counts in slow.all_counts(n - 1, mechanism.secrets))
    assert found == exactly(worst)


def partitions(users, parts, most=None):
    if not parts:
        return [()] if not users else []
    top = users if most is None else min(users, most)
    return [(first, *rest) for first in range(top + 1) for rest in partitions(users - first, parts - 1, first)]


@pytest.mark.long
def test_five_values_of_eight_users():
    # Renaming the values renames the reports: what the others hold matters up to its order.
    Q = channels.randomized_response(5, Fraction(7, 10))
    law, identity = [Fraction(1, 5)] * 5, measures.identity(5)
    laws = (law_of(Q, counts) for counts in partitions(7, 5))
    truth = max(measures.posterior_vulnerability(rows, law, identity) for rows in laws)
    assert round(float(truth), 5) == 0.39198
    assert dc.posterior_vulnerability(dc.Shuffled(RR(5, p=0.7), 8).seen_by(WORST)) == exactly(truth)


def law_of(Q, counts):
    others, rows = slow.law_of_reports(Q, slow.holders(counts)), []
    for row in Q:
        rows.append(defaultdict(Fraction))
        for h, mass in others.items():
            for y, likelihood in enumerate(row):
                rows[-1][*h[:y], h[y] + 1, *h[y + 1 :]] += mass * likelihood
    return [[law[h] for h in sorted(rows[0])] for law in rows]


@given(st.data(), st.integers(2, 3), st.integers(2, 3))
@settings(max_examples=20)
def test_more_others_hide_more_whatever_they_hold(data, k, m):
    # That is what lets a few of the others bound what all of them leave.
    Q = channels.exact(data.draw(stochastic(k, m)))
    counts = data.draw(st.sampled_from([c for n in range(3) for c in slow.all_counts(n, k)]))
    x = data.draw(st.integers(0, k - 1))
    fewer, more = (law_of(Q, c) for c in (counts, [c + (y == x) for y, c in enumerate(counts)]))
    prior, gain = measures.fractions(data.draw(stochastic(1, k))[0]), data.draw(gains(k))
    table = measures.identity(k) if gain is None else channels.exact(gain)
    for leak in (
        lambda rows: measures.posterior_vulnerability(rows, prior, table),
        lambda rows: slow.privacy_profile(rows, Fraction(5, 4)),
    ):
        assert leak(more) <= leak(fewer) + Fraction(1, 10**12)


@pytest.mark.long
@pytest.mark.parametrize(("n", "epsilon"), [(50, 0.2), (50, 0.5), (80, 0.1)])
def test_scores_of_three_values_hold_what_somebody_can(n, epsilon):
    # All on the third value is the worst of those few that are tried here; no other is missed in small crowds.
    s = dc.Shuffled(RR(3, epsilon=1), n)
    found = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), epsilon)
    assert isinstance(found, float)
    tried = [(0, 0, n - 1), (n - 1, 0, 0), (1, 0, n - 2), (n // 2, n - 1 - n // 2, 0), (n // 2, 0, n - 1 - n // 2)]
    best = max(float(dc.privacy_profile(s.seen_by(dc.AllButOne(counts)), epsilon)) for counts in tried)
    assert found >= best * (1 - 1e-10)
    assert found <= dc.privacy_profile(dc.Shuffled(RR(3, epsilon=1), n - 1).seen_by(dc.WorstAllButOne()), epsilon)


@pytest.mark.long
@pytest.mark.parametrize("n", [1500, 3000])
def test_thousands_of_two_values_are_gone_through(n):
    s = dc.Shuffled(RR(2, p=0.8), n)
    kept = dc.bayes_security(s.seen_by(WORST))
    assert isinstance(kept, float)
    tried = [dc.AllButOne([c, n - 1 - c]) for c in (0, 1, n // 2 - 1, n // 2, n - 1)]
    assert kept <= min(dc.bayes_security(s.seen_by(adversary)) for adversary in tried) + 1e-12


@pytest.mark.parametrize("most", [1, 1 << 13, 1 << 16])
def test_what_is_not_looked_through_leaves_certified_bounds(most):
    s = dc.Shuffled(RR(3, p=0.75), 30)
    truth = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.5)
    with lowered(MAX_LIKELIHOODS_TRIED=most):
        found = dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.5)
    if isinstance(found, Estimate):
        assert found.certified
        assert found.low <= truth <= found.high
    else:
        assert found == exactly(truth)


@pytest.mark.parametrize("p", [0.5, 1.0])
def test_neither_pure_noise_nor_none_needs_a_search(p):
    s = dc.Shuffled(RR(2, p=p), 300)
    assert dc.bayes_security(s.seen_by(WORST)) == exactly(2 * (1 - p))
    assert dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.0) == exactly(2 * p - 1)
    assert np.isclose(dc.mutual_information(s.seen_by(WORST)), math.log(2) * (2 * p - 1), rtol=1e-12, atol=1e-15)
