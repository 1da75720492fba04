"""Several rounds against the worst adversary: certified bounds, on crowds so small that everything is gone through."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.errors import UnsupportedError
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.privacy_loss.composed_losses import ComposedLosses
from discretion.measures.privacy_loss.profile_losses import dominated_losses, dominating_losses
from oracles import worst_rounds as slow
from oracles.promise import exactly

RR, WORST = dc.RandomizedResponse, dc.WorstAllButOne()
LOPSIDED = dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]])
SMALL = [
    (RR(2, epsilon=1), 4, 3),
    (RR(2, epsilon=0.1), 2, 4),
    (RR(2, epsilon=4), 3, 3),
    (RR(3, epsilon=1), 3, 2),
    (dc.UnaryEncoding.oue(2, epsilon=1), 3, 2),
    (LOPSIDED, 3, 2),
    (dc.Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]]), 3, 2),
    (RR(2, p=0.5), 3, 2),
    (RR(2, p=1), 2, 2),
]
EPSILONS = [0.0, 0.05, 0.3, 0.9, 2.0]


def worst(mechanism, n, rounds):
    return dc.repeated(dc.Shuffled(mechanism, n).seen_by(WORST), rounds)


def holds(answer: Any, least: float, most: float):
    """The certified bounds are at least as far apart as what is attained and what is possible."""
    low, high = lowest(answer), highest(answer)
    assert not isinstance(answer, Estimate) or answer.certified
    assert low <= least + 1e-12
    assert high >= most - 1e-12


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("mechanism", "n", "rounds"), SMALL, ids=repr)
def test_rounds_leak_no_more_than_the_bound_whatever_the_others_hold_in_each(mechanism, n, rounds):
    seen = worst(mechanism, n, rounds)
    same, any_ = (list(slow.laws_of_rounds(mechanism, n, rounds, same=same)) for same in (True, False))
    for epsilon in EPSILONS:
        # Others who stay the same attain at least the lower bound; those who change stay below the upper one.
        holds(dc.privacy_profile(seen, epsilon), slow.largest_excess(same, epsilon), slow.largest_excess(any_, epsilon))
    security = dc.bayes_security(seen)
    assert lowest(security) <= 1 - slow.largest_excess(any_, 0.0) + 1e-12
    assert highest(security) >= 1 - slow.largest_excess(same, 0.0) - 1e-12
    for delta in (1e-6, 0.01, 0.2):
        epsilon = dc.dp_epsilon(seen, delta)
        assert math.isinf(highest(epsilon)) or slow.largest_excess(any_, highest(epsilon)) <= delta * (1 + 1e-9)
        assert slow.largest_excess(same, lowest(epsilon) - 1e-9) >= delta * (1 - 1e-9) or lowest(epsilon) <= 1e-9


@pytest.mark.parametrize(("mechanism", "n", "rounds"), [SMALL[0], SMALL[3], SMALL[5]], ids=repr)
@pytest.mark.parametrize("uniform", [True, False])
def test_guesses_after_rounds_are_within_the_bounds(mechanism, n, rounds, uniform):
    k = mechanism.secrets
    prior = None if uniform else np.arange(1, k + 1) / (k * (k + 1) / 2)
    weights = np.full(k, 1 / k) if prior is None else prior
    seen = worst(mechanism, n, rounds)
    least, most = (
        max(
            float((weights[:, None] * law).max(axis=0).sum())
            for law in slow.laws_of_rounds(mechanism, n, rounds, same=s)
        )
        for s in (True, False)
    )
    guess = dc.posterior_vulnerability(seen, prior)
    holds(guess, least, most)
    holds(1 - dc.bayes_risk(seen, prior), least, most)
    assert lowest(guess) >= weights.max() - 1e-12
    if uniform:
        holds(dc.multiplicative_bayes_capacity(seen), k * least, k * most)
        if k == 2:
            assert highest(guess) - lowest(guess) < 0.05


@pytest.mark.parametrize(("mechanism", "n", "rounds"), SMALL[:6], ids=repr)
def test_divergences_add_up_among_others_who_stay_the_same(mechanism, n, rounds):
    seen, same = worst(mechanism, n, rounds), list(slow.laws_of_rounds(mechanism, n, rounds, same=True))
    assert dc.renyi_dp(seen, 2) == exactly(slow.renyi(same, 2))
    assert dc.ldp_epsilon(seen) == exactly(rounds * dc.ldp_epsilon(mechanism))


@pytest.mark.parametrize(("mechanism", "n", "rounds"), [SMALL[0], SMALL[6]], ids=repr)
def test_the_best_tests_of_rounds_are_between_the_curves(mechanism, n, rounds):
    same, any_ = (list(slow.laws_of_rounds(mechanism, n, rounds, same=same)) for same in (True, False))
    curve = dc.tradeoff(worst(mechanism, n, rounds), (0, 1))
    for rate in (0.0, 0.01, 0.1, 0.5):
        misses = curve.at(rate)
        least = min(slow.least_misses(law[0], law[1], rate) for law in any_)
        assert lowest(misses) <= least + 1e-9
        assert highest(misses) >= min(slow.least_misses(law[0], law[1], rate) for law in same) - 1e-9
    whole = dc.tradeoff(worst(mechanism, n, rounds))
    assert whole.delta(0.3) == dc.privacy_profile(worst(mechanism, n, rounds), 0.3)
    assert whole.bayes_security == dc.bayes_security(worst(mechanism, n, rounds))
    assert lowest(whole.at(0.1)) <= lowest(curve.at(0.1)) + 1e-12


@pytest.mark.parametrize(
    ("mechanism", "n", "counts"),
    [
        (RR(2, epsilon=1), 20, [(19, 0), (10, 9), (3, 16)]),
        (RR(3, epsilon=1), 5, [(4, 0, 0), (0, 0, 4), (2, 1, 1)]),
        (dc.Channel([[0.75, 0.25], [0.5, 0.5]]), 20, [(19, 0), (0, 19), (7, 12)]),
    ],
    ids=repr,
)
def test_no_others_who_are_named_expose_more(mechanism, n, counts):
    crowd = dc.Shuffled(mechanism, n)
    seen = worst(mechanism, n, 2)
    for named in counts:
        known = dc.repeated(crowd.seen_by(dc.AllButOne(named)), 2)
        for epsilon in (0.0, 0.2, 0.5):
            assert dc.privacy_profile(seen, epsilon).high >= float(dc.privacy_profile(known, epsilon)) - 1e-12
        assert dc.bayes_security(seen).low <= float(dc.bayes_security(known)) + 1e-12


@pytest.mark.long
@pytest.mark.parametrize(
    ("mechanism", "n", "width"),
    [(RR(2, epsilon=1), 100, 0.01), (RR(3, epsilon=1), 1000, 0.01), (RR(10, epsilon=2), 10_000, 0.01)],
    ids=repr,
)
def test_ten_rounds_of_a_large_crowd_are_known_within_a_few_percent(mechanism, n, width):
    epsilon = dc.dp_epsilon(worst(mechanism, n, 10), 1e-6)
    assert epsilon.high - epsilon.low <= width * epsilon.high


def test_rounds_of_rounds_multiply_and_so_do_those_of_a_crowd():
    rounds: Any = dc.repeated(dc.Shuffled(RR(2, epsilon=1), 5), 6)
    six = worst(RR(2, epsilon=1), 5, 6)
    for same in (dc.repeated(worst(RR(2, epsilon=1), 5, 2), 3), rounds.seen_by(WORST)):
        assert dc.privacy_profile(same, 0.5) == dc.privacy_profile(six, 0.5)
    assert "6 ×" in repr(six)


def test_one_round_and_a_target_who_is_alone_need_no_bound():
    crowd = dc.Shuffled(RR(3, epsilon=1), 1)
    assert dc.repeated(crowd.seen_by(WORST), 1) is not None
    alone = dc.repeated(crowd.seen_by(WORST), 2)
    assert dc.privacy_profile(alone, 0.5) == exactly(dc.privacy_profile(dc.repeated(RR(3, epsilon=1), 2), 0.5))


def test_other_measures_name_those_that_take_rounds():
    seen = worst(RR(2, epsilon=1), 5, 2)
    for ask in (
        dc.mutual_information,
        lambda system: dc.posterior_vulnerability(system, gain=dc.gain_matrix([[1, 0], [0.5, 0.75]])),
    ):
        with pytest.raises(UnsupportedError, match=r"privacy_profile.*discretion\.AllButOne"):
            ask(seen)
    with pytest.raises(UnsupportedError, match="shuffler hides nothing"):
        dc.information.average_privacy(worst(RR(2, epsilon=1), 5, 2))


@st.composite
def two_laws(draw):
    size = draw(st.integers(2, 6))
    weights = st.lists(st.integers(0, 40), min_size=size, max_size=size).filter(any)
    rows = [np.array(draw(weights), dtype=float) for _ in range(2)]
    return [row / row.sum() for row in rows]


@given(two_laws(), st.integers(3, 12), st.integers(1, 3), st.integers(0, 10))
@settings(max_examples=25)
def test_losses_from_a_profile_bracket_the_two_laws_however_often_they_are_seen(laws, points, uses, seed):
    p, q = laws
    places = np.unique(np.append([0, 1], np.random.default_rng(seed).integers(1, 40, points)))
    levels = 0.1 * places
    forwards, backwards = (np.array([slow.excess(*pair, e) for e in levels]) for pair in ((q, p), (p, q)))
    more = dominating_losses(0.1, places, np.maximum(forwards, backwards))
    less, opposite = dominated_losses(0.1, places, (forwards, forwards), (backwards, backwards))
    whole_p, whole_q = np.ones(1), np.ones(1)
    for _ in range(uses):
        whole_p, whole_q = (np.multiply.outer(whole, law).ravel() for whole, law in ((whole_p, p), (whole_q, q)))
    for losses in (more, less, opposite):
        assert losses.masses.min() >= 0
        assert losses.masses.sum() + losses.infinite <= 1 + 1e-9
    for epsilon in (0.0, 0.07, 0.5, 1.3, 5.0):
        bounds = [ComposedLosses(((losses, uses),)).hockey_stick(epsilon) for losses in (more, less, opposite)]
        there, back = slow.excess(whole_q, whole_p, epsilon), slow.excess(whole_p, whole_q, epsilon)
        assert bounds[0].high >= max(there, back) - 1e-12
        assert bounds[1].low <= there + 1e-12
        assert bounds[2].low <= back + 1e-12
