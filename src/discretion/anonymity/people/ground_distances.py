"""Earth mover's distances between distributions of a sensitive column, by the distances between its values.

Each is ``D(p, q) = Σ_A |p(A) − q(A)| / scale`` over some sets A of values, so it is exact in whole numbers: ``D`` of n
people from a whole of N is a multiple of ``1 / (scale·n·N)``. Source: Li, Li and Venkatasubramanian, "t-closeness",
2007, section 4.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from discretion.anonymity.people.hierarchies import Hierarchy, spelled_values
from discretion.errors import InvalidValueError, TooLargeError
from discretion.numerics.arrays import Integers
from discretion.numerics.equivalence_classes import Cells

Counts = Mapping[int, int]

_DAY = re.compile(r"\d{4}-\d{2}(-\d{2})?([T ].*)?")


class GroundDistance(Protocol):
    """The distances between the values of a sensitive column: at most 1."""

    @property
    def scale(self) -> int:
        """The divisor of the differences of shares."""
        ...

    def from_whole(self, cells: Cells, sizes: Integers, whole: Integers) -> Integers:
        """Return each class's distance from the whole, times the scale, its size and that of the whole."""
        ...

    def between(self, values: Counts, everybody: Counts) -> Fraction:
        """Return the distance between two distributions, given by counts of codes: a second way to compute it."""
        ...


@dataclass(frozen=True)
class TreeDistance:
    """The distance of two values by the share of the levels on which they are in different groups.

    ``D`` is the average over the levels of ``½·Σ_groups |p(group) − q(group)|``. In a hierarchy of H levels above the
    values, of which the last has one group, the levels go from the values themselves to the last but one: values whose
    lowest common group is on level h have the distance ``h/H``. Without a hierarchy all distances are 1.

    Parameters
    ----------
    levels
        For each level the group of each code; without levels, only the values themselves.
    """

    levels: tuple[tuple[int, ...], ...] = ()

    @property
    def scale(self) -> int:
        """Twice the number of levels."""
        return 2 * max(1, len(self.levels))

    def from_whole(self, cells: Cells, sizes: Integers, whole: Integers) -> Integers:
        """Return each class's distance from the whole, times the scale, its size and that of the whole."""
        if not self.levels:
            return _differences(cells, sizes, whole)
        levels = (np.array(groups) for groups in self.levels)
        return sum(
            (_differences(merge_codes(cells, groups), sizes, _sums(groups, whole)) for groups in levels),
            np.zeros_like(sizes),
        )

    def between(self, values: Counts, everybody: Counts) -> Fraction:
        """Return the distance between two distributions, given by counts of codes."""
        codes = sorted({*values, *everybody})
        gaps: list[Fraction] = []
        for groups in self.levels or (range(max(codes) + 1),):
            of_group: dict[int, Fraction] = {}
            for code in codes:
                of_group[groups[code]] = of_group.get(groups[code], Fraction(0)) + _gap(code, values, everybody)
            gaps += map(abs, of_group.values())
        return sum(gaps, Fraction(0)) / self.scale


EQUAL_DISTANCE = TreeDistance()


