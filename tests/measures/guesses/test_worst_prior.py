"""Bayes security of any gain: the share of a loss that looking leaves, at a prior and at the worst one."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as arrays

import discretion as dc
from discretion.errors import InvalidGainError, InvalidPriorError
from discretion.estimate import Estimate, highest, lowest
from discretion.measures import additive_capacity
from oracles import losses as slow
from oracles.promise import exactly
from oracles.strategies import matrices, priors
from support.lowering import lowered

THIRDS = st.integers(0, 6).map(lambda i: i / 3)


def tables(k):
    return st.integers(1, 3).flatmap(lambda w: arrays.arrays(np.float64, (w, k), elements=THIRDS))


@given(st.data())
def test_at_a_prior_it_is_the_ratio_of_the_risks(data):
    matrix = data.draw(matrices())
    k = len(matrix)
    prior, losses = data.draw(priors(k)), data.draw(tables(k))
    law = np.full(k, 1 / k) if prior is None else prior
    before = slow.blind(losses, law)
    gain = dc.gain_matrix(-losses)
    if not losses.any(axis=1).all():
        with pytest.raises(InvalidGainError, match="one of these has none"):
            dc.bayes_security(dc.Channel(matrix), law, gain)
    elif not before:
        with pytest.raises(InvalidPriorError, match="every guess has a loss"):
            dc.bayes_security(dc.Channel(matrix), law, gain)
    else:
        expected = min(Fraction(1), slow.seen(matrix, losses, law) / before)
        assert dc.bayes_security(dc.Channel(matrix), law, gain) == exactly(expected)


def test_the_loss_of_a_gain_is_what_the_best_there_is_would_add():
    C, prior = dc.Channel([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]), [0.5, 0.3, 0.2]
    assert dc.bayes_security(C, prior, dc.gain_matrix(np.eye(3))) == exactly(dc.bayes_security(C, prior))
    assert dc.bayes_security(C, prior, dc.gain_matrix(np.eye(3) - 1)) == exactly(dc.bayes_security(C, prior))
    assert dc.bayes_security(C, prior, dc.identity_gain(3)) == dc.bayes_security(C, prior)
    assert dc.bayes_security(C, gain=dc.gain_matrix(5 * np.eye(3))) == exactly(dc.bayes_security(C))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_for_two_secrets_the_worst_prior_is_at_a_bend(data):
    matrix = data.draw(matrices(rows=st.just(2)))
    losses = data.draw(tables(2).filter(lambda losses: losses.any(axis=1).all()))
    found = dc.bayes_security(dc.Channel(matrix), gain=dc.gain_matrix(-losses))
    assert found == exactly(slow.least_share_of_two(matrix, losses))


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_no_prior_of_a_grid_is_worse_and_some_prior_is_about_as_bad(data):
    matrix = data.draw(matrices(rows=st.just(3), columns=st.integers(1, 3)))
    losses = data.draw(tables(3).filter(lambda losses: losses.any(axis=1).all()))
    C, gain = dc.Channel(matrix), dc.gain_matrix(-losses)
    found = dc.bayes_security(C, gain=gain)
    on_grid = slow.least_share_on_a_grid(matrix, losses, 12)
    assert lowest(found) <= on_grid + 1e-12
    # A grid of a twelfth moves a risk by at most 1/6 of the largest loss; a finer one comes nearer still.
    finer = slow.least_share_on_a_grid(matrix, losses, 24)
    assert lowest(found) - 1e-12 <= finer <= on_grid
    assert dc.security.bayes_security_of_losses(C, len(losses)) <= highest(found) + 1e-12


def test_the_worst_prior_is_one_whose_share_is_the_least():
    rng = np.random.default_rng(0)
    for k, columns, guesses in ((3, 3, 3), (4, 4, 2), (5, 3, 3)):
        C, losses = dc.Channel(rng.dirichlet(np.ones(columns), size=k)), rng.random((guesses, k))
        found = dc.bayes_security(C, gain=dc.gain_matrix(-losses))
        assert isinstance(found, float)
        tried = [dc.bayes_security(C, prior, dc.gain_matrix(-losses)) for prior in rng.dirichlet(np.full(k, 0.3), 500)]
        assert found <= min(tried) <= found + 0.1


def test_naming_a_secret_that_it_is_not_is_as_bad_as_any_loss_can_be():
    rng = np.random.default_rng(0)
    for k in (2, 3, 4):
        C = dc.Channel(rng.dirichlet(np.ones(5), size=k))
        named = dc.bayes_security(C, gain=dc.gain_matrix(-np.eye(k)))
        assert named == exactly(C.matrix.min(axis=0).sum())
        assert named == exactly(dc.security.bayes_security_of_losses(C))


def test_where_corners_are_too_many_the_ends_still_hold():
    rng = np.random.default_rng(0)
    C, losses = dc.Channel(rng.dirichlet(np.ones(6), size=5)), rng.random((4, 5))
    gain = dc.gain_matrix(-losses)
    known, risen = dc.bayes_security(C, gain=gain), additive_capacity(C, gain)
    with lowered(MAX_CHOICES_TRIED=5):
        less, risen_less = dc.bayes_security(C, gain=gain), additive_capacity(C, gain)
    for found, truth in ((less, known), (risen_less, risen)):
        assert isinstance(found, Estimate)
        assert found.certified
        assert found.low <= lowest(truth) <= highest(truth) <= found.high
        assert found.high > found.low + 1e-6


@pytest.mark.long
def test_a_crowd_keeps_its_share_of_a_loss_too():
    crowd = dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 6)
    gain = dc.gain_matrix([[1, 0, 0], [0, 0.5, 0.5]])
    explicit = crowd.seen_by(dc.Uninformed()).channel()
    assert dc.bayes_security(crowd, [0.5, 0.3, 0.2], gain) == exactly(
        dc.bayes_security(explicit, [0.5, 0.3, 0.2], gain)
    )
    assert dc.bayes_security(crowd, gain=gain) == exactly(dc.bayes_security(explicit, gain=gain))
    sampled = dc.Shuffled(dc.UnaryEncoding.oue(5, epsilon=1), 40).seen_by(dc.Uninformed(), seed=1)
    found = dc.bayes_security(sampled, np.full(5, 0.2), dc.gain_matrix([[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]]))
    assert found.low <= found.value <= found.high <= 1
    assert found.confidence is not None


def test_additive_capacity_of_two_secrets_is_half_their_distance_and_of_the_identity_all_but_a_blind_guess():
    assert additive_capacity(dc.Channel([[0.9, 0.1], [0.2, 0.8]])) == exactly(0.35)
    assert additive_capacity(dc.Channel(np.eye(5))) == exactly(0.8)
    assert additive_capacity(dc.Channel(np.eye(50))) == exactly(0.98)
    assert additive_capacity(dc.Channel([[0.5, 0.5]] * 4)) == 0
    assert additive_capacity(dc.Channel([[0.5, 0.5]])) == 0


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_no_prior_raises_a_gain_by_more_than_the_additive_capacity(data):
    matrix = data.draw(matrices(rows=st.integers(1, 3), columns=st.integers(1, 3)))
    worth = data.draw(st.none() | tables(len(matrix)).map(lambda table: table - 1))
    C, gain = dc.Channel(matrix), None if worth is None else dc.gain_matrix(worth)
    found = additive_capacity(C, gain)
    on_grid = float(slow.largest_rise_on_a_grid(matrix, np.eye(len(matrix)) if worth is None else worth, 12))
    assert on_grid <= highest(found) + 1e-12
    assert lowest(found) <= on_grid + 0.35
    if len(matrix) == 2:
        truth = slow.largest_rise_of_two(matrix, np.eye(2) if worth is None else worth)
        assert found == exactly(truth)


@settings(max_examples=20, deadline=None)
@given(matrices(rows=st.integers(1, 4)))
def test_the_additive_capacity_of_a_guess_is_the_same_by_sets_as_by_linear_programs(matrix):
    C = dc.Channel(matrix)
    by_programs = additive_capacity(C, dc.gain_matrix(np.eye(len(matrix))))
    assert additive_capacity(C) == exactly(by_programs)
    with lowered(MAX_CHOICES_TRIED=1):
        ends = additive_capacity(C)
    assert lowest(ends) <= additive_capacity(C) + 1e-12
    assert additive_capacity(C) <= highest(ends) + 1e-12


@pytest.mark.parametrize("k", [3, 12, 200])
def test_a_response_of_many_values_is_raised_most_by_the_uniform_prior(k):
    response = dc.RandomizedResponse(k, epsilon=1)
    assert additive_capacity(response) == exactly(response.p - 1 / k)


def _priors_at_which_guesses_tie(losses):
    """Of two secrets: the two certain ones, and where two guesses lose alike, in fractions."""
    lines = [[Fraction(x) for x in line] for line in losses.tolist()]
    found = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))]
    for a, b in lines:
        for c, d in lines:
            if (a - c) * (d - b) > 0:
                share = (d - b) / ((a - c) + (d - b))
                found.append((share, 1 - share))
    return found


@pytest.mark.parametrize("span", [3, 12, 20, 60, 150, 300])
@pytest.mark.parametrize("seed", range(12))
def test_losses_however_far_apart_are_compared_exactly(seed, span):
    rng = np.random.default_rng([seed, span])
    losses = 10.0 ** rng.uniform(-span, span, (rng.integers(1, 4), 2)) * (rng.random((1, 2)) < 0.9)
    losses[:, int(rng.integers(2))] += 10.0 ** rng.uniform(-span, span)
    matrix = rng.random((2, 3)) + 0.01
    C = dc.Channel(matrix / matrix.sum(axis=1, keepdims=True))
    shares = [
        slow.seen(C.dense(), losses, prior) / before
        for prior in _priors_at_which_guesses_tie(losses)
        if (before := slow.blind(losses, prior))
    ]
    assert dc.bayes_security(C, gain=dc.gain_matrix(-losses)) == exactly(min(shares))
    worth = losses.max(axis=0) - losses
    truth = float(max(_falls(C, worth)))
    assert additive_capacity(C, dc.gain_matrix(losses)) == pytest.approx(truth, rel=1e-9)


def _falls(C, losses):
    yield Fraction(0)
    for prior in _priors_at_which_guesses_tie(losses):
        yield slow.blind(losses, prior) - slow.seen(C.dense(), losses, prior)


def test_losses_too_far_apart_for_so_many_guesses_are_refused_in_words():
    rng = np.random.default_rng(1)
    losses = 10.0 ** rng.uniform(-300, 300, (30, 8))
    matrix = rng.random((8, 3))
    with pytest.raises(InvalidGainError, match="too far apart"):
        dc.bayes_security(dc.Channel(matrix / matrix.sum(axis=1, keepdims=True)), gain=dc.gain_matrix(-losses))
