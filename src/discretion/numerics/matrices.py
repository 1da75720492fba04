"""Arrays of real numbers, and their rank."""

import numpy as np

from discretion.numerics.arrays import Integers, Reals

RANK_TOLERANCE = 1e-9


def rank(matrix: Reals) -> int:
    """Return the numerical rank: singular values up to 1e-9 of the largest one count as 0."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int((singular > RANK_TOLERANCE * singular[0]).sum())


def besides_maxima(matrix: Reals) -> float:
    """Return the sum of all entries but the largest in each column."""
    largest = np.asarray(matrix.argmax(axis=0))
    return float(np.delete(matrix.T.ravel(), largest + matrix.shape[0] * np.arange(largest.size)).sum())


def largest_entries(matrix: Reals, count: int) -> Reals:
    """Return the largest entries of each column in no order, as many of them if there are so many rows."""
    rest = max(0, len(matrix) - count)
    return np.partition(matrix, rest, axis=0)[rest:] if rest else matrix


def ranked_sums(matrix: Reals, weights: Reals) -> Reals:
    """Return for each column the sum of its largest entries, the i-th largest times the i-th of the weights."""
    return weights[::-1] @ np.sort(largest_entries(matrix, weights.size), axis=0)


def class_sums(matrix: Reals, class_of: Integers) -> Reals:
    """Return a row for each class of rows, their sum; there is a row for each class up to the highest of these."""
    order = np.argsort(class_of, kind="stable")
    found, starts = np.unique(class_of[order], return_index=True)
    sums = np.zeros((int(found[-1]) + 1, matrix.shape[1]), dtype=matrix.dtype)
    sums[found] = np.add.reduceat(matrix[order], starts, axis=0)
    return sums
