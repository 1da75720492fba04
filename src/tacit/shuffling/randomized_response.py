"""Shuffled k-RR where the population is uniform: closed forms for any n and k, and a bound for informed adversaries."""

import itertools
import math

import numpy as np

from tacit.estimate import Estimate
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.numerics.binomial import binomial_window, mean_absolute_walk
from tacit.numerics.excess import relative_excess
from tacit.numerics.occupancy import expected_maximum_load


def posterior_vulnerability_among_uniform(mechanism: RandomizedResponse, n: int) -> float:
    """Return ``V[NS] = V[S](kp-1)/(k-1) + (1-p)/(k-1)`` with ``V[S] = E[max load]/n`` (Shuffle eq. 17)."""
    k = mechanism.k
    largest_share = 0.5 + float(mean_absolute_walk(n)) / (2 * n) if k == 2 else expected_maximum_load(n, k) / n
    return mechanism.gap * largest_share + mechanism.q


def bayes_security_among_uniform(mechanism: RandomizedResponse, n: int) -> float:
    """Return ``β* = 1 - (k/2n) (kp-1)/(k-1) E|h_a - h_b|``.

    A histogram's likelihoods given the values a and b differ by ``(k/n)(kp-1)/(k-1)(h_a - h_b)`` times its
    probability, and ``h_a - h_b`` is a fair walk of Bin(n, 2/k) steps.
    """
    k = mechanism.k
    first, steps = binomial_window(n, 2 / k, 1 - 2 / k)
    distance = float(steps @ mean_absolute_walk(np.arange(first, first + steps.size)))
    return max(0.0, 1 - k / (2 * n) * mechanism.gap * distance)


def mutual_information_among_uniform(mechanism: RandomizedResponse, n: int) -> float:
    """Return ``E[r log r]`` with ``r = P(h | x)/P(h) = 1 + (kp-1)/(k-1) (k h_x/n - 1)`` and h_x ~ Bin(n, 1/k)."""
    k = mechanism.k
    first, probabilities = binomial_window(n, 1 / k, 1 - 1 / k)
    counts = np.arange(first, first + probabilities.size)
    return float(probabilities @ relative_excess(mechanism.gap * ((k * counts - n) / n)))


def posterior_vulnerability_bound(mechanism: RandomizedResponse, n: int) -> Estimate:
    """Return a certified upper bound of the guess of anyone who knows all other values, whatever they are.

    Each other user reports at random with probability ``kq`` and truthfully else. Tell the adversary who did which:
    that can only help her, and it leaves the target's report among B+1 with B ~ Bin(n-1, kq) uniform ones, where
    `posterior_vulnerability_among_uniform` is exact. More uniform reports never help her, so each stretch of B counts
    at its start, and the least likely B at p.
    """
    blanket = min(1.0, mechanism.k * mechanism.q)
    first, probabilities = binomial_window(n - 1, blanket, mechanism.gap)
    starts = _starts((n - 1) * blanket, (n - 1) * blanket * mechanism.gap, first, probabilities.size)
    bound = mechanism.p * float(probabilities[: starts[0]].sum())
    for start, end in itertools.pairwise([*starts, probabilities.size]):
        guess = posterior_vulnerability_among_uniform(mechanism, first + start + 1)
        bound += guess * float(probabilities[start:end].sum())
    bound = min(mechanism.p, bound * (1 + 1e-12) + 1e-15)  # for what the window and the rounding leave out
    return Estimate(bound, low=min(1 / mechanism.k, bound), high=bound, confidence=None, method=BLANKET_BOUND)


BLANKET_BOUND = "certified upper bound: the target hidden among the uniform reports only (any known counts)"

# Above this mean five standard deviations are a few per cent of it, and one stretch is as good as many.
_MANY = 2500
_STRETCHES = 16


def _starts(mean: float, variance: float, first: int, size: int) -> list[int]:
    """Return where stretches start: from five standard deviations below the mean, for a small mean up to one above."""
    low, high = mean - 5 * math.sqrt(variance), mean + math.sqrt(variance)
    cuts = [low] if mean > _MANY else [low + (high - low) * i / _STRETCHES for i in range(_STRETCHES + 1)]
    return sorted({min(max(math.floor(cut) - first, 0), size - 1) for cut in cuts})
