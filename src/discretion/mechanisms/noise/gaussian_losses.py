"""The privacy loss of Gaussian noise on a value that is sampled with a probability."""

import math
from dataclasses import dataclass

import numpy as np

from discretion.measures.measure import Method
from discretion.measures.privacy_loss.losses import CellMasses, Losses
from discretion.numerics.arrays import Reals

_ROOT_TWO = math.sqrt(2)
# The standard deviations at which a probability is near the least double; and the number of points of a sketch.
_REACH, _SKETCHED = 37.0, 1 << 8
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class GaussianLosses(Losses):
    """The loss ``log dQ/dP`` under Q of ``P = N(0, 1)`` and ``Q = (1-q) P + q N(μ, 1)``, or backwards.

    Backwards it is ``log dP/dQ`` under P. Forwards it is ``log(1 - q + q e^t)``, where t is the loss of the noise
    alone.
    """

    mu: float
    rate: float = 1.0
    backwards: bool = False

    @property
    def algorithm(self) -> Method:
        """The name of what answers."""
        return Method("closed form of the subsampled Gaussian", "closed form")

    @property
    def largest(self) -> float:
        """Infinity, but backwards ``-log(1-q)``."""
        return self.anchor if self.backwards and self.rate < 1 else math.inf

    @property
    def anchor(self) -> float:
        """The loss ``log(1-q)``, or backwards ``-log(1-q)``, of outputs that the sampled value cannot explain."""
        if self.rate == 1:
            return 0.0
        return -math.log1p(-self.rate) if self.backwards else math.log1p(-self.rate)

    @property
    def piles_up(self) -> int:
        """Whether there is much mass next to the anchor, the least loss or backwards the largest."""
        return 0 if self.rate == 1 else 1 if self.backwards else -1

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)``, or backwards ``∫ max(0, P - e^ε Q)``, for ε >= 0."""
        if self.rate == 1:
            return self._of_noise(epsilon)
        if epsilon > _LARGEST_EXPONENT:
            return 0.0 if self.backwards else self.rate * self._of_noise(epsilon - math.log(self.rate))
        surplus = math.expm1(epsilon)
        if self.backwards:  # P - e^ε Q = (1 - e^ε (1-q)) P - e^ε q N
            left = self.rate * (1 + surplus) - surplus
            return left * self._of_noise(math.log(self.rate) + epsilon - math.log(left)) if left > 0 else 0.0
        return self.rate * self._of_noise(math.log1p(surplus / self.rate))  # q N - (q + e^ε - 1) P

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(Q, e^ε P)`` for ε >= 0."""
        return max(0.0, 1 - self.excess(epsilon))

    def reach(self, negligible: float) -> tuple[float, float]:
        """Return two losses below and above which Q (backwards P) has at most the negligible mass."""
        from scipy.special import ndtri  # noqa: PLC0415 - what needs no normal law need not wait for it

        far, half = -float(ndtri(negligible)) * self.mu, self.mu * self.mu / 2
        if self.backwards:
            return -float(self.of_noise(far - half)), -float(self.of_noise(-far - half))
        return float(self.of_noise(-far + (half if self.rate == 1 else -half))), float(self.of_noise(far + half))

    def spread(self) -> Reals:
        """Return losses at which the whole law can be cut into cells for a sketch."""
        around, half = self.mu * np.linspace(-_REACH, _REACH, _SKETCHED), self.mu * self.mu / 2
        return np.unique((-1 if self.backwards else 1) * self.of_noise(np.concatenate([around - half, around + half])))

    def cells(self, edges: Reals) -> CellMasses:
        """Return the masses of both laws between these losses."""
        if self.backwards:
            t = np.append(-math.inf, self._noise(-edges[::-1]))
            p, n = (_between((t + sign * self._half) / self._width) for sign in (1, -1))
            with np.errstate(over="ignore"):
                q = ((1 - self.rate) * p + self.rate * n) / (1 - self.rate + self.rate * np.exp(t[1:]))
            return CellMasses(_above((t[-1] + self._half) / self._width), p[::-1], q[::-1])
        t = np.append(self._noise(edges), math.inf)
        p, n = (_between((t + sign * self._half) / self._width) for sign in (1, -1))
        below = (1 - self.rate) * _above(-(t[0] + self._half) / self._width)
        below += self.rate * _above(-(t[0] - self._half) / self._width)
        # e^edge is 1 - q + q e^t, but below the least loss, from which the cell starts.
        scaled = (1 - self.rate) * p + self.rate * self._scaled(t, p)
        if self.rate < 1:
            scaled *= np.exp(np.minimum(edges - self.anchor, 0.0))
        return CellMasses(below, (1 - self.rate) * p + self.rate * n, scaled)

    def _scaled(self, t: Reals, p: Reals) -> Reals:
        """Return ``e^t P`` of the cells from each t to the next, which overflows and vanishes nowhere."""
        from scipy.special import erfcx  # noqa: PLC0415

        near = np.exp(np.minimum(t[:-1], 0.0)) * p
        above = np.maximum((t + self._half) / self._width, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            tails = erfcx(above) * np.exp(-np.square((t - self._half) / self._width)) / 2
            far = tails[:-1] - np.exp(t[:-1] - t[1:]) * tails[1:]
        return np.where(above[:-1] > 0, far, near)

    @property
    def _half(self) -> float:
        return self.mu * self.mu / 2

    @property
    def _width(self) -> float:
        return self.mu * _ROOT_TWO

    def _of_noise(self, epsilon: float) -> float:
        """Return ``∫ max(0, N - e^ε P)``."""
        if epsilon < 0:
            return -math.expm1(epsilon) + math.exp(epsilon) * self._of_noise(-epsilon)
        from scipy.special import erfcx  # noqa: PLC0415

        below, above = (epsilon - self._half) / self._width, (epsilon + self._half) / self._width
        if below < 0:
            return (
                math.erf(above)
                - math.erf(below)
                + math.expm1(-epsilon) * float(erfcx(above)) * math.exp(-below * below)
            ) / 2
        return float(erfcx(below) - erfcx(above)) * math.exp(-below * below) / 2

    def of_noise(self, t: Reals | float) -> Reals:
        """Return ``log(1 - q + q e^t)``, the loss forwards where that of the noise alone is t."""
        if self.rate == 1:
            return np.asarray(t, dtype=np.float64)
        far = np.logaddexp(math.log1p(-self.rate), math.log(self.rate) + np.asarray(t))
        return np.where(np.asarray(t) < 1, np.log1p(self.rate * np.expm1(np.minimum(t, 1.0))), far)

    def _noise(self, losses: Reals) -> Reals:
        """Return the losses of the noise alone for these losses; minus infinity where there are none."""
        if self.rate == 1:
            return losses
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            near = np.log1p(np.maximum(np.expm1(losses) / self.rate, -1.0))
            far = losses - math.log(self.rate) + np.log1p((self.rate - 1) * np.exp(-losses))
        return np.where(losses < 1, near, far)


def _above(z: float) -> float:
    return math.erfc(z) / 2


def _between(z: Reals) -> Reals:
    """Return the masses of a normal law of variance 1/2 between each number and the next."""
    from scipy.special import erfc  # noqa: PLC0415

    upper, lower = erfc(z) / 2, erfc(-z) / 2
    return np.maximum(np.where(z[:-1] > 0, upper[:-1] - upper[1:], lower[1:] - lower[:-1]), 0.0)
