"""Where the information is sampled, the interval holds what listing every tally gives."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.information.utility.population_information import population_information
from discretion.information.utility.sampled_information import (
    estimate_among_points,
    estimate_by_bounds,
    estimate_by_moments,
    spanning_estimate,
)
from discretion.mechanisms import RandomizedResponse

THREE = RandomizedResponse(3, epsilon=2)
JEFFREYS, SKEW = dc.Dirichlet.jeffreys(3), dc.Dirichlet([0.4, 1.5, 3.0])
# A channel with more reports than values, one of them excluding a value.
WIDE = dc.Channel([[0.5, 0.2, 0.2, 0.1], [0.1, 0.6, 0.1, 0.2], [0.3, 0.0, 0.3, 0.4]])


def missed(estimates, truth):
    return sum(not e.low <= truth <= e.high for e in estimates)


def most_misses(runs, confidence):
    misses = 1 - confidence
    return runs * misses + 4 * math.sqrt(runs * misses * confidence)


@pytest.mark.long
@pytest.mark.parametrize(("population", "n"), [(JEFFREYS, 30), (SKEW, 4)], ids=["Jeffreys", "skew"])
def test_intervals_from_exact_probabilities_cover(n, population):
    truth = population_information(THREE, n, population)
    found = [
        estimate_by_moments(THREE.response, n, population, np.random.default_rng(seed), draws=1 << 10)
        for seed in range(200)
    ]
    assert missed(found, truth) <= most_misses(200, 0.95)
    assert np.mean([e.high - e.low for e in found]) < 0.15


@pytest.mark.long
@pytest.mark.parametrize(("system", "n", "population"), [(THREE, 30, JEFFREYS), (WIDE, 12, SKEW)], ids=["k-RR", "wide"])
def test_intervals_from_brackets_cover(system, n, population):
    truth = population_information(system, n, population)
    matrix = system.channel().matrix
    found = [estimate_by_bounds(matrix, n, population, np.random.default_rng(seed), draws=250) for seed in range(40)]
    assert missed(found, truth) <= most_misses(40, 0.95)
    assert np.mean([e.high - e.low for e in found]) < 0.4


# Some are wide in directions of which reports reveal little or nothing, and narrow in others.
HARD = {
    "two of three merged": [[1, 0], [1, 0], [0, 1]],
    "rank 2 of 3": [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]],
    "rank 2 of 3, zeros": [[1, 0], [0.5, 0.5], [0, 1]],
    "nearly merged": [[0.9, 0.1, 0], [0.9, 0.09, 0.01], [0, 0.1, 0.9]],
    "nearly no noise": [[0.99, 0.01, 0], [0, 0.99, 0.01], [0.01, 0, 0.99]],
    "nearly nothing": [[0.34, 0.33, 0.33], [0.33, 0.34, 0.33], [0.33, 0.33, 0.34]],
    "a report of nothing": [[0.1, 0, 0, 0.9], [0, 0.1, 0, 0.9], [0, 0, 0.1, 0.9]],
    "no two exclude alike": [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]],
}


@pytest.mark.long
@pytest.mark.parametrize("n", [3, 20, 60])
@pytest.mark.parametrize("name", HARD)
def test_intervals_from_brackets_cover_where_shares_stay_unknown(name, n):
    channel, population = dc.Channel(HARD[name]), dc.Dirichlet.jeffreys(3)
    truth = population_information(channel, n)
    assert isinstance(truth, float)
    matrix = channel.matrix
    found = [estimate_by_bounds(matrix, n, population, np.random.default_rng(seed), draws=500) for seed in range(12)]
    assert missed(found, truth) <= most_misses(12, 0.95)
    assert np.mean([e.high - e.low for e in found]) < 0.5


@pytest.mark.long
@pytest.mark.parametrize("n", [10**3, 10**6])
@pytest.mark.parametrize(
    ("matrix", "merged"),
    [
        ([[1, 0], [1, 0], [0, 1]], [1, 0.5]),
        ([[0.75, 0.25], [0.25, 0.75], [0.75, 0.25], [0.25, 0.75]], [1, 1]),
        ([[0.5, 0.5], [0.01, 0.99], [0.01, 0.99], [0.01, 0.99]], [0.5, 1.5]),
    ],
)
def test_intervals_cover_what_merged_values_give_exactly_for_any_number_of_people(matrix, merged, n):
    values = dc.Channel(np.unique(matrix, axis=0)[::-1])
    truth = population_information(values, n, dc.Dirichlet(merged))
    population = dc.Dirichlet.jeffreys(len(matrix))
    found = [
        estimate_by_bounds(np.array(matrix), n, population, np.random.default_rng(seed), draws=800) for seed in range(6)
    ]
    assert missed(found, truth) <= most_misses(6, 0.95)
    assert np.mean([e.high - e.low for e in found]) < 0.5


def test_brackets_that_are_far_from_each_other_leave_no_best_guess():
    low, high = np.random.default_rng(0).normal([[1.0], [4.0]], 0.1, (2, 1000))
    nothing_beside = np.zeros((1000, 1))
    wide = spanning_estimate(low, high, nothing_beside, 9.0, "brackets")
    assert wide.value == wide.low == pytest.approx(1.0, abs=0.02)
    assert wide.high == pytest.approx(4.0, abs=0.02)
    narrow = spanning_estimate(low, low + 0.1, nothing_beside, 9.0, "brackets")
    assert narrow.value == pytest.approx(1.05, abs=0.02)


@pytest.mark.long
@pytest.mark.parametrize("n", [6, 25])
def test_intervals_among_points_cover(n):
    points, weights = np.array([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4], [0.9, 0.1, 0.0]]), np.array([0.5, 0.3, 0.2])
    truth = population_information(THREE, n, dc.PointMixture(points, weights))
    found = [
        estimate_among_points(THREE.channel().matrix, n, points, weights, np.random.default_rng(seed), draws=2000)
        for seed in range(200)
    ]
    assert missed(found, truth) <= most_misses(200, 0.95)


@pytest.mark.long
def test_the_two_routes_to_many_reports_agree():
    ten, population = RandomizedResponse(10, epsilon=2), dc.Dirichlet.jeffreys(10)
    exact_evidence = estimate_by_moments(ten.response, 1000, population, np.random.default_rng(1))
    bracketed = estimate_by_bounds(ten.channel().matrix, 1000, population, np.random.default_rng(2), draws=1 << 10)
    assert exact_evidence.high - exact_evidence.low < 4e-3
    assert bracketed.high - bracketed.low < 0.1
    assert bracketed.low <= exact_evidence.high
    assert exact_evidence.low <= bracketed.high


@pytest.mark.long
def test_sampled_and_listed_meet_where_listing_ends():
    ten = RandomizedResponse(10, epsilon=1)
    listed = population_information(ten, 40)
    assert isinstance(listed, float)
    sampled = estimate_by_moments(ten.response, 40, dc.Dirichlet.jeffreys(10), np.random.default_rng(3))
    assert sampled.low <= listed <= sampled.high


def test_channels_that_are_too_large_to_sample_are_refused():
    with pytest.raises(dc.errors.TooLargeError, match="asymptotic_utility"):
        dc.information.population_information(dc.UnaryEncoding.oue(13, epsilon=1).channel(), 10**5, rng=1)


@pytest.mark.long
def test_channels_of_more_reports_than_people_are_sampled():
    mechanism, law = dc.UnaryEncoding.oue(10, epsilon=1), dc.Dirichlet.jeffreys(10)
    told = [dc.information.population_information(mechanism, n, law, rng=1) for n in (1, 10, 50)]
    # A further report reveals no more than the one before: I is concave in n.
    assert 10 * told[0] >= told[1].low
    assert 5 * told[1].high >= told[2].low > told[1].high
    assert told[2].high - told[2].low < 0.12


def test_more_people_and_more_values_than_can_be_bracketed_are_an_estimate():
    # A smooth law, of which the digits that are missing soon stop to grow: U = 1 - (k-1)(C - U^as)/I, nearly.
    mechanism, truth, smooth = RandomizedResponse(40, epsilon=8), RandomizedResponse(40, p=1), dc.Dirichlet([4] * 40)
    utility = dc.information.distribution_utility(mechanism, 30_000, smooth, rng=1)
    assert utility.high - utility.low < 2e-3
    missing = 39 * (
        dc.information.asymptotic_utility(truth, smooth) - dc.information.asymptotic_utility(mechanism, smooth)
    )
    expected = 1 - missing / population_information(truth, 30_000, smooth)
    assert utility.value == pytest.approx(expected, abs=2e-3)


def test_people_that_are_too_many_to_sample_are_named():
    with pytest.raises(dc.errors.TooLargeError, match="10,000,000 reports"):
        dc.information.distribution_utility(RandomizedResponse(50, epsilon=1).channel(), 10**7)


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1e-6, 1e-3])
def test_next_to_nothing_lies_between_what_one_report_tells_and_as_many_times_that(epsilon):
    ten, n = RandomizedResponse(10, epsilon=epsilon), 100
    # (n/2) Σ gap²/q̄ Var P_x, to first order in ε and n ε²; of Jeffreys' prior with q̄ = 1/10, Var P_x = (1/10)(9/10)/6.
    leading = n / 2 * 10 * 10 * ten.gap**2 * (9 / 100) / 6
    found = dc.information.population_information(ten, n, rng=1)
    assert dc.information.population_information(ten, 1) * (1 - 1e-9) <= found.low
    assert found.low <= leading * (1 + epsilon)
    assert leading * (1 - epsilon - n * epsilon**2) <= found.high <= leading * (1 + epsilon)
    assert found.low < found.value <= found.high
