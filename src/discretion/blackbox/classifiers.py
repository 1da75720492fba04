"""Guessers of secrets from observations: nearest neighbors, or any classifier with ``fit`` and ``predict``."""

import copy
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

import numpy as np

from discretion.blackbox.distinct import NUMBERS
from discretion.blackbox.nearest_neighbours import NearestNeighbours
from discretion.blackbox.samples import Rows, Samples
from discretion.errors import InvalidValueError

NAMES = ("auto", "frequentist", "nearest-neighbours")

# The largest number of samples that decide on the method for "auto", and their share of all samples.
_DECIDING, _DECIDING_PART = 1000, 16


@runtime_checkable
class Classifier(Protocol):
    """An object that learns secrets from examples and guesses them, as scikit-learn's classifiers do."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from observations X with secrets y."""
        ...

    def predict(self, X: Any) -> Any:
        """Return a guess for each observation."""
        ...


Method = Literal["auto", "frequentist", "nearest-neighbours"] | Classifier


def choose_classifier(method: Method, samples: Samples) -> tuple[Classifier | None, Samples]:
    """Return the classifier, None for the frequentist one, and the samples that were not used to choose it."""
    if isinstance(method, str):
        if method == "frequentist" or (method == "auto" and samples.kind != "f"):
            return None, samples
        if method == "nearest-neighbours":
            return NearestNeighbours(), samples
        if method == "auto":
            deciding = min(_DECIDING, samples.size // _DECIDING_PART)
            repeats = deciding > 0 and samples.first(deciding).repeats()
            return None if repeats else NearestNeighbours(), samples.after(deciding)
    elif is_classifier(method):
        return method, samples
    raise InvalidValueError(
        f"method must be {', '.join(map(repr, NAMES))} or a classifier with fit and predict, got {method!r}"
    )


def is_classifier(method: Any) -> TypeGuard[Classifier]:
    """Return whether the method is an object, not a class, with fit and predict."""
    return isinstance(method, Classifier) and not isinstance(method, type)


def predictions(classifier: Classifier, known: Rows, secrets: Rows, queries: Rows) -> Rows:
    """Return the guesses of a fresh copy of the classifier, fitted on the known samples, for the queries."""
    if len(set(secrets.tolist())) == 1:  # many classifiers refuse to learn a single secret
        return np.repeat(secrets[:1], len(queries))
    fresh = copy.deepcopy(classifier)
    fresh.fit(known.copy(), secrets.copy())  # so that it may work in place
    guessed = np.asarray(fresh.predict(queries.copy()))
    if guessed.shape != (len(queries),):
        raise InvalidValueError(
            f"a classifier must predict a secret for each of {len(queries)} observations, got shape {guessed.shape}"
        )
    return guessed


def features(classifier: Classifier, observations: Rows) -> Rows:
    """Return the observations in the classifier's form: a number as a row, anything else unchanged."""
    numbers = observations.ndim == 1 and observations.dtype.kind in NUMBERS
    return observations[:, None] if numbers and not isinstance(classifier, NearestNeighbours) else observations


def name_of(classifier: Classifier | None) -> str:
    """Return the classifier's name."""
    if classifier is None:
        return "frequentist"
    if isinstance(classifier, NearestNeighbours):
        neighbours = classifier.k or "learned, ln n or more"
        return f"nearest neighbors (k = {neighbours}{', own metric' if classifier.metric else ''})"
    return type(classifier).__name__
