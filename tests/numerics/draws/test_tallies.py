"""Tallies drawn without each draw, and added up in bulk."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtr, chdtrc

from discretion.numerics.draws.tallies import column_sums, evenly_spread, heads


@pytest.mark.parametrize(("one", "zero"), [(0.25, 0.75), (0.75, 0.25), (0.5, 0.5)])
def test_heads_are_binomial(one, zero):
    draws, n = 20_000, 4
    seen = np.bincount(heads(np.full(draws, n), one, zero, np.random.default_rng(1)), minlength=n + 1)
    law = np.diff([0, *(bdtr(m, n, one) for m in range(n)), 1])
    assert chdtrc(n, ((seen - draws * law) ** 2 / (draws * law)).sum()) > 1e-4


def test_the_rarer_face_counts_where_the_other_one_s_probability_rounds_to_1():
    flips, rng = np.full(10_000, 10**18), np.random.default_rng(1)
    tails, ones = flips - heads(flips, 1.0, 1e-17, rng), heads(flips, 1e-17, 1.0, rng)
    assert abs(tails.mean() - 10) < 6 * math.sqrt(10 / 10_000)
    assert abs(ones.mean() - 10) < 6 * math.sqrt(10 / 10_000)
    assert np.array_equal(heads(flips, 1.0, 0.0, rng), flips)
    assert not heads(flips, 0.0, 1.0, rng).any()


@pytest.mark.long
@pytest.mark.parametrize(("n", "k"), [(4, 2), (4, 3), (3, 5), (2, 7)])
def test_balls_fall_into_bins_by_the_multinomial_law(n, k):
    draws, rng = 20_000, np.random.default_rng(2)
    drawn = [tuple(evenly_spread(n, k, rng).tolist()) for _ in range(draws)]
    chi_square, cases = 0.0, 0
    for tallies in itertools.product(range(n + 1), repeat=k):
        if sum(tallies) == n:
            ways = math.factorial(n) // math.prod(math.factorial(tally) for tally in tallies)
            expected = float(draws * Fraction(ways, k**n))
            chi_square += (drawn.count(tallies) - expected) ** 2 / expected
            cases += 1
    assert chdtrc(cases - 1, chi_square) > 1e-4


@pytest.mark.parametrize("k", [1, 2, 100, 1_000_000])
def test_a_billion_balls_fall_evenly(k):
    n = 10**9
    tallies = evenly_spread(n, k, np.random.default_rng(3))
    assert (tallies.shape, tallies.sum()) == ((k,), n)
    for part in (tallies, tallies[k // 2 :]) if k > 1 else ():
        chi_square = ((part - n / k) ** 2).sum() / (n / k)
        assert abs(chi_square - part.size) < 6 * math.sqrt(2 * part.size)
    assert abs(tallies[-1] - n / k) <= 6 * math.sqrt(n / k)


def test_no_balls():
    assert evenly_spread(0, 5, np.random.default_rng(1)).tolist() == [0] * 5


@pytest.mark.parametrize("columns", [1, 2, 100, 20_000])
@pytest.mark.parametrize("rows", [0, 1, 254, 255, 256, 511])
def test_column_sums_of_ones_do_not_overflow(rows, columns):
    assert np.array_equal(column_sums(np.ones((rows, columns), dtype=np.uint8)), np.full(columns, rows))


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.bool_, np.int64])
@pytest.mark.parametrize("shape", [(100_003, 5), (70_000, 100), (300, 20_000)])
def test_column_sums(shape, dtype):
    bits = (np.random.default_rng(4).random(shape, dtype=np.float32) < 0.9).astype(dtype)
    expected = np.count_nonzero(bits, axis=0)
    assert np.array_equal(column_sums(bits), expected)
    assert np.array_equal(column_sums(np.asfortranarray(bits)), expected)
    assert np.array_equal(column_sums(bits[::-1, ::2]), expected[::2])
