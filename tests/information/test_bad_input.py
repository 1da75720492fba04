"""What no protocol, no population and no crowd can be is refused in a sentence that says what was given."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import DiscretionError, InvalidPriorError, InvalidValueError, UnsupportedError

RR = dc.RandomizedResponse

OF_ONE = {
    "average_privacy": lambda system, population=None, rng=1: dc.information.average_privacy(system, population),
    "asymptotic_utility": lambda *given, rng=1: dc.information.asymptotic_utility(*given, rng=rng),
    "effective_participation": lambda *given, rng=1: dc.information.effective_participation(*given, rng=rng),
}
OF_MANY = {
    "population_information": dc.information.population_information,
    "distribution_utility": dc.information.distribution_utility,
    "tally_utility": dc.information.tally_utility,
    "digit_utility": dc.information.digit_utility,
    "information_split": dc.information.information_split,
}
AMONG_TEN = {
    name: lambda system, population=None, rng=1, ask=ask: ask(system, 10, population, rng=rng)
    for name, ask in OF_MANY.items()
}
WITH_POPULATION = OF_ONE | AMONG_TEN
each_measure = pytest.mark.parametrize("ask", WITH_POPULATION.values(), ids=WITH_POPULATION)
each_measure_of_many = pytest.mark.parametrize("ask", OF_MANY.values(), ids=OF_MANY)


def refused(error, words, ask):
    with pytest.raises(error, match=words) as caught:
        ask()
    assert isinstance(caught.value, DiscretionError)
    assert "\n" not in str(caught.value)


@each_measure_of_many
@pytest.mark.parametrize("n", [0, -1, 1.5, 2.0, "3", True, math.nan, math.inf, None], ids=repr)
@pytest.mark.parametrize("system", [RR(3, p=0.7), dc.Channel(np.eye(3))], ids=["mechanism", "channel"])
def test_users_are_a_whole_number(ask, n, system):
    refused(InvalidValueError, "n must be a whole number", lambda: ask(system, n))


@each_measure
@pytest.mark.parametrize("population", [[0.5, 0.5, 0.5], np.full(3, 0.5), 0.5, "jeffreys", dc.Dirichlet], ids=repr)
def test_a_population_is_a_law(ask, population):
    refused(UnsupportedError, "population.*Dirichlet", lambda: ask(RR(3, p=0.7), population))


@each_measure
@pytest.mark.parametrize("system", [RR(3, p=0.7), dc.Channel(np.eye(3))], ids=["mechanism", "channel"])
@pytest.mark.parametrize(
    "population",
    [dc.Dirichlet([1, 1]), dc.Dirichlet.jeffreys(4), dc.PointMixture([[0.5, 0.5]], [1])],
    ids=["two", "four", "points"],
)
def test_a_population_has_the_values_of_the_system(ask, system, population):
    refused(InvalidPriorError, f"{population.k} values.*3", lambda: ask(system, population))


@each_measure
def test_a_value_must_have_an_alternative(ask):
    refused(InvalidValueError, "2|two", lambda: ask(dc.Channel([[0.5, 0.5]])))


@pytest.mark.parametrize("alpha", [[1, 0], [1, -0.5], [1, math.nan], [1, math.inf], [1], [], 1, [["a", 1]]], ids=repr)
def test_parameters_of_a_dirichlet_law_are_positive(alpha):
    refused(InvalidValueError, "alpha must be positive", lambda: dc.Dirichlet(alpha))


@pytest.mark.parametrize(
    ("points", "weights", "words"),
    [
        ([[0.5, 0.5], [1, 0]], [0.5, 0.6], r"weights.*1\.1"),
        ([[0.5, 0.5], [1, 0]], [1.5, -0.5], r"-0\.5"),
        ([[0.5, 0.5], [1, 0]], [1.0], r"\(2\), got 1"),
        ([[0.5, 0.5], [1, 0.5]], [0.5, 0.5], r"points\[1\].*1\.5"),
        ([[0.5, 0.5], [1]], [0.5, 0.5], "equal length"),
        ([0.5, 0.5], [1], r"shape \(2,\)"),
    ],
)
def test_points_and_their_weights_are_distributions(points, weights, words):
    refused(InvalidPriorError, words, lambda: dc.PointMixture(points, weights))


@each_measure
def test_reports_of_a_crowd_are_measured_by_n(ask):
    refused(UnsupportedError, "n users|mechanism alone", lambda: ask(dc.Shuffled(RR(3, p=0.7), 10)))


def test_the_worst_case_of_a_crowd_is_another_measure_s():
    refused(
        UnsupportedError, "mechanism alone", lambda: dc.information.worst_case_privacy(dc.Shuffled(RR(3, p=0.7), 10))
    )


@pytest.mark.parametrize("system", [[[1, 0], [0, 1]], np.eye(2), "krr", None, 0.7, RR], ids=repr)
def test_what_has_no_channel_is_refused(system):
    for ask in (*WITH_POPULATION.values(), dc.information.worst_case_privacy):
        refused(UnsupportedError, r"discretion\.Channel", lambda ask=ask: ask(system))


@pytest.mark.parametrize("name", ["asymptotic_utility", "effective_participation", "digit_utility"])
@pytest.mark.parametrize("system", [RR(2, p=0.7), RR(2, epsilon=math.inf), dc.Channel(np.eye(2))], ids=repr)
def test_points_have_no_density(name, system):
    population = dc.PointMixture([[0.5, 0.5], [0.25, 0.75]], [0.5, 0.5])
    refused(DiscretionError, "density", lambda: WITH_POPULATION[name](system, population))


@pytest.mark.parametrize(
    ("system", "rank"),
    [
        (dc.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), 2),
        (dc.Channel([[1, 0], [1, 0], [0, 1]]), 2),
        (dc.Channel([[0.5, 0.25, 0.25], [0.5, 0.25, 0.25], [0, 0.5, 0.5]]), 2),
        (dc.Channel([[0.3, 0.7]] * 3), 1),
        (dc.UnaryEncoding.oue(3, epsilon=0), 1),
    ],
    ids=["two reports", "merged values", "values alike", "says nothing", "OUE"],
)
def test_a_protocol_that_confuses_populations_has_no_asymptotic_utility(system, rank):
    refused(InvalidValueError, rf"rank.*\b{rank}\b|\b{rank}\b.*rank", lambda: dc.information.asymptotic_utility(system))
    assert dc.information.effective_participation(system) == 0.0


def test_response_at_epsilon_0_has_no_asymptotic_utility():
    refused(InvalidValueError, "epsilon = 0.*faithful", lambda: dc.information.asymptotic_utility(RR(3, epsilon=0)))
    assert dc.information.effective_participation(RR(3, epsilon=0)) == 0.0


def test_without_anything_private_there_is_no_share_of_it():
    # LDP-info, condition 2.2: not all of P is on certain values.
    certain = dc.PointMixture([[1, 0], [0, 1]], [0.5, 0.5])
    refused(InvalidPriorError, "certain|private", lambda: dc.information.average_privacy(RR(2, p=0.7), certain))


def test_without_anything_to_learn_there_is_no_share_of_it():
    # LDP-info, condition 2.3: P is not known beforehand. Of the tally there is something to learn all the same.
    known, surely = dc.PointMixture([[0.25, 0.75]], [1]), dc.PointMixture([[1, 0]], [1])
    assert dc.information.population_information(RR(2, p=0.7), 3, known) == pytest.approx(0, abs=1e-12)
    assert 0 < float(dc.information.tally_utility(RR(2, p=0.7), 3, known)) < 1
    for system in (RR(2, p=0.7), dc.Channel([[0.7, 0.3], [0.3, 0.7]])):
        for population in (known, surely, dc.PointMixture([[0.25, 0.75]] * 2, [0.5, 0.5])):
            refused(
                InvalidPriorError,
                "known|learn",
                lambda system=system, population=population: dc.information.distribution_utility(system, 3, population),
            )
    refused(InvalidPriorError, "known|learn|certain", lambda: dc.information.tally_utility(RR(2, p=0.7), 3, surely))


@each_measure_of_many
@pytest.mark.parametrize("rng", [-1, 0.5, "seed", True], ids=repr)
def test_a_seed_is_a_whole_number(ask, rng):
    refused(InvalidValueError, "rng", lambda: ask(RR(3, p=0.7), 10, rng=rng))
