"""Protocols one after the other, side by side and mixed: the inequalities of LDP-info, section 7."""

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from information.answers import covers, highest, lowest
from information.table import TWO_OR_THREE, faithful_problems, populations, problems
from oracles import local_information as slow
from oracles.population_laws import law_of
from oracles.strategies import stochastic

few = settings(max_examples=12)


def some_is_private(population):
    assume(slow.entropy_of_value(law_of(population)) > 1e-3)


def some_is_to_be_known(population, n):
    law = law_of(population)
    assume(slow.population_information(np.eye(population.k), n, law) > 1e-3)


def mixed(weights, *matrices):
    """The mixture that shows which protocol was used (Definition 7.7)."""
    return dc.Channel(np.hstack([weight * matrix for weight, matrix in zip(weights, matrices, strict=True)]))


# Post-processing, Proposition 7.3.


@few
@given(problems(), st.data())
def test_post_processing_leaves_more_private(case, data):
    some_is_private(case.population)
    R = dc.Channel(data.draw(stochastic(case.matrix.shape[1], data.draw(TWO_OR_THREE))))
    before = dc.information.average_privacy(case.system, case.population)
    assert highest(dc.information.average_privacy(case.system >> R, case.population)) >= lowest(before)
    assert dc.information.worst_case_privacy(case.system >> R) >= dc.information.worst_case_privacy(case.system) - 1e-12


@pytest.mark.long
@few
@given(problems(), st.integers(1, 3), st.data())
def test_post_processing_tells_no_more(case, n, data):
    some_is_private(case.population)
    some_is_to_be_known(case.population, n)
    R = dc.Channel(data.draw(stochastic(case.matrix.shape[1], data.draw(TWO_OR_THREE))))
    for utility in (
        dc.information.population_information,
        dc.information.distribution_utility,
        dc.information.tally_utility,
    ):
        before = utility(case.system, n, case.population, rng=1)
        assert lowest(utility(case.system >> R, n, case.population, rng=1)) <= highest(before)


@pytest.mark.long
@few
@given(faithful_problems(), st.integers(1, 3), st.data())
def test_post_processing_tells_fewer_digits(case, n, data):
    R = dc.Channel(data.draw(stochastic(case.matrix.shape[1], 3)))
    assume(np.linalg.svd((case.system >> R).matrix, compute_uv=False)[len(case.matrix) - 1] > 1e-3)
    for utility in (
        lambda system: dc.information.digit_utility(system, n, case.population, rng=1),
        lambda system: dc.information.asymptotic_utility(system, case.population, rng=1),
    ):
        assert lowest(utility(case.system >> R)) <= highest(utility(case.system))


@few
@given(st.integers(1, 3), st.data())
def test_of_two_steps_the_second_alone_tells_more_of_what_it_sees(n, data):
    # (7.1)'s other half: the law of the first step's outputs, when P is one of some points, is one of theirs.
    Q, R = data.draw(stochastic(3, 2)), data.draw(stochastic(2, 2))
    points, weights = data.draw(stochastic(3, 3)), data.draw(stochastic(1, 3))[0]
    before, between = dc.PointMixture(points, weights), dc.PointMixture(points @ Q, weights)
    some_is_to_be_known(before, n)
    some_is_to_be_known(between, n)
    composed = dc.information.distribution_utility(dc.Channel(Q @ R), n, before, rng=1)
    assert lowest(composed) <= highest(dc.information.distribution_utility(dc.Channel(R), n, between, rng=1)) + 1e-11


def test_hashing_and_then_response_hide_one_after_the_other():
    # LDP-info, equation 7.6, over all hash functions from three values to two; a constant one hides everything.
    population, epsilon = dc.Dirichlet([0.5, 1, 3]), 1.5
    response = dc.RandomizedResponse(2, epsilon=epsilon)
    whole = slow.entropy_of_value(law_of(population))
    hashes = list(itertools.product(range(2), repeat=3))
    hidden = []
    for values in hashes:
        alpha = [sum(a for a, v in zip(population.alpha, values, strict=True) if v == g) for g in range(2)]
        if min(alpha) == 0:
            hidden.append(1)
            continue
        hashed, step = dc.Dirichlet(alpha), dc.Channel(np.eye(2)[list(values)])
        share = slow.entropy_of_value(law_of(hashed)) / whole
        hidden.append(
            dc.information.average_privacy(step, population) + share * dc.information.average_privacy(response, hashed)
        )
    channel = response.channel().matrix
    local_hashing = mixed([1 / len(hashes)] * len(hashes), *(channel[list(values)] for values in hashes))
    assert covers(dc.information.average_privacy(local_hashing, population), np.mean(hidden), within=1e-11)
    assert dc.information.worst_case_privacy(local_hashing) == pytest.approx(np.exp(-epsilon), rel=1e-10)


# Several reports of the same value, Proposition 7.6.


@few
@given(st.data())
def test_leakages_add_up_to_a_budget(data):
    k = data.draw(TWO_OR_THREE)
    population = data.draw(populations(k))
    some_is_private(population)
    Q, R = (dc.Channel(data.draw(stochastic(k, data.draw(st.integers(1, 3))))) for _ in range(2))
    budget = sum(1 - lowest(dc.information.average_privacy(system, population)) for system in (Q, R))
    assert 1 - highest(dc.information.average_privacy(Q & R, population)) <= budget
    kept = dc.information.worst_case_privacy(Q) * dc.information.worst_case_privacy(R)
    assert dc.information.worst_case_privacy(Q & R) >= kept - 1e-12


@few
@given(st.integers(1, 2), st.data())
def test_a_further_report_tells_no_less(n, data):
    k = data.draw(TWO_OR_THREE)
    population = data.draw(populations(k))
    Q, R = (dc.Channel(data.draw(stochastic(k, 2))) for _ in range(2))
    alone = dc.information.population_information(Q, n, population, rng=1)
    assert highest(dc.information.population_information(Q & R, n, population, rng=1)) >= lowest(alone)


# Mixtures, Proposition 7.8.


@few
@given(st.data())
def test_privacy_of_a_mixture_is_the_mean_privacy(data):
    k = data.draw(TWO_OR_THREE)
    population, weights = data.draw(populations(k)), data.draw(stochastic(1, 2))[0]
    some_is_private(population)
    parts = [data.draw(stochastic(k, data.draw(st.integers(1, 3)))) for _ in weights]
    mixture = dc.information.average_privacy(mixed(weights, *parts), population)
    alone = [dc.information.average_privacy(dc.Channel(part), population) for part in parts]
    assert lowest(mixture) <= weights @ [highest(answer) for answer in alone]
    assert highest(mixture) >= weights @ [lowest(answer) for answer in alone]


@pytest.mark.long
@settings(max_examples=6)
@given(faithful_problems(values=st.just(3)), st.data())
def test_utility_of_a_mixture_is_at_least_the_mean_utility(case, data):
    other = data.draw(faithful_problems(values=st.just(3))).matrix
    weight = data.draw(st.sampled_from([0.1, 0.5, 0.8]))
    mixture = mixed([weight, 1 - weight], case.matrix, other)
    one, two = (dc.information.asymptotic_utility(dc.Channel(C), case.population, rng=1) for C in (case.matrix, other))
    mean = weight * lowest(one) + (1 - weight) * lowest(two)
    assert highest(dc.information.asymptotic_utility(mixture, case.population, rng=1)) >= mean
