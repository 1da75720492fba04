"""What n reports tell of the population: published values, definitions, growth with n, two utilities made of it."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from information.answers import covers, highest, lowest
from information.table import CASES, FAITHFUL, TWO_POINTS, faithful_problems, problems
from oracles import local_closed_forms as closed, local_information as slow
from oracles.population_laws import DirichletLaw
from oracles.promise import exactly

GRR, UE = dc.RandomizedResponse, dc.UnaryEncoding
each_case = pytest.mark.parametrize("case", CASES)


def information(system, n, population=None):
    return dc.information.population_information(system, n, population, rng=1)


@pytest.mark.parametrize(("n", "expected"), [(1, 0.18064300), (5, 0.65666579), (10, 1.00860663), (50, 2.07355438)])
def test_published_information_of_response(n, expected):
    # MATHS, section 3: three values, ε = 2, Jeffreys' prior.
    assert information(GRR(3, epsilon=2), n) == pytest.approx(expected, abs=1e-8)


def test_published_information_of_the_values_themselves():
    # MATHS, section 3; equation D.20 with its sign mended.
    assert information(GRR(3, epsilon=math.inf), 10) == pytest.approx(1.73852718, abs=1e-8)
    assert covers(information(dc.Channel(np.eye(3)), 10), 1.73852718, within=5e-9)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_two_oracles_agree(n):
    case = CASES[7].values[0] if n == 4 else CASES[1].values[0]
    by_quadrature = slow.population_information(case.matrix, n, case.law)
    assert slow.population_information_by_enumeration(case.matrix, n, case.law) == exactly(by_quadrature)


@pytest.mark.one_in(11)
@each_case
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_information_is_its_definition(case, n):
    expected = slow.population_information_by_enumeration(case.matrix, n, case.law)
    assert covers(information(case.system, n, case.population), expected)


@pytest.mark.long
@each_case
def test_information_of_twenty_users_is_its_definition(case):
    expected = slow.population_information(case.matrix, 20, case.law)
    assert covers(information(case.system, 20, case.population), expected)


@settings(max_examples=20)
@given(problems(), st.integers(1, 5))
def test_information_is_its_definition_on_any_channel(case, n):
    expected = slow.population_information(case.matrix, n, case.law)
    assert covers(information(case.system, n, case.population), expected)


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
def test_hundreds_of_answers_to_a_yes_or_no_question(epsilon):
    mechanism, law = GRR(2, epsilon=epsilon), DirichletLaw([0.5, 0.5])
    assert information(mechanism, 400) == exactly(slow.population_information(mechanism.channel().matrix, 400, law))


@pytest.mark.long
@pytest.mark.parametrize("make", [UE.rappor, UE.oue, UE.blh])
def test_unary_encodings_of_three_values(make):
    mechanism = make(3, epsilon=2)
    expected = slow.population_information(mechanism.channel().matrix, 4, DirichletLaw([0.5] * 3))
    assert covers(information(mechanism, 4), expected)
    assert covers(information(mechanism.channel(), 4), expected)


@pytest.mark.parametrize("alpha", [0.01, 1e4])
def test_populations_that_are_nearly_certain_or_nearly_even(alpha):
    mechanism = GRR(2, epsilon=2)
    expected = slow.population_information(mechanism.channel().matrix, 3, DirichletLaw([alpha] * 2))
    assert covers(information(mechanism, 3, dc.Dirichlet([alpha] * 2)), expected, within=1e-11)


# One user, no noise, no information.


@each_case
def test_one_report_tells_of_the_population_what_it_does_not_tell_of_its_sender(case):
    # I(Y; P) = I(Y; X) - I(Y; X | P), and the latter is what privacy gives up.
    prior = None if case.population is None else case.population.mean
    given_up = (1 - slow.average_privacy(case.matrix, case.law)) * slow.entropy_of_value(case.law)
    expected = dc.mutual_information(case.system, prior) - given_up
    assert covers(information(case.system, 1, case.population), expected, within=1e-11)


@pytest.mark.parametrize("system", [GRR(3, epsilon=0), UE.oue(3, epsilon=0), dc.Channel([[0.3, 0.7]] * 3)], ids=repr)
@pytest.mark.parametrize("population", [None, TWO_POINTS], ids=["Jeffreys", "two points"])
def test_reports_that_say_nothing_tell_nothing(system, population):
    for n in (1, 10):
        assert covers(information(system, n, population), 0)
        assert covers(dc.information.distribution_utility(system, n, population, rng=1), 0)


@pytest.mark.parametrize("n", [1, 2, 10])
def test_the_values_themselves_are_of_full_utility(n):
    for system in (GRR(3, epsilon=math.inf), dc.Channel(np.eye(3)[[1, 2, 0]])):
        assert covers(dc.information.distribution_utility(system, n, rng=1), 1)


# Growth with the number of users.


@each_case
def test_every_user_adds_and_each_less_than_the_one_before(case):
    # P given, reports are independent, so I(Y_n; P | Y_1 … Y_(n-1)) falls with n and is never negative.
    known = [0.0] + [information(case.system, n, case.population) for n in range(1, 6)]
    gains = [(lowest(b) - highest(a), highest(b) - lowest(a)) for a, b in itertools.pairwise(known)]
    assert all(high >= 0 for _, high in gains)
    assert all(earlier[1] >= later[0] for earlier, later in itertools.pairwise(gains))


def test_enough_reports_tell_which_of_two_populations_it_is():
    # LDP-info, Remark 4.4: never more than the entropy of the choice, and in the end all of it.
    everything = -0.25 * math.log(0.25) - 0.75 * math.log(0.75)
    known = [information(GRR(3, epsilon=2), n, TWO_POINTS) for n in (10, 60, 300)]
    assert all(lowest(answer) <= everything for answer in known)
    assert float(known[0]) < float(known[1]) < float(known[2])
    assert float(known[2]) == pytest.approx(everything, abs=1e-3)


@pytest.mark.parametrize(("alpha", "rate"), [(0.5, 0.25), (1.0, 0.5), (4.0, 1.0)])
def test_digit_utility_goes_to_the_asymptotic_one(alpha, rate):
    # LDP-info, Corollary 6.8 (6.4). The estimate is off by 1/√n near empty values, where Dirichlet's density is like
    # P^(α-1): the difference shrinks like n^(-α/2), and like 1/n where that density is smooth.
    population, mechanism = dc.Dirichlet([alpha] * 3), GRR(3, epsilon=2)
    limit = closed.response_asymptotic_utility([alpha] * 3, 2)
    off = {n: dc.information.digit_utility(mechanism, n, population) - math.log(n) / 2 - limit for n in (31, 125, 500)}
    assert off[31] > off[125] > off[500] > 0
    assert math.log(off[125] / off[500]) / math.log(4) == pytest.approx(rate, abs=0.1)


def test_what_distribution_utility_lacks_goes_with_the_logarithm_of_n():
    # (6.5): (1 - U) I(X⃗; P) tends to (a-1)(C - U^as), from below, as the mended digit utilities of both do.
    mechanism = GRR(3, epsilon=2)
    limit = 2 * (
        dc.information.asymptotic_utility(GRR(3, epsilon=math.inf)) - dc.information.asymptotic_utility(mechanism)
    )
    lacks = []
    for n in (10, 100, 500):
        everything = information(GRR(3, epsilon=math.inf), n)
        lacks.append((1 - dc.information.distribution_utility(mechanism, n)) * everything)
        assert lacks[-1] == exactly(everything - information(mechanism, n))
    assert lacks[0] < lacks[1] < lacks[2] < limit


@pytest.mark.long
@pytest.mark.parametrize(("C", "rank"), [([[0.99, 0.01], [0.5, 0.5], [0.01, 0.99]], 2), ([[0.4, 0.6]] * 3, 1)])
def test_information_grows_by_half_a_logarithm_for_each_dimension_that_is_seen(C, rank):
    # LDP-info, Theorem 6.7.1, for protocols that are not faithful; the law is smooth, the limit near.
    few, many = (information(dc.Channel(C), n, dc.Dirichlet([2, 2, 2])) for n in (100, 400))
    expected = slow.population_information(np.array(C), 400, DirichletLaw([2, 2, 2]))
    assert covers(many, expected, within=1e-11)
    assert float(many) - float(few) == pytest.approx((rank - 1) / 2 * math.log(4), rel=0.1, abs=1e-9)


# The two utilities.


@pytest.mark.long
@each_case
@pytest.mark.parametrize("n", [1, 3])
def test_distribution_utility_is_its_definition(case, n):
    expected = slow.distribution_utility(case.matrix, n, case.law)
    answer = dc.information.distribution_utility(case.system, n, case.population, rng=1)
    assert covers(answer, expected)
    assert 0 <= float(answer) <= 1


@settings(max_examples=15)
@given(problems(), st.integers(1, 4))
def test_distribution_utility_is_its_definition_on_any_channel(case, n):
    assume(slow.population_information(np.eye(len(case.matrix)), n, case.law) > 1e-3)
    expected = slow.distribution_utility(case.matrix, n, case.law)
    assert covers(dc.information.distribution_utility(case.system, n, case.population, rng=1), expected, within=1e-11)


@pytest.mark.parametrize("case", FAITHFUL)
@pytest.mark.parametrize("n", [1, 3])
def test_digit_utility_is_its_definition(case, n):
    expected = slow.digit_utility(case.matrix, n, case.law)
    assert covers(dc.information.digit_utility(case.system, n, case.population, rng=1), expected)


@settings(max_examples=10)
@given(faithful_problems(), st.integers(1, 3))
def test_digit_utility_is_its_definition_on_any_channel(case, n):
    expected = slow.digit_utility(case.matrix, n, case.law)
    assert covers(dc.information.digit_utility(case.system, n, case.population, rng=1), expected)


# Nothing that says the same changes the answer.


@settings(max_examples=15)
@given(problems(), st.integers(1, 3), st.randoms(use_true_random=False))
def test_names_and_copies_of_reports_do_not_matter(case, n, random):
    C, expected = case.matrix, slow.population_information(case.matrix, n, case.law)
    columns = random.sample(range(C.shape[1]), C.shape[1])
    split = np.hstack([C / 4, np.zeros((len(C), 1)), 0.75 * C])
    for same in (C[:, columns], split):
        assert covers(information(dc.Channel(same), n, case.population), expected)


@settings(max_examples=15)
@given(problems(continuous=True), st.integers(1, 3), st.randoms(use_true_random=False))
def test_names_of_values_do_not_matter(case, n, random):
    rows = random.sample(range(len(case.matrix)), len(case.matrix))
    expected = slow.population_information(case.matrix, n, case.law)
    assert covers(information(dc.Channel(case.matrix[rows]), n, dc.Dirichlet(case.population.alpha[rows])), expected)


# Large crowds.


@pytest.mark.long
def test_many_users_and_values_are_an_estimate_with_a_narrow_interval():
    answer = information(GRR(10, epsilon=2), 1000)
    assert isinstance(answer, dc.Estimate)
    assert information(GRR(10, epsilon=2), 1000) == answer  # of the same seed
    assert answer.high - answer.value < 2e-3
    assert answer.value - answer.low < 2e-3
    assert answer.method
    # It is no more than what all values told, and no less than what a tenth of the users tell.
    assert lowest(information(GRR(10, epsilon=math.inf), 1000)) > answer.high
    assert highest(information(GRR(10, epsilon=2), 100)) < answer.low


@pytest.mark.long
def test_large_crowds_approach_the_asymptote():
    # A smooth law, for which the difference is below 20/n.
    alpha, mechanism = [4.0] * 5, GRR(5, epsilon=4)
    limit = closed.response_asymptotic_utility(alpha, 4) + math.log(10_000) / 2
    answer = dc.information.digit_utility(mechanism, 10_000, dc.Dirichlet(alpha), rng=1)
    assert lowest(answer) - 2e-3 <= limit <= highest(answer) + 2e-3
