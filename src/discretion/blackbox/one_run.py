"""How private a program is at best, from a single run on data that holds some of many canaries."""

import math

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Booleans, Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.laws.binomial import binomial_pmf, multinomial_pmf
from discretion.validation import NotNumbersError, as_confidence, as_count, as_probability, as_reals

# Beyond this a wrong guess is less likely than one in all guesses that can be made.
_LARGEST, _HALVINGS = 40.0, 44


def estimate_epsilon_in_one_run(  # noqa: PLR0917 - which canaries are guessed, and what for
    scores: ArrayLike,
    included: ArrayLike,
    delta: float,
    guessed_in: int,
    guessed_out: int,
    confidence: float = 0.95,
) -> Estimate:
    """Return a lower bound of the ε at which a program is (ε, δ)-private for each of its canaries, from a single run.

    ``P(v or more of r guesses right) <= P(W >= v) + m δ/(1 + e^ε) · mean_{j<r} max_k P(W_j = k)``, where W is binomial
    of r trials and W_j of j, all with probability ``e^ε/(1 + e^ε)``

    Parameters
    ----------
    scores
        For each canary, shape ``(m,)``, how much what the program gave out looks as if the canary was in its data, such
        as the negative loss of a trained model on it.
    included
        Whether it was, shape ``(m,)``.
    delta
        δ of the claim, in [0, 1].
    guessed_in, guessed_out
        How many canaries of the highest scores are guessed to be in, and of the lowest to be out; nothing is guessed of
        the others. Choose both before you see who is in.
    confidence
        With what probability the bound holds, in (0, 1).

    Returns
    -------
    Estimate
        One-sided: low and value are the bound, in nats, 0 if nothing is shown; high is infinite. It rests on what
        ``assuming`` names.

    Raises
    ------
    InvalidValueError
        If more canaries are to be guessed than there are.

    Notes
    -----
    Source: Steinke, Nasr and Jagielski, Privacy Auditing with One (1) Training Run, NeurIPS 2023, Theorem 5.2, for
    δ = 0. Their term for δ, ``2 m δ max_i P(v - i <= W < v)/i``, is mostly larger, and too small for some v below the
    mean of W: the one here is proved in the source, and no larger than it must be if all guesses have to be right.

    It holds if a fair coin of its own decided for each canary whether it was in; if the rest of the data, the program's
    randomness and, but for what the program gave out, the scores have nothing to do with these coins; and if data with
    and without a canary are neighbours. A program that hides its canaries may still give others away.

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
            f"guessed_in and guessed_out must be at most as many as there are canaries, got {highest} and {lowest} of "
            f"{values.size}"
        )
    order = np.argsort(values, kind="stable")
    right = int(np.count_nonzero(~inside[order[:lowest]]) + np.count_nonzero(inside[order[values.size - highest :]]))

    def refuted(epsilon: Reals) -> bool:
        return _chance(right, guesses, values.size, float(epsilon), level) <= 1 - sure

    bound = float(bisected(refuted, 0.0, _LARGEST, _HALVINGS)[0])
    method = f"{right:,} of {guesses:,} guesses right of {values.size:,} canaries (Steinke et al. 2023)"
    return Estimate(bound, bound, math.inf, sure, method, "a fair coin of its own decided on each canary")


def _chance(right: int, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """Return more than the chance of so many right guesses or more, by any (ε, δ)-private program.

    Reveal the coins of the guessed canaries one by one, given all guesses t. The next guess is right with probability
    ``a/(a + b)``, where a and b are how likely t is if it is right and if it is wrong: ``p + F`` at most, where
    ``p = e^ε/(1 + e^ε)`` and ``F = max(0, a - e^ε b)/((a + b)(1 + e^ε))``. If j guesses follow, each right with
    probability p, then F adds F times the chance that just the missing ones of these are right to the chance of so many
    in all: F D_j at most, where D_j is the largest probability of a binomial law of j trials. The sum of F over t, each
    as likely as it is, is largest with all other coins known (max is convex), and ``δ/(1 + e^ε)`` at most, half a δ for
    either guess. In a random order any guess is followed by any number of others just as likely.

    A program that is private at an ε is so at all larger ones: each of them bounds the chance.
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
