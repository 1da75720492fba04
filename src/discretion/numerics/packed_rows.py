"""Rows packed into words of 64 bits, a field for each column: a set of columns is a mask, its classes take one pass.

A hash table finds a class by its masked words, which are compared in full, so that the counts are exact.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import prod

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Codes, Integers
from discretion.numerics.compiled import compiled
from discretion.numerics.equivalence_classes import Column

Words = NDArray[np.uint64]

_WORD = 64
# Of a set that is asked about, and of the columns that are guessed by it.
_MOST_CLASSES_KEPT = 4
# An odd number near 2⁶⁴/φ, as in Knuth's multiplicative hashing.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_ONE = np.uint64(1)


class PackedRows:
    """Rows of coded columns, which can be grouped by one set of these columns after another.

    Parameters
    ----------
    columns
        The codes of all rows in each column.
    rows
        The number of rows.

    Examples
    --------
    >>> first, second = (Column(np.array(codes, np.int32), 2) for codes in ([0, 0, 1, 1], [0, 1, 1, 1]))
    >>> packed = PackedRows([first, second], 4)
    >>> packed.class_sizes([0]).tolist(), packed.class_sizes([0, 1]).tolist()
    ([2, 2], [1, 1, 2])
    >>> packed.best_guesses([0], 1), packed.codes(1).tolist()
    ((3, 2), [0, 1, 1, 1])
    """

    def __init__(self, columns: Sequence[Column], rows: int) -> None:
        self._words: Words = np.zeros((rows, 1), np.uint64)
        self._used = 0
        self._fields: list[tuple[int, int]] = []
        self._counts: list[int] = []
        # Those of the set that is asked about are needed again for each column that is guessed.
        self._classes = lru_cache(2)(self._numbered)
        self.extend(columns)

    def extend(self, columns: Sequence[Column]) -> list[int]:
        """Add columns, and return their places."""
        shifts: list[int] = []
        last, used = self._words.shape[1] - 1, self._used
        for column in columns:
            width = max(1, (column.count - 1).bit_length())
            if used + width > _WORD:
                last, used = last + 1, 0
            shifts.append(used)
            self._fields.append((last, ((1 << width) - 1) << used))
            self._counts.append(column.count)
            used += width
        rows, before = self._words.shape
        if last >= before:
            self._words = np.hstack([self._words, np.zeros((rows, last + 1 - before), np.uint64)])
        added = range(len(self._fields) - len(columns), len(self._fields))
        for place, column, shift in zip(added, columns, shifts, strict=True):
            self._words[:, self._fields[place][0]] |= column.codes.astype(np.uint64) << np.uint64(shift)
        self._used = used
        return [*added]

    def codes(self, column: int) -> Codes:
        """Return the codes of a column, given by its place."""
        word, mask = self._fields[column]
        shift = (mask & -mask).bit_length() - 1
        return ((self._words[:, word] & np.uint64(mask)) >> np.uint64(shift)).astype(np.int32)

    def class_sizes(self, columns: Iterable[int]) -> Integers:
        """Return the sizes of the classes of rows that agree on the columns, given by their places."""
        return self._classes(frozenset(columns))[2].astype(np.int64)

    def classes(self, columns: Iterable[int]) -> Codes:
        """Return the class of each row among the classes of rows that agree on the columns."""
        return self._classes(frozenset(columns))[0].copy()

    def best_guesses(self, columns: Iterable[int], guessed: int) -> tuple[int, int]:
        """Return the number of rows with the commonest value of their class, and of rows in classes of a single value.

        Parameters
        ----------
        columns
            The places of the columns that define the classes.
        guessed
            The place of the column with the values.
        """
        classes, _, sizes = self._classes(frozenset(columns))
        _, first_rows, together = self._classes(frozenset([*columns, guessed]))
        best = np.zeros_like(sizes)
        np.maximum.at(best, classes[first_rows], together)
        return int(best.sum(dtype=np.int64)), int(best[best == sizes].sum(dtype=np.int64))

    def _numbered(self, columns: frozenset[int]) -> tuple[Codes, Codes, Codes]:
        """Return the class of each row, and the first row and the size of each class."""
        rows, width = self._words.shape
        masks = [0] * width
        for word, mask in (self._fields[place] for place in columns):
            masks[word] |= mask
        most = min(rows, prod(self._counts[place] for place in columns))
        slots = np.full(1 << (2 * most - 1).bit_length(), -1, np.int32)  # at most half of them are taken
        classes, first_rows, sizes = (np.empty(length, np.int32) for length in (rows, most, most))
        count = np.zeros(1, np.int64)
        compiled(_number_classes)(
            self._words, np.array(masks, np.uint64), slots, classes, first_rows, sizes, count
        )  # fmt: skip
        return classes, first_rows[: count[0]], sizes[: count[0]]


class PackedPeople:
    """People with several rows each, which can be grouped by their rows on one set of columns after another.

    People are in the same class if their rows have the same combinations of values, each as often.

    Parameters
    ----------
    columns
        The codes of all rows in each column.
    people
        The person of each row.

    Examples
    --------
    >>> codes = ([0, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1])
    >>> visits, ills, whose = (Column(np.array(each, np.int32), 2) for each in codes)
    >>> packed = PackedPeople([visits, ills], whose)
    >>> packed.class_sizes([0]).tolist(), packed.class_sizes([0, 1]).tolist(), packed.best_guesses([0], 1)
    ([2], [1, 1], (1, 0))
    """

    def __init__(self, columns: Sequence[Column], people: Column) -> None:
        order = np.argsort(people.codes, kind="stable")
        self._rows = PackedRows([Column(each.codes[order], each.count) for each in columns], order.size)
        rows_of_each = people.sizes()
        self._starts = np.concatenate([[0], np.cumsum(rows_of_each)])
        self._classes = lru_cache(_MOST_CLASSES_KEPT)(self._numbered)

    def class_sizes(self, columns: Iterable[int]) -> Integers:
        """Return the sizes of the classes of people who agree on the columns, given by their places."""
        classes = self._classes(frozenset(columns))
        return classes.sizes()

    def best_guesses(self, columns: Iterable[int], guessed: int) -> tuple[int, int]:
        """Return the number of people with the commonest rows of their class, and of people in classes of a single one.

        The guessed value of a person is the combination of all values in the person's rows.
        """
        both = [self._classes(frozenset(columns)), self._classes(frozenset([guessed]))]
        return PackedRows(both, self._starts.size - 1).best_guesses([0], 1)

    def _numbered(self, columns: frozenset[int]) -> Column:
        """Return the class of each person."""
        people = self._starts.size - 1
        if not columns:
            return Column(np.zeros(people, np.int32), 1)
        rows = self._rows.classes(columns)
        slots = np.full(1 << (2 * people - 1).bit_length(), -1, np.int32)
        classes, first_people, count = np.empty(people, np.int32), np.empty(people, np.int64), np.zeros(1, np.int64)
        compiled(_number_people)(rows, self._starts, slots, classes, first_people, count)
        return Column(classes, int(count[0]))


def _number_people(  # noqa: PLR0917 - a loop over arrays
    rows: Codes, starts: Integers, slots: Codes, classes: Codes, first_people: Integers, count: Integers
) -> None:
    last = np.uint64(slots.size - 1)
    following = 0
    for i in range(starts.size - 1):
        begin, end = starts[i], starts[i + 1]
        rows[begin:end].sort()
        key = np.uint64(end - begin)
        for j in range(begin, end):
            key = (key ^ np.uint64(rows[j])) * _FACTOR
            key ^= key >> _HALF
        slot = key & last
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot] = classes[i] = following
                first_people[following] = i
                following += 1
                break
            other = starts[first_people[found]]
            differs = starts[first_people[found] + 1] - other != end - begin
            if not differs:
                for j in range(end - begin):
                    if rows[begin + j] != rows[other + j]:
                        differs = True
                        break
            if not differs:
                classes[i] = found
                break
            slot = (slot + _ONE) & last
    count[0] = following


def _number_classes(  # noqa: PLR0917 - a loop over arrays
    words: Words, masks: Words, slots: Codes, classes: Codes, first_rows: Codes, sizes: Codes, count: Integers
) -> None:
    rows, width = words.shape
    last = np.uint64(slots.size - 1)
    following = 0
    for i in range(rows):
        key = np.uint64(0)
        for j in range(width):
            key = (key ^ (words[i, j] & masks[j])) * _FACTOR
            key ^= key >> _HALF
        slot = key & last
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot] = classes[i] = following
                first_rows[following] = i
                sizes[following] = 1
                following += 1
                break
            differs = False
            for j in range(width):
                if (words[i, j] ^ words[first_rows[found], j]) & masks[j]:
                    differs = True
                    break
            if not differs:
                classes[i] = found
                sizes[found] += 1
                break
            slot = (slot + _ONE) & last
    count[0] = following
