"""Multinomial, binomial and Poisson laws to full double precision at any size.

Differences of log-gammas lose six digits at 10⁹ trials. Loader's saddle-point form does not: it writes a probability
as a Stirling-sized factor times ``exp(-deviance)``, and every part of it is small where the probability is not
(C. Loader, "Fast and accurate computation of binomial probabilities", 2000).
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Reals
from discretion.numerics.excess import deviance


def split_binomials(n: int, first: Reals, second: Reals) -> Iterator[Reals]:
    """Yield the laws of the number of hits if c draws hit as in ``first``, the others as in ``second``.

    ``first`` and ``second`` are the probabilities to hit and to miss. Each array has a row for each of the next c, from
    0 to n, and a column for each number of hits.
    """
    step = math.isqrt(n) + 1
    babies = _babies(min(step - 1, n), first, second)
    for start in range(0, n + 1, step):
        left = min(step - 1, n - start)
        if left < len(babies) - 1:
            babies = _babies(left, first, second)
        giant = np.pad(_product(start, n - start - left, first, second), left)
        yield babies @ np.ascontiguousarray(sliding_window_view(giant, left + 1)).T


def _babies(n: int, first: Reals, second: Reals) -> Reals:
    return np.stack([_product(c, n - c, first, second)[::-1] for c in range(n + 1)])


def _product(c: int, others: int, first: Reals, second: Reals) -> Reals:
    (hit, miss), (other_hit, other_miss) = first.tolist(), second.tolist()
    own = binomial_pmf(np.arange(c + 1), c, hit, miss)
    return np.convolve(own, binomial_pmf(np.arange(others + 1), others, other_hit, other_miss))


# Bernoulli's B_2j / 2j.
_LAGS = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760]


def gamma_error(z: ArrayLike) -> Reals:
    """Return ``log Γ(z)`` minus ``(z - ½) log z - z + ½ log 2π``, for z > 0."""
    from scipy.special import gammaln  # noqa: PLC0415 - most of these laws need no SciPy, which is slow to import

    z = np.asarray(z, dtype=np.float64)
    small = np.minimum(z, 16.0)
    direct = gammaln(small) - (small - 0.5) * np.log(small) + small - math.log(2 * math.pi) / 2
    return np.where(z < 16, direct, stirling_error(np.maximum(z, 16.0)))


def digamma_lag(z: ArrayLike) -> Reals:
    """Return ``log z - ψ(z)``, about ``1/2z``, for z > 0, to full precision for large z too."""
    from scipy.special import psi  # noqa: PLC0415

    z = np.asarray(z, dtype=np.float64)
    small, inverse = np.minimum(z, 16.0), 1 / np.maximum(z, 16.0)
    series = np.zeros_like(inverse)
    for coefficient in reversed(_LAGS):
        series = (series + coefficient) * inverse * inverse
    return np.where(z < 16, np.log(small) - psi(small), inverse / 2 + series)


# The mass that a window leaves out is below 2·exp(-WINDOW).
WINDOW = 50.0

_STIRLING_TABLE = np.array(
    [0.0] + [math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi) for n in range(1, 16)]
)
_STIRLING_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def stirling_error(n: ArrayLike) -> Reals:
    """Return ``log n! - log(√(2πn) (n/e)ⁿ)`` for whole n >= 1 (0 for n = 0, where it is not used)."""
    n = np.asarray(n, dtype=np.float64)
    large = np.maximum(n, 16.0)
    inverse_square = 1 / (large * large)
    series = np.zeros_like(large)
    for coefficient in reversed(_STIRLING_SERIES):
        series = series * inverse_square + coefficient
    return np.where(n < 16, _STIRLING_TABLE[np.minimum(n, 15).astype(np.int64)], series / large)


def log_root(n: ArrayLike) -> Reals:
    """Return the logarithm of Stirling's √(2πn), and 0 for n = 0, whose factorial needs no correction."""
    n = np.asarray(n, dtype=np.float64)
    return 0.5 * np.log(np.where(n == 0, 1.0, 2 * math.pi * n))


def poisson_pmf(x: ArrayLike, rate: float) -> Reals:
    """Return ``rate^x e^-rate / x!`` for whole x >= 0 and rate > 0."""
    x = np.asarray(x, dtype=np.float64)
    return np.exp(-stirling_error(x) - deviance(x, rate)) / _root(x)


def multinomial_pmf(counts: ArrayLike, probabilities: ArrayLike) -> Reals:
    """Return ``n! Π_y q_y^h_y / h_y!`` for histograms h on the last axis of ``counts``, n being each one's sum."""
    h = np.asarray(counts, dtype=np.float64)
    q = np.asarray(probabilities, dtype=np.float64)
    n = h.sum(axis=-1, keepdims=True)
    mean = n * q
    log_mass = stirling_error(n[..., 0]) - np.sum(stirling_error(h) + deviance(h, mean), axis=-1)
    return np.exp(log_mass) * _root(n[..., 0]) / np.prod(_root(h), axis=-1)


def _root(n: Reals) -> Reals:
    """Return Stirling's √(2πn), and 1 for n = 0, whose factorial needs no correction."""
    return np.sqrt(np.where(n == 0, 1.0, 2 * math.pi * n))


def binomial_pmf(x: ArrayLike, n: int, p: float, q: float) -> Reals:
    """Return ``C(n, x) p^x q^(n-x)`` for whole 0 <= x <= n; q = 1-p is a separate argument for full precision."""
    hits = np.asarray(x, dtype=np.float64)
    return multinomial_pmf(np.stack([hits, n - hits], axis=-1), (p, q))


def binomial_window(n: int, p: float, q: float) -> tuple[int, Reals]:
    """Return the first point and the probabilities of a window with all but ``2·exp(-50)`` of the mass.

    Its half-width is from Bernstein's inequality.
    """
    spread = WINDOW / 3 + math.sqrt(WINDOW**2 / 9 + 2 * WINDOW * n * p * q)
    first, last = max(0, math.floor(n * p - spread)), min(n, math.ceil(n * p + spread))
    return first, binomial_pmf(np.arange(first, last + 1), n, p, q)


def mean_absolute_walk(steps: ArrayLike) -> Reals:
    """Return ``E|S|`` for a fair ±1 walk of that many steps: ``steps · C(steps-1, ⌊(steps-1)/2⌋) / 2^(steps-1)``."""
    # An odd number of steps has the same mean as one step more; for 2j it is 2j·C(2j, j)/4^j.
    j = np.ceil(np.asarray(steps, dtype=np.float64) / 2)
    safe = np.maximum(j, 1)
    central = np.exp(stirling_error(2 * safe) - 2 * stirling_error(safe)) / np.sqrt(math.pi * safe)
    return np.where(j == 0, 0.0, 2 * j * central)
