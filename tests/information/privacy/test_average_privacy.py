"""Average and worst-case privacy: published values, definitions, and no digit lost at either end."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from scipy.special import digamma

import discretion as dc
from information.answers import covers, highest, lowest
from information.table import CASES, problems
from oracles import local_closed_forms as closed, local_information as slow, measures
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import matrices

GRR, UE = dc.RandomizedResponse, dc.UnaryEncoding
MILLION = 1_000_000
EPSILONS = [1e-6, 1e-3, 0.1, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0]
MAKERS = {"GRR": GRR, "RAPPOR": UE.rappor, "OUE": UE.oue, "BLH": UE.blh}
each_case = pytest.mark.parametrize("case", CASES)
each_maker = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


@pytest.mark.parametrize(
    ("k", "response", "rappor", "oue", "blh"),
    [
        (3, 0.62140509, 0.74870720, 0.79026089, 0.79704335),
        (5, 0.70452956, 0.77017423, 0.80451275, 0.81945816),
        (10, 0.81315250, 0.80162635, 0.82649874, 0.84969848),
    ],
)
def test_published_privacy_at_epsilon_2(k, response, rappor, oue, blh):
    # MATHS, section 3: Jeffreys' prior.
    asked = [dc.information.average_privacy(make(k, epsilon=2)) for make in MAKERS.values()]
    assert asked == [pytest.approx(value, abs=1e-8) for value in (response, rappor, oue, blh)]


@each_case
def test_average_privacy_is_its_definition(case):
    assert covers(
        dc.information.average_privacy(case.system, case.population), slow.average_privacy(case.matrix, case.law)
    )


@settings(max_examples=25)
@given(problems())
def test_average_privacy_is_its_definition_on_any_channel(case):
    assume(slow.entropy_of_value(case.law) > 1e-6)
    assert covers(
        dc.information.average_privacy(case.system, case.population), slow.average_privacy(case.matrix, case.law)
    )


@each_case
def test_privacy_is_the_share_of_the_private_that_stays_hidden(case):
    answer = dc.information.average_privacy(case.system, case.population)
    assert 0 <= float(answer) <= 1
    assert not isinstance(answer, dc.Estimate) or 0 <= answer.low <= answer.high <= 1


@each_maker
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.01, 2, 12])
def test_an_explicit_channel_is_as_private_as_the_closed_form(make, k, epsilon):
    mechanism = make(k, epsilon=epsilon)
    in_closed_form = dc.information.average_privacy(mechanism)
    assert isinstance(in_closed_form, float)
    assert covers(dc.information.average_privacy(mechanism.channel()), in_closed_form)


@pytest.mark.parametrize("alpha", [[0.5] * 10, [0.1, 0.3, 0.5, 1, 1, 2, 4, 8, 8, 20], [50.0] * 10])
@pytest.mark.parametrize("epsilon", [0.5, 4])
def test_response_among_ten_values_under_any_dirichlet_law(alpha, epsilon):
    expected, population = closed.response_privacy(alpha, epsilon), dc.Dirichlet(alpha)
    mechanism = GRR(10, epsilon=epsilon)
    assert dc.information.average_privacy(mechanism, population) == exactly(expected)
    assert covers(dc.information.average_privacy(mechanism.channel(), population), expected)


@pytest.mark.parametrize("make", [UE.rappor, UE.oue, UE.blh])
@pytest.mark.parametrize(("k", "alpha", "epsilon"), [(3, 0.5, 1), (10, 2.0, 3), (40, 0.5, 0.5), (500, 0.5, 2)])
def test_unary_encodings_of_many_values_under_symmetric_laws(make, k, alpha, epsilon):
    mechanism = make(k, epsilon=epsilon)
    expected = closed.unary_privacy(k, alpha, mechanism.kappa, mechanism.lam)
    assert covers(dc.information.average_privacy(mechanism, dc.Dirichlet([alpha] * k)), expected, within=1e-11)


@pytest.mark.parametrize("half", range(1, 7))
def test_parity_hides_something_on_average_and_nothing_in_the_worst_case(half):
    # LDP-info, Example 3.2 and equation 4.3; remark 5.5 for the worst case.
    parity = dc.Channel(np.eye(2)[np.arange(2 * half) % 2])
    expected = (digamma((half + 2) / 2) - digamma(1.5)) / (digamma(half + 1) - digamma(1.5))
    assert covers(dc.information.average_privacy(parity), expected)
    assert dc.information.worst_case_privacy(parity) == 0.0


# Worst-case privacy.


@each_case
def test_worst_case_privacy_is_what_local_privacy_says(case):
    # LDP-info, Theorem 5.3.
    assert dc.information.worst_case_privacy(case.system) == exactly(math.exp(-dc.ldp_epsilon(case.system)))
    assert dc.information.worst_case_privacy(case.system.channel()) == exactly(
        dc.information.worst_case_privacy(case.system)
    )


@given(matrices(rows=st.integers(2, 4)))
def test_worst_case_privacy_is_what_local_privacy_says_on_any_channel(matrix):
    assert dc.information.worst_case_privacy(dc.Channel(matrix)) == exactly(
        (-measures.ldp_epsilon(exact(matrix))).exp()
    )


@each_maker
@pytest.mark.parametrize("epsilon", [0, 1e-12, 1e-6, 1, 50, 700, math.inf])
def test_worst_case_privacy_keeps_its_digits_at_any_epsilon(make, epsilon):
    assert dc.information.worst_case_privacy(make(4, epsilon=epsilon)) == pytest.approx(
        math.exp(-epsilon), rel=1e-10, abs=0
    )


@given(problems())
def test_no_population_and_no_report_reveal_more_than_the_worst_case(case):
    # LDP-info, Definition 5.1: the infimum over laws of P and reports of the entropy that is left. One known P each.
    worst = dc.information.worst_case_privacy(case.system)
    log_p, _ = case.law.nodes
    for p in np.exp(log_p[:: max(1, len(log_p) // 7)]):
        own = -sum(x * math.log(x) for x in p if x > 0)
        seen = (column for column in case.matrix.T if p @ column > 0)
        for column in seen:
            posterior = p * column / (p @ column)
            left = -sum(x * math.log(x) for x in posterior if x > 0)
            assert left >= worst * own - 1e-12


def test_the_worst_case_is_approached_by_a_population_that_is_nearly_certain():
    # As one value's share goes to 0 the ratio of entropies goes to that of its likelihoods, as slowly as a logarithm.
    C, rare = np.array([[0.7, 0.3], [0.2, 0.8]]), 1e-300
    posterior = rare * C[1, 0] / C[0, 0]  # of the second value, on seeing the first report
    ratio = posterior * (1 - math.log(posterior)) / (rare * (1 - math.log(rare)))
    assert dc.information.worst_case_privacy(dc.Channel(C)) == pytest.approx(ratio, rel=0.01)


@each_case
def test_the_average_is_no_worse_than_the_worst_case(case):
    # LDP-info, Lemma 5.2.
    assert highest(dc.information.average_privacy(case.system, case.population)) >= dc.information.worst_case_privacy(
        case.system
    )


@settings(max_examples=25)
@given(problems())
def test_the_average_is_no_worse_than_the_worst_case_on_any_channel(case):
    assume(slow.entropy_of_value(case.law) > 1e-6)
    assert highest(dc.information.average_privacy(case.system, case.population)) >= dc.information.worst_case_privacy(
        case.system
    )


# Nothing that says the same changes the answer.


@settings(max_examples=15)
@given(problems(), st.randoms(use_true_random=False))
def test_names_and_copies_of_reports_do_not_matter(case, random):
    assume(slow.entropy_of_value(case.law) > 1e-6)
    C, expected = case.matrix, slow.average_privacy(case.matrix, case.law)
    columns = random.sample(range(C.shape[1]), C.shape[1])
    split = np.hstack([C[:, columns] / 4, np.zeros((len(C), 1)), 0.75 * C[:, columns]])
    for same in (C[:, columns], split):
        assert covers(dc.information.average_privacy(dc.Channel(same), case.population), expected)


@settings(max_examples=15)
@given(problems(continuous=True), st.randoms(use_true_random=False))
def test_names_of_values_do_not_matter(case, random):
    rows = random.sample(range(len(case.matrix)), len(case.matrix))
    renamed, population = dc.Channel(case.matrix[rows]), dc.Dirichlet(case.population.alpha[rows])
    assert covers(dc.information.average_privacy(renamed, population), slow.average_privacy(case.matrix, case.law))


# Both ends.


def test_nothing_told_is_full_privacy_and_everything_told_is_none():
    for make in MAKERS.values():
        assert dc.information.average_privacy(make(4, epsilon=0)) == exactly(1)
    for make in (GRR, UE.rappor):
        assert dc.information.average_privacy(make(4, epsilon=math.inf)) == exactly(0)
    assert covers(dc.information.average_privacy(dc.Channel([[0.3, 0.7]] * 3)), 1)
    assert covers(dc.information.average_privacy(dc.Channel(np.eye(3))), 0)


@pytest.mark.long
@each_maker
@pytest.mark.parametrize("k", [3, 100_000])
def test_privacy_falls_as_epsilon_grows(make, k):
    privacies = [dc.information.average_privacy(make(k, epsilon=epsilon)) for epsilon in EPSILONS]
    assert all(0 <= float(privacy) <= 1 for privacy in privacies)
    assert all(highest(before) >= lowest(after) for before, after in itertools.pairwise(privacies))
    assert covers(privacies[0], 1, within=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_response_among_a_million_values(epsilon):
    expected = closed.response_privacy([0.5] * MILLION, epsilon)
    assert dc.information.average_privacy(GRR(MILLION, epsilon=epsilon)) == exactly(expected)


@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("epsilon", [25, 37, 50])
def test_little_privacy_keeps_its_digits(k, epsilon):
    mechanism = GRR(k, epsilon=epsilon)
    privacy = dc.information.average_privacy(mechanism)
    assert privacy == pytest.approx(closed.response_privacy([0.5] * k, epsilon), rel=1e-9, abs=0)
    assert privacy >= dc.information.worst_case_privacy(mechanism)


@pytest.mark.parametrize("alpha", [0.01, 1e4])
@pytest.mark.parametrize("k", [2, 10])
@pytest.mark.parametrize("epsilon", [0.1, 2, 10])
def test_populations_that_are_nearly_certain_or_nearly_even(alpha, k, epsilon):
    population, mechanism = dc.Dirichlet([alpha] * k), GRR(k, epsilon=epsilon)
    expected = closed.response_privacy([alpha] * k, epsilon)
    assert dc.information.average_privacy(mechanism, population) == exactly(expected)
    assert covers(dc.information.average_privacy(mechanism.channel(), population), expected, within=1e-11)


def test_a_nearly_even_population_is_one_known_distribution():
    # All of Dirichlet(α, …, α) is within 1/√α of even shares.
    even = dc.PointMixture([[0.25] * 4], [1])
    mechanism = UE.oue(4, epsilon=1.5)
    assert dc.information.average_privacy(mechanism, dc.Dirichlet([1e8] * 4)) == pytest.approx(
        float(dc.information.average_privacy(mechanism, even)), abs=1e-7
    )
    assert covers(
        dc.information.average_privacy(mechanism, even), 1 - dc.mutual_information(mechanism.channel()) / math.log(4)
    )
