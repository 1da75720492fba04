"""Progressive validation: every block of samples is guessed from all earlier ones, then joins them.

Given the past, any guess errs with probability at least R*. The errors therefore stochastically exceed a binomial
count, and its upper confidence limit holds for R*, although nearly every sample serves both for testing and training.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from discretion.blackbox.classifiers import Classifier, features, predictions
from discretion.blackbox.distinct import distinct_integers
from discretion.blackbox.samples import Samples
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit

# The factor by which the known samples grow before they are learned again: by counting, or by a classifier.
COUNTED, FITTED = 1.25, 1.6

# The inverse of the share of samples that is not tested at the start.
_UNTESTED_PART = 8


@dataclass(frozen=True)
class Validation:
    """Errors by block.

    ``known`` is the number of samples that a block was guessed from, ``least`` is the least number of training errors
    of any classifier on the samples up to the block's end, None where that gives no bound.
    """

    known: Integers
    tested: Integers
    errors: Integers
    least: Integers | None

    def limits(self, misses: float) -> tuple[Reals, Reals]:
        """Return the interval for R* after each block, which misses it with at most that probability.

        The best classifier makes Binomial(n, R*) training errors, and at least the least number, so that the lower
        limit on a binomial probability at the latter is a lower limit on R*.
        """
        errors, tested = np.cumsum(self.errors), np.cumsum(self.tested)
        if self.least is None:
            return np.zeros(errors.size), upper_limit(errors, tested, misses)
        low = lower_limit(self.least, self.known + self.tested, misses / 2)
        high = upper_limit(errors, tested, misses / 2)
        return np.minimum(low, high), np.maximum(low, high)

    @property
    def late(self) -> int:
        """The first block that was guessed from at least half of all samples; the last block if there is none."""
        half = (2 * self.known >= self.known[-1] + self.tested[-1]) & (self.tested > 0)
        return int(np.argmax(half)) if half.any() else half.size - 1

    def held_out_error(self, start: int = 0, end: int | None = None) -> float:
        """Return the share of wrong guesses in these blocks; 1 if there are none."""
        tested = int(self.tested[start:end].sum())
        return int(self.errors[start:end].sum()) / tested if tested else 1.0

    def likely_risk(self) -> float:
        """Return the meeting point of held-out and training errors; without the latter, the late held-out error."""
        if self.least is None:
            return self.held_out_error(self.late)
        trained = (self.least / (self.known + self.tested)).tolist()
        if not self.tested.any():
            return trained[-1]
        # Without a test before the late blocks, assume that both close in at the same pace.
        early = self.late if self.tested[: self.late].any() else self.tested.size
        return meeting_point((self.held_out_error(0, early), self.held_out_error()), (trained[early - 1], trained[-1]))


def meeting_point(held_out: tuple[float, float], trained: tuple[float, float]) -> float:
    """Return R* from held-out errors, which fall to it, and training errors, which rise to it, of some and all samples.

    Which are closer depends on the law: if there is nothing to learn, held-out errors are correct from the start; if
    every observation gives its secret away but few repeat, training errors are. So the remaining gap is divided in the
    ratio in which either error has moved between some and all samples.
    """
    (early_above, above), (early_below, below) = held_out, trained
    fallen, risen = max(0.0, early_above - above), max(0.0, below - early_below)
    return above - (above - below) * (fallen / (fallen + risen) if fallen + risen else 0.5)


def block_edges(known: int, size: int, growth: float) -> list[int]:
    """Return the edges of blocks, each of which makes the known samples grow by that factor."""
    edges = [known]
    while edges[-1] < size:
        edges.append(min(size, math.ceil(edges[-1] * growth)))
    return edges


def first_test(size: int) -> int:
    """Return the number of training samples before the first test."""
    return max(1, size // _UNTESTED_PART)


def validate(classifier: Classifier | None, samples: Samples) -> Validation:
    """Return the errors of the classifier, None for the frequentist one, on the samples."""
    return _frequentist(samples) if classifier is None else _fitted(classifier, samples)


def _fitted(classifier: Classifier, samples: Samples) -> Validation:
    edges = block_edges(first_test(samples.size), samples.size, FITTED)
    rows, secrets = features(classifier, samples.observations), samples.named_secrets
    errors = [
        int(np.sum(predictions(classifier, rows[:start], secrets[:start], rows[start:end]) != secrets[start:end]))
        for start, end in pairwise(edges)
    ]
    return Validation(np.array(edges[:-1]), np.diff(edges), np.array(errors, dtype=np.int64), None)


def _frequentist(samples: Samples) -> Validation:
    edges = block_edges(first_test(samples.size), samples.size, COUNTED)
    cells, of_sample = distinct_integers(samples.codes * samples.k + samples.secrets)
    secret = cells % samples.k
    starts = np.flatnonzero(np.diff(cells // samples.k, prepend=-1))
    lengths = np.diff(starts, append=cells.size)
    known = np.bincount(of_sample[: edges[0]], minlength=cells.size)
    overall = np.bincount(samples.secrets[: edges[0]], minlength=samples.k)
    errors: list[int] = []
    least: list[int] = []
    for start, end in pairwise(edges):
        block = of_sample[start:end]
        # The most frequent secret with each observation, the lowest if tied, as one number: count and secret.
        best = np.maximum.reduceat(known * samples.k + (samples.k - 1 - secret), starts)
        guess = np.where(best >= samples.k, samples.k - 1 - best % samples.k, overall.argmax())
        right = secret == np.repeat(guess, lengths)
        errors.append(end - start - int(np.count_nonzero(right[block])))
        known += np.bincount(block, minlength=cells.size)
        overall += np.bincount(samples.secrets[start:end], minlength=samples.k)
        least.append(end - int(np.maximum.reduceat(known, starts).sum()))
    return Validation(np.array(edges[:-1]), np.diff(edges), np.array(errors, dtype=np.int64), np.array(least))
