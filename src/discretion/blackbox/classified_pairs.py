"""Pairs of secrets compared by a classifier; the triangle inequality rules out most pairs."""

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
    """The errors of a classifier on two secrets, with the numbers of planned trials and of lost trials."""

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
        """Return the upper limit from the blocks before the late blocks, which are therefore independent of it."""
        late = self.validation.late
        early = int(self.validation.errors[:late].sum()), int(self.validation.tested[:late].sum())
        return float(upper_limit(*early, misses))


def validated_pairs(classifier: Classifier, samples: Samples, rng: Generator) -> list[ValidatedPair]:
    """Return the pairs that had to be validated to find the one that is easiest to distinguish.

    The pairs of one secret come first, then always the pair with the lowest bound ``β_ab >= β_ac + β_bc - 1``
    (Bayes-sec, section VII-D), until no bound is below the lowest estimate. The bounds use estimates in place of β, so
    that a pair may be missed; the limits of the other pairs still hold.
    """
    k = samples.k
    if k > (most := limits.current().steps(MAX_SECRETS_CLASSIFIED, each=1 << 20)):
        raise TooLargeError(
            f"a classifier compares the pairs of at most {most:,} secrets, got {k:,} secrets; keep the secrets that "
            "matter"
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
    """Return the errors of the classifier on two secrets, given the places of their samples."""
    rows, secrets = features(classifier, samples.observations), samples.named_secrets
    a, b = places
    errors: list[int] = []
    for (i, i_end), (j, j_end) in zip(pairwise(plan.first), pairwise(plan.second), strict=True):
        # In random order, since the place of a sample would else reveal its secret.
        known = rng.permutation(np.concatenate([a[:i], b[:j]]))
        tested = rng.permutation(np.concatenate([a[i:i_end], b[j:j_end]]))
        guessed = predictions(classifier, rows[known], secrets[known], rows[tested])
        errors.append(int(np.sum(guessed != secrets[tested])))
    ends = plan.first + plan.second
    return Validation(ends[:-1], np.diff(ends), np.array(errors, dtype=np.int64), None)
