"""DP-SGD by brute force: one step's losses in narrow bins, rounded up to have more and down to have less, and added."""

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import ndtr

_BINS = 4000
# Beyond this many standard deviations nothing is left of the noise; and what a transform may leave in a bin.
_FAR, _NOISE = 9.0, 1e-15


def profile_bounds(sigma, rate, steps, backwards):
    """Return lower and upper bounds of ``∫ max(0, Q - e^ε P)``, backwards of ``∫ max(0, P - e^ε Q)``, as functions."""
    # The ends of bins of the noisy sum, closest where the two normal laws are.
    y = np.unique(np.concatenate([shift + sigma * np.linspace(-_FAR, _FAR, 20_001) for shift in (0.0, 1.0)]))
    loss = np.logaddexp(np.log1p(-rate), np.log(rate) + (2 * y - 1) / (2 * sigma**2)) * (-1 if backwards else 1)
    absent, taking_part = (_between((y - mean) / sigma) for mean in (0, 1))
    mass = absent if backwards else (1 - rate) * absent + rate * taking_part
    width = (loss.max() - loss.min()) / _BINS
    less, more = np.sort(np.stack([loss[:-1], loss[1:]]), axis=0) / width
    cut = steps * (max(0.0, 1 - mass.sum()) + 1e-15)
    down, up = (_summed(places, mass, steps) for places in (np.floor(less), np.ceil(more)))
    return _profile(*down, width, -_NOISE * _BINS * steps), _profile(*up, width, _NOISE * _BINS * steps + cut)


def _between(z):
    return np.where(z[1:] > 0, ndtr(-z[:-1]) - ndtr(-z[1:]), ndtr(z[1:]) - ndtr(z[:-1]))


def _summed(places, mass, steps):
    first, sums = int(places.min()), np.ones(1)
    once = np.bincount((places - first).astype(int), mass)
    for step in range(steps.bit_length() - 1, -1, -1):
        sums = fftconvolve(sums, sums)
        sums = fftconvolve(sums, once) if steps >> step & 1 else sums
    return sums, steps * first


def _profile(sums, first, width, off):
    losses = width * (first + np.arange(sums.size))

    def profile(epsilon):
        return min(1.0, max(0.0, off - float(sums @ np.expm1(np.minimum(epsilon - losses, 0.0)))))

    return profile
