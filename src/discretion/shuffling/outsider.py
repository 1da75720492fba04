"""Closed forms, asymptotes and bounds for an outsider of shuffled k-RR, to which the others' values are uniform.

All of them are based on the maximum load: the largest count of a uniform crowd.
"""

import math
from typing import Literal, get_args

import numpy as np

from discretion.channels.channel import System
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate, quantity
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.binomial import WINDOW, binomial_pmf, binomial_window, mean_absolute_walk
from discretion.numerics.laws.occupancy import expected_maximum_load, normal_maximum_moments
from discretion.shuffling.crowd import Shuffled
from discretion.validation import as_count, as_crowd

Form = Literal["first order", "second order", "paper"]

COUNTING = "certified: union bound above, negative orthant dependence below"

# Relative to the load: a hundred times what the sums round, and the rounding of 1/k shifts.
_SLACK = 1e-12
# More bins lower the load, and with so many no double tells it from 1.
_MAX_BINS = 10**300


def asymptotic_vulnerability(crowd: System, form: Form = "second order") -> Estimate:
    """Return the asymptote of an uninformed adversary's best guess of shuffled k-RR in a large crowd.

    ``V ≈ 1/k + (kp-1)/(k-1) a``, with μ_k and s_k the mean and the mean square of the largest of k standard normals

    =================  ==================================
    form               a
    =================  ==================================
    ``first order``    ``μ_k/√(kn)``
    ``second order``   ``μ_k/√(kn) + (s_k - 1)/(6n)``
    ``paper``          ``√(ln k/(kn))``
    =================  ==================================

    Parameters
    ----------
    crowd
        ``discretion.Shuffled(discretion.RandomizedResponse(k, …), n)``; target and population are uniform.
    form
        The asymptote. The first-order error is of order 1/n, the second-order error of order ``n^(-3/2)``. The paper's
        ``Θ(√(ln k/(kn)))`` is used there with the constant 1: this is that form, which is not the limit for any k.

    Returns
    -------
    Estimate
        The asymptote, with a certified interval of the exact value, from `maximum_load_bounds`. If the asymptote is
        outside of the interval, the interval is widened to include it, and `method` shows this. The exact value at any
        size is `posterior_vulnerability`.

    Raises
    ------
    UnsupportedError
        If the crowd is not a crowd of shuffled k-RR.
    InvalidValueError
        If the form is none of the three.

    Notes
    -----
    Source: Shuffle, Theorem 22 for the paper's form. For the other forms: the counts are independent Poisson(λ) counts,
    λ = n/k, given their sum; to the second order a Poisson count is ``λ + √λ Z + (Z² - 1)/6`` (Cornish and Fisher), and
    the largest count belongs to the largest Z. For k = 2, ``s_k = 1`` and both orders agree; the error is then
    ``1/(4√(2π)) n^(-3/2)`` times 2p-1, positive for odd n and negative for even n.

    Examples
    --------
    >>> import discretion as dc
    >>> crowd = dc.Shuffled(dc.RandomizedResponse(3, p=1), 1000)
    >>> asymptote = asymptotic_vulnerability(crowd)
    >>> round(asymptote.value, 5), round(dc.posterior_vulnerability(crowd), 5)
    (0.34883, 0.34883)
    >>> round(asymptotic_vulnerability(crowd, "first order").value, 5)
    0.34878
    >>> round(asymptotic_vulnerability(crowd, "paper").value, 5)
    0.35247
    """
    response = reporting(crowd.mechanism).response if isinstance(crowd, Shuffled) else None
    if not isinstance(crowd, Shuffled) or response is None:
        given = f"Shuffled({crowd.mechanism!r}, …)" if isinstance(crowd, Shuffled) else type(crowd).__name__
        raise UnsupportedError(
            f"an asymptote is known for discretion.Shuffled(discretion.RandomizedResponse(…), n) only, got {given}"
        )
    formula, excess = _asymptote(form, crowd.n, response.k)
    value = 1 / response.k + response.gap * excess
    guess = response.gap * maximum_load_bounds(crowd.n, response.k) / crowd.n + response.q
    low, high = guess.low * (1 - _SLACK), min(1.0, guess.high * (1 + _SLACK))
    widened = "" if low <= value <= high else ", then widened to hold the asymptote"
    method = f"asymptote, {formula}; interval {COUNTING}{widened}"
    return Estimate(value, min(low, value), max(high, value), confidence=None, method=method)


def _asymptote(form: Form, n: int, k: int) -> tuple[str, float]:
    """Return the description of a form, and its excess over 1/k without noise."""
    if form == "paper":
        return "the paper's form with constant 1, which is not the limit", math.sqrt(math.log(k) / (k * n))
    if form not in get_args(Form):
        raise InvalidValueError(f"form must be 'first order', 'second order' or 'paper', got {form!r}")
    mean, mean_square = normal_maximum_moments(k)
    correction = (mean_square - 1) / (6 * n) if form == "second order" else 0.0
    return form, mean / math.sqrt(k * n) + correction


