"""Scores of outputs, above 0 where x is the likelier of two neighboring inputs, learned from known outputs of either.

The bets on a score are valid for any score.
"""

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from discretion.blackbox.classifiers import Classifier, features, predictions
from discretion.blackbox.distinct import codes_of_rows
from discretion.blackbox.nearest_neighbours import as_points, scale_down
from discretion.blackbox.samples import Rows
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Booleans, Integers, Reals

# Known outputs, whether x gave each of them, and the outputs to score.
Scores = Callable[[Rows, Booleans, Rows], Reals]

# The ratio of successive bins' numbers of known outputs towards either end, and the least number.
_THINNING, _THINNEST = 4.0, 8


def bin_scores(known: Rows, known_x: Booleans, queries: Rows) -> Reals:
    """Return scores by the frequency of x in ∛n bins of a number; a value that fills a bin is a bin by itself."""
    ordered = np.sort(known)
    size = ordered.size
    bins = max(2, math.ceil(size ** (1 / 3)))
    tails = size / bins / _THINNING ** np.arange(1.0, 16.0)
    tails = tails[tails >= _THINNEST]
    ranks = np.concatenate([tails, size / bins * np.arange(1, bins), size - tails]).astype(np.int64)
    values = ordered[np.unique(ranks)]
    edges, alone = np.unique(values), np.unique(values[1:][values[1:] == values[:-1]])

    def codes(numbers: Rows) -> Integers:
        return np.searchsorted(edges, numbers, side="right") + np.searchsorted(alone, numbers, side="left")

    return count_scores(codes(known), known_x, codes(queries))


def count_scores(known: Integers, known_x: Booleans, queries: Integers) -> Reals:
    """Return the log-ratio of the frequencies with which x and y gave each code; 0 for a new code."""
    kinds = int(max(known.max(), queries.max())) + 1
    x, y = (np.bincount(known[side], minlength=kinds) for side in (known_x, ~known_x))
    return np.log((x + 0.5) / (y + 0.5))[queries]


def distance_scores(known: Rows, known_x: Booleans, queries: Rows) -> Reals:
    """Return the excess of the distance to y's k-th nearest output over that to x's, k about √n: densities compared."""
    from scipy.spatial import cKDTree  # noqa: PLC0415 - takes a tenth of a second

    points, those = as_points(known), as_points(queries)
    exponent = int(np.frexp(np.abs(points).max())[1])
    fewest = min(np.count_nonzero(known_x), np.count_nonzero(~known_x))
    if not fewest:
        return np.zeros(len(those))
    k = math.ceil(fewest**0.5)

    def log_distances(side: Booleans) -> Reals:
        tree: Any = cKDTree(scale_down(points[side], exponent), balanced_tree=False)
        distance: Reals = tree.query(scale_down(those, exponent), k=[k])[0][:, 0]
        return np.log(np.maximum(distance, np.finfo(np.float64).tiny))

    return log_distances(~known_x) - log_distances(known_x)


def row_scores(known: Rows, known_x: Booleans, queries: Rows) -> Reals:
    """Return scores by counts where the known rows repeat, else by distances.

    Only the known rows decide, so that the choice does not depend on the outputs of the bets.
    """
    if not repeat(known):
        return distance_scores(known, known_x, queries)
    codes = codes_of_rows(np.concatenate([known, queries]))
    return count_scores(codes[: len(known)], known_x, codes[len(known) :])


def repeat(rows: Rows) -> bool:
    """Return whether fewer than half of the rows are distinct."""
    return 2 * np.unique(codes_of_rows(rows)).size < len(rows)


def classifier_scores(classifier: Classifier) -> Scores:
    """Return the scores by copies of a classifier: its probability of x, if it has probabilities, else its guess."""

    def scores(known: Rows, known_x: Booleans, queries: Rows) -> Reals:
        rows, those = features(classifier, known), features(classifier, queries)
        if not hasattr(classifier, "predict_proba") or known_x.all() or not known_x.any():
            return predictions(classifier, rows, known_x, those).astype(np.float64) - 0.5
        fresh: Any = copy.deepcopy(classifier)
        fresh.fit(rows.copy(), known_x.copy())
        shares = np.asarray(fresh.predict_proba(those.copy()))
        if shares.shape != (len(those), 2) or not np.isfinite(shares).all():
            raise InvalidValueError(
                f"predict_proba must return finite probabilities of both inputs for each of {len(those)} outputs, got "
                f"shape {shares.shape}"
            )
        return shares[:, 1] - shares[:, 0]

    return scores
