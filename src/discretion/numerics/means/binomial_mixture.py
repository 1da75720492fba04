"""What a binomial count tells of its probability, one of many: ``Σ_j w_j KL(Bin(n, q_j) ‖ Σ_i w_i Bin(n, q_i))``.

The law of the count is smooth at the scale of its standard deviation, and so is what is added up: over stretches of a
few deviations Gauss's rule for sums (its orthogonal polynomials are the discrete Chebyshev polynomials) takes the place
of all counts but some twenty. Only those probabilities matter that are within a few deviations. So the effort grows
with √n.

With ``L_j = Bin(n, q_j)/P`` what is added up is ``w_j P (L_j log L_j - L_j + 1)``, never negative, and the ``L_j - 1``
are made of differences ``q_j - q_i`` that are given apart: little is told to full relative precision.
"""

import math
from dataclasses import dataclass

import numpy as np

from discretion.numerics.arrays import Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.binomial import gamma_error

_ORDER, _STRETCH = 24, 2.0  # the latter in units of 1/√n of the angle, which is two standard deviations
_NEGLIGIBLE = 75.0  # e^-75 of the law's mass
_WINDOW = 12.0  # n KL >= 100 beyond
_ALL_LISTED = 40
LEAST = 1e-300  # of a probability, so that none divides by 0


@dataclass(frozen=True, eq=False)
class Probabilities:
    """Probabilities q_j in rising order, as ``low + slope · p_j`` for shares p_j, each with a weight.

    Parameters
    ----------
    shares
        The p_j, rising, and the ``1 - p_j``, each to full precision, a row each.
    hits, misses
        The q_j and the ``1 - q_j``, each to full precision.
    slope
        At least 0.
    weights
        They sum to 1.
    """

    shares: Reals
    hits: Reals
    misses: Reals
    slope: float
    weights: Reals


def mixture_information(n: int, of: Probabilities) -> float:
    """Return what a count of n tells of which of the probabilities it has, in nats."""
    angles = np.arctan2(np.sqrt(of.hits), np.sqrt(of.misses))
    reach = np.sqrt(_NEGLIGIBLE / n)
    step = _STRETCH / np.sqrt(n)
    first, last = max(0.0, float(angles[0] - reach)), min(np.pi / 2, float(angles[-1] + reach))
    edges = first + step * np.arange(2 + int((last - first) / step))
    counts = np.unique(np.floor(n * np.sin(np.minimum(edges, np.pi / 2)) ** 2).astype(np.int64))
    starts, ends = counts[:-1], np.append(counts[1:-1], counts[-1] + 1)
    told = 0.0
    for start, stop in zip(starts.tolist(), ends.tolist(), strict=True):
        at, times = counting_rule(start, stop)
        told += float(times @ _told(n, at, of, angles))
    return told


def counting_rule(start: int, stop: int) -> tuple[Reals, Reals]:
    """Return points and weights that sum polynomials over the integers ``start..stop-1``, of degree 47 at most."""
    length = stop - start
    if length <= _ALL_LISTED:
        return np.arange(float(start), stop), np.ones(length)
    j = np.arange(1.0, _ORDER)
    beside = j / 2 * np.sqrt((length - j) * (length + j) / (4 * j * j - 1))
    nodes, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return start + (length - 1) / 2 + nodes, length * vectors[0] ** 2


def _told(n: int, counts: Reals, of: Probabilities, angles: Reals) -> Reals:
    """Return what is told by each count, times its probability; the counts lie within a few deviations."""
    middle = float(counts[0] + counts[-1]) / 2
    angle = math.atan2(math.sqrt(middle), math.sqrt(n - middle))
    after = min(int(np.searchsorted(angles, angle)), angles.size - 1)
    nearest = max(0, after - 1) if abs(angles[after - 1] - angle) < abs(angles[after] - angle) else after
    reach = abs(angles[nearest] - angle) + _WINDOW / np.sqrt(n)
    first, last = np.searchsorted(angles, [angle - reach, angle + reach]).tolist()
    near = slice(first, last)
    hit, miss = of.hits[nearest], of.misses[nearest]
    share, rest = of.shares[:, nearest]
    apart = of.slope * (of.shares[0, near] - share if share < rest else rest - of.shares[1, near])
    slopes = _log_ratio(apart, of.hits[near], hit) - _log_ratio(-apart, of.misses[near], miss)
    away = of.hits[near] * relative_excess(-apart / of.hits[near])
    away += of.misses[near] * relative_excess(apart / of.misses[near])
    beside = counts - n * hit if hit < miss else n * miss - (n - counts)
    logs = beside[:, None] * slopes - n * away
    # Beside a probability that is next to 0 or 1 another one may explain a count better by more than a float holds.
    highest = np.maximum(0.0, logs.max(axis=1))
    weights, everything = of.weights[near], last - first == angles.size
    alike = everything & (np.abs(logs).max(axis=1) < 1)
    grown, powers = np.expm1(np.where(alike[:, None], logs, 0.0)), np.exp(logs - highest[:, None])
    mean, total = (grown @ weights)[:, None], powers @ weights
    ratios = np.where(alike[:, None], (grown - mean) / (1 + mean), powers / total[:, None] - 1)
    outside = 0.0 if everything else 1 - float(weights.sum())
    return np.exp(_log_binomial(n, counts, hit, miss) + highest) * total * (relative_excess(ratios) @ weights + outside)


def _log_ratio(apart: Reals, values: Reals, reference: float) -> Reals:
    """Return ``log(values / reference)``, which are so much apart."""
    near = apart > -reference / 2
    return np.where(near, np.log1p(np.where(near, apart / reference, 0.0)), np.log(values / reference))


def _log_binomial(n: int, counts: Reals, hit: float, miss: float) -> Reals:
    """Return the logarithm of the binomial law in Loader's form, at counts that need not be whole."""
    exponent, root = np.full(counts.size, float(gamma_error(n))), np.full(counts.size, 2 * np.pi * n)
    for found, expected in ((counts, n * hit), (n - counts, n * miss)):
        positive = np.maximum(found, LEAST)
        exponent -= expected * relative_excess((found - expected) / expected)
        exponent -= np.where(found > 0, gamma_error(positive), 0.0)
        root /= np.where(found > 0, 2 * np.pi * positive, 1.0)
    return exponent + np.log(root) / 2
