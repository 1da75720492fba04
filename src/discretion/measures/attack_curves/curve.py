"""The result of `discretion.tradeoff`: the true positives of the best attacks at every rate of false positives."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import overload

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, as_answer, highest, mapped
from discretion.measures.attack_curves.best_tests import BestTests, compose_tests
from discretion.measures.privacy_loss.differential_privacy import confirm_inverse, name_of_epsilon
from discretion.notebook import Chartable, Tabular
from discretion.numerics.elementwise import Answer, Answers, Levels, elementwise
from discretion.validation import as_epsilon, as_probability

# The rounding error of the δ of a curve with corners.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class AttackCurve(Tabular, Chartable):
    """The least false negatives of any test at every rate of false positives: the trade-off function of f-DP.

    `discretion.tradeoff`, `discretion.security.tradeoff_of_dp` and `discretion.security.tradeoff_of_bayes_security`
    return it, and, from samples, `discretion.blackbox.estimate_tradeoff`. Its methods return a float where the result
    is exact, else an `Estimate`. For a list or an array they return an array of the same shape: of floats where every
    result is exact, else of objects.

    Parameters
    ----------
    tests
        The best tests.
    pair
        The labels of two secrets: a false positive accuses the first, a false negative misses the second. None for the
        curve of all pairs.
    note
        A remark for the reader of the curve, such as that another use of the same scores finds more; None for none.

    Examples
    --------
    >>> import discretion as dc
    >>> curve = dc.tradeoff(dc.Channel([[0.75, 0.25], [0.25, 0.75]]))
    >>> curve.at(0.25), curve.at(0.5), curve.advantage, round(curve.epsilon(0), 6)
    (0.25, 0.16666666666666669, 0.5, 1.098612)
    """

    tests: BestTests
    pair: tuple[Hashable, Hashable] | None = None
    note: str | None = None

    def __repr__(self) -> str:
        whose = "all pairs" if self.pair is None else "{!r} against {!r}".format(*self.pair)
        return f"AttackCurve({whose}, {self.tests.description}" + (f", note={self.note!r})" if self.note else ")")

    @overload
    def at(self, false_positive_rate: float) -> Answer: ...
    @overload
    def at(self, false_positive_rate: Levels) -> Answers: ...
    def at(self, false_positive_rate: float | Levels) -> Answer | Answers:
        """Return the least rate of false negatives with this rate of false positives: ``f(α)``.

        Parameters
        ----------
        false_positive_rate
            α in [0, 1].
        """
        return elementwise(lambda rate: self.tests.misses(_as_rate(rate)), false_positive_rate)

    @overload
    def true_positive_rate(self, false_positive_rate: float) -> Answer: ...
    @overload
    def true_positive_rate(self, false_positive_rate: Levels) -> Answers: ...
    def true_positive_rate(self, false_positive_rate: float | Levels) -> Answer | Answers:
        """Return the largest rate of true positives with this rate of false positives: ``1 - f(α)``.

        Parameters
        ----------
        false_positive_rate
            α in [0, 1].

        Notes
        -----
        At α = 0.1 % or less it is the usual measure of membership inference (Carlini and others, IEEE S&P 2022).
        """
        return elementwise(lambda rate: self.tests.hits(_as_rate(rate)), false_positive_rate)

    @overload
    def precision(self, prior: float, false_positive_rate: float) -> Answer: ...
    @overload
    def precision(self, prior: Levels, false_positive_rate: float | Levels) -> Answers: ...
    @overload
    def precision(self, prior: float, false_positive_rate: Levels) -> Answers: ...
    def precision(self, prior: float | Levels, false_positive_rate: float | Levels) -> Answer | Answers:
        """Return the largest share of correct accusations among all accusations: ``π TPR / (π TPR + (1-π) α)``.

        Parameters
        ----------
        prior
            π in [0, 1]: the share of true cases among all tested cases, such as the share of members.
        false_positive_rate
            α in [0, 1].

        Examples
        --------
        >>> import discretion as dc
        >>> round(dc.tradeoff(dc.Gaussian(sigma=1)).precision(prior=0.01, false_positive_rate=0.001), 4)
        0.156
        """
        return elementwise(self._precision, prior, false_positive_rate)

    def _precision(self, prior: float, false_positive_rate: float) -> float | Estimate:
        share, rate = as_probability(prior, "prior"), _as_rate(false_positive_rate)
        true_positives = self.tests.hits(rate)
        if share * float(true_positives) + (1 - share) * rate <= 0:
            raise InvalidValueError(
                "a test with this rate of false positives and this prior accuses nobody, so that precision is not "
                "defined; take a larger rate or prior"
            )

        def precision(hits: float) -> float:
            right = share * hits
            return right / (right + (1 - share) * rate) if right > 0 else 0.0

        return mapped(true_positives, precision)

    @property
    def advantage(self) -> Answer:
        """The largest ``1 - α - f(α)``: true minus false positives of the best test, the total variation."""
        return as_answer(self.tests.excess(0.0))

    @property
    def bayes_security(self) -> Answer:
        """The least ``α + f(α)``: β*, one minus the advantage, in full relative precision."""
        return as_answer(self.tests.overlap)

    @overload
    def delta(self, epsilon: float) -> Answer: ...
    @overload
    def delta(self, epsilon: Levels) -> Answers: ...
    def delta(self, epsilon: float | Levels) -> Answer | Answers:
        """Return the least δ of (ε, δ)-differential privacy: ``max_α 1 - f(α) - e^ε α``, in the worse direction.

        Parameters
        ----------
        epsilon
            ε >= 0; infinity is fine.
        """
        return elementwise(lambda level: self.tests.excess(as_epsilon(level)), epsilon)

    @overload
    def epsilon(self, delta: float) -> Answer: ...
    @overload
    def epsilon(self, delta: Levels) -> Answers: ...
    def epsilon(self, delta: float | Levels) -> Answer | Answers:
        """Return the least ε >= 0 of (ε, δ)-differential privacy.

        Parameters
        ----------
        delta
            δ in [0, 1].

        Raises
        ------
        InternalError
            If the δ at that ε is larger than the one given.
        """
        return elementwise(lambda level: self._epsilon(as_probability(level, "delta")), delta)

    def _epsilon(self, delta: float) -> float | Estimate:
        epsilon = self.tests.epsilon(delta)
        question = name_of_epsilon(self, delta)
        return confirm_inverse(epsilon, highest(epsilon), self.tests.excess, delta + _ROUNDING, question)

    def gaussian_mu(self, least_rate: float = 0.0) -> Answer:
        """Return the least μ of Gaussian differential privacy: the curve is nowhere below ``G_μ(α) = Φ(Φ⁻¹(1-α) - μ)``.

        Parameters
        ----------
        least_rate
            A rate in [0, ½) that replaces all smaller rates of false positives and negatives: the result is the least μ
            for which ``G_μ(α) <= max(f(α), least_rate)`` at all α of at least this rate. At 0 many curves have no
            finite μ.

        Returns
        -------
        float or Estimate
            At least 0; infinite if some observation, however rare, gives everything away.

        Notes
        -----
        Source: Dong, Roth and Su, Gaussian differential privacy, JRSS B 2022, Definition 2.6.

        Examples
        --------
        >>> import discretion as dc
        >>> dc.tradeoff(dc.Gaussian(sigma=2)).gaussian_mu()
        0.5
        """
        least = as_probability(least_rate, "least_rate")
        if least >= 0.5:
            raise InvalidValueError(f"least_rate must be in [0, 0.5), got {least_rate!r}")
        return as_answer(self.tests.normal_shift(least))

    def compose(self, other: "AttackCurve") -> "AttackCurve":
        """Return the curve of an adversary who sees both observations of the same two secrets: ``f ⊗ g``.

        For two curves of all pairs the result is a lower bound on the false negatives of any test, for any pair of
        secrets (Dong, Roth and Su, Theorem 3.2).

        Parameters
        ----------
        other
            A curve with corners: of a channel, a crowd, discrete noise, a guarantee or samples, or a certified band.

        Raises
        ------
        UnsupportedError
            If one of the curves is smooth, such as that of Gaussian noise.
        TooLargeError
            If the composed curve has too many corners.

        Examples
        --------
        >>> import discretion as dc
        >>> once = dc.tradeoff(dc.RandomizedResponse(2, epsilon=1))
        >>> twice = dc.tradeoff(dc.repeated(dc.RandomizedResponse(2, epsilon=1), 2))
        >>> abs(once.compose(once).at(0.01) - twice.at(0.01)) < 1e-12
        True
        """
        pair = self.pair if self.pair == other.pair else None
        return AttackCurve(compose_tests(self.tests, other.tests), pair)


def _as_rate(rate: float) -> float:
    return as_probability(rate, "false_positive_rate")
