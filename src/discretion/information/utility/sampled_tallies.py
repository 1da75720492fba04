"""I(Y⃗; T) from a sample of tallies, where they are too many to list.

``log P(s | t) - log P(s)`` of every draw, of which controls of mean 0, given the population and given the tallies, take
most of the variance. Either probability is bracketed on average (`report_tables`, `evidence`), unless it has a formula.
For k-RR both have one: of the holders of x, j_x keep their value and the others report any one, so that with
``β = gap/q`` and ``m! = ∫ e^-u u^m du``

    P(s | t) = qⁿ ∫ e^-u uⁿ Π_x f_x(β/u) du,   f_x(z) = Σ_j C(t_x, j) z^j / (s_x - j)!,

all terms of which are positive, and P(s) is a contour integral (`discretion.numerics.means.dirichlet_moments`).

Where a report, or a population of more than one value, is too rare for a sample, controls would make the interval too
narrow. There H(T) minus the hidden part, ``-log P(t | s) >= 0``, has an interval that holds for any unseen case.
"""

import math

import numpy as np
from scipy.special import gammaln, logsumexp

from discretion.adversaries.populations import Dirichlet, DirichletMixture, PointMixture, PopulationLaw
from discretion.estimate import Estimate
from discretion.information.utility.report_tables import TABLES, likelihood_bounds, listing_work, posterior_entropies
from discretion.information.utility.sampled_information import (
    CONFIDENCE,
    controls,
    draw_shares,
    draw_tallies,
    draws_by_bounds,
    likelihoods,
    log_evidence,
    score_controls,
    spanning_estimate,
)
from discretion.measures.measure import Method
from discretion.mechanisms.reporting import Response
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.histograms.histograms import dirichlet_multinomial_pmf, histogram_count, histograms
from discretion.numerics.histograms.partitions import log_multinomial
from discretion.numerics.laws.binomial import multinomial_pmf
from discretion.numerics.laws.binomial_limits import empirical_bernstein
from discretion.numerics.means.dirichlet_moments import log_shifted_moments

METHOD = Method("sampled tallies", "estimate")
DRAWS = 1 << 14
_NODES_A_DEVIATION = 2.0
_LITTLE = 1.0  # nats
_DEVIATIONS = 3.0  # what is left has heavier tails than the normal law, of which 1.96 are 95 %
_LEAST, _FAR = 1e-12, 12.0
# Fewer reports of a kind than this among all, or parameters as little, and what matters may not be in a sample.
_RARE, _RARE_VALUE, _SURPRISING, _CUT = 1.0, 0.05, 0.05, 6.0
_FEW = 0.1  # of the variance of a count
_FEWEST, _LISTED, _BY_FORMULA = 1 << 8, 1 << 18, 1 << 8
_FACTORS_A_CELL = 16  # each takes about as long as drawing this many numbers
_WORK, _CELLS_DRAWN = float(1 << 33), float(1 << 24)
_CELLS_AT_ONCE = 1 << 21


def sampled_tally_information(
    matrix: Reals,
    n: int,
    population: Dirichlet | PointMixture,
    entropy: float,
    rng: np.random.Generator,
    *,
    draws: int,
    response: Response | None = None,
) -> Estimate:
    """Estimate the information of n reports on the tallies, given the tallies' entropy; use the response if given."""
    shares = _draw_points(population, draws, rng)
    true_tallies = draw_tallies(n, shares, rng)
    is_listed = listing_work(n, len(matrix)) <= _LISTED
    if not is_listed and response is not None and isinstance(population, Dirichlet) and n <= _BY_FORMULA:
        honest = rng.binomial(true_tallies, response.gap)
        tallies = honest + rng.multinomial(n - honest.sum(axis=1), np.full(response.k, 1 / response.k))
        beta = np.full(response.k, response.gap / response.q)
        marginal = log_shifted_moments(tallies, population.alpha, beta) + n * math.log(response.q)
        gains = tally_log_likelihoods(response, true_tallies, tallies) - marginal - log_multinomial(tallies)
        return _interval(matrix, (shares, true_tallies, tallies), (gains, gains), population, entropy)
    tables = rng.multinomial(true_tallies, matrix / matrix.sum(axis=1, keepdims=True))
    tallies = tables.sum(axis=1)
    if is_listed:
        listed = histograms(n, len(matrix))
        gains = entropy - posterior_entropies(matrix, tallies, listed, tally_law(listed, population))[0]
        return _interval(matrix, (shares, true_tallies, tallies), (gains, gains), population, entropy, is_mean=True)
    low, high = likelihood_bounds(matrix, tables, rng)
    least, most = _log_marginals(matrix, tallies, shares, population, rng)
    low, high = low - most - log_multinomial(tallies), high - least - log_multinomial(tallies)
    return _interval(matrix, (shares, true_tallies, tallies), (low, high), population, entropy)


