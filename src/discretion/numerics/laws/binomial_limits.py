"""Confidence limits of probabilities from counts: of one, and of all the parts of a whole at once."""

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Booleans, Reals
from discretion.numerics.bisection import bisected

_HALVINGS = 80


def lower_limit(hits: ArrayLike, trials: ArrayLike, misses: float) -> Reals:
    """Return the p with ``P(Binomial(trials, p) >= hits) = misses``, 0 without hits (Clopper–Pearson)."""
    from scipy.special import betaincinv  # noqa: PLC0415

    x, n = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    return np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, misses), 0.0)


def upper_limit(hits: ArrayLike, trials: ArrayLike, misses: ArrayLike) -> Reals:
    """Return the p with ``P(Binomial(trials, p) <= hits) = misses``, 1 where all are hits (Clopper–Pearson)."""
    from scipy.special import betainccinv  # noqa: PLC0415

    x, n, risk = (np.asarray(each, dtype=np.float64) for each in (hits, trials, misses))
    return np.where(x < n, betainccinv(x + 1, np.maximum(n - x, 1), risk), 1.0)


def limits_of_parts(hits: ArrayLike, trials: int, misses: float) -> tuple[Reals, Reals]:
    """Return limits of the probabilities of outcomes, that all hold at once but with probability ``misses``.

    However many outcomes there are: an outcome of probability p may miss its limits with probability ``misses·p``,
    which sums to ``misses``. So its limits are the least and the largest p with ``P(Binomial(trials, p) >= hits)``
    and ``P(Binomial(trials, p) <= hits)`` at least ``misses·p/2``, found by bisection and rounded outwards. (The
    first over p rises with p up to ``(hits-1)/(trials-1)``, as the beta density does of which it is the integral.)
    """
    from scipy.special import betainc, betaincc  # noqa: PLC0415

    x = np.asarray(hits, dtype=np.float64)
    some, mean = np.maximum(x, 1), x / trials

    def too_few(p: Reals) -> Booleans:
        return betainc(some, trials - some + 1, p) < misses * p / 2

    def few_enough(p: Reals) -> Booleans:
        return betaincc(x + 1, np.maximum(trials - x, 1), p) >= misses * p / 2

    low, _ = bisected(too_few, np.zeros_like(x), mean, _HALVINGS)
    _, missed = bisected(few_enough, mean, np.ones_like(x), _HALVINGS)
    return np.where(x > 1, low, 0.0), np.where(x < trials, missed, 1.0)