def maximum_load_bounds(n: int, k: int) -> Estimate:
    """Return certified bounds of the expected maximum load from the tails ``t_m = P(Bin(n, 1/k) >= m)`` alone.

    ``⌈n/k⌉ + Σ_m ℓ_m <= E[max_v h_v] <= ⌈n/k⌉ + Σ_m min(1, k t_m)`` over m > n/k, with ``ℓ_m = 1 - (1 - t_m)^k``,
    and ``ℓ_m = k t_m`` for m > n/2

    Parameters
    ----------
    n
        Number of balls, at least 1.
    k
        Number of bins, at least 2.

    Returns
    -------
    Estimate
        Both bounds. The value is their middle if they are near to each other, else the upper bound. For k = 2 they
        agree; `maximum_load` is exact for any k.

    Notes
    -----
    ``E[M] = Σ_m P(M >= m)``, where ``P(M >= m) = 1`` up to ⌈n/k⌉. Above, one of k bins holds m: the union bound. Below,
    multinomial counts are negatively orthant dependent (Joag-Dev and Proschan, "Negative association of random
    variables, with applications", 1983), so that ``P(all h_v < m) <= Π_v P(h_v < m)``; and no two bins hold more than
    half of the balls each, where the union bound is exact.

    Examples
    --------
    >>> bounds = maximum_load_bounds(1000, 3)
    >>> round(bounds.low, 3), round(bounds.high, 3)
    (346.68, 349.618)
    """
    n, k = as_crowd(n, "n"), min(as_count(k, "k", at_least=2), _MAX_BINS)
    sure = -(-n // k)
    loads, tails = _tails_above(sure, n, k)
    union = np.minimum(1.0, float(k) * tails)
    orthant = np.where(2 * loads > n, union, -np.expm1(float(k) * np.log1p(-tails)))
    low = max(float(sure), (sure + float(orthant.sum())) * (1 - _SLACK))
    high = min(float(n), (sure + float(union.sum())) * (1 + _SLACK))
    return Estimate.between(low, high, COUNTING)


def _tails_above(sure: int, n: int, k: int) -> tuple[Integers, Reals]:
    """Return the loads m above the sure one and ``P(Bin(n, 1/k) >= m)``, up to a rest of at most ``2·exp(-WINDOW)``.

    By Bernstein's inequality each of the at most n omitted loads has ``k P(Bin >= m) < exp(-WINDOW)/n``.
    """
    exponent, variance = WINDOW + math.log(k) + math.log(n), n * (k - 1) / k**2
    last = min(n, math.ceil(n / k + exponent / 3 + math.sqrt(exponent**2 / 9 + 2 * exponent * variance)))
    loads = np.arange(sure + 1, last + 1)
    return loads, np.cumsum(binomial_pmf(loads, n, 1 / k, 1 - 1 / k)[::-1])[::-1]


@quantity
def maximum_load(n: int, k: int) -> float:
    """Return the expected number of balls in the fullest bin when n balls fall uniformly into k bins.

    ``E[max_v h_v]`` for ``h ~ Multinomial(n, 1/k, …, 1/k)``

    Parameters
    ----------
    n
        Number of balls, at least 1 and at most ten billion.
    k
        Number of bins, at least 2.

    Returns
    -------
    float
        In ``[n/k, n]``, with a relative error below 1e-10.

    Notes
    -----
    Divided by n it is the best guess of an uninformed adversary of a shuffled collection without noise (Shuffle,
    Proposition 20), which the paper computes only as a sum term by term. Here it is computed from the characteristic
    functions of truncated Poisson laws.

    Examples
    --------
    >>> round(maximum_load(1000, 3), 9)
    348.829392534
    """
    return expected_maximum_load(as_crowd(n, "n"), as_count(k, "k", at_least=2))


def posterior_vulnerability_among_uniform(response: Response, n: int) -> float:
    """Return ``V[NS] = V[S](kp-1)/(k-1) + (1-p)/(k-1)`` with ``V[S] = E[max load]/n`` (Shuffle eq. 17)."""
    k = response.k
    largest_share = 0.5 + float(mean_absolute_walk(n)) / (2 * n) if k == 2 else expected_maximum_load(n, k) / n
    return response.gap * largest_share + response.q


def bayes_security_among_uniform(response: Response, n: int) -> float:
    """Return ``β* = 1 - (k/2n) (kp-1)/(k-1) E|h_a - h_b|``.

    A histogram's likelihoods given the values a and b differ by ``(k/n)(kp-1)/(k-1)(h_a - h_b)`` times its
    probability, and ``h_a - h_b`` is a fair walk of Bin(n, 2/k) steps.
    """
    k = response.k
    first, steps = binomial_window(n, 2 / k, 1 - 2 / k)
    distance = float(steps @ mean_absolute_walk(np.arange(first, first + steps.size)))
    return max(0.0, 1 - k / (2 * n) * response.gap * distance)


def mutual_information_among_uniform(response: Response, n: int) -> float:
    """Return ``E[r log r]`` with ``r = P(h | x)/P(h) = 1 + (kp-1)/(k-1) (k h_x/n - 1)`` and h_x ~ Bin(n, 1/k)."""
    k = response.k
    first, probabilities = binomial_window(n, 1 / k, 1 - 1 / k)
    counts = np.arange(first, first + probabilities.size)
    return float(probabilities @ relative_excess(response.gap * ((k * counts - n) / n)))