def _interval(
    matrix: Reals,
    drawn: tuple[Reals, Integers, Integers],
    brackets: tuple[Reals, Reals],
    population: Dirichlet | PointMixture,
    entropy: float,
    *,
    is_mean: bool = False,
) -> Estimate:
    """Return an interval for the mean from brackets, given the shares, the tallies of values and those of reports.

    The brackets are of ``log P(s | t)/P(s)``, or of its mean given s.
    """
    (shares, value_tallies, tallies), (low, high) = drawn, brackets
    draws, n = len(value_tallies), int(value_tallies[0].sum())
    if not isinstance(population, Dirichlet) or _is_rare(matrix, n, population):
        own = entropy if is_mean else -np.log(tally_law(value_tallies, population))
        return _less_the_hidden(own - high, own - low, n, len(matrix), entropy)
    probabilities = shares @ matrix
    controls_of_draws = [
        controls(tallies, probabilities, shares, population, least=matrix.min(axis=0)),
        _given_tallies(matrix, value_tallies, tallies),
    ]
    if draws * matrix.size <= _CELLS_DRAWN:
        controls_of_draws.append(
            score_controls(matrix, tallies, probabilities, np.full((draws, 1), n), probabilities[:, None, :])
        )
        controls_of_draws.append(
            score_controls(matrix, tallies, value_tallies @ matrix / n, value_tallies, matrix[None])
        )
    if float(np.abs(high).mean()) < _LITTLE and (matrix > 0).all() and not is_mean:
        # P(s)/P(s | t) has mean 1 given t: also of the brackets, of P(s) before the logarithm, of P(s | t) after 1/x.
        controls_of_draws.append(np.expm1(-high)[:, None])
    return spanning_estimate(low, high, np.hstack(controls_of_draws), entropy, METHOD.name, deviations=_DEVIATIONS)


def tally_draws(n: int, k: int, reports: float, *, by_formula: bool) -> int:
    """Return the number of tallies that take seconds to sample; 0 if it is too small."""
    most = DRAWS
    if listing_work(n, k) <= _LISTED:
        work = 8 * listing_work(n, k)
    elif by_formula and n <= _BY_FORMULA:
        work, reports = _WORK / DRAWS, _FACTORS_A_CELL
    else:
        kinds = int(min(n, reports))
        most = draws_by_bounds(k, kinds)
        work = 20.0 * k * kinds * TABLES * min(n, 2 + 16 * math.sqrt(n / max(k, kinds)))
    draws = int(min(DRAWS, most, _WORK / max(work, 1.0), _CELLS_DRAWN / (k * reports)))
    return draws if draws >= _FEWEST else 0


def tally_law(listed: Integers, population: PopulationLaw) -> Reals:
    """Return the probabilities of the tallies of the people's values."""
    if isinstance(population, Dirichlet):
        return dirichlet_multinomial_pmf(listed, population.alpha)
    if isinstance(population, DirichletMixture):
        laws = np.stack([dirichlet_multinomial_pmf(listed, alpha) for alpha in population.alpha])
    else:
        laws = np.stack([multinomial_pmf(listed, point) for point in population.points])
    return population.weights @ laws


def _draw_points(population: Dirichlet | PointMixture, draws: int, rng: np.random.Generator) -> Reals:
    if isinstance(population, Dirichlet):
        return draw_shares(population, draws, rng)
    return population.points[rng.choice(population.weights.size, size=draws, p=population.weights)]


def _log_marginals(
    matrix: Reals, tallies: Integers, shares: Reals, population: Dirichlet | PointMixture, rng: np.random.Generator
) -> tuple[Reals, Reals]:
    """Return logarithms that are on average too low and too high for sequences with these tallies of reports."""
    if isinstance(population, Dirichlet):
        return log_evidence(matrix, tallies, shares, population, rng)
    with np.errstate(divide="ignore"):
        logs = likelihoods(tallies, np.log(population.points @ matrix)) + np.log(population.weights)
    marginal = np.asarray(logsumexp(logs, axis=1), dtype=np.float64)
    return marginal, marginal


