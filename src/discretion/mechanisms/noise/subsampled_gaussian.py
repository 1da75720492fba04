"""The subsampled Gaussian mechanism, composed: differentially private stochastic gradient descent (DP-SGD)."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from numpy.typing import ArrayLike

from discretion.channels.channel import Channel
from discretion.errors import InvalidValueError, TooLargeError
from discretion.estimate import Estimate, highest, largest, lowest
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import plan_renyi
from discretion.mechanisms.noise.additive import no_channel_error
from discretion.mechanisms.noise.gaussian import Gaussian
from discretion.mechanisms.noise.gaussian_losses import GaussianLosses
from discretion.mechanisms.noise.parameters import as_finite, as_positive
from discretion.mechanisms.noise.report_pairs import ClosedForm
from discretion.mechanisms.noise.subsampled_renyi import one_step
from discretion.mechanisms.noise.two_secret_measures import TwoLaws
from discretion.mechanisms.reporting import own_measures
from discretion.mechanisms.wire import Doubles, Encodable
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import Seed, random_source
from discretion.validation import as_count, as_indices, as_real

# Steps of a subsampled mechanism.
MAX_STEPS = 10**7

_ASYMPTOTE = "approximate: central limit theorem for many steps with a small rate"
_LARGEST_EXPONENT = 700.0


@dataclass(frozen=True)
class SubsampledGaussian(TwoLaws, Encodable):
    """DP-SGD: in each of T steps a record is sampled with probability q, and normal noise is added to the sum.

    The secret is the presence of one record in the data: 0 absent, 1 present. The observation is all T noisy sums,
    ``P = N(0, σ²)^T`` against ``Q = ((1-q) N(0, σ²) + q N(1, σ²))^T``.

    Parameters
    ----------
    sigma
        The noise multiplier σ > 0: the standard deviation of the noise over the clipping norm.
    rate
        The sampling rate q in (0, 1]: every record is sampled in every step independently of all else.
    steps
        T, from 1 to 10⁷.

    Raises
    ------
    TooLargeError
        If there are more than 10⁷ steps.

    Notes
    -----
    For any data, adding or removing one record leads to laws that are at most as far apart as this pair (Abadi et al.,
    Deep learning with differential privacy, CCS 2016; Zhu, Dong and Wang, Optimal accounting of differential privacy
    via characteristic function, AISTATS 2022). Most measures are closed forms for T = 1 or q = 1, else certified
    intervals whose bounds hold for this pair up to rounding.

    Examples
    --------
    >>> import discretion as dc
    >>> security = dc.bayes_security(SubsampledGaussian(sigma=1, rate=0.01, steps=1000))
    >>> round(security.value, 4), security.high - security.low < 1e-5
    (0.839, True)
    >>> round(SubsampledGaussian(sigma=1, rate=0.01, steps=1000).asymptotic_bayes_security().value, 4)
    0.8358
    """

    sigma: float
    rate: float
    steps: int

    def __post_init__(self) -> None:
        rate = as_real(self.rate, "rate")
        if not 0 < rate <= 1:
            raise InvalidValueError(f"rate must be in (0, 1], got {self.rate!r}")
        steps = as_count(self.steps, "steps", at_least=1)
        if steps > MAX_STEPS:
            raise TooLargeError(f"steps must be at most {MAX_STEPS:,}; got more")
        vars(self).update(sigma=as_positive(self.sigma, "sigma"), rate=rate, steps=steps)
        if not 0 < 1 / self.sigma / self.sigma < math.inf:
            raise InvalidValueError(f"1/sigma² must fit in a double, got a sigma of {self.sigma:g}")

    @property
    def epsilon(self) -> float:
        """The least ε for pure differential privacy, infinite: the likelihood ratio has no bound."""
        return math.inf

    @property
    def is_continuous(self) -> bool:
        """Whether observations are a continuum: yes."""
        return True

    def channel(self) -> Channel:
        """Raise an error, since a channel has finitely many observations."""
        raise no_channel_error(self)

    @property
    def furthest_pair(self) -> tuple[int, int]:
        """The two secrets: 0 if the record is absent from the data, 1 if it is present."""
        return 0, 1

    @property
    def losses(self) -> LossPair:
        """The privacy losses of all steps, with the record against without it, and without it against with it."""
        return self._losses

    @cached_property
    def _losses(self) -> LossPair:
        return LossPair.from_parts(((self._one_step, replace(self._one_step, backwards=True), self.steps),))

    def closed_form(self, reverse: bool) -> ClosedForm | None:
        """Return the closed form of one step, or of steps with rate 1, which are equivalent to one with less noise."""
        if self.rate == 1:
            return Gaussian(self.sigma / math.sqrt(self.steps))
        return replace(self._one_step, backwards=reverse) if self.steps == 1 else None

    def divergence(self, order: float, reverse: bool) -> float | Estimate:
        """Return the Rényi divergence of order > 0 of Q from P, or in reverse of P from Q: T times that of one step."""
        if self.rate == 1:
            return self.steps * Gaussian(self.sigma).renyi(order)
        return self.steps * one_step(self.sigma, self.rate, order, reverse)

    def asymptotic_bayes_security(self) -> Estimate:
        """Return the limit of β* for many steps with a small rate: an approximation, not a bound.

        ``2 Φ(-μ/2)`` with ``μ = q √(T (e^(1/σ²) - 1))``

        Returns
        -------
        Estimate
            The approximation, in the certified interval of the exact value, widened to contain the approximation.

        Notes
        -----
        Source: Bu, Dong, Long and Su, Deep learning with Gaussian differential privacy, 2020: by the central limit
        theorem the T steps are nearly one step of Gaussian noise. The approximation may be too high or too low;
        `discretion.bayes_security` has certified bounds.
        """
        exponent = 1 / self.sigma / self.sigma
        value = 0.0
        if exponent <= _LARGEST_EXPONENT:
            value = math.erfc(self.rate * math.sqrt(self.steps * math.expm1(exponent) / 8))
        exact = plan_bayes_security(self).compute()
        low, high = min(value, lowest(exact)), max(value, highest(exact))
        return Estimate(value, low, high, None, f"{_ASYMPTOTE}; interval: {self.algorithm.name}")

    def sample(self, values: ArrayLike, rng: Seed = None) -> Reals:
        """Return simulated noisy sums for data with the record (1) or without it (0).

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

        Notes
        -----
        For simulation: see `discretion.Gaussian` on noise in doubles.
        """
        array, source = as_indices(values, "values", 2), random_source(rng)
        size, shape = array.size * self.steps, (array.size, self.steps)
        taking_part = (source.random(size) < self.rate).reshape(shape)
        return array[:, None] * taking_part + Gaussian(self.sigma).noise(size, source).reshape(shape)

    @property
    def wire(self) -> Doubles:
        """The encoding of reports: a double for each step."""
        return Doubles(self.steps)

    def checked_reports(self, reports: ArrayLike) -> Reals:
        """Return the reports as rows of T finite numbers, or raise an error."""
        return as_finite(reports, "reports", self.steps)

    @property
    def _one_step(self) -> GaussianLosses:
        return GaussianLosses(1 / self.sigma, self.rate)


@plan_renyi.register
def renyi_of_subsampled_gaussian(system: SubsampledGaussian, order: float) -> Plan[float | Estimate]:
    """Plan the larger divergence: from order 1 on, that of Q from P (Mironov, Talwar and Zhang, 2019, Theorem 5)."""
    ways = (False,) if order >= 1 or system.rate == 1 else (False, True)
    method = Method("moments of the subsampled Gaussian (Mironov, Talwar and Zhang 2019)", "exact")
    return Plan(method, lambda: largest(system.divergence(order, reverse) for reverse in ways))


@own_measures.register
def _own_measures_of_subsampled_gaussian(
    system: SubsampledGaussian, users: int | None
) -> dict[str, Callable[[], Estimate]]:
    return {"asymptotic_bayes_security": system.asymptotic_bayes_security}
