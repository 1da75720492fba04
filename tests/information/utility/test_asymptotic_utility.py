"""Asymptotic utility and the effective share of users: published values, definitions, bounds and both ends."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import discretion as dc
from information.answers import covers, lowest
from information.table import BLOCKS, CASES, CONTINUOUS, FAITHFUL, faithful_problems
from oracles import local_closed_forms as closed, local_information as slow
from oracles.population_laws import law_of
from oracles.promise import exactly

GRR, UE = dc.RandomizedResponse, dc.UnaryEncoding
MILLION = 1_000_000
HALF_LOG = math.log(2 * math.pi * math.e) / 2
each_faithful = pytest.mark.parametrize("case", FAITHFUL)


@pytest.mark.parametrize(
    ("k", "utility", "no_noise", "participation"),
    [
        (3, -0.83284001, 0.08106147, 0.16076639),
        (5, -0.89407087, 0.24772813, 0.10191685),
        (10, -1.03372255, 0.50863241, 0.04574330),
    ],
)
def test_published_utility_at_epsilon_2(k, utility, no_noise, participation):
    # MATHS, section 3: Jeffreys' prior.
    assert dc.information.asymptotic_utility(GRR(k, epsilon=2)) == pytest.approx(utility, abs=1e-8)
    assert dc.information.asymptotic_utility(GRR(k, epsilon=math.inf)) == pytest.approx(no_noise, abs=1e-8)
    assert dc.information.effective_participation(GRR(k, epsilon=2)) == pytest.approx(participation, abs=1e-8)


def test_a_mixture_can_tell_more_than_each_of_its_parts():
    # LDP-info, Remark 7.9, printed to three digits. The mixture shows which part it used.
    population, turned = dc.Dirichlet([1, 1, 1]), BLOCKS[::-1, ::-1]
    for part in (BLOCKS, turned):
        utility = dc.information.asymptotic_utility(dc.Channel(part), population, rng=1)
        assert round(float(utility), 3) == -0.987
        assert covers(utility, slow.asymptotic_utility(part, law_of(population)))
    both = np.hstack([BLOCKS / 2, turned / 2])
    utility = dc.information.asymptotic_utility(dc.Channel(both), population, rng=1)
    assert round(float(utility), 3) == -0.691
    assert covers(utility, slow.asymptotic_utility(both, law_of(population)))


@each_faithful
def test_asymptotic_utility_is_its_definition(case):
    utility = dc.information.asymptotic_utility(case.system, case.population, rng=1)
    assert covers(utility, slow.asymptotic_utility(case.matrix, case.law))


@pytest.mark.long
@settings(max_examples=20)
@given(faithful_problems())
def test_asymptotic_utility_is_its_definition_on_any_channel(case):
    utility = dc.information.asymptotic_utility(case.system, case.population, rng=1)
    assert covers(utility, slow.asymptotic_utility(case.matrix, case.law))


@pytest.mark.long
def test_four_values_under_an_uneven_law():
    rng = np.random.default_rng(4)
    C, population = rng.dirichlet(np.ones(5), size=4), dc.Dirichlet([0.5, 1, 2, 3])
    expected = slow.asymptotic_utility(C, law_of(population))
    assert covers(dc.information.asymptotic_utility(dc.Channel(C), population, rng=1), expected, within=1e-10)


@pytest.mark.long
def test_unary_encodings():
    for make in (UE.rappor, UE.oue, UE.blh):
        mechanism = make(3, epsilon=2)
        expected = slow.asymptotic_utility(mechanism.channel().matrix, law_of(dc.Dirichlet.jeffreys(3)))
        assert covers(dc.information.asymptotic_utility(mechanism, rng=1), expected)
        assert covers(dc.information.asymptotic_utility(mechanism.channel(), rng=1), expected)


@pytest.mark.parametrize("alpha", [[0.5] * 10, [0.1, 0.3, 0.5, 1, 1, 2, 4, 8, 8, 20], [50.0] * 10])
@pytest.mark.parametrize("epsilon", [0.5, 4])
def test_response_among_ten_values_under_any_dirichlet_law(alpha, epsilon):
    expected, population = closed.response_asymptotic_utility(alpha, epsilon), dc.Dirichlet(alpha)
    mechanism = GRR(10, epsilon=epsilon)
    assert dc.information.asymptotic_utility(mechanism, population) == exactly(expected)
    assert covers(dc.information.asymptotic_utility(mechanism.channel(), population, rng=1), expected)


@pytest.mark.parametrize("alpha", [[0.5, 0.5], [0.3, 1, 4], [0.5] * 10, [1e4] * 5, [0.01] * 3])
def test_without_noise_it_is_a_mean_of_logarithms(alpha):
    expected, population = closed.no_noise(alpha), dc.Dirichlet(alpha)
    assert dc.information.asymptotic_utility(GRR(len(alpha), epsilon=math.inf), population) == exactly(expected)
    assert dc.information.effective_participation(GRR(len(alpha), epsilon=math.inf), population) == exactly(1)
    assert covers(dc.information.asymptotic_utility(dc.Channel(np.eye(len(alpha))), population, rng=1), expected)


# The effective share of users.


@each_faithful
def test_effective_participation_is_its_definition(case):
    share = dc.information.effective_participation(case.system, case.population, rng=1)
    assert covers(share, slow.effective_participation(case.matrix, case.law))
    assert 0 < float(share) <= 1


@pytest.mark.parametrize("case", CONTINUOUS)
def test_a_protocol_that_confuses_populations_counts_for_nobody(case):
    if not case.faithful:
        assert dc.information.effective_participation(case.system, case.population) == 0.0
        with pytest.raises(dc.errors.InvalidValueError, match="faithful"):
            dc.information.asymptotic_utility(case.system, case.population)


# Bounds.


@each_faithful
def test_noise_never_helps(case):
    # LDP-info, Lemma 6.6.
    utility = dc.information.asymptotic_utility(case.system, case.population, rng=1)
    assert lowest(utility) <= closed.no_noise(case.law.alpha)


@pytest.mark.long
@settings(max_examples=20)
@given(faithful_problems())
def test_noise_never_helps_on_any_channel(case):
    utility = dc.information.asymptotic_utility(case.system, case.population, rng=1)
    assert lowest(utility) <= closed.no_noise(case.law.alpha)
    assert 0 <= float(dc.information.effective_participation(case.system, case.population, rng=1)) <= 1


def positive(case):
    """The channel with every report possible for every value: worst-case privacy is then above 0."""
    matrix = 0.8 * case.matrix + 0.2 / case.matrix.shape[1]
    return dc.Channel(matrix)


@pytest.mark.long
@pytest.mark.parametrize("values", [2, 3])
@settings(max_examples=15)
@given(data=st.data())
def test_privacy_in_the_worst_case_bounds_utility(values, data):
    # LDP-info, Theorem 8.1.
    case = data.draw(faithful_problems(values=st.just(values)))
    system = positive(case)
    kept = dc.information.worst_case_privacy(system)
    bound = math.log((1 - kept) / kept) - HALF_LOG
    assert lowest(dc.information.asymptotic_utility(system, case.population, rng=1)) <= bound
    share = math.exp(2 * bound - 2 * closed.no_noise(case.law.alpha))
    assert lowest(dc.information.effective_participation(system, case.population, rng=1)) <= share


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1, 5, 20])
@pytest.mark.parametrize("k", [2, 3, 10, MILLION])
def test_privacy_in_the_worst_case_bounds_the_utility_of_response(k, epsilon):
    bound = math.log(math.expm1(epsilon)) - HALF_LOG
    assert dc.information.asymptotic_utility(GRR(k, epsilon=epsilon)) <= bound


# Nothing that says the same changes the answer.


@pytest.mark.long
@settings(max_examples=10)
@given(faithful_problems(), st.randoms(use_true_random=False))
def test_names_and_copies_do_not_matter(case, random):
    C, expected = case.matrix, slow.asymptotic_utility(case.matrix, case.law)
    columns, rows = (random.sample(range(size), size) for size in C.shape[::-1])
    split = np.hstack([C / 4, np.zeros((len(C), 1)), 0.75 * C])
    for same in (C[:, columns], split):
        assert covers(dc.information.asymptotic_utility(dc.Channel(same), case.population, rng=1), expected)
    renamed = dc.Dirichlet(case.population.alpha[rows])
    assert covers(dc.information.asymptotic_utility(dc.Channel(C[rows]), renamed, rng=1), expected)


@pytest.mark.long
def test_the_same_seed_gives_the_same_answer():
    C = dc.Channel(np.random.default_rng(1).dirichlet(np.ones(5), size=4))
    assert dc.information.asymptotic_utility(C, rng=5) == dc.information.asymptotic_utility(C, rng=5)


# Both ends.


@pytest.mark.parametrize("k", [2, 3, 10, MILLION])
def test_little_told_is_its_leading_term(k):
    # Proposition 10.1 to second order in ε, whatever the law of P: its shares sum to 1.
    epsilon = 1e-6
    leading = math.log(epsilon) - HALF_LOG - (k - 2) / (2 * k - 2) * math.log(k) + epsilon * (0.5 - 1 / k)
    assert dc.information.asymptotic_utility(GRR(k, epsilon=epsilon)) == pytest.approx(leading, abs=1e-10)
    share = math.exp(2 * leading - 2 * closed.no_noise([0.5] * k))
    assert dc.information.effective_participation(GRR(k, epsilon=epsilon)) == pytest.approx(share, rel=1e-9, abs=0)
    if k <= 10:
        assert covers(dc.information.asymptotic_utility(GRR(k, epsilon=epsilon).channel(), rng=1), leading, within=1e-8)


@pytest.mark.parametrize(("k", "within"), [(2, 1e-9), (3, 1e-9), (10, 1e-9), (MILLION, 1e-6)])
def test_nearly_everything_told_is_nearly_no_noise(k, within):
    # Jeffreys' prior puts so much on empty values that the difference goes with e^(-ε/2).
    utility, no_noise = dc.information.asymptotic_utility(GRR(k, epsilon=50)), closed.no_noise([0.5] * k)
    assert no_noise - within <= utility <= no_noise + 1e-12
    assert utility == exactly(closed.response_asymptotic_utility([0.5] * k, 50))


@pytest.mark.parametrize("k", [2, 3, 10, MILLION])
def test_utility_grows_with_epsilon(k):
    mechanisms = [GRR(k, epsilon=epsilon) for epsilon in (1e-6, 1e-3, 0.1, 1, 2, 5, 10, 20, 50)]
    utilities, shares = (
        map(dc.information.asymptotic_utility, mechanisms),
        map(dc.information.effective_participation, mechanisms),
    )
    for growing in (list(utilities), list(shares)):
        assert all(math.isfinite(value) for value in growing)
        assert all(before < after + 1e-12 for before, after in itertools.pairwise(growing))
    assert all(0 < dc.information.effective_participation(mechanism) <= 1 for mechanism in mechanisms)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 1, 5, 20, 50])
def test_response_among_a_million_values(epsilon):
    expected = closed.response_asymptotic_utility([0.5] * MILLION, epsilon)
    assert dc.information.asymptotic_utility(GRR(MILLION, epsilon=epsilon)) == exactly(expected)


@pytest.mark.parametrize("alpha", [0.01, 1e4])
@pytest.mark.parametrize("k", [2, 10])
def test_populations_that_are_nearly_certain_or_nearly_even(alpha, k):
    population, mechanism = dc.Dirichlet([alpha] * k), GRR(k, epsilon=2)
    expected = closed.response_asymptotic_utility([alpha] * k, 2)
    assert dc.information.asymptotic_utility(mechanism, population) == exactly(expected)
    assert covers(dc.information.asymptotic_utility(mechanism.channel(), population, rng=1), expected, within=1e-11)


def test_the_cases_have_both_kinds():
    assert 0 < len(FAITHFUL) < len(CONTINUOUS) < len(CASES)
