"""I(Y⃗; P) from a sample of populations and tallies, where the tallies are too many to list.

``I = E [log P(s | P) - log P(s)]``, with control variates of known mean: the excess of each cell's count over its
expectation, times any function of its probability. The remainder is nearly the same for every draw.

Where P(s) has no formula it is bracketed from both sides on average (`evidence`); the interval spans them.
"""

import math

import numpy as np
from scipy.special import logsumexp, ndtri, xlogy

from discretion import limits
from discretion.adversaries.populations import Dirichlet
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, are_far_apart
from discretion.information.entropies import TrueTallies
from discretion.information.utility.evidence import PROPOSED, evidence_bounds
from discretion.mechanisms.reporting import Response
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial_limits import empirical_bernstein, fitted_mix
from discretion.numerics.means.dirichlet_means import mean_log
from discretion.numerics.means.dirichlet_moments import log_shifted_moments

# Numbers of the populations of a sample; some hundred are drawn in any case.
MAX_SHARES_DRAWN = 1 << 22
# Steps of the recursion of the moments of all samples.
MAX_MOMENT_STEPS = 1 << 22
# Moments that are looked up for all samples.
MAX_MOMENTS_GATHERED = 1 << 27
# Cells by which the probabilities of sampled tallies are bracketed.
MAX_CELLS_BRACKETED = 1 << 27

CONFIDENCE = 0.95
_DEVIATIONS = float(ndtri((1 + CONFIDENCE) / 2))
DRAWS = 1 << 17
_DRAWS_AMONG_POINTS = 1 << 16
_FEWEST = 1 << 8
_SCALES = (1.0, 1e1, 1e2, 1e3, 1e4, 1e6)
_TAILS = 24.0
_FEW, _SOME = 0.1, 4.0  # of the reports of a kind, on average: from the latter on products of counts have light tails
_TINY = 1e-300
_ROUNDING = 1e-12
_PROPOSALS_AT_ONCE = 1 << 20


def estimate_by_moments(
    response: Response, n: int, population: Dirichlet, rng: np.random.Generator, draws: int = DRAWS
) -> Estimate:
    """Estimate the information in n reports of k-RR, whose tallies' probabilities are known exactly."""
    most = limits.current().numbers(MAX_SHARES_DRAWN) // response.k
    shares = draw_shares(population, max(_FEWEST, min(draws, most)), rng)
    probabilities = response.q + response.gap * shares
    tallies = draw_tallies(n, probabilities, rng)
    beta = np.full(response.k, response.gap / response.q)
    evidence = log_shifted_moments(tallies, population.alpha, beta) + n * math.log(response.q)
    gains = (tallies * np.log(probabilities)).sum(axis=1) - evidence
    controls_of_draws = controls(tallies, probabilities, shares, population, least=response.q)
    return spanning_estimate(gains, gains, controls_of_draws, TrueTallies(population, n).information, "sampled tallies")


