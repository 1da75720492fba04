"""Certified bounds on ``I(Y⃗; P)`` at any k and n, for protocols whose reports support values, under a symmetric law.

Upper bound, for Jeffreys' prior and for ``α > 1``: with ``P_x = z_x²/|z|²``, whose z are standard normal under
Jeffreys' prior, the posterior's entropy is at least that of a normal law with its Fisher information, so that

    I(Y⃗; P) <= h(z) + ½ log det((n E J + J₀)/(2πe)) = k [h + ½ log((n E tr J/k + j)/(2πe))]

(Efroimovich, Information contained in a sequence of observations, 1979), J being one report's Fisher information on z
and J₀ = j·1 the prior's. The information of n reports is also at most n times that of one, and at most that of the
values themselves.

Lower bound: the support tally of each value is binomial given its share, so that for any decoder f and any law R of G

    I(Y⃗; P) >= Σ_x [E log f(G P_x/A; S_x) - E log E_γ f(γ/A; S_x)] - KL(R ‖ Gamma(A)),   γ ~ Gamma(α), A = kα

(Barber and Agakov's bound, with the density of γ/Σγ for γ that are posterior to one tally each; then Jensen's for G).
All means are of one or two variables. Here f is the normal density with the binomial's variance. Discretion's.
"""

import math

import numpy as np
from scipy.special import gammaln, logsumexp, psi

from discretion import limits
from discretion.adversaries.populations import Dirichlet
from discretion.information.entropies import MAX_USERS_SUMMED, TrueTallies
from discretion.information.privacy.report_kinds import report_kinds
from discretion.information.utility.determinant_bounds import LOUD, Ends
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import SupportSizes
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import digamma_lag, gamma_error, multinomial_pmf
from discretion.numerics.means.dirichlet_means import mean_inverse
from discretion.numerics.means.simplex import logit_simplex

_ROUNDING = 1e-10
_LIGHT = 1e-18
_DEVIATIONS = 9.0  # e^-40 of a law is beyond them
_FAR = 45.0
_NODES = 320
_STRIDES = 2.0  # in a deviation: the trapezoid rule errs by e^-79


def are_bounded(system: PureProtocol, population: Dirichlet) -> bool:
    """Return whether `information_bounds` covers the protocol under this law."""
    return population.is_symmetric and 0 < system.epsilon <= LOUD and system.support_sizes is not None


def information_bounds(system: PureProtocol, n: int, population: Dirichlet) -> Ends:
    """Return the bounds on the information of n reports on the shares."""
    sizes = system.support_sizes
    assert sizes is not None
    once = report_kinds(system, population).of_population
    high = n * once * (1 + _ROUNDING)
    if n <= limits.current().numbers(MAX_USERS_SUMMED):
        high = min(high, TrueTallies(population, n).information * (1 + _ROUNDING))
    alpha, k = float(population.alpha[0]), system.k
    if k > 2 and (alpha == 0.5 or alpha > 1):
        high = min(high, _information_of_curvature(system, sizes, n, alpha) * (1 + _ROUNDING))
    low = max(once * (1 - _ROUNDING), _information_of_tallies(system, n, alpha))
    return Ends(min(low, high), high)


def _information_of_curvature(system: PureProtocol, law: SupportSizes, n: int, alpha: float) -> float:
    k, odds, step = system.k, math.exp(-system.epsilon), -math.expm1(-system.epsilon)
    telling = (law.sizes > 0) & (law.sizes < k)
    s, probabilities = law.sizes[telling].astype(np.float64), law.probabilities[telling]
    first, second, whole = alpha * s, alpha * (k - s), alpha * k
    # tr J is 4/|z|² times Σ_x P_x Σ_y (C_xy - q_y)²/q_y, which of a report is in proportion to B(1-B)/(odds + step B).
    ratios = np.broadcast_to([1.0, odds], (s.size, 2))
    spread = first * second / (whole * (whole + 1))
    spread *= mean_inverse(ratios, np.stack([first + 1, second + 1], axis=1))
    trace = 2 / (whole - 1) * step * step * float(probabilities * k / (s + (k - s) * odds) @ spread)
    if alpha == 0.5:
        return k / 2 * math.log1p(n * trace / k)
    # The entropy and the Fisher information of z = √(2γ), of density z^(2α-1) e^(-z²/2) up to a factor.
    entropy = float(gammaln(alpha)) + alpha - (alpha - 0.5) * float(psi(alpha)) - math.log(2) / 2
    own = (2 * alpha - 1) ** 2 / (2 * (alpha - 1)) - 2 * (2 * alpha - 1) + 2 * alpha
    return k * (entropy + math.log((n * trace / k + own) / (2 * math.pi * math.e)) / 2)


