"""Random draws: sources of randomness, flips of a coin, and tallies of many draws at once."""

import os
from secrets import randbits
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Bytes, Integers, Reals
from discretion.validation import as_count

Seed = np.random.Generator | int | None

_FLIPS_AT_ONCE = 1 << 20
_MOST_ADDED = 255
_SUMMED_AT_ONCE = 1 << 14


def fresh_seed() -> int:
    """Return a fresh random seed below 2⁵³, which JSON and JavaScript represent exactly."""
    return randbits(53)


class RandomSource(Protocol):
    """The interface of a random source for samplers."""

    def bytes(self, size: int) -> Bytes:
        """Return uniform bytes."""
        ...

    def random(self, size: int) -> Reals:
        """Return uniform multiples of 2⁻⁵³ in [0, 1)."""
        ...

    def integers(self, high: int, *, size: int) -> Integers:
        """Return uniform whole numbers in 0..high-1."""
        ...


class SystemSource:
    """The operating system's CSPRNG, which a client must use to hide a real answer."""

    def bytes(self, size: int) -> Bytes:
        """Return uniform bytes."""
        return np.frombuffer(os.urandom(size), dtype=np.uint8).copy()

    def random(self, size: int) -> Reals:
        """Return uniform multiples of 2⁻⁵³ in [0, 1)."""
        return np.ldexp((self._words(size) >> np.uint64(11)).astype(np.float64), -53)

    def integers(self, high: int, *, size: int) -> Integers:
        """Return uniform whole numbers in 0..high-1, by rejection so that all are equally likely."""
        bound = np.uint64(2**64 - 1 - 2**64 % high)
        words = self._words(size)
        while (biased := np.flatnonzero(words > bound)).size:
            words[biased] = self._words(biased.size)
        return (words % np.uint64(high)).astype(np.int64)

    def _words(self, size: int) -> NDArray[np.uint64]:
        return self.bytes(8 * size).view(np.uint64)


class SeededSource:
    """A source from a NumPy generator: the same seed gives the same draws."""

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def bytes(self, size: int) -> Bytes:
        """Return uniform bytes, at twice the speed of the generator's own method of that name."""
        words = self._generator.integers(2**64, size=-(-size // 8), dtype=np.uint64)
        return words.astype("<u8", copy=False).view(np.uint8)[:size]

    def random(self, size: int) -> Reals:
        """Return uniform multiples of 2⁻⁵³ in [0, 1)."""
        return self._generator.random(size)

    def integers(self, high: int, *, size: int) -> Integers:
        """Return uniform whole numbers in 0..high-1."""
        return self._generator.integers(high, size=size)


def random_source(rng: Seed) -> RandomSource:
    """Return a source from the generator, from a generator with this seed, or from the system for None."""
    return SystemSource() if rng is None else SeededSource(generator(rng))


def generator(rng: Seed) -> np.random.Generator:
    """Return the generator, a generator with this seed, or one with a random seed for None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    try:
        return np.random.default_rng(as_count(rng, "rng", at_least=0))
    except InvalidValueError:
        raise InvalidValueError(
            f"rng must be a numpy Generator, a whole number of at least 0 as its seed, or None, got {short_repr(rng)}"
        ) from None


def coin_flips(one: float, zero: float, size: int, source: RandomSource) -> Bytes:
    """Return independent flips, given the probabilities of both faces.

    The rarer face has exactly the probability that its double represents.
    """
    flips = np.empty(size, dtype=np.uint8)
    for start in range(0, size, _FLIPS_AT_ONCE):
        part = flips[start : start + _FLIPS_AT_ONCE]
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
    digits = source.bytes(flips.size)
    np.less(digits, digit, out=flips.view(np.bool_))
    if rest > 0:
        tied = np.flatnonzero(digits == digit)
        decided = np.empty(tied.size, dtype=np.uint8)
        _flip(decided, rest, source)
        flips[tied] = decided


def heads(flips: Integers, one: float, zero: float, rng: np.random.Generator) -> Integers:
    """Return the number of ones among these flips, given the probabilities of both faces; the rarer one is used."""
    return rng.binomial(flips, one) if one <= zero else flips - rng.binomial(flips, zero)


def evenly_spread(n: int, k: int, rng: np.random.Generator) -> Integers:
    """Return the numbers of n balls that fall into each of k equally likely bins."""
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
