"""The values of a table such that the fewest cells are suppressed, if everybody with one of them suppresses it.

To suppress one more value only merges classes, so the exposure never rises. The maximal sets of values that still leave
too many people exposed therefore determine all others: a set of values is within the budget if and only if it has a
value outside of each of them. An integer program, with a condition for each maximal set found so far, finds the
cheapest such set.
"""

import math
from collections.abc import Sequence
from functools import reduce
from time import monotonic
from typing import Any

import numpy as np

from discretion.numerics.arrays import Booleans, Integers
from discretion.numerics.equivalence_classes import Column, everybody, refined

# HiGHS treats a number this near to a whole number as whole.
_INTEGRALITY = 1e-5


def fewest_hidden(
    codes: Integers, sizes: Integers, least: int, allowed: int, seconds: float
) -> tuple[list[Booleans], int]:
    """Return the values of each column to suppress so that few people are exposed, and a lower bound on the cells.

    Parameters
    ----------
    codes
        A row for each equivalence class: the numbers of its values, from 0 on in each column.
    sizes
        The number of people in each class; at least ``least`` together.
    least
        A person is exposed if their class has fewer than this many people; all suppressed values of a column are equal.
    allowed
        The largest number of exposed people.
    seconds
        The time after which the search returns the best values so far.

    Returns
    -------
    list[Booleans]
        For each column whether each of its values is suppressed.
    int
        A lower bound on the suppressed cells; the values are optimal if they suppress this many.

    Notes
    -----
    The people of an exposed class stop being exposed only if the class merges with another one, and then it has a
    suppressed cell. The program has this condition too, and another one: a value is not suppressed as the only one of
    its column, which would reveal it. Source: implicit hitting sets, Moreno-Centeno and Karp, 2013; for suppression:
    Discretion.
    """
    table = _Table(codes, sizes, least, allowed)
    deadline = monotonic() + seconds
    best = table.reduced(table.rarest(), np.zeros(table.costs.size, bool), deadline)
    fewest, program = 0, _Program(table)
    while fewest < (cells := table.cells(best)) and (left := deadline - monotonic()) > 0:
        bound, hidden = program.solve(left)
        fewest = min(max(fewest, bound), cells)
        if hidden is None or fewest == cells:
            break
        if table.is_within(hidden):
            return table.by_column(hidden), min(fewest, table.cells(hidden))
        program.add(~table.enlarged(hidden, deadline))
        other = table.reduced(np.ones_like(hidden), hidden, deadline)
        best = min(best, other, key=table.cells)
    return table.by_column(best), fewest


class _Table:
    """The classes of a table, counted with some values suppressed."""

    def __init__(self, codes: Integers, sizes: Integers, least: int, allowed: int) -> None:
        self.sizes, self._least, self._allowed = sizes, least, allowed
        self._counts = [int(most) + 1 for most in codes.max(axis=0)]
        self.starts = np.cumsum([0, *self._counts])
        self._columns = [codes[:, j].astype(np.int32) for j in range(codes.shape[1])]
        self.values = codes + self.starts[:-1]
        self.costs = np.zeros(int(self.starts[-1]), np.int64)
        for column in self.values.T:
            np.add.at(self.costs, column, sizes)
        self.small = np.flatnonzero(sizes < least)

    @property
    def over(self) -> int:
        """The number of exposed people over the budget."""
        return int(self.sizes[self.small].sum()) - self._allowed

    def cells(self, hidden: Booleans) -> int:
        return int(self.costs[hidden].sum())

    def by_column(self, hidden: Booleans) -> list[Booleans]:
        return [hidden[start:end] for start, end in zip(self.starts[:-1], self.starts[1:], strict=True)]

    def is_within(self, hidden: Booleans) -> bool:
        """Return whether few enough people are exposed with these values suppressed."""
        shown = (
            Column(np.where(out[codes], np.int32(count), codes), count + 1)
            for codes, count, out in zip(self._columns, self._counts, self.by_column(hidden), strict=True)
        )
        people = np.bincount(reduce(refined, shown, everybody(self.sizes.size)).codes, self.sizes)
        return int(people[people < self._least].sum()) <= self._allowed

    def rarest(self) -> Booleans:
        """Return the rarest values of all columns, as few as bring the exposure within the budget."""
        cuts = np.append(np.unique(self.costs), self.costs.max() + 1)
        low, high = 0, cuts.size - 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self.is_within(self.costs < cuts[middle]) else (middle + 1, high)
        return self.costs < cuts[low]

    def reduced(self, hidden: Booleans, last: Booleans, deadline: float) -> Booleans:
        """Return a minimal part of hidden values within the budget; drop common values first, those in last after."""
        hidden = hidden.copy()
        for value in self._common_first(hidden, last):
            if monotonic() > deadline:
                break
            hidden[value] = False
            hidden[value] = not self.is_within(hidden)
        return hidden

    def enlarged(self, hidden: Booleans, deadline: float) -> Booleans:
        """Return a maximal set of hidden values, over the budget, that contains these; add rare values first."""
        hidden = hidden.copy()
        for value in self._common_first(~hidden, np.zeros_like(hidden))[::-1]:
            if monotonic() > deadline:
                break
            hidden[value] = True
            hidden[value] = not self.is_within(hidden)
        return hidden

    def _common_first(self, some: Booleans, last: Booleans) -> Sequence[int]:
        return [int(value) for value in np.lexsort((-self.costs, last)) if some[value]]


class _Program:
    """The integer program: the cheapest values such that all conditions so far hold."""

    def __init__(self, table: _Table) -> None:
        from scipy import sparse  # noqa: PLC0415 - slow to import

        values, small, columns = table.costs.size, table.small, table.values.shape[1]
        self._values, self._costs = values, np.concatenate([table.costs, np.zeros(small.size)])
        # A class that stops being exposed has a suppressed cell, and enough people must be in such classes.
        classes: Any = np.arange(small.size)
        cells: Any = (np.repeat(classes, columns), table.values[small].reshape(-1))
        has: Any = sparse.csr_array((np.ones(small.size * columns), cells), (small.size, values))
        each: Any = sparse.eye_array(small.size)
        people: Any = sparse.csr_array(np.append(np.zeros(values), table.sizes[small])[None, :])
        # A value is not suppressed as the only one of its column.
        column: Any = np.searchsorted(table.starts, np.arange(values), side="right")
        alone: Any = sparse.csr_array((column[:, None] == column[None, :]).astype(float) - 2 * np.eye(values))
        alone.resize((values, self._costs.size))
        self._rows: list[Any] = [sparse.hstack([has, -each]), people, alone]
        self._least = [np.zeros(small.size), np.array([float(table.over)]), np.zeros(values)]

    def add(self, some: Booleans) -> None:
        """Add the condition that one of these values is suppressed."""
        self._rows.append(np.append(some, np.zeros(self._costs.size - self._values))[None, :])
        self._least.append(np.ones(1))

    def solve(self, seconds: float) -> tuple[int, Booleans | None]:
        """Return a lower bound on the cells that are suppressed, and the cheapest values if they were found."""
        from scipy import sparse  # noqa: PLC0415
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - slow to import

        answer: Any = milp(
            self._costs,
            integrality=np.repeat([1, 0], [self._values, self._costs.size - self._values]),
            bounds=Bounds(0, 1),
            constraints=LinearConstraint(sparse.vstack(self._rows), np.concatenate(self._least), np.inf),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        dual = answer.mip_dual_bound
        bound = 0 if dual is None or not np.isfinite(dual) else math.ceil(dual - _INTEGRALITY)
        return max(0, bound), answer.x[: self._values] > 0.5 if answer.status == 0 else None