def _information_of_tallies(system: PureProtocol, n: int, alpha: float) -> float:
    _, _, other, not_other, gap = system.support
    k = system.k
    total, a, b = alpha * k, other * not_other, gap * (not_other - other)
    if a <= 0 or b < 0:
        return 0.0
    points, weights = logit_simplex(np.array([alpha, total - alpha]), 0.25)
    heavy = weights > _LIGHT
    share, weights = points[heavy, 0], weights[heavy] / weights[heavy].sum()
    supported = other + gap * share
    variance = supported * (not_other - gap * share)
    # G has the mean A and the shape cA, with c about the signal over the noise.
    signal = n * gap * gap * k * float(weights @ (share**2 / (a + b * share)))
    shape = max(total, signal)
    spread = _scaled_gamma(shape)
    scaled = a + b * share[:, None] * spread[0]
    off = (n * (gap * share[:, None] * (1 - spread[0])) ** 2 + variance[:, None]) / scaled
    decoded = float(weights @ ((-np.log(scaled) - off) @ spread[1])) / 2
    cost = math.log(shape / total) / 2 - (shape - total) * float(digamma_lag(shape))
    cost += float(gamma_error(total) - gamma_error(shape))
    evidence = 0.0
    for probability, weight in zip(supported.tolist(), weights.tolist(), strict=True):
        evidence += weight * _mean_log_evidence(n, probability, (other, gap / total, a, b / total), alpha)
    room = _ROUNDING * k * (abs(decoded) + abs(evidence))
    return k * (decoded - evidence) - cost - room


def _scaled_gamma(shape: float) -> tuple[Reals, Reals]:
    """Return points and weights of a gamma law of mean 1, by the trapezoid rule in the logarithm."""
    width = 1 / math.sqrt(shape)
    logs = np.arange(-12 * width - _FAR / shape, 12 * width, width / 4)
    weights = np.exp(shape * (logs - np.expm1(logs)))
    return np.exp(logs), weights / weights.sum()


def _mean_log_evidence(n: int, probability: float, line: tuple[float, float, float, float], alpha: float) -> float:
    """Return ``E log E_γ f(γ; S)`` for S binomial; the mean and n times the variance of S/n are linear in γ."""
    other, slope, a, b = line
    deviation = math.sqrt(n * probability * (1 - probability))
    stride = max(1, int(deviation / _STRIDES))
    middle, reach = round(n * probability), math.ceil((_DEVIATIONS * deviation + 8) / stride)
    counts = middle + stride * np.arange(-reach, reach + 1)
    counts = counts[(counts >= 0) & (counts <= n)]
    law = multinomial_pmf(np.stack([counts, n - counts], axis=-1), (probability, 1 - probability))
    # γ is summed over in v, γ = s log(1 + e^v): s is the width of f at 0.
    s = math.sqrt(a / n) / slope
    seen = (counts / n - other) / slope
    most = _FAR + 4 * alpha
    wide = (
        2 * _DEVIATIONS * np.sqrt((a + b * np.clip(seen, 0, most)) / n) / slope + b / n / slope**2 * 2 * _DEVIATIONS**2
    )
    least = np.where(seen > wide, np.minimum(seen, most) - wide, 0.0)
    largest = np.clip(seen + wide, min(most, s), most + s)
    start = np.where(
        least > 0, _inverse_softplus(np.maximum(least, _LIGHT) / s), -_FAR / min(alpha, 1.0) - abs(math.log(s))
    )
    end = _inverse_softplus(np.maximum(largest, least + s) / s)
    step = (end - start) / _NODES
    v = start[:, None] + step[:, None] * np.arange(_NODES + 1)
    gamma = s * np.logaddexp(0, v)
    logs = (alpha - 1) * np.log(gamma) - gamma - np.logaddexp(0, -v) + math.log(s)
    around = a + b * gamma
    logs -= np.log(around) / 2 + n * ((seen[:, None] - gamma) * slope) ** 2 / (2 * around)
    means = logsumexp(logs, axis=1) + np.log(step) - float(gammaln(alpha))
    return float(law @ means / law.sum())


def _inverse_softplus(y: Reals) -> Reals:
    """Return v with ``log(1 + e^v) = y``."""
    return y + np.log(-np.expm1(-y))
