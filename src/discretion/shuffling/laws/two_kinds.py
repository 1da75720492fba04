"""A crowd with two values and two kinds of report, with the worst other users for the target, at any size.

The adversary's observation is one count. Let L be the law of the number of other users' reports that are evidence
against the target's first value, F its distribution function, and p and q the probabilities that the target's own
report is not, if the target holds the first value or the second. With r = e^ε the excess of the event "at most m" is
``(p - rq) L(m) - (r-1) F(m-1)``, and `discretion.numerics.means.split_walk` finds its maximum over all splits of the
others' values. For crowds too large for this walk, blocks of splits are bounded.

The excess as a function of r determines all leakage about a pair of values (Dong, Roth and Su, Gaussian differential
privacy, JRSS B 2022). A polygon above the largest excess belongs to two laws that are no harder to distinguish than the
target's values are among any others: every measure that refinement cannot lower is bounded by these two laws.
"""

import math
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from discretion import limits
from discretion.estimate import Estimate, highest, largest, lowest
from discretion.measures.measure import Method
from discretion.measures.privacy_loss.differential_privacy import profile_root
from discretion.measures.privacy_loss.divergences import excess_mass, logarithms, renyi_of_logs
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.bisection import root
from discretion.numerics.laws.binomial import binomial_window
from discretion.numerics.laws.two_binomials import Draw
from discretion.numerics.means.split_walk import Splits

WALKED = Method("maximum over all counts of the others' values, in one walk", "exact")
BOUNDED = Method("certified bounds: from above by fewer others, from below by some that they can hold", "bound")

# Blocks of splits that are bounded for one δ, and for each of many.
_BLOCKS, _COARSE = 1 << 11, 1 << 7
# By how much more at first, next to an ε, its upper end may be.
_WIDER = 1e-3
# Beyond this e^ε is not held; what a double that stands for an excess may be off.
_LARGEST, _RELATIVE, _ABSOLUTE = 700.0, 5e-11, 5e-13
_ROUNDING, _ZERO = 1e-9, 5e-324
# How far the log of the likelihood ratio varies, next to the total variation of normal laws, and where the polygon has
# its corners in such units.
_DEVIATIONS = math.sqrt(2 * math.pi)
_NODES = np.concatenate([np.arange(0, 8, 0.1), np.arange(8, 40, 0.5)])

Way = tuple[int, int]


