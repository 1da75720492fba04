"""Crowds of k-RR among others whose values the adversary knows, from a sample.

Each user's report is her value with probability p - q, else of the uniform law, which hides the target. Reports are
drawn as if hers were hidden for sure; how likely it then is each of those in the histogram is known exactly
(`BlanketedHistograms`), and with it the weights ``π_x P(h | x) / P(h)``. Given which users are hidden they are means of
what these report; so they are means of such means, and keep as close to the prior.
"""

from dataclasses import replace

import numpy as np

from discretion import limits
from discretion.estimate import Estimate
from discretion.measures.measure import Method
from discretion.mechanisms.reporting import Response
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.histograms.blanketed_histograms import BlanketedHistograms, table_cells
from discretion.shuffling.laws.groups import Group, Others
from discretion.shuffling.laws.monte_carlo import Leak, Responses, mean_of_leak

METHOD = Method("Monte Carlo over the histograms of reports, and certified bounds: the tighter ends", "estimate")

_CHUNK = 1 << 20
# What the integral leaves out.
_OFF = 1e-9


def can_be_sampled_among(response: Response, groups: Others) -> bool:
    """Whether a sample of crowds among these others takes seconds, and says what it should."""
    if not response.q > 0 or response.k > limits.current().most_values_sampled:
        return False
    if any(group.value is None and not group.is_uniform for group in groups):
        return False
    counts, more = _split(response, groups)
    return table_cells(counts, more, response.gap, response.k * response.q) <= limits.current().most_cells_sampled


def mean_among_known(response: Response, groups: Others, leak: Leak, rng: np.random.Generator) -> Estimate:
    """Return the mean of a leak over the crowds with these others, known or uniform."""
    k, hidden, prior = response.k, response.k * response.q, leak.prior
    counts, more = _split(response, groups)
    crowd = BlanketedHistograms(counts, more, response.gap, hidden, np.full(k, 1 / k))
    cost = k * crowd.nodes

    def weights(count: int, as_they_are: bool) -> Reals:
        found = np.empty((count, k))
        at_once = max(1, _CHUNK // cost)
        for start in range(0, count, at_once):
            part = slice(start, min(start + at_once, count))
            size = part.stop - part.start
            targets = rng.choice(k, size=size, p=prior / prior.sum()) if as_they_are else None
            shares = crowd.hidden_shares(crowd.draw(rng, size, targets))
            drawn = prior * (hidden + k * response.gap * shares)
            found[part] = drawn / drawn.sum(axis=1, keepdims=True) if as_they_are else drawn
        return found

    said = Responses(response, Group(1)).said(prior)
    found = mean_of_leak(leak, cost, weights, said, max(1, crowd.fewest_hidden), whole=True)
    off = _OFF * (1 + abs(found.value))
    return replace(found.widened(off), method=METHOD.name)


def _split(response: Response, groups: Others) -> tuple[Integers, int]:
    """Return how many of the others hold each value, and how many reports are surely uniform: the target's is one."""
    counts = np.zeros(response.k, dtype=np.int64)
    for group in groups:
        if group.value is not None:
            counts[group.value] = group.count
    return counts, 1 + sum(group.count for group in groups if group.value is None)
