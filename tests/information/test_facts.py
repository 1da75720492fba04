"""What holds of the utilities of every mechanism in the table, and of every number of people."""

import itertools
import math

import numpy as np
import pytest

import discretion as dc
from discretion.estimate import are_far_apart
from information.answers import covers, highest, lowest
from mechanisms.table import INFORMATIVE, MECHANISMS
from oracles import local_information as slow
from oracles.population_laws import DirichletLaw
from support.lowering import lowered

each = pytest.mark.parametrize("mechanism", MECHANISMS)
FEW = {"MAX_CELLS_BRACKETED": 1 << 24}


def utilities(mechanism, n, population=None):
    return [
        dc.information.distribution_utility(mechanism, n, population, rng=1),
        dc.information.tally_utility(mechanism, n, population, rng=1),
    ]


@pytest.mark.long
@each
@pytest.mark.parametrize("n", [1, 2, 3])
def test_utilities_are_their_definitions(mechanism, n):
    C = np.array(mechanism.channel().reduced().matrix)
    if mechanism.k > 3 or float(len(C) * C.shape[1]) ** n > 20_000:
        pytest.skip("more to enumerate than takes a second")
    law = DirichletLaw([0.5] * mechanism.k)
    distribution, tallies = utilities(mechanism, n)
    assert covers(distribution, slow.distribution_utility(C, n, law), within=1e-10)
    assert covers(tallies, slow.tally_utility(C, n, law), within=1e-10)


@pytest.mark.long
@each
@pytest.mark.parametrize("n", [1, 2, 4])
def test_few_reports_of_few_values_are_listed_and_grow_with_the_people(mechanism, n):
    for utility in utilities(mechanism, n):
        assert lowest(utility) + 1e-12 >= 0
        assert highest(utility) <= 1 + 1e-10
        if mechanism.k <= 5 and mechanism.channel().reduced().shape[1] <= 10:
            assert isinstance(utility, float)
    information = [dc.information.population_information(mechanism, people, rng=1) for people in (n, n + 1)]
    assert lowest(information[0]) <= highest(information[1])
    # Each further report reveals no more than the one before.
    assert lowest(information[1]) <= (n + 1) / n * highest(information[0])


@pytest.mark.long
@pytest.mark.parametrize("mechanism", INFORMATIVE)
@pytest.mark.parametrize("n", [60, 10**4])
def test_no_answer_is_the_middle_of_an_interval_that_says_little(mechanism, n):
    with lowered(**FEW):
        answer = dc.information.distribution_utility(mechanism, n, rng=1)
    assert lowest(answer) >= 0
    if isinstance(answer, dc.Estimate) and are_far_apart(answer.low, answer.high):
        assert answer.value == answer.low


@pytest.mark.long
@pytest.mark.parametrize("mechanism", INFORMATIVE)
def test_utility_grows_with_the_people_and_stays_below_the_truth(mechanism):
    with lowered(**FEW):
        told = [dc.information.population_information(mechanism, n, rng=1) for n in (10, 100, 10**4)]
        truth = dc.information.population_information(dc.RandomizedResponse(mechanism.k, epsilon=math.inf), 10**4)
    assert all(lowest(less) <= highest(more) for less, more in itertools.pairwise(told))
    assert lowest(told[-1]) <= truth * (1 + 1e-10)


@pytest.mark.long
@pytest.mark.parametrize("n", [1, 3, 10, 1000])
@pytest.mark.parametrize("epsilon", [0.5, 3])
def test_noise_after_a_mechanism_and_a_map_before_it_lose_utility(n, epsilon):
    def information(system):
        with lowered(**FEW):
            return dc.information.population_information(system, n, rng=1)

    response, fewer = dc.RandomizedResponse(3, epsilon=epsilon), dc.Channel([[1, 0], [0, 1], [0, 1]])
    for after in (dc.RandomizedResponse(3, epsilon=2).channel(), fewer, dc.Channel([[0.5, 0.5]] * 3)):
        assert lowest(information(response >> after)) <= highest(information(response)) + 1e-12
    assert lowest(information(fewer >> dc.RandomizedResponse(2, epsilon=epsilon))) <= highest(information(fewer))


@pytest.mark.parametrize("n", [1, 2, 50, 10**6])
def test_a_population_that_is_known_leaves_nothing_to_reveal(n):
    point = dc.PointMixture([[0.2, 0.3, 0.5]], [1])
    for mechanism in (dc.RandomizedResponse(3, epsilon=1), dc.UnaryEncoding.oue(3, epsilon=1), dc.Channel(np.eye(3))):
        assert dc.information.population_information(mechanism, n, point) == 0
        with pytest.raises(dc.errors.InvalidPriorError, match="known"):
            dc.information.distribution_utility(mechanism, n, point)
