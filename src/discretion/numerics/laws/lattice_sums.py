"""The law of a sum of many independent numbers on a lattice, tilted towards the place of interest.

A law on the places ``first, first + 1, …`` is tilted by ``e^(rate · place)`` and divided by its moment. The tilted law
of a sum is a power of Fourier transforms. Removing the tilt keeps the relative rounding error of the masses there as
small as it was for masses near 1 before. (Without it, a mass of 1e-20 would be lost in the rounding of the others.)
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from discretion.numerics.arrays import Complexes, Integers, Reals, inner_product

# What a tilted sum may leave outside of its window on either side.
_TAIL = 1e-16
# A butterfly of a Fourier transform multiplies by a rounded root of unity and adds: its error next to the sum of the
# absolute values, for each of log2(size) levels; what a mass is off before, and what a power does for each factor.
_ROUNDING_PER_LEVEL, _ROUNDING = 8e-16, 2e-15
# Powers that are no longer than this change no sum of them by a digit of its error.
_UNSEEN = 1e-40
# Over fewer frequencies than this share of the places a sum takes less time than over the places.
_FEW = 16
# So many terms are summed as they stand, by which 1 - (transform) keeps its digits.
_MOST_TERMS = 1 << 22
# A sum of so many places is convolved as it stands: each of its masses then keeps its digits.
_MOST_CONVOLVED = 1 << 12
# Beyond this exponents are taken in logarithms.
_LARGEST_EXPONENT = 600.0


class Lattice(NamedTuple):
    """Masses of the places ``first, first + 1, …``, and the mass missing to 1."""

    masses: Reals
    first: int
    missing: float = 0.0


class Spectrum(NamedTuple):
    """The transform of a law on a circle of places, at its first frequencies; at the further ones it is next to 0."""

    transform: Complexes
    period: int
    first: int
    size: int

    def masses(self) -> Reals:
        """Return the masses of the places ``first, first + 1, …``, as many as the size."""
        masses = np.fft.irfft(self.transform, self.period)
        return np.maximum(np.roll(masses, -self.first)[: self.size], 0.0)

    def mean(self, start: int, weights: Any) -> float:
        """Return ``Σ masses · weights`` from a place on, given the transform of the weights counted from there."""
        turns: Integers = np.arange(self.transform.size) * (self.first + start) % self.period
        terms = self.transform * np.exp(2j * math.pi / self.period * turns) * weights
        return (2 * float(terms.real.sum()) - float(terms[0].real)) / self.period


@dataclass(frozen=True, eq=False)
class TiltedSum:
    """The tilted law of a sum: place ``first + i`` has the mass ``masses[i] e^(log_moment - rate (first + i))``.

    Sums ``Σ masses[i] w[i]`` are off by at most ``error · max w`` for weights that first rise from 0, then fall to 0.
    If the masses keep their digits, so do sums with weights of one sign.
    """

    law: Reals | Spectrum
    first: int
    rate: float
    log_moment: float
    mean: float
    error: float

    @property
    def keeps_digits(self) -> bool:
        """Whether every mass has a small relative error."""
        return not isinstance(self.law, Spectrum)

    @property
    def size(self) -> int:
        """The number of masses."""
        return self.law.size

    @cached_property
    def masses(self) -> Reals:
        """The masses of the places ``first, first + 1, …``."""
        return self.law.masses() if isinstance(self.law, Spectrum) else self.law

    @property
    def places(self) -> Reals:
        """The places of the masses."""
        return self.first + np.arange(self.size, dtype=np.float64)

    def excess(self, start: int, beyond: float, step: float) -> float:
        """Return ``Σ masses[i] e^(-rate x_i / step) (1 - e^-x_i)`` for ``x_i = beyond + (i - start) step``, i >= start.

        From a spectrum with few frequencies it is a sum over these, since the weights are two geometric sequences, and
        almost all of their sum is in front of the last place.
        """
        theta, law, terms = self.rate / step, self.law, self.size - start
        falls = beyond <= step and self.rate > 0 and math.exp(1 - self.rate * terms) < self.rate * step * terms
        if falls and isinstance(law, Spectrum) and law.transform.size < law.size // _FEW:
            turn = np.arange(law.transform.size) * (2j * math.pi / law.period) - self.rate

            def to_the_end(x: float) -> Any:
                """Return both sequences from x on. No digits are lost at first, where both terms are positive."""
                return -math.expm1(-x) + math.exp(-step) * math.expm1(step - x) * np.exp(turn)

            weights = to_the_end(beyond) - np.exp(terms * turn) * to_the_end(beyond + terms * step)
            return math.exp(-theta * beyond) * law.mean(start, weights / (np.expm1(turn) * np.expm1(turn - step)))
        over = beyond + step * np.arange(terms)
        return inner_product(self.masses[start:], -np.expm1(-over) * np.exp(-theta * over))


class _Tilted(NamedTuple):
    """A tilted law of sum 1, with places relative to one near its mean, and the number of times it is added."""

    masses: Reals
    places: Integers
    centre: int
    log_moment: float
    times: int

    @property
    def mean(self) -> float:
        return self.centre + inner_product(self.masses, self.places)

    @property
    def variance(self) -> float:
        return inner_product(self.masses, np.square(self.places.astype(np.float64)))


def tilted_sum(parts: Sequence[tuple[Lattice, int]], rate: float) -> TiltedSum:
    """Return the law of a sum in which each part is added the given number of times."""
    tilted = [_tilted(law, rate, count) for law, count in parts]
    if sum(part.times * (part.masses.size - 1) for part in tilted) < _MOST_CONVOLVED:
        return _convolved(tilted, rate)
    low, high = _window(tilted)
    size = _length(high - low + 1)
    # A sum of weights that rise and fall has a transform of at most size/k at the frequency k, next to their largest.
    spectrum, lost = np.ones(size // 2 + 1, dtype=np.complex128), np.zeros(size // 2 + 1)
    for part in tilted:
        powers, errors = _spectrum(part, size)
        seen = min(spectrum.size, powers.size)
        spectrum, lost = spectrum[:seen] * powers[:seen], lost[:seen] + errors[:seen]
    power = np.abs(spectrum)
    spread = np.minimum(1.0, 1 / np.maximum(np.arange(power.size), 1))
    back = _ROUNDING_PER_LEVEL * math.log2(size) * min(2 * float(power.sum()), math.sqrt(size))
    error = 4 * _TAIL + 2 * inner_product(power * lost, spread) + back
    first = low + sum(part.times * part.centre for part in tilted)
    return TiltedSum(Spectrum(spectrum, size, low, high - low + 1), first, rate, *_moments(tilted), error)


def log_moment(law: Lattice, rate: float) -> float:
    """Return ``log Σ masses e^(rate · place)``."""
    return _tilted(law, rate, 1).log_moment


def _tilted(law: Lattice, rate: float, count: int) -> _Tilted:
    places = law.first + np.arange(law.masses.size)
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.log(law.masses) + rate * places
        peak = int(places[int(logs.argmax())])
        exponents = rate * (places - peak)
        near = exponents < _LARGEST_EXPONENT
        weights = np.where(near, law.masses * np.exp(np.where(near, exponents, 0.0)), np.exp(logs - rate * peak))
    total = float(weights.sum())
    change = -1.0
    if abs(rate) * float(np.abs(places).max()) < _LARGEST_EXPONENT:
        change = inner_product(law.masses, np.expm1(rate * places)) - law.missing
    # Nothing is lost of a moment near 1 by what it differs, nor of a small one by its sum.
    log_moment = math.log1p(change) if change > -0.5 else math.log(total) + rate * peak
    weights /= total
    centre = round(inner_product(weights, places))
    return _Tilted(weights, places - centre, centre, log_moment, count)


def _moments(parts: Sequence[_Tilted]) -> tuple[float, float]:
    """Return the logarithm of the sum's moment, and its mean."""
    log_moment = sum(part.times * part.log_moment for part in parts)
    return log_moment, sum(part.times * part.mean for part in parts)


