"""Where randomness comes from, coin flips as biased as the double says, and tallies of many draws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import bdtr, chdtrc

import discretion as dc
from discretion.numerics.draws import (
    SystemSource,
    coin_flips,
    column_sums,
    evenly_spread,
    fresh_seed,
    heads,
    random_source,
)


def test_a_fresh_seed_is_a_number_that_json_and_javascript_keep():
    seeds = [fresh_seed() for _ in range(200)]
    assert all(0 <= seed < 2**53 and int(float(seed)) == seed for seed in seeds)
    assert max(seeds) >= 2**50 and len(set(seeds)) == len(seeds)


@pytest.mark.parametrize("high", [1, 2, 3, 10, 257])
def test_the_system_s_whole_numbers_are_uniform(high):
    drawn = SystemSource().integers(high, size=50_000)
    observed, expected = np.bincount(drawn, minlength=high), 50_000 / high
    assert len(observed) == high
    if high > 1:
        assert chdtrc(high - 1, ((observed - expected) ** 2).sum() / expected) > 1e-9


def test_the_system_s_numbers_lie_evenly_in_the_unit_interval():
    drawn = SystemSource().random(50_000)
    assert 0 <= drawn.min() < drawn.max() < 1
    assert np.array_equal(drawn * 2**53, np.floor(drawn * 2**53))
    observed = np.bincount((drawn * 20).astype(int), minlength=20)
    assert chdtrc(19, ((observed - 2500) ** 2).sum() / 2500) > 1e-9


@pytest.mark.parametrize("seed", [1, None])
def test_bytes_are_uniform_and_independent_of_their_neighbours(seed):
    drawn = random_source(seed).bytes(3_000_001)
    assert (drawn.dtype, drawn.shape) == (np.uint8, (3_000_001,))
    for digits in (drawn, drawn[:-1].view(np.uint16), drawn[1:].view(np.uint16)):
        observed = np.bincount(digits, minlength=np.iinfo(digits.dtype).max + 1)
        expected = digits.size / observed.size
        assert chdtrc(observed.size - 1, ((observed - expected) ** 2).sum() / expected) > 1e-9


def test_seeded_bytes_do_not_depend_on_the_machine_s_order_of_bytes():
    words = np.random.default_rng(5).integers(2**64, size=2, dtype=np.uint64).tolist()
    expected = b"".join(word.to_bytes(8, "little") for word in words)
    assert random_source(5).bytes(11).tobytes() == expected[:11]


@pytest.mark.parametrize("high", [2**63 - 1, 2**62 + 1, 3 * 2**61])
def test_numbers_that_would_favour_some_are_drawn_again(high):
    # Half to a quarter of all 64-bit words must be rejected here; the rest is spread evenly.
    drawn = SystemSource().integers(high, size=20_000)
    assert 0 <= drawn.min() <= drawn.max() < high
    below = int((drawn < high // 2).sum())
    assert abs(below - 10_000) < 6 * 71


class FromWords(SystemSource):
    """A system source that hands out given words."""

    def __init__(self, *words):
        self.words = list(words)

    def _words(self, size):
        taken, self.words = self.words[:size], self.words[size:]
        return np.array(taken, dtype=np.uint64)


def test_exactly_the_last_incomplete_round_is_rejected():
    # 2^64 = 1 mod 3 and 1 mod 5: only the very last word is in excess.
    assert FromWords(2**64 - 1, 2**64 - 2, 5).integers(3, size=1).tolist() == [(2**64 - 2) % 3]
    assert FromWords(0, 2**64 - 1, 2**64 - 1, 7).integers(5, size=2).tolist() == [0, 2]
    # Powers of two reject none.
    assert FromWords(2**64 - 1).integers(8, size=1).tolist() == [7]


def test_two_runs_of_the_system_s_source_differ():
    assert not np.array_equal(SystemSource().random(8), SystemSource().random(8))


@pytest.mark.parametrize("draw", [lambda s: s.random(0), lambda s: s.integers(5, size=0), lambda s: s.bytes(0)])
@pytest.mark.parametrize("seed", [1, None])
def test_no_draw(draw, seed):
    assert draw(random_source(seed)).size == 0


def test_a_seed_a_generator_or_nothing():
    assert isinstance(random_source(None), SystemSource)
    generator = np.random.default_rng(5)
    assert random_source(generator).random(2).tolist() == np.random.default_rng(5).random(2).tolist()
    assert random_source(generator).random(1) == np.random.default_rng(5).random(3)[2]
    assert random_source(5).random(3).tolist() == np.random.default_rng(5).random(3).tolist()
    assert random_source(np.int64(5)).random(1) == np.random.default_rng(5).random(1)


@pytest.mark.parametrize("rng", [-1, 1.0, "1", True, [1]])
def test_anything_else_is_refused(rng):
    with pytest.raises(dc.errors.InvalidValueError, match="Generator"):
        random_source(rng)


class FromBytes:
    """A source of the given bytes, and then of zeros."""

    def __init__(self, *given):
        self.given = list(given)

    def bytes(self, size):
        taken, self.given = self.given[:size], self.given[size:]
        return np.array(taken + [0] * (size - len(taken)), dtype=np.uint8)


def first_flip(probability, *given):
    """Whether the rarer face comes up, when a flip's digits to the base 256 are the given ones."""
    return int(coin_flips(probability, 1 - probability, 1, FromBytes(*given))[0])


