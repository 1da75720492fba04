"""Many flips of a biased coin, at little more than a random byte each."""

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.randomness import RandomSource

Flips = NDArray[np.uint8]

_AT_ONCE = 1 << 20


def coin_flips(one: float, zero: float, size: int, source: RandomSource) -> Flips:
    """Return that many independent flips, given both faces' probabilities.

    The rarer face comes up with exactly the probability that its double stands for.
    """
    flips = np.empty(size, dtype=np.uint8)
    for start in range(0, size, _AT_ONCE):
        part = flips[start : start + _AT_ONCE]
        part[:] = _flips(one, part.size, source) if one <= zero else 1 - _flips(zero, part.size, source)
    return flips


def _flips(probability: float, size: int, source: RandomSource) -> Flips:
    # A uniform number is below the probability when its first digit to the base 256 is; where that digit is the same,
    # the next ones decide. A double has finitely many, and scaling by 256 rounds none away.
    digit = int(256 * probability)
    rest = 256 * probability - digit
    if rest == 0 and digit in (0, 256):
        return np.full(size, digit // 256, dtype=np.uint8)
    drawn = _random_bytes(size, source)
    flips = (drawn < digit).view(np.uint8)
    if rest > 0:
        tied = np.flatnonzero(drawn == digit)
        if tied.size:
            flips[tied] = _flips(rest, tied.size, source)
    return flips


def _random_bytes(size: int, source: RandomSource) -> NDArray[np.uint8]:
    # Seven of each word's eight bytes: a signed word's highest bit is not random.
    words = source.integers(1 << 56, size=-(-size // 7)).astype("<i8", copy=False)
    return words.view(np.uint8).reshape(-1, 8)[:, :7].reshape(-1)[:size]
