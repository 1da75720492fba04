"""The sum of a few independent privacy losses of which each has finitely many values, without writing all sums down."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discretion import limits
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.measures.privacy_loss.losses import Losses
from discretion.numerics.arrays import Reals

# Losses and their masses.
Atoms = tuple[Reals, Reals]


@dataclass(frozen=True, eq=False)
class AtomSum:
    """The sum of two losses under Q: each of the first meets all of the second at once, which are sorted."""

    first: Atoms
    second: Atoms
    infinite: float

    @classmethod
    def of(cls, parts: Sequence[Losses]) -> "AtomSum | None":
        """Return the sum of several losses, multiplied out in two halves; None if a half would be too long."""
        halves: list[Atoms] = [(np.zeros(1), np.ones(1))] * 2
        for losses, masses in sorted((part.atoms for part in parts), key=lambda atoms: -atoms[0].size):
            shorter = 0 if halves[0][0].size <= halves[1][0].size else 1
            sums, products = halves[shorter]
            if sums.size * losses.size > limits.current().most_loss_points:
                return None
            halves[shorter] = (sums[:, None] + losses).ravel(), (products[:, None] * masses).ravel()
        (first, weights), (second, masses) = halves
        order = np.argsort(second, kind="stable")
        finite = math.prod(1 - part.excess(math.inf) for part in parts)
        return cls((first, weights), (second[order], masses[order]), max(0.0, 1 - finite))

    @property
    def size(self) -> int:
        """How many losses there are in both halves."""
        return self.first[0].size + self.second[0].size

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        if math.isinf(epsilon):
            return self.infinite
        (first, weights), (second, masses) = self.first, self.second
        # What Q and P have above each loss of the second; of P the logarithm, where a double holds none of it.
        q = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
        log_p = np.append(np.logaddexp.accumulate((logarithms(masses) - second)[::-1])[::-1], -math.inf)
        start = np.searchsorted(second, epsilon - first, side="right")
        less = np.exp(np.minimum(epsilon - first + log_p[start], 0.0))
        return self.infinite + float(weights @ np.maximum(0.0, q[start] - less))
