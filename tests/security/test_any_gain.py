"""What is promised of every loss and gain holds of those that are drawn, and is attained."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest
from discretion.security import bayes_security_of_losses, posterior_vulnerability_bounds
from mechanisms.table import MECHANISMS
from oracles.promise import exactly
from oracles.strategies import gains, matrices, priors
from support.lowering import lowered


@given(matrices(rows=st.integers(1, 5), columns=st.integers(1, 5)), st.integers(1, 6))
def test_it_is_what_the_observations_of_so_many_secrets_have_in_common(matrix, guesses):
    sets = itertools.combinations(range(len(matrix)), min(guesses, len(matrix)))
    least = min(sum(min(matrix[x, y] for x in some) for y in range(matrix.shape[1])) for some in sets)
    assert bayes_security_of_losses(dc.Channel(matrix), guesses) == exactly(least)
    if guesses == 2:
        assert bayes_security_of_losses(dc.Channel(matrix), guesses) == exactly(dc.bayes_security(dc.Channel(matrix)))


def test_where_sets_of_secrets_are_too_many_the_ends_hold():
    C = dc.Channel(np.random.default_rng(0).dirichlet(np.ones(20), size=9))
    for guesses in (3, 5, 8):
        known = bayes_security_of_losses(C, guesses)
        with lowered(MAX_CHOICES_TRIED=1):
            found = bayes_security_of_losses(C, guesses)
        assert isinstance(found, Estimate)
        assert found.low <= known <= found.high


@given(st.data())
def test_no_loss_is_kept_to_a_smaller_share(data):
    matrix = data.draw(matrices())
    k = len(matrix)
    losses = np.abs(data.draw(gains(k).filter(lambda gain: gain is not None and gain.any(axis=1).all())))
    law = data.draw(priors(k).map(lambda prior: np.full(k, 1 / k) if prior is None else prior))
    if (losses @ law).min() > 0:
        C = dc.Channel(matrix)
        assert dc.bayes_security(C, law, dc.gain_matrix(-losses)) >= bayes_security_of_losses(C, len(losses)) - 1e-12


@pytest.mark.parametrize("classes", [[0, 0, 1, 2], [0, 1, 1, 1], [0, 1, 0, 1]])
def test_naming_a_block_of_a_partition_is_no_worse_than_naming_the_secret(classes):
    rng = np.random.default_rng(0)
    gain = dc.gain_matrix(np.equal.outer(range(max(classes) + 1), classes).astype(float))
    for _ in range(20):
        C = dc.Channel(rng.dirichlet(np.ones(4), size=4))
        assert dc.bayes_security(C, rng.dirichlet(np.ones(4)), gain) >= dc.bayes_security(C) - 1e-12


@given(st.data())
def test_no_gain_is_raised_beyond_what_is_known_of_it_beforehand(data):
    matrix = data.draw(matrices())
    k = len(matrix)
    gain = np.abs(data.draw(gains(k).filter(lambda gain: gain is not None)))
    prior = data.draw(priors(k))
    C, wanted = dc.Channel(matrix), dc.gain_matrix(gain)
    before = dc.prior_vulnerability(np.full(k, 1 / k) if prior is None else prior, wanted)
    bounds = posterior_vulnerability_bounds(C, min(before, gain.max()), gain.max())
    assert bounds.low - 1e-12 <= dc.posterior_vulnerability(C, prior, wanted) <= bounds.high + 1e-12


@settings(max_examples=10, deadline=None)
@given(st.data())
@pytest.mark.parametrize("mechanism", MECHANISMS[::7])
def test_capacities_bound_every_leakage_of_a_mechanism(mechanism, data):
    k = mechanism.secrets
    gain = data.draw(gains(k, lowest=0).filter(lambda gain: gain is None or gain.any()))
    wanted = None if gain is None else dc.gain_matrix(gain)
    prior = data.draw(priors(k))
    law = np.full(k, 1 / k) if prior is None else prior
    after, before = dc.posterior_vulnerability(mechanism, prior, wanted), dc.prior_vulnerability(law, wanted)
    assert lowest(after) <= highest(dc.multiplicative_bayes_capacity(mechanism)) * before * (1 + 1e-9) + 1e-12
    assert lowest(after) - before <= highest(dc.measures.additive_capacity(mechanism, wanted)) + 1e-12
    assert lowest(dc.mutual_information(mechanism, prior)) <= dc.shannon_capacity(mechanism).high


def test_what_is_no_vulnerability_is_refused():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    for before, most in ((-0.1, 1), (1.5, 1), (0.5, float("inf")), (float("nan"), 1)):
        with pytest.raises(InvalidValueError):
            posterior_vulnerability_bounds(C, before, most)
    with pytest.raises(InvalidValueError, match="guesses"):
        bayes_security_of_losses(C, 0)


def test_ends_from_a_sampled_capacity_have_its_confidence():
    sampled = dc.Shuffled(dc.UnaryEncoding.oue(3, epsilon=1), 6).seen_by(dc.Uninformed(), seed=1)
    assert posterior_vulnerability_bounds(sampled, 0.1).certified
