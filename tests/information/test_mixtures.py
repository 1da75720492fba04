"""A population of several kinds: a mixture of Dirichlet laws, held against quadrature over all of them."""

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp

import discretion as dc
from discretion.errors import InvalidPriorError, InvalidValueError, TooLargeError, UnsupportedError
from information.answers import covers, ends
from oracles import local_information as slow
from oracles.population_laws import law_of
from oracles.promise import exactly

TWO = dc.DirichletMixture([[8, 1], [0.5, 2]], [0.25, 0.75])
THREE = dc.DirichletMixture([[8, 1, 1], [1, 1, 2], [0.5, 0.5, 0.5]], [0.25, 0.5, 0.25])
SKEWED = dc.Channel([[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.3, 0.1, 0.6]])
CASES = {
    "k-RR of two values": (dc.RandomizedResponse(2, epsilon=1), TWO),
    "k-RR of three values": (dc.RandomizedResponse(3, epsilon=1), THREE),
    "a channel": (SKEWED, THREE),
    "unary encoding": (dc.UnaryEncoding.oue(3, epsilon=1), THREE),
    "the truth": (dc.RandomizedResponse(3, p=1), THREE),
}
each_case = pytest.mark.parametrize(("system", "population"), CASES.values(), ids=CASES)


def oracle(system, population):
    return np.asarray(system.channel().matrix), law_of(population)


def differential_entropy(population):
    """h(P), of the mixture of the densities at nodes of its law."""
    log_p, weights = law_of(population).nodes
    alpha = population.alpha
    norms = gammaln(alpha.sum(axis=1)) - gammaln(alpha).sum(axis=1)
    densities = logsumexp(norms + log_p @ (alpha - 1).T, b=population.weights, axis=1)
    return -float(weights @ densities)


@pytest.mark.one_in(3)
@each_case
def test_what_is_private_and_what_is_revealed_of_many_are_means_over_the_mixture(system, population):
    matrix, law = oracle(system, population)
    assert dc.information.average_privacy(system, population) == exactly(slow.average_privacy(matrix, law))
    utility = dc.information.asymptotic_utility(system, population, rng=1)
    assert covers(utility, slow.asymptotic_utility(matrix, law), within=1e-9)
    participation = dc.information.effective_participation(system, population, rng=1)
    assert covers(participation, slow.effective_participation(matrix, law), within=1e-9)


@pytest.mark.one_in(5)
@each_case
@pytest.mark.parametrize("n", [1, 3])
def test_information_of_few_reports_is_summed(system, population, n):
    matrix, law = oracle(system, population)
    information = dc.information.population_information(system, n, population)
    assert not isinstance(information, dc.Estimate)
    assert information == exactly(slow.population_information(matrix, n, law))
    truth = slow.population_information(np.eye(population.k), n, law)
    assert dc.information.distribution_utility(system, n, population) == exactly(float(information) / truth)


@pytest.mark.parametrize("n", [1, 3])
def test_tallies_under_a_mixture_are_those_of_everybody_s_value_enumerated(n):
    matrix, law = oracle(SKEWED, THREE)
    assert dc.information.tally_utility(SKEWED, n, THREE) == exactly(slow.tally_utility(matrix, n, law))


def test_the_split_of_information_under_a_mixture_is_its_definition():
    matrix, law = oracle(SKEWED, THREE)
    split = dc.information.information_split(SKEWED, 2, THREE)
    for (side, part), expected in slow.information_split(matrix, 2, law).items():
        assert float(getattr(getattr(split, side), part)) == exactly(float(expected))


@pytest.mark.one_in(3)
@each_case
def test_digits_lie_between_certified_ends(system, population):
    matrix, law = oracle(system, population)
    expected = slow.population_information(matrix, 3, law) - differential_entropy(population)
    low, high = ends(dc.information.digit_utility(system, 3, population, rng=1))
    assert low <= expected / (population.k - 1) <= high


def test_information_of_many_reports_lies_between_certified_ends():
    response = dc.RandomizedResponse(2, epsilon=1)
    information = dc.information.population_information(response, 20_000, TWO)
    assert information.certified
    exact = [dc.information.population_information(response, 20_000, law) for law in TWO.components]
    inside = float(TWO.weights @ exact)
    assert inside < information.low < inside + 0.4
    assert information.high == pytest.approx(inside - float(TWO.weights @ np.log(TWO.weights)), rel=1e-8)
    # Reports that reveal next to nothing: n of them reveal at most n times as much as one.
    faint = dc.RandomizedResponse(2, epsilon=1e-3)
    once = float(dc.information.population_information(faint, 1, TWO))
    assert dc.information.population_information(faint, 10_000, TWO).high <= 10_000 * once * (1 + 1e-8)


@each_case
def test_a_mixture_of_the_same_law_is_that_law(system, population):
    law = population.components[0]
    mixture = dc.DirichletMixture([law.alpha, law.alpha], [0.5, 0.5])
    for ask in (dc.information.average_privacy, dc.information.effective_participation):
        assert float(ask(system, mixture)) == exactly(float(ask(system, law)))
    information = dc.information.population_information
    assert information(system, 3, mixture) == exactly(float(information(system, 3, law)))
    assert information(system, 3, dc.DirichletMixture([law.alpha], [1])) == exactly(float(information(system, 3, law)))


@pytest.mark.parametrize(
    ("alpha", "weights", "error", "words"),
    [
        ([[1, 1], [1, 0]], [0.5, 0.5], InvalidValueError, "alpha must be positive"),
        ([1, 1], [1], InvalidValueError, "in each row"),
        ([[1, 1], [1, 2]], [0.5, 0.6], InvalidPriorError, "weights must sum to 1"),
        ([[1, 1], [1, 2]], [1.0], InvalidPriorError, "one per component"),
        ([[1, 1], [1, 2, 3]], [0.5, 0.5], InvalidValueError, "in each row"),
    ],
)
def test_what_is_no_mixture_is_refused(alpha, weights, error, words):
    with pytest.raises(error, match=words):
        dc.DirichletMixture(alpha, weights)


def test_a_design_for_a_mixture_is_refused():
    with pytest.raises(UnsupportedError, match="one of its components"):
        dc.optimal_mechanism(3, epsilon=1, population=THREE)


def test_too_many_components_are_refused():
    many = dc.DirichletMixture(np.arange(1, 2 * 4097 + 1).reshape(-1, 2), np.full(4097, 1 / 4097))
    with pytest.raises(TooLargeError, match="4,097"):
        dc.information.average_privacy(dc.RandomizedResponse(2, epsilon=1), many)


def test_errors_of_estimates_are_simulated_over_the_mixture():
    response = dc.RandomizedResponse(3, epsilon=1)
    law = THREE.components[0]
    alone = dc.frequency_error(response, 100, law, norm="max", rng=1).share
    twice = dc.frequency_error(response, 100, dc.DirichletMixture([law.alpha] * 2, [0.5, 0.5]), norm="max", rng=2).share
    assert max(alone.low, twice.low) < min(alone.high, twice.high)
