"""k-ary randomized response: its parameters, its closed forms at any size."""

import math
import os
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from measures.table import CASES, wrapped
from oracles.channels import exact, randomized_response
from oracles.promise import exactly
from oracles.strategies import gains, priors

MILLION = 1_000_000


def truth(k, epsilon):
    """``e^ε/(k-1+e^ε)`` and its complement's share, to 50 digits."""
    with localcontext() as context:
        context.prec = 50
        total = k - 1 + Decimal(epsilon).exp()
        return Decimal(epsilon).exp() / total, 1 / total


@pytest.mark.parametrize("k", [2, 3, 10, MILLION])
@pytest.mark.parametrize("epsilon", [0.0, 1e-12, 0.25, 1.0, 10.0, 50.0, 700.0])
def test_equation_3_in_both_directions(k, epsilon):
    mechanism = dc.RandomizedResponse(k, epsilon=epsilon)
    p, q = truth(k, epsilon)
    assert mechanism.epsilon == epsilon
    assert mechanism.p == pytest.approx(float(p), rel=1e-14)
    assert dc.bayes_security(mechanism) == pytest.approx(float(k * q), rel=1e-12, abs=0)
    assert dc.bayes_risk(mechanism) == pytest.approx(float((k - 1) * q), rel=1e-12, abs=0)
    if 1e-3 < epsilon < 30:
        back = dc.RandomizedResponse(k, p=mechanism.p)
        assert back.epsilon == exactly(epsilon)


@given(st.integers(2, 6), st.floats(0, 1), st.data())
def test_a_closed_form_agrees_with_the_definition_at_any_p_prior_and_gain(k, where, data):
    p = min(1.0, 1 / k + where * (1 - 1 / k))
    mechanism = dc.RandomizedResponse(k, p=p)
    prior, gain = data.draw(priors(k)), data.draw(gains(k))
    matrix = np.array(randomized_response(k, p))
    for case in CASES:
        if case.meaningful(k, prior, gain) and case.name != "ldp_epsilon":
            assert case.ask(mechanism, prior, gain) == exactly(case.expected(matrix, prior, gain)), case.name
    assert np.allclose(mechanism.channel().matrix, matrix, rtol=1e-14, atol=0)
    assert dc.posterior_vulnerability(mechanism, prior, wrapped(gain)) == exactly(
        dc.posterior_vulnerability(mechanism.channel(), prior, wrapped(gain))
    )


def test_a_million_values_need_no_matrix():
    mechanism = dc.RandomizedResponse(MILLION, epsilon=5)
    p, q = truth(MILLION, 5)
    assert dc.posterior_vulnerability(mechanism) == pytest.approx(float(p), rel=1e-12)
    assert dc.multiplicative_bayes_capacity(mechanism) == pytest.approx(float(MILLION * p), rel=1e-12)
    assert dc.leakage(mechanism) == pytest.approx(float(MILLION * p), rel=1e-12)
    with localcontext() as context:
        context.prec = 50
        information = p * (MILLION * p).ln() + (1 - p) * (MILLION * q).ln()
    assert dc.mutual_information(mechanism) == exactly(information)
    assert dc.leakiest_pair(mechanism) == (0, 1)
    assert dc.ldp_epsilon(mechanism) == 5
    assert len(mechanism.sample(np.arange(1000), rng=1)) == 1000
    assert dc.frequency_error(mechanism, 10**9).share > 0


def test_a_million_by_a_million_matrix_is_refused():
    mechanism = dc.RandomizedResponse(MILLION, epsilon=5)
    with pytest.raises(dc.errors.TooLargeError, match=r"k = 1,000,000"):
        mechanism.channel()
    with pytest.raises(dc.errors.TooLargeError):
        dc.leakiest_pairs(mechanism)


