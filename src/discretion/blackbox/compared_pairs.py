"""Limits of β of all pairs of secrets with discrete observations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from discretion.blackbox.discrete_pairs import affordable_pairs, held_out_errors, overlaps, secret_table, trials_of
from discretion.blackbox.samples import Samples
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit

# What holds of a binomial law above its mean holds of its limits at no larger chance of a miss.
_MOST_MISSES = 0.25


@dataclass(frozen=True)
class ComparedPairs:
    """Pairs of secrets: least training errors on so many samples of each, and errors of so many trials, or lost."""

    first: Integers
    second: Integers
    least: Integers
    each: Integers
    errors: Integers
    lost: Integers
    trials: Integers
    validated: int

    def lows(self, misses: float) -> Reals:
        """Return a lower limit of each pair's β."""
        return lower_limit_of_sum(self.least, self.each, misses)

    def highs(self, misses: float) -> Reals:
        """Return upper limits that all hold but with that probability."""
        return np.minimum(1.0, 2 * upper_limit(self.errors + self.lost, self.trials, misses / self.least.size))

    def leakiest(self, misses: float) -> int:
        """Return the pair with the lowest upper limit, of tied ones that with the lowest training error."""
        trained = np.where(self.each > 0, self.least / np.maximum(self.each, 1), 1.0)
        return int(np.lexsort((-self.each, trained, self.highs(misses)))[0])


def compared_pairs(samples: Samples, rng: np.random.Generator) -> ComparedPairs:
    """Return all pairs, of which those are validated that are likeliest to leak."""
    table = secret_table(samples)
    first, second = np.triu_indices(samples.k, 1)
    least, trials, each = overlaps(table), trials_of(table), table.sizes[first]
    errors, lost = np.zeros_like(trials), trials.copy()
    affordable = affordable_pairs(table, np.where(each > 0, least / np.maximum(each, 1), 1.0))
    errors[affordable], lost[affordable] = held_out_errors(table, affordable, rng)
    return ComparedPairs(
        table.secrets[first], table.secrets[second], least, each, errors, lost, trials, affordable.size
    )


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