@dataclass(frozen=True, eq=False)
class TwoKinds:
    """Two values of n users, and the probability of each of two kinds of report from each value, shape ``(2, 2)``.

    ``most`` is the largest number of splits of the others that are walked through for one δ.
    """

    types: Reals
    n: int
    most: int

    @property
    def ways(self) -> list[Way]:
        """The orders of the two values that differ."""
        return [(0, 1)] if np.array_equal(self.types[0], self.types[1, ::-1]) else [(0, 1), (1, 0)]

    @property
    def is_walked(self) -> bool:
        """Whether all splits are walked through."""
        return self.n <= self.most

    @property
    def method(self) -> Method:
        """The method for an excess."""
        return WALKED if self.is_walked else BOUNDED

    def largest_excess(self, epsilon: float) -> float | Estimate:
        """Return the largest excess of one value's law over ``e^ε`` times the other's."""
        return largest(self.excess_beyond(way, epsilon) for way in self.ways)

    def excess_beyond(self, way: Way, epsilon: float) -> float | Estimate:
        """Return the largest ``Σ_h max(0, P(h | a) - e^ε P(h | b))``, for ε of any sign."""
        if epsilon < 0:
            a, b = way
            return -math.expm1(epsilon) + math.exp(epsilon) * self.excess_beyond((b, a), -epsilon)
        splits = self._splits(way, epsilon)
        if splits is None:
            return self._alone(way, epsilon)
        if self.is_walked:
            found = splits.largest(self.n - 1)
            if found.error <= max(_ABSOLUTE, _RELATIVE * found.value):
                return min(1.0, found.value)
        return _between(self._attained(way, epsilon, self._likely), self._bound(way, epsilon, _BLOCKS))

    def epsilon(self, delta: float, most: float) -> float | Estimate:
        """Return the least ε at which no excess is above δ > 0, the mechanism's own being ``most``."""
        return largest(self._epsilon(way, delta, most) for way in self.ways)

    @cached_property
    def rows(self) -> Reals:
        """Two laws that are no harder to distinguish than the target's values are, among any other users."""
        if self.types.min() == 0:  # then some others do not hide anything
            return self.types
        most = float(np.abs(np.log(self.types[0] / self.types[1])).max())
        unit = _DEVIATIONS * self._bound((0, 1), 0.0, _COARSE)
        levels = np.unique(np.concatenate([unit * _NODES, most * np.linspace(0, 1, 17)]))
        levels = levels[levels <= most]
        bounds = [np.array([self._bound(way, level, _COARSE) for level in levels.tolist()]) for way in self.ways]
        above, below = bounds[0], bounds[-1]
        # By how much the excess beyond each r is above that of two laws that are one, which is 1 - r below 1.
        logs = np.concatenate([-levels[:0:-1], levels])
        heights = np.concatenate([(np.exp(-levels) * below)[:0:-1], above])
        slopes = np.diff(heights) / (np.exp(logs[:-1]) * np.expm1(np.diff(logs)))
        masses = np.diff(np.concatenate([[0.0], slopes, [0.0]]))
        masses[levels.size - 1] += 1.0
        rows = np.maximum(masses, 0.0) * np.stack([np.exp(logs), np.ones_like(logs)])
        return rows / rows.sum(axis=1, keepdims=True)

    def renyi(self, order: float) -> float | Estimate:
        """Return the largest Rényi divergence of a finite order."""
        low = max(
            renyi_of_logs(logarithms(rows[a]), logarithms(rows[b]), order)
            for rows in self._corners
            for a, b in ((0, 1), (1, 0))
        )
        first, second = logarithms(self.rows)
        high = max(renyi_of_logs(first, second, order), renyi_of_logs(second, first, order))
        return between(low, high)

    @property
    def _corners(self) -> list[Reals]:
        """``P(h | x)`` if all others hold one value, without counts of negligible probability."""
        found: list[Reals] = []
        for hit, miss in self.types.tolist():
            law = binomial_window(self.n - 1, hit, miss)[1]
            less, same = np.append(0.0, law), np.append(law, 0.0)
            found.append(np.stack([own_hit * less + own_miss * same for own_hit, own_miss in self.types.tolist()]))
        return found

    def _epsilon(self, way: Way, delta: float, most: float) -> float | Estimate:
        first, second = self._likely
        while True:
            # Whatever exceeds δ where those tried so far no longer do has a larger ε: the worst of these is tried next.
            low = profile_root(partial(self._attained, way, splits=(first, second)), delta, most)
            low = lowest(low)
            if not self.is_walked:
                return _between(low, self._epsilon_bound(way, delta, low, most))
            splits = self._splits(way, low)
            found = None if splits is None else splits.largest(self.n - 1)
            if found is not None and found.error > _RELATIVE * found.value:
                return _between(low, self._epsilon_bound(way, delta, low, most))
            if found is None or found.value <= delta or found.first in first:
                return low
            first, second = np.append(first, found.first), np.append(second, self.n - 1 - found.first)

    def _epsilon_bound(self, way: Way, delta: float, low: float, most: float) -> float:
        bound = partial(self._bound, way, blocks=_BLOCKS)
        if low == 0:
            return highest(profile_root(bound, delta, most))
        high, wider = low, _WIDER
        while high < most and bound(high) > delta:
            low, high, wider = high, min(most, (1 + wider) * high), 4 * wider
        if high in (low, most):
            return high
        goal = math.log(delta)
        return root(lambda level: math.log(max(bound(level), _ZERO)) - goal, low, high, _ROUNDING / 2) * (1 + _ROUNDING)

    def _attained(self, way: Way, epsilon: float, splits: tuple[Integers, Integers]) -> float:
        weighed = self._splits(way, epsilon)
        if weighed is None:
            return self._alone(way, epsilon)
        return max(0.0, float(weighed.excess(*splits).max()))

    def _bound(self, way: Way, epsilon: float, blocks: int) -> float:
        splits, alone = self._splits(way, epsilon), self._alone(way, epsilon)
        if splits is None:
            return alone
        return min(alone, splits.bound(self.n - 1, min(self.n - 1, limits.current().steps(blocks, each=1 << 14))))

    def _alone(self, way: Way, epsilon: float) -> float:
        a, b = way
        return excess_mass(self.types[a], self.types[b], epsilon)

    def _splits(self, way: Way, epsilon: float) -> Splits | None:
        """Return the weights of all splits; None if the others hide nothing, or there is nothing to hide."""
        a, b = way
        hit = int(self.types[b, 1] > self.types[a, 1])
        draws = Draw(*self.types[b, [hit, 1 - hit]].tolist()), Draw(*self.types[a, [hit, 1 - hit]].tolist())
        cost = math.expm1(min(epsilon, _LARGEST))
        gain = draws[1].miss - draws[0].miss - cost * draws[0].miss
        if self.n == 1 or gain <= 0 or self.types.min() == 0:
            return None
        return Splits(draws, gain, cost)

    @property
    def _likely(self) -> tuple[Integers, Integers]:
        """Splits that are the worst, or nearly."""
        first = np.array([self.n - 1, 0, (self.n - 1) // 2])
        return first, self.n - 1 - first


def between(low: float, high: float) -> float | Estimate:
    """Return a leak between its bounds, made of sums of positive terms."""
    return _between(low * (1 - _ROUNDING), high * (1 + _ROUNDING))


def _between(low: float, high: float) -> float | Estimate:
    # A float only where its digits are known, not where it is small.
    low = max(0.0, low)
    return low if high <= low * (1 + _RELATIVE) else Estimate.between(low, high, BOUNDED.name)
