"""Which rows of fractions lie furthest apart in L1: doubles find the pairs that may, fractions decide."""

from fractions import Fraction

import numpy as np

from discretion.validation import Fractions

# Of a distance of two rows that sum to 1, for each column: of their entries, differences and sum.
_ROUNDING = 4e-16


def furthest_rows(matrix: Fractions, tolerance: Fraction) -> tuple[Fraction, list[tuple[int, int]]]:
    """Return the largest L1 distance of two rows (0 for a single row), and the pairs within a tolerance of it."""
    doubles = matrix.astype(np.float64)
    near = [np.abs(doubles[a + 1 :] - doubles[a]).sum(axis=1) for a in range(len(doubles) - 1)]
    least = max((float(row.max()) for row in near), default=0.0) - float(tolerance) - _ROUNDING * (doubles.shape[1] + 4)
    distances = {
        (a, b): sum(np.abs(matrix[a] - matrix[b]), Fraction(0))
        for a, row in enumerate(near)
        for b in (a + 1 + np.flatnonzero(row >= least)).tolist()
    }
    largest = max(distances.values(), default=Fraction(0))
    return largest, [pair for pair, distance in distances.items() if distance >= largest - tolerance]
