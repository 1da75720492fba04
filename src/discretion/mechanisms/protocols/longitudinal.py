"""Longitudinal protocols: a client randomizes its value once, and randomizes that report again in every round.

The report of the first step is permanent: the client memoizes it, and randomizes it again in each round (Erlingsson,
Pihur and Korolova, RAPPOR, CCS 2014). So an observer of all rounds learns at most the permanent report. The rounds are
not independent given the value, only given the permanent report.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from discretion.channels.channel import Channel, System
from discretion.channels.composition.products import plan_parallel
from discretion.channels.composition.repeated import plan_repeated
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.mechanisms.mechanism import Reports
from discretion.mechanisms.protocols.memoized_rounds import (
    MemoizedBits,
    MemoizedResponses,
    MemoizedRounds,
    refuse_fresh_randomness,
    refuse_shuffled_rounds,
)
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.unary_encoding import UnaryEncoding
from discretion.mechanisms.reporting import Reporting, reporting
from discretion.numerics.draws import Seed, coin_flips, generator, random_source
from discretion.validation import as_count, as_crowd, as_real

# With permanent losses beyond this, a double has too few digits for rare events.
_MAX_EPSILON = 600.0


@dataclass(frozen=True, eq=False)
class Longitudinal:
    """A client's protocol for several rounds: a permanent report of its value, randomized again in each round.

    Parameters
    ----------
    permanent
        The first step, whose report the client memoizes: a `discretion.UnaryEncoding` or a
        `discretion.RandomizedResponse`, with a finite ε, at most 600.
    instantaneous
        The second step, which the client draws again in each round: of the same kind, with the same number of values
        and a finite ε above 0. For unary encoding, a permanent 1 is reported as 1 with probability κ, a permanent 0
        with λ.

    Notes
    -----
    `rappor`, `osue`, `oue` and `grr` compute the second step from the ε of all rounds and that of one report.
    RAPPOR with its published parameters f, p and q is ``Longitudinal(UnaryEncoding(k, 1 - f/2, f/2),
    UnaryEncoding(k, q, p))``. Source: Erlingsson, Pihur and Korolova, RAPPOR, CCS 2014; Arcolezi, Couchot, Al Bouna and
    Xiao, Improving the utility of locally differentially private protocols for longitudinal and multidimensional
    frequency estimates, 2022.

    Examples
    --------
    >>> import discretion as dc
    >>> protocol = Longitudinal.rappor(100, permanent_epsilon=2, first_epsilon=1)
    >>> [round(dc.ldp_epsilon(protocol.rounds(t)), 6) for t in (1, 10, 100, math.inf)]
    [1.0, 1.999965, 2.0, 2.0]
    """

    permanent: UnaryEncoding | RandomizedResponse
    instantaneous: UnaryEncoding | RandomizedResponse

    def __post_init__(self) -> None:
        self._rounds(1)  # refuses steps of two kinds
        if self.permanent.k != self.instantaneous.k:
            raise InvalidValueError(
                f"both steps must have the same number of values, got {self.permanent.k:,} and {self.instantaneous.k:,}"
            )
        if not self.permanent.epsilon <= _MAX_EPSILON or not 0 < self.instantaneous.epsilon < math.inf:
            raise InvalidValueError(
                f"the permanent step must have an epsilon of at most {_MAX_EPSILON:g}, and the instantaneous one a "
                f"finite epsilon above 0; got {self.permanent.epsilon:g} and {self.instantaneous.epsilon:g}"
            )

    @classmethod
    def rappor(cls, k: int, permanent_epsilon: float, first_epsilon: float) -> "Longitudinal":
        """Return RAPPOR with two steps (L-SUE): both treat ones and zeros symmetrically.

        The second step keeps a bit with probability ``(1 + tanh(ε_1/4) / tanh(ε_∞/4)) / 2``.

        Parameters
        ----------
        k
            Number of values, at least 2.
        permanent_epsilon
            The privacy parameter ε_∞ of any number of rounds, at most 600.
        first_epsilon
            The privacy parameter ε_1 of one report, above 0 and below ε_∞.

        Examples
        --------
        >>> Longitudinal.rappor(100, permanent_epsilon=2, first_epsilon=1).instantaneous
        UnaryEncoding(k=100, kappa=0.764996, lam=0.235004)
        """
        total, first = _checked_epsilons(permanent_epsilon, first_epsilon)
        return cls(UnaryEncoding.rappor(k, total), _symmetric(k, total / 4, first / 4))

    @classmethod
    def osue(cls, k: int, permanent_epsilon: float, first_epsilon: float) -> "Longitudinal":
        """Return L-OSUE: the first step is optimized unary encoding, the second treats ones and zeros symmetrically.

        One report has the law of `UnaryEncoding.oue` with ε_1; the second step keeps a bit with probability
        ``(1 + tanh(ε_1/2) / tanh(ε_∞/2)) / 2``.

        Parameters
        ----------
        k, permanent_epsilon, first_epsilon
            As for `rappor`.

        Examples
        --------
        >>> round(Longitudinal.osue(100, permanent_epsilon=2, first_epsilon=1).instantaneous.kappa, 6)
        0.803388
        """
        total, first = _checked_epsilons(permanent_epsilon, first_epsilon)
        return cls(UnaryEncoding.oue(k, total), _symmetric(k, total / 2, first / 2))

    @classmethod
    def oue(cls, k: int, permanent_epsilon: float, first_epsilon: float) -> "Longitudinal":
        """Return L-OUE: both steps are optimized unary encoding, whose ones stay 1 with probability 1/2.

        Parameters
        ----------
        k, permanent_epsilon, first_epsilon
            As for `rappor`, but ε_1 is below ``log((2 e^ε_∞ + 1) / 3)``, since above it no second step has κ = 1/2.

        Examples
        --------
        >>> round(Longitudinal.oue(100, permanent_epsilon=2, first_epsilon=1).instantaneous.lam, 6)
        0.080937
        """
        total, first = _checked_epsilons(permanent_epsilon, first_epsilon)
        permanent = UnaryEncoding.oue(k, total)
        lam = permanent.lam
        most = math.log1p(2 * math.expm1(total) / 3)
        if first >= most:
            raise InvalidValueError(
                f"first_epsilon must be below {most:.6g} for L-OUE with permanent_epsilon = {total:g}, got "
                f"{first_epsilon!r}; take a smaller first_epsilon, or Longitudinal.osue"
            )
        # The smaller root of a q² - 2 b q + c = 0, by which one report has ε_1; all divided by e^ε_1.
        a = (1 - lam) * -math.expm1(-first)
        b = permanent.gap - math.expm1(-first) / 4
        c = 0.75 * lam * math.expm1(most - first)
        return cls(permanent, UnaryEncoding(k, 0.5, c / (b + math.sqrt(b * b - a * c))))

    @classmethod
    def grr(cls, k: int, permanent_epsilon: float, first_epsilon: float) -> "Longitudinal":
        """Return L-GRR: both steps are k-ary randomized response.

        The second step has ``e^ε_2 = 1 + (e^ε_1 - 1)(e^ε_∞ + k - 1) / (e^ε_∞ - e^ε_1)``.

        Parameters
        ----------
        k, permanent_epsilon, first_epsilon
            As for `rappor`.

        Examples
        --------
        >>> round(Longitudinal.grr(100, permanent_epsilon=2, first_epsilon=1).instantaneous.epsilon, 6)
        3.692332
        """
        total, first = _checked_epsilons(permanent_epsilon, first_epsilon)
        permanent = RandomizedResponse(k, total)
        odds = (1 + (permanent.k - 1) * math.exp(-total)) / -math.expm1(first - total)
        return cls(permanent, RandomizedResponse(k, math.log1p(math.expm1(first) * odds)))

    @property
    def k(self) -> int:
        """The number of values."""
        return self.permanent.k

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.k

    @cached_property
    def one_report(self) -> UnaryEncoding | RandomizedResponse:
        """The report of one round, as an ordinary mechanism with its estimator, its variance and its ε_1.

        It does not describe several rounds of the same client, which share the permanent report.
        """
        return self._rounds(1).one_report

    def rounds(self, t: float) -> "MemoizedRounds":
        """Return the system of an observer of all reports of one client in t rounds with the same value.

        Parameters
        ----------
        t
            Number of rounds, at least 1; `math.inf` is the permanent report itself.

        Returns
        -------
        MemoizedRounds
            A system for all measures. Those of two values, such as `discretion.ldp_epsilon`,
            `discretion.bayes_security`, `discretion.privacy_profile` and `discretion.tradeoff`, and the best guess
            with a uniform prior take any k. The others use the explicit channel, or symmetry where it is too large.

        Examples
        --------
        >>> import discretion as dc
        >>> protocol = Longitudinal.grr(5, permanent_epsilon=2, first_epsilon=1)
        >>> [round(dc.posterior_vulnerability(protocol.rounds(t)), 6) for t in (1, 5, math.inf)]
        [0.40461, 0.533515, 0.648786]
        """
        return self._rounds(math.inf if t == math.inf else as_crowd(t, "rounds"))

    def _rounds(self, t: float) -> MemoizedBits | MemoizedResponses:
        first, second = self.permanent, self.instantaneous
        if isinstance(first, UnaryEncoding) and isinstance(second, UnaryEncoding):
            return MemoizedBits(first, second, t)
        if isinstance(first, RandomizedResponse) and isinstance(second, RandomizedResponse):
            return MemoizedResponses(first, second, t)
        raise UnsupportedError(
            "both steps must be of unary encoding, or both of randomized response; got "
            f"{type(first).__name__} and {type(second).__name__}"
        )

    def sample(self, values: ArrayLike, rounds: int, rng: Seed = None) -> Reports:
        """Return all reports of several rounds, each client's from one permanent report.

        Parameters
        ----------
        values
            Whole numbers in ``0..k-1``, shape ``(n,)``.
        rounds
            Number of rounds, at least 1.
        rng
            A generator or a seed for simulation; None draws from the operating system's CSPRNG, as a client must.

        Returns
        -------
        numpy.ndarray
            Shape ``(rounds, n)``, or ``(rounds, n, k)`` for unary encoding.

        Examples
        --------
        >>> protocol = Longitudinal.osue(3, permanent_epsilon=2, first_epsilon=1)
        >>> protocol.sample([0, 2, 2, 1], rounds=5, rng=1).shape
        (5, 4, 3)
        """
        count = as_count(rounds, "rounds", at_least=1)
        source = None if rng is None else generator(rng)
        memoized, step = self.permanent.sample(values, source), self.instantaneous
        if isinstance(step, RandomizedResponse):
            return np.stack([step.sample(memoized, source) for _ in range(count)])
        flips = random_source(source)

        def report() -> Reports:
            ones = coin_flips(step.kappa, step.not_kappa, memoized.size, flips)
            zeros = coin_flips(step.lam, step.not_lam, memoized.size, flips)
            return np.where(memoized == 1, ones.reshape(memoized.shape), zeros.reshape(memoized.shape))

        return np.stack([report() for _ in range(count)])

    def channel(self) -> Channel:
        """Raise an error that names the systems of one round and of several rounds."""
        raise UnsupportedError(
            "a Longitudinal protocol has a channel for a number of rounds only; take .one_report for the report of one "
            "round, or .rounds(t) for all reports of t rounds"
        )

    def __repr__(self) -> str:
        return f"Longitudinal({self.permanent!r}, {self.instantaneous!r})"


def _checked_epsilons(permanent_epsilon: float, first_epsilon: float) -> tuple[float, float]:
    total, first = as_real(permanent_epsilon, "permanent_epsilon"), as_real(first_epsilon, "first_epsilon")
    if not 0 < total <= _MAX_EPSILON:
        raise InvalidValueError(
            f"permanent_epsilon must be above 0 and at most {_MAX_EPSILON:g}, got {permanent_epsilon!r}"
        )
    if not 0 < first < total:
        raise InvalidValueError(
            f"first_epsilon must be above 0 and below permanent_epsilon = {total:g}, got {first_epsilon!r}; a client "
            "that sends its permanent report in every round needs no second step"
        )
    return total, first


def _symmetric(k: int, total: float, first: float) -> UnaryEncoding:
    """Return the second step that keeps a bit with probability ``p = (1 + tanh(first)/tanh(total)) / 2``."""
    # p/(1-p) = sinh(total + first) / sinh(total - first)
    odds = 2 * math.cosh(total) * math.sinh(first) / math.sinh(total - first)
    return UnaryEncoding.rappor(k, 2 * math.log1p(odds))


@plan_repeated.register
def _repeated_of_longitudinal(system: Longitudinal, n: int) -> System:
    refuse_fresh_randomness()


@plan_parallel.register
def _parallel_of_longitudinal(first: Longitudinal, second: System) -> System | None:
    refuse_fresh_randomness()


@reporting.register
def _reporting_of_longitudinal(system: Longitudinal) -> Reporting:
    refuse_shuffled_rounds()
