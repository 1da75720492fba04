"""The convergence of an estimate of the Bayes risk as samples come in."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from discretion.blackbox.bayes_risk import classifier_and_errors
from discretion.blackbox.classifiers import Method, name_of
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import Seed
from discretion.validation import as_confidence


@dataclass(frozen=True)
class Convergence:
    """The estimates of the Bayes risk after each block of samples; all arrays have an entry for each block.

    Parameters
    ----------
    training_sizes
        The number of samples before the block, from which it was guessed.
    sizes
        The number of samples including the block.
    held_out_errors
        The share of wrong guesses in the block.
    low, high
        The interval for the Bayes risk from all samples so far; each interval holds with the confidence by itself, not
        all together.
    confidence
        The probability with which each interval contains the Bayes risk.
    method
        The name of the guesser.
    """

    training_sizes: Integers
    sizes: Integers
    held_out_errors: Reals
    low: Reals
    high: Reals
    confidence: float
    method: str

    def __repr__(self) -> str:
        ends = f"[{self.low[-1]:.4g}, {self.high[-1]:.4g}] after {self.sizes[-1]:,} samples"
        return f"Convergence(error in {ends}, confidence={self.confidence:g}, {self.method})"


def convergence(
    secrets: ArrayLike,
    observations: ArrayLike,
    confidence: float = 0.95,
    method: Method = "auto",
    rng: Seed = None,
) -> Convergence:
    """Return the convergence of the estimate of the Bayes risk: its held-out errors and intervals, block by block.

    The last interval is that of `estimate_bayes_risk` with the same seed.

    Parameters
    ----------
    secrets, observations, confidence, method, rng
        As in `estimate_bayes_risk`.

    Returns
    -------
    Convergence
        Its arrays have an entry for each block; every interval holds by itself, not all together. If the held-out error
        still falls at the end, more samples would lower the upper limit.

    Notes
    -----
    Source: the convergence plots of F-BLEAU (Cherubin, Chatzikokolakis and Palamidessi, S&P 2019, section V).

    Examples
    --------
    >>> curve = convergence([0, 1] * 500, [0, 1] * 500, rng=1)
    >>> curve.sizes[-1].item(), curve.held_out_errors[-1].item()
    (1000, 0.0)
    """
    sure = as_confidence(confidence)
    classifier, validation = classifier_and_errors(secrets, observations, method, rng)
    low, high = validation.limits(1 - sure)
    sizes = validation.known + validation.tested
    arrays = (validation.known, sizes, validation.errors / validation.tested, low, high)
    for array in arrays:
        array.flags.writeable = False
    return Convergence(*arrays, confidence=sure, method=name_of(classifier))
