"""Bounds of the mean positive part of a sum of many independent steps, of several laws: ``E[T₊]``.

A normal error ηG is added to T. It raises a convex mean, and by no more than ``η² f(0)``, f being the density of the
sum, since ``E[(t + ηG)₊] - t₊ <= η φ(t/η)``. Then all means are integrals of the moment generating function M along
Re z = s, which vanish like ``e^(-η² t²/2)``:

    E[(T + ηG)₊] = 1/2π ∫ M(z) e^(η² z²/2) / z² dt,    η² f(0) = η²/2π ∫ M(z) e^(η² z²/2) dt,    z = s + it

The trapezoidal rule adds the same means of T moved by multiples of the period ``2π/h``, none of which is negative, so
that it errs to the safe side of an upper bound, and little (Abate and Whitt, 1992).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from discretion.numerics.arrays import Complexes, Reals
from discretion.numerics.bisection import root
from discretion.numerics.excess import log1p
from discretion.numerics.means.excess_bounds import spread_over

# The error's standard deviation over that of the sum; where the line ends and how finely it is cut, in exponents.
_ERROR, _END, _ALIAS = 0.05, 8.0, 40.0
# What the exponents of a sum of up to 10¹⁰ steps round, at most, relatively.
_ROUNDING = 1e-9
_NODES_AT_ONCE = 1 << 18
_MOST_NODES = 1 << 20
_STEEPEST, _FAR = 1e290, 300.0


class Steps(NamedTuple):
    """Some independent steps of one law: their number, and the law's atoms."""

    times: int
    values: Reals
    probabilities: Reals

    def log_mgf(self, s: Reals) -> Reals:
        """Return ``log E e^(sX)`` of one step at many s."""
        exponents = np.multiply.outer(s, self.values)
        most = exponents.max(axis=-1, keepdims=True)
        near = np.expm1(np.minimum(exponents, 1.0)) @ self.probabilities
        far = most[..., 0] + np.log(np.exp(exponents - most) @ self.probabilities)
        is_near = (most[..., 0] < 1) & (near > -0.5)  # where all digits of a small one are kept
        return np.where(is_near, np.log1p(np.where(is_near, near, 0.0)), far)

    def log_mgf_along(self, s: float, t: Reals) -> Complexes:
        """Return ``log E e^(zX)`` of one step at ``z = s + it``, to full precision where it is small."""
        weights = self.probabilities * np.exp(s * self.values)
        at = float(self.probabilities @ np.expm1(s * self.values))
        parts = np.array_split(t, max(1, t.size * self.values.size // _NODES_AT_ONCE))
        halves = [np.multiply.outer(part, self.values / 2) for part in parts]
        sines = [(np.sin(half), np.cos(half)) for half in halves]
        real = np.concatenate([at - 2 * (sine**2 @ weights) for sine, _ in sines])
        imaginary = np.concatenate([2 * ((sine * cosine) @ weights) for sine, cosine in sines])
        return log1p(real + 1j * imaginary)

    def tilted(self, s: float) -> tuple[float, float, float]:
        """Return the logarithm of the moment generating function at s, and its first two derivatives.

        They are NaN if steps are beyond the range of doubles.
        """
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            most = float((s * self.values).max())
            weights = self.probabilities * np.exp(s * self.values - most)
            total = float(weights.sum())
            if not 0 < total < math.inf or not math.isfinite(most):
                return math.nan, math.nan, math.nan
            mean = float(weights @ self.values) / total
            near = float(self.probabilities @ np.expm1(s * self.values)) if most < 1 else math.inf
            log = math.log1p(near) if -0.5 < near < math.inf else most + math.log(total)
            return log, mean, float(weights @ (self.values - mean) ** 2) / total


@dataclass(frozen=True, eq=False)
class SmoothedSum:
    """T, a number plus independent steps, with a normal error, along a line of the complex plane."""

    shift: float
    steps: Sequence[Steps]

    @cached_property
    def slope(self) -> float:
        """The place of the line on the real axis: about the growth rate of the logarithm of the mean excess with T."""

        def margin(s: float) -> float:
            growth = self._tilted(s)[1] * s - 2
            return math.inf if math.isnan(growth) else growth

        mean, variance = map(float, self._tilted(0.0)[1:])
        normal = (math.hypot(mean, math.sqrt(8 * variance)) - mean) / (2 * variance) if variance > 0 else 0.0
        least = 1e-6 / self._reach
        low = high = normal if least < normal < _STEEPEST else 1 / self._reach
        while high < _STEEPEST and margin(high) < 0:
            low, high = high, 2 * high
        while low > least and margin(low) >= 0:
            low, high = low / 2, low
        # A float, since its quotients may overflow without a warning.
        return float(root(margin, low, high, 1e-13) if margin(low) < 0 <= margin(high) else high)

    @property
    def is_certain(self) -> bool:
        """Whether T has one sign, so that its mean determines the excess."""
        return self._most <= 0 or self._least >= 0

    @property
    def mean(self) -> float:
        """The mean of T."""
        return self.shift + sum(each.times * float(each.values @ each.probabilities) for each in self.steps)

    def excess(self) -> tuple[float, float]:
        """Return a lower and an upper bound of ``E[T₊]``."""
        if self.is_certain:
            return max(0.0, self.mean), max(0.0, self.mean)
        if self._is_too_long:
            return max(0.0, self.mean), self._chernoff_of_excess
        z, height = self._nodes, self._height
        high = self._integral(height / z**2) + self._rest / self._end**2
        raised = self.error**2 * (self._integral(height) + self._rest)
        # Of the period: e^(-sx) (E[T₊] + x) upwards, and by Chernoff's bound at 2s downwards.
        period = _ALIAS / self.slope
        aliased = 4 * math.exp(-_ALIAS) * (high + period + self._chernoff / (2 * math.e * self.slope))
        return max(0.0, high * (1 - _ROUNDING) - raised - aliased), high * (1 + _ROUNDING)

    def advantage(self, own: Reals, gains: Reals) -> float:
        """Return a lower bound of ``Σ_y gains_y P(T + own_y + ηG > 0)``, the gain of a test by T."""
        if self.is_certain:
            return max(0.0, float(gains.sum())) if self._least >= 0 else 0.0
        if self._is_too_long:
            return -math.inf
        z, height = self._nodes, self._height
        each = float(gains.sum()) + np.expm1(np.multiply.outer(z, own)) @ gains
        total, far = self._integral(height * each / z), math.exp(self.slope * float(np.abs(own).max()))
        gained = float(np.abs(gains).sum())
        aliased = 4 * math.exp(-_ALIAS) * (1 + far**2 * self._chernoff)
        rounded = _ROUNDING * abs(total) + 1e-15 * gained * self._integral(np.abs(height) / np.abs(z))
        return total - rounded - gained * (aliased + far * self._rest / self._end)

    def height_along(self, line: "SmoothedSum") -> float:
        """Return an upper bound of ``E[T₊]`` for steps of one law by the modulus of M along another sum's line."""
        (steps,) = self.steps
        if line._is_too_long or not steps.tilted(line.slope)[0] < _FAR:
            return self._chernoff_of_excess
        s, error = line.slope, line.error
        at = self._tilted(s)[0] + (error * s) ** 2 / 2
        logs = np.real(steps.log_mgf_along(s, np.imag(line._nodes)))
        power = 2 * (steps.times // 2) * (logs - logs[0]) - (error * np.imag(line._nodes)) ** 2 / 2
        rest = math.exp(-(_END**2) / 2) / (_END * error * line._end**2)
        return math.exp(min(at, 700.0)) * (line._integral(np.exp(power) / np.abs(line._nodes) ** 2) + rest)

    @cached_property
    def error(self) -> float:
        """The standard deviation of the normal error."""
        return _ERROR * math.sqrt(self._tilted(self.slope)[2])

    @property
    def _step(self) -> float:
        return 2 * math.pi * self.slope / _ALIAS

    @property
    def _end(self) -> float:
        return _END / self.error

    @property
    def _is_too_long(self) -> bool:
        """Whether steps are so rare, or so unequal, that the line would need too many points."""
        return not (0 < self.slope < _STEEPEST and self.error > 0 and self._end / self._step <= _MOST_NODES)

    @property
    def _chernoff_of_excess(self) -> float:
        """An upper bound of ``E[T₊]``, since ``t₊ <= e^(st) / (es)``, and at most the largest value of T."""
        log = self._tilted(self.slope)[0]
        return min(
            self._most, math.exp(min(log, 700.0)) / (math.e * self.slope) * (1 + _ROUNDING) + (log > 700) * self._most
        )

    @cached_property
    def _nodes(self) -> Complexes:
        imaginary = self._step * np.arange(math.ceil(self._end / self._step) + 1, dtype=np.float64)
        return np.asarray(self.slope + 1j * imaginary, dtype=np.complex128)

    @cached_property
    def _height(self) -> Complexes:
        z = self._nodes
        exponent: Complexes = self.shift * z + self.error**2 * z**2 / 2
        for each in self.steps:
            exponent += each.times * each.log_mgf_along(self.slope, np.imag(z))
        return np.asarray(np.exp(exponent), dtype=np.complex128)

    @cached_property
    def _rest(self) -> float:
        """A bound of the integral beyond the end of the line."""
        height = math.exp(min(self._tilted(self.slope)[0] + (self.error * self.slope) ** 2 / 2, 700.0))
        return height * math.exp(-(_END**2) / 2) / (_END * self.error)

    @property
    def _chernoff(self) -> float:
        s = 2 * self.slope
        return math.exp(min(self._tilted(s)[0] + (self.error * s) ** 2 / 2, 700.0))

    def _integral(self, along: Complexes | Reals) -> float:
        values = np.real(along)
        return float(values.sum() - values[0] / 2) * self._step / math.pi

    def _tilted(self, s: float) -> tuple[float, float, float]:
        of_steps = [each.tilted(s) for each in self.steps]
        log, mean, variance = (
            sum(each.times * one[i] for each, one in zip(self.steps, of_steps, strict=True)) for i in range(3)
        )
        return self.shift * s + log, self.shift + mean, variance

    @cached_property
    def _reach(self) -> float:
        return max(self._most, -self._least)

    @property
    def _most(self) -> float:
        return self.shift + sum(each.times * float(each.values.max()) for each in self.steps)

    @property
    def _least(self) -> float:
        return self.shift + sum(each.times * float(each.values.min()) for each in self.steps)


def largest_excess(shift: float, count: int, laws: Sequence[Steps]) -> tuple[float, float]:
    """Return an upper bound of ``E[T₊]`` if each of ``count`` steps has any of the laws, and its slope.

    ``|M|`` is a product of powers of the laws' own moduli, so that its integral is convex in the numbers of steps of
    each law, and largest if all have one law. The square of a modulus is the transform of a symmetric law: again the
    trapezoidal rule errs upwards.
    """
    sums = [SmoothedSum(shift, [law._replace(times=count)]) for law in laws]
    lines = [each for each in sums if not each.is_certain]
    if not lines:
        return max(max(0.0, each.mean) for each in sums), 0.0
    line = max(lines, key=lambda each: each.height_along(each))
    return max(each.height_along(line) for each in sums) * (1 + _ROUNDING), line.slope


def spread(steps: Steps, points: int) -> Steps:
    """Return a law on ``points`` points whose convex means are no lower: mass between two points moves to them.

    The mass is divided between both points so that the mean stays.
    """
    low, high = float(steps.values.min()), float(steps.values.max())
    if steps.values.size <= points or low == high:
        return steps
    grid = np.linspace(low, high, points)
    masses = spread_over(grid, steps.values, steps.probabilities)
    return Steps(steps.times, grid[masses > 0], masses[masses > 0])
