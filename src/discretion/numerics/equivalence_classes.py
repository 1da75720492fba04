"""Equivalence classes of rows by small codes: refined by further columns, and counted, without sorting.

A class and a code make a cell of a table, whose cells are counted in one pass over the rows. If the table would have
far more cells than there are rows, the occupied cells are first numbered by sorting.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from discretion.numerics.arrays import Booleans, Codes, Integers, code_type
from discretion.numerics.compiled import compiled

Int64s = Integers

# Of fewer rows NumPy is done before a loop is loaded.
COMPILED_FROM = 50_000
# So many equal pairs are expected of numbers that were drawn.
_REPEATS = 10
# A table of cells may have so many times as many cells as there are rows.
_SPARSE = 8
_LEAST_CELLS = 1 << 19
# Rows that are counted at once, in eight bytes each.
_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Column:
    """The codes of all rows in one column.

    Parameters
    ----------
    codes
        The code of each row, from 0; kept in as few bytes as the count needs, since a search holds many columns.
    count
        The highest code plus 1.
    """

    codes: Codes
    count: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "codes", self.codes.astype(code_type(self.count), copy=False))

    def sizes(self, rows: Booleans | None = None) -> Int64s:
        """Return the number of rows with each code, among some rows or all: by blocks, of which NumPy makes copies."""
        result = np.zeros(self.count, np.int64)
        for start in range(0, self.codes.size, _AT_ONCE):
            block = slice(start, start + _AT_ONCE)
            codes = self.codes[block] if rows is None else self.codes[block][rows[block]]
            result += np.bincount(codes, minlength=self.count)
        return result


def are_row_numbers(count: int, span: float) -> bool:
    """Return whether ``count`` distinct whole numbers in a range of this span are too dense to be random draws from it.

    They are if the same number of random draws has 10 or more equal pairs on average, ``count·(count − 1)/2/(span +
    1)``: random draws are then all distinct with a probability of at most about e⁻¹⁰.

    Examples
    --------
    >>> are_row_numbers(100, 99), are_row_numbers(100, 365)
    (True, True)
    >>> are_row_numbers(100, 10_000)
    False
    """
    return count * (count - 1) / 2 >= _REPEATS * (span + 1)


def everybody(rows: int) -> Column:
    """Return the single class of all rows."""
    return Column(np.zeros(rows, code_type(1)), 1)


def refined(classes: Column, by: Column) -> Column:
    """Return the classes of the rows that agree on both columns, numbered from 0.

    Examples
    --------
    >>> halves = Column(np.array([0, 0, 1, 1], np.int32), 2)
    >>> refined(halves, Column(np.array([0, 1, 1, 1], np.int32), 2)).count
    3
    """
    size = classes.count * by.count
    if _is_sparse(size, classes):
        _, codes = np.unique(classes.codes.astype(np.int64) * by.count + by.codes, return_inverse=True)
        return Column(codes, int(codes.max()) + 1)
    if classes.codes.size < COMPILED_FROM:
        keys = classes.codes * np.int32(by.count) + by.codes
        numbers = np.cumsum(np.bincount(keys, minlength=size) > 0, dtype=np.int32) - np.int32(1)
        return Column(numbers[keys], int(numbers[-1]) + 1)
    numbers, found = np.full(size, -1, np.int32), np.zeros(1, np.int64)
    codes = np.empty(classes.codes.size, code_type(min(size, classes.codes.size)))
    compiled(_number_cells)(classes.codes, by.codes, by.count, numbers, codes, found)
    return Column(codes, int(found[0]))


def without_each(columns: Sequence[Column], rows: int) -> Iterator[Column]:
    """Yield the classes of the rows that agree on all columns but one, for each column in turn.

    Examples
    --------
    >>> a, b = Column(np.array([0, 0, 1], np.int32), 2), Column(np.array([0, 1, 2], np.int32), 3)
    >>> [classes.count for classes in without_each([a, b], 3)]
    [3, 2]
    """
    after = [*accumulate(reversed(columns[1:]), refined, initial=everybody(rows))]
    before = everybody(rows)
    for column in columns:
        yield refined(before, after.pop())
        before = refined(before, column)


def class_sizes(classes: Column, by: Column) -> Int64s:
    """Return the sizes of the classes of rows that agree on both columns, in no special order.

    Examples
    --------
    >>> halves = Column(np.array([0, 0, 1, 1], np.int32), 2)
    >>> sorted(class_sizes(halves, Column(np.array([0, 1, 1, 1], np.int32), 2)).tolist())
    [1, 1, 2]
    """
    counts = cell_counts(classes, by)
    return counts[counts > 0].astype(np.int64)


def cell_counts(classes: Column, by: Column) -> Codes:
    """Return the number of rows in each cell of the table by class and code, for all cells or only occupied ones.

    Examples
    --------
    >>> halves = Column(np.array([0, 0, 1, 1], np.int32), 2)
    >>> cell_counts(halves, Column(np.array([0, 1, 1, 1], np.int32), 2)).tolist()
    [1, 1, 0, 2]
    """
    size = classes.count * by.count
    if _is_sparse(size, classes):
        keys = np.sort(classes.codes.astype(np.int64) * by.count + by.codes)
        starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1], [True])))
        return np.diff(starts).astype(np.int32)
    if classes.codes.size < COMPILED_FROM:
        return np.bincount(classes.codes * np.int32(by.count) + by.codes, minlength=size).astype(np.int32)
    counts = np.zeros(size, np.int32)
    compiled(_count_cells)(classes.codes, by.codes, by.count, counts)
    return counts


def rows_in_small(classes: Column, by: Column, least: int) -> int:
    """Return the number of rows in classes of fewer than ``least`` rows that agree on both columns.

    Examples
    --------
    >>> halves = Column(np.array([0, 0, 1, 1], np.int32), 2)
    >>> rows_in_small(halves, Column(np.array([0, 1, 1, 1], np.int32), 2), 2)
    2
    """
    return rows_in_small_cells(cell_counts(classes, by), least)


def rows_in_small_cells(counts: Codes, least: int) -> int:
    """Return the number of rows in cells of fewer than ``least`` rows, from the counts of all cells."""
    if counts.size < COMPILED_FROM:
        return int(counts[counts < least].sum())
    total = np.zeros(1, np.int64)
    compiled(_add_small)(counts, min(least, np.iinfo(np.int32).max), total)
    return int(total[0])


@dataclass(frozen=True)
class Cells:
    """The occupied cells of a table by class and code: the class, the code, and the number of rows of each."""

    classes: Codes
    codes: Codes
    sizes: Int64s


def cells(classes: Column, by: Column) -> Cells:
    """Return the occupied cells of a table by class and code.

    Examples
    --------
    >>> halves = Column(np.array([0, 0, 1, 1], np.int32), 2)
    >>> cells(halves, Column(np.array([0, 1, 1, 1], np.int32), 2)).sizes.tolist()
    [1, 1, 2]
    """
    both = refined(classes, by)
    of_class, of_code = np.empty(both.count, np.int32), np.empty(both.count, np.int32)
    of_class[both.codes], of_code[both.codes] = classes.codes, by.codes
    return Cells(of_class, of_code, both.sizes())


def best_guesses(classes: Column, guessed: Column) -> tuple[int, int]:
    """Return the number of rows with the commonest code of their class, and of rows in classes with a single code.

    Examples
    --------
    >>> halves = Column(np.array([0, 0, 1, 1, 1], np.int32), 2)
    >>> best_guesses(halves, Column(np.array([0, 0, 0, 1, 1], np.int32), 2))
    (4, 2)
    """
    both = cells(classes, guessed)
    best = np.zeros(classes.count, np.int64)
    np.maximum.at(best, both.classes, both.sizes)
    alone = classes.sizes() == best
    return int(best.sum()), int(best[alone].sum())


def _is_sparse(cells: int, classes: Column) -> bool:
    return cells > max(_SPARSE * classes.codes.size, _LEAST_CELLS)


def _count_cells(classes: Codes, codes: Codes, count: int, cells: Codes) -> None:
    for i in range(classes.size):
        cells[np.int64(classes[i]) * count + codes[i]] += 1


def _add_small(cells: Codes, least: int, total: Int64s) -> None:
    small = 0
    for j in range(cells.size):
        if cells[j] < least:
            small += cells[j]
    total[0] = small


def _number_cells(  # noqa: PLR0917 - a loop over arrays
    classes: Codes, codes: Codes, count: int, numbers: Codes, found_codes: Codes, found: Int64s
) -> None:
    following = 0
    for i in range(classes.size):
        cell = np.int64(classes[i]) * count + codes[i]
        if numbers[cell] < 0:
            numbers[cell] = following
            following += 1
        found_codes[i] = numbers[cell]
    found[0] = following
