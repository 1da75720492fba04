"""A bound on exposure at every threshold at once: the minimum of a few lines."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from discretion.intervals import above
from discretion.notebook import Chartable, Tabular
from discretion.tables.counting.class_sizes import ExposureCurve, Int64s
from discretion.tables.counting.threshold import Threshold, as_fraction, least_unexposed


@dataclass(frozen=True, eq=False)
class ExposureBoundCurve(Tabular, Chartable):
    """The counting bound as a function of the threshold: ``min_i (rare_i + s·cells_i)`` people.

    s is the most people that an exposed class can have. As a function of s the bound is piecewise linear and concave.

    Parameters
    ----------
    people
        The number of people, n.
    rare, cells
        For each line that is the minimum for some s ≥ 1, by ascending ``rare``: the number of people who are rare in
        some column, and the number of cells of frequent values for the others.
    itself
        The exact exposure, where the class sizes on all the columns together are known.

    Examples
    --------
    >>> curve = ExposureBoundCurve(100, np.array([0, 3]), np.array([20, 4]))
    >>> curve.at_most([1, 2, 50]).tolist()
    [7, 11, 100]
    >>> curve("0.02"), curve.with_slack("0.02")
    (0.07, 0.11)
    """

    people: int
    rare: Int64s
    cells: Int64s
    itself: ExposureCurve | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"ExposureBoundCurve({self.people} people, {self.rare.size} lines)"

    def at_most(self, sizes: ArrayLike) -> Int64s:
        """Return for each size an upper bound on the number of people in classes of at most that size."""
        most = np.asarray(sizes, np.int64)
        if self.itself is not None:
            return self.itself.at_most(most)
        bound = np.full(most.shape, self.people)
        for rare, cells in zip(self.rare.tolist(), self.cells.tolist(), strict=True):
            # Beyond that many the line is above n, and the product might not fit.
            bound = np.minimum(bound, rare + cells * np.minimum(most, (self.people - rare) // cells + 1))
        return np.where(most > 0, bound, 0)

    def __call__(self, threshold: Threshold) -> float:
        """Return the bound on the exposure at a threshold, that of :func:`exposure_bound`."""
        return self.fewer_than(least_unexposed(self.people, threshold=as_fraction(threshold)))

    def fewer_than(self, k: int) -> float:
        """Return the upper bound on the share of the people in classes of fewer than k, rounded up."""
        most = min(max(k - 1, 0), self.people)
        return above(Fraction(int(self.at_most(most)), self.people))

    def with_slack(self, threshold: Threshold) -> float:
        """Return ``min (Σ Q_j + t·Π N_j)``, with a slack of t for each cell rather than of whole people.

        It is a curve without steps that is never below the bound. For t ≤ 1/n nobody is exposed, and it is 0. It is
        rounded up.
        """
        share = as_fraction(threshold)
        if share * self.people <= 1:
            return 0.0
        if self.itself is not None:
            return self(share)
        lines = zip(self.rare.tolist(), self.cells.tolist(), strict=True)
        return above(min([Fraction(1), *(Fraction(rare, self.people) + share * cells for rare, cells in lines)]))
