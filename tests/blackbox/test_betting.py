"""Bets against a claim: what they come to, trial by trial, and that they gain nothing on average if it is true."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.blackbox.betting import _STAKES, Block, bets, log_wealth
from oracles import blackbox as slow

CLAIMS = [(0, 0), (0, 0.3), (1, 0), (1, 0.1), (3, 0.01), (0.2, 1)]


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_wealth_is_what_every_stake_becomes_trial_by_trial(epsilon, delta):
    rng = np.random.default_rng(1)
    outcomes = [rng.choice([1, -1, 0], p=[0.6, 0.1, 0.3], size=size).tolist() for size in (1, 4, 7, 3)]
    directions = [2, 1, 1, 2]
    placed = np.array(
        [(c, some.count(1), some.count(-1), some.count(0)) for some, c in zip(outcomes, directions, strict=True)]
    )
    trials = [(outcome, c) for some, c in zip(outcomes, directions, strict=True) for outcome in some]
    after = slow.wealth_of_bets(trials, math.exp(epsilon), delta, _STAKES)
    at_ends = [after[end - 1] for end in np.cumsum([len(some) for some in outcomes])]
    assert log_wealth(placed, math.exp(epsilon), delta) == pytest.approx(math.log(max(at_ends)), abs=1e-9)


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
@pytest.mark.parametrize("c", [1, 2])
def test_against_a_claim_that_just_holds_nothing_is_won_on_average(epsilon, delta, c):
    """Of all outcomes of four trials, by their probabilities; stakes that are too large for the claim are lost."""
    ratio = math.exp(epsilon)
    wrong = 0.4 * (1 - c * delta / 2) / (1 + ratio)
    law = {1: ratio * wrong + c * delta / 2, -1: wrong}
    law[0] = 1 - sum(law.values())
    assert law[0] >= 0
    mean = 0.0
    for outcomes in product(law, repeat=4):
        row = np.array([(c, outcomes.count(1), outcomes.count(-1), outcomes.count(0))])
        mean += math.prod(map(law.__getitem__, outcomes)) * math.exp(log_wealth(row, ratio, delta))
    assert mean == pytest.approx(np.mean(_STAKES * (ratio + delta) <= 1), abs=1e-12)


@given(
    rows=st.lists(st.tuples(st.sampled_from([1, 2]), *(st.integers(0, 50) for _ in range(3))), min_size=1, max_size=5),
    epsilon=st.floats(0, 30),
    delta=st.floats(0, 1),
    more=st.floats(0, 5),
)
def test_a_claim_is_refuted_along_with_all_stronger_ones(rows, epsilon, delta, more):
    placed = np.array(rows)
    wealth = log_wealth(placed, math.exp(epsilon), delta)
    assert log_wealth(placed, math.exp(epsilon + more), delta) <= wealth + 1e-9
    assert log_wealth(placed, math.exp(epsilon), min(1, delta + more)) <= wealth + 1e-9


def test_guesses_stop_where_they_were_worth_most():
    """Known trials with scores from 3 to -3: x wherever they are above 1, else a coin."""
    scores = np.repeat([3.0, 2.0, 1.0, 0.0, -1.0, -2.0, -3.0], 2000)
    x = np.tile([True, False], scores.size // 2) | (scores > 1)
    asked, asked_x = np.array([2.5, 2.0, 1.9, -3.0, 2.0]), np.array([True, False, True, False, True])
    placed = bets([Block(scores, x, asked, asked_x)], lambda right, wrong, c: right / wrong - 1)
    assert placed.tolist() == [[1, 2, 1, 2]]


def test_nothing_is_bet_where_nothing_was_worth_it():
    rng = np.random.default_rng(1)
    block = Block(rng.normal(size=500), rng.integers(2, size=500) > 0, np.ones(3), np.ones(3, dtype=bool))
    assert bets([block], lambda right, wrong, c: right - 2 * wrong).tolist() == [[1, 0, 0, 0]]
    assert log_wealth(bets([block], lambda right, wrong, c: right - 2 * wrong), 1.0, 0.0) == pytest.approx(0)
