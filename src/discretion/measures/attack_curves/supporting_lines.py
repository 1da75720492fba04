"""The lines on which a curve of attacks rests, one for each slope, looked for where they are needed.

By how much Q exceeds t P is convex in t, and the most true positives at a rate α are ``min_t δ(t) + t α``. Between two
t the convex function is above the lines through its neighbours on either side, so that it is known how far the minimum
can still be below what is found: it is looked for until that is next to nothing.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discretion.estimate import Estimate, highest, lowest
from discretion.numerics.arrays import Reals

Function = Callable[[float], float | Estimate]

# Beyond this e^ε is not held.
_LARGEST = 700.0
# How near a minimum is looked for, next to itself, in itself and next to what its bounds leave open; how often at most.
_NARROW, _CLOSE, _NEXT_TO_BOUNDS, _TIMES = 3e-12, 2e-13, 2.0, 100
# What an exact δ may be off, next to itself.
_ROUNDING = 1e-14
# How far from what is known another t is, next to the distance.
_APART = 1e-3


class Rates(NamedTuple):
    """Bounds of the most true positives, and a lower bound of the false negatives, to all digits where they are few."""

    low: float
    high: float
    missed: float


class SupportingLines:
    """The function ``δ(t)`` at the t that have been looked at, by bounds of it."""

    def __init__(self, excess: Function, overlap: Function, largest: float) -> None:
        """Take δ(e^ε) and what it leaves of 1, for ε of any sign up to the largest, from which on δ is 0."""
        self._excess, self._overlap, self._largest = excess, overlap, largest
        top = min(largest, _LARGEST)
        self._logs, self._low, self._high, self._left = [-math.inf], [1.0], [1.0], [0.0]
        for level in dict.fromkeys((-top, 0.0, top)):
            self._look(level)

    def rates(self, rate: float) -> Rates:
        """Return what the best tests with a rate of false positives in (0, 1) find, and miss."""
        floor, ceiling, missed = rate, 1.0, 0.0
        for time in range(_TIMES):
            slopes, low, high = self._arrays()
            found = high + slopes * rate
            best = int(found.argmin())
            places, floors = _floors(rate, slopes, low, high)
            interval = int(floors.argmin())
            floor, ceiling = float(floors[interval]), float(found[best])
            missed = float(np.max(np.array(self._left) - slopes * rate))
            enough = max(min(_NARROW * ceiling, _CLOSE), _NEXT_TO_BOUNDS * (high[best] - low[best]))
            if ceiling - floor <= enough or not self._look_within(interval, places, halve=time % 2 == 1):
                break
        return Rates(min(1.0, max(rate, floor)), min(1.0, max(rate, ceiling)), min(1 - rate, max(0.0, missed)))

    @property
    def lines(self) -> tuple[Reals, Reals]:
        """The t that have been looked at, from 0 on, and what δ there is at most."""
        slopes, _, high = self._arrays()
        return slopes, high

    def _look(self, level: float) -> bool:
        """Look at e^ε, or return whether that was done before."""
        place = bisect_left(self._logs, level)
        if place < len(self._logs) and self._logs[place] == level:
            return False
        if abs(level) < self._largest:
            found, left = self._excess(level), lowest(self._overlap(level))
        else:
            found, left = max(0.0, -math.expm1(level)), min(1.0, math.exp(level))
        self._logs.insert(place, level)
        self._low.insert(place, max(0.0, lowest(found) * (1 - _ROUNDING)))
        self._left.insert(place, left)
        self._high.insert(place, min(1.0, highest(found) * (1 + _ROUNDING)))
        return True

    def _arrays(self) -> tuple[Reals, Reals, Reals]:
        return np.exp(self._logs), np.array(self._low), np.array(self._high)

    def _look_within(self, interval: int, places: Reals, *, halve: bool) -> bool:
        """Look where the sum may be least in an interval, but not next to an end that is known."""
        start, end = self._logs[interval : interval + 2]
        level = math.log(places[interval]) if places[interval] > 0 else -math.inf
        near = min(level - start, end - level) < _APART * (end - start) if math.isfinite(start) else False
        level = start + (end - start) / 2 if halve or near else level
        return math.isfinite(level) and self._look(level)


def _floors(rate: float, t: Reals, low: Reals, high: Reals) -> tuple[Reals, Reals]:
    """Return where between each two t the sum ``δ(t) + t α`` may be least, and how little it may be there.

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
            left = np.where(x > 0, low[:-1] + from_left * x, low[:-1])
        height = np.maximum(np.maximum(left, low[1:] + from_right * (x - steps)), 0.0) + (t[:-1] + x) * rate
        place, least = np.where(height < least, t[:-1] + x, place), np.minimum(height, least)
    return place, np.maximum(least, low[1:] + t[:-1] * rate)
