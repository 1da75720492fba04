"""Pairs of secrets by a classifier, most of which the triangle inequality saves."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from tacit.blackbox.classifiers import Classifier, features, guesses
from tacit.blackbox.distinct import Integers
from tacit.blackbox.fair_trials import fair_trials, number_of_trials
from tacit.blackbox.progress import FITTED
from tacit.blackbox.samples import Rows, Samples


@dataclass(frozen=True)
class ValidatedPair:
    """The errors on two secrets in so many trials."""

    errors: int
    trials: int


def validated_pairs(classifier: Classifier, samples: Samples, rng: np.random.Generator) -> list[ValidatedPair]:
    """Return the pairs that had to be validated to find the one that is easiest to tell apart.

    A secret's pairs come first, then always the pair whose bound ``β_ab >= β_ac + β_bc - 1`` is lowest (Bayes-sec,
    section VII-D), until no bound is below the lowest estimate. As estimates stand for β, a pair may be missed; what
    is said of the others holds.
    """
    k = samples.k
    validate = _Validation(classifier, features(classifier, samples.observations), samples.named_secrets)
    places = [np.flatnonzero(samples.secrets == secret) for secret in range(k)]
    enough = np.array([number_of_trials(place.size, FITTED[0]) > 0 for place in places])
    unknown = np.triu(enough[:, None] & enough, 1)
    estimates, bounds = np.full((k, k), np.nan), np.zeros((k, k))
    pivot = int(np.argmax([place.size for place in places]))
    bounds[pivot] = bounds[:, pivot] = -1.0
    found: list[ValidatedPair] = []
    while unknown.any():
        a, b = divmod(int(np.where(unknown, bounds, np.inf).argmin()), k)
        if found and bounds[a, b] >= np.nanmin(estimates):
            break
        found.append(pair := validate(places[a], places[b], rng))
        unknown[a, b] = False
        estimates[a, b] = estimates[b, a] = min(1.0, 2 * pair.errors / pair.trials)
        for one, other in ((a, b), (b, a)):
            implied = np.nan_to_num(estimates[a, b] + estimates[other] - 1, nan=-1.0)
            bounds[one] = np.maximum(bounds[one], implied)
            bounds[:, one] = bounds[one]
    return found


@dataclass(frozen=True)
class _Validation:
    classifier: Classifier
    rows: Rows
    secrets: Rows

    def __call__(self, a: Integers, b: Integers, rng: np.random.Generator) -> ValidatedPair:
        """Return the errors on two secrets, given where the samples of each are."""
        plan = fair_trials(min(a.size, b.size), *FITTED, rng)
        errors = plan.lost
        for (i, i_end), (j, j_end) in zip(pairwise(plan.first), pairwise(plan.second), strict=True):
            known, tested = np.concatenate([a[:i], b[:j]]), np.concatenate([a[i:i_end], b[j:j_end]])
            guessed = guesses(self.classifier, self.rows[known], self.secrets[known], self.rows[tested])
            errors += int(np.sum(guessed != self.secrets[tested]))
        return ValidatedPair(errors, plan.trials)
