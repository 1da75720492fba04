"""I(Y⃗; T) of k-RR from a sample of tallies, where they are too many to list.

Of the holders of x, j_x keep their value and the others report any one: with ``β = gap/q`` and ``m! = ∫ e^-u u^m du``

    P(s | t) = qⁿ ∫ e^-u uⁿ Π_x f_x(β/u) du,   f_x(z) = Σ_j C(t_x, j) z^j / (s_x - j)!,

all terms of which are positive. P(s) has a formula too (`tacit.numerics.means.dirichlet_moments`), so that
``log P(s | t) - log P(s)`` is had of every draw; controls of mean 0, given the population and given the tallies, take
most of its variance. Where a lie, or a population of more than one value, is rarer than a sample shows, controls would
say that it knows: there H(T) less what is hidden, ``-log P(t | s) >= 0``, has an interval that holds whatever was not
seen.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

from tacit.adversaries.populations import Dirichlet
from tacit.estimate import Estimate
from tacit.information.utility.sampled_information import CONFIDENCE, bracketed, controls, draw_shares, draw_tallies
from tacit.measures.measure import Method
from tacit.mechanisms.reporting import Response
from tacit.numerics.histograms.histograms import dirichlet_multinomial_pmf, histogram_count
from tacit.numerics.histograms.partitions import log_multinomial
from tacit.numerics.means.bounded_mean import empirical_bernstein
from tacit.numerics.means.dirichlet_moments import log_shifted_moments

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

METHOD = Method("sampled tallies", "estimate")
DRAWS = 1 << 15
_NODES_A_DEVIATION = 2.0
_LITTLE = 0.2  # nats
_DEVIATIONS = 3.0  # what is left has heavier tails than the normal law, of which 1.96 are 95 %
_LEAST, _FAR = 1e-12, 12.0
# Fewer lies of a kind than this among all reports, or parameters as little, and what matters may not be in a sample.
_RARE_LIE, _RARE_VALUE, _CUT = 1.0, 0.05, 6.0
_CELLS_AT_ONCE = 1 << 21


def tallies_told(
    response: Response,
    n: int,
    population: Dirichlet,
    most: float,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
) -> Estimate:
    """Estimate what n reports of k-RR tell of the tallies, which is at most so much."""
    shares = draw_shares(population, draws, rng)
    held = draw_tallies(n, shares, rng)
    kept = rng.binomial(held, response.gap)
    noise = rng.multinomial(n - kept.sum(axis=1), np.full(response.k, 1 / response.k))
    tallies = kept + noise
    beta = np.full(response.k, response.gap / response.q)
    marginal = (
        log_shifted_moments(tallies, population.alpha, beta) + n * math.log(response.q) + log_multinomial(tallies)
    )
    told = log_likelihoods(response, held, tallies) - marginal
    if n * response.q < _RARE_LIE or population.alpha.min() < _RARE_VALUE:
        return _less_the_hidden(told, held, population, most)
    probabilities = response.q + response.gap * shares
    beside = [
        controls(tallies, probabilities, shares, population, least=response.q),
        _given_tallies(response, n, held, tallies),
    ]
    if float(np.abs(told).mean()) < _LITTLE:  # the ratio of both laws has mean 1 given the tallies held
        beside.append(np.expm1(-told)[:, None])
    return bracketed(told, told, np.hstack(beside), most, METHOD.name, deviations=_DEVIATIONS)


def _less_the_hidden(told: Reals, held: Integers, population: Dirichlet, most: float) -> Estimate:
    """Return the most that can be told less the mean of ``-log P(t | s)``.

    For M tallies ``P(-log P(t | s) > x) <= M e^-x``, so that little is cut off at a width a few nats over log M.
    """
    hidden = -np.log(dirichlet_multinomial_pmf(held, population.alpha)) - told
    tallies = histogram_count(int(held[0].sum()), population.k)
    width = math.log(tallies) + math.log(held.shape[0]) + _CUT
    mean, half = empirical_bernstein(np.clip(hidden, 0.0, width), width, 1 - CONFIDENCE)
    cut = math.exp(-_CUT) / held.shape[0]
    low, high = (min(most, max(0.0, most - end)) for end in (mean + half + cut, mean - half))
    return Estimate(min(high, max(low, most - mean)), low, high, CONFIDENCE, METHOD.name)


def _given_tallies(response: Response, n: int, held: Integers, tallies: Integers) -> Reals:
    """Return functions of mean 0 given what is held: standardised tallies and their squares, by what is held."""
    mean = response.q * n + response.gap * held
    variance = held * response.p * (1 - response.p) + (n - held) * response.q * (1 - response.q)
    first = (tallies - mean) / np.sqrt(variance)
    second, share = first * first - 1, held / n
    shapes = [np.ones_like(share), share, np.sqrt(share), np.log1p(held)]
    return np.stack([(power * shape).sum(axis=1) for power in (first, second) for shape in shapes], axis=1)


def log_likelihoods(response: Response, held: Integers, tallies: Integers) -> Reals:
    """Return ``log P(s | t)`` for each tally s of reports and t of values, a row each."""
    n, k = int(held[0].sum()), held.shape[1]
    step = 1 / (_NODES_A_DEVIATION * math.sqrt(n + 1))
    nodes = np.arange(math.log(_LEAST), math.log(n + _FAR * math.sqrt(n) + _FAR**2 / 2), step)
    pairs, which = np.unique(np.stack([held.ravel(), tallies.ravel()], axis=1), axis=0, return_inverse=True)
    table = _factors(pairs, math.log(response.gap / response.q) - nodes)
    bell = (n + 1) * nodes - np.exp(nodes)
    logs = np.empty(len(held))
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
