"""Storage of all entries in an array in memory."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from discretion.channels.storage.storage import Block, EntryFunction, Storage, check_size, row_blocks
from discretion.channels.storage.unit_rows import Naming, check_entries, check_shape, divisors_of
from discretion.errors import InvalidChannelError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances import pairwise
from discretion.numerics.distances.l1_tiles import distances_of
from discretion.numerics.matrices import besides_maxima, class_sums, merged_columns, ranked_sums
from discretion.validation import NotNumbersError, as_reals


class Dense(Storage):
    """A storage in an array in memory, which it takes without a copy."""

    __slots__ = ("_array",)

    def __init__(self, array: Reals) -> None:
        self._array = array.view()
        self._array.setflags(write=False)

    @classmethod
    def copied(cls, matrix: Any) -> "Dense":
        """Return a copy of a user's numbers, or raise an error if they are not a matrix."""
        try:
            copy = np.asarray(as_reals(matrix), order="C")  # rows, which are compared, in one piece
        except NotNumbersError:
            raise InvalidChannelError("a channel must hold numbers, in rows of equal length") from None
        check_shape(copy.shape)
        return cls(copy)

    def with_unit_rows(self, named: Naming) -> "Dense":
        """Return rows that sum to 1: itself if they do; raise an error for entries that are no probabilities."""
        check_entries(self._array.ravel(), lambda at: at // self.shape[1], named)
        divisors = divisors_of(self._array.sum(axis=1), named)
        return self if divisors is None else Dense(self._array / divisors[:, None])

    @property
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""
        rows, columns = self._array.shape
        return rows, columns

    @property
    def matrix(self) -> Reals:
        """The array, read-only."""
        return self._array

    def dense(self) -> Reals:
        """Return the array."""
        return self._array

    def blocks(self) -> Iterator[Block]:
        """Yield parts of the array."""
        return row_blocks(self._array)

    def rows(self, chosen: Sequence[int]) -> "Dense":
        """Return the rows with these numbers."""
        return Dense(self._array[list(chosen), :])

    def columns(self, chosen: Integers) -> "Dense":
        """Return the columns with these numbers."""
        return Dense(self._array[:, chosen])

    def weighted(self, weights: Reals) -> "Dense":
        """Return each row times its weight."""
        return Dense(weights[:, None] * self._array)

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ C``."""
        return weights @ self._array

    def column_maxima(self) -> Reals:
        """Return the largest entry of each column."""
        return np.fmax.reduce(self._array, axis=0)  # no entry is NaN: without a look for it one pass takes half as long

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each column the sum of its largest entries, each times the weight of its rank."""
        return ranked_sums(self._array, weights)

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each column the largest sum of a class of rows."""
        return class_sums(self._array, class_of).max(axis=0)

    def column_minima(self) -> Reals:
        """Return the least entry of each column."""
        return np.fmin.reduce(self._array, axis=0)

    def column_means(self) -> Reals:
        """Return the mean entry of each column."""
        return self._array.mean(axis=0)

    def besides_maxima(self) -> float:
        """Return the sum of all entries but the largest in each column."""
        return besides_maxima(self._array)

    def row_sums(self, function: EntryFunction) -> Reals:
        """Return ``Σ_y f(C[x, y], y)`` for every x."""
        return np.concatenate([function(block, slice(None)).sum(axis=1) for _, block in self.blocks()])

    def weighted_sum(self, weights: Reals, function: EntryFunction) -> float:
        """Return ``Σ_x w_x Σ_y f(C[x, y], y)``."""
        return float(weights @ function(self._array, slice(None)).sum(axis=1))

    def distances_to(self, row: int) -> Reals:
        """Return the L1 distance of every row to one of them."""
        return distances_of(self._array, self._array[row : row + 1])[:, 0]

    @property
    def way_to_furthest_rows(self) -> str:
        """The name of the algorithm that suits the shape."""
        return pairwise.algorithm_of_shape(*self.shape)

    def furthest_rows(self, tolerance: float = 0.0) -> pairwise.FurthestRows:
        """Find the largest L1 distance between two rows, and the pairs within a tolerance of it."""
        return pairwise.furthest_rows(self._array, tolerance)

    def merged(self) -> tuple["Dense", list[int]]:
        """Return the storage with proportional columns added up and zero ones dropped, and the columns that remain."""
        merged, places = merged_columns(self._array)
        return Dense(merged), places

    @staticmethod
    def join_columns(parts: Sequence[Storage]) -> "Dense":
        """Return the columns of several storages side by side."""
        return Dense(np.hstack([part.dense() for part in parts]))

    @staticmethod
    def row_products(left: Storage, right: Storage) -> "Dense":
        """Return ``L[x, y] R[x, z]`` in column ``(y, z)``, or raise TooLargeError."""
        (rows, first), (_, second) = left.shape, right.shape
        check_size(rows, first * second, "the parallel composition", "reduce them first, by Channel.reduced()")
        return Dense(np.einsum("xy,xz->xyz", left.dense(), right.dense()).reshape(rows, -1))