def _convolved(parts: Sequence[_Tilted], rate: float) -> TiltedSum:
    masses: Reals = np.ones(1)
    first = levels = 0
    for part in parts:
        power: Reals = _power(part.masses, part.times, np.ones(1), np.convolve)
        masses = np.convolve(masses, power)
        first += part.times * (part.centre + int(part.places[0]))
        levels += part.times.bit_length() + 1
    error = 2 * np.finfo(np.float64).eps * masses.size * levels
    return TiltedSum(masses, first, rate, *_moments(parts), error)


def _spectrum(law: _Tilted, size: int) -> tuple[Complexes, Reals]:
    """Return a power of the transform at the frequencies 0, 1/size, …, and its relative rounding error.

    The power of many laws is next to 0 from some frequency on, and then only the frequencies below are returned.
    """
    if law.masses.size * size <= _MOST_TERMS:
        return _summed(law, size)
    folded = np.bincount(law.places % size, weights=law.masses, minlength=size)
    once = np.fft.rfft(folded)
    off = _ROUNDING_PER_LEVEL * math.log2(size) + _ROUNDING
    length = np.abs(once)
    # A power is longer by rounding than it should be by less than its error, or both are less than this.
    seen = np.flatnonzero(length + off >= _UNSEEN ** (1 / max(1, law.times - 1)))
    once, length = once[: seen[-1] + 1], length[: seen[-1] + 1]
    with np.errstate(divide="ignore"):  # next to nothing, all of it is rounding, and counts as nothing
        errors = np.minimum(law.times * off / np.maximum(length, 1e-300), 1e300)
    return _power(once, law.times, np.ones_like(once), np.multiply), errors


