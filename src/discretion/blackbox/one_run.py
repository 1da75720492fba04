"""A lower bound on the ε of a program, from a single run on data that contains some of many canaries."""

import math

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Booleans, Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.laws.binomial import binomial_pmf, multinomial_pmf
from discretion.validation import NotNumbersError, as_confidence, as_count, as_probability, as_reals

# Beyond this a wrong guess has a smaller probability than one over the largest number of guesses.
_LARGEST, _HALVINGS = 40.0, 44


def estimate_epsilon_in_one_run(  # noqa: PLR0917 - which canaries are guessed, and what for
    scores: ArrayLike,
    included: ArrayLike,
    delta: float,
    guessed_in: int,
    guessed_out: int,
    confidence: float = 0.95,
) -> Estimate:
    """Return a lower bound on the ε at which a program is (ε, δ)-private for each of its canaries, from a single run.

    ``P(at least v of r guesses correct) <= P(W >= v) + m δ/(1 + e^ε) · mean_{j<r} max_k P(W_j = k)``, where W is
    binomial with r trials and W_j with j trials, all with probability ``e^ε/(1 + e^ε)``

    Parameters
    ----------
    scores
        A score for each canary, shape ``(m,)``, which is higher if the program's output suggests that the canary was in
        its data, such as the negative loss of a trained model on it.
    included
        Whether each canary was in the data, shape ``(m,)``.
    delta
        δ of the claim, in [0, 1].
    guessed_in, guessed_out
        The number of canaries with the highest scores that are guessed to be in the data, and of those with the lowest
        that are guessed to be out; the others are not guessed. Choose both before you look at ``included``.
    confidence
        The probability with which the bound holds, in (0, 1).

    Returns
    -------
    Estimate
        One-sided: ``low`` and ``value`` are the bound, in nats, 0 if the run gives no evidence; ``high`` is infinite.
        The bound depends on the assumption in ``assuming``.

    Raises
    ------
    InvalidValueError
        If ``guessed_in`` plus ``guessed_out`` exceeds the number of canaries.

    Notes
    -----
    Source: Steinke, Nasr and Jagielski, Privacy Auditing with One (1) Training Run, NeurIPS 2023, Theorem 5.2, for
    δ = 0. Their term for δ, ``2 m δ max_i P(v - i <= W < v)/i``, is mostly larger, and too small for some v below the
    mean of W. The term here is proved in the source code, and is tight if all guesses have to be correct.

    The bound holds under three conditions. A separate fair coin decided for each canary whether it was in the data. The
    rest of the data, the program's randomness and the scores are independent of these coins, except through the
    program's output. Data with and without a canary are neighbors. A program that hides its canaries may still give
    away other records.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> included = rng.integers(2, size=1000) > 0
    >>> scores = included + rng.laplace(scale=0.5, size=1000)                   # 2-differentially private of each
    >>> estimate_epsilon_in_one_run(scores, included, delta=0, guessed_in=300, guessed_out=300).low > 1.5
    True
    """
    level, sure = as_probability(delta, "delta"), as_confidence(confidence)
    values, inside = _canaries(scores, included)
    highest, lowest = as_count(guessed_in, "guessed_in", at_least=0), as_count(guessed_out, "guessed_out", at_least=0)
    guesses = highest + lowest
    if guesses > values.size:
        raise InvalidValueError(
            f"guessed_in plus guessed_out must be at most the number of canaries, {values.size}; got {highest} and "
            f"{lowest}"
        )
    order = np.argsort(values, kind="stable")
    right = int(np.count_nonzero(~inside[order[:lowest]]) + np.count_nonzero(inside[order[values.size - highest :]]))

    def refuted(epsilon: Reals) -> bool:
        return _chance(right, guesses, values.size, float(epsilon), level) <= 1 - sure

    bound = float(bisected(refuted, 0.0, _LARGEST, _HALVINGS)[0])
    method = f"{right:,} of {guesses:,} guesses correct, {values.size:,} canaries (Steinke et al. 2023)"
    return Estimate(bound, bound, math.inf, sure, method, "a separate fair coin decided on each canary")


def _chance(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """Return an upper bound on the probability of ``right`` or more correct guesses for any (ε, δ)-private program.

    Reveal the coins of the guessed canaries one by one, given all guesses t. The next guess is correct with probability
    ``a/(a + b)``, where a and b are the probabilities of t if it is correct and if it is wrong. This is at most
    ``p + F``, where ``p = e^ε/(1 + e^ε)`` and ``F = max(0, a - e^ε b)/((a + b)(1 + e^ε))``. If j guesses follow, each
    correct with probability p, then F increases the probability of this number of correct guesses by F times the
    probability that exactly the missing ones of these are correct. This is at most F D_j, where D_j is the largest
    probability of a binomial law of j trials. The mean of F over t is largest with all other coins known (max is
    convex), and at most ``δ/(1 + e^ε)``, half a δ for either guess. In a random order any guess is followed by any
    number of others with the same probability.

    A program that is private at an ε is private at all larger ones: each of them bounds the probability.
    """
    p, q = 1 / (1 + math.exp(-epsilon)), 1 / (1 + math.exp(epsilon))
    tail = math.fsum(binomial_pmf(np.arange(right, guesses + 1), guesses, p, q))
    following = np.arange(guesses)
    likeliest = np.floor((following + 1) * p)
    peaks = multinomial_pmf(np.stack([likeliest, following - likeliest], axis=-1), (p, q))
    return tail + canaries * delta * q * float(peaks.mean()) if guesses else 1.0


def _canaries(scores: ArrayLike, included: ArrayLike) -> tuple[Reals, Booleans]:
    try:
        values, inside = as_reals(scores), as_reals(included)
    except NotNumbersError as error:
        raise InvalidValueError(f"each canary must have a score and be included or not ({error})") from None
    if values.ndim != 1 or values.shape != inside.shape or not values.size:
        raise InvalidValueError(
            f"each canary must have a score and be included or not, got shapes {values.shape} and {inside.shape}"
        )
    if not np.isfinite(values).all():
        canary = int(np.argmin(np.isfinite(values)))
        raise InvalidValueError(f"scores must be finite, got {values[canary]} of canary {canary} (the first is 0)")
    if not np.isin(inside, (0, 1)).all():
        canary = int(np.argmin(np.isin(inside, (0, 1))))
        raise InvalidValueError(f"included must be true or false, got {inside[canary]:g} of canary {canary}")
    return values, inside > 0
