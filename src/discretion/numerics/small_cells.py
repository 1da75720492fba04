"""Upper bounds of the people in small cells of a table with known sums of rows and columns.

Many such tables at once, without a loop over them.
"""

from dataclasses import dataclass

import numpy as np

from discretion.numerics.arrays import Integers

Int64s = Integers


@dataclass(frozen=True)
class Margins:
    """The sums of the rows, or of the columns, of several tables.

    Parameters
    ----------
    tables
        The number of the table of each sum, from 0.
    sums
        Each sum, at least 1.
    """

    tables: Int64s
    sums: Int64s


def most_in_small_cells(rows: Margins, columns: Margins, most: int, tables: int) -> Int64s:
    r"""Return for each table the largest number of people in cells, each of which holds at most ``most``.

    ``max Σ x_ij`` with ``0 ≤ x_ij ≤ most``, ``Σ_j x_ij ≤ r_i`` and ``Σ_i x_ij ≤ c_j``

    Parameters
    ----------
    rows, columns
        The sums r and c of each table.
    most
        The limit of each cell.
    tables
        The number of tables; one without rows or columns is empty.

    Notes
    -----
    A flow from rows to columns: it is ``min_t Σ_i min(r_i, most·t) + Σ_{j>t} c_j`` with the c_j descending, for if a
    least cut has t columns on the side of the rows, they are the t largest. Source: Gale, "A theorem on flows in
    networks", 1957; Ryser, "Combinatorial properties of matrices of zeros and ones", 1957.

    Examples
    --------
    >>> rows = Margins(np.array([0, 0]), np.array([3, 2]))
    >>> columns = Margins(np.array([0, 0, 0]), np.array([3, 1, 1]))
    >>> most_in_small_cells(rows, columns, 1, 1), most_in_small_cells(rows, columns, 2, 1)
    (array([4]), array([5]))
    """
    largest = int(max(rows.sums.max(initial=0), columns.sums.max(initial=0)))
    cell = min(most, largest)
    # The rows of each table ascending, all in one line in which a search finds those of a table up to a sum.
    line = np.sort(rows.tables * (largest + 1) + rows.sums)
    added = np.concatenate(([0], np.cumsum(line % (largest + 1))))
    ends = np.searchsorted(line, (np.arange(tables) + 1) * (largest + 1))
    starts = np.concatenate(([0], ends[:-1]))
    # The columns of each table descending.
    order = np.lexsort((-columns.sums, columns.tables))
    table_of, sums = columns.tables[order], columns.sums[order]
    begins = np.searchsorted(table_of, np.arange(tables))
    before = np.concatenate(([0], np.cumsum(sums)))
    totals = np.bincount(table_of, sums, tables).astype(np.int64) if table_of.size else np.zeros(tables, np.int64)
    columns_taken = np.arange(1, table_of.size + 1) - begins[table_of]
    room = np.minimum(cell * columns_taken, largest)
    reached = np.searchsorted(line, table_of * (largest + 1) + room, side="right")
    through_rows = added[reached] - added[starts[table_of]] + (ends[table_of] - reached) * room
    cuts = through_rows + totals[table_of] - (before[1:] - before[begins[table_of]])
    largest_totals = totals
    np.minimum.at(largest_totals, table_of, cuts)
    return largest_totals
