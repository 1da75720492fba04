"""People's values by their frequency; the less frequent values of each column may become one value."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Integers
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.layouts.names import names_among
from discretion.validation import as_count

# Columns by their places, in order; how many of the most frequent values of each are distinguished.
Places = tuple[int, ...]
Kept = tuple[int, ...]


def as_kept(kept: Mapping[str, int] | None, columns: Sequence[str]) -> dict[str, int]:
    """Return the numbers of distinguished values of the named columns; other columns distinguish all values."""
    given: Mapping[str, int] = kept or {}
    if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValueError(f"kept must be a mapping from columns to numbers of values, got {type(given).__name__}")
    return {name: as_count(given[name], f"kept[{name!r}]", at_least=0) for name in names_among(tuple(given), columns)}


@dataclass(frozen=True)
class Records:
    """People's values of columns, by their ranks: 0 is a column's most frequent value.

    Parameters
    ----------
    ranks
        A row for each equivalence class, with the ranks of its values.
    sizes
        The number of people in each class.
    """

    ranks: Integers
    sizes: Integers

    @classmethod
    def of(cls, codes: Integers, sizes: Integers) -> "Records":
        """Return records of values by any codes; of equally frequent values the lesser code comes first."""
        ranks = np.empty_like(codes)
        for place in range(codes.shape[1]):
            people = np.bincount(codes[:, place], sizes)
            order = np.lexsort((np.arange(people.size), -people))
            rank_of = np.empty_like(order)
            rank_of[order] = np.arange(order.size)
            ranks[:, place] = rank_of[codes[:, place]]
        return cls(ranks, sizes)

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.sizes.sum())

    @property
    def most_kept(self) -> Kept:
        """The largest number of values of each column that can be distinguished from "other", the last value."""
        return tuple(int(most) for most in self.ranks.max(axis=0))

    def table(self, places: Places, kept: Kept) -> Integers:
        """Return the number of people with each combination of answers; the last answer of each column is "other"."""
        shape = tuple(most + 1 for most in kept)
        capped = [np.minimum(self.ranks[:, place], most) for place, most in zip(places, kept, strict=True)]
        cells = np.ravel_multi_index(capped, shape) if capped else np.zeros(self.sizes.size, np.int64)
        return np.bincount(cells, self.sizes, prod(shape)).astype(np.int64).reshape(shape)

    def class_sizes(self, places: Places, kept: Kept) -> ClassSizes:
        """Return the sizes of the classes of people with the same answers; there may be very many possible answers."""
        capped = np.minimum(self.ranks[:, places], kept)
        _, answer = np.unique(capped, axis=0, return_inverse=True)
        return ClassSizes.from_counts(np.bincount(answer.reshape(-1), self.sizes).astype(np.int64))