@dataclass(frozen=True)
class OrderedDistance:
    """The distance of two of m values in order: the difference of their places, divided by m - 1.

    ``D = Σ_i |Σ_{j≤i} (p_j − q_j)| / (m − 1)``

    Parameters
    ----------
    places
        The place of each code, from 0, without gaps; -1 for a code that nobody has.
    """

    places: tuple[int, ...]

    @property
    def scale(self) -> int:
        """One less than the number of places."""
        return max(1, *self.places)

    def from_whole(self, cells: Cells, sizes: Integers, whole: Integers) -> Integers:
        """Return each class's distance from the whole, times the scale, its size and that of the whole."""
        result = np.zeros_like(sizes)
        if not cells.sizes.size:
            return result
        places, last = np.array(self.places), max(self.places)
        met = places >= 0
        below = np.cumsum(np.bincount(places[met], whole[met], last + 1).astype(np.int64))
        people, added = int(below[-1]), np.concatenate(([0], np.cumsum(below)))
        merged = merge_codes(cells, places)
        order = np.lexsort((merged.codes, merged.classes))
        classes, starts = merged.classes[order], merged.codes[order].astype(np.int64)
        is_first = np.append(True, classes[1:] != classes[:-1])
        # Up to a cell's place and to before the next one's, its class has so many people: all of what is counted here
        # is so many times as many, less the people of the whole up to there, whose number only grows.
        until = np.where(np.append(is_first[1:], True), last, np.append(starts[1:], last))
        running = np.cumsum(merged.sizes[order])
        before = np.maximum.accumulate(np.where(is_first, running - merged.sizes[order], 0))
        reached, of_class = (running - before) * people, sizes[classes]
        middle = np.clip(np.searchsorted(below, -(-reached // of_class)), starts, until)
        cost = reached * (2 * middle - starts - until) + of_class * (added[starts] + added[until] - 2 * added[middle])
        cost[is_first] += (of_class * added[starts])[is_first]
        np.add.at(result, classes, cost)
        return result

    def between(self, values: Counts, everybody: Counts) -> Fraction:
        """Return the distance between two distributions, given by counts of codes."""
        codes = sorted({*values, *everybody}, key=lambda code: self.places[code])
        of_place = [Fraction(0)] * (max(self.places) + 1)
        for code in codes:
            of_place[self.places[code]] += _gap(code, values, everybody)
        return sum(map(abs, accumulate(of_place)), Fraction(0)) / self.scale


def ordered_distance(
    column: str,
    values: Sequence[Any],
    counts: Integers,
    hierarchy: Hierarchy | None = None,
    way_out: str = "add a hierarchy of the column whose lines are in order, or use the equal distance",
) -> OrderedDistance:
    """Return the distance of values by their places in the order of numbers, of dates, or of a hierarchy's lines.

    Parameters
    ----------
    column
        The column of the values.
    values
        The value of each code.
    counts
        The number of people with each code; values that nobody has get no place.
    hierarchy
        The hierarchy whose lines give the order; None if the values are numbers or dates.
    way_out
        The advice in the message if they are neither.

    Raises
    ------
    InvalidValueError
        If a value has no place in the order.
    TooLargeError
        If there are too many values and people for counts in 64 bits.

    Examples
    --------
    >>> import numpy as np
    >>> ordered_distance("age", ["30", "4", "30.0", "7"], np.array([2, 1, 1, 0])).places
    (1, 0, 1, -1)
    """
    held = [code for code, count in enumerate(counts.tolist()) if count]
    if hierarchy is None:
        keys = _keys_in_order(column, [values[code] for code in held], way_out)
    else:
        lines = {line: place for place, line in enumerate(hierarchy)}
        keys = [lines[text] for text in spelled_values(hierarchy, column, [values[code] for code in held])]
    places = {key: place for place, key in enumerate(sorted(set(keys)))}
    of_code = dict(zip(held, keys, strict=True))
    people = int(counts.sum())
    if people * people * len(places) >= 2**63:
        raise TooLargeError(
            f"an ordered distance is computed for at most 2^63 people times people times values, got {people:,} people "
            f"and {len(places):,} values; use the equal distance, or coarser values"
        )
    return OrderedDistance(tuple(places[of_code[code]] if code in of_code else -1 for code in range(len(values))))


def hierarchical_distance(column: str, values: Sequence[Any], counts: Integers, hierarchy: Hierarchy) -> TreeDistance:
    """Return the distance of values by the lowest level of a hierarchy with both in one group; null is in no group.

    Raises
    ------
    InvalidValueError
        If the hierarchy has no line for a value that somebody has, lines of unequal length, or a level that does not
        follow from the one before.

    Examples
    --------
    >>> import numpy as np
    >>> animals = {"cat": ["pet", "*"], "dog": ["pet", "*"], "cow": ["livestock", "*"]}
    >>> hierarchical_distance("animal", ["cow", "dog", "cat"], np.array([1, 1, 1]), animals).levels
    ((0, 1, 2), (0, 1, 1))
    """
    if len({len(groups) for groups in hierarchy.values()}) != 1:
        raise InvalidValueError(f"the hierarchy of {column!r} must have as many coarser groups for each value")
    texts: list[str | None] = [None] * len(values)
    held = [code for code, count in enumerate(counts.tolist()) if count and values[code] is not None]
    for code, text in zip(held, spelled_values(hierarchy, column, [values[code] for code in held]), strict=True):
        texts[code] = text
    levels = [{text: text for text in hierarchy}]
    for place in range(len(next(iter(hierarchy.values())))):
        levels.append({text: groups[place] for text, groups in hierarchy.items()})
        if len(set(zip(levels[-2].values(), levels[-1].values(), strict=True))) > len(set(levels[-2].values())):
            raise InvalidValueError(
                f"the hierarchy of {column!r} is not valid: values in one group on level {place} are in different "
                f"groups on level {place + 1}; each level must follow from the one before"
            )
    height = next((level for level, groups in enumerate(levels) if len(set(groups.values())) == 1), len(levels))
    return TreeDistance(
        tuple(_numbered([None if t is None else groups[t] for t in texts]) for groups in levels[:height])
    )


def _numbered(groups: Sequence[str | None]) -> tuple[int, ...]:
    numbers = {group: number for number, group in enumerate(dict.fromkeys(groups))}
    return tuple(numbers[group] for group in groups)


def _keys_in_order(column: str, values: Sequence[Any], way_out: str) -> list[Any]:
    """Return sort keys in the order of the values."""
    numbers = [_as_number(value) for value in values]
    if None not in numbers:
        return numbers
    if all(isinstance(value, date) for value in values) or all(
        isinstance(value, str) and _DAY.fullmatch(value) for value in values
    ):
        return list(values)
    none = sum(number is None for number in numbers)
    raise InvalidValueError(
        f"an ordered distance is of numbers or dates, and {none:,} of the {len(values):,} values of {column!r} are no "
        f"numbers; {way_out}"
    )


def _as_number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        number = Decimal(value.strip() if isinstance(value, str) else value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def merge_codes(cells: Cells, groups: Integers) -> Cells:
    """Return the cells by class and group, given the group of each code.

    Examples
    --------
    >>> cells = Cells(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([2, 3, 4]))
    >>> merge_codes(cells, np.array([5, 5])).sizes.tolist()
    [5, 4]
    """
    count = int(groups.max()) + 1
    keys, places = np.unique(cells.classes.astype(np.int64) * count + groups[cells.codes], return_inverse=True)
    sizes = np.zeros(keys.size, np.int64)
    np.add.at(sizes, places, cells.sizes)
    return Cells((keys // count).astype(np.int32), (keys % count).astype(np.int32), sizes)


def _sums(groups: Integers, whole: Integers) -> Integers:
    result = np.zeros(int(groups.max()) + 1, np.int64)
    np.add.at(result, groups, whole)
    return result


def _differences(cells: Cells, sizes: Integers, whole: Integers) -> Integers:
    """Return ``Σ_codes |n·N_c − n_c·N|`` of each class of n people."""
    people = int(whole.sum())
    expected = whole[cells.codes] * sizes[cells.classes]
    result = sizes * people
    np.add.at(result, cells.classes, np.abs(cells.sizes * people - expected) - expected)
    return result


def _gap(code: int, values: Counts, everybody: Counts) -> Fraction:
    own, whole = sum(values.values()), sum(everybody.values())
    return Fraction(values.get(code, 0), own) - Fraction(everybody.get(code, 0), whole)
