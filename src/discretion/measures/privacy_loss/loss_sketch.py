"""A rough sketch of a sum of privacy losses, which suffices to choose a tilt and a grid; no bound depends on it."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.measures.privacy_loss.losses import MAX_LOSS_POINTS, ROUNDED_UP, Losses
from discretion.numerics.arrays import Reals, inner_product

# The logarithm of the mass outside of a window, and the steepest tilt.
_LOG_TAIL, _STEEPEST = -37.0, 1e9
# The logarithm of a tilt of which no product with a loss overflows.
_MOST_LOG_TILT = 600.0
# The least mass that is not cut off, and the most points of a grid for a mass close to that.
LEAST, _FEW_POINTS = 1e-300, 1 << 13
# The least relative distance of the points of a grid, next to the largest of them; the number of steps that are tried.
_TOLD_APART, _ALIGNED = 1e-13, 1 << 16


@dataclass(frozen=True, eq=False)
class LossSketch:
    """A few losses of each part of a sum, without negligible tails, and the number of times that each part is added."""

    given: tuple[tuple[Losses, int], ...]
    negligible: float = 0.0

    @cached_property
    def _parts(self) -> list[tuple[Reals, Reals, int]]:
        """Some losses of each part, the logarithms of their masses, and the number of times that it is added."""
        parts: list[tuple[Reals, Reals, int]] = []
        for losses, count in self.given:
            places, masses = losses.sketch()
            if self.negligible > 0:  # else a steep tilt would see nothing but the tail that is cut off
                places = np.clip(places, *losses.reach(self.negligible))
            possible = masses > 0
            order = np.argsort(places[possible])
            parts.append((places[possible][order], np.log(masses[possible][order] / masses.sum()), count))
        return parts

    def deviation(self, theta: float = 0.0) -> float:
        """Return the standard deviation of the sum at this tilt."""
        return math.sqrt(sum(part[2] * v for part, v in zip(self._parts, self.cumulants(theta)[2], strict=True)))

    def cumulants(self, theta: float) -> tuple[float, float, list[float]]:
        """Return, roughly, the logarithm of ``E e^(θ sum)``, the mean at this tilt, and the variance of each part."""
        moment, mean, variances = 0.0, 0.0, list[float]()
        for losses, logs, count in self._parts:
            exponents = logs + theta * losses
            peak = float(exponents.max())
            weights = np.exp(exponents - peak)
            total = float(weights.sum())
            part = inner_product(weights, losses) / total
            moment += count * (peak + math.log(total))
            mean += count * part
            variances.append(inner_product(weights, np.square(losses - part)) / total)
        return moment, mean, variances

    def spreads(self, theta: float) -> list[float]:
        """Return, roughly, the standard deviation of each part, estimated from its middle half."""
        spreads: list[float] = []
        for losses, logs, _ in self._parts:
            weights = np.exp(logs + theta * losses - float((logs + theta * losses).max()))
            shares = np.cumsum(weights) / weights.sum()
            spreads.append(float(np.diff(losses[np.searchsorted(shares, [0.25, 0.75])])[0]) / 1.35)
        return spreads

    def tilt(self, epsilon: float) -> float:
        """Return the θ above -1 that brings the mean to ε."""
        low, high = -1.0, 1.0
        while self.cumulants(high)[1] < epsilon and high < _STEEPEST:
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.cumulants(middle)[1] < epsilon else (low, middle)
        return high

    def tilt_of_delta(self, delta: float) -> tuple[float, float]:
        """Return the θ for which Chernoff's bound on the ε of this δ is least, and that ε."""

        def bound(log_theta: float) -> float:
            theta = math.exp(log_theta)
            steepest = theta * math.log(theta / (1 + theta)) - math.log1p(theta)
            return (self.cumulants(theta)[0] + steepest - math.log(delta)) / theta

        # By the spread of the sum; and by δ, which decides where most of the mass is at the largest loss.
        centres = -np.log([max(self.deviation(), 1e-300), delta])
        around = np.linspace(-8.0, 12.0, 41)
        candidates = np.concatenate([np.minimum(centre + around, _MOST_LOG_TILT) for centre in centres])
        best = float(min(candidates, key=bound))
        for width in (0.25, 0.06):
            best = min((best - width, best, best + width), key=bound)
        return math.exp(best), bound(best)

    def window(self, theta: float) -> float:
        """Return, roughly, the length of the interval that contains the tilted sum (Chernoff's bound)."""
        deviation, moment = self.deviation(theta), self.cumulants(theta)[0]
        if deviation == 0:
            return 0.0
        rates = 16 / deviation / 2.0 ** np.arange(8)
        return sum(
            min((self.cumulants(theta + sign * rate)[0] - moment - _LOG_TAIL) / rate for rate in rates)
            for sign in (-1.0, 1.0)
        )

    def step(self, theta: float, width: float) -> float:
        """Return a step of the grid with at most the given error, if that does not take too many points."""
        variances = self.cumulants(theta)[2]
        counts = [count for _, count in self.given]
        deviation = self.deviation(theta)
        if deviation == 0:
            return 0.0
        # If most of the mass is much closer together than its deviation, so are the corners of the summed function.
        spreads = zip(counts, self.spreads(theta), variances, strict=True)
        spread = sum(count * (middle * middle or variance) for count, middle, variance in spreads)
        curvature = abs(theta * (1 + theta)) + 1 / spread

        def error(step: float) -> float:
            added = sum(c * min(step * step / 6, step * math.sqrt(v)) for c, v in zip(counts, variances, strict=True))
            return curvature * added / 2

        low, high = 0.0, deviation
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if error(middle) < width else (low, middle)
        return low

    def finest_step(self, theta: float, negligible: float) -> float:
        """Return the least step that does not take too many points."""
        reaches = [losses.reach(negligible) for losses, _ in self.given]
        longest = max(self.window(theta), *(largest - least for least, largest in reaches))
        if longest == 0:
            return 0.0
        most = limits.current().numbers(MAX_LOSS_POINTS)
        told_apart = _TOLD_APART * max(max(abs(least), abs(largest)) for least, largest in reaches)
        return max(told_apart, longest / (most if negligible > LEAST else min(most, _FEW_POINTS)))

    def aligned(self, step: float) -> float:
        """Return a step close to this one for which the atoms' distances are multiples, or nearly."""
        gaps = [
            (losses.gap, count) for losses, count in self.given if losses.gap is not None and losses.gap >= 2 * step
        ]
        if not gaps:
            return step
        longest = max(gap for gap, _ in gaps)
        fewest = math.ceil(longest / step)
        steps = longest / np.arange(fewest, fewest + (1 if len(gaps) == 1 else 1 + min(_ALIGNED, fewest // 8)))
        over = sum(count * (np.ceil(gap / steps - ROUNDED_UP) * steps - gap) for gap, count in gaps)
        return float(steps[int(np.argmin(over))])
