"""How diverse a sensitive column is in a class: how many values, how evenly, and how like in the whole table.

A kind says which classes fail, and how many rows at least fail or are left out in whatever is finer: what its classes
have too much of is convex in their counts and scales with them, so that classes put together have no more of it than
the classes have, and a row brings one of it at most. Classes put together may fail where most of them did not, so the
number of rows in failing classes itself says nothing of what is finer, but where only values are counted.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.equivalence_classes import Cells, Column, cells

Int64s = Integers

# What entropies are compared with to spare when they are counted, and by whoever counts again; and of counts of rows.
_ROUNDING, _SPARE, _WHOLE = 1e-12, 1e-9, 1e-6


@dataclass(frozen=True)
class ClassValues:
    """A sensitive column in classes: the cells, each class's size, and how many people have each value.

    ``leave`` of the people may still be left out.
    """

    cells: Cells
    sizes: Int64s
    whole: Int64s
    leave: int

    @property
    def people(self) -> int:
        """How many there are."""
        return int(self.whole.sum())


def count_class_values(classes: Column, secret: Column, leave: int) -> ClassValues:
    """Return the counts of a sensitive column in classes."""
    return ClassValues(
        cells(classes, secret),
        np.bincount(classes.codes, minlength=classes.count),
        np.bincount(secret.codes, minlength=secret.count),
        leave,
    )


class Diversity(Protocol):
    """What a class must have of a sensitive column, lest its people count as exposed."""

    @property
    def column(self) -> str:
        """The sensitive column."""
        ...

    def fails(self, given: ClassValues) -> Booleans:
        """Return of each class whether it has not."""
        ...

    def fewest(self, given: ClassValues) -> int:
        """Return how many rows at least fail or are left out in these classes, and in any finer ones."""
        ...

    def holds(self, values: Mapping[Any, int], everybody: Mapping[Any, int]) -> bool:
        """Whether one class has it, by how many people have each value in it and in all: another count of the same."""
        ...


@dataclass(frozen=True)
class Distinct:
    """At least so many values: distinct l-diversity (Machanavajjhala and others, 2007)."""

    column: str
    least: int

    def __str__(self) -> str:
        return f"{self.least} values of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return of each class whether it has fewer values."""
        return np.bincount(given.cells.classes, minlength=given.sizes.size) < self.least

    def fewest(self, given: ClassValues) -> int:
        """Return how many rows are in classes of fewer values: what is finer has no more."""
        return int(given.sizes[self.fails(given)].sum())

    def holds(self, values: Mapping[Any, int], everybody: Mapping[Any, int]) -> bool:
        """Whether the class has as many values."""
        return len(values) >= self.least


@dataclass(frozen=True)
class Entropy:
    """An entropy of ``log l`` at least: entropy l-diversity (Machanavajjhala and others, 2007)."""

    column: str
    least: float

    def __str__(self) -> str:
        return f"the entropy of {self.least:g} values of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return of each class whether it has less, rounding aside."""
        return self._lacking(given) > _ROUNDING * np.maximum(given.sizes, 1)

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for what classes lack."""
        return _added_up(self._lacking(given))

    def holds(self, values: Mapping[Any, int], everybody: Mapping[Any, int]) -> bool:
        """Whether the class has as much."""
        shares = [count / sum(values.values()) for count in values.values()]
        return -math.fsum(p * math.log(p) for p in shares) >= math.log(self.least) * (1 - _SPARE)

    def _lacking(self, given: ClassValues) -> Reals:
        """Return ``n·(1 − H / log l)`` of each class of n."""
        sizes = given.cells.sizes.astype(np.float64)
        logs = np.bincount(given.cells.classes, sizes * np.log(sizes), given.sizes.size)
        of_class = given.sizes.astype(np.float64)
        return of_class - (of_class * np.log(np.maximum(of_class, 1)) - logs) / math.log(self.least)


@dataclass(frozen=True)
class Closeness:
    """Values distributed as in the whole table but for t at most: t-closeness (Li, Li and Venkatasubramanian, 2007).

    The distance is ``½·Σ_i |p_i − q_i|``, as of values of no order. Between values in order it is at most that.
    """

    column: str
    t: Fraction

    def __str__(self) -> str:
        return f"{self.column} spread as in the file but for t={float(self.t):g}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return of each class whether its distance is above t: exact, in whole numbers."""
        sizes, of_class = np.unique(given.sizes, return_inverse=True)
        most = [math.floor(2 * self.t * size * given.people) for size in sizes.tolist()]
        return self._far(given) > np.array(most, np.int64)[of_class]

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for what classes are too far.

        Leaving people out moves the whole by as large a share at most.
        """
        t = float(self.t) + given.leave / given.people
        return 0 if t >= 1 else _added_up((self._far(given) / (2 * given.people) - t * given.sizes) / (1 - t))

    def holds(self, values: Mapping[Any, int], everybody: Mapping[Any, int]) -> bool:
        """Whether the class is as close."""
        size, people = sum(values.values()), sum(everybody.values())
        gaps = (abs(Fraction(values.get(value, 0), size) - Fraction(n, people)) for value, n in everybody.items())
        return sum(gaps) <= 2 * self.t

    def _far(self, given: ClassValues) -> Int64s:
        """Return each class's distance times twice its size and that of the whole."""
        of_cell, sizes, whole = given.cells.classes, given.cells.sizes, given.people
        expected = given.whole[given.cells.codes] * given.sizes[of_cell]
        far = given.sizes * whole
        np.add.at(far, of_cell, np.abs(sizes * whole - expected) - expected)
        return far


def _added_up(lacking: Reals) -> int:
    return max(0, math.ceil(float(np.maximum(lacking, 0).sum()) - _WHOLE))
