"""The expected maximum load: right at any size."""

import itertools
from collections import Counter, defaultdict
from decimal import Decimal, localcontext
from fractions import Fraction
from math import ceil, comb, factorial, perm, prod, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import binom

import discretion as dc
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
    assert dc.shuffling.maximum_load(n, k) / n == close(share)


@pytest.mark.parametrize("k", range(2, 7))
@pytest.mark.parametrize("n", range(1, 13))
def test_it_is_the_sum_over_integer_partitions_and_brown_s(n, k):
    expected = slow.maximum_load_by_partitions(n, k)
    assert slow.maximum_load_by_brown(n, k) == expected
    if k**n <= 5000:
        assert slow.maximum_load_by_datasets(n, k) == expected
    assert dc.shuffling.maximum_load(n, k) == close(expected)


@pytest.mark.parametrize(
    ("n", "k"), [(2, 10**9), (3, 1000), (4, 10**6), (5, 10**8), (10, 10_000), (10, 10**9), (20, 21), (25, 40)]
)
def test_more_bins_than_balls(n, k):
    assert dc.shuffling.maximum_load(n, k) == close(slow.maximum_load_by_partitions(n, k))


@pytest.mark.parametrize(("n", "k"), [(1000, 10**9), (10**4, 10**10), (10**5, 10**12)])
def test_far_more_bins_than_balls(n, k):
    assert dc.shuffling.maximum_load(n, k) == close(laws.sparse_maximum_load(n, k))


