"""All entries in a file, which the system maps into memory as they are read."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from discretion.channels.storage.by_rows import ByRows
from discretion.channels.storage.dense import Dense
from discretion.channels.storage.storage import Block, row_blocks
from discretion.channels.storage.unit_rows import Naming
from discretion.numerics.arrays import Reals
from discretion.numerics.distances import pairwise
from discretion.numerics.distances.l1_tiles import distances_of


class Mapped(ByRows):
    """An array on disk, which must not change meanwhile."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        # A plain view of the map, which compiled loops know.
        self._array: Reals = np.asarray(array).view()
        self._array.setflags(write=False)

    def with_unit_rows(self, named: Naming) -> "Mapped":
        """Return rows that sum to 1, itself if they do, else on disk too; refuse what is not probabilities."""
        if all(rows is given for given, rows in self._checked(named)):
            return self
        return Mapped(on_disk((rows.dense() for _, rows in self._checked(named)), self.shape))

    def _checked(self, named: Naming) -> Iterator[tuple[Dense, Dense]]:
        for start, block in self.blocks():
            given = Dense(block)
            yield given, given.with_unit_rows(lambda row, start=start: named(start + row))

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

    def furthest_rows(self, tolerance: float = 0.0) -> pairwise.Furthest:
        """Find the largest L1 distance between two rows where they are, and the pairs within a tolerance of it."""
        return pairwise.furthest_rows(self._array, tolerance)


def on_disk(parts: Iterable[Reals], shape: tuple[int, int]) -> Any:
    """Return the parts, one under the other, as an array in a temporary file that goes away with it."""
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
