"""Which columns of a matrix are proportional: zero columns to all, others to those with the same shares."""

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Reals

TOLERANCE = 1e-12


def merged_columns(matrix: Reals) -> tuple[Reals, list[int]]:
    """Return the matrix with proportional columns added up and zero ones dropped, and the columns that were kept."""
    totals: Reals = matrix.sum(axis=0)
    alive = np.flatnonzero(totals > 0)
    groups = alike(matrix[:, alive] / totals[alive])
    kept = [int(alive[group[0]]) for group in groups]
    merged = np.stack([matrix[:, alive[group]].sum(axis=1) for group in groups], axis=1)
    return merged, kept


def alike(shares: Reals) -> list[NDArray[np.intp]]:
    """Return groups of equal columns, each in order, ordered by their first member.

    Rounding first would split columns that straddle a rounding edge. So sort by one random projection, under which
    columns that agree within the tolerance are neighbours, and compare inside each run of close projections.
    """
    rows, columns = len(shares), shares.size // len(shares)
    projection: Reals = np.random.default_rng(0).random(rows) @ shares
    order = np.argsort(projection, kind="stable")
    cuts = np.flatnonzero(np.diff(projection[order]) > TOLERANCE * rows) + 1
    group_of = np.full(columns, -1)
    for run in np.split(order, cuts):
        waiting = np.sort(run)
        while waiting.size:
            first, others = shares[:, waiting[:1]], shares[:, waiting]
            apart = np.abs(others - first) > TOLERANCE * np.maximum(first, others)
            same = ~apart.any(axis=0)
            group_of[waiting[same]] = waiting[0]
            waiting = waiting[~same]
    return [np.flatnonzero(group_of == first) for first in np.unique(group_of)]
