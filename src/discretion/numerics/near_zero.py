"""Functions of small arguments, kept from losing their digits."""

import math

import numpy as np

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
