"""Exposure under independence of the columns."""

import math
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import numpy as np

from discretion import limits
from discretion.anonymity.exposure.bounds import as_share
from discretion.anonymity.people.conversion import People, as_counts
from discretion.anonymity.people.marginals import Marginals
from discretion.estimate import Estimate
from discretion.intervals import above, below
from discretion.numerics.arrays import Reals
from discretion.tables.counting.threshold import Threshold

# Products of class sizes that are listed where columns are independent.
MAX_PRODUCTS = 1 << 18

METHOD = "product of the columns' laws"
ASSUMPTION = "independent columns"
BINS = 1 << 15
_MIN_DEPTH = 1e-3
# In bins: a logarithm's rounding errors are below the first, and those of all columns far below the second.
_HAIR, _MARGIN = 1e-9, 1e-6

# Cells by the product of their people in each column: the product → the number of cells with it.
Products = dict[int, int]


def exposure_if_independent(
    P: People | Marginals,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
) -> Estimate:
    """Return the exposure that the columns would have together if they were independent: an assumption, not a bound.

    ``Q(t) = Σ_v p(v)·1{p(v) < t}`` with ``p(v) = Π_j p_j(v_j)``

    Parameters
    ----------
    P
        The people, with one row each, or the counts of their columns.
    k, threshold
        Exactly one: a number of people, which stands for k/n, or a share of them in [0, 1].
    columns
        The columns that are known together; None is all of them.

    Returns
    -------
    Estimate
        An assumption of independent columns, so not certified: the interval always contains the exposure of the product
        law, but that of the people only if their columns are independent. It is a point unless there are too many
        different products; then the logarithms of the shares are rounded, and ``value`` is the middle.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    It is neither a lower nor an upper bound on the exposure. Source: Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> adult = Population("example:adult", columns=["sex", "income", "race", "workclass"])
    >>> found = exposure_if_independent(adult, threshold="0.001")
    >>> round(found.value, 6), found.assuming, found.certified
    (0.023591, 'independent columns', False)
    """
    people = as_counts(P)
    share = as_share(people.people, k, threshold)
    low, high = product_exposure(people.marginals(columns), share)
    return replace(Estimate.between(low, high, METHOD, span=1), assuming=ASSUMPTION)


def product_exposure(marginals: Marginals, share: Fraction) -> tuple[float, float]:
    """Return a lower and an upper bound on the exposure of the product of the columns' laws.

    Parameters
    ----------
    marginals
        The columns.
    share
        The threshold t, at least 0, and possibly over 1.
    """
    halves: list[Products] = [{1: 1}, {1: 1}]
    alone = marginals.alone()
    for marginal in sorted(alone, key=lambda marginal: -len(marginal.sizes)):
        halves.sort(key=len)
        if len(halves[0]) * len(marginal.sizes) > limits.current().numbers(MAX_PRODUCTS, each=128):
            return _rounded(marginals, share)
        merged: Products = {}
        for size, count in zip(marginal.sizes.tolist(), marginal.counts.tolist(), strict=True):
            for product, cells in halves[0].items():
                merged[product * size] = merged.get(product * size, 0) + cells * count
        halves[0] = merged
    total = marginals.people ** len(alone)
    exposure = Fraction(_mass_below(halves[0], halves[1], math.ceil(share * total)), total)
    return below(exposure), above(exposure)


def _mass_below(left: Products, right: Products, limit: int) -> int:
    """Return the sum of all products of an element of each side that are below the limit."""
    products = sorted(right)
    masses = [0, *accumulate(product * right[product] for product in products)]
    return sum(product * cells * masses[bisect_left(products, -(-limit // product))] for product, cells in left.items())


def _rounded(marginals: Marginals, share: Fraction) -> tuple[float, float]:
    """Return a lower and an upper bound, with the logarithms of the shares in each column rounded up to whole bins.

    With d columns a cell in bin i of those up from share 1 has a share in ``(e^{-w i}, e^{-w (i - d)}]``.
    """
    people, alone = marginals.people, marginals.alone()
    columns = len(alone)
    if share == 0 or share > 1:
        return float(share > 1), float(share > 1)
    depth = math.log(share.denominator) - math.log(share.numerator)
    width = max(depth, _MIN_DEPTH) / BINS
    law: Reals = np.zeros(BINS + columns + 2)
    law[0] = 1
    for marginal in alone:
        bins = np.ceil(np.log(people / marginal.sizes) / width - _HAIR).astype(np.int64)
        next_law = np.zeros_like(law)
        for place, mass in zip(bins.tolist(), (marginal.sizes * marginal.counts / people).tolist(), strict=True):
            if place < law.size:
                next_law[place:] += mass * law[: law.size - place]
        law = next_law
    places, edge = np.arange(law.size), depth / width
    never, maybe_not = law[places < edge - _MARGIN].sum(), law[places < edge + columns + _MARGIN].sum()
    rounding = (64 + sum(len(marginal.sizes) for marginal in alone)) * 2**-52
    return max(0.0, 1 - float(maybe_not) - rounding), min(1.0, 1 - float(never) + rounding)
