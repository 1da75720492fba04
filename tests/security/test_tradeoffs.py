"""The curves that guarantees allow: their formulas, and what is read off them again."""

import math

import pytest

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.security import (
    bayes_security_of_ldp,
    membership_advantage,
    tradeoff_of_bayes_security,
    tradeoff_of_dp,
)

GUARANTEES = [(0, 0), (0, 0.25), (0.5, 0), (1, 0.01), (3, 1e-6), (700, 0), (math.inf, 0), (1, 1)]


@pytest.mark.parametrize(("epsilon", "delta"), GUARANTEES)
@pytest.mark.parametrize("rate", [0, 1e-9, 0.01, 0.3, 0.5, 0.99, 1])
def test_the_curve_of_a_guarantee_is_the_published_one(epsilon, delta, rate):
    ratio = math.exp(min(epsilon, 709))
    expected = max(0, 1 - delta - ratio * rate, (1 - delta - rate) / ratio)
    if math.isinf(epsilon):
        expected = 0
    assert tradeoff_of_dp(epsilon, delta).at(rate) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(("epsilon", "delta"), GUARANTEES[:-2])
def test_a_guarantee_is_read_off_its_curve(epsilon, delta):
    curve = tradeoff_of_dp(epsilon, delta)
    assert curve.epsilon(delta) == pytest.approx(epsilon, abs=1e-15)
    assert curve.delta(epsilon) == pytest.approx(delta, abs=1e-15)
    assert curve.advantage == pytest.approx(membership_advantage(epsilon, delta))
    assert curve.bayes_security == pytest.approx(bayes_security_of_ldp(epsilon, delta), abs=1e-15)


def test_randomized_response_attains_it():
    for rate in (0.01, 0.3, 0.8):
        found = dc.tradeoff(dc.RandomizedResponse(2, epsilon=1.5)).at(rate)
        assert found == pytest.approx(tradeoff_of_dp(1.5).at(rate), rel=1e-12)


def test_bayes_security_allows_no_more_than_its_distance():
    curve = tradeoff_of_bayes_security(0.9)
    assert [round(curve.at(rate), 12) for rate in (0, 0.3, 0.9, 1)] == [0.9, 0.6, 0, 0]
    assert curve.bayes_security == pytest.approx(0.9)
    for system in (dc.Laplace(2), dc.Gaussian(1), dc.RandomizedResponse(4, epsilon=1)):
        allowed = tradeoff_of_bayes_security(dc.bayes_security(system))
        assert all(dc.tradeoff(system).at(rate) >= allowed.at(rate) - 1e-12 for rate in (0.01, 0.2, 0.5, 0.9))


def test_guarantees_compose_as_kairouz_oh_and_viswanath_have_it():
    # Two uses of randomized response are the worst of two ε-private mechanisms.
    once = tradeoff_of_dp(1.0)
    twice = once.compose(once)
    assert twice.epsilon(0) == pytest.approx(2)
    system = dc.repeated(dc.RandomizedResponse(2, epsilon=1), 2)
    assert twice.delta(0.5) == pytest.approx(dc.privacy_profile(system, 0.5))


@pytest.mark.parametrize(
    "wrong", [lambda: tradeoff_of_dp(-1), lambda: tradeoff_of_dp(1, 2), lambda: tradeoff_of_bayes_security(1.5)]
)
def test_what_is_out_of_range_is_refused(wrong):
    with pytest.raises(InvalidValueError, match="must be"):
        wrong()
