"""Suppression of rows or cells that a release needs to meet its goal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np

from discretion.anonymity.releasing.generalizations import Generalization
from discretion.numerics.arrays import Booleans, Integers
from discretion.numerics.equivalence_classes import Column, everybody, refined

Suppress = Literal["rows", "cells"]
SUPPRESS: tuple[Suppress, ...] = ("rows", "cells")


@dataclass(frozen=True)
class Suppression:
    """What of some views does not go out.

    Parameters
    ----------
    out
        Which rows are left out.
    blank
        Of each view which of the other rows have a blank for its value.
    """

    out: Booleans
    blank: Sequence[Booleans]

    @property
    def blank_cells(self) -> int:
        """How many cells are blank."""
        return sum(int(rows.sum()) for rows in self.blank)

    def classes(self, shown: Sequence[Generalization]) -> Column:
        """Return who is alike in what goes out: a blank is like a missing value. Rows left out are in any class."""
        seen = (suppressed_column(view, rows) for view, rows in zip(shown, self.blank, strict=True))
        return reduce(refined, seen, everybody(self.out.size))


def suppress_rows(out: Booleans, shown: Sequence[Generalization]) -> Suppression:
    """Return the cut that leaves rows out."""
    return Suppression(out, [np.zeros_like(out)] * len(shown))


def suppressed_column(view: Generalization, blank: Booleans) -> Column:
    """Return a view's codes, with that of null for what is blank."""
    if not blank.any():
        return view.column
    labels = list(view.labels)
    null = labels.index(None) if None in labels else view.column.count
    return Column(np.where(blank, np.int32(null), view.column.codes), max(view.column.count, null + 1))


def suppress_cells(out: Booleans, shown: Sequence[Generalization], k: int) -> Suppression:
    """Return the cut that leaves cells blank of rows to cut, and out only whom nothing is left of that k share.

    Column after column is left blank, of those who are in no group of k still: the one that leaves most of what cells
    tell in such groups, or the fewest groups. What is blank follows from the values of the rows to cut, so that blanks
    tell people apart that the values do, and no others. Source: cells are suppressed in Sweeney, 2002.
    """
    left, blank = np.flatnonzero(out), [np.zeros_like(out) for _ in shown]
    seen = list(range(len(shown)))
    while left.size and seen:
        tries = list(_tries(left, shown, seen, k))
        place, together = max(tries, key=lambda one: (one[1].worth, -one[1].groups))
        column = seen.pop(place)
        blank[column][left] = True
        left = left[~together.rows]
    gone = np.zeros_like(out)
    gone[left] = True
    return Suppression(gone, [rows & ~gone for rows in blank])


@dataclass(frozen=True)
class _Together:
    rows: Booleans
    worth: float
    groups: int


def _tries(
    left: Integers, shown: Sequence[Generalization], seen: Sequence[int], k: int
) -> Iterator[tuple[int, _Together]]:
    """Yield each column that may be left blank next, and which rows are then in groups of k."""
    columns = [Column(shown[j].column.codes[left], shown[j].column.count) for j in seen]
    bits = [shown[j].bits_of_codes[column.codes] for j, column in zip(seen, columns, strict=True)]
    for place in range(len(seen)):
        others = [j for j in range(len(seen)) if j != place]
        if not others:
            yield place, _Together(np.full(left.size, left.size >= k), 0.0, 1)
            continue
        alike = reduce(refined, [columns[j] for j in others])
        rows = (np.bincount(alike.codes) >= k)[alike.codes]
        yield place, _Together(rows, float(sum(bits[j][rows].sum() for j in others)), alike.count)
