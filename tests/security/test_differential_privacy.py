"""Bayes security and differential privacy: what one says of the other, and mechanisms that attain it."""

import itertools
import math
from decimal import Decimal, localcontext
from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import discretion as dc
from discretion.security import (
    bayes_security_of_databases,
    bayes_security_of_ldp,
    delta_of_bayes_security,
    epsilon_of_bayes_security,
    membership_advantage,
    success_probability,
    yeom_advantage,
)
from oracles.promise import exactly
from oracles.strategies import matrices, stochastic

EPSILONS = [0.0, 1e-9, 0.1, 1.0, 5.0, 30.0]
DELTAS = [0.0, 1e-6, 0.25, 1.0]
SEVERAL = st.integers(2, 4)


def dominating_pair(epsilon, delta=0.0):
    """The pair that no (ε, δ)-close pair is easier to tell apart than (Kairouz, Oh and Viswanath, 2015)."""
    p = 1 / (1 + math.exp(-epsilon))
    q = math.exp(-epsilon) / (1 + math.exp(-epsilon))
    honest = 1 - delta
    return dc.Channel([[delta, 0, honest * p, honest * q], [0, delta, honest * q, honest * p]])


def erasure(beta):
    """Shows the secret with probability 1 - β, and nothing otherwise."""
    return dc.Channel([[1 - beta, 0, beta], [0, 1 - beta, beta]])


def figure_3_left(n, m, k, epsilon):
    """Two rows of k and m - k entries, in all 1/(1+e^ε) and e^ε/(1+e^ε), and other rows half way between."""
    p = 1 / (1 + math.exp(-epsilon))
    first = np.repeat([p / k, (1 - p) / (m - k)], [k, m - k])
    second = np.repeat([(1 - p) / k, p / (m - k)], [k, m - k])
    return np.array([first, second] + [(first + second) / 2] * (n - 2))


def figure_3_right(n, m, epsilon):
    """Two opposite rows on two observations, the other rows copies of the first."""
    p = 1 / (1 + math.exp(-epsilon))
    first = [p, 1 - p] + [0.0] * (m - 2)
    return np.array([first, [1 - p, p] + [0.0] * (m - 2)] + [first] * (n - 2))


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_theorem_5_and_its_like_for_delta_are_attained(epsilon, delta):
    C = dominating_pair(epsilon, delta)
    assert dc.privacy_profile(C, epsilon) == exactly(delta)
    assert bayes_security_of_ldp(epsilon, delta) == exactly(dc.bayes_security(C))
    assert membership_advantage(epsilon, delta) == exactly(dc.total_variation(*C.matrix))
    assert membership_advantage(epsilon, delta) == exactly(1 - dc.bayes_security(C, [0.5, 0.5]))


@given(matrices(), st.floats(0, 6))
def test_theorem_5_holds_for_every_epsilon_and_delta_that_a_channel_has(matrix, epsilon):
    C = dc.Channel(matrix)
    assert dc.bayes_security(C) >= bayes_security_of_ldp(epsilon, dc.privacy_profile(C, epsilon)) - 1e-12
    assert dc.bayes_security(C) >= bayes_security_of_ldp(dc.ldp_epsilon(C)) - 1e-12


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 2), (2, 5), (4, 3), (7, 6)])
def test_figure_3_corrected(n, m, epsilon):
    ways = [figure_3_left(n, m, k, epsilon) for k in range(1, m)] + [figure_3_right(n, m, epsilon)]
    for matrix in ways:
        C = dc.Channel(matrix)  # which checks that its rows are stochastic
        assert C.shape == (n, m)
        assert dc.ldp_epsilon(C) == exactly(epsilon)
        assert dc.bayes_security(C) == exactly(bayes_security_of_ldp(epsilon))


def test_figure_3_as_printed_is_no_such_channel():
    epsilon, m = 1.0, 5
    d, e = math.exp(epsilon) / (1 + math.exp(epsilon)), 1 / (1 + math.exp(epsilon))
    right = dc.Channel([[d, e], [e, d], [1, 0]])
    assert math.isinf(dc.ldp_epsilon(right))
    for k in range(1, m):  # stochastic for m = 2k only: never, for an odd m
        a, b = d / k, e / (m - k)
        with pytest.raises(dc.errors.InvalidChannelError, match="row 1 sums to"):
            dc.Channel([[a] * k + [b] * (m - k), [b] * k + [a] * (m - k)])
    # Nor do its other rows, all 1/m, keep to ε for every k: here a is more than e^ε times as much.
    wide = 12
    assert d / 1 > math.exp(epsilon) / wide


