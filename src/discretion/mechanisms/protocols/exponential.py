"""The exponential mechanism: an answer is the likelier the better it scores."""

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
        u: how good each answer is for each secret, shape ``(secrets, answers)``, finite.
    epsilon
        ε > 0: secrets whose scores differ by at most the sensitivity have answers that are ε-indistinguishable.
    sensitivity
        Δ > 0: by how much the score of an answer may change between two secrets that must not be told apart.

    Attributes
    ----------
    scores, level, sensitivity
        u, ε and Δ as given.

    Notes
    -----
    Source: McSherry and Talwar, Mechanism design via differential privacy, FOCS 2007. Its samples, and what can be
    estimated of them, are those of `discretion.ChannelMechanism`. The secrets need not all be within the sensitivity:
    `epsilon` is what holds of all of them, more than the one given if they are not and often less if they are.

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
            raise InvalidValueError("scores must not differ by more than a double holds, times epsilon/(2 sensitivity)")
        logs = exponents - np.log(np.exp(exponents).sum(axis=1, keepdims=True))
        # From the logarithms, so that what is too unlikely for a double does not count as impossible.
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
