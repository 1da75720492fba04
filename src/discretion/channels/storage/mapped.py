"""Storages that need not be in memory all at once: rows that are read some at a time, and all rows in a file."""

import operator
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from discretion.channels.storage.dense import Dense
from discretion.channels.storage.storage import Block, EntryFunction, Storage, check_size, row_blocks
from discretion.channels.storage.unit_rows import Naming
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances import pairwise
from discretion.numerics.distances.l1_tiles import distances_of
from discretion.numerics.matrices import class_sums, largest_entries, ranked_sums


class ByRows(Storage):
    """A storage of rows that need not be in memory all at once; a subclass defines ``shape`` and ``blocks``."""

    __slots__ = ()

    @property
    def matrix(self) -> Reals:
        """All rows in an array, read-only."""
        return self._in_memory().matrix

    def dense(self) -> Reals:
        """Return all rows in an array, or raise TooLargeError."""
        self._check_size(self.shape[1])
        return np.concatenate([block for _, block in self.blocks()])

    def _in_memory(self) -> Dense:
        return Dense(self.dense())

    def _check_size(self, columns: int) -> None:
        check_size(
            self.shape[0], columns, "the channel in memory", "measure it where it is stored, or restrict its secrets"
        )

    def rows(self, chosen: Sequence[int]) -> Dense:
        """Return the rows with these numbers, in memory."""
        numbers, entries = np.asarray(chosen), np.empty((len(chosen), self.shape[1]))
        for start, block in self.blocks():
            members = np.flatnonzero((numbers >= start) & (numbers < start + len(block)))
            entries[members] = block[numbers[members] - start]
        return Dense(entries)

    def columns(self, chosen: Integers) -> Dense:
        """Return the columns with these numbers, in memory, or raise TooLargeError."""
        self._check_size(chosen.size)
        return Dense(np.concatenate([block[:, chosen] for _, block in self.blocks()]))

    def weighted(self, weights: Reals) -> "Weighted":
        """Return each row times its weight, computed when it is read."""
        return Weighted(self, weights)

    def mixtures(self, weights: Reals) -> Reals:
        """Return ``weights @ C``."""
        parts = ((weights[..., start : start + len(block)], block) for start, block in self.blocks())
        return reduce(operator.add, (part @ block for part, block in parts))

    def column_maxima(self) -> Reals:
        """Return the largest entry of each column."""
        return reduce(np.fmax, (np.fmax.reduce(block, axis=0) for _, block in self.blocks()))

    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each column the sum of its largest entries, each times the weight of its rank."""
        what = "the largest entries of all columns"
        check_size(weights.size, self.shape[1], what, "take fewer tries, or restrict its secrets")
        entries = np.empty((0, self.shape[1]))
        for _, block in self.blocks():
            entries = largest_entries(np.concatenate([entries, block]), weights.size)
        return ranked_sums(entries, weights)

    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each column the largest sum of a class of rows."""
        classes = int(class_of.max()) + 1
        check_size(classes, self.shape[1], "the sums of all blocks", "take fewer blocks, or restrict its secrets")
        sums = np.zeros((classes, self.shape[1]))
        for start, block in self.blocks():
            block_sums = class_sums(block, class_of[start : start + len(block)])
            sums[: len(block_sums)] += block_sums
        return sums.max(axis=0)

    def column_minima(self) -> Reals:
        """Return the least entry of each column."""
        return reduce(np.fmin, (np.fmin.reduce(block, axis=0) for _, block in self.blocks()))

    def column_means(self) -> Reals:
        """Return the mean entry of each column."""
        return reduce(operator.add, (block.sum(axis=0) for _, block in self.blocks())) / self.shape[0]

    def besides_maxima(self) -> float:
        """Return the sum of all entries except the largest in each column, as a difference, in half the time."""
        largest, total = np.zeros(self.shape[1]), 0.0
        for _, block in self.blocks():
            total += float(block.sum())
            np.maximum(block.max(axis=0), largest, out=largest)
        return max(0.0, total - float(largest.sum()))

    def row_sums(self, function: EntryFunction) -> Reals:
        """Return ``Σ_y f(C[x, y], y)`` for every x."""
        return np.concatenate([Dense(block).row_sums(function) for _, block in self.blocks()])

    def weighted_sum(self, weights: Reals, function: EntryFunction) -> float:
        """Return ``Σ_x w_x Σ_y f(C[x, y], y)``."""
        parts = ((weights[start : start + len(block)], Dense(block)) for start, block in self.blocks())
        return sum(block.weighted_sum(part, function) for part, block in parts)

    @property
    def way_to_furthest_rows(self) -> str:
        """The name of the algorithm that suits the shape."""
        return pairwise.algorithm_of_shape(*self.shape)

    def furthest_rows(self, tolerance: float = 0.0) -> pairwise.FurthestRows:
        """Find the largest L1 distance between two rows, with all rows in memory, or raise TooLargeError."""
        return self._in_memory().furthest_rows(tolerance)

    def merged(self) -> tuple[Dense, list[int]]:
        """Return it in memory with proportional columns added up and zero ones dropped, or raise TooLargeError."""
        return self._in_memory().merged()

    join_columns = staticmethod(Dense.join_columns)
    row_products = staticmethod(Dense.row_products)


