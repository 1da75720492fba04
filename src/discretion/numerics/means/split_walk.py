"""The largest cut excess over all ways to split draws between two probabilities to hit: by one walk along a ridge.

With c of N draws of the first kind (hitting with probability u), the others of the second (v), L the law of the number
of hits and F its distribution function, the excess cut at m is

    D(c, m) = g L(m) - (l - g) F(m-1),    l >= g > 0

``D(c, m) - D(c, m-1) = g L(m) - l L(m-1)``, and L(m)/L(m-1) falls in m: D is largest in m where that falls below l/g.
Between two splits, ``D(c, m) - D(c-1, m) = (v-u)(g K(m) - l K(m-1))`` with K the law without that draw, so that D has
one peak in c for each m, too. L has a three-term recurrence in m, and K(m) and K(m-1) are linear in L(m) and L(m-1):
the best cut of each split follows from that of the one before in a few operations. Down to some split the rounding
errors of the walk die out; the other splits are walked from the other end. The walk restarts from the law itself at
intervals, and the result at the end of an interval is compared with the start of the next.
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.compiled import compiled
from discretion.numerics.laws.two_binomials import Draw, lower_tail, tilted_moments

# The number of steps before a walk restarts: fewer, if a longer walk rounds too much.
_STRETCHES = (1 << 10, 1 << 6, 1 << 2)
# So few splits as to take each from the law itself, and so many starts at most that walks are made shorter.
_FEW, _MANY = 1 << 9, 1 << 14
# What the law that a walk starts from is rounded, at most, and what the steps may have been.
_FRESH, _WALKED = 2e-12, 2e-11
_HALVINGS = 40
# The least probability of a hit or a miss with which a walk keeps its digits.
_RARE = 1e-6


def walk(stretches: Any, weights: Any, results: Any) -> None:
    """Write the excess at the end of each stretch, its maximum, and the number of first draws at the maximum.

    Each step of a stretch removes a draw of the first kind and adds one of the second. ``stretches`` has the numbers of
    both, the number of steps, the best cut m, and L(m), L(m-1) and F(m-1).
    """
    u, miss_u, v, miss_v = weights[0], weights[1], weights[2], weights[3]
    gain, cost = weights[4], weights[5]
    loss = gain + cost
    hits, misses, first_only, second_only = u * v, miss_u * miss_v, u * miss_v, v * miss_u
    for i in range(stretches.shape[1]):
        c, d, m = stretches[0, i], stretches[1, i], stretches[3, i]
        at, before, below = stretches[4, i], stretches[5, i], stretches[6, i]
        n = c + d
        excess = gain * at - cost * below
        largest, place = excess, c
        for _ in range(int(stretches[2, i])):
            # K(m-1), K(m) and K(m-2), without differences of large numbers that are alike.
            scale = c * (u - v)
            less = (miss_v * m * at - v * (n - m + 1) * before) / scale
            same = ((first_only * (c - m) - c * second_only) * at + hits * (n - m + 1) * before) / (miss_u * scale)
            least = ((c * first_only + second_only * (d - m + 1)) * before - misses * m * at) / (u * scale)
            at = v * less + miss_v * same
            before = v * least + miss_v * less
            below += (u - v) * less
            c -= 1.0
            d += 1.0
            while m > 0 and gain * at < loss * before:
                lower = misses * m * at - (first_only * (c - m + 1) + second_only * (d - m + 1)) * before
                lower /= hits * (n - m + 2)
                below -= before
                m -= 1.0
                at = before
                before = lower if m > 0 else 0.0
            while u < v and m < n:
                upper = (first_only * (c - m) + second_only * (d - m)) * at + hits * (n - m + 1) * before
                upper /= misses * (m + 1)
                if gain * upper < loss * at:
                    break
                below += at
                m += 1.0
                before = at
                at = upper
            excess = gain * at - cost * below
            if excess > largest:
                largest = excess
                place = c
        results[0, i] = excess
        results[1, i] = largest
        results[2, i] = place


class SplitExcess(NamedTuple):
    """The largest excess, a bound of its error, and the number of draws of the first kind where it is attained."""

    value: float
    error: float
    first: int


@dataclass(frozen=True)
class Splits:
    """All ways to split some draws between two kinds, and the weights of an excess.

    Parameters
    ----------
    draws
        The probabilities of both kinds of draw, neither 0 nor 1, and different.
    gain, cost
        g > 0 and l - g >= 0.
    """

    draws: tuple[Draw, Draw]
    gain: float
    cost: float

    @property
    def tilt(self) -> float:
        """The logarithm of l/g: the tilt per hit that centers the law at the cuts."""
        return math.log1p(self.cost / self.gain)

    def largest(self, total: int) -> SplitExcess:
        """Return the largest excess of all splits of ``total`` draws, by walking through them."""
        if total <= _FEW:
            first = np.arange(total + 1)
            excess = self.excess(first, total - first)
            place = int(excess.argmax())
            return SplitExcess(float(excess[place]), _FRESH * float(excess[place]), place)
        result = SplitExcess(0.0, math.inf, 0)
        if min(*self.draws[0], *self.draws[1]) < _RARE:  # a step then divides by what rounding leaves
            return result
        for stretch in _STRETCHES:
            result = self._walked(total, stretch)
            if result.error <= _WALKED * result.value or 16 * total > _MANY * stretch:
                break
        return result

    def excess(self, first: Integers, second: Integers) -> Reals:
        """Return the excess of some splits, each computed from the law itself."""
        (_, at, _, below), log_unit = self._at_peak(first.astype(np.float64), second.astype(np.float64))
        return np.maximum(self.gain * at - self.cost * below, 0.0) * np.exp(log_unit)

    def bound(self, total: int, blocks: int) -> float:
        """Return an upper bound over all splits, from splits with one block fewer draws; more draws only lower it.

        ``blocks + 1`` splits of ``total - w`` draws, w being the length of a block, lie below all splits of all draws.
        """
        width = -(-total // blocks)
        first = np.minimum(np.arange(0, total + 1, width), total - width)
        return max(0.0, float(self.excess(first, total - width - first).max())) * (1 + _FRESH)

    def _walked(self, total: int, stretch: int) -> SplitExcess:
        middle = self._middle(total)
        down = self._walked_down(total, middle, stretch)
        up = Splits((self.draws[1], self.draws[0]), self.gain, self.cost)._walked_down(total, total - middle, stretch)
        best = max(down, up._replace(first=total - up.first))
        value = float(self.excess(np.array([best.first]), np.array([total - best.first]))[0])
        return SplitExcess(value, max(down.error, up.error) + abs(best.value - value), best.first)

    def _middle(self, total: int) -> int:
        """Return the number of first draws down to which a walk from all of them loses its rounding errors.

        The recurrence in m has a second solution, given by an integral between the roots of ``1-u+uz`` and ``1-v+vz``:
        at a saddle ``z < 0`` where the law itself has its own at 1, after the tilt. A step removes a draw and lowers m
        by u - v on average; where the second solution then grows less than the law, it dies out.
        """
        (u, miss_u), (v, miss_v) = (
            (float(hit), float(miss)) for hit, miss in (draw.tilted(np.array(self.tilt)) for draw in self.draws)
        )

        def grows(first: Reals) -> Booleans:
            second = total - first
            saddle = miss_u * miss_v * (first * u + second * v) / (u * v * (first * miss_u + second * miss_v))
            return np.log(second * v * miss_v / (first * u * miss_u)) + (u - v) * np.log(saddle) > 0

        return math.ceil(bisected(grows, 0.5, total - 0.5, _HALVINGS)[0])

    def _walked_down(self, total: int, least: int, stretch: int) -> SplitExcess:
        """Walk through the splits from ``total`` down to ``least`` draws of the first kind."""
        first = np.append(np.arange(total, least, -stretch, dtype=np.float64), float(least))
        steps = np.append(-np.diff(first), 0.0)
        peak, log_unit = self._at_peak(first, total - first)
        results = np.empty((3, first.size))
        weights = np.array([*self.draws[0], *self.draws[1], self.gain, self.cost])
        compiled(walk)(np.stack([first, total - first, steps, *peak]), weights, results)
        with np.errstate(invalid="ignore", over="ignore"):
            ends, largest = results[:2] * np.exp(log_unit)
            apart = np.abs(ends[:-1] - (self.gain * peak[1] - self.cost * peak[3])[1:] * np.exp(log_unit[1:]))
        if not (np.isfinite(apart).all() and np.isfinite(largest).all()):  # what was rounded has grown beyond measure
            return SplitExcess(0.0, math.inf, total)
        place = int(largest.argmax())
        value = max(0.0, float(largest[place]))
        return SplitExcess(value, _FRESH * value + float(apart.max(initial=0.0)), int(results[2, place]))

    def _at_peak(self, first: Reals, second: Reals) -> tuple[tuple[Reals, Reals, Reals, Reals], Reals]:
        """Return the best cut m of each split with L(m), L(m-1) and F(m-1), and the logarithm of their unit."""
        mean, _ = tilted_moments(first, second, self.draws, np.full(first.size, self.tilt))
        cut = np.clip(np.floor(mean + 0.5), 0, first + second)
        tail = lower_tail(first, second, self.draws, cut, self.tilt)
        return tail.at_peak(cut, self.gain, self.gain + self.cost), tail.log_unit
