"""Fair coins that say from which of two secrets the next tested sample comes.

Given the past, a guess on it errs with the mean of both error probabilities, ``β_ab/2`` at least, so the errors exceed
Binomial(trials, β_ab/2) stochastically. The number of trials is fixed before the coins are; those left over when a
secret's samples run out count as errors.
"""

from dataclasses import dataclass

import numpy as np

from tacit.blackbox.distinct import Integers
from tacit.blackbox.progress import block_edges, untested


@dataclass(frozen=True)
class FairTrials:
    """So many trials, some of them lost, and where blocks begin and end among either secret's samples."""

    trials: int
    lost: int
    first: Integers
    second: Integers


def number_of_trials(each: int, part: int) -> int:
    """Return how many trials to plan with so many samples of either secret: few enough that these rarely run out."""
    spare = 2 * max(0, each - untested(each, part))
    return max(0, int(spare - 1.5 * spare**0.5))


def fair_trials(each: int, part: int, growth: float, rng: np.random.Generator) -> FairTrials:
    """Return the trials with so many samples of either secret, of which the first part is taught only."""
    known, trials = untested(each, part), number_of_trials(each, part)
    second = np.concatenate([[0], np.cumsum(rng.integers(2, size=trials))])
    first = np.arange(trials + 1) - second
    possible = int(np.searchsorted(np.maximum(first, second), each - known, side="right")) - 1
    at = np.array(block_edges(2 * known, 2 * known + possible, growth)) - 2 * known
    return FairTrials(trials, trials - possible, known + first[at], known + second[at])