class Weighted(ByRows):
    """The rows of another storage, each times its own weight."""

    __slots__ = ("_rows", "_weights")

    def __init__(self, rows: Storage, weights: Reals) -> None:
        self._rows, self._weights = rows, weights

    @property
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""
        return self._rows.shape

    def blocks(self) -> Iterator[Block]:
        """Yield the weighted rows, some at a time."""
        for start, block in self._rows.blocks():
            yield start, self._weights[start : start + len(block), None] * block


class Mapped(ByRows):
    """An array on disk, which must not change while the channel is in use."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        # A plain view of the map, which compiled loops know.
        self._array: Reals = np.asarray(array).view()
        self._array.setflags(write=False)

    def with_unit_rows(self, named: Naming) -> "Mapped":
        """Return rows that sum to 1: itself, or a copy on disk; raise an error unless entries are probabilities."""
        if all(rows is block for block, rows in self._checked(named)):
            return self
        return Mapped(on_disk((rows.dense() for _, rows in self._checked(named)), self.shape))

    def _checked(self, named: Naming) -> Iterator[tuple[Dense, Dense]]:
        for start, block in self.blocks():
            part = Dense(block)
            yield part, part.with_unit_rows(lambda row, start=start: named(start + row))

    @property
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""
        rows, columns = self._array.shape
        return rows, columns

    @property
    def matrix(self) -> Reals:
        """The array on disk, read-only."""
        return self._array

    def dense(self) -> Reals:
        """Return the array on disk if it would fit in memory, or raise TooLargeError."""
        self._check_size(self.shape[1])
        return self._array

    def blocks(self) -> Iterator[Block]:
        """Yield parts of the array."""
        return row_blocks(self._array)

    def rows(self, chosen: Sequence[int]) -> Dense:
        """Return the rows with these numbers, in memory."""
        return Dense(self._array[list(chosen), :])

    def distances_to(self, row: int) -> Reals:
        """Return the L1 distance of every row to one of them."""
        return distances_of(self._array, self._array[row : row + 1])[:, 0]

    def furthest_rows(self, tolerance: float = 0.0) -> pairwise.FurthestRows:
        """Find the largest L1 distance between two rows on disk, and the pairs within a tolerance of it."""
        return pairwise.furthest_rows(self._array, tolerance)


def on_disk(parts: Iterable[Reals], shape: tuple[int, int]) -> Any:
    """Return the parts, one below the other, as an array in a temporary file that is deleted with it."""
    if 0 in shape:
        return np.empty(shape)
    import tempfile  # noqa: PLC0415 - what nobody needs who has memory

    with tempfile.TemporaryFile() as file:  # the map outlives the name and the handle
        if hasattr(os, "posix_fallocate"):  # a full disk is an error now, and not a crash when a page is written
            os.posix_fallocate(file.fileno(), 0, 8 * shape[0] * shape[1])
        matrix = np.memmap(file, dtype=np.float64, mode="w+", shape=shape)
    start = 0
    for part in parts:
        matrix[start : start + len(part)] = part
        start += len(part)
    return matrix
