"""The mean of a smooth function of a binomial count, from few of the counts."""

from collections.abc import Callable

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial import binomial_pmf

_ORDER = 16
_NARROW, _NEAR_ZERO = 5.0, 16.0  # deviations: where they are wide, and far from 0
_FAR = 10.0  # deviations, and half as many squared of a Poisson law's


def binomial_mean(function: Callable[[int], float], n: int, p: float, q: float) -> float:
    """Return ``E f(N)`` for N ~ Binomial(n, p); q = 1-p is given apart, to full precision.

    The function should change slowly over a standard deviation. All counts are summed over where they are few. Else it
    is the rule whose points are the whole numbers next to those of Gauss's rule for this law (the zeros of
    Krawtchouk's polynomials), and which is as exact as it, but for half of the degrees.
    """
    deviation, mean = np.sqrt(n * p * q), n * p
    if deviation <= _NARROW or mean <= _NEAR_ZERO * deviation:
        reach = _FAR * deviation + _FAR**2 / 2
        counts = np.arange(max(0, int(mean - reach)), min(n, int(mean + reach) + 1) + 1)
        weights = binomial_pmf(counts, n, p, q)
        matters = weights > 0
        return float(
            sum(w * function(c) for w, c in zip(weights[matters].tolist(), counts[matters].tolist(), strict=True))
        )
    counts, weights = _rule(n, p, q)
    return float(sum(w * function(c) for w, c in zip(weights.tolist(), counts.tolist(), strict=True)))


def _rule(n: int, p: float, q: float) -> tuple[Integers, Reals]:
    j = np.arange(_ORDER + 1.0)
    middle, beside = p * (n - j) + j * q, np.sqrt(j * p * q * (n - j + 1))
    nodes = np.linalg.eigvalsh(np.diag(middle[:-1]) + np.diag(beside[1:-1], 1) + np.diag(beside[1:-1], -1))
    counts = np.rint(nodes)
    polynomials = np.zeros((_ORDER, _ORDER))
    polynomials[0] = 1.0
    for i in range(_ORDER - 1):
        earlier = beside[i] * polynomials[i - 1] if i else 0.0
        polynomials[i + 1] = ((counts - middle[i]) * polynomials[i] - earlier) / beside[i + 1]
    weights = np.asarray(np.linalg.solve(polynomials, np.eye(_ORDER)[0]), dtype=np.float64)
    return counts.astype(np.int64), weights
