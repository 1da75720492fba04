"""The best tests between two laws of which it is known by how much either exceeds a multiple of the other.

The curve and the privacy profile say the same: each is the other's convex conjugate (Dong, Roth and Su, Gaussian
differential privacy, JRSS B 2022, Proposition 2.12). For every ε the curve is above a line of slope ``-e^ε`` that it
touches, ``f(α) = max_ε 1 - δ(ε) - e^ε α`` over ε of any sign, where ``δ(-ε) = 1 - e^-ε (1 - δ'(ε))``, δ' being of P
against Q.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from discretion.estimate import Estimate, highest, largest, lowest, settled
from discretion.measures.attack_curves.polygon import Polygon
from discretion.measures.attack_curves.supporting_lines import SupportingLines
from discretion.measures.privacy_loss.differential_privacy import least_epsilon
from discretion.numerics.lower_hull import Measured, lower_hull

Result = float | Estimate

# At how many rates on either side a curve is outlined, from which one on, how often it is refined where that matters,
# and how narrow what follows should be.
_RATES, _RAREST, _REFINED, _NARROW = 12, 1e-12, 24, 1e-10


class Way(NamedTuple):
    """By how much one law exceeds e^ε times another, and what is left of it, for ε >= 0."""

    excess: Callable[[float], Result]
    overlap: Callable[[float], Result]

    @classmethod
    def of_profile(cls, profile: Callable[[float], Result]) -> "Way":
        """Return what a privacy profile says."""
        return cls(profile, partial(_left, profile))


def _left(profile: Callable[[float], Result], epsilon: float) -> Result:
    return 1 - profile(epsilon)


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

    @property
    def description(self) -> str:
        """A few words about how they are known."""
        return self.method

    def misses(self, rate: float) -> Result:
        """Return the least false negatives with this rate of false positives."""
        if rate in (0.0, 1.0):
            return 1 - self.hits(rate)
        found = self._lines.rates(rate)
        return settled(Estimate(found.missed, found.missed, max(found.missed, 1 - found.low), None, self.method))

    def hits(self, rate: float) -> Result:
        """Return the most true positives with this rate of false positives, to all digits where they are few."""
        if rate in (0.0, 1.0):
            return 1.0 if rate else self.forwards.excess(math.inf)
        found = self._lines.rates(rate)
        return settled(Estimate(found.high, found.low, found.high, None, self.method))

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0."""
        if self.largest <= epsilon < math.inf:
            return 0.0
        if self.backwards is self.forwards:
            return self.forwards.excess(epsilon)
        return largest([self.forwards.excess(epsilon), self.backwards.excess(epsilon)])

    @property
    def shared(self) -> Result:
        """What the two laws have in common."""
        return self.forwards.overlap(0.0)

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy."""
        if delta == 0:
            return self.largest
        return least_epsilon(self.excess, delta, self.largest, complement=self._left_both_ways)

    def normal_shift(self, least: float) -> Result:
        """Return the least μ of two normal laws whose curve is nowhere above this one, rates below the least aside."""
        if self.shift is not None:
            return self.shift
        few = np.geomspace(max(least, _RAREST), 0.5, _RATES).tolist()
        touched = [*few, *(1 - rate for rate in few)]
        low, high = 0.0, math.inf
        for _ in range(_REFINED):
            known = Polygon.through(np.array(touched), np.array([highest(self.misses(rate)) for rate in touched]))
            low, outline = known.normal_shift(least), self._outline()
            high = outline.normal_shift(least)
            if high - low <= _NARROW * high:
                break
            # Where the outline is nearest to the normal curve it matters how far the curve is above it.
            touched.append(float(outline.false_positives[1 + int(outline.shifts(least).argmax())]))
        return settled(Estimate(high, min(high, low), high, None, self.method))

    def _left_both_ways(self, epsilon: float) -> Result:
        """Return what `excess` leaves of 1."""
        return min((way.overlap(epsilon) for way in (self.forwards, self.backwards)), key=lowest)

    @cached_property
    def _lines(self) -> SupportingLines:
        return SupportingLines(self._excess, self._overlap, self.largest)

    def _excess(self, epsilon: float) -> Result:
        """Return by how much Q exceeds ``e^ε P`` for ε of any sign."""
        if epsilon >= 0:
            return self.forwards.excess(epsilon)
        return -math.expm1(epsilon) + math.exp(epsilon) * self.backwards.excess(-epsilon)

    def _overlap(self, epsilon: float) -> Result:
        """Return what Q and ``e^ε P`` share for ε of any sign."""
        if epsilon >= 0:
            return self.forwards.overlap(epsilon)
        return math.exp(epsilon) * self.backwards.overlap(-epsilon)

    def _outline(self) -> Polygon:
        """Return the polygon of lines below the curve."""
        slopes, depths = self._lines.lines
        corners = lower_hull(Measured.of(slopes), Measured.of(depths))[::-1]
        slopes, depths = slopes[corners], depths[corners]
        x = np.diff(depths) / -np.diff(slopes)
        y = np.maximum(0.0, 1 - depths[:-1] - slopes[:-1] * x)
        if math.isfinite(self.largest):  # then nothing is for sure
            x[-1] = 1.0
        return Polygon.through(np.append(0.0, x), np.append(1 - depths[0], y))
