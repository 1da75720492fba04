"""The best mechanism for more values than can be enumerated: bounds that hold where all can be, and beyond."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.information.design.many_values import SupportBits, best_size, greatest_utility, least_utility
from discretion.information.design.staircase import orbits_of
from information.answers import highest, lowest
from oracles import design as slow
from oracles.population_laws import expectation, law_of
from oracles.promise import exactly

CASES = [(3, 1, 1.0, 0.5), (3, 2, 0.3, 1.5)]
LONG_CASES = [(4, 1, 2.0, 0.5), (4, 2, 1.0, 0.8), (4, 3, 0.5, 0.5)]


@pytest.mark.parametrize(
    ("k", "size", "epsilon", "alpha"), CASES + [pytest.param(*case, marks=pytest.mark.long) for case in LONG_CASES]
)
def test_the_support_bits_are_those_of_every_subset_listed(k, size, epsilon, alpha):
    law, bits = law_of(dc.Dirichlet([alpha] * k)), SupportBits.from_column(k, size, epsilon)
    apart = np.delete(np.eye(k), -1, axis=0)

    def information(log_p):
        covariances = slow.bit_covariances(k, size, epsilon, np.exp(log_p))
        return -np.linalg.slogdet(apart @ covariances @ apart.T)[1] + 2 * (k - 1) * math.log(bits.gap)

    low, high = bits.log_determinants(alpha)
    assert low - 1e-9 <= expectation(law, information) <= high + 1e-9
    assert high - low <= 0.5 or high == math.inf
    if size == 1:
        assert low == pytest.approx(high, rel=1e-12)

    def trace(other):
        matrix = slow.subset_selection(k, other, epsilon)

        def at(log_p):
            points = np.exp(log_p)
            covariances = apart @ slow.bit_covariances(k, size, epsilon, points) @ apart.T
            return np.einsum("nxy,nyx->n", covariances, slow.information_matrices(matrix, points)) / bits.gap**2

        return expectation(law, at)

    columns = orbits_of(k, np.arange(1, k), np.array([epsilon]))
    assert bits.traces(columns, alpha) == pytest.approx([trace(other) for other in range(1, k)], rel=1e-8)


@pytest.mark.long
@pytest.mark.parametrize("alpha", [0.1, 0.5, 3])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 2, 4])
@pytest.mark.parametrize("k", [4])
def test_the_bounds_hold_where_the_optimum_is_computed(k, epsilon, alpha):
    population = dc.Dirichlet([alpha] * k)
    size, least = best_size(population, epsilon)
    optimum = dc.optimal_mechanism(k, epsilon=epsilon, population=population, rng=1).value
    assert least - 1e-9 <= highest(optimum)
    assert lowest(optimum) <= greatest_utility(population, size, epsilon) + 1e-9
    own = dc.information.asymptotic_utility(dc.SubsetSelection(k, epsilon, size), population, rng=1)
    assert least <= highest(own) + 1e-9


def test_twelve_values_are_as_when_they_are_enumerated():
    # The optimum of twelve values by the search among all sets: ε = 1 and 2, Jeffreys' prior.
    for epsilon, optimum in ((1, -1.89885), (2, -1.05271)):
        population = dc.Dirichlet.jeffreys(12)
        size, least = best_size(population, epsilon)
        assert least <= optimum <= greatest_utility(population, size, epsilon) <= least + 0.04


@pytest.mark.parametrize(
    ("k", "epsilon", "widest"),
    [(13, 0.01, 2e-6), (13, 1, 0.02), (100, 1, 0.003), (1000, 1, 3e-4), (1000, 2, 0.002), (13, 1e-6, 1e-10)],
)
def test_the_gap_is_small_and_smaller_the_more_values_there_are(k, epsilon, widest):
    design = dc.optimal_mechanism(k, epsilon=epsilon)
    assert design.mechanism.k == k
    assert design.mechanism.epsilon == epsilon
    assert design.value.certified
    assert design.gap <= widest
    assert design.value.high == pytest.approx(design.value.low + design.gap, abs=1e-9)


@pytest.mark.parametrize(("k", "epsilon"), [(13, 4), (100, 6), (1000, 12), (100, 60)])
def test_k_rr_is_proved_to_be_the_best_where_it_is(k, epsilon):
    design = dc.optimal_mechanism(k, epsilon=epsilon)
    assert isinstance(design.mechanism, dc.RandomizedResponse)
    assert design.value == exactly(dc.information.asymptotic_utility(dc.RandomizedResponse(k, epsilon)))
    assert design.gap <= 1e-11


@pytest.mark.parametrize(("alpha", "epsilon"), [(1e-3, 1), (1e6, 1), (0.5, 1e-300), (0.5, 700)])
def test_extreme_laws_and_levels_have_bounds(alpha, epsilon):
    design = dc.optimal_mechanism(13, epsilon=epsilon, population=dc.Dirichlet([alpha] * 13))
    assert design.mechanism.epsilon == epsilon
    assert lowest(design.value) <= highest(design.value) < math.inf
    with pytest.raises(dc.errors.TooLargeError, match=r"alpha must sum to at least 0\.01"):
        dc.optimal_mechanism(13, epsilon=1, population=dc.Dirichlet([1e-4] * 13))


@pytest.mark.parametrize("epsilon", [0.3, 1, 3, 6])
def test_no_size_of_subset_has_a_lower_bound_above_the_upper_one(epsilon):
    population = dc.Dirichlet.jeffreys(40)
    design = dc.optimal_mechanism(40, epsilon=epsilon)
    assert max(least_utility(population, size, epsilon) for size in range(1, 40)) <= highest(design.value)
    # And the loosest of all references is an upper bound as well.
    for size in (1, 5, 30):
        assert greatest_utility(population, size, epsilon) >= lowest(design.value)


@pytest.mark.long
@pytest.mark.parametrize(("epsilon", "privacy"), [(8, 0.9), (4, 0.95), (1, 0.5), (None, 0.9)])
@pytest.mark.parametrize("alpha", [0.5, 2])
def test_both_bounds_are_kept(epsilon, privacy, alpha):
    population = dc.Dirichlet([alpha] * 30)
    design = dc.optimal_mechanism(30, epsilon=epsilon, min_average_privacy=privacy, population=population)
    assert dc.information.average_privacy(design.mechanism, population) >= privacy - 1e-12
    truth = dc.information.asymptotic_utility(dc.RandomizedResponse(30, epsilon=math.inf), population)
    assert highest(design.value) <= truth + 1e-9
    if epsilon is not None:
        assert dc.ldp_epsilon(design.mechanism) <= epsilon * (1 + 1e-12)
        unbounded = dc.optimal_mechanism(30, epsilon=epsilon, population=population)
        assert highest(design.value) <= highest(unbounded.value) + 1e-9
    if alpha <= 1:
        assert highest(design.value) <= truth + math.log(1 - privacy) / 2 + 1e-9


@pytest.mark.long
def test_a_hundred_thousand_values():
    design = dc.optimal_mechanism(10**5, epsilon=1)
    assert (design.mechanism.size, design.gap <= 1e-5) == (26894, True)
