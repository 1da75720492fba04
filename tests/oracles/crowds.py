"""Large crowds of k-RR among a uniform population, by routes that the library does not take.

``D = h_a - h_b`` has the characteristic function ``φ(t) = (1 - (2/k)(1 - cos t))ⁿ`` and, being whole,
``E|D| = (1/π) ∫₀^π (1 - φ(t)) / (1 - cos t) dt``. For k >= 3 it is small away from 0 (for two values |φ(π)| = 1).
"""

import math
from fractions import Fraction

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def mean_absolute_difference(n, k):
    cut = min(math.pi, math.sqrt(60 * k / n))
    t = (NODES + 1) * cut / 2
    one_minus_cosine = 2 * np.sin(t / 2) ** 2
    with np.errstate(divide="ignore"):
        below = -np.expm1(n * np.log1p(-2 / k * one_minus_cosine))
    # Beyond the cut φ is nothing, and the rest integrates to a cotangent.
    return (float(WEIGHTS @ (below / one_minus_cosine)) * cut / 2 + 1 / math.tan(cut / 2)) / math.pi


def mutual_information_series(n, k, gap):
    """``E[φ(u)]``, u = gap (kh/n - 1), by the central moments of the binomial: the rest is O(n⁻³)."""
    p = Fraction(1, k)
    q, scale = 1 - p, Fraction(gap) * k / n
    variance = n * p * q
    second = variance * scale**2
    third = variance * (q - p) * scale**3
    fourth = variance * (1 + 3 * (n - 2) * p * q) * scale**4
    fifth = variance * (q - p) * (1 + 2 * (5 * n - 6) * p * q) * scale**5
    sixth = variance * (1 - 30 * p * q * (1 - 4 * p * q) + 5 * n * p * q * (5 - 26 * p * q) + 15 * (n * p * q) ** 2)
    return second / 2 - third / 6 + fourth / 12 - fifth / 20 + sixth * scale**6 / 30
