"""Conditions on a sensitive column in each class: the number of values, their evenness, their closeness to the table.

A kind of condition decides which classes fail. It also gives a lower bound on the rows that fail or are left out in any
finer classes. This bound exists because the excess of a class is convex in its counts and scales with them: a merged
class has at most the sum of the excesses of its parts, and a row adds at most one to the excess. A merged class may
fail although most of its parts did not. So the number of rows in failing classes is no such bound, except where only
values are counted.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

import numpy as np

from discretion.anonymity.people.ground_distances import EQUAL_DISTANCE, GroundDistance
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.equivalence_classes import Cells, Column, cells

Int64s = Integers

#: Of fewer values, none is rarer than the l-th commonest.
MIN_RECURSIVE_L = 2

# Tolerances: of entropies when they are computed, of a second computation, and of counts of rows.
_ROUNDING, _SPARE, _WHOLE = 1e-12, 1e-9, 1e-6
# The least divisor.
_NEARLY = 1e-4


@dataclass(frozen=True)
class ClassValues:
    """A sensitive column in classes: the cells, the size of each class, and the number of people with each value.

    At most ``leave`` of the people may still be left out.
    """

    cells: Cells
    sizes: Int64s
    whole: Int64s
    leave: int

    @property
    def people(self) -> int:
        """The number of people."""
        return int(self.whole.sum())

    def compared_with(self, whole: tuple[int, ...] | None) -> "ClassValues":
        """Return the same classes with another whole to compare, from which nobody is left out; None is their own."""
        return self if whole is None else replace(self, whole=np.array(whole, np.int64), leave=0)


def count_class_values(classes: Column, secret: Column, leave: int) -> ClassValues:
    """Return the counts of a sensitive column in classes."""
    return ClassValues(
        cells(classes, secret),
        classes.sizes(),
        secret.sizes(),
        leave,
    )


class Diversity(Protocol):
    """A condition on a sensitive column in each class; the people of a class that fails it count as exposed."""

    @property
    def column(self) -> str:
        """The sensitive column."""
        ...

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether it fails the condition."""
        ...

    def fewest(self, given: ClassValues) -> int:
        """Return a lower bound on the rows that fail or are left out in these classes and in any finer ones."""
        ...

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether a class meets the condition, by the people with each code in it and in all: a second computation."""
        ...


@dataclass(frozen=True)
class Distinct:
    """At least l values: distinct l-diversity (Machanavajjhala and others, 2007)."""

    column: str
    least: int

    def __str__(self) -> str:
        return f"{self.least} values of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether it has fewer values."""
        return np.bincount(given.cells.classes, minlength=given.sizes.size) < self.least

    def fewest(self, given: ClassValues) -> int:
        """Return the number of rows in classes of fewer values: finer classes have no more values."""
        return int(given.sizes[self.fails(given)].sum())

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether the class has at least l values."""
        return len(values) >= self.least


@dataclass(frozen=True)
class Entropy:
    """An entropy of at least ``log l``: entropy l-diversity (Machanavajjhala and others, 2007)."""

    column: str
    least: float

    def __str__(self) -> str:
        return f"the entropy of {self.least:g} values of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether it has less entropy, except for rounding."""
        return self._lacking(given) > _ROUNDING * np.maximum(given.sizes, 1)

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for the lack of the classes."""
        return _added_up(self._lacking(given))

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether the class has enough entropy."""
        shares = [count / sum(values.values()) for count in values.values()]
        return -math.fsum(p * math.log(p) for p in shares) >= math.log(self.least) * (1 - _SPARE)

    def _lacking(self, given: ClassValues) -> Reals:
        """Return ``n·(1 − H / log l)`` for each class of n people."""
        sizes = given.cells.sizes.astype(np.float64)
        logs = np.bincount(given.cells.classes, sizes * np.log(sizes), given.sizes.size)
        of_class = given.sizes.astype(np.float64)
        return of_class - (of_class * np.log(np.maximum(of_class, 1)) - logs) / math.log(self.least)


