"""Gaussian noise: the mechanism of approximate differential privacy."""

import math
from dataclasses import dataclass

import numpy as np

from discretion.errors import InvalidValueError
from discretion.measures.measure import Method
from discretion.mechanisms.noise.additive import ContinuousNoise, RandomSource
from discretion.mechanisms.noise.gaussian_losses import GaussianLosses
from discretion.mechanisms.noise.parameters import as_positive, check_ratio
from discretion.numerics.arrays import Reals

_ROOT_TWO = math.sqrt(2)


@dataclass(frozen=True)
class Gaussian(ContinuousNoise):
    """Normal noise of a given standard deviation, added to a number.

    ``β* = 1 - (Φ(α) - Φ(-α))`` with ``α = Δ/(2σ)``

    Parameters
    ----------
    sigma
        σ > 0, the standard deviation.
    sensitivity
        Δ > 0: the largest difference (in ℓ2 norm, for vectors) of two values that must stay indistinguishable. The
        secrets are 0 and Δ.

    Notes
    -----
    Source: Bayes-sec, Proposition 4. With ``μ = Δ/σ``, ``δ(ε) = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ)`` (Balle and Wang,
    Improving the Gaussian mechanism for differential privacy, ICML 2018, Theorem 8).

    Examples
    --------
    >>> import discretion as dc
    >>> round(dc.bayes_security(Gaussian(sigma=1)), 6)
    0.617075
    >>> round(dc.privacy_profile(Gaussian(sigma=1), 1), 6)
    0.126937
    """

    algorithm = Method("closed form of Gaussian noise (Bayes-sec Prop. 4)", "closed form")

    sigma: float
    sensitivity: float = 1.0

    def __post_init__(self) -> None:
        sigma, sensitivity = as_positive(self.sigma, "sigma"), as_positive(self.sensitivity, "sensitivity")
        check_ratio(sensitivity, sigma, "sigma")
        vars(self).update(sigma=sigma, sensitivity=sensitivity)

    @classmethod
    def classical(cls, epsilon: float, delta: float, sensitivity: float = 1.0) -> "Gaussian":
        """Return the mechanism with ``σ = Δ √(2 log(1.25/δ)) / ε``, which is (ε, δ)-differentially private.

        Parameters
        ----------
        epsilon
            ε in (0, 1]. The guarantee is proved for ε < 1; at 1, which papers use, check `discretion.privacy_profile`.
        delta
            δ in (0, 1).
        sensitivity
            Δ > 0.

        Notes
        -----
        Source: Dwork and Roth, The algorithmic foundations of differential privacy, 2014, Theorem A.1. The noise is
        more than (ε, δ)-differential privacy needs.

        Examples
        --------
        >>> import discretion as dc
        >>> round(dc.bayes_security(Gaussian.classical(epsilon=1, delta=1e-6)), 3)
        0.925
        """
        level, left = as_positive(epsilon, "epsilon"), as_positive(delta, "delta")
        if level > 1:
            raise InvalidValueError(f"epsilon must be in (0, 1], where this noise suffices, got {epsilon!r}")
        if left >= 1:
            raise InvalidValueError(f"delta must be in (0, 1), got {delta!r}")
        distance = as_positive(sensitivity, "sensitivity")
        return cls(distance * math.sqrt(2 * math.log(1.25 / left)) / level, distance)

    @property
    def epsilon(self) -> float:
        """The least ε for pure differential privacy, infinite: the likelihood ratio of two values has no bound."""
        return math.inf

    @property
    def mu(self) -> float:
        """``Δ/σ``: the distance of the two furthest values in standard deviations."""
        return self.sensitivity / self.sigma

    @property
    def losses(self) -> GaussianLosses:
        """The privacy loss between the two furthest values."""
        return GaussianLosses(self.mu)

    @property
    def reach(self) -> float:
        """Ten standard deviations past the mean of the loss, where δ is less than 1e-22 of its value at 0."""
        return self.mu * (self.mu / 2 + 10)

    @property
    def smoothness_length(self) -> float:
        """One standard deviation of the loss."""
        return min(1.0, self.mu)

    def excesses(self, epsilons: Reals) -> Reals:
        """Return `excess` at many ε."""
        from scipy.special import erf, erfcx  # noqa: PLC0415 - what needs no normal law need not wait for it

        below, above = self._bounds(epsilons)
        # Both terms have the factor exp(-below²): e^ε Φ(-above √2) = erfcx(above) exp(-below²)/2.
        with np.errstate(over="ignore"):
            factor = np.exp(-(below**2))
        near = erf(above) - erf(np.minimum(below, 0.0)) + np.expm1(-epsilons) * erfcx(above) * factor
        far = (erfcx(np.maximum(below, 0.0)) - erfcx(above)) * factor
        return np.where(below < 0, near, far) / 2

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(P, e^ε Q)`` for ε >= 0."""
        from scipy.special import erfcx  # noqa: PLC0415

        below, above = self._bounds(np.array([epsilon]))
        with np.errstate(over="ignore"):
            q_above: Reals = erfcx(above) * np.exp(-(below**2))
        return (math.erfc(-float(below[0])) + float(q_above[0])) / 2

    def _bounds(self, epsilons: Reals) -> tuple[Reals, Reals]:
        with np.errstate(over="ignore"):
            centre, half = epsilons / self.mu / _ROOT_TWO, self.mu / 2 / _ROOT_TWO
        return centre - half, centre + half

    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of P and Q: ``α Δ²/(2σ²)``."""
        return order * self.mu * self.mu / 2

    def noise(self, size: int, source: RandomSource) -> Reals:
        """Return ``size`` independent draws of the noise."""
        # Box and Muller's transform; 1 - U is never 0.
        radius = np.sqrt(-2 * np.log1p(-source.random(size)))
        return self.sigma * radius * np.cos(2 * math.pi * source.random(size))
