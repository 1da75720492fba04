"""Crowds of k-RR among others whose values the adversary knows, from a sample.

Each user's report is her value with probability p - q, else of the uniform law, which hides the target. Reports are
drawn as if hers were hidden for sure; how likely it then is each of those in the histogram is known exactly
(`BlanketedHistograms`), and with it the weights ``π_x P(h | x) / P(h)``. Given which users are hidden they are means of
what these report; so they are means of such means, and keep as close to the prior.
"""

from dataclasses import replace
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from tacit.channels.channel import System
from tacit.estimate import Estimate
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.numerics.blanketed_histograms import BlanketedHistograms, table_cells
from tacit.shuffling.monte_carlo import Leak, mean_of_leak, reports_of
from tacit.shuffling.others import Group, Others

Reals = NDArray[np.float64]

METHOD = "Monte Carlo over the histograms of reports, and certified bounds: the tighter ends"

_MOST_TABLE, _MOST_VALUES, _CHUNK = 1 << 23, 1 << 10, 1 << 20
# What the integral leaves out.
_OFF = 1e-9


def can_be_sampled_among(mechanism: System, groups: Others) -> TypeGuard[RandomizedResponse]:
    """Whether a sample of crowds among these others takes seconds, and says what it should."""
    if not isinstance(mechanism, RandomizedResponse) or not mechanism.q > 0 or mechanism.k > _MOST_VALUES:
        return False
    if any(group.value is None and not group.is_uniform for group in groups):
        return False
    counts, more = _split(mechanism, groups)
    return table_cells(counts, more, mechanism.gap, mechanism.k * mechanism.q) <= _MOST_TABLE


def mean_among_known(mechanism: RandomizedResponse, groups: Others, leak: Leak, rng: np.random.Generator) -> Estimate:
    """Return the mean of a leak over the crowds with these others, known or uniform."""
    k, hidden, prior = mechanism.k, mechanism.k * mechanism.q, leak.prior
    counts, more = _split(mechanism, groups)
    crowd = BlanketedHistograms(counts, more, mechanism.gap, hidden, np.full(k, 1 / k))
    cost = k * crowd.nodes

    def weights(count: int, as_they_are: bool) -> Reals:
        found = np.empty((count, k))
        at_once = max(1, _CHUNK // cost)
        for start in range(0, count, at_once):
            part = slice(start, min(start + at_once, count))
            size = part.stop - part.start
            targets = rng.choice(k, size=size, p=prior / prior.sum()) if as_they_are else None
            shares = crowd.hidden_shares(crowd.draw(rng, size, targets))
            drawn = prior * (hidden + k * mechanism.gap * shares)
            found[part] = drawn / drawn.sum(axis=1, keepdims=True) if as_they_are else drawn
        return found

    said = reports_of(mechanism, Group(1)).said(prior)
    found = mean_of_leak(leak, cost, weights, said, max(1, crowd.fewest_hidden), whole=True)
    off = _OFF * (1 + abs(found.value))
    return replace(found, low=found.low - off, high=found.high + off, method=METHOD)


def _split(mechanism: RandomizedResponse, groups: Others) -> tuple[NDArray[np.int64], int]:
    """Return how many of the others hold each value, and how many reports are surely uniform: the target's is one."""
    counts = np.zeros(mechanism.k, dtype=np.int64)
    for group in groups:
        if group.value is not None:
            counts[group.value] = group.count
    return counts, 1 + sum(group.count for group in groups if group.value is None)
