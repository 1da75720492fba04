"""The best tests between two laws, from the excess of either over multiples of the other.

The curve and the privacy profile contain the same information: each is the other's convex conjugate (Dong, Roth and
Su, Gaussian differential privacy, JRSS B 2022, Proposition 2.12). For every ε the curve is above a line of slope
``-e^ε`` that it touches, ``f(α) = max_ε 1 - δ(ε) - e^ε α`` over ε of any sign, where ``δ(-ε) = 1 - e^-ε (1 - δ'(ε))``
and δ' is that of P against Q.

The excess of Q over t P is convex in t, and the largest rate of true positives at a rate α is ``min_t δ(t) + t α``.
Between two t the convex function is above the lines through its neighbors on either side, which bounds the minimum from
below. The search ends when this bound is close to the least value that it has found.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from discretion.estimate import Estimate, highest, largest, lowest, settled
from discretion.measures.attack_curves.polygon import Polygon
from discretion.measures.privacy_loss.differential_privacy import profile_root
from discretion.numerics.arrays import Reals
from discretion.numerics.convex_hulls import Measured, lower_hull

Function = Callable[[float], float | Estimate]

# Beyond this e^ε overflows.
_LARGEST = 700.0
# How near a minimum is looked for, next to itself, in itself and next to what its bounds leave open; how often at most.
_NARROW, _CLOSE, _NEXT_TO_BOUNDS, _TIMES = 3e-12, 2e-13, 2.0, 100
# What an exact δ may be off, next to itself.
_ROUNDING = 1e-14
# How far from what is known another t is, next to the distance.
_APART = 1e-3
# At how many rates on either side a curve is outlined, from which one on, how often it is refined where that matters,
# and how narrow what follows should be.
_RATES, _RAREST, _REFINED, _NARROW_RATES = 12, 1e-12, 24, 1e-10


class AttackRates(NamedTuple):
    """Bounds on the rate of true positives, and a lower bound on the false negatives, in full relative precision."""

    low: float
    high: float
    missed: float


class SupportingLines:
    """Bounds on the function ``δ(t)`` at the evaluated t."""

    def __init__(self, excess: Function, overlap: Function, largest: float) -> None:
        """Take δ(e^ε) and its complement ``1 - δ``, for ε of any sign up to the largest, from which on δ is 0."""
        self._excess, self._overlap, self._largest = excess, overlap, largest
        top = min(largest, _LARGEST)
        self._logs, self._low, self._high, self._left = [-math.inf], [1.0], [1.0], [0.0]
        for level in dict.fromkeys((-top, 0.0, top)):
            self._look(level)

    def rates(self, rate: float) -> AttackRates:
        """Return the true positives and misses of the best tests with a rate of false positives in (0, 1)."""
        floor, ceiling, misses = rate, 1.0, 0.0
        for time in range(_TIMES):
            slopes, low, high = self._arrays()
            values = high + slopes * rate
            best = int(values.argmin())
            places, floors = _floors(rate, slopes, low, high)
            interval = int(floors.argmin())
            floor, ceiling = float(floors[interval]), float(values[best])
            misses = float(np.max(np.array(self._left) - slopes * rate))
            enough = max(min(_NARROW * ceiling, _CLOSE), _NEXT_TO_BOUNDS * (high[best] - low[best]))
            if ceiling - floor <= enough or not self._look_within(interval, places, halve=time % 2 == 1):
                break
        return AttackRates(min(1.0, max(rate, floor)), min(1.0, max(rate, ceiling)), min(1 - rate, max(0.0, misses)))

    @property
    def lines(self) -> tuple[Reals, Reals]:
        """The evaluated t, from 0 on, and upper bounds on δ there."""
        slopes, _, high = self._arrays()
        return slopes, high

    def _look(self, level: float) -> bool:
        """Evaluate δ at e^ε; return False if that was done before."""
        place = bisect_left(self._logs, level)
        if place < len(self._logs) and self._logs[place] == level:
            return False
        if abs(level) < self._largest:
            excess, overlap = self._excess(level), lowest(self._overlap(level))
        else:
            excess, overlap = max(0.0, -math.expm1(level)), min(1.0, math.exp(level))
        self._logs.insert(place, level)
        self._low.insert(place, max(0.0, lowest(excess) * (1 - _ROUNDING)))
        self._left.insert(place, overlap)
        self._high.insert(place, min(1.0, highest(excess) * (1 + _ROUNDING)))
        return True

    def _arrays(self) -> tuple[Reals, Reals, Reals]:
        return np.exp(self._logs), np.array(self._low), np.array(self._high)

    def _look_within(self, interval: int, places: Reals, *, halve: bool) -> bool:
        """Evaluate δ where the sum may be least in an interval, but not close to an end of it."""
        start, end = self._logs[interval : interval + 2]
        level = math.log(places[interval]) if places[interval] > 0 else -math.inf
        near = min(level - start, end - level) < _APART * (end - start) if math.isfinite(start) else False
        level = start + (end - start) / 2 if halve or near else level
        return math.isfinite(level) and self._look(level)


def _floors(rate: float, t: Reals, low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Return the places between each two t where ``δ(t) + t α`` may be least, and lower bounds on it there.

    A convex function is above the line through two points where that is beyond them.
    """
    steps = np.diff(t)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        from_left = np.append(-np.inf, (low[1:-1] - high[:-2]) / steps[:-1])
        from_right = np.append((high[2:] - low[1:-1]) / steps[1:], 0.0)
        crossing = (low[1:] - from_right * steps - low[:-1]) / (from_left - from_right)
    crossing = np.clip(np.nan_to_num(crossing), 0.0, steps)
    least, place = np.full(steps.size, np.inf), np.zeros(steps.size)
    for x in (np.zeros(steps.size), steps, crossing):
        with np.errstate(invalid="ignore"):
            floor_from_left = np.where(x > 0, low[:-1] + from_left * x, low[:-1])
        height = np.maximum(np.maximum(floor_from_left, low[1:] + from_right * (x - steps)), 0.0) + (t[:-1] + x) * rate
        place, least = np.where(height < least, t[:-1] + x, place), np.minimum(height, least)
    return place, np.maximum(least, low[1:] + t[:-1] * rate)