@pytest.mark.parametrize("probability", [1 / 65536, 1.5 / 256, 128 / 65536, 0.25, 0.5, 30000 / 65536])
def test_two_bytes_decide_by_their_order(probability):
    first = coin_flips(probability, 1 - probability, 256, FromBytes(*range(256)))  # a tied byte is followed by a 0
    ones = 0
    for byte in range(256):
        if byte == int(256 * probability) and 256 * probability % 1:
            ones += sum(first_flip(probability, byte, second) for second in range(256))
        else:
            ones += 256 * int(first[byte])
    assert ones == 65536 * probability


@pytest.mark.parametrize("probability", [5e-324, 1e-300, 0.1, 0.5 - 2.0**-54])
def test_every_digit_of_the_double_counts(probability):
    digits, rest = [], probability
    while rest:
        digits.append(int(256 * rest))
        rest = 256 * rest - digits[-1]
    assert digits[-1] > 0
    assert first_flip(probability, *digits) == 0
    assert first_flip(probability, *digits[:-1], digits[-1] - 1) == 1


def test_the_rarer_face_counts_where_the_other_one_s_probability_rounds_to_1():
    assert coin_flips(1.0, 1e-300, 1, FromBytes()) == 0
    assert coin_flips(1e-300, 1.0, 1, FromBytes()) == 1


@pytest.mark.parametrize("probability", [0.0, 1.0])
def test_what_is_certain_needs_no_randomness(probability):
    assert np.array_equal(coin_flips(probability, 1 - probability, 5, None), np.full(5, probability))


@pytest.mark.parametrize("seed", [1, None])
@pytest.mark.parametrize("probability", [1e-5, 0.3, 0.999])
def test_long_runs_are_independent_and_biased_alike_throughout(probability, seed):
    size = 3_000_001
    flips = coin_flips(probability, 1 - probability, size, random_source(seed))
    assert flips.dtype == np.uint8
    deviation = (probability * (1 - probability)) ** 0.5
    for part in (flips[: 1 << 20], flips[1 << 20 : 1 << 21], flips[1 << 21 :]):
        assert abs(part.mean() - probability) < 7 * deviation / part.size**0.5
    for lag in (1, 7, 100, 1 << 20):
        both = flips[lag:] * (flips[:-lag] - probability)
        # Of a few expected pairs two more are no deviation: their law is Poisson's.
        assert abs(both.sum()) < 7 * deviation * (probability * both.size) ** 0.5 + 2


@pytest.mark.parametrize(("one", "zero"), [(0.25, 0.75), (0.75, 0.25), (0.5, 0.5)])
def test_heads_are_binomial(one, zero):
    draws, n = 20_000, 4
    seen = np.bincount(heads(np.full(draws, n), one, zero, np.random.default_rng(1)), minlength=n + 1)
    law = np.diff([0, *(bdtr(m, n, one) for m in range(n)), 1])
    assert chdtrc(n, ((seen - draws * law) ** 2 / (draws * law)).sum()) > 1e-4


def test_the_rarer_face_of_tallies_counts_where_the_other_one_s_probability_rounds_to_1():
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
