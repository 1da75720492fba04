"""The largest exposure of any table with given counts of single columns, by an integer program."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from discretion import limits
from discretion.anonymity.exposure.bounds import counting_bound, exposed_below, rounded_outward
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.errors import InvalidValueError, TooLargeError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Integers
from discretion.tables.counting.class_sizes import Int64s
from discretion.tables.counting.threshold import Threshold, least_unexposed
from discretion.validation import as_real

# The most cells of the tables that the search covers.
MAX_TABLE_CELLS = 4096

# HiGHS treats a number this near to a whole number as whole.
_INTEGRALITY = 1e-5


def worst_exposure(
    P: People | Marginals,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    time_limit: float = 10.0,
) -> Estimate:
    """Return the largest exposure of any table whose single columns have the same class sizes as the population's.

    ``max Σ_v x_v·1{x_v < k}`` over all tables of counts x whose margins are those of the columns

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    k, threshold
        Exactly one: a number of people, or a share of them in [0, 1].
    columns
        The columns that are known together; None is all of them.
    time_limit
        In seconds, above 0; at this time the search returns its bounds so far.

    Returns
    -------
    Estimate
        Certified: ``low`` is the exposure of a table that the search found, ``value`` and ``high`` the dual bound,
        which no table exceeds. The two are equal if the search was finished; ``method`` shows whether it was.

    Raises
    ------
    InvalidValueError
        If the time limit is not above 0.
    UnsupportedError
        If the people of P have several rows.
    TooLargeError
        If there are more than 4,096 cells, one for each combination of values.

    Notes
    -----
    HiGHS solves the program by branch and bound, in floating point. Its dual bound, rounded down to a whole number of
    people with a margin of 1e-5 of a person, is used where it is below the counting bound; the table that it finds is
    checked in whole numbers. Source: Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult")
    >>> worst = worst_exposure(adult, k=10, columns=["sex", "income"])
    >>> round(worst.low * adult.people), round(worst.high * adult.people)
    (9, 9)
    """
    people = as_counts(P)
    least, seconds = least_unexposed(people.people, k, threshold), as_real(time_limit, "time_limit")
    if seconds <= 0:
        raise InvalidValueError(f"time_limit must be a number of seconds above 0, got {time_limit!r}")
    seconds = min(seconds, limits.current().seconds)
    exposed, bound, method = worst_exposed(people.marginals(columns), least, seconds)
    return rounded_outward(Fraction(exposed, people.people), Fraction(bound, people.people), method)


def worst_exposed(marginals: Marginals, k: int, seconds: float = 10.0) -> tuple[int, int, str]:
    """Return the exposed people in the worst table found, an upper bound for all tables, and the method."""
    alone = marginals.alone()
    low = max(exposed_below(marginal, k) for marginal in alone)
    high = counting_bound(marginals, k)
    if low == high:
        return low, high, "counting"
    shape = tuple(marginal.classes for marginal in alone)
    if (cells := int(np.prod(shape, dtype=object))) > (most := limits.current().steps(MAX_TABLE_CELLS, each=1 << 16)):
        raise TooLargeError(
            f"the worst case is searched over tables of at most {most:,} cells, got {cells:,}; use exposure_bound, or "
            "fewer columns"
        )
    programme = _Programme([np.repeat(marginal.sizes, marginal.counts) for marginal in alone], shape, k)
    for whole in (False, True):
        exposed, dual = programme.solve(seconds / 2, whole=whole)
        low = max(low, exposed)
        high = max(low, min(high, dual))
        if low == high:
            break
    how = "solved" if low == high else f"stopped after {seconds:g} s"
    return low, high, f"integer program, {how}"


class _Programme:
    """The integer program: in each cell ``e ≤ (k - 1)(1 - b)`` people are exposed, and ``f ≤ m b`` are not.

    b is 1 if the cell is frequent; m is the least of its margins, and where m < k there is neither f nor b. To leave
    out f ≥ k loses no table, and no table counts for more than it exposes.
    """

    def __init__(self, margins: Sequence[Int64s], shape: tuple[int, ...], k: int) -> None:
        from scipy import sparse  # noqa: PLC0415 - slow to import

        self.margins, self.shape, self.k = margins, shape, k
        most = np.minimum.reduce(np.broadcast_arrays(*np.ix_(*margins))).ravel()
        self.cells, self.large = int(most.size), np.flatnonzero(most >= k)
        m = most[self.large]
        self.upper = np.concatenate([np.minimum(most, k - 1), m, np.ones(m.size)])
        rows = np.indices(shape).reshape(len(shape), -1) + np.cumsum([0, *shape[:-1]])[:, None]
        places: Int64s = np.tile(np.arange(self.cells, dtype=np.int64), len(shape))
        sums: Any = sparse.csr_array((np.ones(rows.size), (rows.ravel(), places)))
        each: Any = sparse.eye_array(m.size)
        exposed: Any = sparse.eye_array(self.cells).tocsr()[self.large]
        self.sums = sparse.hstack([sums, sums[:, self.large], sparse.csr_array((sums.shape[0], m.size))])
        self.either: Any = sparse.block_array(
            [[exposed, None, (k - 1) * each], [None, each, -sparse.diags_array(m.astype(float))]]
        )
        self.either_limits = np.repeat([k - 1, 0], m.size)

    def solve(self, seconds: float, *, whole: bool) -> tuple[int, int]:
        """Return the number of exposed people in the best table found, 0 if none, and an upper bound for all tables.

        The upper bound only needs whole b; with two columns the table is then, at a vertex, whole by itself.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - slow to import

        cells, large, totals = self.cells, self.large, np.concatenate(self.margins)
        constraints = [LinearConstraint(self.sums, totals, totals)]
        if large.size:
            constraints.append(LinearConstraint(self.either, -np.inf, self.either_limits))
        answer: Any = milp(
            np.repeat([-1.0, 0.0], [cells, 2 * large.size]),
            integrality=np.repeat([int(whole), 1], [cells + large.size, large.size]),
            bounds=Bounds(0, self.upper),
            constraints=constraints,
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
        dual = answer.mip_dual_bound
        high = int(self.margins[0].sum()) if dual is None or not np.isfinite(dual) else math.floor(_INTEGRALITY - dual)
        if answer.x is None:
            return 0, high
        people = np.rint(answer.x).astype(np.int64)
        table = people[:cells]
        table[large] += people[cells : cells + large.size]
        return self.exposed_in(table.reshape(self.shape)), high

    def exposed_in(self, table: Integers) -> int:
        """Return the number of people of the table in cells of fewer than k, or 0 if it does not have the margins."""
        for axis, margin in enumerate(self.margins):
            others = tuple(other for other in range(table.ndim) if other != axis)
            if table.min() < 0 or not np.array_equal(table.sum(axis=others), margin):
                return 0
        return int(table[table < self.k].sum())
