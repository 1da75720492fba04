"""Matrices of real numbers: rank, sums of rows and of largest entries, and proportional columns."""

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Integers, Reals

RANK_TOLERANCE = 1e-9

PROPORTIONAL_TOLERANCE = 1e-12


def rank(matrix: Reals) -> int:
    """Return the numerical rank: singular values up to 1e-9 of the largest one count as 0."""
    singular = np.linalg.svd(matrix, compute_uv=False)
    return int((singular > RANK_TOLERANCE * singular[0]).sum())


def besides_maxima(matrix: Reals) -> float:
    """Return the sum of all entries except the largest in each column."""
    largest = np.asarray(matrix.argmax(axis=0))
    return float(np.delete(matrix.T.ravel(), largest + matrix.shape[0] * np.arange(largest.size)).sum())


def largest_entries(matrix: Reals, count: int) -> Reals:
    """Return the largest ``count`` entries of each column in no order, or all entries if there are fewer rows."""
    rest = max(0, len(matrix) - count)
    return np.partition(matrix, rest, axis=0)[rest:] if rest else matrix


def ranked_sums(matrix: Reals, weights: Reals) -> Reals:
    """Return for each column the weighted sum of its entries: the i-th largest entry times the i-th weight."""
    return weights[::-1] @ np.sort(largest_entries(matrix, weights.size), axis=0)


def class_sums(matrix: Reals, class_of: Integers) -> Reals:
    """Return the sum of each class of rows, one a row, for each class up to the highest one."""
    order = np.argsort(class_of, kind="stable")
    classes, starts = np.unique(class_of[order], return_index=True)
    sums = np.zeros((int(classes[-1]) + 1, matrix.shape[1]), dtype=matrix.dtype)
    sums[classes] = np.add.reduceat(matrix[order], starts, axis=0)
    return sums


def merged_columns(matrix: Reals) -> tuple[Reals, list[int]]:
    """Return the matrix with proportional columns added up and zero ones dropped, and the columns that remain."""
    totals: Reals = matrix.sum(axis=0)
    alive = np.flatnonzero(totals > 0)
    groups = equal_columns(matrix[:, alive] / totals[alive])
    columns = [int(alive[group[0]]) for group in groups]
    merged = np.stack([matrix[:, alive[group]].sum(axis=1) for group in groups], axis=1)
    return merged, columns


def equal_columns(shares: Reals) -> list[NDArray[np.intp]]:
    """Return groups of equal columns, each in order, ordered by their first member.

    Rounding first would split columns at a rounding edge. So sort by one random projection, under which columns that
    agree within the tolerance are neighbors, and compare inside each run of close projections.
    """
    rows, columns = len(shares), shares.size // len(shares)
    projection: Reals = np.random.default_rng(0).random(rows) @ shares
    order = np.argsort(projection, kind="stable")
    cuts = np.flatnonzero(np.diff(projection[order]) > PROPORTIONAL_TOLERANCE * rows) + 1
    if cuts.size == columns - 1:
        return list(np.arange(columns)[:, None])
    group_of = np.full(columns, -1)
    for run in np.split(order, cuts):
        waiting = np.sort(run)
        while waiting.size:
            first, others = shares[:, waiting[:1]], shares[:, waiting]
            unequal = np.abs(others - first) > PROPORTIONAL_TOLERANCE * np.maximum(first, others)
            same = ~unequal.any(axis=0)
            group_of[waiting[same]] = waiting[0]
            waiting = waiting[~same]
    return [np.flatnonzero(group_of == first) for first in np.unique(group_of)]
