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
    """Of the people of one table: for how many so many of the other agree on the shared columns.

    ``few`` are from 1 to fewer than k, those with one among them.
    """

    none: int
    one: int
    few: int


@dataclass(frozen=True)
class RowMatching:
    """How two tables of people match on the columns that both have.

    Parameters
    ----------
    in_both
        ``Σ min(o, n)`` over the values of the shared columns, that o have in the old table and n in the new.
    only_old, only_new
        The others of each.
    of_old, of_new
        How many candidates the people of each have in the other.
    linked
        Who is alone with her values in both: her two records are found to be one.
    """

    in_both: int
    only_old: int
    only_new: int
    of_old: Candidates
    of_new: Candidates
    linked: int


@dataclass(frozen=True)
class Differencing:
    """Who is found by taking one table from the other: ``d = n - o`` people of each values of the shared columns.

    Parameters
    ----------
    added, removed
        ``Σ max(d, 0)`` and ``Σ max(-d, 0)``.
    added_found, removed_found
        Those of them where d, or -d, is from 1 to fewer than k.
    hidden
        Those of the found whom each table by itself hides among k or more.
    """

    added: int
    removed: int
    added_found: int
    removed_found: int
    hidden: int


@dataclass(frozen=True)
class Changes:
    """What became of the people, as the column says that names them: who came, went, stayed, and of these changed."""

    added: int
    removed: int
    stayed: int
    changed: int


def match_rows(old: Column, new: Column, k: int) -> RowMatching:
    """Return how two tables match whose people are in these classes, numbered alike."""
    o, n = _counts(old), _counts(new)
    both = int(np.minimum(o, n).sum())
    alone = int(((o == 1) & (n == 1)).sum())
    return RowMatching(
        both, int(o.sum()) - both, int(n.sum()) - both, _candidates(o, n, k), _candidates(n, o, k), alone
    )


def differencing(old: Column, new: Column, k: int) -> Differencing:
    """Return whom the difference of two tables finds whose people are in these classes, numbered alike."""
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
    """Return of how many people who were added or removed the difference tells a value that no table tells by itself.

    In a class that only grew, or only shrank, all by people of one and the same value; while the larger of the two
    tables has several values in it.

    Parameters
    ----------
    old, new
        The classes of the people of each table, and their values, numbered alike.
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
    """Return what became of people who are named, by their classes on the shared columns."""
    in_old, in_new = common_rows(old, new)
    changed = classes[0].codes[in_old] != classes[1].codes[in_new]
    return Changes(new.people - in_new.size, old.people - in_old.size, in_old.size, int(changed.sum()))


def common_rows(old: PairedTable, new: PairedTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places in each table of the people who are named in both, in one order."""
    assert old.persons is not None
    assert new.persons is not None
    _, in_old, in_new = np.intersect1d(old.persons, new.persons, assume_unique=True, return_indices=True)
    return in_old, in_new


def _counts(classes: Column) -> Int64s:
    return np.bincount(classes.codes, minlength=classes.count)


def _candidates(own: Int64s, other: Int64s, k: int) -> Candidates:
    none, one, few = (int(own[chosen].sum()) for chosen in (other == 0, other == 1, (other > 0) & (other < k)))
    return Candidates(none, one, few)
