"""The exponential mechanism: answers with better scores are more likely."""

import numpy as np
from numpy.typing import ArrayLike

from discretion.channels.channel import Channel
from discretion.errors import InvalidValueError
from discretion.measures.measure import Plan
from discretion.measures.privacy_loss.differential_privacy import EXTREMES, log_likelihoods, plan_ldp_epsilon
from discretion.mechanisms.noise.parameters import as_positive
from discretion.mechanisms.protocols.channel_mechanism import ChannelMechanism
from discretion.numerics.arrays import Reals
from discretion.validation import NotNumbersError, as_reals


class Exponential(ChannelMechanism):
    """The exponential mechanism over finitely many answers: ``P(o | s) ∝ exp(ε u(s, o) / (2Δ))``.

    Parameters
    ----------
    scores
        u: the score of each answer for each secret, shape ``(secrets, answers)``, finite.
    epsilon
        ε > 0: secrets whose scores differ by at most the sensitivity have answers that are ε-indistinguishable.
    sensitivity
        Δ > 0: the largest difference of an answer's scores for two secrets that must stay indistinguishable.

    Attributes
    ----------
    scores, level, sensitivity
        u, ε and Δ as given.

    Notes
    -----
    Source: McSherry and Talwar, Mechanism design via differential privacy, FOCS 2007. The sampler and the estimator are
    those of `discretion.ChannelMechanism`. The attribute `epsilon` holds for all pairs of secrets. It is often less
    than the given ε; it may be more if the scores of some secrets differ by more than the sensitivity.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism = Exponential([[2, 1, 0], [1, 2, 1], [0, 1, 2]], epsilon=1, sensitivity=2)
    >>> round(mechanism.epsilon, 6), round(dc.bayes_security(mechanism), 6)
    (0.5, 0.835046)
    """

    def __init__(self, scores: ArrayLike, epsilon: float, sensitivity: float = 1.0) -> None:
        try:
            array = as_reals(scores)
        except NotNumbersError:
            raise InvalidValueError("scores must be numbers, in rows of equal length") from None
        if array.ndim != 2 or 0 in array.shape or not np.isfinite(array).all():
            raise InvalidValueError(
                "scores must be a finite matrix with a row per secret and a column per answer, got an array of shape "
                f"{array.shape}" + ("" if np.isfinite(array).all() else " with entries that are not finite")
            )
        array.setflags(write=False)
        self.scores, self.level, self.sensitivity = (
            array, as_positive(epsilon, "epsilon"), as_positive(sensitivity, "sensitivity")
        )  # fmt: skip
        rate = self.level / self.sensitivity / 2
        with np.errstate(over="ignore", invalid="ignore"):
            exponents = (array - array.max(axis=1, keepdims=True)) * rate
        if not np.isfinite(exponents).all():
            raise InvalidValueError("differences of scores, times epsilon/(2 sensitivity), must fit in a double")
        logs = exponents - np.log(np.exp(exponents).sum(axis=1, keepdims=True))
        # From the logarithms, so that an answer too unlikely for a double does not count as impossible.
        self.log_likelihoods = logs
        super().__init__(Channel(np.exp(logs)))

    @property
    def epsilon(self) -> float:
        """The least ε for which the mechanism is ε-locally differentially private."""
        return float((self.log_likelihoods.max(axis=0) - self.log_likelihoods.min(axis=0)).max())

    def __repr__(self) -> str:
        secrets, answers = self.channel().shape
        return f"Exponential({secrets} secrets × {answers} answers, epsilon={self.epsilon:g})"


@plan_ldp_epsilon.register
def _ldp_epsilon_of_exponential(system: Exponential) -> Plan[float]:
    return Plan(EXTREMES, lambda: system.epsilon)


@log_likelihoods.register
def _log_likelihoods_of_exponential(system: Exponential) -> Reals:
    return system.log_likelihoods
