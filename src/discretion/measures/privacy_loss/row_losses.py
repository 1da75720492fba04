"""The privacy losses between two rows of a channel, each of which is a mass of its own."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.measures.privacy_loss.losses import Cells, Losses
from discretion.numerics.arrays import Reals

_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class RowLosses(Losses):
    """The loss ``log(q_y/p_y)`` under q, of two rows that are given by the logarithms of their probabilities."""

    log_p: Reals
    log_q: Reals

    @cached_property
    def _sorted(self) -> tuple[Reals, Reals]:
        """The finite losses, from the least on, and their masses."""
        seen = (self.log_q > -math.inf) & (self.log_p > -math.inf)
        losses = self.log_q[seen] - self.log_p[seen]
        order = np.argsort(losses, kind="stable")
        return losses[order], np.exp(self.log_q[seen][order])

    @cached_property
    def _infinite(self) -> float:
        """The mass of what p excludes."""
        return float(np.exp(self.log_q[self.log_p == -math.inf]).sum())

    @property
    def largest(self) -> float:
        """The largest loss, infinite if p excludes what q does not."""
        return math.inf if self._infinite > 0 else float(self._sorted[0][-1])

    @property
    def atoms(self) -> tuple[Reals, Reals]:
        """All finite losses, and their masses."""
        return self._sorted

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        losses, masses = self._sorted
        return self._infinite - float(masses @ np.expm1(np.minimum(epsilon - losses, 0.0)))

    def reach(self, negligible: float) -> tuple[float, float]:
        """Return a loss below which, and one above which, Q has no more than what is negligible.

        An infinite loss is next to nothing less than one so far up that P has none of it: below, a grid rounds it down.
        """
        losses, masses = self._sorted
        beyond = -math.log(max(negligible, _LEAST)) if self._infinite > 0 else 0.0
        if not losses.size:
            return 0.0, beyond
        first = int(np.searchsorted(np.cumsum(masses), negligible))
        last = int(np.searchsorted(np.cumsum(masses[::-1]), negligible))
        return float(losses[min(first, losses.size - 1)]), float(losses[-1 - min(last, losses.size - 1)]) + beyond

    def cells(self, edges: Reals) -> Cells:
        """Return nothing but what is infinite: all else is in atoms."""
        nothing = np.zeros(edges.size)
        q = nothing.copy()
        q[-1] = self._infinite
        return Cells(0.0, q, nothing)
