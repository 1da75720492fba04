"""All tables that agree with what is known of them, gone through one by one: slow, obvious, exact."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

Table = np.ndarray


def coarsened(table: Table, columns: Sequence[int], kept: Sequence[int]) -> Table:
    """Return the counts of some columns, with all but so many values of each as one."""
    summed = table.sum(axis=tuple(axis for axis in range(table.ndim) if axis not in columns))
    for axis, most in enumerate(kept):
        head = np.take(summed, range(min(most, summed.shape[axis])), axis)
        rest = np.take(summed, range(most, summed.shape[axis]), axis).sum(axis=axis, keepdims=True)
        summed = np.concatenate([head, rest], axis) if most < summed.shape[axis] else head
    return summed


def tables_of(people: int, shape: Sequence[int]) -> Iterator[Table]:
    """Yield every table of so many people."""
    cells = int(np.prod(shape))
    for bars in combinations(range(people + cells - 1), cells - 1):
        ends = np.array([-1, *bars, people + cells - 1])
        yield (np.diff(ends) - 1).reshape(shape)


def most_exposed(
    shape: Sequence[int], people: int, known: Mapping[tuple[int, ...], Table], asked: Mapping[int, int], k: int
) -> int:
    """Return how many people the table that is asked for exposes at most, of all that agree with what is known.

    A known table of fewer people has lost the others, who may be in any of its cells.
    """
    worst = 0
    for other in tables_of(people, shape):
        if all(
            (coarsened(other, columns, [size - 1 for size in table.shape]) >= table).all()
            for columns, table in known.items()
        ):
            told = coarsened(other, tuple(asked), tuple(asked.values()))
            worst = max(worst, int(told[told < k].sum()))
    return worst
