"""The subsampled Gaussian mechanism, composed: differentially private stochastic gradient descent (DP-SGD)."""

import math
from dataclasses import dataclass
from functools import cached_property, partial

from numpy.typing import ArrayLike

from tacit.adversaries.gains import Gain, IdentityGain
from tacit.channels.channel import Channel
from tacit.errors import InvalidValueError, TooLargeError
from tacit.estimate import Estimate, highest, largest, lowest, mapped
from tacit.measures.bayes_security import Pair, plan_bayes_security, plan_leakiest_pair, plan_leakiest_pairs
from tacit.measures.capacity import plan_multiplicative_bayes_capacity
from tacit.measures.local_privacy import plan_ldp_epsilon
from tacit.measures.measure import Plan
from tacit.measures.privacy import Profile, plan_privacy_profile
from tacit.measures.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from tacit.mechanisms.gaussian import Gaussian
from tacit.mechanisms.indices import as_indices
from tacit.mechanisms.noise import Reals, as_positive, no_channel
from tacit.mechanisms.noise_measures import best_guess
from tacit.mechanisms.subsampled_gaussian_losses import METHOD, ComposedLosses
from tacit.numerics.randomness import Seed, random_source
from tacit.validation import as_count, as_real

_MOST_STEPS = 10**7
_ASYMPTOTE = "approximate: central limit theorem for many steps with a small rate"
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class SubsampledGaussian:
    """DP-SGD: in each of T steps a record takes part with probability q, and normal noise is added to the sum.

    The secret is whether one record is in the data: 0 no, 1 yes. The observation is all T noisy sums,
    ``P = N(0, σ²)^T`` against ``Q = ((1-q) N(0, σ²) + q N(1, σ²))^T``.

    Parameters
    ----------
    sigma
        The noise multiplier σ > 0: the standard deviation of the noise over the clipping norm.
    rate
        The sampling rate q in (0, 1]: every record takes part in a step independently of all else.
    steps
        T, from 1 to 10⁷.

    Raises
    ------
    InvalidValueError
        If a parameter is outside its range, or 1/σ² is not within what a double holds.
    TooLargeError
        If there are more than 10⁷ steps.

    Notes
    -----
    This pair is as far apart as any that a record added to or removed from the data makes (Abadi et al., Deep learning
    with differential privacy, CCS 2016; Zhu, Dong and Wang, Optimal accounting of differential privacy via
    characteristic function, AISTATS 2022). Measures are closed forms for T = 1 or q = 1, else certified `Estimate`s: up
    to rounding, both ends hold for all data.

    Examples
    --------
    >>> import tacit as tc
    >>> security = tc.bayes_security(SubsampledGaussian(sigma=1, rate=0.01, steps=1000))
    >>> round(security.value, 4), security.high - security.low < 1e-5
    (0.839, True)
    >>> round(SubsampledGaussian(sigma=1, rate=0.01, steps=1000).asymptotic_bayes_security().value, 4)
    0.8358
    """

    short_name = "dpsgd"

    sigma: float
    rate: float
    steps: int

    def __post_init__(self) -> None:
        rate = as_real(self.rate, "rate")
        if not 0 < rate <= 1:
            raise InvalidValueError(f"rate must be in (0, 1], got {self.rate!r}")
        steps = as_count(self.steps, "steps", at_least=1)
        if steps > _MOST_STEPS:
            raise TooLargeError(f"steps must be at most {_MOST_STEPS:,}, beyond which nothing is computed; got more")
        vars(self).update(sigma=as_positive(self.sigma, "sigma"), rate=rate, steps=steps)
        if not 0 < 1 / self.sigma / self.sigma < math.inf:
            raise InvalidValueError(f"1/sigma² must be within what a double holds, got a sigma of {self.sigma:g}")

    @property
    def secrets(self) -> int:
        """Two: the record is not in the data, or it is."""
        return 2

    @property
    def epsilon(self) -> float:
        """Infinite: far out, the record is as much likelier to be in the data as one likes."""
        return math.inf

    def channel(self) -> Channel:
        """Refuse: a channel has finitely many observations."""
        raise no_channel(self, "bayes_security, privacy_profile")

    @property
    def closed(self) -> bool:
        """Whether measures have a closed form: there is one step, or all records take part in all."""
        return self.steps == 1 or self.rate == 1

    @property
    def algorithm(self) -> str:
        """The name of what answers."""
        return "closed form of the subsampled Gaussian" if self.closed else METHOD

    def hockey_stick(self, epsilon: float, *, reverse: bool = False) -> float | Estimate:
        """Return ``∫ max(0, Q - e^ε P)``, where Q has the record and P has not; in reverse ``∫ max(0, P - e^ε Q)``.

        Parameters
        ----------
        epsilon
            ε of any sign; infinity is fine.
        reverse
            Whether the two change places.

        Returns
        -------
        float or Estimate
            In [0, 1]; a certified `Estimate` unless T = 1 or q = 1.

        Raises
        ------
        InvalidValueError
            If ε is not a number.
        """
        level = as_real(epsilon, "epsilon")
        if self.closed:
            return self._closed_form(level, reverse)
        if level >= 0:
            return self._composed.hockey_stick(level, reverse)
        other = self._composed.hockey_stick(-level, not reverse)
        return mapped(other, lambda delta: -math.expm1(level) + math.exp(level) * delta)

    def asymptotic_bayes_security(self) -> Estimate:
        """Return what β* tends to for many steps with a small rate: an approximation, not a bound.

        ``2 Φ(-μ/2)`` with ``μ = q √(T (e^(1/σ²) - 1))``

        Returns
        -------
        Estimate
            The approximation, in the certified interval of the exact value, widened to hold it.

        Notes
        -----
        Source: Bu, Dong, Long and Su, Deep learning with Gaussian differential privacy, 2020: by the central limit
        theorem the T steps are as one of Gaussian noise. It errs on either side; `tacit.bayes_security` does not.
        """
        exponent = 1 / self.sigma / self.sigma
        value = 0.0
        if exponent <= _LARGEST_EXPONENT:
            value = math.erfc(self.rate * math.sqrt(self.steps * math.expm1(exponent) / 8))
        exact = plan_bayes_security(self).compute()
        low, high = min(value, lowest(exact)), max(value, highest(exact))
        return Estimate(value, low, high, None, f"{_ASYMPTOTE}; interval: {self.algorithm}")

    def sample(self, values: ArrayLike, rng: Seed = None) -> Reals:
        """Return the noisy sums that are seen where the record is in the data (1) or is not (0).

        Parameters
        ----------
        values
            Zeros and ones, shape ``(n,)``.
        rng
            A generator or a seed for simulation; None draws from the operating system's CSPRNG.

        Returns
        -------
        numpy.ndarray
            Shape ``(n, T)``, in units of the clipping norm.

        Raises
        ------
        InvalidValueError
            If a value is neither 0 nor 1.

        Notes
        -----
        For simulation: see `tacit.Gaussian` on noise in doubles.
        """
        given, source = as_indices(values, "values", 2), random_source(rng)
        size, shape = given.size * self.steps, (given.size, self.steps)
        taking_part = (source.random(size) < self.rate).reshape(shape)
        return given[:, None] * taking_part + Gaussian(self.sigma).noise(size, source).reshape(shape)

    @property
    def overlap(self) -> float | Estimate:
        """``∫ min(P, Q)``, to all digits where it is small; a certified `Estimate` unless T = 1 or q = 1."""
        if self.closed:
            return min(1.0, 1 - self.rate + self.rate * self._gaussian.overlap(0.0))
        return self._composed.overlap()

    @property
    def _gaussian(self) -> Gaussian:
        """One step in which the record takes part; where it takes part in all, they are as one with less noise."""
        return Gaussian(self.sigma / math.sqrt(self.steps) if self.rate == 1 else self.sigma)

    def _closed_form(self, epsilon: float, reverse: bool) -> float:
        """Return the profile where there is one step, or steps in which all records take part are as one."""
        if self.rate == 1:
            return self._gaussian.hockey_stick(epsilon)
        return _one_step(self._gaussian, self.rate, epsilon, reverse)

    @cached_property
    def _composed(self) -> ComposedLosses:
        one_step = partial(_one_step, self._gaussian, self.rate)
        return ComposedLosses(self.sigma, self.rate, self.steps, one_step)


