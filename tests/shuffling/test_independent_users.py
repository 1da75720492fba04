"""Independent users whose values are all secret: what factorises equals the channel on datasets written down."""

import math

import pytest

import tacit as tc
from oracles.promise import exactly
from tacit.errors import TooLargeError
from tacit.limits import Limits, within
from tacit.shuffling import dataset_channel

MECHANISMS = {
    "randomized response": tc.RandomizedResponse(3, epsilon=1),
    "unary encoding": tc.UnaryEncoding.oue(2, epsilon=0.5),
    "a channel": tc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375]]),
}
FACTORISING = [
    tc.posterior_vulnerability,
    tc.bayes_risk,
    tc.multiplicative_bayes_capacity,
    tc.mutual_information,
    tc.ldp_epsilon,
    lambda system: tc.renyi_dp(system, 2),
]


def not_written_down(mechanism, n):
    with within(Limits(most_entries=1)):
        return dataset_channel(mechanism, n)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("n", [1, 3])
def test_what_factorises_is_that_of_the_channel_on_datasets(mechanism, n):
    users, whole = not_written_down(mechanism, n), dataset_channel(mechanism, n)
    assert users.secrets == whole.secrets
    for ask in FACTORISING:
        assert ask(users) == exactly(ask(whole))
    kept, truth = tc.bayes_security(users), tc.bayes_security(whole)
    if isinstance(kept, tc.Estimate):
        assert kept.low <= truth <= kept.high
    else:
        assert kept == exactly(truth)


def test_losses_that_are_known_for_all_pairs_give_the_privacy_profile():
    users, whole = (make(MECHANISMS["randomized response"], 3) for make in (not_written_down, dataset_channel))
    for epsilon in (0.0, 1.0, 2.5):
        assert tc.privacy_profile(users, epsilon) == exactly(tc.privacy_profile(whole, epsilon))


@pytest.mark.long
def test_a_million_users_are_measured_by_one():
    users = dataset_channel(tc.RandomizedResponse(5, epsilon=1), 10**6)
    assert tc.ldp_epsilon(users) == exactly(10**6)
    one = tc.mutual_information(tc.RandomizedResponse(5, epsilon=1))
    assert tc.mutual_information(users) == exactly(10**6 * one)
    assert tc.bayes_risk(users) == exactly(1)
    with pytest.raises(TooLargeError, match=r"to the power of 1,000,000"):
        tc.multiplicative_bayes_capacity(users)
    with pytest.raises(TooLargeError, match="prior on more than 100,000,000 values"):
        tc.leakage(users)
    with pytest.raises(TooLargeError, match="datasets of 10,000,000,000 users"):
        dataset_channel(tc.RandomizedResponse(5, epsilon=1), 10**10)


def test_what_does_not_factorise_is_refused_with_a_way_out():
    users = not_written_down(MECHANISMS["a channel"], 3)
    skewed = [0.5, *[0.5 / 7] * 7]
    for ask in (
        lambda: tc.posterior_vulnerability(users, skewed),
        lambda: tc.posterior_vulnerability(users, gain=tc.gain_matrix([[1] * 4 + [0] * 4])),
        lambda: tc.bayes_risk(users, skewed),
        lambda: tc.mutual_information(users, skewed),
        lambda: tc.privacy_profile(users, math.log(2)),
    ):
        with pytest.raises(TooLargeError, match="factorises by users"):
            ask()
