"""Two-sided geometric noise: the Laplace mechanism of whole numbers."""

import math
from dataclasses import dataclass

import numpy as np

from discretion.channels.channel import Channel
from discretion.channels.storage.storage import check_size
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.losses import LatticeLosses
from discretion.mechanisms.noise.additive import IntegerNoise, RandomSource
from discretion.mechanisms.noise.parameters import as_distance, as_positive
from discretion.numerics.arrays import Integers
from discretion.numerics.draws import coin_flips

# Noise of a smaller rate need not fit in 64 bits.
LEAST_RATE = 1e-15


@dataclass(frozen=True)
class Geometric(IntegerNoise):
    """Two-sided geometric noise, added to a whole number: ``P(z) ∝ exp(-ε|z|/Δ)``.

    ``β* = (q^⌈Δ/2⌉ + q^(⌊Δ/2⌋+1)) / (1+q)`` with ``q = e^(-ε/Δ)``

    Parameters
    ----------
    epsilon
        The privacy parameter ε > 0.
    sensitivity
        Δ, a whole number of at least 1: the largest difference of two values that must stay indistinguishable. The
        secrets are the values ``0..Δ``.

    Raises
    ------
    TooLargeError
        If Δ is over 2⁵³.

    Notes
    -----
    Source: Ghosh, Roughgarden and Sundararajan, Universally utility-maximizing privacy mechanisms, SICOMP 2012. All
    outputs up to 0 have the same likelihood ratios for values in ``0..Δ``, and so have all outputs from Δ on. Merging
    them leads to the truncated geometric mechanism, which leaks exactly as much.

    A sample is exact up to the rounding of doubles, far tails included: the binary digits of a geometric law are
    independent coins, each with exactly the probability that its double stands for.

    Examples
    --------
    >>> import discretion as dc
    >>> dc.bayes_security(Geometric(epsilon=1)) == 2 / (1 + math.e)
    True
    >>> Geometric(epsilon=2, sensitivity=2).channel().matrix.round(3).tolist()
    [[0.731, 0.17, 0.099], [0.269, 0.462, 0.269], [0.099, 0.17, 0.731]]
    """

    algorithm = Method("closed form of geometric noise", "closed form")

    epsilon: float
    sensitivity: int = 1

    def __post_init__(self) -> None:
        epsilon, sensitivity = as_positive(self.epsilon, "epsilon"), as_distance(self.sensitivity)
        rate = epsilon / sensitivity
        if rate < LEAST_RATE:
            raise InvalidValueError(
                f"epsilon/sensitivity must be at least {LEAST_RATE:g}, so that the noise fits in 64 bits, got {rate:g}"
            )
        vars(self).update(epsilon=epsilon, sensitivity=sensitivity)

    @property
    def _rate(self) -> float:
        return self.epsilon / self.sensitivity

    @property
    def secrets(self) -> int:
        """The number of secrets, Δ+1: the values ``0..Δ``."""
        return self.sensitivity + 1

    def channel(self) -> Channel:
        """Return the truncated geometric mechanism, (Δ+1) × (Δ+1), or raise TooLargeError."""
        size = self.secrets
        way_out = "use bayes_security, multiplicative_bayes_capacity or privacy_profile, which need no matrix"
        check_size(size, size, repr(self), way_out)
        away = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
        matrix = np.exp(-self._rate * away) / (1 + math.exp(-self._rate))
        matrix[:, 1:-1] *= -math.expm1(-self._rate)
        return Channel(matrix)

    @property
    def losses(self) -> LatticeLosses:
        """The privacy loss between the two furthest values, of the outputs from Δ down to 0."""
        check_size(1, self.secrets, f"the losses of {self!r}", "take discretion.Laplace, which is close to it")
        outputs = np.arange(self.sensitivity, -1, -1)
        masses = np.exp(-self._rate * outputs) / (1 + math.exp(-self._rate))
        masses[1:-1] *= -math.expm1(-self._rate)
        return LatticeLosses.from_half_steps(masses, -self.sensitivity, 2 * self._rate)

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, P - e^ε Q)`` for ε >= 0."""
        if epsilon >= self.epsilon:
            return 0.0
        last, gap = self._last(epsilon)
        most = -math.expm1(-gap) - math.exp(-self._rate) * math.expm1(-self._rate * last)
        return most / (1 + math.exp(-self._rate))

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(P, e^ε Q)`` for ε >= 0."""
        if epsilon >= self.epsilon:
            return 1.0
        last, gap = self._last(epsilon)
        return (math.exp(-self._rate * (last + 1)) + math.exp(-gap)) / (1 + math.exp(-self._rate))

    def _last(self, epsilon: float) -> tuple[int, float]:
        """Return the last output with more than ε of loss, and minus the logarithm of ``e^ε Q(up to it)(1+q)``."""
        # The loss of output y in 0..Δ is (Δ - 2y)ε/Δ.
        last = max(0, math.ceil((self.sensitivity - epsilon / self._rate) / 2) - 1)
        return last, self._rate * (self.sensitivity - last) - epsilon

    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of P and Q, summed over the outputs from 0 to Δ."""
        if math.isinf(order):
            return self.epsilon
        check_size(1, self.secrets, repr(self), "take discretion.Laplace, whose divergence has a closed form")
        outputs, above = np.arange(self.secrets), order - 1
        logs = -self._rate * outputs - math.log1p(math.exp(-self._rate))
        logs[1:-1] += math.log(-math.expm1(-self._rate))
        losses = self._rate * (self.sensitivity - 2 * outputs)
        if above == 0:
            return float(np.exp(logs) @ losses)
        if abs(above) * self.epsilon < 1:
            return math.log1p(float(np.exp(logs) @ np.expm1(above * losses))) / above
        logs += above * losses
        return (math.log(float(np.exp(logs - logs.max()).sum())) + float(logs.max())) / above

    def noise(self, size: int, source: RandomSource) -> Integers:
        """Return ``size`` independent draws of the noise."""
        return two_sided_geometric(self._rate, size, source)


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_geometric(system: Geometric) -> Plan[float | Estimate]:
    # Σ_y C[y, y]: every secret's own output is likeliest.
    rate = system.epsilon / system.sensitivity
    return Plan(system.algorithm, lambda: (2 - (system.sensitivity - 1) * math.expm1(-rate)) / (1 + math.exp(-rate)))


def two_sided_geometric(rate: float, size: int, source: RandomSource) -> Integers:
    """Return draws of ``P(z) ∝ e^(-rate |z|)``: the difference of two geometric laws."""
    return _geometric(rate, size, source) - _geometric(rate, size, source)


def _geometric(rate: float, size: int, source: RandomSource) -> Integers:
    """Return draws of ``P(g) = (1-q) q^g``, digit by digit: the digit of value 2^j is 1 with odds ``q^(2^j)``."""
    draws = np.zeros(size, dtype=np.int64)
    place = 1
    while (odds := math.exp(-rate * place)) > 0:
        draws += place * coin_flips(odds / (1 + odds), 1 / (1 + odds), size, source).astype(np.int64)
        place *= 2
    return draws