def test_a_prior_on_a_million_values():
    k = MILLION
    prior = np.full(k, 0.5 / (k - 1))
    prior[0] = 0.5
    mechanism = dc.RandomizedResponse(k, p=0.25)
    # Whatever is reported, the likeliest value pays only where the report is not a rare value told truthfully.
    rare, q = 0.5 / (k - 1), 0.75 / (k - 1)
    expected = 0.25 * 0.5 + (k - 1) * max(0.25 * rare, q * 0.5)
    assert dc.posterior_vulnerability(mechanism, prior) == exactly(expected)
    assert dc.bayes_risk(mechanism, prior) == exactly(1 - expected)


@pytest.mark.parametrize("k", [2, 5])
@pytest.mark.parametrize("rare", [4.611745495256117e-09, 1e-300])
def test_who_is_nearly_sure_of_a_value_keeps_all_of_her_small_error(k, rare):
    mechanism, prior = dc.RandomizedResponse(k, epsilon=1e-3), [*[rare] * (k - 1), 1 - (k - 1) * rare]
    assert dc.bayes_risk(mechanism, prior) == pytest.approx((k - 1) * rare, rel=1e-12, abs=0)
    assert dc.bayes_security(mechanism, prior) == exactly(1)


def test_epsilon_zero_tells_nothing_and_infinity_everything():
    nothing, everything = dc.RandomizedResponse(4, epsilon=0), dc.RandomizedResponse(4, epsilon=math.inf)
    assert (nothing.p, dc.bayes_security(nothing), dc.mutual_information(nothing)) == (0.25, 1.0, 0.0)
    assert (everything.p, dc.bayes_security(everything)) == (1.0, 0.0)
    assert (dc.ldp_epsilon(nothing), dc.ldp_epsilon(everything)) == (0.0, math.inf)
    assert dc.mutual_information(everything) == exactly(math.log(4))
    assert dc.RandomizedResponse(4, p=1).epsilon == math.inf
    assert np.array_equal(everything.sample([0, 1, 2, 3], rng=None), [0, 1, 2, 3])
    assert np.array_equal(everything.estimate_frequencies([0, 1, 1, 3]), [0.25, 0.5, 0, 0.25])
    assert np.array_equal(everything.frequency_variance(5), np.zeros(4))


@pytest.mark.parametrize("epsilon", [700.0, 720.0, 744.0, 800.0])
def test_a_lie_too_rare_for_doubles_still_gives_an_answer(epsilon):
    mechanism = dc.RandomizedResponse(3, epsilon=epsilon)
    assert mechanism.epsilon == epsilon
    assert dc.posterior_vulnerability(mechanism, [0.5, 0.25, 0.25]) == 1.0
    assert dc.mutual_information(mechanism) == exactly(math.log(3))
    assert dc.bayes_risk(mechanism) == pytest.approx(2 * math.exp(-epsilon), rel=1e-9)


@pytest.mark.parametrize("epsilon", [3.0, 40.0, 700.0])
def test_a_lie_too_rare_for_a_rounded_truth_is_still_told(monkeypatch, epsilon):
    # The system's randomness is nothing but zeros: below every probability, and the first of the values.
    monkeypatch.setattr(os, "urandom", bytes)
    assert dc.RandomizedResponse(3, epsilon=epsilon).sample([1, 2]).tolist() == [0, 0]


@pytest.mark.parametrize("k", range(2, 201))
def test_one_over_k_is_the_coin_that_tells_nothing(k):
    # Whatever the rounding of 1/k, and to each of its answers alike.
    mechanism = dc.RandomizedResponse(k, p=1 / k)
    assert dc.ldp_epsilon(mechanism) == 0
    assert dc.bayes_security(mechanism) == exactly(1)
    assert np.all(np.isinf(mechanism.frequency_variance(100)))
    with pytest.raises(dc.errors.InvalidValueError, match="have no information on"):
        mechanism.estimate_frequencies([0, 1])