def _is_rare(matrix: Reals, n: int, population: Dirichlet) -> bool:
    """Return whether a value or a report that matters may be too rare for a sample.

    Such a report is far less likely from some value than from others.
    """
    joint = population.mean[:, None] * matrix
    unlikely = (matrix > 0) & (matrix < _SURPRISING * joint.sum(axis=0)) & (n * joint < _RARE)
    return bool(population.alpha.min() < _RARE_VALUE or unlikely.any())


def _less_the_hidden(low: Reals, high: Reals, n: int, k: int, entropy: float) -> Estimate:
    """Return the entropy minus the mean of the hidden part, ``-log P(t | s)``, between two brackets of it.

    For M tallies ``P(-log P(t | s) > x) <= M e^-x``, so that little is cut off at a width a few nats over log M.
    """
    width = math.log(histogram_count(n, k)) + math.log(low.size) + _CUT
    cut = math.exp(-_CUT) / low.size
    (least, below), (most, above) = (
        empirical_bernstein(np.clip(side, 0.0, width), width, 1 - CONFIDENCE) for side in (low, high)
    )
    first, last = (min(entropy, max(0.0, entropy - end)) for end in (most + above + cut, least - below))
    value = min(last, max(first, entropy - (least + most) / 2))
    return Estimate(value, first, last, CONFIDENCE, METHOD.name)


def _given_tallies(matrix: Reals, value_tallies: Integers, tallies: Integers) -> Reals:
    """Return functions of mean 0 given the values: standardized tallies and their squares, by the expected tallies."""
    mean = value_tallies @ matrix
    variance = value_tallies @ (matrix * (1 - matrix))
    few = variance < _FEW
    variance = np.where(few, 1.0, variance)
    first = np.where(few, 0.0, (tallies - mean) / np.sqrt(variance))
    second = np.where(variance < 1, 0.0, first * first - ~few)
    share = mean / mean.sum(axis=1, keepdims=True)
    shapes = [np.ones_like(share), share, np.sqrt(share), np.log1p(mean)]
    return np.stack([(power * shape).sum(axis=1) for power in (first, second) for shape in shapes], axis=1)


def tally_log_likelihoods(response: Response, value_tallies: Integers, tallies: Integers) -> Reals:
    """Return ``log P(s | t)`` for each tally s of reports and t of values, a row each."""
    n, k = int(value_tallies[0].sum()), value_tallies.shape[1]
    step = 1 / (_NODES_A_DEVIATION * math.sqrt(n + 1))
    nodes = np.arange(math.log(_LEAST), math.log(n + _FAR * math.sqrt(n) + _FAR**2 / 2), step)
    pairs, which = np.unique(np.stack([value_tallies.ravel(), tallies.ravel()], axis=1), axis=0, return_inverse=True)
    table = _factors(pairs, math.log(response.gap / response.q) - nodes)
    bell = (n + 1) * nodes - np.exp(nodes)
    logs = np.empty(len(value_tallies))
    rows = which.reshape(-1, k)
    at_once = max(1, _CELLS_AT_ONCE // nodes.size)
    for start in range(0, len(rows), at_once):
        part = rows[start : start + at_once]
        exponents = bell + table[part[:, 0]]
        for x in range(1, k):
            exponents += table[part[:, x]]
        logs[start : start + at_once] = logsumexp(exponents, axis=1)
    return logs + math.log(step) + n * math.log(response.q)


def _factors(pairs: Integers, log_z: Reals) -> Reals:
    """Return ``log Σ_j C(t, j) z^j / (s - j)!`` for each pair (t, s) and each z."""
    table = np.empty((len(pairs), log_z.size))
    for row in range(len(pairs)):
        t, s = int(pairs[row, 0]), int(pairs[row, 1])
        j: Reals = np.arange(min(t, s) + 1).astype(np.float64)
        own = np.asarray(gammaln(t + 1.0) - gammaln(j + 1) - gammaln(t - j + 1) - gammaln(s - j + 1), dtype=np.float64)
        terms: Reals = own[:, None] + j[:, None] * log_z
        largest = terms.max(axis=0)
        table[row] = largest + np.log(np.exp(terms - largest).sum(axis=0))
    return table