Result = float | Estimate


class ExcessFunctions(NamedTuple):
    """The excess of one law over e^ε times another, and their overlap, for ε >= 0."""

    excess: Callable[[float], Result]
    overlap: Callable[[float], Result]

    @classmethod
    def from_profile(cls, profile: Callable[[float], Result]) -> "ExcessFunctions":
        """Return the excess and the overlap of a privacy profile."""
        return cls(profile, partial(_left, profile))


def _left(profile: Callable[[float], Result], epsilon: float) -> Result:
    return 1 - profile(epsilon)


@dataclass(frozen=True, eq=False)
class Conjugate:
    """The best tests of Q against P, from the excess of Q over P and of P over Q.

    ``largest`` is the largest privacy loss in either direction, ``shift`` the μ of two normal laws, if they are normal.
    """

    forwards: ExcessFunctions
    backwards: ExcessFunctions
    largest: float
    method: str
    shift: float | None = None

    @property
    def description(self) -> str:
        """The method of computation, in a few words."""
        return self.method

    def misses(self, rate: float) -> Result:
        """Return the least false negatives with this rate of false positives."""
        if rate in (0.0, 1.0):
            return 1 - self.hits(rate)
        rates = self._lines.rates(rate)
        return settled(Estimate(rates.missed, rates.missed, max(rates.missed, 1 - rates.low), None, self.method))

    def hits(self, rate: float) -> Result:
        """Return the largest rate of true positives with this rate of false positives, in full relative precision."""
        if rate in (0.0, 1.0):
            return 1.0 if rate else self.forwards.excess(math.inf)
        rates = self._lines.rates(rate)
        return settled(Estimate(rates.high, rates.low, rates.high, None, self.method))

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0."""
        if self.largest <= epsilon < math.inf:
            return 0.0
        if self.backwards is self.forwards:
            return self.forwards.excess(epsilon)
        return largest([self.forwards.excess(epsilon), self.backwards.excess(epsilon)])

    @property
    def overlap(self) -> Result:
        """The overlap of the two laws."""
        return self.forwards.overlap(0.0)

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy."""
        if delta == 0:
            return self.largest
        return profile_root(self.excess, delta, self.largest, complement=self._left_both_ways)

    def normal_shift(self, least: float) -> Result:
        """Return the least μ of two normal laws whose curve is nowhere above this one, rates below the least aside."""
        if self.shift is not None:
            return self.shift
        few = np.geomspace(max(least, _RAREST), 0.5, _RATES).tolist()
        touched = [*few, *(1 - rate for rate in few)]
        low, high = 0.0, math.inf
        for _ in range(_REFINED):
            polygon = Polygon.from_points(np.array(touched), np.array([highest(self.misses(rate)) for rate in touched]))
            low, outline = polygon.normal_shift(least), self._outline()
            high = outline.normal_shift(least)
            if high - low <= _NARROW_RATES * high:
                break
            # Where the outline is nearest to the normal curve it matters how far the curve is above it.
            touched.append(float(outline.false_positives[1 + int(outline.shifts(least).argmax())]))
        return settled(Estimate(high, min(high, low), high, None, self.method))

    def _left_both_ways(self, epsilon: float) -> Result:
        """Return 1 minus the excess."""
        return min((way.overlap(epsilon) for way in (self.forwards, self.backwards)), key=lowest)

    @cached_property
    def _lines(self) -> SupportingLines:
        return SupportingLines(self._excess, self._overlap, self.largest)

    def _excess(self, epsilon: float) -> Result:
        """Return the excess of Q over ``e^ε P`` for ε of any sign."""
        if epsilon >= 0:
            return self.forwards.excess(epsilon)
        return -math.expm1(epsilon) + math.exp(epsilon) * self.backwards.excess(-epsilon)

    def _overlap(self, epsilon: float) -> Result:
        """Return the overlap of Q and ``e^ε P`` for ε of any sign."""
        if epsilon >= 0:
            return self.forwards.overlap(epsilon)
        return math.exp(epsilon) * self.backwards.overlap(-epsilon)

    def _outline(self) -> Polygon:
        """Return the polygon of lines below the curve."""
        slopes, depths = self._lines.lines
        corners = lower_hull(Measured.from_values(slopes), Measured.from_values(depths))[::-1]
        slopes, depths = slopes[corners], depths[corners]
        x = np.diff(depths) / -np.diff(slopes)
        y = np.maximum(0.0, 1 - depths[:-1] - slopes[:-1] * x)
        if math.isfinite(self.largest):  # then nothing is for sure
            x[-1] = 1.0
        return Polygon.from_points(np.append(0.0, x), np.append(1 - depths[0], y))
