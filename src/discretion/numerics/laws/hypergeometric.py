"""The hypergeometric law to full double precision at any size."""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import WINDOW, binomial_pmf


def hypergeometric_pmf(hits: ArrayLike, marked: int, total: int, draws: int) -> Reals:
    """Return the probabilities that so many of the draws, without replacement from ``total``, are marked.

    A binomial law of the marked and one of the others, given their sum; each to full precision by Loader's form.
    """
    hits = np.asarray(hits)
    p, q = draws / total, (total - draws) / total
    possible = (hits >= max(0, draws - (total - marked))) & (hits <= min(marked, draws))
    inside = np.where(possible, hits, max(0, draws - (total - marked)))
    law = binomial_pmf(inside, marked, p, q) * binomial_pmf(draws - inside, total - marked, p, q)
    return np.where(possible, law / binomial_pmf(draws, total, p, q), 0.0)


@lru_cache(maxsize=1 << 14)
def hypergeometric_cdf(most: int, marked: int, total: int, draws: int) -> float:
    """Return the probability that at most so many are marked; what is below 2·exp(-50) in all is left out.

    The window's half-width is the binomial law's, whose tails are no lighter (Hoeffding, 1963, Theorem 4).
    """
    mean = draws * marked / total
    spread = WINDOW / 3 + math.sqrt(WINDOW**2 / 9 + 2 * WINDOW * mean)
    if most >= min(marked, draws, mean + spread):
        return 1.0
    first = max(0, draws - (total - marked), math.floor(mean - spread))
    return min(1.0, float(hypergeometric_pmf(np.arange(first, most + 1), marked, total, draws).sum()))
