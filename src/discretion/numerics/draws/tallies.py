"""Tallies of many independent draws: drawn without drawing each, or added up at the speed of memory."""

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Integers

_MOST_ADDED = 255
_SUMMED_AT_ONCE = 1 << 14


def heads(flips: Integers, one: float, zero: float, rng: np.random.Generator) -> Integers:
    """Return how many of these flips each come up 1, given both faces' probabilities, of which the rarer one counts."""
    return rng.binomial(flips, one) if one <= zero else flips - rng.binomial(flips, zero)


def evenly_spread(n: int, k: int, rng: np.random.Generator) -> Integers:
    """Return how many of n balls fall into each of k equally likely bins."""
    # Halving the bins keeps every probability a quotient of whole numbers: drawn one after another, the last of
    # very many bins would be left with what the others' probabilities rounded away.
    tallies, bins = np.array([n]), np.array([k])
    while bins.max() > 1:
        left = bins // 2
        first = rng.binomial(tallies, left / bins)
        tallies = np.stack([first, tallies - first], axis=1).ravel()
        bins = np.stack([left, bins - left], axis=1).ravel()
        tallies, bins = tallies[bins > 0], bins[bins > 0]
    return tallies


def column_sums(bits: NDArray[np.integer | np.bool_]) -> Integers:
    """Return the sum of each column of rows of zeros and ones."""
    # Bytes are added by dozens in one instruction, as long as rows are long and no byte overflows.
    bits = np.ascontiguousarray(bits, dtype=np.uint8)
    rows, columns = bits.shape
    side_by_side = max(1, _SUMMED_AT_ONCE // columns)
    whole = rows - rows % side_by_side
    sums = bits[whole:].sum(axis=0, dtype=np.int64)
    long = bits[:whole].reshape(-1, side_by_side * columns)
    for start in range(0, len(long), _MOST_ADDED):
        block = long[start : start + _MOST_ADDED].sum(axis=0, dtype=np.uint8)
        sums += block.reshape(side_by_side, columns).sum(axis=0, dtype=np.int64)
    return sums
