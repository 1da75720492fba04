"""Integrals over the simplex against a Dirichlet law, through independent betas (a stick broken piece by piece)."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, gammaln, roots_jacobi, stdtrit

from tacit.numerics.bounded_mean import fitted_mix

Reals = NDArray[np.float64]

REPLICATES = 32


def gauss_jacobi_simplex(alpha: Reals, order: int) -> tuple[Reals, Reals]:
    """Return points on the simplex and weights that integrate polynomials of degree ``2·order - 1`` exactly."""
    points: Reals = np.ones((1, 0))
    left: Reals = np.ones(1)
    weights: Reals = np.ones(1)
    for x in range(alpha.size - 1):
        nodes, share = roots_jacobi(order, alpha[x + 1 :].sum() - 1, alpha[x] - 1)
        broken, share = (nodes + 1) / 2, share / share.sum()
        points = np.hstack([np.repeat(points, order, axis=0), np.outer(left, broken).reshape(-1, 1)])
        left = np.outer(left, 1 - broken).ravel()
        weights = np.outer(weights, np.asarray(share, dtype=np.float64)).ravel()
    return np.hstack([points, left[:, None]]), weights


def logit_points(alpha: Reals, step: float) -> float:
    """Return about how many points `logit_simplex` has with that step."""
    return math.prod(
        (45 / min(alpha[x], 1) + 45 / min(alpha[x + 1 :].sum(), 1) + 10) / step for x in range(alpha.size - 1)
    )


def logit_simplex(alpha: Reals, step: float) -> tuple[Reals, Reals]:
    """Return points and weights of the trapezoid rule in the logits of the broken pieces.

    The laws of the logits fall off exponentially and are analytic, so that the rule converges geometrically for
    integrands that are, singular at the simplex's border or not.
    """
    points: Reals = np.ones((1, 0))
    left: Reals = np.ones(1)
    weights: Reals = np.ones(1)
    for x in range(alpha.size - 1):
        first, second = float(alpha[x]), float(alpha[x + 1 :].sum())
        logits = np.arange(-45 / min(first, 1) - 5, 45 / min(second, 1) + 5, step)
        broken, kept = 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(logits))
        log_norm = gammaln(first + second) - gammaln(first) - gammaln(second)
        share = step * np.exp(log_norm - first * np.logaddexp(0, -logits) - second * np.logaddexp(0, logits))
        matters = share > 1e-22
        broken, kept, share = broken[matters], kept[matters], share[matters]
        points = np.hstack([np.repeat(points, share.size, axis=0), np.outer(left, broken).reshape(-1, 1)])
        left = np.outer(left, kept).ravel()
        weights = np.outer(weights, np.asarray(share / share.sum(), dtype=np.float64)).ravel()
    return np.hstack([points, left[:, None]]), weights


def lattice_simplex(alpha: Reals, size: int, rng: np.random.Generator) -> Reals:
    """Return that many points of the Dirichlet law, evenly spread: a Kronecker lattice, shifted at random.

    Its generator is that of the plastic number's generalisation, the root of ``g^(d+1) = g + 1``. Each point by itself
    has the law exactly.
    """
    pieces = alpha.size - 1
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (pieces + 1))
    generator = root ** -np.arange(1.0, pieces + 1)
    uniforms = (np.arange(size)[:, None] * generator + rng.random(pieces)) % 1
    points, left = np.empty((size, alpha.size)), np.ones(size)
    for x in range(pieces):
        broken = betaincinv(alpha[x], alpha[x + 1 :].sum(), uniforms[:, x])
        points[:, x], left = left * broken, left * (1 - broken)
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
    fitted on a lattice that is not counted, so that the mean is unbiased; the interval is Student's.
    """
    values, controls = function(lattice_simplex(alpha, size, rng))
    mix = fitted_mix(values, controls)
    means = np.empty(REPLICATES)
    for replicate in range(REPLICATES):
        values, controls = function(lattice_simplex(alpha, size, rng))
        means[replicate] = (values - controls @ mix).mean()
    quantile = float(stdtrit(REPLICATES - 1, (1 + confidence) / 2))
    return float(means.mean()), quantile * float(means.std(ddof=1)) / math.sqrt(REPLICATES)
