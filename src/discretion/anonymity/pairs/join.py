"""Exposure after a join of two tables person by person, with certified bounds where the join is not possible."""

from dataclasses import dataclass

import numpy as np

from discretion.anonymity.pairs.differences import common_rows
from discretion.anonymity.pairs.pair import PairedTable
from discretion.numerics.equivalence_classes import Column, refined
from discretion.numerics.small_cells import Int64s, Margins, most_in_small_cells


@dataclass(frozen=True)
class Side:
    """The people of one table: their classes on all columns that the adversary knows, and on the shared columns."""

    known: Column
    shared: Column


def joined_exposed_bound(old: Side, new: Side, k: int) -> tuple[int, int]:
    r"""Return certified bounds on the exposed people of the new table if both tables are joined.

    A person is exposed if their class in the new table has fewer than k people, or if fewer than k people in both
    tables share both of their records. Only people with the same shared values in both can be joined. So with E people
    exposed in the new table, and n_as and n_bs people who have the other values a or b with the shared values s in
    either table,

    ``E ≤ exposed ≤ E + Σ_s max Σ_ab x_ab``, ``x_ab ≤ k-1``, ``Σ_b x_ab ≤ n_as``, ``Σ_a x_ab ≤ n_bs``

    over those b where ``n_bs ≥ k``: :func:`most_in_small_cells`.

    Parameters
    ----------
    old, new
        The classes of their people; classes on shared columns have the same numbers in both tables, and follow from
        the others.
    k
        A person is exposed if fewer than k people share their values.

    Returns
    -------
    tuple[int, int]
        A lower and an upper bound, whichever people are in both tables; the lower bound is the number of people whom
        the new table alone exposes.

    Notes
    -----
    For the same people the bound is never above the counting bound of :func:`discretion.exposure_bound`, with the
    columns of each table as a group, plus the exposure of the new one: a choice of rare values and cells is a cut of
    each flow. Source: Discretion.
    """
    classes = old.shared.count
    rows, columns = _margins(old), _margins(new)
    large = columns.sums >= k
    exposed = int(columns.sums[~large].sum())
    large_columns = Margins(columns.tables[large], columns.sums[large])
    most = most_in_small_cells(rows, large_columns, k - 1, classes) if k > 1 else np.zeros(1, np.int64)
    return exposed, exposed + int(most.sum())


def exposed_if_the_same(old: Side, new: Side, k: int) -> int:
    """Return a lower bound on the exposed people if both tables have the same people with the same shared values.

    ``Σ_s max(E_As, E_Bs)``
    """
    apart = [
        np.bincount(side.tables[few], side.sums[few], old.shared.count)
        for side in (_margins(old), _margins(new))
        for few in [side.sums < k]
    ]
    return int(np.maximum(*apart).sum())


def joined_exposed(old: PairedTable, new: PairedTable, sides: tuple[Side, Side], k: int) -> int:
    """Return the number of exposed people of the new table when the tables are joined by their persons."""
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
    """Return the sizes of the classes of one table, grouped by the shared values."""
    sums: Int64s = side.known.sizes()
    class_of = np.zeros(side.known.count, np.int64)
    class_of[side.known.codes] = side.shared.codes
    return Margins(class_of[sums > 0], sums[sums > 0])
