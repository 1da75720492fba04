"""The law of a sum of privacy losses on a grid, and what is read off it.

``∫ max(0, Q - e^ε P) = E_Q max(0, 1 - e^(ε - loss))``, or what it leaves of 1, ``E_Q min(1, e^(ε - loss))``, is summed
over a law that is tilted by ``e^(θ loss)``, so that most of it is where the terms are largest: what rounding does and
what is cut off is then small next to the result, however small that is.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.measures.losses import GridLaw
from tacit.numerics.laws.lattice_sums import TiltedSum, tilted_sum

Reals = NDArray[np.float64]

# What rounding may add to a sum of losses, next to the sum of their offsets and its deviation.
_ROUNDING = 1e-15
_EXPONENT = 300.0


class LossSum(NamedTuple):
    """A law of the losses' sum, tilted by θ, and what Q has of an infinite loss, or of one of minus infinity."""

    law: TiltedSum
    losses: Reals
    theta: float
    log_moment: float
    infinite: float
    lost: float
    shift: float

    def excess(self, epsilon: float, sign: int) -> float:
        """Return ``E max(0, 1 - e^(ε - loss))``, plus or minus what it may be off."""
        over = self.losses - (epsilon - sign * self.shift)
        terms = -np.expm1(-over[over > 0]) * np.exp(-self.theta * over[over > 0])
        found = float(self.law.masses[over > 0] @ terms) + sign * self.law.error * self._largest_term
        return min(1.0, max(0.0, self._scale(epsilon - sign * self.shift) * found) + self.infinite)

    def left(self, epsilon: float, sign: int) -> float:
        """Return ``E min(1, e^(ε - loss))``, plus or minus what it may be off."""
        over = self.losses - (epsilon + sign * self.shift)
        terms = np.exp(-np.where(over > 0, 1 + self.theta, self.theta) * over)
        found = float(self.law.masses @ terms) + sign * self.law.error
        return min(1.0, max(0.0, self._scale(epsilon + sign * self.shift) * found) + self.lost)

    def epsilon(self, delta: float, sign: int) -> float:
        """Return a bound of where `excess` falls to δ: a sign below or above it, and no less than 0."""
        if delta <= self.infinite:
            return math.inf
        # Between two losses it is (sum of a) - e^ε (sum of b) over what is above, here relative to one of them.
        middle = float(self.losses[int(self.law.masses.argmax())])
        over = np.clip(self.losses - middle, -_EXPONENT, _EXPONENT)  # where the masses are, it is less
        falls = np.exp(np.minimum(-self.theta * over, _EXPONENT))
        terms = self.law.masses * falls
        sum_a, sum_b = (np.append(np.cumsum(part[::-1])[::-1][1:], 0.0) for part in (terms, terms * np.exp(-over)))
        errors = sign * self.law.error * self._largest_term * falls
        goal = math.exp(min(2 * _EXPONENT, math.log(delta - self.infinite) - self.log_moment + self.theta * middle))
        reached = np.flatnonzero(sum_a - np.exp(over) * sum_b + errors > goal)
        if not reached.size:
            if sign < 0:
                return 0.0
            # It is at most the first of the losses at which nothing is cut off.
            whole = int(np.searchsorted(over, -_EXPONENT / max(1.0, self.theta), side="right"))
            return max(0.0, float(self.losses[whole]) + self.shift)
        last = int(reached[-1])  # where it is still larger
        end = float(over[min(last + 1, over.size - 1)])
        below = (float(sum_a[last]) + float(errors[last]) - goal) / float(sum_b[last]) if sum_b[last] > 0 else 0.0
        found = min(end, max(float(over[last]), math.log(below))) if below > 0 else float(over[last])
        return max(0.0, middle + found + sign * self.shift)

    def with_its_digits(self) -> "LossSum":
        """Return the law with no error set aside if rounding is all that it may be off, of every mass relatively."""
        return self._replace(law=self.law._replace(error=0.0)) if self.law.keeps_digits else self

    @property
    def _largest_term(self) -> float:
        """The largest of ``(1 - e^-x) e^(-θx)`` over x > 0."""
        theta = self.theta
        return math.exp(theta * math.log(theta / (1 + theta))) / (1 + theta) if theta > 0 else 1.0

    def _scale(self, epsilon: float) -> float:
        return math.exp(min(self.log_moment - self.theta * epsilon, 2 * _EXPONENT))


def loss_sum(parts: Sequence[tuple[GridLaw, int]], theta: float, deviation: float, shift: float) -> LossSum:
    """Return the law of a sum to which each part is added so many times; its losses may be off by a shift."""
    step = parts[0][0].step
    law = tilted_sum([(part.lattice, count) for part, count in parts], theta * step)
    offset = math.fsum(count * part.offset for part, count in parts)
    infinite = -math.expm1(math.fsum(count * math.log1p(-part.infinite) for part, count in parts))
    lost = -math.expm1(math.fsum(count * math.log1p(-part.lost) for part, count in parts))
    rounding = _ROUNDING * (deviation + math.fsum(count * abs(part.offset) for part, count in parts))
    losses = offset + step * law.places
    return LossSum(law, losses, theta, law.log_moment + theta * offset, infinite, lost, shift + rounding)
