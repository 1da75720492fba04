"""Integrals over the simplex against a Dirichlet law, through independent betas (a stick broken into pieces)."""

import math
from collections.abc import Callable

import numpy as np
from scipy.linalg import eigh_tridiagonal
from scipy.special import betaincinv, expit, stdtrit

from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial_limits import fitted_mix

REPLICATES = 32
_FAR = 45.0  # e^-45 of a law's tail is negligible
_LIGHT = 1e-22
_ROUNDING = 1e-12
_LARGEST = 700.0


def gauss_jacobi_simplex(alpha: Reals, order: int) -> tuple[Reals, Reals]:
    """Return points on the simplex and weights that integrate polynomials of degree ``2·order - 1`` exactly."""
    points: Reals = np.ones((1, 0))
    left: Reals = np.ones(1)
    weights: Reals = np.ones(1)
    for x in range(alpha.size - 1):
        broken, share = _gauss_beta(float(alpha[x]), float(alpha[x + 1 :].sum()), order)
        points = np.hstack([np.repeat(points, order, axis=0), np.outer(left, broken).reshape(-1, 1)])
        left = np.outer(left, 1 - broken).ravel()
        weights = np.outer(weights, share).ravel()
    return np.hstack([points, left[:, None]]), weights


def _gauss_beta(a: float, b: float, order: int) -> tuple[Reals, Reals]:
    """Return Gauss's nodes and weights for the beta law, from its recurrence (Golub and Welsch 1969).

    SciPy's `roots_jacobi` loses digits with the number of nodes, and overflows for large parameters.
    """
    n, total = np.arange(1.0, order), a + b
    middle = np.empty(order)
    middle[0] = a / total
    middle[1:] = 0.5 + (a - b) / (2 * n + total - 2) * (total - 2) / (2 * n + total) / 2
    # The first one apart, where the general form may be 0/0.
    first = [a * b / (total * total * (total + 1))] if order > 1 else []
    m = n[1:]
    rest = m * (m + a - 1) * (m + b - 1) * (m + total - 2)
    rest /= (2 * m + total - 2) ** 2 * (2 * m + total - 1) * (2 * m + total - 3)
    nodes, vectors = eigh_tridiagonal(middle, np.sqrt(np.concatenate([first, rest])))
    clipped = np.clip(np.asarray(nodes, dtype=np.float64), 0.0, 1.0)
    return clipped, np.asarray(vectors[0] ** 2, dtype=np.float64)


def logit_points(alpha: Reals, step: float) -> float:
    """Return the approximate number of points of `logit_simplex` with that step."""
    return math.prod(_logits(alpha[x], alpha[x + 1 :].sum(), step).size for x in range(alpha.size - 1))


def logit_simplex(alpha: Reals, step: float) -> tuple[Reals, Reals]:
    """Return points and weights of the trapezoid rule in the logits of the broken pieces.

    The laws of the logits fall off exponentially and are analytic, so that the rule converges geometrically for
    analytic integrands, even if they are singular at the simplex's border. The step is in units of the law's width.
    """
    points: Reals = np.ones((1, 0))
    left: Reals = np.ones(1)
    weights: Reals = np.ones(1)
    for x in range(alpha.size - 1):
        first, second = float(alpha[x]), float(alpha[x + 1 :].sum())
        away = _logits(first, second, step)
        share = np.exp(-first * log_mixed(second, first, -away) - second * log_mixed(first, second, away))
        matters = share > _LIGHT
        away, share = away[matters], share[matters]
        logits = away + math.log(first / second)
        points = np.hstack([np.repeat(points, share.size, axis=0), np.outer(left, expit(logits)).reshape(-1, 1)])
        left = np.outer(left, expit(-logits)).ravel()
        weights = np.outer(weights, np.asarray(share / share.sum(), dtype=np.float64)).ravel()
    return np.hstack([points, left[:, None]]), weights


def _logits(first: float, second: float, step: float) -> Reals:
    """Return the points of a sum over the logit of a beta variable, relative to the logit of its mean."""
    width = math.sqrt(1 / first + 1 / second)
    return np.arange(-12 * width - _FAR / first, 12 * width + _FAR / second, step * min(1.0, width))


def log_mixed(own: float, other: float, away: Reals) -> Reals:
    """Return ``log((other + own e^away) / (other + own))``, to full precision near 0."""
    grown = own / (own + other) * np.expm1(np.minimum(away, _LARGEST))
    near = np.abs(grown) < 1 / 2
    logs = math.log(other), math.log(own), math.log(own + other)
    return np.where(near, np.log1p(np.where(near, grown, 0.0)), np.logaddexp(logs[0], logs[1] + away) - logs[2])


def lattice_simplex(alpha: Reals, size: int, rng: np.random.Generator) -> Reals:
    """Return ``size`` points of the Dirichlet law, evenly spread: a Kronecker lattice, shifted at random.

    Its generator is that of the plastic number's generalization, the root of ``g^(d+1) = g + 1``. Each point by itself
    has exactly this law.
    """
    pieces = alpha.size - 1
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (pieces + 1))
    generator = root ** -np.arange(1.0, pieces + 1)
    uniforms = (np.arange(size)[:, None] * generator + rng.random(pieces)) % 1
    points, left = np.empty((size, alpha.size)), np.ones(size)
    for x in range(pieces):
        first, second = alpha[x], alpha[x + 1 :].sum()
        points[:, x] = left * betaincinv(first, second, uniforms[:, x])
        left = left * betaincinv(second, first, 1 - uniforms[:, x])  # 1 less the other would round the tail to 0
    points[:, -1] = left
    return points


def lattice_mean(
    function: Callable[[Reals], tuple[Reals, Reals]],
    alpha: Reals,
    size: int,
    confidence: float,
    rng: np.random.Generator,
) -> tuple[float, float]:
    """Return the mean of a function of P, and the half-width of its interval, from independently shifted lattices.

    The function returns its values at some points, and controls there: a column each, with mean 0. Their weights are
    fitted on a separate lattice, so that the mean is unbiased; the interval is Student's.
    """
    values, controls = function(lattice_simplex(alpha, size, rng))
    mix = fitted_mix(values, controls)
    means = np.empty(REPLICATES)
    for replicate in range(REPLICATES):
        values, controls = function(lattice_simplex(alpha, size, rng))
        means[replicate] = (values - controls @ mix).mean()
    quantile = float(stdtrit(REPLICATES - 1, (1 + confidence) / 2))
    mean = float(means.mean())
    rounding = _ROUNDING * max(1.0, abs(mean))
    return mean, rounding + quantile * float(means.std(ddof=1)) / math.sqrt(REPLICATES)
