"""What guesses secrets from observations: nearest neighbours, or any classifier with ``fit`` and ``predict``."""

import copy
import math
from collections.abc import Callable
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tacit.blackbox.distinct import NUMBERS
from tacit.blackbox.samples import Rows, Samples
from tacit.errors import InvalidValueError
from tacit.validation import as_count

NAMES = ("auto", "frequentist", "nearest-neighbours")

# So many samples at most decide what "auto" stands for, and so large a part of all.
_DECIDING, _DECIDING_PART = 1000, 16


@runtime_checkable
class Classifier(Protocol):
    """What learns secrets from examples and guesses them, as scikit-learn's classifiers do."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from observations X with secrets y."""
        ...

    def predict(self, X: Any) -> Any:
        """Return a guess for each observation."""
        ...


Metric = Callable[[Any, Any], float]
Method = Literal["auto", "frequentist", "nearest-neighbours"] | Classifier


class NearestNeighbours:
    """Guess the secret that most of the k nearest known observations have; of tied secrets the nearest's.

    Parameters
    ----------
    k
        How many neighbours vote, at least 1; None is ``⌈ln n⌉`` for n known samples, with which the error tends to
        the Bayes risk as n grows.
    metric
        ``metric(x, y)``, a distance between any two observations (numbers, rows, sequences, text); it is called for
        every pair of a tested and a known one. None is the Euclidean distance, by a k-d tree.

    Raises
    ------
    InvalidValueError
        If k is not a whole number of at least 1, or the metric cannot be called.

    Notes
    -----
    Source: Cherubin, Chatzikokolakis and Palamidessi, F-BLEAU: Fast Black-box Leakage Estimation, S&P 2019, section
    IV. Of observations at equal distances, which come first is left to the tree; a metric's stay in the order in which
    they were learned.

    Examples
    --------
    >>> nearest = NearestNeighbours(k=1).fit([0.0, 1.0, 4.0], ["a", "a", "b"])
    >>> nearest.predict([2.0, 3.0]).tolist()
    ['a', 'b']
    """

    def __init__(self, k: int | None = None, metric: Metric | None = None) -> None:
        self.k = None if k is None else as_count(k, "k", at_least=1)
        if metric is not None and not callable(metric):  # pyright: ignore[reportUnnecessaryComparison]
            raise InvalidValueError(f"metric must be a function of two observations, or None, got {metric!r}")
        self.metric = metric

    def __repr__(self) -> str:
        neighbours = "⌈ln n⌉" if self.k is None else self.k
        return f"NearestNeighbours(k={neighbours}{'' if self.metric is None else ', metric of the user'})"

    def fit(self, X: Any, y: Any) -> "NearestNeighbours":
        """Remember observations X, shape (n,) or (n, d), with their secrets y, shape (n,)."""
        from scipy.spatial import cKDTree  # noqa: PLC0415 - takes a tenth of a second

        self._secrets: Rows = np.asarray(y)
        self._known = X
        if self.metric is None:
            # Midpoints instead of medians: with many equal observations a balanced tree takes quadratic time.
            self._tree = cKDTree(_as_points(X), balanced_tree=False)
        return self

    def predict(self, X: Any) -> Rows:
        """Return a guess for each observation of X, shape (m,) or (m, d)."""
        size = self._secrets.size
        voters = min(size, max(1, math.ceil(math.log(size))) if self.k is None else self.k)
        if self.metric is None:
            nearest = self._tree.query(_as_points(X), k=np.arange(1, voters + 1), workers=-1)[1]
        else:
            nearest = np.array([self._nearest(self.metric, x, voters) for x in X], dtype=np.int64).reshape(-1, voters)
        voted = self._secrets[nearest]
        votes = np.zeros(nearest.shape, dtype=np.int64)
        for j in range(voters):
            votes += voted == voted[:, j : j + 1]
        return np.take_along_axis(voted, votes.argmax(axis=1)[:, None], axis=1)[:, 0]

    def _nearest(self, metric: Metric, x: Any, voters: int) -> NDArray[np.int64]:
        distances = np.array([metric(x, known) for known in self._known], dtype=np.float64)
        if np.isnan(distances).any():
            raise InvalidValueError("metric must give a number for any two observations, got nan")
        return np.argsort(distances, kind="stable")[:voters]


def chosen(method: Method, samples: Samples) -> tuple[Classifier | None, Samples]:
    """Return the classifier, None for the frequentist one, and the samples that did not help to choose it."""
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
    """Return whether it is an object, not a class, with fit and predict."""
    return isinstance(method, Classifier) and not isinstance(method, type)


def guesses(classifier: Classifier, known: Rows, secrets: Rows, asked: Rows) -> Rows:
    """Return what a fresh copy of the classifier, fitted on the known samples, guesses for the observations asked."""
    if len(set(secrets.tolist())) == 1:  # many classifiers refuse to learn a single secret
        return np.repeat(secrets[:1], len(asked))
    fresh = copy.deepcopy(classifier)
    fresh.fit(known, secrets)
    guessed = np.asarray(fresh.predict(asked))
    if guessed.shape != (len(asked),):
        raise InvalidValueError(
            f"a classifier must predict a secret for each of {len(asked)} observations, got shape {guessed.shape}"
        )
    return guessed


def features(classifier: Classifier, observations: Rows) -> Rows:
    """Return the observations as the classifier wants them: a number as a row, anything else as it is."""
    numbers = observations.ndim == 1 and observations.dtype.kind in NUMBERS
    return observations[:, None] if numbers and not isinstance(classifier, NearestNeighbours) else observations


def name_of(classifier: Classifier | None) -> str:
    """Return what to call the classifier."""
    if classifier is None:
        return "frequentist"
    if isinstance(classifier, NearestNeighbours):
        return f"nearest neighbours (k = {classifier.k or '⌈ln n⌉'}{', own metric' if classifier.metric else ''})"
    return type(classifier).__name__


def _as_points(X: Any) -> NDArray[np.float64]:
    points = np.asarray(X)
    if points.dtype.kind not in NUMBERS:
        raise InvalidValueError(
            "nearest neighbours need numbers, got other observations; give NearestNeighbours a metric on them, or "
            'compare them whole by method="frequentist"'
        )
    return points.reshape(len(points), -1).astype(np.float64, copy=False)
