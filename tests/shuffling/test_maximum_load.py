"""The expected maximum load: right at any size."""

import itertools
from decimal import Decimal
from fractions import Fraction
from math import comb

import numpy as np
import pytest

import tacit as tc
from oracles import laws, shuffling as slow


def close(value):
    return pytest.approx(float(value), rel=1e-10, abs=0)


# MATHS 2a, from 40-digit arithmetic: the maximum load as a share of the balls.
REFERENCE = [
    (6, 3, 0.539094650205761),
    (100, 3, 0.382633872848196612),
    (1000, 3, 0.348829392534113704),
    (1000, 5, 0.216576840790551305),
    (10_000, 10, 0.104894195155311858),
    (1_000_000, 1000, 0.00110409041773469562),
    (1_000_000_000, 100_000, 1.04414683932551e-5),
]


@pytest.mark.parametrize(("n", "k", "share"), REFERENCE)
def test_reference_values(n, k, share):
    assert tc.maximum_load(n, k) / n == close(share)


@pytest.mark.parametrize("k", range(1, 7))
@pytest.mark.parametrize("n", range(1, 13))
def test_it_is_the_sum_over_integer_partitions_and_brown_s(n, k):
    expected = slow.maximum_load_by_partitions(n, k)
    assert slow.maximum_load_by_brown(n, k) == expected
    if k**n <= 5000:
        assert slow.maximum_load_by_datasets(n, k) == expected
    assert tc.maximum_load(n, k) == close(expected)


@pytest.mark.parametrize(
    ("n", "k"), [(2, 10**9), (3, 1000), (4, 10**6), (5, 10**8), (10, 10_000), (10, 10**9), (20, 21), (25, 40)]
)
def test_more_bins_than_balls(n, k):
    assert tc.maximum_load(n, k) == close(slow.maximum_load_by_partitions(n, k))


@pytest.mark.parametrize(("n", "k"), [(1000, 10**9), (10**4, 10**10), (10**5, 10**12)])
def test_far_more_bins_than_balls(n, k):
    assert tc.maximum_load(n, k) == close(laws.sparse_maximum_load(n, k))


@pytest.mark.parametrize(("n", "k"), [(40, 3), (50, 7), (60, 4), (45, 45)])
def test_middle_sizes_against_partitions(n, k):
    assert tc.maximum_load(n, k) == close(slow.maximum_load_by_partitions(n, k))


@pytest.mark.parametrize("n", [1, 2, 17, 10**9])
def test_one_bin_holds_all_and_one_ball_is_the_maximum(n):
    assert tc.maximum_load(n, 1) == n
    assert tc.maximum_load(1, n) == 1


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 99, 100, 1001, 20_000])
def test_two_bins_are_theorem_17_in_whole_numbers(n):
    # Python divides whole numbers of any size without rounding twice.
    assert tc.maximum_load(n, 2) == close(Fraction(n, 2) + n * Fraction(comb(n - 1, (n - 1) // 2), 2**n))


@pytest.mark.parametrize("n", [10**6, 10**6 + 1, 10**9, 10**9 + 1])
def test_two_bins_are_theorem_17_at_a_billion(n):
    assert tc.maximum_load(n, 2) == pytest.approx(float(n * (laws.binary_advantage(n) + Decimal("0.5"))), rel=1e-13)


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_another_ball_adds_something_but_at_most_itself(k):
    loads = [tc.maximum_load(n, k) for n in range(1, 60)]
    assert all(0 < more - less <= 1 for less, more in itertools.pairwise(loads))


@pytest.mark.parametrize("n", [2, 10, 100, 5000])
def test_another_bin_lowers_the_load_and_never_below_the_mean(n):
    loads = [tc.maximum_load(n, k) for k in range(1, 40)]
    assert all(more < less for less, more in itertools.pairwise(loads))
    assert all(n / k <= load <= n for k, load in enumerate(loads, 1))


@pytest.mark.parametrize("k", [3, 10])
def test_the_largest_share_falls_with_the_crowd(k):
    shares = [tc.maximum_load(n, k) / n for n in [1, 2, 3, 10, 100, 1000, 10**4, 10**6, 10**9]]
    assert all(more <= less + 1e-15 for less, more in itertools.pairwise(shares))


def test_a_simulation_agrees():
    n, k, runs = 1000, 50, 20_000
    loads = np.random.default_rng(3).multinomial(n, np.full(k, 1 / k), size=runs).max(axis=1)
    assert abs(loads.mean() - tc.maximum_load(n, k)) < 5 * loads.std() / np.sqrt(runs)


@pytest.mark.parametrize(("n", "k"), [(0, 2), (2, 0), (-1, 2), (2.0, 2), (2, "3"), (True, 2)])
def test_balls_and_bins_are_whole_numbers(n, k):
    with pytest.raises(tc.errors.InvalidValueError, match="whole number"):
        tc.maximum_load(n, k)