@given(matrices(rows=SEVERAL), st.floats(0, 6))
def test_proposition_2_both_ways_and_what_it_says_of_other_epsilons(matrix, epsilon):
    C = dc.Channel(matrix)
    beta = dc.bayes_security(C)
    assert dc.privacy_profile(C, 0) == exactly(delta_of_bayes_security(beta))
    assert delta_of_bayes_security(beta, epsilon) - 1e-12 <= dc.privacy_profile(C, epsilon) <= 1 - beta + 1e-12
    assert dc.ldp_epsilon(C) >= epsilon_of_bayes_security(beta) - 1e-9


@given(st.floats(0, 1), st.floats(0, 6))
def test_the_least_and_the_most_delta_are_attained(beta, epsilon):
    least = delta_of_bayes_security(beta, epsilon)
    if least > 0:
        C = dominating_pair(epsilon, least)
        assert dc.bayes_security(C) == pytest.approx(beta, abs=1e-12)
        assert dc.privacy_profile(C, epsilon) == pytest.approx(least, abs=1e-12)
    assert dc.privacy_profile(erasure(beta), epsilon) == pytest.approx(1 - beta, abs=1e-12)
    assert dc.bayes_security(erasure(beta)) == pytest.approx(beta, abs=1e-12)


@given(st.floats(1e-3, 1), st.floats(0, 1))
def test_epsilon_delta_and_bayes_security_are_each_others_inverses(beta, delta):
    epsilon = epsilon_of_bayes_security(beta, delta)
    if delta < 1 - beta:
        assert bayes_security_of_ldp(epsilon, delta) == exactly(beta)
        assert delta_of_bayes_security(beta, epsilon) == pytest.approx(delta, abs=1e-12)
    else:
        assert epsilon == 0.0


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
@pytest.mark.parametrize(("people", "values"), list(itertools.product([1, 2, 3], [2, 3, 4])))
def test_corollary_1_is_attained_by_people_who_randomize_their_values(people, values, epsilon):
    one = dc.RandomizedResponse(values, epsilon=epsilon).channel().matrix
    databases = dc.Channel(reduce(np.kron, [one] * people))
    uniform = np.full(values**people, values**-people)
    expected = dc.bayes_security(databases, uniform)
    assert bayes_security_of_databases(epsilon, people, values) == exactly(expected)
    assert bayes_security_of_databases(epsilon, people, values, values**-people) == exactly(expected)


@given(st.data(), st.integers(1, 2), st.integers(2, 3), st.floats(0, 4))
def test_corollary_1_holds_for_every_prior_of_the_databases(data, people, values, epsilon):
    one = dc.RandomizedResponse(values, epsilon=epsilon).channel().matrix
    databases = dc.Channel(reduce(np.kron, [one] * people))
    prior = data.draw(stochastic(1, values**people))[0]
    assume(prior.max() < 1)
    promised = bayes_security_of_databases(epsilon, people, values, prior.max())
    assert dc.bayes_security(databases, prior) >= promised - 1e-12


@pytest.mark.parametrize("people", [1, 40, 10**9])
@pytest.mark.parametrize("epsilon", [1e-8, 1.0, 20.0, 700.0])
@pytest.mark.parametrize("values", [2, 1000])
@pytest.mark.parametrize("prior_maximum", [None, 0.999, 1e-300])
def test_corollary_1_at_extremes(people, epsilon, values, prior_maximum):
    with localcontext() as context:
        context.prec = 400
        context.Emin, context.Emax = -(10**15), 10**15
        mean = (Decimal(values).ln() * -people).exp()
        likeliest = mean if prior_maximum is None else Decimal(prior_maximum)
        if likeliest < mean:
            with pytest.raises(dc.errors.InvalidValueError, match="prior_maximum"):
                bayes_security_of_databases(epsilon, people, values, prior_maximum)
            return
        ratio = Decimal(epsilon).exp()
        leaked = ((values * ratio / (values - 1 + ratio)).ln() * people).exp()
        expected = max(Decimal(0), (1 - likeliest * leaked) / (1 - likeliest))
    assert bayes_security_of_databases(epsilon, people, values, prior_maximum) == exactly(expected)


