"""Laws of histograms: the numbers of n independent draws on each of m outcomes."""

import math
from collections.abc import Iterator

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial import multinomial_pmf

# 2⁶⁴ bins of 65 stars need a number of 20 digits already.
_FEW = 64


def histogram_count(n: int, m: int) -> float:
    """Return the number of histograms of n draws on m outcomes; infinity if it is huge."""
    few = min(n, m - 1)
    return math.inf if few > _FEW else math.comb(n + m - 1, few)


def sequence_count(n: int, m: int) -> float:
    """Return the number of sequences of n draws on m outcomes; infinity if it is huge."""
    return math.inf if n * math.log2(m) > _FEW else m**n


def histograms(n: int, m: int) -> Integers:
    """Return all histograms of n draws on m outcomes, one a row, those with most on the first outcome first."""
    left = np.array([n])
    choices: list[tuple[Integers, Integers]] = []
    for _ in range(m - 1):
        index = np.repeat(np.arange(left.size), left + 1)
        later = np.arange(index.size) - (np.cumsum(left + 1) - left - 1)[index]
        choices.append((left[index] - later, index))
        left = later
    listed = np.empty((left.size, m), dtype=np.int64)
    listed[:, -1] = left
    beginning = np.arange(left.size)
    for y in range(m - 2, -1, -1):
        counts, index = choices[y]
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
    """Return the number of terms that `histogram_law` and one more draw add up."""
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
    larger = np.zeros(tuple(length + 1 for length in law.shape))
    for y, probability in enumerate(row):
        step = [int(axis == y) for axis in range(law.ndim)]
        larger[tuple(slice(s, s + length) for s, length in zip(step, law.shape, strict=True))] += probability * law
    return larger


def dirichlet_multinomial_pmf(counts: Integers, alpha: Reals) -> Reals:
    """Return the probabilities of histograms, on the last axis, of draws from a law itself drawn from Dirichlet(alpha).

    All histograms have the same number of draws.
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


def mixed_law(draws: int, rows: Reals, weights: Reals) -> Reals:
    """Return ``Σ_c w(c) Π_x Q_x^{c_x}`` over the histograms c of ``draws`` draws, with the laws ``Q_x = rows[x]``.

    ``weights`` has a row for each mixture, and a column for each c in the order of `histograms`. The result has an axis
    for the mixtures, then one for each outcome but the last, each of length ``draws + 1``. The law of a sum is a
    product of polynomials, and Horner's rule adds these up at the cost of one product by a short polynomial each.
    """
    if len(rows) == 1:
        return np.multiply.outer(weights[:, 0], histogram_law((draws,), rows))
    return _mixed(draws, rows, iter(weights.T))


def _mixed(draws: int, rows: Reals, columns: Iterator[Reals]) -> Reals:
    """Return the sum of the next terms: ``T_j = Q_0 T_{j-1} + (that of j draws from the other laws)``, T_draws."""
    axes = rows.shape[1] - 1
    total, power = np.zeros((1,) * (axes + 1)), np.ones((1,) * (axes + 1))
    for draws_so_far in range(draws + 1):
        if draws_so_far:
            total = _with_draw(total, rows[0])
        if len(rows) > 2:
            total = total + _mixed(draws_so_far, rows[1:], columns)
            continue
        if draws_so_far:
            power = _with_draw(power, rows[1])
        total = total + next(columns).reshape(-1, *(1,) * axes) * power
    return total


def _with_draw(laws: Reals, row: Reals) -> Reals:
    return np.stack([add_draw(law, row) for law in laws])


def simplex_work(counts: tuple[int, ...], m: int) -> float:
    """Return the number of terms that `simplex_law` and one more draw add up."""
    drawn = sum(counts) + 1
    return (drawn - max(counts, default=0)) * m * histogram_count(drawn, m)


def simplex_law(counts: tuple[int, ...], rows: Reals) -> Reals:
    """Return the law of the histogram when ``counts[g]`` draws come from the law ``rows[g]``, for every g.

    Its entries are in the order of `histograms`, without the empty cells of a box of counts: three draws on ten
    outcomes make 220 histograms, and a box with an axis for nine of the outcomes has 4⁹ cells. Draws are added one by
    one, which adds nothing but positive terms: every probability has all its digits, however small.
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
    """Return the law of the histogram of n draws for each law of the last draw in ``rows``."""
    fewer = _without_one(n, rows.shape[1])
    padded = np.append(law, 0.0)
    larger = np.zeros((len(rows), len(fewer)))
    for place, probabilities in zip(fewer.T, rows.T, strict=True):
        larger += np.multiply.outer(probabilities, padded[place])
    return larger


def _without_one(n: int, m: int) -> Integers:
    """Return the place, in the list for n-1 draws, of each histogram of n without one draw of each outcome, or -1.

    Histograms are ordered by the number of draws that remain after each outcome, fewer first.
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
