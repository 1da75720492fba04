"""Fair coins that choose the secret of the next tested sample, one of two.

Given the past, a guess on this sample errs with the mean of both error probabilities, at least ``β_ab/2``, so that the
errors stochastically exceed Binomial(trials, β_ab/2). The number of trials is fixed before the coins are drawn. Trials
that remain when a secret's samples run out are lost, and count as errors.
"""

from dataclasses import dataclass

import numpy as np

from discretion.blackbox.progressive_validation import block_edges, first_test
from discretion.numerics.arrays import Integers

# The margin in standard deviations of the coins' sum: a trial that is not planned costs little, a lost one much.
_MARGIN = 3.0


@dataclass(frozen=True)
class FairTrials:
    """A number of trials, some of them lost, and the edges of blocks among either secret's samples."""

    trials: int
    lost: int
    first: Integers
    second: Integers

    def whole_blocks(self) -> "FairTrials":
        """Return the trials without a block that is cut short: its size would reveal its last coins."""
        if not self.lost or self.first.size == 1:
            return self
        cut = int(np.diff(self.first + self.second)[-1])
        return FairTrials(self.trials, self.lost + cut, self.first[:-1], self.second[:-1])


def number_of_trials(each: int) -> int:
    """Return the number of trials to plan with ``each`` samples of either secret, so that these rarely run out."""
    spare = 2 * max(0, each - first_test(each))
    return max(0, int(spare - _MARGIN * spare**0.5))


def fair_trials(each: int, growth: float, rng: np.random.Generator) -> FairTrials:
    """Return the trials with ``each`` samples of either secret; the first part is for training only."""
    known, trials = first_test(each), number_of_trials(each)
    second = np.concatenate([[0], np.cumsum(rng.integers(2, size=trials))])
    first = np.arange(trials + 1) - second
    possible = int(np.searchsorted(np.maximum(first, second), each - known, side="right")) - 1
    at = np.array(block_edges(2 * known, 2 * known + possible, growth)) - 2 * known
    return FairTrials(trials, trials - possible, known + first[at], known + second[at])
