"""Many flips of a biased coin, at little more than a random byte each."""

import numpy as np

from discretion.numerics.arrays import Bytes
from discretion.numerics.draws.randomness import RandomSource

_AT_ONCE = 1 << 20


def coin_flips(one: float, zero: float, size: int, source: RandomSource) -> Bytes:
    """Return that many independent flips, given both faces' probabilities.

    The rarer face comes up with exactly the probability that its double stands for.
    """
    flips = np.empty(size, dtype=np.uint8)
    for start in range(0, size, _AT_ONCE):
        part = flips[start : start + _AT_ONCE]
        _flip(part, min(one, zero), source)
        if zero < one:
            np.bitwise_xor(part, 1, out=part)
    return flips


def _flip(flips: Bytes, probability: float, source: RandomSource) -> None:
    # A uniform number is below the probability when its first digit to the base 256 is; where that digit is the same,
    # the next ones decide. A double has finitely many, and scaling by 256 rounds none away.
    if probability == 0 or flips.size == 0:
        flips[:] = 0
        return
    digit = int(256 * probability)
    rest = 256 * probability - digit
    drawn = source.bytes(flips.size)
    np.less(drawn, digit, out=flips.view(np.bool_))
    if rest > 0:
        tied = np.flatnonzero(drawn == digit)
        decided = np.empty(tied.size, dtype=np.uint8)
        _flip(decided, rest, source)
        flips[tied] = decided
