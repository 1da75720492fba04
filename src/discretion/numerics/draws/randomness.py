"""Where randomness comes from: a seeded generator, or the operating system's cryptographic one."""

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


def fresh_seed() -> int:
    """Return a seed that nobody has drawn before, below 2⁵³: JSON and JavaScript keep it exactly."""
    return randbits(53)


class RandomSource(Protocol):
    """The draws that samplers need."""

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
    """The operating system's CSPRNG: what a client that hides a real answer must draw from."""

    def bytes(self, size: int) -> Bytes:
        """Return uniform bytes."""
        return np.frombuffer(os.urandom(size), dtype=np.uint8).copy()

    def random(self, size: int) -> Reals:
        """Return uniform multiples of 2⁻⁵³ in [0, 1)."""
        return np.ldexp((self._words(size) >> np.uint64(11)).astype(np.float64), -53)

    def integers(self, high: int, *, size: int) -> Integers:
        """Return uniform whole numbers in 0..high-1, by rejection so that none is favoured."""
        bound = np.uint64(2**64 - 1 - 2**64 % high)
        drawn = self._words(size)
        while (biased := np.flatnonzero(drawn > bound)).size:
            drawn[biased] = self._words(biased.size)
        return (drawn % np.uint64(high)).astype(np.int64)

    def _words(self, size: int) -> NDArray[np.uint64]:
        return self.bytes(8 * size).view(np.uint64)


class SeededSource:
    """A NumPy generator: the same seed, the same draws."""

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
    """Return a source that draws from the generator, from one seeded with the number, or from the system for None."""
    return SystemSource() if rng is None else SeededSource(generator(rng))


def generator(rng: Seed) -> np.random.Generator:
    """Return the generator, one seeded with the number, or one that nobody can repeat for None."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    try:
        return np.random.default_rng(as_count(rng, "rng", at_least=0))
    except InvalidValueError:
        raise InvalidValueError(
            f"rng must be a numpy Generator, a whole number of at least 0 as its seed, or None, got {short_repr(rng)}"
        ) from None
