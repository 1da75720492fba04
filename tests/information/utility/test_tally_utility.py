"""What n reports tell of the tallies of the users' values, by enumeration of all that users can hold and report."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import tacit as tc
from information.answers import covers, highest
from information.table import CASES, TWO_POINTS, problems
from oracles import local_information as slow, measures
from oracles.population_laws import DirichletLaw
from tacit.information.utility.sampled_tallies import log_likelihoods, tallies_told
from tacit.information.utility.tally_information import tally_entropy

GRR, UE = tc.RandomizedResponse, tc.UnaryEncoding
each_case = pytest.mark.parametrize("case", CASES)


@each_case
@pytest.mark.parametrize("n", [1, 2, 3])
def test_tally_utility_is_its_definition(case, n):
    answer = tc.information.tally_utility(case.system, n, case.population, rng=1)
    assert covers(answer, slow.tally_utility(case.matrix, n, case.law))
    assert 0 <= float(answer) <= 1


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("epsilon", [0.5, 3])
def test_tally_utility_of_response_among_four_users_is_its_definition(k, epsilon):
    mechanism = GRR(k, epsilon=epsilon)
    expected = slow.tally_utility(mechanism.channel().matrix, 4, DirichletLaw([0.5] * k))
    assert covers(tc.information.tally_utility(mechanism, 4, rng=1), expected)
    assert covers(tc.information.tally_utility(mechanism.channel(), 4, rng=1), expected)


@pytest.mark.parametrize("make", [UE.rappor, UE.oue, UE.blh])
def test_tally_utility_of_unary_encodings_is_its_definition(make):
    mechanism = make(2, epsilon=1.5)
    assert covers(
        tc.information.tally_utility(mechanism, 4, rng=1),
        slow.tally_utility(mechanism.channel().matrix, 4, DirichletLaw([0.5] * 2)),
    )


@settings(max_examples=20)
@given(problems(reports=st.integers(1, 3)), st.integers(1, 3))
def test_tally_utility_is_its_definition_on_any_channel(case, n):
    assume(np.ptp(np.exp(case.law.nodes[0]), axis=1).min() < 1)
    expected = slow.tally_utility(case.matrix, n, case.law)
    assert covers(tc.information.tally_utility(case.system, n, case.population, rng=1), expected)


@each_case
def test_one_user_s_tally_is_her_value(case):
    mean = np.full(len(case.matrix), 1 / len(case.matrix)) if case.population is None else case.population.mean
    expected = tc.mutual_information(case.system, mean) / float(measures.entropy(measures.fractions(mean)))
    assert covers(tc.information.tally_utility(case.system, 1, case.population, rng=1), expected)


@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_values_themselves_are_the_tally_and_nothing_said_is_none(n):
    for population in (None, TWO_POINTS):
        for everything in (GRR(3, epsilon=math.inf), tc.Channel(np.eye(3)[[2, 0, 1]])):
            assert covers(tc.information.tally_utility(everything, n, population, rng=1), 1)
        for nothing in (GRR(3, epsilon=0), tc.Channel([[0.3, 0.7]] * 3)):
            assert covers(tc.information.tally_utility(nothing, n, population, rng=1), 0)


@pytest.mark.parametrize("n", [2, 5])
def test_names_do_not_matter(n):
    C, alpha = np.array([[0.5, 0.25, 0.25], [0, 0.75, 0.25], [0.2, 0.2, 0.6]]), np.array([0.5, 1, 2])
    one = tc.information.tally_utility(tc.Channel(C), n, tc.Dirichlet(alpha), rng=1)
    other = tc.information.tally_utility(
        tc.Channel(C[[2, 0, 1]][:, [1, 2, 0]]), n, tc.Dirichlet(alpha[[2, 0, 1]]), rng=1
    )
    split = tc.information.tally_utility(tc.Channel(np.hstack([C / 4, 0.75 * C])), n, tc.Dirichlet(alpha), rng=1)
    assert covers(other, float(one), within=1e-11) or isinstance(one, tc.Estimate)
    assert covers(split, float(one), within=1e-11) or isinstance(one, tc.Estimate)


@pytest.mark.parametrize("n", [3, 10, 30])
def test_more_noise_tells_less_of_the_tally(n):
    utilities = [tc.information.tally_utility(GRR(3, epsilon=epsilon), n, rng=1) for epsilon in (0.1, 1, 3, 8)]
    assert all(float(less) <= highest(more) for less, more in itertools.pairwise(utilities))


@pytest.mark.long
@pytest.mark.parametrize(("k", "n"), [(4, 40), (5, 20)])
def test_utility_of_tallies_that_are_too_many_to_list_is_within_a_hundredth(k, n):
    mechanism = GRR(k, epsilon=2)
    answer = tc.information.tally_utility(mechanism, n, rng=1)
    assert answer.confidence == 0.95
    assert answer.high - answer.low < 0.01 * answer.value
    # Told of the tallies is what is told of the population, and what normal tallies tell beyond it.
    assert tc.information.population_information(mechanism, n) < answer.value * _entropy_of_tallies(k, n)


def _entropy_of_tallies(k, n):
    split = tc.information.information_split(GRR(k, p=1), n).users
    return split.nonprivate + split.group_private


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon", "n"), [(3, 2, 10), (3, 0.1, 15)])
def test_intervals_of_sampled_tallies_cover(k, epsilon, n):
    mechanism, population = GRR(k, epsilon=epsilon), tc.Dirichlet.jeffreys(k)
    truth = tc.information.tally_utility(mechanism, n) * _entropy_of_tallies(k, n)
    found = [
        tallies_told(mechanism.response, n, population, math.inf, np.random.default_rng(seed), draws=1 << 11)
        for seed in range(10)
    ]
    assert sum(not e.low <= truth <= e.high for e in found) <= 2
    assert max(e.high - e.low for e in found) < 0.05 * truth


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "n", "alpha"), [(8, 8, 0.001), (6, 6, 0.02), (3, 6, 0.001), (10, 12, 0.5)])
def test_intervals_cover_what_is_too_rare_to_be_in_a_sample(epsilon, n, alpha):
    mechanism, population = GRR(3, epsilon=epsilon), tc.Dirichlet([alpha] * 3)
    entropy = tally_entropy(3, n, population)
    truth = tc.information.tally_utility(mechanism, n, population) * entropy
    for draws in (1 << 9, 1 << 12):
        found = [
            tallies_told(mechanism.response, n, population, entropy, np.random.default_rng(seed), draws=draws)
            for seed in range(20)
        ]
        assert sum(not e.low <= truth <= e.high for e in found) <= 2
        assert all(e.low < e.high for e in found)


def test_the_law_of_reports_given_what_people_hold_is_that_of_all_their_reports():
    mechanism, n = GRR(3, epsilon=1), 4
    matrix = mechanism.channel().matrix
    for held in ((4, 0, 0), (2, 1, 1), (0, 3, 1)):
        holders, law = [x for x, count in enumerate(held) for _ in range(count)], {}
        for reports in itertools.product(range(3), repeat=n):
            tally = tuple(reports.count(y) for y in range(3))
            law[tally] = law.get(tally, 0.0) + math.prod(matrix[x, y] for x, y in zip(holders, reports, strict=True))
        found = log_likelihoods(mechanism.response, np.tile(held, (len(law), 1)), np.array(list(law)))
        assert np.exp(found) == pytest.approx(np.array(list(law.values())), rel=1e-10)
