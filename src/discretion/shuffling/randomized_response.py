"""Shuffled k-RR where the population is uniform: closed forms for any n and k."""

import numpy as np

from discretion.mechanisms.reporting import Response
from discretion.numerics.excess import relative_excess
from discretion.numerics.laws.binomial import binomial_window, mean_absolute_walk
from discretion.numerics.laws.occupancy import expected_maximum_load


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
