"""Coin flips are as biased as the double says, to the last digit."""

import numpy as np
import pytest

from discretion.numerics.draws.coin_flips import coin_flips
from discretion.numerics.draws.randomness import random_source


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
        assert abs(both.mean()) < 7 * deviation * probability**0.5 / both.size**0.5
