"""Class sizes on many sets of columns of a coded table, each from the smallest grouping at hand that has its columns.

A data cube, computed from the top down (Gray and others, "Data cube", 1997; Agarwal and others, "On the computation of
multidimensional aggregates", 1996): people are grouped on large sets first, and a smaller set adds up these groups
instead of people. The codes of a person make one number, whose digits are the codes. If there are not many more numbers
than groups, each has a cell of its own; otherwise the numbers are sorted.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion import limits
from discretion.numerics.arrays import Codes, Integers
from discretion.numerics.equivalence_classes import Column
from discretion.tables.counting.class_sizes import ClassSizes

# Codes in groupings that are kept while the sets are counted: 4 bytes each.
MAX_CODES_KEPT = 5 * 10**7
# A grouping is kept if it is that many times smaller than its source; of so many, the smallest is soon found.
_MIN_SHRINKING = 2
_GROUPINGS_KEPT = 64
# Cells for each group, and the number of cells that costs nothing.
_CELLS_A_GROUP = 8
_FEW_CELLS = 1 << 16
_LARGEST_NUMBER, _LARGEST_SHORT_NUMBER = 1 << 62, (1 << 31) - 1

Whole = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True)
class _Groups:
    """Groups of people who share their codes, with the groups' sizes, None for 1.

    The columns, each with its number of codes, are in the order of their digits.
    """

    counts: Mapping[str, int]
    read: Callable[[], Mapping[str, Codes]]
    sizes: Integers | None
    length: int

    @cached_property
    def codes(self) -> Mapping[str, Codes]:
        """A code for each group in each column: read only if smaller sets are counted from the groups."""
        return self.read()

    def on(self, columns: frozenset[str]) -> "tuple[Integers, _Groups | None]":
        """Return the sizes of the groups on some columns, and these groups, None if they are hardly fewer."""
        chosen = {name: count for name, count in self.counts.items() if name in columns}
        numbers, count, readable = self._numbers(chosen)
        if count <= max(_CELLS_A_GROUP * self.length, _FEW_CELLS):
            # Sums of less than 2⁵³ people are exact in double precision.
            cells = np.bincount(numbers, None if self.sizes is None else self.sizes.astype(float), minlength=count)
            occupied = np.flatnonzero(cells > 0)
            sizes = cells[occupied].astype(np.int64)
        elif self.sizes is None:
            occupied, sizes = np.unique(numbers, return_counts=True)
        else:
            order = np.argsort(numbers)
            numbers = numbers[order]
            starts = np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))
            occupied, sizes = numbers[starts], np.add.reduceat(self.sizes[order], starts)
        if not readable or len(sizes) * _MIN_SHRINKING > self.length:
            return sizes, None
        return sizes, _Groups(chosen, partial(_digits, occupied, chosen), sizes, len(sizes))

    def _numbers(self, columns: Mapping[str, int]) -> tuple[Whole, int, bool]:
        """Return a number for each group's codes in the columns, its upper limit, and whether its digits are codes."""
        numbers: Whole = np.zeros(self.length, np.int32)
        count, readable = 1, True
        for name, codes in columns.items():
            if count * codes > _LARGEST_SHORT_NUMBER:
                numbers = numbers.astype(np.int64, copy=False)
            if count * codes > _LARGEST_NUMBER:
                _, numbers = np.unique(numbers, return_inverse=True)
                count, readable = int(numbers.max()) + 1, False
            numbers *= codes
            numbers += self.codes[name]
            count *= codes
        return numbers, count, readable


def _digits(numbers: Whole, columns: Mapping[str, int]) -> dict[str, Codes]:
    """Return the codes of which the numbers are made."""
    codes: dict[str, Codes] = {}
    for name, count in reversed(list(columns.items())):
        numbers, code = np.divmod(numbers, count)
        codes[name] = code.astype(np.int32)
    return codes


def class_sizes_in_codes(
    columns: Mapping[str, Column], sets: Iterable[frozenset[str]]
) -> dict[frozenset[str], ClassSizes]:
    """Return the class sizes on sets of at least one column of a coded table.

    Examples
    --------
    >>> table = {"sex": Column(np.array([0, 0, 1], np.int32), 2), "age": Column(np.array([0, 1, 1], np.int32), 2)}
    >>> sizes = class_sizes_in_codes(table, [frozenset(["sex"]), frozenset(["sex", "age"])])
    >>> [sizes[columns].sizes.tolist() for columns in sizes]
    [[1], [1, 2]]
    """
    asked = sorted(dict.fromkeys(sets), key=lambda columns: (-len(columns), sorted(columns)))
    together = frozenset[str]().union(*asked)
    counts = {name: column.count for name, column in columns.items() if name in together}
    everybody = {name: columns[name].codes for name in counts}
    groupings = [_Groups(counts, lambda: everybody, None, len(next(iter(columns.values())).codes))]
    room = limits.current().numbers(MAX_CODES_KEPT, each=4)
    found: dict[frozenset[str], ClassSizes] = {}
    # The groups on all columns are worth a pass over the people for each if they spare more passes than that.
    worth_it = together not in asked and len(asked) > 2 * len(together)
    for chosen in [together, *asked] if worth_it else asked:
        source = min((each for each in groupings if chosen <= each.counts.keys()), key=lambda each: each.length)
        sizes, groups = source.on(chosen)
        found[chosen] = ClassSizes.from_counts(sizes)
        if (
            groups is not None
            and len(groupings) < _GROUPINGS_KEPT
            and (taken := groups.length * (len(chosen) + 4)) <= room
        ):
            groupings.append(groups)
            room -= taken
    return {chosen: found[chosen] for chosen in asked}
