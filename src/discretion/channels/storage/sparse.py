"""Storage of the entries that are not 0, row after row, in SciPy's sparse format."""

import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from discretion.channels.storage.storage import Block, EntryFunction, Storage, row_blocks
from discretion.channels.storage.unit_rows import Naming, check_entries, check_shape, divisors_of
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances import pairwise
from discretion.numerics.matrices import equal_columns


class Sparse(Storage):
    """A storage in a scipy.sparse CSR array, which it takes without a copy."""

    __slots__ = ("_array",)

    adjective = "sparse"
    precedence = 1

    def __init__(self, array: Any) -> None:
        for part in (array.data, array.indices, array.indptr):
            part.setflags(write=False)
        self._array: Any = array

    @staticmethod
    def holds(matrix: Any) -> bool:
        """Whether the matrix is from scipy.sparse; this check does not import SciPy."""
        scipy = sys.modules.get("scipy.sparse")
        return scipy is not None and bool(scipy.issparse(matrix))

    @classmethod
    def copied(cls, matrix: Any) -> "Sparse":
        """Return a copy of a user's numbers, or raise an error if they are not a matrix."""
        check_shape(matrix.shape)
        copy = _csr_array(matrix, dtype=np.float64, copy=True)
        copy.sum_duplicates()
        copy.eliminate_zeros()
        return cls(copy)

    def with_unit_rows(self, named: Naming) -> "Sparse":
        """Return rows that sum to 1: itself if they do; raise an error for entries that are no probabilities."""
        starts, entries = self._array.indptr, self._array.data
        check_entries(entries, lambda at: int(np.searchsorted(starts, at, side="right")) - 1, named)
        divisors = divisors_of(np.asarray(self._array.sum(axis=1), dtype=np.float64).ravel(), named)
        if divisors is None:
            return self
        scaled = self._array.copy()
        scaled.data /= divisors.repeat(np.diff(starts))
        return Sparse(scaled)

    @property
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""
        rows, columns = self._array.shape
        return rows, columns

    @property
    def matrix(self) -> Any:
        """A copy, since a caller could change the structure of a sparse array even where its entries are read-only."""
        return self._array.copy()

    def dense(self) -> Reals:
        """Return a dense array."""
        return self._array.toarray()

    def blocks(self) -> Iterator[Block]:
        """Yield some rows at a time as dense arrays."""
        return ((start, rows.toarray()) for start, rows in row_blocks(self._array))

    def rows(self, chosen: Sequence[int]) -> "Sparse":
        """Return the rows with these numbers."""
        return Sparse(self._array[list(chosen), :])

    def columns(self, chosen: Integers) -> "Sparse":
        """Return the columns with these numbers."""
        if np.array_equal(chosen, np.arange(self.shape[1])):
            return self
        return Sparse(self._array[:, chosen])

    def weighted(self, weights: Reals) -> "Sparse":
        """Return each row times its weight."""
        return Sparse(self._array.multiply(weights[:, None]).tocsr())

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ C``."""
        return weights @ self._array

    def column_maxima(self) -> Reals:
        """Return the largest entry of each column."""
        maxima = np.zeros(self.shape[1])
        np.maximum.at(maxima, self._array.indices, self._array.data)
        return maxima

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each column the sum of its largest entries, each times the weight of its rank."""
        columns = self._array.tocsc()
        column = np.repeat(np.arange(self.shape[1]), np.diff(columns.indptr))
        order = np.lexsort((-columns.data, column))
        rank = np.arange(order.size) - columns.indptr[column]
        has_weight = rank < weights.size
        terms = weights[rank[has_weight]] * columns.data[order][has_weight]
        sums: Reals = np.bincount(column[has_weight], terms, minlength=self.shape[1]).astype(np.float64)
        return sums

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each column the largest sum of a class of rows."""
        members = (np.ones(class_of.size), (class_of, np.arange(class_of.size)))
        return Sparse(_csr_array(members) @ self._array).column_maxima()

    def column_minima(self) -> Reals:
        """Return the least entry of each column."""
        rows, columns = self.shape
        full = np.flatnonzero(np.bincount(self._array.indices, minlength=columns) == rows)
        minima = np.zeros(columns)
        if full.size:
            minima[full] = self.columns(full).dense().min(axis=0)
        return minima

    def column_means(self) -> Reals:
        """Return the mean entry of each column."""
        return np.asarray(self._array.mean(axis=0)).ravel()

    def besides_maxima(self) -> float:
        """Return the sum of all entries except the largest in each column."""
        largest = np.asarray(self._array.argmax(axis=0)).ravel()
        entries = self._array.tocoo()
        return float(entries.data[entries.row != largest[entries.col]].sum())

    def row_sums(self, function: EntryFunction) -> Reals:
        """Return ``Σ_y f(C[x, y], y)`` for every x: the sum for zero entries, corrected at the nonzero entries."""
        at_zero = function(np.zeros(self.shape[1]), slice(None))
        entries = self._array.tocoo()
        corrections = function(entries.data, entries.col) - at_zero[entries.col]
        return at_zero.sum() + np.bincount(entries.row, corrections, minlength=self.shape[0])

    def weighted_sum(self, weights: Reals, function: EntryFunction) -> float:
        """Return ``Σ_x w_x Σ_y f(C[x, y], y)``: the sum for zero entries, corrected at the nonzero entries."""
        at_zero = function(np.zeros(self.shape[1]), slice(None))
        entries = self._array.tocoo()
        corrections = weights[entries.row] * (function(entries.data, entries.col) - at_zero[entries.col])
        return math.fsum([float(weights.sum() * at_zero.sum()), *corrections.tolist()])

    @property
    def way_to_furthest_rows(self) -> str:
        """The algorithm over all pairs of rows, which skips their zeros."""
        return pairwise.BY_ROWS

    def furthest_rows(self, tolerance: float = 0.0) -> pairwise.FurthestRows:
        """Find the largest L1 distance between two rows, and the pairs within a tolerance of it."""
        return pairwise.furthest_sparse_rows(self._array, tolerance)

    def merged(self) -> tuple["Sparse", list[int]]:
        """Return the storage with proportional columns added up and zero ones dropped, and the columns that remain."""
        columns = self._array.tocsc(copy=True)
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
            for group in equal_columns(values / values.sum(axis=0)):
                group_of[np.asarray(members)[group]] = members[int(group[0])]
        groups = np.unique(group_of[group_of >= 0])
        alive = np.flatnonzero(group_of >= 0)
        sums = (np.ones(alive.size), (alive, np.searchsorted(groups, group_of[alive])))
        return Sparse(self._array @ _csr_array(sums, shape=(columns.shape[1], groups.size))), groups.tolist()

    @staticmethod
    def _of(part: Storage) -> Any:
        return part._array if isinstance(part, Sparse) else _csr_array(part.dense())

    @staticmethod
    def join_columns(parts: Sequence[Storage]) -> "Sparse":
        """Return the columns of several storages side by side."""
        from scipy.sparse import hstack  # noqa: PLC0415 - half a second that dense users need not pay

        return Sparse(hstack([Sparse._of(part) for part in parts], format="csr"))

    @staticmethod
    def row_products(left: Storage, right: Storage) -> "Sparse":
        """Return ``L[x, y] R[x, z]`` in column ``(y, z)``."""
        from scipy.sparse import kron, vstack  # noqa: PLC0415

        first, second = Sparse._of(left), Sparse._of(right)
        rows: list[Any] = [kron(first[[x], :], second[[x], :]) for x in range(left.shape[0])]
        return Sparse(vstack(rows, format="csr"))


def _csr_array(matrix: Any, **arguments: Any) -> Any:
    from scipy.sparse import csr_array  # noqa: PLC0415

    return csr_array(matrix, **arguments)
