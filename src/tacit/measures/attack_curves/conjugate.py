"""The best tests between two laws of which it is known by how much either exceeds a multiple of the other.

The curve and the privacy profile say the same: each is the other's convex conjugate (Dong, Roth and Su, Gaussian
differential privacy, JRSS B 2022, Proposition 6). For every ε the curve is above a line of slope ``-e^ε``, which it touches:

``f(α) = max_ε max(1 - δ(ε) - e^ε α, e^-ε (1 - δ'(ε) - α))``, δ' being of P against Q.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.estimate import Estimate, highest, largest, lowest, settled
from tacit.measures.attack_curves.polygon import Polygon
from tacit.measures.privacy import least_epsilon
from tacit.numerics.lower_hull import lower_hull

Reals = NDArray[np.float64]
Result = float | Estimate

# Of an interval of ε what is left when its end is found, and beyond which e^ε is not held.
_NARROW, _LARGEST = 1e-13, 709.0
_GOLDEN = (math.sqrt(5) - 1) / 2
# How many lines outline a curve, and what δ is next to nothing.
_LINES, _NOTHING = 1 << 9, 1e-13


class Way(NamedTuple):
    """By how much one law exceeds e^ε times another, and what is left of it, for ε >= 0."""

    excess: Callable[[float], Result]
    overlap: Callable[[float], Result]

    @classmethod
    def of_profile(cls, profile: Callable[[float], Result]) -> "Way":
        """Return what a privacy profile says."""
        return cls(profile, lambda epsilon: 1 - profile(epsilon))


@dataclass(frozen=True, eq=False)
class Conjugate:
    """The best tests of Q against P, by how far Q exceeds P and the other way round.

    ``largest`` is the largest privacy loss either way, ``shift`` the μ of two normal laws if that is what they are.
    """

    forwards: Way
    backwards: Way
    largest: float
    method: str
    shift: float | None = None

    def misses(self, rate: float) -> Result:
        """Return the least false negatives with this rate of false positives."""
        return self._settled(lambda end: self._misses(rate, end))

    def hits(self, rate: float) -> Result:
        """Return the most true positives with this rate of false positives, to all digits where they are few."""
        if rate > 0.25:
            return 1 - self.misses(rate)
        return self._settled(lambda end: self._hits(rate, end))

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0."""
        if self.backwards is self.forwards:
            return self.forwards.excess(epsilon)
        return largest([self.forwards.excess(epsilon), self.backwards.excess(epsilon)])

    @property
    def shared(self) -> Result:
        """What the two laws have in common."""
        return self.forwards.overlap(0.0)

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy."""
        return least_epsilon(self.excess, delta, self.largest) if delta > 0 else self.largest

    def normal_shift(self, least: float) -> Result:
        """Return the least μ of two normal laws whose curve is nowhere above this one, rates below the least aside."""
        if self.shift is not None:
            return self.shift
        outline = self._outline()
        high = outline.normal_shift(least)
        # The curve is above its outline, but not by much where that is nearest to the normal one.
        rates = [float(outline.false_positives[1 + int(outline.shifts(least).argmax())]), *([least] if least else [])]
        touched = (Polygon.through(np.array([x]), np.array([highest(self.misses(x))])) for x in rates)
        low = max(each.normal_shift(least) for each in touched)
        return settled(Estimate(high, min(high, low), high, None, self.method))

    def _misses(self, rate: float, end: Callable[[Result], float]) -> float:
        steep = _most(lambda s: end(self.forwards.overlap(s)) - math.exp(s) * rate, self._top(rate))
        flat = _most(lambda s: math.exp(-s) * (end(self.backwards.overlap(s)) - rate), self._top(0.0))
        return min(1 - rate, max(0.0, steep, flat))

    def _hits(self, rate: float, end: Callable[[Result], float]) -> float:
        steep = -_most(lambda s: -end(self.forwards.excess(s)) - math.exp(s) * rate, self._top(rate))
        flat = 1 - _most(lambda s: math.exp(-s) * (1 - end(self.backwards.excess(s)) - rate), self._top(0.0))
        return max(rate, min(1.0, steep, flat))

    def _top(self, rate: float) -> float:
        """Return the largest ε that matters: beyond, the line is below 0 at this rate, or δ is 0."""
        return min(self.largest, _LARGEST, -math.log(rate) if rate > 0 else math.inf)

    def _settled(self, read: Callable[[Callable[[Result], float]], float]) -> Result:
        unsure = False

        def high(result: Result) -> float:
            nonlocal unsure
            unsure = unsure or isinstance(result, Estimate)
            return highest(result)

        first = read(high)
        if not unsure:
            return first
        low, high_end = sorted((read(lowest), first))
        return settled(Estimate(low + (high_end - low) / 2, low, high_end, None, self.method))

    def _outline(self) -> Polygon:
        """Return the polygon of lines below the curve."""
        top = 1.0
        while top < self._top(0.0) and highest(self.excess(top)) > _NOTHING:
            top *= 2
        levels = np.linspace(0.0, min(top, self._top(0.0)), _LINES)
        flat = [1 - math.exp(-s) * (1 - highest(self.backwards.excess(s))) for s in levels[:0:-1].tolist()]
        steep = [highest(self.forwards.excess(s)) for s in levels.tolist()]
        slopes, depths = np.exp(np.append(-levels[:0:-1], levels)), np.array([*flat, *steep])
        corners = lower_hull(slopes, depths)[::-1]
        slopes, depths = np.append(slopes[corners], 0.0), np.append(depths[corners], 1.0)
        x = np.diff(depths) / -np.diff(slopes)
        y = np.maximum(0.0, 1 - depths[:-1] - slopes[:-1] * x)
        return Polygon.through(np.append(0.0, x), np.append(1 - depths[0], y))


def _most(function: Callable[[float], float], high: float) -> float:
    """Return the maximum of a function over [0, high] that first rises and then falls, by golden sections."""
    low = 0.0
    most = max(function(low), function(high))
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    at_left, at_right = function(left), function(right)
    while high - low > _NARROW * max(1.0, high):
        most = max(most, at_left, at_right)
        if at_left < at_right:
            low, left, at_left = left, right, at_right
            right = low + _GOLDEN * (high - low)
            at_right = function(right)
        else:
            high, right, at_right = right, left, at_left
            left = high - _GOLDEN * (high - low)
            at_left = function(left)
    return max(most, at_left, at_right)
