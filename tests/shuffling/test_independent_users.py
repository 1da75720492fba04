"""Independent users whose values are all secret: what factorises equals the channel on datasets written down."""

import math

import pytest

import discretion as dc
from discretion.errors import TooLargeError
from discretion.shuffling import dataset_channel
from oracles.promise import exactly
from support.lowering import lowered

MECHANISMS = {
    "randomized response": dc.RandomizedResponse(3, epsilon=1),
    "unary encoding": dc.UnaryEncoding.oue(2, epsilon=0.5),
    "a channel": dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.5, 0.375]]),
}
FACTORISING = [
    dc.posterior_vulnerability,
    dc.bayes_risk,
    dc.multiplicative_bayes_capacity,
    dc.mutual_information,
    dc.ldp_epsilon,
    lambda system: dc.renyi_dp(system, 2),
]


def not_written_down(mechanism, n):
    with lowered(MAX_ENTRIES=1):
        return dataset_channel(mechanism, n)


@pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
@pytest.mark.parametrize("n", [1, 3])
def test_what_factorises_is_that_of_the_channel_on_datasets(mechanism, n):
    users, whole = not_written_down(mechanism, n), dataset_channel(mechanism, n)
    assert users.secrets == whole.secrets
    for ask in FACTORISING:
        assert ask(users) == exactly(ask(whole))
    kept, truth = dc.bayes_security(users), dc.bayes_security(whole)
    if isinstance(kept, dc.Estimate):
        assert kept.low <= truth <= kept.high
    else:
        assert kept == exactly(truth)


def test_losses_that_are_known_for_all_pairs_give_the_privacy_profile():
    users, whole = (make(MECHANISMS["randomized response"], 3) for make in (not_written_down, dataset_channel))
    for epsilon in (0.0, 1.0, 2.5):
        assert dc.privacy_profile(users, epsilon) == exactly(dc.privacy_profile(whole, epsilon))


@pytest.mark.long
def test_a_million_users_are_measured_by_one():
    users = dataset_channel(dc.RandomizedResponse(5, epsilon=1), 10**6)
    assert dc.ldp_epsilon(users) == exactly(10**6)
    one = dc.mutual_information(dc.RandomizedResponse(5, epsilon=1))
    assert dc.mutual_information(users) == exactly(10**6 * one)
    assert dc.bayes_risk(users) == exactly(1)
    with pytest.raises(TooLargeError, match=r"to the power of 1,000,000"):
        dc.multiplicative_bayes_capacity(users)
    with pytest.raises(TooLargeError, match="prior has at most 100,000,000 values"):
        dc.leakage(users)
    with pytest.raises(TooLargeError, match="datasets of 10,000,000,000 users"):
        dataset_channel(dc.RandomizedResponse(5, epsilon=1), 10**10)


def test_what_does_not_factorise_is_refused_with_a_way_out():
    users = not_written_down(MECHANISMS["a channel"], 3)
    skewed = [0.5, *[0.5 / 7] * 7]
    for ask in (
        lambda: dc.posterior_vulnerability(users, skewed),
        lambda: dc.posterior_vulnerability(users, gain=dc.gain_matrix([[1] * 4 + [0] * 4])),
        lambda: dc.bayes_risk(users, skewed),
        lambda: dc.mutual_information(users, skewed),
        lambda: dc.privacy_profile(users, math.log(2)),
    ):
        with pytest.raises(TooLargeError, match="factorizes by users"):
            ask()
