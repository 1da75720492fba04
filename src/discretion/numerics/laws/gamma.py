"""The gamma function less what Stirling's formula says, for real arguments."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, psi

from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import stirling_error

# Bernoulli's B_2j / 2j.
_LAGS = [1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760]


def gamma_error(z: ArrayLike) -> Reals:
    """Return ``log Γ(z)`` less ``(z - ½) log z - z + ½ log 2π``, for z > 0."""
    z = np.asarray(z, dtype=np.float64)
    small = np.minimum(z, 16.0)
    direct = gammaln(small) - (small - 0.5) * np.log(small) + small - math.log(2 * math.pi) / 2
    return np.where(z < 16, direct, stirling_error(np.maximum(z, 16.0)))


def digamma_lag(z: ArrayLike) -> Reals:
    """Return ``log z - ψ(z)``, about ``1/2z``, for z > 0: to full precision where z is large too."""
    z = np.asarray(z, dtype=np.float64)
    small, inverse = np.minimum(z, 16.0), 1 / np.maximum(z, 16.0)
    series = np.zeros_like(inverse)
    for coefficient in reversed(_LAGS):
        series = (series + coefficient) * inverse * inverse
    return np.where(z < 16, np.log(small) - psi(small), inverse / 2 + series)
