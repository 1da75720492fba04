"""The best mechanism for the distribution utility of n reports: a linear program for one, bounds for more."""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from information.answers import highest, lowest
from oracles import design as slow, local_information
from oracles.population_laws import expectation, law_of
from oracles.promise import exactly
from oracles.strategies import stochastic

UTILITY = "distribution_utility"


@pytest.mark.parametrize("alpha", [[0.5] * 3, [1, 2, 4], pytest.param([0.5] * 4, marks=pytest.mark.long)])
@pytest.mark.parametrize("epsilon", [0.1, 1, 3])
def test_of_one_report_it_is_the_best_vertex(alpha, epsilon):
    law, k = law_of(dc.Dirichlet(alpha)), len(alpha)
    columns, mean = slow.staircase(k, epsilon), np.array(alpha) / sum(alpha)

    def conditional(log_p):
        reported = np.exp(log_p) @ columns
        return reported * np.log(reported)

    common = mean @ columns
    worth = np.array([expectation(law, lambda log_p, j=j: conditional(log_p)[:, j]) for j in range(columns.shape[1])])
    expected = slow.most(worth - common * np.log(common), columns) / local_information.population_information(
        np.eye(k), 1, law
    )
    design = dc.optimal_mechanism(k, UTILITY, epsilon, population=dc.Dirichlet(alpha), n=1)
    assert design.value == pytest.approx(expected, rel=1e-7)
    assert design.gap <= 1e-9
    assert dc.ldp_epsilon(design.mechanism) <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize("epsilon", [0.1, 1, 2])
def test_more_reports_are_worth_no_less_than_those_of_any_subset_selection(n, epsilon):
    design = dc.optimal_mechanism(3, UTILITY, epsilon, n=n)
    utilities = [dc.information.distribution_utility(dc.SubsetSelection(3, epsilon, size), n) for size in (1, 2)]
    assert float(design.value) >= max(utilities) - 1e-12
    assert design.value.certified
    assert "not proven to be the best of all" in design.certificate
    assert design.gap == pytest.approx(design.value.high - design.value.value, abs=1e-12)


@pytest.mark.long
@settings(max_examples=25)
@given(st.data(), st.integers(2, 4))
def test_no_channel_of_that_epsilon_is_above_the_upper_end(data, n):
    channel = dc.Channel(data.draw(stochastic(3, 3)))
    epsilon = dc.ldp_epsilon(channel)
    assume(0.01 < epsilon < 20)
    best = dc.optimal_mechanism(3, UTILITY, epsilon, n=n)
    assert local_information.distribution_utility(channel.matrix, n, law_of(dc.Dirichlet.jeffreys(3))) <= highest(
        best.value
    )


def test_a_small_epsilon_leaves_next_to_no_gap_and_a_large_one_the_truth():
    design = dc.optimal_mechanism(4, UTILITY, 0.01, n=3)
    assert design.mechanism.size == 2
    assert design.gap <= 1e-4 * float(design.value)
    assert dc.optimal_mechanism(3, UTILITY, 40, n=3).value.high == exactly(1)


def test_of_two_values_k_rr_is_the_best_for_any_number_of_reports():
    design = dc.optimal_mechanism(2, UTILITY, 1, n=100)
    assert (design.mechanism.k, design.mechanism.epsilon, design.gap) == (2, 1, 0)
    assert design.value == exactly(dc.information.distribution_utility(dc.RandomizedResponse(2, 1), 100))


@pytest.mark.parametrize("bounds", [{"min_average_privacy": 0.6}, {"min_average_privacy": 0.7, "epsilon": 2}])
@pytest.mark.parametrize("n", [1, 4])
def test_average_privacy_is_kept(bounds, n):
    design = dc.optimal_mechanism(3, UTILITY, n=n, **bounds)
    assert dc.information.average_privacy(design.mechanism) >= bounds["min_average_privacy"] - 1e-12
    assert dc.ldp_epsilon(design.mechanism) <= bounds.get("epsilon", math.inf) * (1 + 1e-12)
    utility = dc.information.distribution_utility(design.mechanism, n)
    assert lowest(design.value) == pytest.approx(float(utility), rel=1e-9)


def test_of_many_values_one_report_is_certified():
    design = dc.optimal_mechanism(1000, UTILITY, 1, n=1)
    assert (design.mechanism.size, design.gap <= 1e-12) == (269, True)


@pytest.mark.parametrize("n", [1, 3])
def test_a_population_that_is_known_has_nothing_to_learn(n):
    with pytest.raises(dc.errors.InvalidPriorError, match="no information on it"):
        dc.optimal_mechanism(3, UTILITY, 1, population=dc.PointMixture([[0.5, 0.3, 0.2]], [1]), n=n)


def test_a_finite_mixture():
    population = dc.PointMixture([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], [0.5, 0.5])
    design = dc.optimal_mechanism(3, UTILITY, 1, population=population, n=3)
    assert lowest(design.value) <= highest(design.value) <= 1
