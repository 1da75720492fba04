"""The function that deviances and divergences are sums of."""

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Reals

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
