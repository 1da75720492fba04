"""A confidence limit of the sum of two error probabilities, from a count of both kinds of errors."""

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial_limits import lower_limit

# What holds of a binomial law above its mean holds of its limits at no larger chance of a miss.
_MOST_MISSES = 0.25


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
