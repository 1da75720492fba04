"""The fewest cells to leave blank so that rows are in groups of k, by going through all sets of cells of each row."""

from collections import Counter
from collections.abc import Sequence
from itertools import product

Row = tuple[object, ...]
BLANK = "·"  # no value of the tests


def blanked(row: Row, hidden: int) -> Row:
    return tuple(BLANK if hidden >> place & 1 else value for place, value in enumerate(row))


def fewest_blanks(rows: Sequence[Row], k: int) -> int:
    """Return the least number of blank cells by which all these rows are in groups of k alike, k of them at least."""
    columns = len(rows[0])
    least = columns * len(rows)
    for chosen in product(range(1 << columns), repeat=len(rows)):
        cells = sum(hidden.bit_count() for hidden in chosen)
        if cells < least:
            groups = Counter(map(blanked, rows, chosen))
            if min(groups.values()) >= k:
                least = cells
    return least