def _one_step(gaussian: Gaussian, rate: float, epsilon: float, reverse: bool) -> float:
    """Return the profile of one step with a rate below 1: the Gaussian's at another ε, times what is left for it."""
    if epsilon > _LARGEST_EXPONENT:
        return 0.0 if reverse else rate * gaussian.hockey_stick(epsilon - math.log(rate))
    surplus = math.expm1(epsilon)
    if reverse:  # P - e^ε Q = (1 - e^ε (1-q)) N(0) - e^ε q N(1)
        left = rate * (1 + surplus) - surplus
        return left * gaussian.hockey_stick(math.log(rate) + epsilon - math.log(left)) if left > 0 else 0.0
    if surplus <= -rate:  # Q is nowhere below e^ε P
        return -surplus
    return rate * gaussian.hockey_stick(math.log1p(surplus / rate))  # q N(1) - (q + e^ε - 1) N(0)


@plan_bayes_security.register
def _(system: SubsampledGaussian) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: system.overlap)


@plan_leakiest_pair.register
def _(system: SubsampledGaussian) -> Plan[Pair]:
    return Plan("there are two secrets", lambda: (0, 1))


@plan_leakiest_pairs.register
def _(system: SubsampledGaussian, tolerance: float) -> Plan[list[Pair]]:
    return Plan("there are two secrets", lambda: [(0, 1)])


@plan_ldp_epsilon.register
def _(system: SubsampledGaussian) -> Plan[float]:
    return Plan(system.algorithm, lambda: system.epsilon)


@plan_privacy_profile.register
def _(system: SubsampledGaussian) -> Plan[Profile]:
    def profile(epsilon: float) -> float | Estimate:
        return largest(system.hockey_stick(epsilon, reverse=reverse) for reverse in (False, True))

    return Plan(system.algorithm, lambda: profile)


@plan_multiplicative_bayes_capacity.register
def _(system: SubsampledGaussian) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: mapped(system.hockey_stick(0.0), lambda distance: 1 + distance))


@plan_posterior_vulnerability.register
def _(system: SubsampledGaussian, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: best_guess(prior, gain, system.hockey_stick))


@plan_bayes_risk.register
def _(system: SubsampledGaussian, prior: Prior) -> Plan[float | Estimate]:
    vulnerability = plan_posterior_vulnerability(system, prior, IdentityGain(2))
    return Plan(system.algorithm, lambda: mapped(vulnerability.compute(), lambda found: max(0.0, 1 - found)))
