"""Mechanisms that add random noise to a number: the laws of the observation for the two furthest values."""

import math
from abc import abstractmethod
from functools import singledispatch

import numpy as np
from numpy.typing import ArrayLike

from discretion.channels.channel import Channel, Composable, System
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.measures.measure import Method
from discretion.measures.privacy_loss.losses import LatticeLosses, Losses
from discretion.mechanisms.noise.parameters import LARGEST_INTEGER, as_finite, as_whole
from discretion.mechanisms.reporting import Reporting, reporting
from discretion.mechanisms.wire import Doubles, Encodable, SignedNumbers
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import RandomSource, Seed, random_source
from discretion.validation import as_order, as_real


class AdditiveNoise(Encodable, Composable):
    """Noise added to a number: the same symmetric, log-concave law, shifted by the value.

    It protects any two values at most ``sensitivity`` apart. Of these, 0 and the sensitivity are easiest to
    distinguish, and by Bayes-sec's Theorem 1 no prior on more values is worse than the uniform one on these two. A
    subclass computes the excess of their laws P and Q over each other; all measures of the pair follow from it.
    """

    algorithm: Method

    @property
    @abstractmethod
    def secrets(self) -> int:
        """The number of values of the secret."""

    @property
    @abstractmethod
    def is_continuous(self) -> bool:
        """Whether observations are a continuum, so that there is no explicit channel."""

    @property
    @abstractmethod
    def furthest_pair(self) -> tuple[float, float]:
        """The two secrets that are easiest to distinguish."""

    @property
    @abstractmethod
    def losses(self) -> Losses:
        """The privacy loss between the two furthest secrets, in either direction, from which all leakage follows."""

    @abstractmethod
    def channel(self) -> Channel:
        """Return the explicit channel, or raise an error that shows why there is none."""

    @abstractmethod
    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, P - e^ε Q)`` for ε >= 0."""

    @abstractmethod
    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(P, e^ε Q) = 1 - excess(ε)`` for ε >= 0, with full relative precision where it is small."""

    @abstractmethod
    def renyi(self, order: float) -> float:
        """Return the Rényi divergence of P and Q of an order > 0, infinity included."""

    def hockey_stick(self, epsilon: float) -> float:
        """Return the least δ for which the mechanism is (ε, δ)-differentially private: ``∫ max(0, P - e^ε Q)``.

        Parameters
        ----------
        epsilon
            ε of any sign; infinity is fine.

        Returns
        -------
        float
            In [0, 1]: the divergence between the laws of the two furthest values, the same in either direction.
        """
        level = as_real(epsilon, "epsilon")
        if level < 0:  # ∫ max(0, P - Q/t) = 1 - 1/t + ∫ max(0, Q - tP)/t, and the pair is symmetric
            return -math.expm1(level) + math.exp(level) * self.excess(-level)
        return min(1.0, self.excess(level))

    def renyi_divergence(self, order: float) -> float:
        """Return the Rényi divergence between the two furthest values, in nats.

        Parameters
        ----------
        order
            α > 0, infinity included; 1 is the Kullback-Leibler divergence.
        """
        return self.renyi(as_order(order))


