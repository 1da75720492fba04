"""Factors between channels of fractions, of which nothing is rounded."""

from fractions import Fraction
from typing import Any

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Reals
from discretion.validation import Fractions

# Entries up to this are taken for 0; others that may be chosen are the simplest fractions near them.
_NOTHING, _SIMPLE = 1e-9, 10**6


def rational_factor(C: Fractions, D: Fractions, near: Reals) -> Fractions:
    """Return a factor with ``C R = D``, if one is found where a factor in doubles has entries; else that as fractions.

    The equations of C R = D and of the sums of rows are solved for the largest entries; the rest may be chosen.
    """
    (k, m), n = C.shape, D.shape[1]
    y, z = np.nonzero(near > _NOTHING)
    order = np.argsort(-near[y, z], kind="stable")
    y, z = y[order], z[order]
    if y.size * (k * n + m) ** 2 <= limits.current().most_fractions:
        system = np.full((k * n + m, y.size + 1), Fraction(0), dtype=object)
        for entry, (row, column) in enumerate(zip(y.tolist(), z.tolist(), strict=True)):
            system[column * k : (column + 1) * k, entry] = C[:, row]
            system[k * n + row, entry] = Fraction(1)
        system[:, -1] = [*D.T.ravel(), *[Fraction(1)] * m]
        entries = _solved(system, [Fraction(value).limit_denominator(_SIMPLE) for value in near[y, z].tolist()])
        if entries is not None and min(entries) >= 0:
            found = np.full((m, n), Fraction(0), dtype=object)
            found[y, z] = entries
            return found
    rounded = np.array([Fraction(value) for value in near.ravel().tolist()], dtype=object).reshape(m, n)
    return rounded / rounded.sum(axis=1)[:, None]


def _solved(system: Any, chosen: list[Fraction]) -> list[Fraction] | None:
    """Return what solves equations, the last column being their right side; what they leave open is as chosen."""
    pivots: list[tuple[int, int]] = []
    for column in range(system.shape[1] - 1):
        at = len(pivots)
        left = np.flatnonzero(system[at:, column] != 0)
        if left.size:
            system[[at, at + left[0]]] = system[[at + left[0], at]]
            system[at] = system[at] / system[at, column]
            for row in np.flatnonzero(system[:, column] != 0):
                if row != at:
                    system[row] = system[row] - system[row, column] * system[at]
            pivots.append((at, column))
    if (system[len(pivots) :, -1] != 0).any():
        return None
    solved = {column: row for row, column in pivots}
    free = [column for column in range(system.shape[1] - 1) if column not in solved]
    for column, row in solved.items():
        chosen[column] = system[row, -1] - sum((system[row, other] * chosen[other] for other in free), Fraction(0))
    return chosen
