"""Exposure after joining two tables person by person, certified where the join itself is not made."""

from dataclasses import dataclass

import numpy as np

from discretion.anonymity.pairs.differences import common_rows
from discretion.anonymity.pairs.pair import PairedTable
from discretion.numerics.equivalence_classes import Column, refined
from discretion.numerics.small_cells import Int64s, Margins, most_in_small_cells


@dataclass(frozen=True)
class Side:
    """The people of one table: their classes on all columns that are known of them, and on those that are shared."""

    known: Column
    shared: Column


def joined_exposed_bound(old: Side, new: Side, k: int) -> tuple[int, int]:
    r"""Return how many of the new table's people are exposed at least and at most if both tables are joined.

    Exposed is who has fewer than k alike in the new table, or whose two records together fewer than k of the people in
    both tables have. Only people with the same shared values in both can be joined, so that with E exposed in the new
    table, and n_as and n_bs people who have the values a or b besides the shared s in either,

    ``E ≤ exposed ≤ E + Σ_s max Σ_ab x_ab``, ``x_ab ≤ k-1``, ``Σ_b x_ab ≤ n_as``, ``Σ_a x_ab ≤ n_bs``

    over those b where ``n_bs ≥ k``: :func:`most_in_small_cells`.

    Parameters
    ----------
    old, new
        The classes of their people; those of shared columns are numbered alike, and follow from the others.
    k
        Exposed are fewer than k people alike.

    Returns
    -------
    tuple[int, int]
        Certain, whoever is in both: at least those are exposed who are so in the new table alone.

    Notes
    -----
    Of the same people it is never above the counting bound of :func:`discretion.exposure_bound` with the columns of
    each table as a group plus the exposure of the new one: a choice of rare values and cells is a cut of each flow.
    Source: Discretion.
    """
    classes = old.shared.count
    rows, columns = _margins(old), _margins(new)
    large = columns.sums >= k
    exposed = int(columns.sums[~large].sum())
    large_columns = Margins(columns.tables[large], columns.sums[large])
    most = most_in_small_cells(rows, large_columns, k - 1, classes) if k > 1 else np.zeros(1, np.int64)
    return exposed, exposed + int(most.sum())


def exposed_if_the_same(old: Side, new: Side, k: int) -> int:
    """Return how many people are exposed at least when both tables are of the same people with the same shared values.

    ``Σ_s max(E_As, E_Bs)``
    """
    apart = [
        np.bincount(side.tables[few], side.sums[few], old.shared.count)
        for side in (_margins(old), _margins(new))
        for few in [side.sums < k]
    ]
    return int(np.maximum(*apart).sum())


def joined_exposed(old: PairedTable, new: PairedTable, sides: tuple[Side, Side], k: int) -> int:
    """Return how many of the new table's people are exposed when the tables are joined by who they are."""
    before, after = sides
    in_old, in_new = common_rows(old, new)
    same = before.shared.codes[in_old] == after.shared.codes[in_new]
    in_old, in_new = in_old[same], in_new[same]
    exposed = np.bincount(after.known.codes)[after.known.codes] < k
    if in_new.size:
        both = refined(
            Column(before.known.codes[in_old], before.known.count), Column(after.known.codes[in_new], after.known.count)
        )
        exposed[in_new] |= np.bincount(both.codes)[both.codes] < k
    return int(exposed.sum())


def _margins(side: Side) -> Margins:
    """Return the sizes of the classes of one table, among those with the same shared values."""
    sums: Int64s = np.bincount(side.known.codes, minlength=side.known.count)
    class_of = np.zeros(side.known.count, np.int64)
    class_of[side.known.codes] = side.shared.codes
    return Margins(class_of[sums > 0], sums[sums > 0])
