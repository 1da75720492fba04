"""The excess function that deviances and divergences are sums of."""

import math

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Complexes, Reals


def log1p(z: Complexes) -> Complexes:
    """Return ``log(1 + z)`` accurately for small complex z, where NumPy's log1p is not."""
    x, y = np.real(z), np.imag(z)
    excess = np.maximum(x * (2 + x) + y * y, -1 + 2.0**-52)  # 1 + z = 0 has no logarithm, and its power is no matter
    return 0.5 * np.log1p(excess) + 1j * np.arctan2(y, 1 + x)


def sine_excess(t: Reals) -> Reals:
    """Return ``sin t - t`` without cancellation near 0."""
    small = np.where(np.abs(t) < 0.5, t, 0.0)
    square = small * small
    series = np.zeros_like(t)
    for j in range(8, 0, -1):
        series = (series * square) + (-1) ** j / math.factorial(2 * j + 1)
    return np.where(np.abs(t) < 0.5, series * square * small, np.sin(t) - t)


_FAR = 1e3
_SERIES_BELOW = 0.1
_SERIES = [(-1.0) ** j / (j * (j - 1)) for j in range(2, 20)]


def relative_excess(u: ArrayLike) -> Reals:
    """Return ``(1+u) log(1+u) - u`` for u >= -1: never negative, and accurate near 0 where it is ``u²/2``."""
    u = np.asarray(u, dtype=np.float64)
    small = np.abs(u) < _SERIES_BELOW
    near = np.where(small, u, 0.0)
    series = np.zeros_like(near)
    for coefficient in reversed(_SERIES):
        series = series * near + coefficient
    far = np.where(small | (u <= -1), 1.0, u)
    return np.where(small, series * near * near, np.where(u <= -1, 1.0, (1 + far) * np.log1p(far) - far))


def deviance(x: ArrayLike, mean: ArrayLike) -> Reals:
    """Return ``x log(x/mean) - x + mean`` for x >= 0, down to means whose inverse overflows; 0 where both are 0."""
    x, mean = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(mean, dtype=np.float64))
    possible = mean > 0
    far = x > _FAR * mean
    near = np.where(far | ~possible, 0.0, x - mean) / np.where(far | ~possible, 1.0, mean)
    logs = np.log(np.where(far, x, 1.0)) - np.log(np.where(far & possible, mean, 1.0))
    return np.where(far, np.where(possible, x * logs - (x - mean), np.inf), mean * relative_excess(near))
