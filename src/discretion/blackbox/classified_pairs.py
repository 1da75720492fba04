"""Pairs of secrets by a classifier, most of which the triangle inequality saves."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.random import Generator

from discretion import limits
from discretion.blackbox.classifiers import Classifier, features, predictions
from discretion.blackbox.fair_trials import FairTrials, fair_trials, number_of_trials
from discretion.blackbox.progressive_validation import FITTED, Validation
from discretion.blackbox.samples import Samples
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers
from discretion.numerics.laws.binomial_limits import upper_limit

# Secrets whose pairs are compared by a classifier: half a million pairs.
MAX_SECRETS_CLASSIFIED = 1000


@dataclass(frozen=True)
class ValidatedPair:
    """How a classifier errs on two secrets, and how many trials that was to take and how many were lost."""

    first: int
    second: int
    validation: Validation
    lost: int
    trials: int

    @property
    def errors(self) -> int:
        """The errors of all trials but the lost ones."""
        return int(self.validation.errors.sum())

    def limit(self, misses: float) -> float:
        """Return the upper limit of the probability of an error."""
        return float(upper_limit(self.errors + self.lost, self.trials, misses))

    def early_limit(self, misses: float) -> float:
        """Return the same from what comes before the late blocks, which therefore do not depend on it."""
        late = self.validation.late
        early = int(self.validation.errors[:late].sum()), int(self.validation.tested[:late].sum())
        return float(upper_limit(*early, misses))


def validated_pairs(classifier: Classifier, samples: Samples, rng: Generator) -> list[ValidatedPair]:
    """Return the pairs that had to be validated to find the one that is easiest to distinguish.

    A secret's pairs come first, then always the pair whose bound ``β_ab >= β_ac + β_bc - 1`` is lowest (Bayes-sec,
    section VII-D), until no bound is below the lowest estimate. As estimates stand for β, a pair may be missed; what
    is said of the others holds.
    """
    k = samples.k
    if k > (most := limits.current().steps(MAX_SECRETS_CLASSIFIED, each=1 << 20)):
        raise TooLargeError(
            f"all pairs of {k:,} secrets are too many to compare by a classifier, which at most {most:,} are "
            "not; keep the secrets that matter"
        )
    places = [np.flatnonzero(samples.secrets == secret) for secret in range(k)]
    enough = np.array([number_of_trials(place.size) > 0 for place in places])
    unknown = np.triu(enough[:, None] & enough, 1)
    estimates, bounds = np.full((k, k), np.nan), np.zeros((k, k))
    pivot = int(np.argmax([place.size for place in places]))
    bounds[pivot] = bounds[:, pivot] = -1.0
    pairs: list[ValidatedPair] = []
    while unknown.any():
        a, b = divmod(int(np.where(unknown, bounds, np.inf).argmin()), k)
        if pairs and bounds[a, b] >= np.nanmin(estimates):
            break
        plan = fair_trials(min(places[a].size, places[b].size), FITTED, rng).whole_blocks()
        pair = ValidatedPair(
            a, b, _validated(classifier, samples, (places[a], places[b]), plan, rng), plan.lost, plan.trials
        )
        pairs.append(pair)
        unknown[a, b] = False
        estimates[a, b] = estimates[b, a] = min(1.0, 2 * (pair.errors + plan.lost) / plan.trials)
        for one, other in ((a, b), (b, a)):
            implied = np.nan_to_num(estimates[a, b] + estimates[other] - 1, nan=-1.0)
            bounds[one] = np.maximum(bounds[one], implied)
            bounds[:, one] = bounds[one]
    return pairs


def _validated(
    classifier: Classifier, samples: Samples, places: tuple[Integers, Integers], plan: FairTrials, rng: Generator
) -> Validation:
    """Return how the classifier errs on two secrets, given where the samples of each are."""
    rows, secrets = features(classifier, samples.observations), samples.named_secrets
    a, b = places
    errors: list[int] = []
    for (i, i_end), (j, j_end) in zip(pairwise(plan.first), pairwise(plan.second), strict=True):
        # In random order, or where a sample stands would tell its secret.
        known = rng.permutation(np.concatenate([a[:i], b[:j]]))
        tested = rng.permutation(np.concatenate([a[i:i_end], b[j:j_end]]))
        guessed = predictions(classifier, rows[known], secrets[known], rows[tested])
        errors.append(int(np.sum(guessed != secrets[tested])))
    ends = plan.first + plan.second
    return Validation(ends[:-1], np.diff(ends), np.array(errors, dtype=np.int64), None)