@pytest.mark.parametrize("epsilon", [700.0, math.inf])
def test_no_privacy_promises_nothing(epsilon):
    assert bayes_security_of_ldp(epsilon) == exactly(0)
    assert membership_advantage(epsilon) == yeom_advantage(epsilon) == 1.0
    assert bayes_security_of_databases(epsilon, 3, 2) == exactly(0)
    assert bayes_security_of_databases(epsilon, 3, 2, 0.5) == 0.0
    assert delta_of_bayes_security(0.1, epsilon) == 0.0
    assert delta_of_bayes_security(0.0, epsilon) == 1.0


def test_perfect_privacy_and_none_at_all():
    assert bayes_security_of_ldp(0) == bayes_security_of_databases(0, 5, 3) == 1.0
    assert membership_advantage(0) == yeom_advantage(0) == epsilon_of_bayes_security(1.0) == 0.0
    assert delta_of_bayes_security(1.0) == 0.0
    assert epsilon_of_bayes_security(0.0) == math.inf
    assert epsilon_of_bayes_security(0.0, delta=1.0) == 0.0
    assert (success_probability(1.0), success_probability(0.0)) == (0.5, 1.0)


def test_bayes_security_near_0_still_bounds_epsilon():
    assert epsilon_of_bayes_security(1e-300) == exactly(math.log(2) + 300 * math.log(10))
    assert delta_of_bayes_security(1e-300, 600) == exactly(1 - 1e-300 * math.exp(600) / 2)


@given(st.floats(0, 5))
def test_figure_4_yeoms_bound_is_looser(epsilon):
    assert yeom_advantage(epsilon) >= membership_advantage(epsilon) - 1e-15
    assert 1 - membership_advantage(epsilon) == exactly(bayes_security_of_ldp(epsilon))
    assert 1 - yeom_advantage(epsilon) == exactly(max(0.0, 2 - math.exp(epsilon)))


@given(matrices(rows=SEVERAL))
def test_the_success_probability_is_that_of_guessing_between_the_leakiest_two(matrix):
    C = dc.Channel(matrix)
    two = dc.restricted(C, dc.leakiest_pair(C))
    assert success_probability(dc.bayes_security(C)) == exactly(dc.posterior_vulnerability(two))


def test_success_probabilities_that_section_vi_quotes():
    laplace = math.exp(-0.1 / 2)
    gaussian = math.erfc(1 / (2 * math.sqrt(2 * math.log(1.25 / 1e-6))) / math.sqrt(2))
    assert round(success_probability(laplace), 3) == 0.524  # the paper says roughly 0.525, from 0.95
    assert round(success_probability(gaussian), 3) == 0.538


def test_an_interval_stays_one():
    security = dc.Estimate(0.4, low=0.3, high=0.5, confidence=0.95, method="samples")
    guess = success_probability(security)
    assert (guess.low, guess.value, guess.high) == (exactly(0.75), exactly(0.8), exactly(0.85))
    assert guess.confidence == 0.95
    assert delta_of_bayes_security(security).low == exactly(0.5)
    assert epsilon_of_bayes_security(security).low == exactly(math.log(3))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: bayes_security_of_ldp(-1), "epsilon must be at least 0"),
        (lambda: bayes_security_of_ldp(math.nan), "epsilon must be a number"),
        (lambda: bayes_security_of_ldp(1, 1.5), r"delta must be in \[0, 1\], got 1.5"),
        (lambda: membership_advantage(1, -0.1), r"delta must be in \[0, 1\]"),
        (lambda: yeom_advantage("1"), "epsilon must be a number"),
        (lambda: delta_of_bayes_security(1.1), r"bayes_security must be in \[0, 1\], got 1.1"),
        (lambda: epsilon_of_bayes_security(-0.1), r"bayes_security must be in \[0, 1\]"),
        (lambda: success_probability(dc.Estimate(0.5, 0, 2, None, "")), r"bayes_security must be in \[0, 1\]"),
        (lambda: bayes_security_of_databases(1, 0, 2), "people must be a whole number of at least 1"),
        (lambda: bayes_security_of_databases(1, 1, 1), "values must be a whole number of at least 2"),
        (lambda: bayes_security_of_databases(1, 1, 10**400), "values must be at most"),
        (lambda: bayes_security_of_databases(1, 2, 2, 0.2), r"prior_maximum must be in \[1/values"),
        (lambda: bayes_security_of_databases(1, 2, 2, 1.0), "prior_maximum"),
    ],
)
def test_what_is_out_of_range_is_refused(ask, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        ask()
