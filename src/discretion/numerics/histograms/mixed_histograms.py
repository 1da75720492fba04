"""The law of a histogram of independent draws when how many of them come from which law is random too.

The law of a sum is a product of polynomials, ``Π_x Q_x^{c_x}`` if c_x draws come from the law Q_x, and Horner's rule
adds these up at the cost of one product by a short polynomial each. All terms are positive.
"""

from collections.abc import Iterator

import numpy as np

from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_law


def mixed_law(draws: int, rows: Reals, weights: Reals) -> Reals:
    """Return ``Σ_c w(c) Π_x Q_x^{c_x}`` over the histograms c of so many draws, Q_x being the law ``rows[x]``.

    ``weights`` has a row for each mixture, and a column for each c in the order of `histograms`. The result has an axis
    for the mixtures, then one for each outcome but the last, each of length ``draws + 1``.
    """
    if len(rows) == 1:
        return np.multiply.outer(weights[:, 0], histogram_law((draws,), rows))
    return _mixed(draws, rows, iter(weights.T))


def _mixed(draws: int, rows: Reals, columns: Iterator[Reals]) -> Reals:
    """Return the sum of the next terms: ``T_j = Q_0 T_{j-1} + (that of j draws from the other laws)``, T_draws."""
    axes = rows.shape[1] - 1
    total, power = np.zeros((1,) * (axes + 1)), np.ones((1,) * (axes + 1))
    for drawn in range(draws + 1):
        if drawn:
            total = _with_draw(total, rows[0])
        if len(rows) > 2:
            total = total + _mixed(drawn, rows[1:], columns)
            continue
        if drawn:
            power = _with_draw(power, rows[1])
        total = total + next(columns).reshape(-1, *(1,) * axes) * power
    return total


def _with_draw(laws: Reals, row: Reals) -> Reals:
    grown = np.zeros((len(laws), *(length + 1 for length in laws.shape[1:])))
    for y, probability in enumerate(row):
        moved = [slice(int(axis == y), int(axis == y) + length) for axis, length in enumerate(laws.shape[1:])]
        grown[:, *moved] += probability * laws
    return grown
