"""I(Y⃗; P) from a sample of populations and tallies, where the tallies are too many to list.

``I = E [log P(s | P) - log P(s)]``, with control variates of known mean: what the reports say beyond their expectation,
in every cell, by any function of its probability. What is left is nearly the same for every draw.

Where P(s) has no formula it is bracketed. With weights ``w = P(s | p) μ(p) / proposal(p)`` at M proposed p, the mean of
the w is unbiased, so that its logarithm is too low on average; with the true P among them, which given s is a draw from
the posterior, the mean over M + 1 is too high on average (Grosse, Ghahramani and Adams, Sandwiching the marginal
likelihood, 2015). Both hold at any M; the interval spans them.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, ndtri, xlogy

from tacit.adversaries.populations import Dirichlet
from tacit.errors import TooLargeError
from tacit.estimate import Estimate
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.numerics.bounded_mean import empirical_bernstein, fitted_mix
from tacit.numerics.dirichlet_means import mean_log
from tacit.numerics.dirichlet_moments import log_shifted_moments

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

CONFIDENCE = 0.95
_DRAWS = 1 << 17
_DRAWS_AMONG_POINTS = 1 << 16
_MOST_CELLS = 1 << 27
_MOST_ENTRIES = 1 << 22
_FEWEST = 1 << 8
_PROPOSED = 1 << 9
_SCALES = (1.0, 1e1, 1e2, 1e3, 1e4, 1e6)
_PILOT = 500
_FREEDOM = 5.0
_STEPS = 30
_LONGEST_STEP = 2.0
_SETTLED = 1e-4
_NEAR_ZERO = 3.0  # standard deviations
_TINY = 1e-300


def by_moments(
    system: RandomizedResponse, n: int, population: Dirichlet, rng: np.random.Generator, draws: int = _DRAWS
) -> Estimate:
    """Estimate the information in n reports of k-RR, whose tallies' probabilities are known exactly."""
    shares = draw_shares(population, max(_FEWEST, min(draws, _MOST_ENTRIES // system.k)), rng)
    probabilities = system.q + system.gap * shares
    tallies = draw_tallies(n, probabilities, rng)
    beta = np.full(system.k, system.gap / system.q)
    evidence = log_shifted_moments(tallies, population.alpha, beta) + n * math.log(system.q)
    told = (tallies * np.log(probabilities)).sum(axis=1) - evidence
    return _bracketed(
        told, told, _controls(tallies, probabilities, shares, population, least=system.q), "sampled tallies"
    )


def by_bounds(matrix: Reals, n: int, population: Dirichlet, rng: np.random.Generator, draws: int = _DRAWS) -> Estimate:
    """Estimate the information in n reports of any protocol, the tallies' probabilities being bracketed."""
    k, reports = matrix.shape
    draws = min(draws, _MOST_CELLS // (_PROPOSED * (reports + k * k)))
    if draws < _FEWEST:
        raise TooLargeError(
            f"a channel of {k} values and {reports:,} kinds of report is too large to sample its tallies; ask for "
            "asymptotic_utility"
        )
    shares = draw_shares(population, draws, rng)
    probabilities = shares @ matrix
    tallies = draw_tallies(n, probabilities, rng)
    parts = np.array_split(np.arange(draws), -(-draws * _PROPOSED * reports // (1 << 22)))
    brackets = [_evidence_bounds(matrix, tallies[part], shares[part], population, rng) for part in parts]
    low, high = (np.concatenate(ends) for ends in zip(*brackets, strict=True))
    own = xlogy(tallies, probabilities).sum(axis=1)
    controls = _controls(tallies, probabilities, shares, population, least=matrix.min(axis=0))
    return _bracketed(own - high, own - low, controls, "sampled tallies, their probabilities bracketed")


def among_points(
    matrix: Reals, n: int, points: Reals, weights: Reals, rng: np.random.Generator, *, draws: int = _DRAWS_AMONG_POINTS
) -> Estimate:
    """Estimate the information in n reports when the population is one of some points.

    Given the tallies, the posterior's divergence from the weights has that mean, and lies between 0 and the logarithm
    of the smallest weight: the interval holds at every sample size.
    """
    probabilities = points @ matrix
    weights, probabilities = weights[weights > 0], probabilities[weights > 0]
    tallies = draw_tallies(n, probabilities[rng.choice(weights.size, size=draws, p=weights)], rng)
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    impossible = (tallies > 0).astype(np.float64) @ np.isneginf(logs).T > 0
    likelihoods = np.where(impossible, -np.inf, tallies @ np.where(np.isneginf(logs), 0.0, logs).T)
    joint = likelihoods + np.log(weights)
    posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    told = (xlogy(posterior, posterior) - xlogy(posterior, weights)).sum(axis=1)
    most = -math.log(float(weights.min()))
    mean, half = empirical_bernstein(told, most, 1 - CONFIDENCE)
    return Estimate(mean, max(0.0, mean - half), min(most, mean + half), CONFIDENCE, "sampled tallies")


def draw_shares(population: Dirichlet, draws: int, rng: np.random.Generator) -> Reals:
    """Return draws of the population's shares, a row each, none exactly 0."""
    shares = np.maximum(rng.dirichlet(population.alpha, size=draws), _TINY)
    return shares / shares.sum(axis=1, keepdims=True)


def draw_tallies(n: int, probabilities: Reals, rng: np.random.Generator) -> Integers:
    """Return a tally of n reports from each row of probabilities."""
    return rng.multinomial(n, probabilities / probabilities.sum(axis=1, keepdims=True))


def _controls(
    tallies: Integers, probabilities: Reals, shares: Reals, population: Dirichlet, *, least: float | Reals
) -> Reals:
    """Return functions of each draw that have mean 0, a column each.

    Given P, each cell's standardised count has mean 0 and its square mean ``1 - q``, whatever function of q they are
    multiplied by; and the means of ``log(1 + cP_x)`` are integrals.
    """
    n, q = int(tallies[0].sum()), np.maximum(probabilities, _TINY)
    first = (tallies - n * q) / np.sqrt(n * q)
    # Squares of rare cells may have no variance: where few are expected they are left out.
    second = np.where(n * q >= 1, first * first - (1 - q), 0.0)
    logs, over = np.log(q), np.maximum(q - least, 0)  # what is over the noise
    shapes = [np.ones_like(q), over, np.sqrt(over), 1 / (1 + over * np.sqrt(n / q)), 1 / (1 + n * over * over / q)]
    columns = [(first * shape).sum(axis=1) for shape in (*shapes, np.sqrt(q) * logs, logs)]
    columns += [(second * shape).sum(axis=1) for shape in (*shapes, logs)]
    groups = np.stack([population.alpha, population.total - population.alpha], axis=1)
    for scale in _SCALES:
        known = mean_log(np.broadcast_to([1 + scale, 1.0], groups.shape), groups)
        columns.append((np.log1p(scale * shares) - known).sum(axis=1))
    return np.stack(columns, axis=1)


def _bracketed(low: Reals, high: Reals, controls: Reals, method: str) -> Estimate:
    """Return the estimate whose interval spans both means; the controls are fitted on a part that is not counted."""
    pilot = max(len(low) // 10, min(len(low) // 2, _PILOT))
    middle = (low + high) / 2
    mix = fitted_mix(middle[:pilot], controls[:pilot])
    taken = controls[pilot:] @ mix
    quantile = float(ndtri((1 + CONFIDENCE) / 2))
    ends: list[tuple[float, float]] = []
    for side in (low, high):
        rest = side[pilot:] - taken
        ends.append((float(rest.mean()), quantile * float(rest.std(ddof=1)) / math.sqrt(rest.size)))
    (first, below), (last, above) = ends
    return Estimate(max(0.0, (first + last) / 2), max(0.0, first - below), max(0.0, last + above), CONFIDENCE, method)


def _evidence_bounds(
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
    normal = rng.standard_normal((draws, _PROPOSED, k - 1))
    stretch = np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, size=(draws, _PROPOSED, 1)))
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
    low = logsumexp(weights[:, 1:], axis=1) - math.log(_PROPOSED)
    high = logsumexp(weights, axis=1) - math.log(_PROPOSED + 1)
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
    """Return each posterior's mode in log-ratios, by Newton's method.

    Terms of the curvature that may be negative are left out, so that it is positive and every step climbs.
    """
    basis = _log_ratio_basis(alpha.size)
    n, total = tallies.sum(axis=1, keepdims=True), alpha.sum()
    at: Reals = np.zeros((len(tallies), alpha.size - 1))
    p: Reals = np.full((len(tallies), alpha.size), 1 / alpha.size)
    for _ in range(_STEPS):
        # How the reports of each kind are shared out among the values.
        part = p[:, :, None] * matrix / (p @ matrix + _TINY)[:, None, :]
        gradient = (alpha - total * p + np.einsum("nxy,ny->nx", part, tallies) - n * p) @ basis
        away = part - p[:, :, None]
        square = np.einsum("nxy,ny,nzy->nxz", away, tallies, away, optimize=True)
        spread = total * (np.einsum("nx,xz->nxz", p, np.eye(alpha.size)) - p[:, :, None] * p[:, None, :])
        curvature: Reals = basis.T @ (square + spread) @ basis
        step = np.asarray(np.linalg.solve(curvature, gradient[..., None])[..., 0], dtype=np.float64)
        length = np.sqrt((step**2).sum(axis=1, keepdims=True))
        at = at + step * np.minimum(1.0, _LONGEST_STEP / np.maximum(length, _TINY))
        logits = at @ basis.T
        p = np.exp(logits - logsumexp(logits, axis=1, keepdims=True))
        if float(length.max()) < _SETTLED:
            break
    return p
