"""Tables of some columns in which the less frequent values of each are one, and bounds by them on other tables.

A question to people distinguishes the ``kept`` most frequent values of each column; a person with another value answers
"other". The answers to a coarser question follow from those to a finer one about the same columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from discretion.anonymity.people.records import Kept, Places
from discretion.numerics.arrays import Booleans, Integers
from discretion.tables.counting.class_sizes import ClassSizes


def kept_in(table: Integers) -> Kept:
    """Return the number of values of each column that a table distinguishes, without "other"."""
    return tuple(size - 1 for size in table.shape)


def sizes_in(table: Integers) -> ClassSizes:
    """Return the class sizes of people with the same answers in a table."""
    return ClassSizes.from_counts(table.reshape(-1))


def most_exposed_in(places: Places, kept: Kept, known: Mapping[Places, Integers], people: int, least: int) -> int:
    """Return an upper bound on the number of people whom a table exposes, by the tables that are known.

    A known table of fewer people lacks the others: each of them may have any answers, and may be exposed.

    In a cell p of a known table, with children c in the table in question, at most ``Σ_c e_c`` people are exposed,
    where ``e_c = min(least - 1, U_c)``, or 0 if ``L_c ≥ least``. If p has more people than that, the smallest e_c of a
    child that can be larger does not count. People who are surely in large cells are not exposed either:
    ``Σ_{c: L_c ≥ least} L_c``. The result is the minimum over all known tables of parts of the columns. ``U_c`` is the
    smallest known cell that contains c, and ``L_c = N(c₁) + N(c₂) - N(c₁ ∨ c₂)`` by two tables that know its
    projections. Source: Discretion.

    Parameters
    ----------
    places, kept
        The table in question.
    known
        Columns → the known table of these columns.
    people
        The number of people.
    least
        A person is exposed if their equivalence class has fewer than this many people.
    """
    shape = tuple(most + 1 for most in kept)
    views = [
        _View.of(places, kept, columns, table, people)
        for columns, table in known.items()
        if set(columns) <= set(places)
    ]
    if least <= 1 or not places:
        return people if people < least else 0
    upper, lower = np.full(shape, people), np.zeros(shape, np.int64)
    for view in views:
        np.minimum(upper, view.counts + view.lost, out=upper)
        if view.columns == places:
            lower = np.where(view.exact, view.counts, 0)
    view_of = {view.columns: view for view in views}
    for one, other in combinations(views, 2):
        if set(one.columns) | set(other.columns) == set(places):
            shared = tuple(sorted(set(one.columns) & set(other.columns)))
            if not shared or shared in view_of:
                united = view_of[shared].counts + view_of[shared].lost if shared else people
                both = one.exact & other.exact
                lower = np.maximum(lower, np.where(both, one.counts + other.counts - united, 0))
    return min((view.most_exposed(lower, upper, least) for view in views), default=people)


def lost_in(table: Integers, people: int) -> int:
    """Return how many of the people a table lacks."""
    return people - int(table.sum())


@dataclass(frozen=True)
class _View:
    """The count that a known table gives for each cell of the table in question: that of the known cell around it.

    Parameters
    ----------
    columns
        The known table's columns.
    cells
        For each cell in question the number of the known cell around it, as coarse as the coarser of the two tables.
    counts
        The number of people in that known cell.
    exact
        Whether the known cell has exactly the people with the cell's values of these columns.
    lost
        The number of people who are in no cell of the known table.
    """

    columns: Places
    cells: Integers
    counts: Integers
    exact: Booleans
    lost: int

    @staticmethod
    def of(places: Places, kept: Kept, columns: Places, table: Integers, people: int) -> "_View":
        """Return the counts that a known table gives for the cells of the table in question."""
        asked, known_kept = dict(zip(places, kept, strict=True)), kept_in(table)
        coarse = tuple(min(asked[column], most) for column, most in zip(columns, known_kept, strict=True))
        counts = coarser(table, coarse)
        shape = tuple(most + 1 for most in kept)
        axis_of = dict(zip(places, np.indices(shape, sparse=True), strict=True))
        cells, exact = np.zeros(shape, np.int64), np.ones(shape, bool)
        for column, most, known_most in zip(columns, coarse, known_kept, strict=True):
            cells = cells * (most + 1) + np.minimum(axis_of[column], most)
            if known_most < asked[column]:
                exact &= axis_of[column] < most
        return _View(columns, cells, counts.reshape(-1)[cells], exact, lost_in(table, people))

    def most_exposed(self, lower: Integers, upper: Integers, least: int) -> int:
        """Return an upper bound on the exposed people, by known cell, from the bounds of each cell in question."""
        cells, low, high = (each.reshape(-1) for each in (self.cells, lower, upper))
        count = int(cells.max()) + 1
        people = np.zeros(count, np.int64)
        people[cells] = self.counts.reshape(-1)
        few = np.where(low >= least, 0, np.minimum(least - 1, high))
        together = np.bincount(cells, few, count).astype(np.int64)
        smallest = np.full(count, np.iinfo(np.int64).max)
        np.minimum.at(smallest, cells[high >= least], few[high >= least])
        surely_not = np.bincount(cells, np.where(low >= least, low, 0), count).astype(np.int64)
        if self.lost:  # a cell may have more people than are known, and they may be those that let all be exposed
            return int(np.minimum(np.minimum(people, together), np.maximum(people - surely_not, 0)).sum()) + self.lost
        at_most = np.where(people > together, together - np.where(smallest > together, 0, smallest), people)
        return int(np.minimum(at_most, people - surely_not).sum())


def coarser(table: Integers, kept: Sequence[int]) -> Integers:
    """Return a table that distinguishes fewer values of each column."""
    for axis, most in enumerate(kept):
        if most + 1 < table.shape[axis]:
            table = np.add.reduceat(table, np.arange(most + 1), axis)
    return table