def _summed(law: _Tilted, size: int) -> tuple[Complexes, Reals]:
    """Return the same from the difference of the transform from 1, without loss for any power."""
    frequencies = np.arange(size // 2 + 1)
    difference, total = np.zeros(frequencies.size, dtype=np.complex128), np.zeros(frequencies.size)
    for mass, place in zip(law.masses, law.places, strict=True):
        if mass > 0:
            turns: Integers = int(place) * frequencies % size
            half = (turns - size * (turns > size // 2)).astype(np.float64) * (math.pi / size)
            sines = np.sin(half)
            turned = -2j * sines * np.exp(-1j * half)
            difference += mass * turned
            total += 2 * mass * np.abs(sines)
    with np.errstate(divide="ignore", invalid="ignore"):
        power = np.exp(law.times * _log1p(difference))
    power = np.where(np.isfinite(power), power, 0.0)
    return power, 8 * np.finfo(np.float64).eps * (1 + law.times * total / np.maximum(np.abs(1 + difference), 1e-300))


def _log1p(z: Complexes) -> Complexes:
    """Return the complex ``log(1 + z)`` without the loss of a small z."""
    squared = z.real * (2 + z.real) + np.square(z.imag)
    return 0.5 * np.log1p(np.maximum(squared, -1.0)) + 1j * np.arctan2(z.imag, 1 + z.real)


def _power(base: Any, exponent: int, one: Any, product: Callable[..., Any]) -> Any:
    while exponent:
        if exponent & 1:
            one = product(one, base)
        exponent >>= 1
        if exponent:
            base = product(base, base)
    return one


def _length(least: int) -> int:
    """Return a length of at least ``least`` with a fast transform: a power of two, or a little less."""
    power = 1 << max(4, (least - 1).bit_length())
    return next(length for length in (power * 5 // 8, power * 3 // 4, power) if length >= least)


def _window(parts: Sequence[_Tilted]) -> tuple[int, int]:
    """Return the window, relative to the centers, that contains the sum except for a tail (Chernoff's bound)."""
    deviation = math.sqrt(sum(part.times * part.variance for part in parts) + 1)
    ends: list[float] = []
    for sign in (-1, 1):
        furthest = float(sum(part.times * int((sign * part.places).max()) for part in parts))
        previous = math.inf
        for halvings in range(10):  # first falling, then rising
            rate = 16 / deviation / 2**halvings
            moment = sum(part.times * _log_moment(part, sign * rate) for part in parts)
            bound = (moment - math.log(_TAIL)) / rate
            if bound > previous:
                break
            previous, furthest = bound, min(furthest, bound)
        ends.append(sign * furthest)
    return math.floor(ends[0]), math.ceil(ends[1])


def _log_moment(part: _Tilted, rate: float) -> float:
    possible = part.masses > 0
    terms = np.log(part.masses[possible]) + rate * part.places[possible]
    peak = float(terms.max())
    return peak + math.log(float(np.exp(terms - peak).sum()))
