"""Laplace noise: the continuous mechanism of pure differential privacy."""

import math
from dataclasses import dataclass

import numpy as np

from discretion.measures.measure import Method
from discretion.measures.privacy_loss.losses import CellMasses, Losses
from discretion.mechanisms.noise.additive import ContinuousNoise, RandomSource
from discretion.mechanisms.noise.parameters import as_positive, check_ratio
from discretion.numerics.arrays import Reals


@dataclass(frozen=True)
class Laplace(ContinuousNoise):
    """Laplace noise of a given scale, added to a number: density ``exp(-|z|/λ)/(2λ)``.

    ``ε = Δ/λ`` and ``β* = exp(-Δ/(2λ))``

    Parameters
    ----------
    scale
        λ > 0; the standard deviation is √2 λ.
    sensitivity
        Δ > 0: the largest difference of two values that must stay indistinguishable. The secrets are 0 and Δ.

    Notes
    -----
    Source: Bayes-sec, Proposition 3. Between 0 and Δ, ``δ(ε) = 1 - exp((ε - Δ/λ)/2)``.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism = Laplace(scale=10)
    >>> mechanism.epsilon, round(dc.bayes_security(mechanism), 3)
    (0.1, 0.951)
    """

    algorithm = Method("closed form of Laplace noise (Bayes-sec Prop. 3)", "closed form")

    scale: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        scale, sensitivity = as_positive(self.scale, "scale"), as_positive(self.sensitivity, "sensitivity")
        check_ratio(sensitivity, scale, "scale")
        vars(self).update(scale=scale, sensitivity=sensitivity)

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-differentially private: ``Δ/λ``."""
        return self.sensitivity / self.scale

    @property
    def losses(self) -> "LaplaceLosses":
        """The privacy loss between the two furthest values."""
        return LaplaceLosses(self.epsilon)

    @property
    def reach(self) -> float:
        """The ε of the mechanism, beyond which `excess` is 0."""
        return self.epsilon

    @property
    def smoothness_length(self) -> float:
        """The length over which `excess` changes by at most a constant factor, as it is exponential."""
        return 1.0

    def excesses(self, epsilons: Reals) -> Reals:
        """Return `excess` at many ε."""
        return -np.expm1(np.minimum(epsilons - self.epsilon, 0.0) / 2)

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(P, e^ε Q)`` for ε >= 0."""
        return math.exp(min(epsilon - self.epsilon, 0.0) / 2)

    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of P and Q (Mironov, Rényi differential privacy, 2017, Proposition 6)."""
        if math.isinf(order):
            return self.epsilon
        above = order - 1
        if abs(above) * self.epsilon < 1 and abs(2 * order - 1) > 0.5:
            # By what the moment ∫ P^α Q^(1-α) exceeds 1, over α - 1: nothing is lost near order 1.
            slope = math.expm1(above * self.epsilon) / above if above else self.epsilon
            excess = (order * slope + math.expm1(-order * self.epsilon)) / (2 * order - 1)
            return math.log1p(above * excess) / above if above else excess
        smaller, larger = sorted((order, 1 - order))  # the moment is the same for both
        spread = 2 * larger - 1
        middle = -math.expm1(-spread * self.epsilon) / spread if spread else self.epsilon
        outside = (1 + math.exp(-spread * self.epsilon) + middle) / 2
        return (math.log(outside) - smaller * self.epsilon) / above

    def noise(self, size: int, source: RandomSource) -> Reals:
        """Return ``size`` independent draws of the noise."""
        # The difference of two exponential laws; 1 - U is never 0.
        return self.scale * (np.log1p(-source.random(size)) - np.log1p(-source.random(size)))


@dataclass(frozen=True)
class LaplaceLosses(Losses):
    """The privacy loss of Laplace noise: ε for half of the noise, ``-ε`` beyond the other value, else in between."""

    epsilon: float

    @property
    def largest(self) -> float:
        """The largest loss, ε."""
        return self.epsilon

    @property
    def anchor(self) -> float:
        """The loss of half of the noise, ε."""
        return self.epsilon

    @property
    def atoms(self) -> tuple[Reals, Reals]:
        """The losses ``-ε`` and ε of all outputs that are not between the two values."""
        return np.array([-self.epsilon, self.epsilon]), np.array([math.exp(-self.epsilon) / 2, 0.5])

    @property
    def gap(self) -> float:
        """The difference of the two losses with mass, ``2ε``."""
        return 2 * self.epsilon

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        return -math.expm1(min(epsilon - self.epsilon, 0.0) / 2)

    def reach(self, negligible: float) -> tuple[float, float]:
        """Return the least and the largest loss, ``-ε`` and ε."""
        return -self.epsilon, self.epsilon

    def cells(self, edges: Reals) -> CellMasses:
        """Return the masses of both laws between these losses and between the two values."""
        ends = np.clip(np.append(edges, self.epsilon), -self.epsilon, self.epsilon)
        # Q has the density e^((loss - ε)/2)/4 there, and P e^(-(loss + ε)/2)/4.
        left, right, distance = ends[:-1], ends[1:], -np.expm1((ends[:-1] - ends[1:]) / 2) / 2
        below = (math.exp((float(ends[0]) - self.epsilon) / 2) - math.exp(-self.epsilon)) / 2
        return CellMasses(
            below, np.exp((right - self.epsilon) / 2) * distance, np.exp(edges - (left + self.epsilon) / 2) * distance
        )
