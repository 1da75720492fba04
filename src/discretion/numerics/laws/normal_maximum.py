"""The largest of k independent standard normals: its mean and its mean square.

Its density ``k φ(x) Φ(x)^(k-1)`` is analytic and vanishes fast at both ends, where the trapezoidal rule on the whole
line converges geometrically (L. N. Trefethen and J. A. C. Weideman, "The exponentially convergent trapezoidal rule",
2014).
"""

import math
from functools import lru_cache

import numpy as np

# The density is below 1e-20 outside, and no narrower than four steps inside, for k from 2 to 10⁸.
_LEFT, _RIGHT = -10, 12
_STEPS = 32


@lru_cache(maxsize=256)
def normal_maximum_moments(k: int) -> tuple[float, float]:
    """Return ``μ_k = E[Z_(k)]`` and ``E[Z_(k)²]``, each to 1e-12, of the largest of 2 <= k <= 10⁸ standard normals."""
    x = np.arange(_LEFT * _STEPS, _RIGHT * _STEPS + 1) / _STEPS
    tail = np.array([math.erfc(distance) / 2 for distance in np.abs(x) / math.sqrt(2)])
    log_cdf = np.where(x < 0, np.log(tail), np.log1p(-tail))
    density = k / math.sqrt(2 * math.pi) * np.exp((k - 1) * log_cdf - x * x / 2)
    return float(density @ x) / _STEPS, float(density @ (x * x)) / _STEPS
