"""The interface of a storage of a channel's probabilities, the same for every kind of storage."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, Union

import numpy as np

from discretion import limits
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.distances.l1_tiles import distances_of
from discretion.numerics.distances.pairwise import FurthestRows
from discretion.validation import MAX_ENTRIES, Fractions

# Entries of a channel that is composed in fractions, n times that of n uses.
MAX_FRACTIONS = 1 << 20


def check_size(rows: float, columns: float, what: str, way_out: str) -> None:
    """Raise TooLargeError if an explicit matrix would not fit in memory."""
    if rows * columns > (most := limits.current().numbers(MAX_ENTRIES)):
        raise TooLargeError(f"{what} would have more than {most:,} entries; {way_out}")


if TYPE_CHECKING:
    from scipy.sparse import csr_array

# What users are given and give: NumPy's, of doubles or fractions, or SciPy's, which takes half a second to import.
Matrix: TypeAlias = Union[Reals, Fractions, "csr_array[np.float64]"]
# Some rows, after the number of the first.
Block = tuple[int, Reals]
# Of entries and the numbers of their columns, which broadcast to one another.
EntryFunction = Callable[[Reals, Any], Reals]

_ENTRIES_AT_ONCE = 1 << 20


class Storage(ABC):
    """Probabilities, a row per secret and a column per observation, with the sums and extremes that measures need.

    No code outside of this package depends on the kind of a storage. A kind that can return its rows as arrays, some at
    a time, is a `ByRows`, which computes everything from them; other kinds compute as suits how they store the rows.
    Entries are finite and at least 0. The rows of a channel sum to 1; the rows of a joint law need not.
    """

    __slots__ = ()

    # What a channel's text says of it.
    adjective: ClassVar[str] = ""
    # Of several kinds put together, the one with the most says how.
    precedence: ClassVar[int] = 0

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """``(secrets, observations)``."""

    @property
    @abstractmethod
    def matrix(self) -> Matrix:
        """The matrix as the user receives it; changing it does not change the storage."""

    @property
    def fractions(self) -> Fractions | None:
        """The matrix as read-only fractions; None if entries are doubles."""
        return None

    @abstractmethod
    def dense(self) -> Reals:
        """Return all rows as an array, which the caller must not write to, or raise TooLargeError."""

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the rows as arrays, some at a time, each with the number of its first row."""

    @abstractmethod
    def rows(self, chosen: Sequence[int]) -> "Storage":
        """Return the rows with these numbers."""

    @abstractmethod
    def columns(self, chosen: Integers) -> "Storage":
        """Return the columns with these numbers."""

    @abstractmethod
    def weighted(self, weights: Reals) -> "Storage":
        """Return each row times its weight."""

    @abstractmethod
    def mixtures(self, weights: Reals) -> Reals:
        """Return mixtures of the rows, ``weights @ C``, shape ``(m,)`` or ``(mixtures, m)``."""

    @abstractmethod
    def column_maxima(self) -> Reals:
        """Return the largest entry of each column."""

    @abstractmethod
    def ranked_sums(self, weights: Reals) -> Reals:
        """Return for each column the weighted sum of its entries: the i-th largest entry times the i-th weight."""

    @abstractmethod
    def class_maxima(self, class_of: Integers) -> Reals:
        """Return for each column the largest sum over a class of rows; ``class_of`` has the class of each row."""

    @abstractmethod
    def column_minima(self) -> Reals:
        """Return the least entry of each column."""

    @abstractmethod
    def column_means(self) -> Reals:
        """Return the mean entry of each column."""

    @abstractmethod
    def besides_maxima(self) -> float:
        """Return the sum of all entries except the largest in each column, from small terms where that is as fast."""

    @abstractmethod
    def row_sums(self, function: EntryFunction) -> Reals:
        """Return ``Σ_y f(C[x, y], y)`` for every x, with f as in `weighted_sum`."""

    @abstractmethod
    def weighted_sum(self, weights: Reals, function: EntryFunction) -> float:
        """Return ``Σ_x w_x Σ_y f(C[x, y], y)``; each call of f has many entries and the numbers of their columns."""

    def distances_to(self, row: int) -> Reals:
        """Return the L1 distance of every row to one row."""
        point = self.rows([row]).dense()
        return np.concatenate([distances_of(block, point)[:, 0] for _, block in self.blocks()])

    @property
    @abstractmethod
    def way_to_furthest_rows(self) -> str:
        """The name of the algorithm of `furthest_rows`."""

    @abstractmethod
    def furthest_rows(self, tolerance: float = 0.0) -> FurthestRows:
        """Find the largest L1 distance between two rows, and the pairs within a tolerance of it."""

    @abstractmethod
    def merged(self) -> tuple["Storage", list[int]]:
        """Return the storage with proportional columns added up and zero ones dropped, and the columns that remain."""

    @staticmethod
    @abstractmethod
    def join_columns(parts: Sequence["Storage"]) -> "Storage":
        """Return the columns of several storages side by side."""

    @staticmethod
    @abstractmethod
    def row_products(left: "Storage", right: "Storage") -> "Storage":
        """Return ``L[x, y] R[x, z]`` in column ``(y, z)``, the pairs in order."""


def row_blocks(matrix: Any) -> Iterator[tuple[int, Any]]:
    """Yield some rows of an array at a time, each block with the number of its first row."""
    rows, columns = matrix.shape
    step = rows_at_once(columns)
    for start in range(0, rows, step):
        yield start, matrix[start : start + step]


def rows_at_once(columns: int) -> int:
    """Return the number of rows that are read at a time."""
    return max(1, _ENTRIES_AT_ONCE // max(1, columns))
