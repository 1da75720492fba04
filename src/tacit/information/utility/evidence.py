"""How likely a tally of reports is, the population unknown, where that has no formula: bracketed by sampling.

With weights ``w = P(s | p) μ(p) / proposal(p)`` at M proposed p, the mean of the w is unbiased, so that its logarithm
is too low on average; with the true P among them, which given s is a draw from the posterior, the mean over M + 1 is
too high on average (Grosse, Ghahramani and Adams, Sandwiching the marginal likelihood, 2015). Both hold at any M.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from tacit.adversaries.populations import Dirichlet

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

PROPOSED = 1 << 9
_FREEDOM = 5.0
_STEPS = 60
_LONGEST_STEP = 2.0
_SETTLED = 1e-4
_NEAR_ZERO = 3.0  # standard deviations
_TINY = 1e-300


def evidence_bounds(
    matrix: Reals, tallies: Integers, shares: Reals, population: Dirichlet, rng: np.random.Generator
) -> tuple[Reals, Reals]:
    """Return logarithms that are on average too low and too high for the tallies' probabilities.

    Proposals are made for ``ω = √P`` on the sphere, where Jeffreys' prior is uniform: a share that may be 0 then has no
    border there, but either sign. They are Student's on the plane that touches the sphere at the posterior's mode.
    """
    draws, k = shares.shape
    centre, precision, signed = _about_the_mode(matrix, tallies, population.alpha)
    plane = _tangents(centre)
    curvature: Reals = np.einsum("nxi,nxz,nzj->nij", plane, precision, plane, optimize=True)
    roots = np.linalg.cholesky(curvature)
    normal = rng.standard_normal((draws, PROPOSED, k - 1))
    stretch = np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, size=(draws, PROPOSED, 1)))
    offsets = np.asarray(np.linalg.solve(roots.transpose(0, 2, 1)[:, None], (normal * stretch)[..., None])[..., 0])
    truth = np.sqrt(shares) * np.where(signed, rng.choice([-1.0, 1.0], size=shares.shape), 1.0)
    truth /= np.einsum("nx,nx->n", truth, centre)[:, None]
    own = np.einsum("nxi,nx->ni", plane, truth)
    offsets = np.concatenate([own[:, None, :], offsets], axis=1)
    beside = centre[:, None, :] + np.einsum("nxi,nmi->nmx", plane, offsets)
    square = (beside**2).sum(axis=2)
    inside = ((beside > 0) | signed[:, None, :]).all(axis=2)
    p = np.maximum(beside**2 / square[..., None], _TINY)
    target = np.einsum("nmy,ny->nm", np.log(p @ matrix + _TINY), tallies) + np.log(p) @ (population.alpha - 0.5)
    norm = math.lgamma(population.total) - float(gammaln(population.alpha).sum()) - math.log(2)
    target += norm + math.log(2) * (~signed).sum(axis=1)[:, None] - k / 2 * np.log(square)
    d = k - 1
    distance = (np.einsum("nij,nmi->nmj", roots, offsets) ** 2).sum(axis=2)
    student = math.lgamma((_FREEDOM + d) / 2) - math.lgamma(_FREEDOM / 2) - d * math.log(_FREEDOM * math.pi) / 2
    log_width = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
    proposal = student - (_FREEDOM + d) / 2 * np.log1p(distance / _FREEDOM) + log_width[:, None]
    weights = np.where(inside, target - proposal, -np.inf)
    low = logsumexp(weights[:, 1:], axis=1) - math.log(PROPOSED)
    high = logsumexp(weights, axis=1) - math.log(PROPOSED + 1)
    return low, high


def _tangents(centre: Reals) -> Reals:
    """Return an orthonormal basis of the plane across each unit vector (the rest of Householder's reflection)."""
    k = centre.shape[1]
    across = centre + np.eye(k)[0]
    across /= np.sqrt((across**2).sum(axis=1, keepdims=True))
    return (np.eye(k) - 2 * across[:, :, None] * across[:, None, :])[:, :, 1:]


def _about_the_mode(matrix: Reals, tallies: Integers, alpha: Reals) -> tuple[Reals, Reals, NDArray[np.bool_]]:
    """Return for each tally a point on the sphere, a precision there, and which shares may be 0."""
    p = _modes(matrix, tallies, alpha)
    weighted = tallies / (p @ matrix + _TINY) ** 2
    information = np.einsum("xy,ny,zy->nxz", matrix, weighted, matrix, optimize=True)
    own: Reals = np.sqrt(np.einsum("nxx->nx", information))
    slope: Reals = np.maximum(alpha / p - alpha.sum(), 0)  # n less the likelihood's derivative, at the mode
    signed = p * own < _NEAR_ZERO
    signed[np.arange(len(p)), p.argmax(axis=1)] = False
    root = np.where(signed, 0.0, np.sqrt(p))
    precision: Reals = 4 * root[:, :, None] * root[:, None, :] * information
    free: Reals = np.where(signed, 1 / (p + 1 / (2 * slope + own)), 2 * slope) + np.where(signed, 0.0, 2 * alpha.sum())
    precision += free[:, :, None] * np.eye(alpha.size)
    return root / np.sqrt((root**2).sum(axis=1, keepdims=True)), precision, signed


def _log_ratio_basis(k: int) -> Reals:
    """Return an orthonormal basis of the vectors that sum to 0, a column each (Helmert's)."""
    basis = np.zeros((k, k - 1))
    for column in range(k - 1):
        basis[: column + 1, column] = 1.0
        basis[column + 1, column] = -(column + 1.0)
    return basis / np.sqrt((basis**2).sum(axis=0))


def _modes(matrix: Reals, tallies: Integers, alpha: Reals) -> Reals:
    """Return each posterior's mode in log-ratios, by Newton's method; a step that does not climb is taken back.

    Terms of the curvature that may be negative are left out, so that it is positive and short steps climb.
    """
    basis = _log_ratio_basis(alpha.size)
    n, total = tallies.sum(axis=1, keepdims=True), alpha.sum()
    # From the linear estimate of the shares on: far from the mode, steps towards the border creep.
    estimates: Reals = (tallies / n) @ np.linalg.pinv(matrix)
    at: Reals = np.log(np.maximum(estimates, 1 / (2 * np.sqrt(n) + alpha.size))) @ basis
    step, reach = np.zeros_like(at), np.ones((len(tallies), 1))
    best = np.full((len(tallies), 1), -np.inf)
    for _ in range(_STEPS):
        p = _shares_at(at + step, basis)
        height = (np.log(p) @ alpha + np.einsum("ny,ny->n", np.log(p @ matrix + _TINY), tallies))[:, None]
        climbed = height >= best
        at, best = np.where(climbed, at + step, at), np.where(climbed, height, best)
        reach = np.where(climbed, np.minimum(1.0, 2 * reach), reach / 4)
        p = _shares_at(at, basis)
        # How the reports of each kind are shared out among the values.
        part = p[:, :, None] * matrix / (p @ matrix + _TINY)[:, None, :]
        gradient = (alpha - total * p + np.einsum("nxy,ny->nx", part, tallies) - n * p) @ basis
        away = part - p[:, :, None]
        square = np.einsum("nxy,ny,nzy->nxz", away, tallies, away, optimize=True)
        spread = total * (np.einsum("nx,xz->nxz", p, np.eye(alpha.size)) - p[:, :, None] * p[:, None, :])
        curvature: Reals = basis.T @ (square + spread) @ basis
        whole = np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], dtype=np.float64)
        length = np.sqrt((whole**2).sum(axis=1, keepdims=True))
        step = whole * np.minimum(reach, _LONGEST_STEP / np.maximum(length, _TINY))
        if float(length.max()) < _SETTLED:
            break
    return _shares_at(at, basis)


def _shares_at(ratios: Reals, basis: Reals) -> Reals:
    logits = ratios @ basis.T
    return np.exp(logits - logsumexp(logits, axis=1, keepdims=True))
