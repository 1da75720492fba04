"""Matching rows of two tables, and the people isolated by their difference."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discretion.anonymity.pairs.pair import PairedTable
from discretion.numerics.arrays import Booleans, Integers
from discretion.numerics.equivalence_classes import Column, refined

Int64s = Integers


@dataclass(frozen=True)
class Candidates:
    """The numbers of people of one table with no, one, and few candidates: people of the other with the same values.

    ``few`` is from 1 to fewer than k candidates, so it includes the people with one.
    """

    none: int
    one: int
    few: int


@dataclass(frozen=True)
class RowMatching:
    """The matches between two tables of people on the columns that both have.

    Parameters
    ----------
    in_both
        ``Σ min(o, n)`` over the values of the shared columns, with o people in the old table and n in the new.
    only_old, only_new
        The other people of each table.
    of_old, of_new
        The numbers of people of each table by their candidates in the other.
    linked
        The people who are unique in both tables with the same values: the adversary links their two records.
    """

    in_both: int
    only_old: int
    only_new: int
    of_old: Candidates
    of_new: Candidates
    linked: int


@dataclass(frozen=True)
class Differencing:
    """The people whom the difference of two tables isolates: ``d = n - o`` for each combination of shared values.

    Parameters
    ----------
    added, removed
        ``Σ max(d, 0)`` and ``Σ max(-d, 0)``.
    added_found, removed_found
        The people among them where d, or -d, is from 1 to fewer than k.
    hidden
        The isolated people who are in a class of k or more in each table by itself.
    """

    added: int
    removed: int
    added_found: int
    removed_found: int
    hidden: int


@dataclass(frozen=True)
class Changes:
    """The numbers of named people who came, left and stayed, and of those who stayed with changed values."""

    added: int
    removed: int
    stayed: int
    changed: int


def match_rows(old: Column, new: Column, k: int) -> RowMatching:
    """Return the matches between two tables whose people are in these classes, with the same numbers in both."""
    o, n = _counts(old), _counts(new)
    both = int(np.minimum(o, n).sum())
    alone = int(((o == 1) & (n == 1)).sum())
    return RowMatching(
        both, int(o.sum()) - both, int(n.sum()) - both, _candidates(o, n, k), _candidates(n, o, k), alone
    )


def differencing(old: Column, new: Column, k: int) -> Differencing:
    """Return the people whom the difference of two tables isolates, by their classes, with the same numbers in both."""
    o, n = _counts(old), _counts(new)
    d = n - o
    isolated = (d != 0) & (abs(d) < k)
    hidden = isolated & (o >= k) & (n >= k)
    return Differencing(
        added=int(d[d > 0].sum()),
        removed=int(-d[d < 0].sum()),
        added_found=int(d[isolated & (d > 0)].sum()),
        removed_found=int(-d[isolated & (d < 0)].sum()),
        hidden=int(abs(d[hidden]).sum()),
    )


def revealed_values(old: tuple[Column, Column], new: tuple[Column, Column]) -> int:
    """Return the number of people who came or left and whose value only the difference of the tables reveals.

    Their class only grew, or only shrank, and all who came or left have the same value, while the larger of the two
    tables has several values in the class.

    Parameters
    ----------
    old, new
        The classes of the people of each table, and their values, with the same numbers in both tables.
    """
    (before, had), (after, have) = old, new
    classes = Column(np.concatenate((before.codes, after.codes)), before.count)
    cells = refined(classes, Column(np.concatenate((had.codes, have.codes)), had.count))
    o, n = (np.bincount(part, minlength=cells.count) for part in np.split(cells.codes, [before.codes.size]))
    class_of = np.empty(cells.count, np.int64)
    class_of[cells.codes] = classes.codes
    d = n - o

    def among(cells_too: Booleans) -> Int64s:
        return np.bincount(class_of[cells_too], minlength=classes.count)

    grown, shrunk = among(d > 0), among(d < 0)
    grew = (grown == 1) & (shrunk == 0) & (among(n > 0) > 1)
    shrank = (shrunk == 1) & (grown == 0) & (among(o > 0) > 1)
    return int(abs(d[(grew | shrank)[class_of]]).sum())


def changes(old: PairedTable, new: PairedTable, classes: tuple[Column, Column]) -> Changes:
    """Return the changes of named people, by their classes on the shared columns."""
    in_old, in_new = common_rows(old, new)
    changed = classes[0].codes[in_old] != classes[1].codes[in_new]
    return Changes(new.people - in_new.size, old.people - in_old.size, in_old.size, int(changed.sum()))


def common_rows(old: PairedTable, new: PairedTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places in each table of the people who are named in both, in the same order."""
    assert old.persons is not None
    assert new.persons is not None
    _, in_old, in_new = np.intersect1d(old.persons, new.persons, assume_unique=True, return_indices=True)
    return in_old, in_new


def _counts(classes: Column) -> Int64s:
    return classes.sizes()


def _candidates(own: Int64s, other: Int64s, k: int) -> Candidates:
    none, one, few = (int(own[chosen].sum()) for chosen in (other == 0, other == 1, (other > 0) & (other < k)))
    return Candidates(none, one, few)
