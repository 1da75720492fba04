"""The gamma function less what Stirling's formula says, for real arguments."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln

from tacit.numerics.binomial import stirling_error


def gamma_error(z: ArrayLike) -> NDArray[np.float64]:
    """Return ``log Γ(z)`` less ``(z - ½) log z - z + ½ log 2π``, for z > 0."""
    z = np.asarray(z, dtype=np.float64)
    small = np.minimum(z, 16.0)
    direct = gammaln(small) - (small - 0.5) * np.log(small) + small - math.log(2 * math.pi) / 2
    return np.where(z < 16, direct, stirling_error(np.maximum(z, 16.0)))
