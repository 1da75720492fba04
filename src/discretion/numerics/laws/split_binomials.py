"""How many of n draws hit, if c of them hit with one probability and the others with another: for every c at once.

With A and B for the polynomial of one draw each the laws are ``A^c B^(n-c)``. Giant steps and baby steps: one long
product for each √n-th c, and from there products by polynomials of degree √n. All terms are positive, so that even the
least probabilities have all their digits.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from discretion.numerics.arrays import Reals
from discretion.numerics.laws.binomial import binomial_pmf


def split_binomials(n: int, first: Reals, second: Reals) -> Iterator[Reals]:
    """Yield the laws of the number of hits when c draws hit as in ``first``, the others as in ``second``.

    Those are the probabilities to hit and to miss. Each array has a row for each of the next c, from 0 to n, and a
    column for each number of hits.
    """
    step = math.isqrt(n) + 1
    babies = _babies(min(step - 1, n), first, second)
    for start in range(0, n + 1, step):
        left = min(step - 1, n - start)
        if left < len(babies) - 1:
            babies = _babies(left, first, second)
        giant = np.pad(_product(start, n - start - left, first, second), left)
        yield babies @ np.ascontiguousarray(sliding_window_view(giant, left + 1)).T


def _babies(n: int, first: Reals, second: Reals) -> Reals:
    return np.stack([_product(c, n - c, first, second)[::-1] for c in range(n + 1)])


def _product(c: int, others: int, first: Reals, second: Reals) -> Reals:
    (hit, miss), (other_hit, other_miss) = first.tolist(), second.tolist()
    own = binomial_pmf(np.arange(c + 1), c, hit, miss)
    return np.convolve(own, binomial_pmf(np.arange(others + 1), others, other_hit, other_miss))
