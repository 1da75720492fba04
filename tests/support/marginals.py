"""Columns told of by the sizes of their classes alone."""

from collections.abc import Sequence
from typing import Any

from discretion.anonymity import ClassSizes, Marginals
from oracles import tables


def marginals_of(rows: list[Any]) -> list[dict[int, int]]:
    """Return for each column how many classes there are of each size."""
    return [tables.class_sizes(tables.restrict(rows, [j])) for j in range(len(rows[0]))]


def sizes_of(marginals: list[dict[int, int]]) -> list[ClassSizes]:
    return [ClassSizes(list(m), list(m.values())) for m in marginals]


def told(columns: Sequence[ClassSizes]) -> Marginals:
    """Return the marginals of columns of the same people, called x0, x1, …."""
    return Marginals({f"x{j}": sizes for j, sizes in enumerate(columns)})
