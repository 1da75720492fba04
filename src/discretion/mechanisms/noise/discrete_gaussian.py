"""Discrete Gaussian noise: the normal law's counterpart on the whole numbers."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.channels.channel import Channel
from discretion.channels.storage.storage import check_size
from discretion.errors import TooLargeError
from discretion.measures.measure import Method
from discretion.measures.privacy_loss.losses import LatticeLosses
from discretion.mechanisms.noise.additive import IntegerNoise, RandomSource, noise_on_two_values
from discretion.mechanisms.noise.geometric import LEAST_RATE, two_sided_geometric
from discretion.mechanisms.noise.parameters import as_distance, as_positive, check_ratio
from discretion.numerics.arrays import Integers, Reals

# At this number of standard deviations, a probability is less than the least double.
_REACH = 39


@dataclass(frozen=True)
class DiscreteGaussian(IntegerNoise):
    """Discrete Gaussian noise, added to a whole number: ``P(z) ∝ exp(-z²/(2σ²))``.

    ``β* = P(Z > Δ/2) + P(Z >= Δ/2)``

    Parameters
    ----------
    sigma
        σ > 0; the standard deviation is σ or a little less.
    sensitivity
        Δ, a whole number of at least 1: the largest difference of two values that must stay indistinguishable. The
        secrets are 0 and Δ.

    Raises
    ------
    TooLargeError
        If Δ is over 2⁵³; in a measure, if σ is over 860,000; in `sample`, if σ is over 10¹⁵.

    Notes
    -----
    Source: Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, NeurIPS 2020. Sums run over all
    outputs whose probability is not 0 in doubles.

    The sampler is Algorithm 3 of this source: rejection from `Geometric` noise, by coins with exactly the probability
    that a double stands for. It is exact up to the rounding of doubles, far tails included.

    Examples
    --------
    >>> import discretion as dc
    >>> round(dc.bayes_security(DiscreteGaussian(sigma=1)), 6)
    0.601058
    """

    algorithm = Method("sum over the discrete Gaussian law", "exact")

    sigma: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        sigma, sensitivity = as_positive(self.sigma, "sigma"), as_distance(self.sensitivity)
        check_ratio(sensitivity, sigma, "sigma")
        vars(self).update(sigma=sigma, sensitivity=sensitivity)

    @property
    def epsilon(self) -> float:
        """The least ε for pure differential privacy, infinite: the likelihood ratio of two values has no bound."""
        return math.inf

    @property
    def secrets(self) -> int:
        """The number of secrets, 2: the values 0 and ``sensitivity``, which are easiest to distinguish."""
        return 2

    def channel(self) -> Channel:
        """Return the channel from 0 and Δ to all outputs whose probability fits in a double, or raise TooLargeError."""
        law, distance = self._law, self.sensitivity
        reach = law.size // 2
        check_size(2, law.size + distance, repr(self), "use bayes_security or privacy_profile instead")
        matrix = np.zeros((2, law.size + distance))
        matrix[0, : law.size], matrix[1, distance:] = law, law
        return Channel(matrix, (0, distance), range(-reach, reach + distance + 1))

    @property
    def losses(self) -> LatticeLosses:
        """The privacy loss between the two furthest values, of the outputs from the largest down."""
        first = self.sensitivity - 2 * int(self._outputs[-1])
        return LatticeLosses.from_half_steps(self._law, first, self.sensitivity / self.sigma / self.sigma)

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, P - e^ε Q)`` for ε >= 0."""
        return float(self._law @ -np.expm1(np.minimum(epsilon - self._losses, 0.0)))

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(P, e^ε Q)`` for ε >= 0."""
        return float(self._law @ np.exp(np.minimum(epsilon - self._losses, 0.0)))

    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of P and Q: the Gaussian's, minus a correction for the grid."""
        # P^α Q^(1-α) is the same law with its center at (1-α)Δ, of which only the fraction matters.
        above, ratio = order - 1, self.sensitivity / self.sigma
        gaussian = order * ratio * ratio / 2
        centre = math.remainder(above * self.sensitivity, 1.0) if math.isfinite(gaussian) else 0.0
        if centre == 0:
            return gaussian
        if abs(centre) * self._outputs[-1] < self.sigma * self.sigma:  # all exponents are small, and so is their sum
            exponents = centre * (self._outputs - centre / 2) / self.sigma / self.sigma
            return gaussian + math.log1p(float(self._law @ np.expm1(exponents))) / above
        return gaussian + (self._log_weight(centre) - self._log_weight(0.0)) / above

    def _log_weight(self, centre: float) -> float:
        """Return ``log Σ_y exp(-(y - c)²/(2σ²))`` for a center c at most half an output off."""
        with np.errstate(over="ignore"):
            exponents = -np.square((self._outputs - centre) / self.sigma) / 2
        return float(exponents.max()) + math.log(float(np.exp(exponents - exponents.max()).sum()))

    @cached_property
    def _outputs(self) -> Integers:
        check_size(1, 2 * _REACH * self.sigma, f"the law of {self!r}", "take discretion.Gaussian, which is close to it")
        reach = math.ceil(_REACH * self.sigma)
        return np.arange(-reach, reach + 1)

    @cached_property
    def _law(self) -> Reals:
        with np.errstate(over="ignore"):
            weights = np.exp(-np.square(self._outputs / self.sigma) / 2)
        return weights / weights.sum()

    @cached_property
    def _losses(self) -> Reals:
        with np.errstate(over="ignore"):
            outputs = (self.sensitivity / 2 - self._outputs.astype(np.float64)) / self.sigma
            return outputs * (self.sensitivity / self.sigma)

    def noise(self, size: int, source: RandomSource) -> Integers:
        """Return ``size`` independent draws of the noise."""
        if self.sigma * LEAST_RATE > 1:
            raise TooLargeError(
                f"sigma must be at most {1 / LEAST_RATE:g} for sampling, so that the noise fits in 64 bits, got "
                f"{self.sigma:g}; take discretion.Gaussian, which is close to it"
            )
        scale = math.floor(self.sigma) + 1
        noise = np.empty(size, dtype=np.int64)
        places = np.arange(size)
        while places.size:
            noise[places] = two_sided_geometric(1 / scale, places.size, source)
            with np.errstate(over="ignore"):
                misfit = (np.abs(noise[places]) / self.sigma - self.sigma / scale) ** 2 / 2
            places = places[~_heads(np.exp(-misfit), source)]
        return noise


def _heads(probabilities: Reals, source: RandomSource) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Flip a coin for each probability, exactly: to the base 2⁵³, a uniform number is below it or tied so far."""
    scaled = np.ldexp(probabilities, 53)
    digits = np.floor(scaled)
    draws = np.ldexp(source.random(probabilities.size), 53)
    heads = draws < digits
    tied = np.flatnonzero((draws == digits) & (scaled > digits))
    if tied.size:
        heads[tied] = _heads(scaled[tied] - digits[tied], source)
    return heads


@noise_on_two_values.register
def _noise_on_whole_numbers(system: DiscreteGaussian) -> DiscreteGaussian:
    return system
