"""Laws of histograms: how many of n independent draws fall on each of m outcomes."""

import math

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial import multinomial_pmf

# 2⁶⁴ bins of 65 stars need a number of 20 digits already.
_FEW = 64


def histogram_count(n: int, m: int) -> float:
    """Return how many histograms of n draws on m outcomes there are; infinity for more than anyone would list."""
    few = min(n, m - 1)
    return math.inf if few > _FEW else math.comb(n + m - 1, few)


def sequence_count(n: int, m: int) -> float:
    """Return how many sequences of n draws on m outcomes there are; infinity for more than anyone would list."""
    return math.inf if n * math.log2(m) > _FEW else m**n


def histograms(n: int, m: int) -> Integers:
    """Return all histograms of n draws on m outcomes, a row each, those with most on the first outcome first."""
    left = np.array([n])
    taken: list[tuple[Integers, Integers]] = []
    for _ in range(m - 1):
        index = np.repeat(np.arange(left.size), left + 1)
        later = np.arange(index.size) - (np.cumsum(left + 1) - left - 1)[index]
        taken.append((left[index] - later, index))
        left = later
    listed = np.empty((left.size, m), dtype=np.int64)
    listed[:, -1] = left
    beginning = np.arange(left.size)
    for y in range(m - 2, -1, -1):
        counts, index = taken[y]
        listed[:, y] = counts[beginning]
        beginning = index[beginning]
    return listed


def places(listed: Integers) -> tuple[Integers | None, ...]:
    """Return the index of each histogram in a law with an axis per outcome but the last; of the only one if m = 1."""
    return tuple(listed[:, :-1].T) or (None,)


def histogram_law(counts: tuple[int, ...], rows: Reals) -> Reals:
    """Return the law of the histogram when ``counts[x]`` draws come from the law ``rows[x]``, for every x.

    The result is an array with an axis per outcome but the last, each of length n + 1.
    """
    m = rows.shape[1]
    order = sorted(range(len(counts)), key=lambda x: -counts[x])
    law = _multinomial(counts[order[0]], rows[order[0]]) if order else np.ones((1,) * (m - 1))
    for x in order[1:]:
        if m == 2:
            law = np.convolve(law, _multinomial(counts[x], rows[x]))
            continue
        for _ in range(counts[x]):
            law = add_draw(law, rows[x])
    return law


def histogram_work(counts: tuple[int, ...], m: int) -> float:
    """Return how many terms `histogram_law` and one more draw add up."""
    n, most = sum(counts), max(counts, default=0)
    if m == 2:
        return (n - most) * most + 2.0 * (n + 1)
    return (n - most + 1) * m * sequence_count(m - 1, n + 1)


def _multinomial(n: int, row: Reals) -> Reals:
    listed = histograms(n, row.size)
    law = np.zeros((n + 1,) * (row.size - 1))
    law[places(listed)] = multinomial_pmf(listed, row)
    return law


def add_draw(law: Reals, row: Reals) -> Reals:
    """Return the law of the histogram after one more draw from ``row``; every axis grows by one."""
    grown = np.zeros(tuple(length + 1 for length in law.shape))
    for y, probability in enumerate(row):
        step = [int(axis == y) for axis in range(law.ndim)]
        grown[tuple(slice(s, s + length) for s, length in zip(step, law.shape, strict=True))] += probability * law
    return grown


def dirichlet_multinomial_pmf(counts: Integers, alpha: Reals) -> Reals:
    """Return the probabilities of histograms, on the last axis, of draws from a law itself drawn from Dirichlet(alpha).

    All are of as many draws.
    """
    n = int(counts.sum(axis=-1).max())
    own = sum(_log_ratios(float(a), n)[counts[..., x]] for x, a in enumerate(alpha))
    return np.exp(own - _log_ratios(math.fsum(alpha.tolist()), n)[-1])


def _log_ratios(alpha: float, n: int) -> Reals:
    """Return ``log(Γ(α+t) / (Γ(α) t!))`` for t = 0..n.

    Term by term, since alpha may be large: differences of its log-gammas would have no digits left. Nor would alpha - 1
    leave those of a small alpha, which is the whole first term.
    """
    terms = np.concatenate([[0.0, math.log(alpha)], np.log1p((alpha - 1) / np.arange(2, n + 1))])
    return np.cumsum(terms[: n + 1])