@pytest.mark.long
@pytest.mark.parametrize("n", [*range(13, 41), 50, 60])
def test_up_to_eight_bins_against_partitions(n):
    # One pass for all k: the loads of each number of parts, times their datasets but for the choice of the values;
    # as many parts are alike in as many ways as divide 8!.
    weights, ways = defaultdict(int), factorial(8)
    for parts in slow.partitions(n, 8):
        same = prod(map(factorial, Counter(parts).values()))
        weights[len(parts)] += parts[0] * slow.multinomial(parts) * (ways // same)
    for k in range(2, 9):
        loads = sum(perm(k, parts) * weight for parts, weight in weights.items())
        assert dc.shuffling.maximum_load(n, k) == close(Fraction(loads, ways * k**n))


def to_fifty_digits(at_most):
    """Sum ``P(M > m)`` from the load ⌈n/k⌉, which is surely reached, until it is below 1e-40."""

    def expected(n, k):
        with localcontext() as context:
            context.prec = 50
            load = total = -(-n // k)
            while (more := 1 - at_most(load, n, k)) > Decimal("1e-40"):
                total, load = total + more, load + 1
            return total

    return expected


@to_fifty_digits
def by_balls(load, n, k):
    """P(M <= m) ball by ball: another one breaks it in a bin that holds m already; nothing cancels to speak of."""
    row = [Decimal(balls <= load) for balls in range(n + 1)]
    for bins in range(2, k + 1):
        fewer, row = row, [Decimal(1)] * (load + 1)
        full, elsewhere = Decimal(bins) ** -load, 1 - Decimal(1) / bins
        for balls in range(load, n):
            row.append(row[-1] - full * fewer[balls - load])
            full *= elsewhere * (balls + 1) / (balls + 1 - load)
    return row[n]


@to_fifty_digits
def by_powers(load, n, k):
    """P(M <= m) for n <= k as n! k^-n times a coefficient of ``(Σ_{x<=m} z^x/x!)^k``: all terms are positive.

    The derivative of a power gives its coefficients one from another (J. C. P. Miller's recurrence).
    """
    row = [Decimal(1)]
    for balls in range(1, n + 1):
        ways, total = Decimal(1), Decimal(0)
        for x in range(1, min(load, balls) + 1):
            ways *= Decimal(balls - x + 1) / (x * k)
            total += (x * (k + 1) - balls) * ways * row[balls - x]
        row.append(total / balls)
    return row[n]


@pytest.mark.long
@pytest.mark.parametrize(("n", "k"), [(3000, 2), (2000, 3), (1000, 5), (1000, 10), (400, 30), (150, 60), (60, 60)])
def test_fifty_digits_ball_by_ball(n, k):
    assert dc.shuffling.maximum_load(n, k) == close(by_balls(n, k))


@pytest.mark.long
@pytest.mark.parametrize(
    ("n", "k"), [(60, 60), (1000, 1000), (2000, 10**4), (1000, 10**6), (300, 10**9), (1139, 242_595_044), (9, 10**15)]
)
def test_fifty_digits_of_a_power_where_there_are_more_bins(n, k):
    assert dc.shuffling.maximum_load(n, k) == close(by_powers(n, k))


@pytest.mark.long
@given(st.integers(1, 150), st.integers(2, 20))
def test_fifty_digits_of_any_few_bins(n, k):
    assert dc.shuffling.maximum_load(n, k) == close(by_balls(n, k))


@pytest.mark.long
@given(st.integers(1, 150), st.floats(0, 14))
def test_fifty_digits_of_any_many_bins(n, more):
    k = max(2, round(n * 10**more))
    assert dc.shuffling.maximum_load(n, k) == close(by_powers(n, k))


@pytest.mark.long
@pytest.mark.parametrize("n", [3, 100, 10**4, 10**6, 10**6 + 1, 10**9])
def test_three_bins_are_one_and_a_fair_split_of_the_others(n):
    # Given h in the first: max(h, X, s - X) with X ~ Bin(s, 1/2), as a sum of what is over the mean.
    spread = 40 + ceil(10 * sqrt(n / 3))
    h = np.arange(max(0, n // 3 - spread), min(n, n // 3 + spread) + 1)
    s = n - h
    split = np.where(s == 0, 0, s / 2 * binom.pmf((s - 1) // 2, np.maximum(s - 1, 0), 0.5))
    over = s / 2 * binom.sf(h - 1, np.maximum(s - 1, 0), 0.5) - h * binom.sf(h, s, 0.5)
    excess = np.where(3 * h < n, (n / 3 - h) / 2 + split, h - n / 3 + 2 * over)
    assert dc.shuffling.maximum_load(n, 3) == close(n / 3 + excess @ binom.pmf(h, n, 1 / 3))


@pytest.mark.parametrize("k", [2, 17, 10**9, 10**20, 10**400])
def test_one_ball_is_the_maximum(k):
    assert dc.shuffling.maximum_load(1, k) == 1


@pytest.mark.parametrize("k", [10**20, 10**30, 10**400])
def test_balls_never_meet_in_enough_bins(k):
    assert dc.shuffling.maximum_load(1000, k) == close(laws.sparse_maximum_load(1000, k))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 10, 99, 100, 1001, 20_000])
def test_two_bins_are_theorem_17_in_whole_numbers(n):
    # Python divides whole numbers of any size without rounding twice.
    assert dc.shuffling.maximum_load(n, 2) == close(Fraction(n, 2) + n * Fraction(comb(n - 1, (n - 1) // 2), 2**n))


@pytest.mark.long
@pytest.mark.parametrize("n", [10**6, 10**6 + 1, 10**9, 10**9 + 1])
def test_two_bins_are_theorem_17_at_a_billion(n):
    assert dc.shuffling.maximum_load(n, 2) == pytest.approx(
        float(n * (laws.binary_advantage(n) + Decimal("0.5"))), rel=1e-13
    )


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_another_ball_adds_something_but_at_most_itself(k):
    loads = [dc.shuffling.maximum_load(n, k) for n in range(1, 60)]
    assert all(0 < more - less <= 1 for less, more in itertools.pairwise(loads))


@pytest.mark.parametrize("n", [2, 10, 100, 5000])
def test_another_bin_lowers_the_load_and_never_below_the_mean(n):
    loads = [dc.shuffling.maximum_load(n, k) for k in range(2, 40)]
    assert all(more < less for less, more in itertools.pairwise(loads))
    assert all(n / k <= load <= n for k, load in enumerate(loads, 2))


@pytest.mark.long
@pytest.mark.parametrize("k", [3, 10])
def test_the_largest_share_falls_with_the_crowd(k):
    shares = [dc.shuffling.maximum_load(n, k) / n for n in [1, 2, 3, 10, 100, 1000, 10**4, 10**6, 10**9]]
    assert all(more <= less + 1e-15 for less, more in itertools.pairwise(shares))


def test_a_simulation_agrees():
    n, k, runs = 1000, 50, 20_000
    loads = np.random.default_rng(3).multinomial(n, np.full(k, 1 / k), size=runs).max(axis=1)
    assert abs(loads.mean() - dc.shuffling.maximum_load(n, k)) < 5 * loads.std() / np.sqrt(runs)


@pytest.mark.parametrize(("n", "k"), [(0, 2), (2, 1), (2, 0), (-1, 2), (2.0, 2), (2, "3"), (True, 2)])
def test_balls_and_bins_are_whole_numbers(n, k):
    with pytest.raises(dc.errors.InvalidValueError, match="whole number"):
        dc.shuffling.maximum_load(n, k)