@pytest.mark.parametrize("epsilon", [1e-16, 1e-150, 1e-200, 5e-324])
def test_next_to_nothing_needs_next_to_infinitely_many_people(epsilon):
    assert np.all(dc.RandomizedResponse(3, epsilon=epsilon).frequency_variance(10) > 1e30)


@pytest.mark.parametrize("epsilon", [1e-200, 5e-324])
def test_an_estimate_whose_variance_overflows_is_none(epsilon):
    with pytest.raises(dc.errors.InvalidValueError, match=f"epsilon = {epsilon:g} have no information on"):
        dc.RandomizedResponse(3, epsilon=epsilon).estimate_frequencies([0, 1])


@pytest.mark.parametrize(
    ("reports", "words"),
    [([0, 3], r"0\.\.2, got 3"), ([-1], r"0\.\.2, got -1"), ([[0]], r"shape \(1, 1\)"), ([True], "bool")],
)
def test_a_report_is_one_of_the_values(reports, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        dc.RandomizedResponse(3, p=0.5).estimate_frequencies(reports)


def test_the_variance_is_of_the_noise_alone():
    # Without noise the shares are known exactly: the people are not a sample.
    assert dc.frequency_error(dc.RandomizedResponse(3, p=1), 100, [0.2, 0.3, 0.5]) == (0.0, 0.0)
    assert dc.frequency_error(dc.RandomizedResponse(3, epsilon=0), 100).share == math.inf


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"k": 1, "p": 1.0}, "k .*at least 2, got 1"),
        ({"k": 0, "p": 1.0}, "got 0"),
        ({"k": 2.0, "p": 1.0}, r"got 2\.0"),
        ({"k": True, "p": 1.0}, "got True"),
        ({"k": "3", "p": 1.0}, "got '3'"),
        ({"k": 4, "p": 0.2}, r"\[0\.25, 1\].*got 0\.2"),
        ({"k": 4, "p": 1.0000001}, r"got 1\.0000001"),
        ({"k": 4, "p": -0.5}, r"got -0\.5"),
        ({"k": 4, "p": math.nan}, "got nan"),
        ({"k": 4, "p": "0.5"}, r"got '0\.5'"),
        ({"k": 4, "p": True}, "got True"),
        ({"k": 4, "epsilon": -0.1}, r"at least 0, got -0\.1"),
        ({"k": 4, "epsilon": -math.inf}, "got -inf"),
        ({"k": 4, "epsilon": 10**400}, "epsilon must be a number"),
        ({"k": 4, "epsilon": math.nan}, "got nan"),
        ({"k": 4, "epsilon": "1"}, "got '1'"),
        ({"k": 4}, "exactly one of epsilon and p, got none"),
        ({"k": 4, "epsilon": 1, "p": 0.5}, "exactly one of epsilon and p, got both"),
    ],
)
def test_parameters_out_of_range_are_refused(arguments, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        dc.RandomizedResponse(**arguments)


def test_a_mechanism_is_its_channel_to_the_oracle():
    assert exact(dc.RandomizedResponse(3, p=0.5).channel().matrix) == exact(np.array(randomized_response(3, 0.5)))


@pytest.mark.parametrize("name", ["k", "p", "epsilon"])
def test_a_mechanism_does_not_change(name):
    with pytest.raises(AttributeError):
        setattr(dc.RandomizedResponse(3, p=0.5), name, 1)


def test_the_methods_are_named():
    mechanism = dc.RandomizedResponse(3, p=0.5)
    assert dc.method(dc.posterior_vulnerability, mechanism) == ("closed form of k-RR (Shuffle Prop. 15)", "closed form")
    assert dc.method(dc.bayes_security, mechanism) == ("closed form of k-RR (Bayes-sec eq. 7)", "closed form")
    for measure in (dc.bayes_risk, dc.mutual_information, dc.ldp_epsilon, dc.multiplicative_bayes_capacity):
        assert dc.method(measure, mechanism) == ("closed form of k-RR", "closed form")
