"""Two users who add noise to numbers, by a grid over both reports: what the shuffler shows is the unordered pair."""

import numpy as np

from oracles.noise import gaussian, laplace

_CELLS = 1200


def laplace_excess(scale: float, ratio: float) -> float:
    return _excess(laplace(scale, 0.0), laplace(scale, 1.0), 20 * scale, ratio)


def gaussian_excess(sigma: float, ratio: float) -> float:
    return _excess(gaussian(sigma, 0.0), gaussian(sigma, 1.0), 8 * sigma, ratio)


def _excess(p, q, reach, ratio):
    """Return δ of the values 0 and 1 of the target, at the worse of these values of the other user."""
    edges = np.linspace(0.5 - reach - 0.5, 0.5 + reach + 0.5, _CELLS + 1)
    middles, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    p, q = (np.array([law(y) for y in middles]) * width for law in (p, q))
    return max(_of_pairs(p, q, other, ratio) for other in (p, q))


def _of_pairs(p, q, other, ratio):
    gain = np.outer(p - ratio * q, other)
    return float(np.maximum(gain + gain.T, 0).sum() / 2)