def draws_by_moments(response: Response, n: int) -> int:
    """Return the number of draws whose moments take seconds to compute; 0 if it is too small.

    The moments take as many steps as the largest tally counts, about the tally of a value that a quarter holds.
    """
    allowed = limits.current()
    steps = math.ceil(n * (response.q + response.gap / 4))
    draws = min(DRAWS, allowed.steps(MAX_MOMENT_STEPS, each=8) // steps, allowed.steps(MAX_MOMENTS_GATHERED) // n)
    return draws if draws >= _FEWEST else 0


def draws_by_bounds(k: int, reports: int) -> int:
    """Return the number of draws whose probabilities take seconds to bracket; 0 if it is too small."""
    draws = min(DRAWS, limits.current().steps(MAX_CELLS_BRACKETED) // (PROPOSED * (reports + k * k)))
    return draws if draws >= _FEWEST else 0


def estimate_by_bounds(
    matrix: Reals, n: int, population: Dirichlet, rng: np.random.Generator, draws: int = DRAWS
) -> Estimate:
    """Estimate the information in n reports of any protocol, the tallies' probabilities being bracketed."""
    k, reports = matrix.shape[0], min(n, matrix.shape[1])
    draws = min(draws, draws_by_bounds(k, reports))
    if not draws:
        raise TooLargeError(
            f"n = {n:,} reports of {matrix.shape[1]:,} kinds on {k} values are too many to sample their tallies; take "
            "fewer people, or use asymptotic_utility"
        )
    shares = draw_shares(population, draws, rng)
    probabilities = shares @ matrix
    tallies = draw_tallies(n, probabilities, rng)
    low, high = log_evidence(matrix, tallies, shares, population, rng)
    own = xlogy(tallies, probabilities).sum(axis=1)
    controls_of_draws = [
        controls(tallies, probabilities, shares, population, least=matrix.min(axis=0)),
        score_controls(matrix, tallies, probabilities, np.ones((draws, 1)) * n, probabilities[:, None, :]),
    ]
    truth = TrueTallies(population, n).information
    return spanning_estimate(
        own - high, own - low, np.hstack(controls_of_draws), truth, "sampled tallies, their probabilities bracketed"
    )


def log_evidence(
    matrix: Reals, tallies: Integers, shares: Reals, population: Dirichlet, rng: np.random.Generator
) -> tuple[Reals, Reals]:
    """Return the `evidence_bounds` of any number of tallies."""
    kinds = int(np.count_nonzero(tallies, axis=1).max())
    parts = np.array_split(np.arange(len(tallies)), -(-len(tallies) * PROPOSED * kinds // _PROPOSALS_AT_ONCE))
    bounds = [evidence_bounds(matrix, tallies[part], shares[part], population, rng) for part in parts]
    low, high = (np.concatenate(ends) for ends in zip(*bounds, strict=True))
    return low, high


def estimate_among_points(
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
    joint = likelihoods(tallies, logs) + np.log(weights)
    posterior = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    gains = (xlogy(posterior, posterior) - xlogy(posterior, weights)).sum(axis=1)
    most = -math.log(float(weights.min()))
    mean, half = empirical_bernstein(gains, most, 1 - CONFIDENCE)
    return Estimate(mean, max(0.0, mean - half), min(most, mean + half), CONFIDENCE, "sampled tallies")


def draw_shares(population: Dirichlet, draws: int, rng: np.random.Generator) -> Reals:
    """Return draws of the population's shares, a row each, none exactly 0."""
    shares = np.maximum(rng.dirichlet(population.alpha, size=draws), _TINY)
    return shares / shares.sum(axis=1, keepdims=True)


def draw_tallies(n: int, probabilities: Reals, rng: np.random.Generator) -> Integers:
    """Return a tally of n reports from each row of probabilities."""
    return rng.multinomial(n, probabilities / probabilities.sum(axis=1, keepdims=True))


def likelihoods(tallies: Integers, logs: Reals) -> Reals:
    """Return ``Σ_y s_y log q_y`` for each tally and each point; reports with a count of 0 may be impossible."""
    impossible = ~np.isfinite(logs)
    sums = tallies.astype(np.float64) @ np.where(impossible, 0.0, logs).T
    if impossible.any():
        sums[(tallies > 0).astype(np.float64) @ impossible.T.astype(np.float64) > 0] = -np.inf
    return sums


def controls(
    tallies: Integers, probabilities: Reals, shares: Reals, population: Dirichlet, *, least: float | Reals
) -> Reals:
    """Return functions of each draw that have mean 0, a column each.

    Given P, each cell's standardized count has mean 0 and its square has mean ``1 - q``, so that products with any
    function of q have known means; and the means of ``log(1 + cP_x)`` are integrals.
    """
    n, q = int(tallies[0].sum()), np.maximum(probabilities, _TINY)
    # Counts of rare cells have heavy tails, and their squares may have no variance: they are left out.
    first = np.where(n * q >= _FEW, (tallies - n * q) / np.sqrt(n * q), 0.0)
    second = np.where(n * q >= 1, first * first - (1 - q), 0.0)
    logs, over = np.log(q), np.maximum(q - least, 0)  # what is over the noise
    shapes = [np.ones_like(q), over, np.sqrt(over), 1 / (1 + over * np.sqrt(n / q)), 1 / (1 + n * over * over / q)]
    columns = [(first * shape).sum(axis=1) for shape in (*shapes, np.sqrt(q) * logs, logs)]
    columns += [(second * shape).sum(axis=1) for shape in (*shapes, logs)]
    single, times = population.single_shares
    for scale in _SCALES:
        known = float(times @ mean_log(np.broadcast_to([1 + scale, 1.0], single.shape), single))
        columns.append(np.log1p(scale * shares).sum(axis=1) - known)
    return np.stack(columns, axis=1)


def score_controls(
    matrix: Reals, tallies: Integers, probabilities: Reals, senders: Reals | Integers, laws: Reals
) -> Reals:
    """Return quadratic functions of the scores ``Σ_y (s_y - E s_y) C_xy/q_y``, of mean 0, a column each.

    Each direction's square has its mean subtracted, and is divided by slightly more than that mean: nearly the
    likelihood's own variation.

    Parameters
    ----------
    matrix, tallies, probabilities
        ``C``, the ``s`` of each draw and the ``q``.
    senders, laws
        The number of people who report by each law, in each draw, ``(draws, laws)``, and these laws.
    """
    n = senders.sum(axis=1, keepdims=True)
    common = n * probabilities >= _SOME
    scores: Reals = matrix[None] * (common / np.maximum(probabilities, _TINY))[:, None, :]
    away = tallies - np.einsum("ng,ngy->ny", senders, np.broadcast_to(laws, (len(tallies), *laws.shape[-2:])))
    means = np.einsum("nxy,ngy->ngx", scores, np.broadcast_to(laws, (len(tallies), *laws.shape[-2:])))
    variance = np.einsum("nxy,ny,nzy->nxz", scores, n * probabilities, scores, optimize=True)
    variance -= np.einsum("ng,ngx,ngz->nxz", senders, means, means, optimize=True)
    values, axes = np.linalg.eigh(variance)
    values = np.maximum(values, 0.0)
    squares = np.einsum("nxi,nxy,ny->ni", axes, scores, away, optimize=True) ** 2
    return np.stack([((squares - values) / (values + floor)).sum(axis=1) for floor in (1.0, 1e1, 1e2, 1e3)], axis=1)


def spanning_estimate(
    low: Reals, high: Reals, controls_of_draws: Reals, most: float, method: str, *, deviations: float = _DEVIATIONS
) -> Estimate:
    """Return the estimate whose interval spans both means, and is at most the largest possible information.

    The controls are fitted on each half of the draws for the other half, and used if they help.
    """
    middle = (low + high) / 2
    halves = np.arange(len(low)) % 2 == 0
    fitted = np.zeros(len(low))
    for half in (halves, ~halves):
        fitted[half] = controls_of_draws[half] @ fitted_mix(middle[~half], controls_of_draws[~half])
    if (middle - fitted).std() > middle.std():
        fitted[:] = 0.0
    # The fewer draws, the heavier the tails of what is left, and the worse the fit.
    reach = deviations + _TAILS / math.sqrt(len(low))
    ends: list[tuple[float, float]] = []
    for side in (low, high):
        rest = side - fitted
        mean = float(rest.mean())
        rounding = _ROUNDING * max(1.0, abs(mean))
        ends.append((mean, rounding + reach * float(rest.std(ddof=1)) / math.sqrt(rest.size)))
    (first, below), (last, above) = ends
    value, least, largest = (min(most, max(0.0, x)) for x in ((first + last) / 2, first - below, last + above))
    # Brackets that are far from each other leave no best guess.
    if first != last and are_far_apart(least, largest):
        value = least
    return Estimate(value, least, largest, CONFIDENCE, method)