@dataclass(frozen=True)
class Recursive:
    """The commonest value has fewer than c times the people of the l-th commonest and all rarer values together.

    Recursive (c, l)-diversity: ``r_1 < c·(r_l + … + r_m)``, with the numbers ``r_1 ≥ r_2 ≥ …`` of people with each
    value (Machanavajjhala and others, 2007, Definition 4.2). A class of fewer than l values is not diverse.
    """

    column: str
    c: Fraction
    least: int

    def __str__(self) -> str:
        return f"recursive ({float(self.c):g}, {self.least})-diversity of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether its commonest value is too common: exact, in whole numbers."""
        commonest, others = commonest_and_rarest(given.cells, given.sizes.size, self.least)
        different, of_class = np.unique(others, return_inverse=True)
        limits = [math.ceil(self.c * count) for count in different.tolist()]
        return commonest >= np.array(limits, np.int64)[of_class]

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for the excess of the commonest values."""
        commonest, others = commonest_and_rarest(given.cells, given.sizes.size, self.least)
        return _added_up(commonest - float(self.c) * others)

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether the commonest value is not too common."""
        counts = sorted(values.values(), reverse=True)
        return counts[0] < self.c * sum(counts[self.least - 1 :])


@dataclass(frozen=True)
class Closeness:
    """Values distributed as in the whole up to a distance of t: t-closeness (Li, Li and Venkatasubramanian, 2007).

    Parameters
    ----------
    column, t
        The sensitive column, and the largest distance.
    distance
        The distances between its values.
    whole
        The distribution to compare with: the number of people of the input with each code; None is the file itself.
    """

    column: str
    t: Fraction
    distance: GroundDistance = EQUAL_DISTANCE
    whole: tuple[int, ...] | None = None

    def __str__(self) -> str:
        whole = "file" if self.whole is None else "input"
        return f"{self.column} spread as in the {whole} but for t={float(self.t):g}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether its distance is above t: exact, in whole numbers."""
        given = given.compared_with(self.whole)
        sizes, of_class = np.unique(given.sizes, return_inverse=True)
        most = [math.floor(self.distance.scale * self.t * size * given.people) for size in sizes.tolist()]
        return self._far(given) > np.array(most, np.int64)[of_class]

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for the excess distance of the classes.

        To leave people out moves the whole by at most their share, if the whole is that of the file.
        """
        given = given.compared_with(self.whole)
        t = float(self.t) + given.leave / given.people
        if t >= 1:
            return 0
        return _added_up((self._far(given) / (self.distance.scale * given.people) - t * given.sizes) / (1 - t))

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether the class is close enough."""
        return self.reached(values, everybody) <= self.t

    def reached(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> Fraction:
        """Return the distance of the class."""
        return self.distance.between(values, _whole(self.whole, everybody))

    def _far(self, given: ClassValues) -> Int64s:
        return self.distance.from_whole(given.cells, given.sizes, given.whole)


@dataclass(frozen=True)
class Likeness:
    """No value's share above ``1 + beta`` times that in the whole: basic beta-likeness (Cao and Karras, 2012).

    ``(p_c(s) − p(s)) / p(s) ≤ beta`` for each value s of a class c; ``whole`` is as in `Closeness`.
    """

    column: str
    beta: Fraction
    whole: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"basic {float(self.beta):g}-likeness of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether a value is too common, except for rounding."""
        above = _times_as_common(given.compared_with(self.whole)) > float(1 + self.beta) * (1 + _ROUNDING)
        return np.bincount(given.cells.classes, above, given.sizes.size) > 0

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for the excess of too common values."""
        given = given.compared_with(self.whole)
        return _added_up(_most_of_class(given, _too_common(given, float(1 + self.beta))))

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether no value is too common."""
        return 1 + self.reached(values, everybody) <= (1 + self.beta) * (1 + Fraction(_SPARE))

    def reached(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> Fraction:
        """Return the beta of the class."""
        return max(_exact_times(values, _whole(self.whole, everybody)).values()) - 1


@dataclass(frozen=True)
class Disclosure:
    """Each value's share in a class and in the whole differ by a factor below ``exp(delta)``.

    Delta-disclosure privacy (Brickell and Shmatikov, 2008): ``|ln(p_c(s) / p(s))| < delta`` for each value s of the
    whole in each class c, so a class has all values; ``whole`` is as in `Closeness`.
    """

    column: str
    delta: float
    whole: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return f"{self.delta:g}-disclosure privacy of {self.column}"

    def fails(self, given: ClassValues) -> Booleans:
        """Return for each class whether a value is too common or too rare."""
        given = given.compared_with(self.whole)
        far = np.abs(np.log(_times_as_common(given))) >= self.delta
        values = np.bincount(given.cells.classes, minlength=given.sizes.size)
        too_far = np.bincount(given.cells.classes, far, given.sizes.size) > 0
        return too_far | (values < np.count_nonzero(given.whole))

    def fewest(self, given: ClassValues) -> int:
        """Return the least number of rows that can make up for too common or too rare values."""
        given = given.compared_with(self.whole)
        too_common = _too_common(given, math.exp(self.delta))
        # If all people with a value may be left out, no class lacks the value.
        rarest = np.maximum(given.whole - given.leave, 0) / max(1, given.people - given.leave) * math.exp(-self.delta)
        stays = rarest > 0
        of_class = given.sizes[given.cells.classes]
        share = np.where(stays, rarest, 1.0)[given.cells.codes]
        too_rare = np.where(stays[given.cells.codes], of_class - given.cells.sizes / share, 0.0)
        values = np.bincount(given.cells.classes, stays[given.cells.codes], given.sizes.size)
        lacking = np.where(values < stays.sum(), given.sizes, 0.0)
        return _added_up(np.maximum(lacking, _most_of_class(given, np.maximum(too_common, too_rare))))

    def holds(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> bool:
        """Whether no value is too common or too rare."""
        return self.reached(values, everybody) < self.delta * (1 + _SPARE)

    def reached(self, values: Mapping[int, int], everybody: Mapping[int, int]) -> float:
        """Return the delta of the class, infinite if it lacks a value."""
        times = _exact_times(values, _whole(self.whole, everybody)).values()
        return max(abs(math.log(each)) if each else math.inf for each in times)


def commonest_and_rarest(values: Cells, classes: int, least: int) -> tuple[Int64s, Int64s]:
    """Return ``r_1`` and ``r_l + … + r_m`` for each of the classes, with l the least number of values.

    Examples
    --------
    >>> commonest, rarest = commonest_and_rarest(Cells(np.array([0, 0, 0]), np.arange(3), np.array([2, 5, 1])), 1, 2)
    >>> commonest.tolist(), rarest.tolist()
    ([5], [3])
    """
    order = np.lexsort((-values.sizes, values.classes))
    ordered, sizes = values.classes[order], values.sizes[order]
    is_first = np.diff(ordered, prepend=-1) != 0
    rank = np.arange(ordered.size) - np.maximum.accumulate(np.where(is_first, np.arange(ordered.size), 0))
    commonest, rarest = np.zeros(classes, np.int64), np.zeros(classes, np.int64)
    commonest[ordered[is_first]] = sizes[is_first]
    late = rank >= least - 1
    np.add.at(rarest, ordered[late], sizes[late])
    return commonest, rarest


def _whole(whole: tuple[int, ...] | None, everybody: Mapping[int, int]) -> Mapping[int, int]:
    return everybody if whole is None else {code: count for code, count in enumerate(whole) if count}


def _exact_times(values: Mapping[int, int], everybody: Mapping[int, int]) -> dict[int, Fraction]:
    """Return for each value the ratio of its share among some people to its share among all."""
    size, people = sum(values.values()), sum(everybody.values())
    return {value: Fraction(values.get(value, 0) * people, count * size) for value, count in everybody.items()}


def _times_as_common(given: ClassValues) -> Reals:
    """Return for each cell the ratio of its value's share in its class to the share in the whole."""
    expected = given.whole[given.cells.codes] * given.sizes[given.cells.classes]
    return given.cells.sizes * given.people / expected


def _too_common(given: ClassValues, times: float) -> Reals:
    """Return for each cell a lower bound on the rows that make up for a share above ``times`` that in the whole.

    The excess ``n_cs − times·p_s·n_c`` of a merged class is the sum over its parts. To leave people out may raise p_s
    where it is that of the file.
    """
    highest = np.minimum(1.0, given.whole / max(1, given.people - given.leave)) * times
    highest = highest[given.cells.codes]
    beyond = given.cells.sizes - highest * given.sizes[given.cells.classes]
    return np.where(highest < 1 - _NEARLY, beyond / np.maximum(1 - highest, _NEARLY), 0.0)


def _most_of_class(given: ClassValues, of_cells: Reals) -> Reals:
    result = np.zeros(given.sizes.size)
    np.maximum.at(result, given.cells.classes, of_cells)
    return result


def _added_up(lacking: Reals) -> int:
    return max(0, math.ceil(float(np.maximum(lacking, 0).sum()) - _WHOLE))
