"""The best mixture of columns by column generation: solve for some columns, add the columns that the duals rate best.

For a concave objective F of the weights θ under Eθ = b, every feasible mixture θ' satisfies
``F(θ') - F(θ) <= F'(θ)·(θ' - θ) <= λ·b + max_j (F'(θ) - λE)_j - F'(θ)·θ``, as weights sum to 1. Whatever the duals λ
are, this certifies a gap: that of linear programs, of Frank and Wolfe, of Kiefer and Wolfowitz for D-optimal designs.
Where leaks l with ``l·θ' <= 1`` are limited, ``2 max_j (F'(θ) - λE)_j / (1 + l_j)`` can replace the maximum: columns
with far more information than all reports may leak have slopes of that size, whose rounding would dominate the gap.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discretion.information.design.staircase import Columns
from discretion.numerics.arrays import Reals

_AT_ONCE = 32


@dataclass(frozen=True, eq=False)
class Mixture:
    """Columns with their weights, and the duals of the constraints on the weights."""

    columns: Columns
    weights: Reals
    duals: Reals


class Objective(Protocol):
    """A concave function of the weights of columns."""

    @property
    def tolerance(self) -> float:
        """The least improvement, by its slope, for which a column is tried."""
        ...

    def best(self, columns: Columns, units: Reals, rows: Reals, limits: Reals, *, slack: bool) -> tuple[Reals, Reals]:
        """Return the weights, in units, of the best mixture with ``rows @ weights = limits``, and the rows' duals.

        With slack the last row is an inequality, and its dual is not negative.
        """
        ...

    def slopes(self, candidates: Columns, mixture: Mixture) -> Reals:
        """Return the derivatives of the objective in the weights of candidates."""
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """An objective and, if the leak is limited, each column's leak as a share of the limit."""

    objective: Objective
    leak: Callable[[Columns], Reals] | None = None

    def search(self, start: Columns, pool: Columns) -> Mixture:
        """Return the best mixture of columns from the start and the pool; the start must have a feasible mixture."""
        mixture, rows = self.best(start), self._rows(pool)
        new = np.ones(len(pool), dtype=np.bool_)
        while True:
            excess = self.objective.slopes(pool, mixture) - mixture.duals @ rows
            promising = np.flatnonzero(new & (excess > self.objective.tolerance))
            if not promising.size:
                return mixture
            first = promising[np.argsort(-excess[promising])[:_AT_ONCE]]
            new[first] = False
            start = start.joined(pool[first])
            mixture = self.best(start)

    def best(self, columns: Columns) -> Mixture:
        """Return the best mixture of these columns."""
        rows = self._rows(columns)
        # A column cannot weigh more than all may leak, and the values' rows are as small as ε.
        units = np.ones(len(columns)) if self.leak is None else 1 / np.maximum(1.0, rows[-1])
        rows *= units
        scales = np.maximum(np.abs(rows).max(axis=1), np.finfo(np.float64).tiny)
        rows, limits = rows / scales[:, None], self._limits(scales.size) / scales
        weights, duals = self.objective.best(columns, units, rows, limits, slack=self.leak is not None)
        used = weights > 0
        return Mixture(columns[used], (weights * units)[used], duals / scales)

    def gap(self, mixture: Mixture, columns: Columns, slopes: Reals) -> float:
        """Return an upper bound on how much better another mixture of these columns is, given their slopes."""
        own = self.objective.slopes(mixture.columns, mixture) @ mixture.weights
        limits = self._limits(mixture.duals.size)
        rows = self._rows(columns)
        excess = np.maximum(slopes - mixture.duals @ rows, 0)
        most = excess.max() if self.leak is None else min(excess.max(), 2 * (excess / (1 + rows[-1])).max())
        return max(0.0, float(mixture.duals @ limits - own + most))

    def _rows(self, columns: Columns) -> Reals:
        rows = [np.ones((1, len(columns))), columns.excess()]
        return np.vstack(rows if self.leak is None else [*rows, self.leak(columns)[None]])

    def _limits(self, rows: int) -> Reals:
        limits = np.zeros(rows)
        limits[[0] if self.leak is None else [0, -1]] = 1
        return limits
