"""Limits of β of all pairs of secrets with discrete observations."""

from dataclasses import dataclass

import numpy as np

from discretion.blackbox.discrete_pairs import affordable_pairs, held_out_errors, overlaps, secret_table, trials_of
from discretion.blackbox.samples import Samples
from discretion.blackbox.sum_limit import lower_limit_of_sum
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial_limits import upper_limit


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
