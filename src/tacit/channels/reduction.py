"""Which columns of a channel tell the same: zero columns nothing, proportional columns one thing."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.matrices import is_sparse

POSTERIOR_TOLERANCE = 1e-12


def merged_columns(matrix: Any) -> tuple[Any, list[int]]:
    """Return the matrix with proportional columns added up and zero ones dropped, and the columns that were kept."""
    if is_sparse(matrix):
        return _merged_sparse(matrix)
    totals: NDArray[np.float64] = matrix.sum(axis=0)
    alive = np.flatnonzero(totals > 0)
    posteriors: NDArray[np.float64] = matrix[:, alive] / totals[alive]
    groups = _groups(posteriors)
    kept = [int(alive[group[0]]) for group in groups]
    merged = np.stack([matrix[:, alive[group]].sum(axis=1) for group in groups], axis=1)
    return merged, kept


def _groups(posteriors: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """Return groups of equal columns, each in order, ordered by their first member.

    Rounding first would split columns that straddle a rounding edge. So sort by one random projection, under which
    columns that agree within the tolerance are neighbours, and compare inside each run of close projections.
    """
    rows, columns = len(posteriors), posteriors.size // len(posteriors)
    projection: NDArray[np.float64] = np.random.default_rng(0).random(rows) @ posteriors
    order = np.argsort(projection, kind="stable")
    cuts = np.flatnonzero(np.diff(projection[order]) > POSTERIOR_TOLERANCE * rows) + 1
    group_of = np.full(columns, -1)
    for run in np.split(order, cuts):
        waiting = np.sort(run)
        while waiting.size:
            first, others = posteriors[:, waiting[:1]], posteriors[:, waiting]
            apart = np.abs(others - first) > POSTERIOR_TOLERANCE * np.maximum(first, others)
            same = ~apart.any(axis=0)
            group_of[waiting[same]] = waiting[0]
            waiting = waiting[~same]
    return [np.flatnonzero(group_of == first) for first in np.unique(group_of)]


def _merged_sparse(matrix: Any) -> tuple[Any, list[int]]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - half a second that dense users need not pay

    columns = matrix.tocsc(copy=True)
    columns.eliminate_zeros()
    columns.sort_indices()
    by_support: dict[bytes, list[int]] = {}
    for y in range(columns.shape[1]):
        support = columns.indices[columns.indptr[y] : columns.indptr[y + 1]]
        if support.size:
            by_support.setdefault(support.tobytes(), []).append(y)
    group_of = np.full(columns.shape[1], -1)
    for members in by_support.values():
        values = np.stack([columns.data[columns.indptr[y] : columns.indptr[y + 1]] for y in members], axis=1)
        for group in _groups(values / values.sum(axis=0)):
            group_of[np.asarray(members)[group]] = members[int(group[0])]
    kept = np.unique(group_of[group_of >= 0])
    alive = np.flatnonzero(group_of >= 0)
    adder = csr_array(
        (np.ones(alive.size), (alive, np.searchsorted(kept, group_of[alive]))), shape=(columns.shape[1], kept.size)
    )
    return matrix @ adder, kept.tolist()
