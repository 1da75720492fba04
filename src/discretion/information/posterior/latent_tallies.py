"""The exact law of people's values, given their reports: a sum over all tallies of true values."""

from itertools import chain, combinations_with_replacement
from math import comb

import numpy as np
from scipy.special import gammaln

from discretion.numerics.arrays import Integers, Reals


def work(n: int, k: int) -> float:
    """Return the approximate number of terms that `latent_tallies` adds up: ``k · C(n+k, k)``."""
    return k * float(np.exp(min(700.0, gammaln(n + k + 1.0) - gammaln(n + 1.0) - gammaln(k + 1.0))))


def latent_tallies(likelihoods: Reals, counts: Integers, alpha: Reals) -> tuple[Integers, Reals, Reals]:
    """Return the tallies t of n true values, their probabilities given the reports, and the reports' log-probabilities.

    The weight of t is proportional to ``B(α + t)`` times the coefficient of ``z^t`` in ``Π_y (Σ_x C[x, y] z_x)^s_y``
    (LDP-info, equation 9.4). One report at a time: ``w(t) ← Σ_x C[x, y] (α_x + t_x - 1) w(t - e_x)``, since
    ``B(α + t) / B(α + t - e_x) = (α_x + t_x - 1) / (A + n - 1)``. The terms are positive, and kept as logarithms.

    Parameters
    ----------
    likelihoods
        ``C[x, y]``, shape ``(k, outputs)``, some entry of every column positive.
    counts
        The number of reports of each output, n in all.
    alpha
        The parameters of one or more priors, shape ``(priors, k)``.

    Returns
    -------
    tuple of Integers, Reals and Reals
        Of shapes ``(tallies, k)``, ``(priors, tallies)`` and ``(priors,)``.
    """
    k, n = likelihoods.shape[0], int(counts.sum())
    tallies, before = _all_tallies(n, k)
    with np.errstate(divide="ignore"):
        logs = np.log(likelihoods)
    totals = alpha.sum(axis=1)
    weights, evidence = np.zeros((len(alpha), 1)), np.zeros(len(alpha))
    for d, y in enumerate(_evenly(counts)):
        # The tallies of d + 1 values are the first of those of n, but for the last value, which then has fewer.
        own = tallies[:, : comb(d + k, k - 1)].copy()
        own[-1] -= n - (d + 1)
        possible = own > 0
        prior = np.log(alpha[:, :, None] + np.where(possible, own - 1, 0))
        terms = logs[:, y, None] + prior + weights[:, np.where(possible, before[:, : own.shape[1]], 0)]
        weights = np.logaddexp.reduce(np.where(possible, terms, -np.inf), axis=1)
        highest: Reals = weights.max(axis=1)
        weights -= highest[:, None]
        evidence += highest - np.log(totals + d)
    likely = np.exp(weights)
    sums: Reals = likely.sum(axis=1)
    kept = (likely > 0).any(axis=0)
    return tallies[:, kept].T, likely[:, kept] / sums[:, None], evidence + np.log(sums)


def _evenly(counts: Integers) -> Integers:
    """Return each output as often as its count, spread evenly: likely tallies then stay likely until the end."""
    outputs = np.repeat(np.arange(counts.size), counts)
    number = np.arange(outputs.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return outputs[np.argsort((number + 0.5) / counts[outputs], kind="stable")]


def _all_tallies(n: int, k: int) -> tuple[Integers, Integers]:
    """Return all tallies t of n values, ``(k, tallies)``, and the numbers of the tallies ``t - e_x`` of n - 1.

    The number of t is ``Σ_j C(u_j + j - 1, j)`` with the sums ``u_j = t_1 + … + t_j``, j < k (the combinatorial number
    system). It does not depend on n, and one value less at x takes ``C(u_j + j - 2, j - 1)`` off each term from x on.
    """
    places = np.fromiter(chain.from_iterable(combinations_with_replacement(range(k), n)), dtype=np.int64)
    rows = comb(n + k - 1, n)
    at = np.repeat(np.arange(rows), n) + places * rows
    tallies = np.bincount(at, minlength=k * rows).reshape(k, rows)
    sums = np.cumsum(tallies, axis=0)[:-1]
    steps = np.zeros((n + 1, k), dtype=np.int64)
    for j in range(1, k):
        steps[1:, j] = [comb(u + j - 2, j - 1) for u in range(1, n + 1)]
    lost = np.zeros((k, rows), dtype=np.int64)
    for j in range(k - 1, 0, -1):
        lost[j - 1] = lost[j] + steps[sums[j - 1], j]
    # A number is what is lost by taking all values off one by one: C(u+j-1, j) = Σ C(v+j-2, j-1) over v <= u.
    numbers = np.zeros(rows, dtype=np.int64)
    for j in range(1, k):
        numbers += np.cumsum(steps[:, j])[sums[j - 1]]
    order = np.argsort(numbers)
    return tallies[:, order], np.arange(rows) - lost[:, order]
