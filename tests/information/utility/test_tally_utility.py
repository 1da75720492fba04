"""What n reports tell of the tallies of the users' values, by enumeration of all that users can hold and report."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from discretion.information.utility import report_tables, sampled_tallies
from discretion.information.utility.sampled_tallies import sampled_tally_information, tally_log_likelihoods
from discretion.information.utility.tally_information import tally_entropy
from discretion.numerics.histograms.histograms import histograms
from information.answers import covers, highest
from information.table import CASES, TWO_POINTS, problems
from oracles import local_information as slow, measures
from oracles.population_laws import DirichletLaw
from support.lowering import lowered

GRR, UE = dc.RandomizedResponse, dc.UnaryEncoding


def sampled(mechanism, n, population, rng, draws):
    """``I(Y⃗; T)`` from a sample, however few tallies there are."""
    matrix = np.array(mechanism.channel().matrix)
    entropy = tally_entropy(len(matrix), n, population)
    response = getattr(mechanism, "response", None)
    return sampled_tally_information(matrix, n, population, entropy, rng, draws=draws, response=response)


each_case = pytest.mark.parametrize("case", CASES)


@pytest.mark.one_in(3)
@each_case
@pytest.mark.parametrize("n", [1, 2, 3])
def test_tally_utility_is_its_definition(case, n):
    answer = dc.information.tally_utility(case.system, n, case.population, rng=1)
    assert covers(answer, slow.tally_utility(case.matrix, n, case.law))
    assert 0 <= float(answer) <= 1


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("epsilon", [0.5, 3])
def test_tally_utility_of_response_among_four_users_is_its_definition(k, epsilon):
    mechanism = GRR(k, epsilon=epsilon)
    expected = slow.tally_utility(mechanism.channel().matrix, 4, DirichletLaw([0.5] * k))
    assert covers(dc.information.tally_utility(mechanism, 4, rng=1), expected)
    assert covers(dc.information.tally_utility(mechanism.channel(), 4, rng=1), expected)


@pytest.mark.parametrize("make", [UE.rappor, UE.oue, UE.blh])
def test_tally_utility_of_unary_encodings_is_its_definition(make):
    mechanism = make(2, epsilon=1.5)
    assert covers(
        dc.information.tally_utility(mechanism, 4, rng=1),
        slow.tally_utility(mechanism.channel().matrix, 4, DirichletLaw([0.5] * 2)),
    )


@pytest.mark.long
@settings(max_examples=20)
@given(problems(reports=st.integers(1, 3)), st.integers(1, 3))
def test_tally_utility_is_its_definition_on_any_channel(case, n):
    assume(np.ptp(np.exp(case.law.nodes[0]), axis=1).min() < 1)
    expected = slow.tally_utility(case.matrix, n, case.law)
    assert covers(dc.information.tally_utility(case.system, n, case.population, rng=1), expected)


@each_case
def test_one_user_s_tally_is_her_value(case):
    mean = np.full(len(case.matrix), 1 / len(case.matrix)) if case.population is None else case.population.mean
    expected = dc.mutual_information(case.system, mean) / float(measures.entropy(measures.fractions(mean)))
    assert covers(dc.information.tally_utility(case.system, 1, case.population, rng=1), expected)


@pytest.mark.parametrize("n", [1, 2, 6])
def test_the_values_themselves_are_the_tally_and_nothing_said_is_none(n):
    for population in (None, TWO_POINTS):
        for everything in (GRR(3, epsilon=math.inf), dc.Channel(np.eye(3)[[2, 0, 1]])):
            assert covers(dc.information.tally_utility(everything, n, population, rng=1), 1)
        for nothing in (GRR(3, epsilon=0), dc.Channel([[0.3, 0.7]] * 3)):
            assert covers(dc.information.tally_utility(nothing, n, population, rng=1), 0)


@pytest.mark.parametrize("n", [2, 5])
def test_names_do_not_matter(n):
    C, alpha = np.array([[0.5, 0.25, 0.25], [0, 0.75, 0.25], [0.2, 0.2, 0.6]]), np.array([0.5, 1, 2])
    one = dc.information.tally_utility(dc.Channel(C), n, dc.Dirichlet(alpha), rng=1)
    other = dc.information.tally_utility(
        dc.Channel(C[[2, 0, 1]][:, [1, 2, 0]]), n, dc.Dirichlet(alpha[[2, 0, 1]]), rng=1
    )
    split = dc.information.tally_utility(dc.Channel(np.hstack([C / 4, 0.75 * C])), n, dc.Dirichlet(alpha), rng=1)
    assert covers(other, float(one), within=1e-11) or isinstance(one, dc.Estimate)
    assert covers(split, float(one), within=1e-11) or isinstance(one, dc.Estimate)


@pytest.mark.parametrize("n", [3, 10, 30])
def test_more_noise_tells_less_of_the_tally(n):
    utilities = [dc.information.tally_utility(GRR(3, epsilon=epsilon), n, rng=1) for epsilon in (0.1, 1, 3, 8)]
    assert all(float(less) <= highest(more) for less, more in itertools.pairwise(utilities))


@pytest.mark.long
@pytest.mark.parametrize(("k", "n"), [(4, 40), (5, 20)])
def test_utility_of_tallies_that_are_too_many_to_list_is_within_a_hundredth(k, n):
    mechanism = GRR(k, epsilon=2)
    answer = dc.information.tally_utility(mechanism, n, rng=1)
    assert answer.confidence == 0.95
    assert answer.high - answer.low < 0.01 * answer.value
    # Told of the tallies is what is told of the population, and what normal tallies tell beyond it.
    assert dc.information.population_information(mechanism, n) < answer.value * _entropy_of_tallies(k, n)


def _entropy_of_tallies(k, n):
    split = dc.information.information_split(GRR(k, p=1), n).users
    return split.nonprivate + split.group_private


@pytest.mark.long
@pytest.mark.parametrize(("k", "epsilon", "n"), [(3, 2, 10), (3, 0.1, 15)])
def test_intervals_of_sampled_tallies_cover(k, epsilon, n):
    mechanism, population = GRR(k, epsilon=epsilon), dc.Dirichlet.jeffreys(k)
    truth = dc.information.tally_utility(mechanism, n) * _entropy_of_tallies(k, n)
    found = [sampled(mechanism, n, population, np.random.default_rng(seed), draws=1 << 11) for seed in range(10)]
    assert sum(not e.low <= truth <= e.high for e in found) <= 2
    assert max(e.high - e.low for e in found) < 0.05 * truth


PROTOCOLS = {
    "RAPPOR": UE.rappor(3, epsilon=2),
    "OUE": UE.oue(3, epsilon=1),
    "OLH": dc.LocalHashing(3, epsilon=1, g=2),
    "Hadamard": dc.HadamardResponse(3, epsilon=2),
    "subsets": dc.SubsetSelection(4, epsilon=3, size=2),
    "k-RR": GRR(4, epsilon=1),
    "k-RR of few lies": GRR(3, epsilon=10),
    "rank 2 of 3": dc.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]),
    "zeros": dc.Channel([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]),
    "a report of nothing": dc.Channel([[0.1, 0, 0, 0.9], [0, 0.1, 0, 0.9], [0, 0, 0.1, 0.9]]),
}


@pytest.mark.long
@pytest.mark.parametrize(
    ("population", "by"), [(None, "posteriors"), (None, "tables"), ([0.3, 1, 4, 1], "tables"), ("points", "tables")]
)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_intervals_of_any_protocol_cover(name, population, by, monkeypatch):
    protocol, n = PROTOCOLS[name], 5
    k = protocol.secrets
    law = dc.Dirichlet(population[:k]) if isinstance(population, list) else dc.Dirichlet.jeffreys(k)
    if population == "points":
        law = dc.PointMixture([np.arange(1.0, k + 1) / sum(range(1, k + 1)), np.full(k, 1 / k)], [0.3, 0.7])
    truth = dc.information.tally_utility(protocol, n, law) * tally_entropy(k, n, law)
    assert isinstance(truth, float)
    if by == "tables":
        monkeypatch.setattr(sampled_tallies, "_LISTED", 0)
        monkeypatch.setattr(sampled_tallies, "_BY_FORMULA", 0)
    found = [sampled(protocol, n, law, np.random.default_rng(seed), draws=1 << 9) for seed in range(8)]
    assert sum(not e.low <= truth <= e.high for e in found) <= 2
    assert all(e.low < e.high for e in found)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rows", [PROTOCOLS["RAPPOR"], PROTOCOLS["zeros"], PROTOCOLS["k-RR"]], ids=repr)
def test_the_bounds_of_a_tally_s_likelihood_hold_its_sum_over_all_tables(rows):
    C, rng = np.array(rows.channel().matrix), np.random.default_rng(0)
    held = rng.multinomial(6, np.full(len(C), 1 / len(C)), size=200)
    tables = rng.multinomial(held, C)
    expected = [math.log(_likelihood(C, t.tolist(), s.tolist())) for t, s in zip(held, tables.sum(axis=1), strict=True)]
    low, high = report_tables.likelihood_bounds(C, tables, rng)
    assert np.mean(low - expected) == pytest.approx(0, abs=0.01)
    assert np.mean(high - expected) == pytest.approx(0, abs=0.01)
    # The lower one is unbiased before the logarithm, the upper one after 1/x.
    assert np.mean(np.exp(low - expected)) == pytest.approx(1, abs=0.01)
    assert np.mean(np.exp(expected - high)) == pytest.approx(1, abs=0.01)


def _likelihood(C, held, tally):
    """P(s | t), by adding up how the holders of one value after another report."""
    laws = {(0,) * C.shape[1]: 1.0}
    for x, count in enumerate(held):
        for _ in range(count):
            grown = {}
            for s, mass in laws.items():
                for y, p in enumerate(C[x]):
                    one_more = (*s[:y], s[y] + 1, *s[y + 1 :])
                    grown[one_more] = grown.get(one_more, 0.0) + mass * p
            laws = grown
    return laws[tuple(tally)]


@pytest.mark.parametrize("alpha", [[0.5] * 3, [0.3, 1, 4]])
def test_posteriors_of_what_people_hold_are_bayes_rule(alpha):
    C, n = np.array(PROTOCOLS["RAPPOR"].channel().matrix), 3
    listed, law = histograms(n, 3), sampled_tallies.tally_law(histograms(n, 3), dc.Dirichlet(alpha))
    reports = histograms(n, C.shape[1])[::7]
    entropies, evidence = report_tables.posterior_entropies(C, reports, listed, law)
    for s, entropy, log_mass in zip(reports, entropies, evidence, strict=True):
        joint = law * [_likelihood(C, t, s) for t in listed.tolist()]
        posterior = joint / joint.sum()
        assert log_mass == pytest.approx(math.log(joint.sum()), abs=1e-12)
        assert entropy == pytest.approx(-float(posterior @ np.log(posterior)), abs=1e-12)


@pytest.mark.parametrize(
    ("mechanism", "n", "expected"),
    [
        (UE.rappor(3, epsilon=2), 10, 0.238407),  # MATHS, section 3a, by enumeration
        (UE.rappor(3, epsilon=2), 1, None),
        (UE.oue(4, epsilon=1), 4, None),
    ],
    ids=repr,
)
def test_reports_of_many_kinds_are_listed_where_values_are_few(mechanism, n, expected):
    answer = dc.information.tally_utility(mechanism, n)
    assert isinstance(answer, float)
    if expected is None:
        with lowered(MAX_REPORT_TALLIES=1):
            assert covers(dc.information.tally_utility(mechanism, n, rng=1), answer)
    else:
        assert answer == pytest.approx(expected, abs=5e-7)


@pytest.mark.long
@pytest.mark.parametrize(
    ("mechanism", "n", "width"),
    [
        (UE.rappor(3, epsilon=2), 50, 0.005),
        (UE.oue(5, epsilon=1), 100, 0.02),
        (dc.LocalHashing(5, epsilon=1), 100, 0.02),
        (dc.HadamardResponse(5, epsilon=1), 100, 0.02),
        (GRR(10, epsilon=1), 1000, 0.01),
        (UE.oue(10, epsilon=1), 10, 0.02),
    ],
    ids=repr,
)
def test_utility_of_tallies_is_an_estimate_whatever_the_protocol(mechanism, n, width):
    answer = dc.information.tally_utility(mechanism, n, rng=1)
    assert answer.confidence == 0.95
    assert answer.high - answer.low < width
    once = dc.information.population_information(mechanism, 1)
    assert once < answer.low * _entropy_of_tallies(mechanism.k, n)


@pytest.mark.long
@pytest.mark.parametrize(("mechanism", "n"), [(UE.rappor(3, epsilon=2), 30), (GRR(4, epsilon=3), 25)], ids=repr)
def test_the_routes_to_a_sampled_tally_agree(mechanism, n, monkeypatch):
    law = dc.Dirichlet.jeffreys(mechanism.k)
    by_posteriors = sampled(mechanism, n, law, np.random.default_rng(1), draws=1 << 11)
    monkeypatch.setattr(sampled_tallies, "_LISTED", 0)
    monkeypatch.setattr(sampled_tallies, "_BY_FORMULA", 0)
    by_tables = sampled(mechanism, n, law, np.random.default_rng(2), draws=1 << 11)
    assert by_tables.low < by_posteriors.high
    assert by_posteriors.low < by_tables.high
    assert by_tables.high - by_tables.low < 0.15


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "n", "alpha"), [(8, 8, 0.001), (6, 6, 0.02), (3, 6, 0.001), (10, 12, 0.5)])
def test_intervals_cover_what_is_too_rare_to_be_in_a_sample(epsilon, n, alpha):
    mechanism, population = GRR(3, epsilon=epsilon), dc.Dirichlet([alpha] * 3)
    entropy = tally_entropy(3, n, population)
    truth = dc.information.tally_utility(mechanism, n, population) * entropy
    for draws in (1 << 9, 1 << 12):
        found = [sampled(mechanism, n, population, np.random.default_rng(seed), draws=draws) for seed in range(20)]
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
        found = tally_log_likelihoods(mechanism.response, np.tile(held, (len(law), 1)), np.array(list(law)))
        assert np.exp(found) == pytest.approx(np.array(list(law.values())), rel=1e-10)


@pytest.mark.long
def test_tallies_of_hundreds_of_values_are_an_estimate():
    answer = dc.information.tally_utility(GRR(400, epsilon=3), 5, rng=1)
    # One person's tally is the value, and so nearly are those of few people with different values.
    assert 0 < answer.low < answer.high < 0.02
