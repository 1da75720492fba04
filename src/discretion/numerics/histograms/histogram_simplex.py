"""Laws of histograms listed where they lie: on the simplex, of which a box of counts would mostly be empty.

Three draws on ten outcomes make 220 histograms; a box with an axis for nine of the outcomes has 4⁹ cells. Draws are
added one by one, which adds nothing but positive terms: every probability has all its digits, however small.
"""

import math

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.histograms.histograms import histogram_count, histograms
from discretion.numerics.laws.binomial import multinomial_pmf


def simplex_work(counts: tuple[int, ...], m: int) -> float:
    """Return how many terms `simplex_law` and one more draw add up."""
    drawn = sum(counts) + 1
    return (drawn - max(counts, default=0)) * m * histogram_count(drawn, m)


def simplex_law(counts: tuple[int, ...], rows: Reals) -> Reals:
    """Return the law of the histogram when ``counts[g]`` draws come from the law ``rows[g]``, for every g.

    Its entries are in the order of `histograms`.
    """
    m, drawn, law = rows.shape[1], 0, np.ones(1)
    for g in sorted(range(len(counts)), key=lambda g: -counts[g]):
        if not drawn:
            drawn, law = counts[g], multinomial_pmf(histograms(counts[g], m), rows[g])
            continue
        for _ in range(counts[g]):
            drawn += 1
            law = with_draws(law, drawn, rows[g : g + 1])[0]
    return law


def with_draws(law: Reals, n: int, rows: Reals) -> Reals:
    """Return, for each law in ``rows``, that of the histogram of n draws of which it is the law of the last."""
    fewer = _without_one(n, rows.shape[1])
    padded = np.append(law, 0.0)
    grown = np.zeros((len(rows), len(fewer)))
    for place, probabilities in zip(fewer.T, rows.T, strict=True):
        grown += np.multiply.outer(probabilities, padded[place])
    return grown


def _without_one(n: int, m: int) -> Integers:
    """Return the place, in the list for n-1 draws, of each histogram of n without one draw of each outcome, or -1.

    A histogram is listed by how many draws are left after each outcome: before it are those with fewer left.
    """
    listed = histograms(n, m)
    left = n - np.cumsum(listed, axis=1)[:, :-1]
    outcome = np.arange(m - 1)
    before = np.array(
        [[math.comb(rest + m - 2 - y, m - 1 - y) if rest else 0 for rest in range(n + 1)] for y in range(m - 1)],
        dtype=np.int64,
    ).reshape(m - 1, n + 1)
    place = np.zeros_like(listed)
    place[:, 1:] = np.cumsum(before[outcome, np.maximum(left - 1, 0)], axis=1)
    place[:, :-1] += np.cumsum(before[outcome, left][:, ::-1], axis=1)[:, ::-1]
    return np.where(listed > 0, place, -1)
