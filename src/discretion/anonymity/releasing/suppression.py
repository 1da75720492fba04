"""Suppression of rows or cells that a release needs to meet its goal."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import comb
from typing import Literal

import numpy as np

from discretion.anonymity.releasing.generalizations import Generalization
from discretion.numerics.arrays import Booleans, Integers
from discretion.numerics.equivalence_classes import Column, everybody, refined

Suppress = Literal["rows", "cells"]
SUPPRESS: tuple[Suppress, ...] = ("rows", "cells")
# The most rows to examine for all sets of some number of blank columns, for each choice of generalizations.
_MOST_ROWS_TRIED = 1 << 17


@dataclass(frozen=True)
class Suppression:
    """The rows and cells of some generalized columns that are not published.

    Parameters
    ----------
    out
        Whether each row is left out.
    blank
        For each column, whether each of the other rows has a blank instead of its value.
    """

    out: Booleans
    blank: Sequence[Booleans]

    @property
    def blank_cells(self) -> int:
        """The number of blank cells."""
        return sum(int(rows.sum()) for rows in self.blank)

    def classes(self, shown: Sequence[Generalization]) -> Column:
        """Return the classes of the published rows; a blank equals a missing value. Rows left out are in any class."""
        seen = (suppressed_column(view, rows) for view, rows in zip(shown, self.blank, strict=True))
        return reduce(refined, seen, everybody(self.out.size))


def suppress_rows(out: Booleans, shown: Sequence[Generalization]) -> Suppression:
    """Return the suppression that leaves rows out."""
    return Suppression(out, [np.zeros_like(out)] * len(shown))


def suppressed_column(view: Generalization, blank: Booleans) -> Column:
    """Return the codes of a generalized column, with the code of null for blank cells."""
    if not blank.any():
        return view.column
    labels = list(view.labels)
    null = labels.index(None) if None in labels else view.column.count
    return Column(np.where(blank, np.int32(null), view.column.codes), max(view.column.count, null + 1))


def suppress_cells(out: Booleans, shown: Sequence[Generalization], k: int) -> Suppression:
    """Return the suppression that blanks cells; it leaves out only rows whose remaining cells no k rows share.

    In the first step each row has one blank cell, if k rows with the same column blank share their other values. The
    second step blanks two cells of the remaining rows, and so on; among the sets of this many columns, the one that
    keeps most information in such groups comes first. The remaining rows then join rows with as many blanks that can
    change to the same columns, if k rows stay in their group without them. The blanks follow from the values of the
    rows to suppress, so they distinguish only people whom the values distinguish. Source: Sweeney, 2002, for the
    suppression of cells; the order: Discretion.
    """
    left, blank = np.flatnonzero(out), [np.zeros_like(out) for _ in shown]
    last: tuple[int, ...] = ()  # where there are too many sets, those with one column more than this
    for size in range(1, len(shown) + 1):
        if left.size < k:
            break
        sets: Iterable[tuple[int, ...]] = combinations(range(len(shown)), size)
        if comb(len(shown), size) * left.size > _MOST_ROWS_TRIED:
            sets = (tuple(sorted((*last, j))) for j in range(len(shown)) if j not in last)
        tries = [(_together(left, shown, hidden, k), hidden) for hidden in sets]
        tries.sort(key=lambda one: (one[0].worth, -one[0].groups), reverse=True)
        last = tries[0][1]
        groups = _Groups(left, shown, k)
        for found, hidden in tries:
            if found.rows.any():
                groups.add(hidden)
        for _, hidden in tries:
            groups.join(hidden)
        for hidden, rows in groups.members():
            for column in hidden:
                blank[column][rows] = True
        left = groups.left
    gone = np.zeros_like(out)
    gone[left] = True
    return Suppression(gone, [rows & ~gone for rows in blank])


class _Groups:
    """Groups of at least k rows that have the same columns blank and share their values on the others.

    Parameters
    ----------
    rows
        The rows to put into groups.
    shown
        The published generalizations.
    k
        The least number of rows of a group.
    """

    def __init__(self, rows: Integers, shown: Sequence[Generalization], k: int) -> None:
        self._rows, self._k = rows, k
        self._codes = [Column(view.column.codes[rows], view.column.count) for view in shown]
        self._group_of = np.full(rows.size, -1)
        self._hidden_of: list[tuple[int, ...]] = []  # of each group

    @property
    def left(self) -> Integers:
        """The rows that are not in a group."""
        return self._rows[self._group_of < 0]

    def members(self) -> Iterator[tuple[tuple[int, ...], Integers]]:
        """Yield the blank columns and the rows of each group."""
        hidden_of = {hidden: number for number, hidden in enumerate(dict.fromkeys(self._hidden_of))}
        numbers = np.array([hidden_of[hidden] for hidden in self._hidden_of] + [-1])[self._group_of]
        for hidden, number in hidden_of.items():
            yield hidden, self._rows[numbers == number]

    def add(self, hidden: tuple[int, ...]) -> None:
        """Put remaining rows into groups, wherever k share their values if some columns are blank."""
        if (left := np.flatnonzero(self._group_of < 0)).size >= self._k:
            classes = self._alike(left, hidden)
            self._put(left, classes, np.bincount(classes) >= self._k, hidden)

    def join(self, hidden: tuple[int, ...]) -> None:
        """Put remaining rows into groups with rows whose own groups keep k others."""
        if (self._group_of >= 0).all() or not self._hidden_of:
            return
        classes = self._alike(np.arange(self._rows.size), hidden)
        inside = self._group_of >= 0
        waiting = np.bincount(classes[~inside], minlength=int(classes.max()) + 1)
        # In each group all rows but k are free, first the rows that remaining rows wait for.
        sizes = np.bincount(self._group_of[inside])
        wanted = np.flatnonzero(inside & (waiting[classes] > 0))
        wanted = wanted[_number_within(self._group_of[wanted]) < sizes[self._group_of[wanted]] - self._k]
        enough = waiting + np.bincount(classes[wanted], minlength=waiting.size) >= self._k
        moved = wanted[_number_within(classes[wanted]) < self._k - waiting[classes[wanted]]]
        some = np.concatenate([np.flatnonzero(~inside), moved])
        self._put(some, classes[some], enough & (waiting > 0), hidden)

    def _alike(self, some: Integers, hidden: tuple[int, ...]) -> Integers:
        seen = (Column(each.codes[some], each.count) for j, each in enumerate(self._codes) if j not in hidden)
        return reduce(refined, seen, everybody(some.size)).codes.astype(np.int64)

    def _put(self, some: Integers, classes: Integers, chosen: Booleans, hidden: tuple[int, ...]) -> None:
        """Make a group of each chosen class of some rows."""
        numbers = np.cumsum(chosen) - 1 + len(self._hidden_of)
        inside = chosen[classes]
        self._group_of[some[inside]] = numbers[classes[inside]]
        self._hidden_of += [hidden] * int(chosen.sum())


def _number_within(groups: Integers) -> Integers:
    """Return for each row the number of earlier rows in its group."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    result = np.empty_like(order)
    result[order] = np.arange(order.size) - np.repeat(starts, np.diff(np.append(starts, order.size)))
    return result


@dataclass(frozen=True)
class _Together:
    rows: Booleans
    worth: float
    groups: int


def _together(left: Integers, shown: Sequence[Generalization], hidden: Sequence[int], k: int) -> _Together:
    """Return which rows are in groups of k if some columns are blank, and the information in their other cells."""
    if not left.size:
        return _Together(np.zeros(0, bool), 0.0, 0)
    seen = [j for j in range(len(shown)) if j not in hidden]
    codes = [shown[j].column.codes[left] for j in seen]
    alike = reduce(
        refined,
        (Column(each, shown[j].column.count) for each, j in zip(codes, seen, strict=True)),
        everybody(left.size),
    )
    rows = (np.bincount(alike.codes) >= k)[alike.codes]
    worth = sum(float(shown[j].bits_of_codes[each][rows].sum()) for each, j in zip(codes, seen, strict=True))
    return _Together(rows, worth, alike.count)
