"""Information of a binomial count about its probability: ``Σ_j w_j KL(Bin(n, q_j) ‖ Σ_i w_i Bin(n, q_i))``.

The law of the count, and the summand, are smooth at the scale of its standard deviation: over intervals of a few
deviations Gauss's rule for sums (its orthogonal polynomials are the discrete Chebyshev polynomials) replaces all counts
by about twenty. Only probabilities within a few deviations are relevant. So the effort grows with √n.

With ``L_j = Bin(n, q_j)/P`` the summand is ``w_j P (L_j log L_j - L_j + 1)``, never negative, and the ``L_j - 1`` are
made of differences ``q_j - q_i`` that are separate arguments: a little information has full relative precision.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.binomial import binomial_pmf, gamma_error
from discretion.numerics.means.simplex import log_mixed

_ORDER, _STRETCH = 24, 2.0  # the latter in units of 1/√n of the angle, which is two standard deviations
_NEGLIGIBLE = 75.0  # e^-75 of the law's mass
_WINDOW = 12.0  # n KL >= 100 beyond
_ALL_LISTED = 40
LEAST = 1e-300  # of a probability, so that none divides by 0

_RULE_ORDER = 16
_NARROW, _NEAR_ZERO = 5.0, 16.0  # deviations: where they are wide, and far from 0
_REACH = 10.0  # deviations, and half as many squared of a Poisson law's

_FAR = 60.0  # e^-60 of a law's tail is negligible
_STEP = 0.5  # of a standard deviation: the trapezoid rule then errs by e^-79
_LONGEST_STEP = 0.25
_COARSE = 1 << 10
_LIGHT = 1e-28


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


def mixture_information(n: int, mixture: Probabilities) -> float:
    """Return the information of a count of n about its probability, in nats."""
    angles = np.arctan2(np.sqrt(mixture.hits), np.sqrt(mixture.misses))
    reach = np.sqrt(_NEGLIGIBLE / n)
    step = _STRETCH / np.sqrt(n)
    first, last = max(0.0, float(angles[0] - reach)), min(np.pi / 2, float(angles[-1] + reach))
    edges = first + step * np.arange(2 + int((last - first) / step))
    counts = np.unique(np.floor(n * np.sin(np.minimum(edges, np.pi / 2)) ** 2).astype(np.int64))
    starts, ends = counts[:-1], np.append(counts[1:-1], counts[-1] + 1)
    information = 0.0
    for start, stop in zip(starts.tolist(), ends.tolist(), strict=True):
        points, times = _counting_rule(start, stop)
        information += float(times @ _information_by_counts(n, points, mixture, angles))
    return information


def _counting_rule(start: int, stop: int) -> tuple[Reals, Reals]:
    """Return points and weights that sum polynomials of degree at most 47 over the integers ``start..stop-1``."""
    length = stop - start
    if length <= _ALL_LISTED:
        return np.arange(float(start), stop), np.ones(length)
    j = np.arange(1.0, _ORDER)
    off_diagonal = j / 2 * np.sqrt((length - j) * (length + j) / (4 * j * j - 1))
    nodes, vectors = np.linalg.eigh(np.diag(off_diagonal, 1) + np.diag(off_diagonal, -1))
    return start + (length - 1) / 2 + nodes, length * vectors[0] ** 2


def _information_by_counts(n: int, counts: Reals, mixture: Probabilities, angles: Reals) -> Reals:
    """Return the information of each count times its probability; the counts lie within a few deviations."""
    middle = float(counts[0] + counts[-1]) / 2
    angle = math.atan2(math.sqrt(middle), math.sqrt(n - middle))
    after = min(int(np.searchsorted(angles, angle)), angles.size - 1)
    nearest = max(0, after - 1) if abs(angles[after - 1] - angle) < abs(angles[after] - angle) else after
    reach = abs(angles[nearest] - angle) + _WINDOW / np.sqrt(n)
    first, last = np.searchsorted(angles, [angle - reach, angle + reach]).tolist()
    near = slice(first, last)
    hit, miss = mixture.hits[nearest], mixture.misses[nearest]
    share, rest = mixture.shares[:, nearest]
    differences = mixture.slope * (mixture.shares[0, near] - share if share < rest else rest - mixture.shares[1, near])
    slopes = _log_ratio(differences, mixture.hits[near], hit) - _log_ratio(-differences, mixture.misses[near], miss)
    away = mixture.hits[near] * relative_excess(-differences / mixture.hits[near])
    away += mixture.misses[near] * relative_excess(differences / mixture.misses[near])
    deviations = counts - n * hit if hit < miss else n * miss - (n - counts)
    logs = deviations[:, None] * slopes - n * away
    # Beside a probability that is next to 0 or 1 another one may explain a count better by more than a float holds.
    highest = np.maximum(0.0, logs.max(axis=1))
    weights, everything = mixture.weights[near], last - first == angles.size
    is_near_one = everything & (np.abs(logs).max(axis=1) < 1)
    excesses, powers = np.expm1(np.where(is_near_one[:, None], logs, 0.0)), np.exp(logs - highest[:, None])
    mean, total = (excesses @ weights)[:, None], powers @ weights
    ratios = np.where(is_near_one[:, None], (excesses - mean) / (1 + mean), powers / total[:, None] - 1)
    outside = 0.0 if everything else 1 - float(weights.sum())
    return np.exp(_log_binomial(n, counts, hit, miss) + highest) * total * (relative_excess(ratios) @ weights + outside)


def _log_ratio(differences: Reals, values: Reals, reference: float) -> Reals:
    """Return ``log(values / reference)``, given their differences."""
    near = differences > -reference / 2
    return np.where(near, np.log1p(np.where(near, differences / reference, 0.0)), np.log(values / reference))


def _log_binomial(n: int, counts: Reals, hit: float, miss: float) -> Reals:
    """Return the logarithm of the binomial law in Loader's form, at counts that need not be whole."""
    exponent, root = np.full(counts.size, float(gamma_error(n))), np.full(counts.size, 2 * np.pi * n)
    for observed, expected in ((counts, n * hit), (n - counts, n * miss)):
        positive = np.maximum(observed, LEAST)
        exponent -= expected * relative_excess((observed - expected) / expected)
        exponent -= np.where(observed > 0, gamma_error(positive), 0.0)
        root /= np.where(observed > 0, 2 * np.pi * positive, 1.0)
    return exponent + np.log(root) / 2


