"""What is promised of a crowd at a glance holds against every histogram, whoever the others are."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.estimate import highest, lowest
from discretion.shuffling.quick_bounds import HiddenTarget
from oracles.asked_crowds import excess_among, guess_among

MECHANISMS = {
    "krr": dc.RandomizedResponse(3, epsilon=1),
    "loud krr": dc.RandomizedResponse(3, epsilon=4),
    "ss": dc.SubsetSelection(4, epsilon=0.5),
    "oue": dc.UnaryEncoding.oue(2, epsilon=2),
    "hadamard": dc.HadamardResponse(3, epsilon=1),
}


@settings(max_examples=30)
@given(
    name=st.sampled_from([*MECHANISMS]),
    n=st.integers(1, 4),
    weights=st.lists(st.integers(1, 9), min_size=4, max_size=4),
)
def test_nobody_guesses_better_than_is_said(name: str, n: int, weights: list[int]) -> None:
    mechanism = MECHANISMS[name]
    matrix, k = mechanism.channel().dense(), mechanism.k
    prior = np.array(weights[:k]) / sum(weights[:k])
    bound = HiddenTarget(mechanism, n).guess(prior)
    assert bound.certified
    assert bound.low == pytest.approx(prior.max())
    for others in combinations_with_replacement(range(k), n - 1):
        assert guess_among(matrix, [np.eye(k)[value] for value in others], prior) <= bound.high + 1e-12


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("delta", [0.05, 0.001])
def test_every_crowd_keeps_what_is_promised(name: str, delta: float) -> None:
    mechanism, n = MECHANISMS[name], 4
    epsilon = HiddenTarget(mechanism, n).epsilon(delta).high
    assert 0 <= epsilon <= mechanism.epsilon
    for others in combinations_with_replacement(range(mechanism.k), n - 1):
        assert excess_among(mechanism.channel().dense(), others, epsilon) <= delta + 1e-12


def test_alone_there_is_nothing_to_hide_among() -> None:
    mechanism = dc.RandomizedResponse(3, epsilon=1)
    target = HiddenTarget(mechanism, 1)
    assert target.guess().high == pytest.approx(mechanism.p)
    assert target.epsilon(1e-9).high == pytest.approx(1, abs=1e-6)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("k", [2, 10, 60])
def test_a_quick_promise_is_nearly_that_of_the_measures(k: int) -> None:
    crowd = dc.Shuffled(dc.RandomizedResponse(k, epsilon=2), 3000)
    epsilon = HiddenTarget(crowd.mechanism, crowd.n).epsilon(1e-5).high
    worst = crowd.seen_by(dc.WorstAllButOne())
    assert lowest(dc.privacy_profile(worst, epsilon)) <= 1e-5
    assert highest(dc.privacy_profile(worst, 0.7 * epsilon)) > 1e-5


def test_a_wide_question_by_subset_selection_needs_no_list_of_sets() -> None:
    target = HiddenTarget(dc.SubsetSelection(250, epsilon=0.5), 100_000)
    assert 1 / 250 < target.guess().high < 2 / 250
    assert target.epsilon(1e-6).high < 0.05


def test_the_more_people_the_more_is_hidden() -> None:
    crowds = [HiddenTarget(dc.SubsetSelection(20, epsilon=2), n) for n in (10, 100, 1000, 10_000)]
    guesses, epsilons = [
        [bound.high for bound in bounds]
        for bounds in ([crowd.guess() for crowd in crowds], [crowd.epsilon(1e-6) for crowd in crowds])
    ]
    assert guesses == sorted(guesses, reverse=True)
    assert epsilons == sorted(epsilons, reverse=True)
