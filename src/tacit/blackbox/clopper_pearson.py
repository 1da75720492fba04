"""Exact confidence limits of a probability from a count of errors."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainccinv, betaincinv

Reals = NDArray[np.float64]

# What holds of a binomial law above its mean holds of its limits at no larger chance of a miss.
_MOST_MISSES = 0.25


def lower_limit(errors: ArrayLike, trials: ArrayLike, misses: float) -> Reals:
    """Return the p with ``P(Binomial(trials, p) >= errors) = misses``, 0 without errors."""
    x, n = np.asarray(errors, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    return np.where(x > 0, betaincinv(np.maximum(x, 1), n - x + 1, misses), 0.0)


def upper_limit(errors: ArrayLike, trials: ArrayLike, misses: float) -> Reals:
    """Return the p with ``P(Binomial(trials, p) <= errors) = misses``, 1 where all are errors."""
    x, n = np.asarray(errors, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    return np.where(x < n, betainccinv(x + 1, np.maximum(n - x, 1), misses), 1.0)


def lower_limit_of_sum(errors: ArrayLike, each: ArrayLike, misses: float) -> Reals:
    """Return a lower limit of ``p + q`` from the errors in as many trials of p as of q, ``each`` of either.

    Twice the limit of ``(p + q)/2`` from as many trials of it. By Hoeffding's theorem (On the distribution of the
    number of successes in independent trials, 1956, Theorem 4) the errors' upper tail is below that of
    Binomial(2·each, (p + q)/2) from one past the mean on. The limit only misses where that binomial's tail is under
    ``misses``, which is one past the mean at least: a binomial exceeds its mean with probability 1/4 or more if the
    mean is at least 0.29 (Doerr, An elementary analysis of the probability that a binomial random variable exceeds
    its expectation, 2018), so misses are at most 1/4; below that mean, two errors are one past it. A single error
    takes a limit of its own: ``P(errors >= 1) = 1 - ((1-p)(1-q))^each <= 1 - (1-p-q)^each``.
    """
    x, n = np.asarray(errors, dtype=np.float64), np.asarray(each, dtype=np.float64)
    rate = min(misses, _MOST_MISSES)
    single = -np.expm1(np.log1p(-rate) / np.maximum(n, 1))
    return np.where(x == 1, single, np.minimum(1.0, 2 * lower_limit(x, 2 * n, rate)))
