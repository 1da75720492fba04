"""Two matrices of probabilities, and how near the first comes to the second once something is done to what it shows."""

from collections.abc import Callable

import numpy as np

from discretion.numerics.arrays import Reals
from discretion.numerics.matrices import RANK_TOLERANCE
from discretion.numerics.proportional_columns import alike
from discretion.refinement.exact_factors import exact_factors
from discretion.refinement.interior_point import interior_points

# What rounding leaves of a difference of probabilities: an absolute error that a float may have.
TOLERANCE = 1e-12


class Nearest:
    """The best factor and the best gain that were found so far, and what they prove.

    ``factor`` is a channel R, ``high`` the largest total variation of a row of C R from that of D: none is needed.
    ``gain`` is a matrix W, a row per secret and a column per guess, ``low`` by how much more it says of D than of C,
    in units of what it says where all is known: the least total variation is at least that.
    """

    def __init__(self, C: Reals, D: Reals) -> None:
        self._C, self._D = C, D
        self._inverse = np.asarray(np.linalg.pinv(C, rcond=RANK_TOLERANCE), float)
        self.factor: Reals = np.full((C.shape[1], D.shape[1]), 1 / D.shape[1])
        self.gain: Reals = np.ones_like(D)
        self.high, self.low = 1.0, 0.0

    def search(self, enough: Callable[["Nearest"], bool]) -> None:
        """Look for better ones until it is enough, or rounding ends it."""
        for attempt in (self._match, self._solve, self._solve_columns):
            attempt()
            if enough(self):
                return
        for factor in exact_factors(self._C, self._projected(self.factor)):
            self._try_factor(factor)
            if enough(self):
                return
        for factor, gain in interior_points(self._C, self._D):
            self._try_factor(factor)
            self._try_factor(self._projected(factor))
            self._try_gain(gain)
            if enough(self):
                return
        for factor in exact_factors(self._C, self._projected(self.factor)):
            self._try_factor(factor)
            if enough(self):
                return

    def _try_factor(self, R: Reals) -> None:
        factor: Reals = np.maximum(R, 0.0)
        factor[factor.sum(axis=1) == 0] = 1.0
        factor /= factor.sum(axis=1, keepdims=True)
        off = float(np.abs(self._C @ factor - self._D).sum(axis=1).max()) / 2
        if off < self.high:
            self.factor, self.high = factor, off

    def _try_gain(self, W: Reals) -> None:
        above: Reals = W - W.min(axis=1, keepdims=True)
        unit = float(above.max(axis=1).sum())
        if unit > 0:
            of_C, of_D = (float((seen.T @ above).max(axis=1).sum()) for seen in (self._C, self._D))
            if (of_D - of_C) / unit > self.low:
                self.gain, self.low = above / unit, (of_D - of_C) / unit

    def _match(self) -> None:
        """Try the factor that takes columns of C to those of D that are proportional to them, and the plainest gain."""
        m, beside = self._C.shape[1], np.hstack([self._C, self._D])
        weights: Reals = self._D.sum(axis=0)
        factor = np.zeros((m, weights.size))
        for group in alike(beside / beside.sum(axis=0)):
            factor[np.ix_(group[group < m], group[group >= m] - m)] = weights[group[group >= m] - m]
        self._try_factor(factor)
        self._try_gain(np.eye(len(self._C)))

    def _solve(self) -> None:
        """Try the least-squares factor, and what speaks against it: what it misses, and where it is negative.

        Where C's columns are independent there is no other; the gain ``-C⁺ᵀ N`` says Σ of R over N less of D than of C.
        """
        R = self._inverse @ self._D
        self._try_factor(R)
        self._try_gain(self._D - self._C @ R)
        self._try_gain(-self._inverse.T @ (R < 0))

    def _solve_columns(self) -> None:
        """Try to make each column of D of C's by themselves, rows of the factor aside, and what speaks against it.

        Where a column of D is on the boundary of the cone of C's, there is often only one way.
        """
        from scipy.optimize import nnls  # noqa: PLC0415 - slow to import

        found: list[Reals] = []
        for column in self._D.T:
            try:
                found.append(nnls(self._C, column)[0])
            except RuntimeError:  # it takes too many steps
                return
        R = np.column_stack(found)
        self._try_factor(R)
        self._try_gain(self._D - self._C @ R)

    def _projected(self, R: Reals) -> Reals:
        """Return the nearest matrix with C R = D, if there are any, and rows that sum to 1."""
        moved: Reals = R + self._inverse @ (self._D - self._C @ R)
        return moved + (1 - moved.sum(axis=1, keepdims=True)) / moved.shape[1]