def binomial_mean(function: Callable[[int], float], n: int, p: float, q: float) -> float:
    """Return ``E f(N)`` for N ~ Binomial(n, p); q = 1-p is a separate argument for full precision.

    The function should change slowly over a standard deviation. If there are few counts, all are summed over. Else the
    points of the rule are the whole numbers next to those of Gauss's rule for this law (the zeros of Krawtchouk's
    polynomials); it is exact for half as many degrees as Gauss's rule.
    """
    deviation, mean = np.sqrt(n * p * q), n * p
    if deviation <= _NARROW or mean <= _NEAR_ZERO * deviation:
        reach = _REACH * deviation + _REACH**2 / 2
        counts = np.arange(max(0, int(mean - reach)), min(n, int(mean + reach) + 1) + 1)
        weights = binomial_pmf(counts, n, p, q)
        matters = weights > 0
        return float(
            sum(w * function(c) for w, c in zip(weights[matters].tolist(), counts[matters].tolist(), strict=True))
        )
    counts, weights = _binomial_rule(n, p, q)
    return float(sum(w * function(c) for w, c in zip(weights.tolist(), counts.tolist(), strict=True)))


def _binomial_rule(n: int, p: float, q: float) -> tuple[Integers, Reals]:
    j = np.arange(_RULE_ORDER + 1.0)
    middle, off_diagonal = p * (n - j) + j * q, np.sqrt(j * p * q * (n - j + 1))
    nodes = np.linalg.eigvalsh(np.diag(middle[:-1]) + np.diag(off_diagonal[1:-1], 1) + np.diag(off_diagonal[1:-1], -1))
    counts = np.rint(nodes)
    polynomials = np.zeros((_RULE_ORDER, _RULE_ORDER))
    polynomials[0] = 1.0
    for i in range(_RULE_ORDER - 1):
        earlier = off_diagonal[i] * polynomials[i - 1] if i else 0.0
        polynomials[i + 1] = ((counts - middle[i]) * polynomials[i] - earlier) / off_diagonal[i + 1]
    weights = np.asarray(np.linalg.solve(polynomials, np.eye(_RULE_ORDER)[0]), dtype=np.float64)
    return counts.astype(np.int64), weights


def fine_beta(a: float, b: float, n: int, matrix: Reals, slope: float) -> Probabilities:
    """Return probabilities for the trapezoid rule over ``P ~ Beta(a, b)``, fine enough for n trials.

    Parameters
    ----------
    a, b
        The parameters.
    n
        The number of trials.
    matrix
        The probabilities of a hit and of a miss at ``P = 1``, in the first row, and at ``P = 0``.
    slope
        ``matrix[0, 0] - matrix[1, 0]``, which is at least 0, to full precision.

    Notes
    -----
    The logit of P, less its mean's, is ``sinh t``: tails of any length then take few points. Where the likelihood or
    the law is narrower than that, the step is half of its standard deviation.
    """
    width = math.sqrt(1 / a + 1 / b)
    first, last = -math.asinh(14 * width + _FAR / a), math.asinh(14 * width + _FAR / b)
    coarse: Reals = np.linspace(first, last, _COARSE)
    shares = _shares(coarse, a, b)
    product = shares[:, 0] * shares[:, 1]
    rates = shares @ matrix
    information = (a + b) * product + n * (slope * product) ** 2 / np.maximum(rates[:, 0] * rates[:, 1], LEAST)
    # The logarithms of P, 1 - P and the rates are singular at π i from where these begin to change.
    turns = np.array([0.0, _log_odds(matrix[1, 0], slope), -_log_odds(matrix[0, 1], slope)]) - math.log(a / b)
    turned = np.clip(np.arcsinh(turns), first, last)
    step = min(
        _LONGEST_STEP / float(np.cosh(turned).max()),
        _STEP / float((np.cosh(coarse) * np.sqrt(information)).max()),
    )
    points: Reals = np.arange(first, last, step)
    shares = _shares(points, a, b)
    away = np.sinh(points)
    logs = -a * log_mixed(b, a, -away) - b * log_mixed(a, b, away) + np.log(np.cosh(points))
    weights = np.exp(logs - logs.max())
    heavy = weights > _LIGHT * weights.sum()
    shares, weights = np.maximum(shares[heavy], LEAST), weights[heavy]
    rates = np.maximum(shares @ matrix, LEAST)
    return Probabilities(shares.T, rates[:, 0], rates[:, 1], slope, weights / weights.sum())


def _shares(points: Reals, a: float, b: float) -> Reals:
    logits = np.sinh(points) + math.log(a / b)
    return np.stack([expit(logits), expit(-logits)], axis=1)


def _log_odds(constant: float, slope: float) -> float:
    """Return the logit of P near which ``constant + slope · P`` begins to change; 0 if it does so everywhere."""
    return math.log(constant / slope) if constant > 0 else 0.0