class ContinuousNoise(AdditiveNoise):
    """Noise with a density. Its secrets are the two values 0 and ``sensitivity``, its observations all real numbers.

    A subclass also defines `reach` and `smoothness_length`, which integrals of its `excess` need.
    """

    sensitivity: float

    @property
    @abstractmethod
    def reach(self) -> float:
        """The ε from which on `excess` is 0, or negligible next to its value at 0."""

    @property
    @abstractmethod
    def smoothness_length(self) -> float:
        """The length over which `excess` changes by at most a constant factor, in the complex plane, too."""

    @property
    def is_continuous(self) -> bool:
        """Whether observations are a continuum: yes."""
        return True

    @property
    def secrets(self) -> int:
        """The number of secrets, 2: the values 0 and ``sensitivity``, which are easiest to distinguish."""
        return 2

    @property
    def furthest_pair(self) -> tuple[float, float]:
        """The values 0 and ``sensitivity``."""
        return 0.0, self.sensitivity

    def channel(self) -> Channel:
        """Raise an error, since a channel has finitely many observations."""
        raise no_channel_error(self)

    @abstractmethod
    def excesses(self, epsilons: Reals) -> Reals:
        """Return `excess` at many ε."""

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, P - e^ε Q)`` for ε >= 0."""
        return float(self.excesses(np.array([epsilon]))[0])

    @abstractmethod
    def noise(self, size: int, source: RandomSource) -> Reals:
        """Return ``size`` independent draws of the noise."""

    def sample(self, values: ArrayLike, rng: Seed = None) -> Reals:
        """Return each person's value with noise added, in floating-point numbers.

        Parameters
        ----------
        values
            Finite numbers, shape ``(n,)``; the guarantee covers any two values at most ``sensitivity`` apart.
        rng
            A generator or a seed for simulation; None draws from the operating system's CSPRNG.

        Returns
        -------
        numpy.ndarray
            Shape ``(n,)``.

        Notes
        -----
        For simulation, not for release: the sums of a value and noise in doubles are only some of the real numbers.
        These depend on the value, and can give it away (Mironov, On significance of the least significant bits for
        differential privacy, CCS 2012). For a deployment, add `discretion.Geometric` or `discretion.DiscreteGaussian`
        noise to whole numbers.
        """
        array = as_finite(values, "values")
        return array + self.noise(array.size, random_source(rng))

    @property
    def wire(self) -> Doubles:
        """The encoding of reports: a double, 8 bytes."""
        return Doubles()

    def checked_reports(self, reports: ArrayLike) -> Reals:
        """Return the reports as finite numbers in one row, or raise an error."""
        return as_finite(reports, "reports")


class IntegerNoise(AdditiveNoise):
    """Noise whose values are whole numbers."""

    sensitivity: int

    @property
    def is_continuous(self) -> bool:
        """Whether observations are a continuum: no."""
        return False

    @property
    @abstractmethod
    def losses(self) -> LatticeLosses:
        """The privacy loss between the two furthest values."""

    @property
    def furthest_pair(self) -> tuple[int, int]:
        """The values 0 and ``sensitivity``."""
        return 0, self.sensitivity

    @abstractmethod
    def noise(self, size: int, source: RandomSource) -> Integers:
        """Return ``size`` independent draws of the noise."""

    def sample(self, values: ArrayLike, rng: Seed = None) -> Integers:
        """Return each person's value with noise added, in whole numbers.

        Parameters
        ----------
        values
            Whole numbers up to 2⁵³ in size, shape ``(n,)``; the guarantee covers any two values at most ``sensitivity``
            apart.
        rng
            A generator or a seed for simulation; None draws from the operating system's CSPRNG, as a client must.

        Returns
        -------
        numpy.ndarray
            Shape ``(n,)``.
        """
        array = as_whole(values, "values")
        wrong = array[(array > LARGEST_INTEGER) | (array < -LARGEST_INTEGER)]
        if wrong.size:
            raise InvalidValueError(f"values must be at most 2^53 in size, got {wrong[0]}")
        return array + self.noise(array.size, random_source(rng))

    @property
    def wire(self) -> SignedNumbers:
        """The encoding of reports: a whole number of 64 bits, in two's complement, which the noise cannot exceed."""
        return SignedNumbers()

    def checked_reports(self, reports: ArrayLike) -> Integers:
        """Return the reports as whole numbers of 64 bits in one row, or raise an error."""
        return as_whole(reports, "reports")


@singledispatch
def noise_on_two_values(system: System) -> AdditiveNoise | None:
    """Return the system itself if it adds noise to one of two values and has many reports or a continuum of them."""
    return None


@noise_on_two_values.register
def _noise_with_a_density(system: ContinuousNoise) -> AdditiveNoise:
    return system


@reporting.register
def _reporting_of_continuous_noise(system: ContinuousNoise) -> Reporting:
    raise UnsupportedError(
        f"{system!r} has a continuum of reports. In a crowd seen by discretion.WorstAllButOne() these measures take "
        f"it: {MEASURES_OF_CROWDS}. For other measures and adversaries, sort continuous reports into bins and give "
        "their discretion.Channel"
    )


def no_report_types_error(system: object) -> UnsupportedError:
    """Return the error for a continuum of reports where finitely many are needed."""
    return UnsupportedError(
        f"{system!r} has a continuum of reports, and a shuffler needs finitely many; sort continuous reports into bins "
        "and give their discretion.Channel"
    )


# The measures that take any system of two secrets, and those that take reports of many secrets together with noise.
MEASURES_OF_TWO = (
    "bayes_security, posterior_vulnerability, bayes_risk, mutual_information, multiplicative_bayes_capacity, "
    "privacy_profile, dp_epsilon, renyi_dp, tradeoff"
)
MEASURES_OF_CROWDS = "bayes_security, privacy_profile, dp_epsilon, ldp_epsilon"
MEASURES_OF_PAIRS = "bayes_security, privacy_profile, dp_epsilon, ldp_epsilon, renyi_dp, tradeoff"


def no_channel_error(system: object, measures: str = MEASURES_OF_TWO) -> UnsupportedError:
    """Return the error for a continuous mechanism without an explicit channel, with the measures that it has."""
    return UnsupportedError(
        f"{system!r} has a continuum of observations and no explicit channel; these measures take it: {measures}; "
        "discretion.Geometric and discretion.DiscreteGaussian have channels"
    )
