"""The joint information of rows in equivalence classes, computed independently of the order of the classes.

``m·H = m log2 m − Σ_classes s log2 s`` for m rows in classes of s. Each term is a whole number of tiny units, so sums
are exact, and classes of the same sizes carry the same information on every machine, in any order.
"""

import math
from fractions import Fraction

import numpy as np

from discretion.numerics.arrays import Codes, Integers
from discretion.numerics.compiled import compiled
from discretion.numerics.equivalence_classes import COMPILED_FROM

# A unit is 2⁻⁴⁰ bits, or more where the sum over all rows must fit in 62 binary digits.
_FINEST, _DIGITS = 40, 62
# Terms of classes of fewer rows are looked up.
_LISTED = 1 << 16


class JointInformation:
    """Joint information of up to ``rows`` rows, in bits of all rows together.

    Examples
    --------
    >>> float(JointInformation(4).of_sizes(np.array([2, 0, 1, 1], np.int32)))
    6.0
    """

    def __init__(self, rows: int) -> None:
        digits = math.ceil(rows * math.log2(rows + 1)).bit_length()
        self._unit = 2 ** min(_FINEST, _DIGITS - digits)
        self._terms = self._terms_of(np.arange(min(rows + 1, _LISTED)))

    def of_sizes(self, sizes: Codes | Integers) -> Fraction:
        """Return the information of classes of these sizes; a size of 0 is no class."""
        total = int(self._terms_of(np.array([sizes.sum()]))[0])
        if sizes.size < COMPILED_FROM:
            return Fraction(total - int(self._terms_of(sizes).sum()), self._unit)
        result = np.zeros(1, np.int64)
        compiled(_add_terms)(sizes, self._terms, float(self._unit), result)
        return Fraction(total - int(result[0]), self._unit)

    def _terms_of(self, sizes: Codes | Integers) -> Integers:
        """Return ``s log2 s`` for each size, in units."""
        return np.rint(sizes * np.log2(np.maximum(sizes, 1)) * self._unit).astype(np.int64)


def information_bound(rows: int, k: int, budget: Fraction) -> Fraction:
    """Return an upper bound on the information of rows if at most the budget's share is in classes of fewer than k.

    In m rows each other class adds ``s log2 s ≥ s log2 k``, so ``m·H ≤ m log2 m − (1 − budget) m log2 k``. This is
    convex in m, so its maximum is at all rows or at none.

    Examples
    --------
    >>> round(float(information_bound(1000, 10, Fraction(0))), 6) == round(1000 * math.log2(1000 / 10), 6)
    True
    """
    bound = rows * math.log2(max(rows, 1)) - float(1 - budget) * rows * math.log2(k)
    return Fraction(max(0.0, bound) * (1 + 1e-11))


def _add_terms(sizes: Codes, terms: Integers, unit: float, total: Integers) -> None:
    result = 0
    for j in range(sizes.size):
        size = sizes[j]
        if size < terms.size:
            result += terms[size]
        else:
            result += np.int64(np.rint(size * np.log2(size) * unit))
    total[0] = result
