"""Where one count tells everything, what it tells is a float for any number of people."""

import math

import numpy as np
import pytest

import discretion as dc
from information.answers import covers
from oracles import local_information as slow
from oracles.population_laws import law_of
from oracles.precise_betas import information_of_a_count
from oracles.promise import exactly

RR, UE = dc.RandomizedResponse, dc.UnaryEncoding
ASYMMETRIC = dc.Channel([[0.5, 0.5], [0.0, 1.0]])
SMOOTH = dc.Dirichlet([4, 4])
POINTS = dc.PointMixture([[0.5, 0.5], [0.25, 0.75], [1, 0]], [0.5, 0.3, 0.2])


@pytest.mark.long
@pytest.mark.parametrize("n", [2, 12])
@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (30, 2), (1e6, 1e6), (1e8, 3)])
@pytest.mark.parametrize("epsilon", [1e-8, 1e-3, 1, 8])
def test_of_a_yes_or_no_question_it_keeps_its_digits_however_little(epsilon, n, a, b):
    mp = pytest.importorskip("mpmath")
    mechanism = RR(2, epsilon=epsilon)
    with mp.workdps(45):
        hit = 1 / (1 + mp.exp(-mp.mpf(epsilon)))
        expected = float(information_of_a_count(n, a, b, (hit, 1 - hit), step=0.08 if epsilon == 8 else 0.1))
    assert dc.information.population_information(mechanism, n, dc.Dirichlet([a, b])) == pytest.approx(
        expected, rel=1e-10
    )


@pytest.mark.parametrize(
    ("mechanism", "n", "expected"),
    [
        # The issue's, by one-dimensional quadrature.
        (RR(2, epsilon=1), 10**5, pytest.approx(4.1654257, abs=1e-7)),
        # 200 digits could not be had for 3,500 people; by thousands of nodes for every one of the counts.
        (RR(2, p=0.97), 3500, None),
        (RR(2, epsilon=8), 900, None),
        (ASYMMETRIC, 300, None),
    ],
    ids=repr,
)
def test_of_thousands_it_is_the_sum_over_all_counts(mechanism, n, expected):
    answer = dc.information.population_information(mechanism, n)
    assert isinstance(answer, float)
    assert answer == (
        exactly(_over_all_counts(np.array(mechanism.channel().matrix), n)) if expected is None else expected
    )


def _over_all_counts(matrix, n):
    """``H(S) - E H(S | P)`` under Jeffreys' prior, which is uniform in the angle of √P: the midpoint rule."""
    nodes = 16_000 if matrix.min() == 0 else 3000  # where a report excludes a value it errs by their third power
    angles = (np.arange(nodes) + 0.5) / nodes * math.pi / 2
    rates = np.stack([np.sin(angles) ** 2, np.cos(angles) ** 2], axis=1) @ matrix
    s = np.arange(n + 1)
    ways = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in s])
    whole, own = np.zeros(n + 1), 0.0
    for hit, miss in rates:
        logs = ways + s * math.log(hit) + (n - s) * math.log(miss)
        law = np.exp(logs)
        whole += law / len(rates)
        own += float(law @ logs) / len(rates)
    return own - float(whole[whole > 0] @ np.log(whole[whole > 0]))


@pytest.mark.parametrize(
    "system", [UE.oue(2, epsilon=1), UE.rappor(2, epsilon=3), dc.LocalHashing(2, 1.0, g=3)], ids=repr
)
@pytest.mark.parametrize("population", [dc.Dirichlet([0.5, 1.5]), POINTS], ids=["Dirichlet", "points"])
def test_reports_that_all_send_alike_say_nothing(system, population):
    for n in (2, 9):
        told = dc.information.population_information(system, n, population)
        matrix = np.array(system.channel().reduced().matrix)
        assert told == exactly(slow.population_information(matrix, n, law_of(population)))
        assert dc.information.population_information(system.channel(), n, population) == pytest.approx(told, rel=1e-10)


def test_many_reports_some_of_which_say_nothing_are_fewer_reports():
    # Half of the reports of OUE tell, by the same odds: n of them about as much as n/2 answers.
    told = dc.information.population_information(UE.oue(2, epsilon=1), 10**4, SMOOTH)
    assert told == pytest.approx(dc.information.population_information(RR(2, epsilon=1), 5000, SMOOTH), abs=1e-4)


@pytest.mark.parametrize("n", [3, 40])
def test_of_points_it_is_the_sum_over_all_tallies(n):
    for system in (RR(2, epsilon=1), ASYMMETRIC, dc.Channel([[0.2, 0.4, 0.4], [0.2, 0.1, 0.7]])):
        matrix = np.array(system.channel().matrix)
        expected = slow.population_information(matrix, n, law_of(POINTS))
        assert dc.information.population_information(system, n, POINTS) == exactly(expected)


def test_two_reports_of_many_values_tell_points_apart():
    parity, points = dc.Channel([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]), dc.PointMixture(np.eye(3), [0.2, 0.3, 0.5])
    expected = slow.population_information(np.array(parity.matrix), 30, law_of(points))
    assert dc.information.population_information(parity, 30, points) == exactly(expected)
    everything = -sum(w * math.log(w) for w in (0.2, 0.3, 0.5))
    assert dc.information.population_information(parity, 10**6, points) == pytest.approx(everything, rel=1e-10)


def test_near_points_are_told_apart_by_the_square_of_their_distance():
    near = 1e-9
    points = dc.PointMixture([[0.5 + near, 0.5 - near], [0.5, 0.5]], [0.5, 0.5])
    mechanism, n = RR(2, epsilon=1), 20
    moved = 0.5 + near - 0.5  # what a float holds of it
    expected = n / 2 * (mechanism.gap * moved) ** 2 * 0.25 * 4
    assert dc.information.population_information(mechanism, n, points) == pytest.approx(expected, rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("n", [10**5, 10**7 + 1])
def test_utilities_of_millions_are_floats(n):
    mechanism = RR(2, epsilon=1)
    told = dc.information.population_information(mechanism, n, SMOOTH)
    limit = dc.information.asymptotic_utility(mechanism, SMOOTH)
    assert dc.information.digit_utility(mechanism, n, SMOOTH) - math.log(n) / 2 == pytest.approx(limit, abs=30 / n)
    assert dc.information.distribution_utility(mechanism, n, SMOOTH) == exactly(
        told / dc.information.population_information(RR(2, p=1), n, SMOOTH)
    )


def test_what_a_little_noise_takes_from_a_count():
    assert covers(
        dc.information.population_information(RR(2, epsilon=700), 50),
        dc.information.population_information(RR(2, p=1), 50),
    )


@pytest.mark.parametrize("n", [1, 2, 13, 20, 33, 60])
@pytest.mark.parametrize("shares", [(1, 0.5), (0, 1, 0.3), (1, 1 - 1e-9, 0.5), (0, 1e-9, 1e-3, 0.9), (1, 0)])
def test_points_that_are_certain_of_a_value_are_told_apart_as_all_counts_do(shares, n):
    weights = np.arange(1.0, len(shares) + 1) / sum(range(1, len(shares) + 1))
    population = dc.PointMixture([[share, 1 - share] for share in shares], weights)
    expected = 0.0
    for count in range(n + 1):
        likely = [share**count * (1 - share) ** (n - count) for share in shares]
        mean = float(weights @ likely)
        parts = (weight * p * math.log(p / mean) for weight, p in zip(weights, likely, strict=True) if p)
        expected += math.comb(n, count) * sum(parts)
    assert dc.information.population_information(RR(2, p=1), n, population) == exactly(expected)
