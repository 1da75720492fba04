"""The mean of a bounded variable from a sample, with an interval that holds at every sample size."""

import math

import numpy as np

from discretion.numerics.arrays import Reals


def empirical_bernstein(sample: Reals, width: float, misses: float) -> tuple[float, float]:
    """Return the sample's mean and the half-width of an interval that misses the mean with that probability at most.

    ``√(2 V log(4/α) / N) + 7 w log(4/α) / (3(N-1))`` for a variable within an interval of width w, with V its sample
    variance and α the misses (Maurer and Pontil, Empirical Bernstein Bounds, COLT 2009, Theorem 4, for either side).
    At α = 5 % the first part is 1.51 times what the normal law gives, the second one fades.
    """
    nats = math.log(4 / misses)
    half = math.sqrt(2 * float(sample.var(ddof=1)) * nats / sample.size) + 7 * width * nats / (3 * (sample.size - 1))
    return float(sample.mean()), half


def fitted_mix(values: Reals, controls: Reals) -> Reals:
    """Return the mix of the controls (a column each) that best follows the values."""
    centred = controls - controls.mean(axis=0)
    return np.asarray(np.linalg.lstsq(centred, values - values.mean(), rcond=1e-8)[0], dtype=np.float64)
