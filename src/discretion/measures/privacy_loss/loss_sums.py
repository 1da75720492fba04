"""The law of a sum of privacy losses on a grid, and the quantities that follow from it.

``∫ max(0, Q - e^ε P) = E_Q max(0, 1 - e^(ε - loss))``, or its complement ``E_Q min(1, e^(ε - loss))``, is summed over a
law that is tilted by ``e^(θ loss)``, so that most of its mass is where the terms are largest. Rounding and truncation
errors are then small relative to the result, for any size of the result.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.measures.privacy_loss.losses import MAX_LOSS_POINTS, GridLaw, Losses
from discretion.numerics.arrays import Reals, inner_product
from discretion.numerics.bisection import root
from discretion.numerics.laws.lattice_sums import TiltedSum, tilted_sum

# The rounding error of a sum of losses, relative to the sum of their offsets and its deviation.
_ROUNDING = 1e-15
# The precision of a root, the logarithm of a negligible mass, and the least positive mass.
_ROOT, _FAR, _LEAST = 1e-14, 600.0, 1e-320
# The rounding error of the logarithm of a running sum.
_ACCUMULATED = 1e-11


@dataclass(frozen=True, eq=False)
class LossSum:
    """A law of the losses ``offset + step · place``, tilted by θ, and the masses of Q at both infinities."""

    law: TiltedSum
    offset: float
    step: float
    theta: float
    log_moment: float
    infinite: float
    lost: float
    shift: float

    @cached_property
    def losses(self) -> Reals:
        """The losses of all masses."""
        return self.offset + self.step * self.law.places

    def excess(self, epsilon: float, sign: int) -> float:
        """Return ``E max(0, 1 - e^(ε - loss))``, plus or minus a bound on its error."""
        level = epsilon - sign * self.shift
        start = int(np.clip(np.floor((level - self.offset) / self.step) + 1 - self.law.first, 0, self.law.size))
        beyond = max(0.0, self.offset + self.step * (self.law.first + start) - level)
        total = self.law.excess(start, beyond, self.step) + sign * self.law.error * self._largest_term
        return min(1.0, self._sized(total, level) + self.infinite)

    def overlap(self, epsilon: float, sign: int) -> float:
        """Return ``E min(1, e^(ε - loss))``, plus or minus a bound on its error."""
        level = epsilon + sign * self.shift
        over = self.losses - level
        terms = np.exp(-np.where(over > 0, 1 + self.theta, self.theta) * over)
        total = inner_product(self.law.masses, terms) + sign * self.law.error
        return min(1.0, self._sized(total, level) + self.lost)

    def epsilon(self, delta: float, sign: int) -> float:
        """Return a bound on the ε at which `excess` falls to δ: below or above it by the sign, and at least 0."""
        if delta <= self.infinite:
            return math.inf
        peak = self.offset + self.step * self.law.mean
        last = self.offset + self.step * (self.law.first + self.law.size - 1) + self.shift
        # Far below its peak, nothing is left of a tilted mass; beyond the last loss, only what rounding may have lost.
        least, unseen = peak - _FAR / self.theta, -math.inf
        if sign > 0 and self.law.error > 0:
            unseen = math.log(self.law.error * self._largest_term) + self.log_moment - math.log(delta - self.infinite)
        most = max(last, unseen / self.theta + self.shift) + _ROOT
        low = high = min(peak, most)
        step = 1 / self.theta
        while self.excess(low, sign) <= delta:
            if low <= least:
                return max(0.0, low) if sign > 0 else 0.0
            low, high, step = max(least, low - step), low, 2 * step
        while high < most and self.excess(high, sign) > delta:
            low, high, step = high, min(most, high + step), 2 * step
        if self.excess(high, sign) > delta:
            return math.inf
        goal = math.log(delta)
        level = root(
            lambda epsilon: math.log(max(self.excess(epsilon, sign), _LEAST)) - goal, low, high, _ROOT, absolute=_ROOT
        )
        return max(0.0, level + 2 * sign * _ROOT * max(1.0, abs(level)))

    def excess_bound(self) -> Callable[[Reals], Reals]:
        """Return the upper bound of `excess` as a function of many ε."""
        with np.errstate(divide="ignore"):
            logs = np.log(self.law.masses) + self.log_moment - self.theta * self.losses
        # Σ q and Σ q e^-loss over what is above each loss.
        above, weighted = (
            np.append(np.logaddexp.accumulate(terms[::-1])[::-1], -math.inf) for terms in (logs, logs - self.losses)
        )
        log_error = math.log(max(_LEAST, self.law.error * self._largest_term)) + self.log_moment

        def bound(epsilons: Reals) -> Reals:
            finite = np.isfinite(epsilons)
            levels = np.where(finite, epsilons, 0.0) - self.shift
            first = np.searchsorted(self.losses, levels, side="right")
            has_mass = above[first] > -math.inf
            more, less = (
                np.where(has_mass, above[first], 0.0),
                np.where(has_mass, weighted[first], 0.0) + levels * has_mass,
            )
            excess = -np.exp(more + _ACCUMULATED) * np.expm1(np.minimum(less - more, 0.0) - _ACCUMULATED)
            unseen = np.exp(np.minimum(log_error - self.theta * levels, 0.0))
            return np.minimum(np.where(finite, np.where(has_mass, excess, 0.0) + unseen, 0.0) + self.infinite, 1.0)

        return bound

    def with_relative_rounding(self) -> "LossSum":
        """Return the law without an error term if its only error is a relative rounding error of every mass."""
        return replace(self, law=replace(self.law, error=0.0)) if self.law.keeps_digits else self

    @property
    def _largest_term(self) -> float:
        """The largest of ``(1 - e^-x) e^(-θx)`` over x > 0."""
        theta = self.theta
        return math.exp(theta * math.log(theta / (1 + theta))) / (1 + theta) if theta > 0 else 1.0

    def _sized(self, tilted: float, epsilon: float) -> float:
        """Return a sum of tilted masses as a share of 1."""
        return math.exp(min(0.0, math.log(tilted) + self.log_moment - self.theta * epsilon)) if tilted > 0 else 0.0


def loss_sum(parts: Sequence[tuple[GridLaw, int]], theta: float, deviation: float, shift: float) -> LossSum:
    """Return the law of a sum of parts, each added a number of times; its losses may have an error, the shift."""
    step = parts[0][0].step
    law = tilted_sum([(part.lattice, count) for part, count in parts], theta * step)
    offset = math.fsum(count * part.offset for part, count in parts)
    infinite = -math.expm1(math.fsum(count * math.log1p(-part.infinite) for part, count in parts))
    lost = -math.expm1(math.fsum(count * math.log1p(-part.lost) for part, count in parts))
    rounding = _ROUNDING * (deviation + math.fsum(count * abs(part.offset) for part, count in parts))
    return LossSum(law, offset, step, theta, law.log_moment + theta * offset, infinite, lost, shift + rounding)


# Losses and their masses.
Atoms = tuple[Reals, Reals]


@dataclass(frozen=True, eq=False)
class AtomSum:
    """The sum of two losses under Q: each loss of one half is added to all sorted losses of the other at once."""

    first: Atoms
    second: Atoms
    infinite: float

    @classmethod
    def from_losses(cls, parts: Sequence[Losses]) -> "AtomSum | None":
        """Return the sum of several losses, multiplied out in two halves; None if a half would be too long."""
        halves: list[Atoms] = [(np.zeros(1), np.ones(1))] * 2
        for losses, masses in sorted((part.atoms for part in parts), key=lambda atoms: -atoms[0].size):
            shorter = 0 if halves[0][0].size <= halves[1][0].size else 1
            sums, products = halves[shorter]
            if sums.size * losses.size > limits.current().numbers(MAX_LOSS_POINTS):
                return None
            halves[shorter] = (sums[:, None] + losses).ravel(), (products[:, None] * masses).ravel()
        (first, weights), (second, masses) = halves
        order = np.argsort(second, kind="stable")
        finite = math.prod(1 - part.excess(math.inf) for part in parts)
        return cls((first, weights), (second[order], masses[order]), max(0.0, 1 - finite))

    @property
    def size(self) -> int:
        """The number of losses in both halves."""
        return self.first[0].size + self.second[0].size

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        if math.isinf(epsilon):
            return self.infinite
        (first, weights), (second, masses) = self.first, self.second
        # The masses of Q and P above each loss of the second half; for P the logarithm, since the mass may underflow.
        q = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
        log_p = np.append(np.logaddexp.accumulate((logarithms(masses) - second)[::-1])[::-1], -math.inf)
        start = np.searchsorted(second, epsilon - first, side="right")
        less = np.exp(np.minimum(epsilon - first + log_p[start], 0.0))
        return self.infinite + inner_product(weights, np.maximum(0.0, q[start] - less))
