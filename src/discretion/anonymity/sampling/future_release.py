"""Exposure of the people of a future release, from a sample of other people of the same law."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_distribution
from discretion.anonymity.people.conversion import People
from discretion.anonymity.sampling.sampled_exposure import sizes_of
from discretion.anonymity.sampling.statistical_bounds import ShareIntervals, extreme_exposure
from discretion.anonymity.sampling.statistical_exposure import exposed_part, statistical_exposure
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import Seed
from discretion.numerics.laws.binomial_limits import hypergeometric_cdf, hypergeometric_pmf, limits_of_parts
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_confidence, as_count, as_crowd


def future_exposure(
    P: People | ClassSizes,
    n: int,
    k: int,
    confidence: float = 0.95,
    *,
    columns: Iterable[str] | None = None,
    domain: int | None = None,
) -> Estimate:
    """Return an interval for the chance that fewer than k people of a future release share a person's values.

    The statistical exposure ``𝒬_p(n, k)`` of the unknown p, given m people drawn from it independently

    Parameters
    ----------
    P
        The m sampled people, or the sizes of their equivalence classes; the people of the release are others, drawn
        from the same law.
    n
        The number of people in the release, at least 1 and at most 10¹⁰.
    k
        The size below which a class is exposed, at least 1.
    confidence
        The confidence of the interval, in (0, 1).
    columns
        The columns to release; None is all columns. Not with class sizes.
    domain
        The number of possible values, including values that are not in the sample; None if it is not known.

    Returns
    -------
    Estimate
        ``value`` is the statistical exposure of the sample's own shares, moved into the interval if it lies outside.
        The interval misses with probability at most ``1 - confidence``, for every p.

    Raises
    ------
    InvalidValueError
        If the domain has fewer values than the sample.
    UnsupportedError
        If columns is given with class sizes.

    Notes
    -----
    Two intervals share the allowed misses, and the result is their intersection. The first uses limits of the shares of
    all values at once, and the extreme laws within them by convex duality. The second, for ``n ≤ m``, uses the mean
    exposure of n of the m people, which is unbiased; to replace one person changes it by at most the range of its
    increments, so McDiarmid's inequality bounds its error. Exposure falls with n: for ``n > m/2`` the upper limit is
    that of half of the sampled people. Neither needs the domain. Source: Discretion.

    Examples
    --------
    >>> from discretion.anonymity import Population
    >>> sample = Population("example:adult", columns=["sex", "income", "race"])
    >>> future = future_exposure(sample, n=10_000, k=50)
    >>> future.low < statistical_exposure(sample.class_sizes(), 10_000, 50) == future.value < future.high
    True
    """
    sizes = sizes_of(P, columns)
    n, k = as_crowd(n, "n"), as_count(k, "k", at_least=1)
    confidence = as_confidence(confidence)
    misses = 1 - confidence
    unseen = None if domain is None else as_count(domain, "domain", at_least=1) - sizes.classes
    if unseen is not None and unseen < 0:
        raise InvalidValueError(f"domain must be at least the {sizes.classes} values in the sample; got {domain}")
    value = statistical_exposure(sizes, n, k)
    if k == 1 or k > n:
        return Estimate(value, value, value, confidence, "the same for every law")
    limits, mean = _within_limits(sizes, n, k, misses / 2, unseen), _unbiased(sizes, n, k, misses / 2)
    low, high = max(limits[0], mean[0]), min(limits[1], mean[1])
    if low > high:  # one of both has missed
        low, high = min(limits[0], mean[0]), max(limits[1], mean[1])
    value = min(max(value, low), high)
    return Estimate(value, low, high, confidence, "limits of all shares, and bounded differences")


@dataclass(frozen=True, eq=False)
class SimulatedEstimates:
    """Estimates, from samples, of the exposure of another sample of the same size (Anonymity, Figure 3).

    Parameters
    ----------
    truth
        The statistical exposure of the law, for k = 1..n, shape (n,).
    exposure
        The exposure of each sample itself, shape (runs, n).
    statistical_exposure
        The statistical exposure of each sample's shares, shape (runs, n).
    """

    truth: Reals
    exposure: Reals
    statistical_exposure: Reals


def simulated_estimates(p: ArrayLike, n: int, runs: int = 1000, rng: Seed = None) -> SimulatedEstimates:
    """Return two estimates of the exposure of n people drawn from a law, from simulated samples of n others.

    Parameters
    ----------
    p
        The law, shape (m,).
    n
        The number of people of a sample, at least 1.
    runs
        The number of samples, at least 1.
    rng
        The seed.

    Returns
    -------
    SimulatedEstimates
        The truth and both estimates, for k = 1..n.

    Notes
    -----
    Source: Anonymity, Figure 3: 1000 samples of 128 people on 4 values; the statistical exposure varies less.

    Examples
    --------
    >>> figure = simulated_estimates([0.4, 0.3, 0.2, 0.1], n=128, runs=200, rng=0)
    >>> bool(figure.statistical_exposure[:, 15].std() < figure.exposure[:, 15].std())
    True
    """
    law, n, runs = as_distribution(p, "p"), as_count(n, "n", at_least=1), as_count(runs, "runs", at_least=1)
    counts = np.random.default_rng(rng).multinomial(n, law / law.sum(), size=runs)
    size, k = np.arange(n + 1), np.arange(1, n + 1)
    statistical = exposed_part(size[:, None] / n, n, k)
    exposed = size[:, None] / n * (size[:, None] < k)
    truth = exposed_part(law[:, None], n, k).sum(axis=0)
    return SimulatedEstimates(truth, _by_run(exposed, counts), _by_run(statistical, counts))


def _by_run(parts: Reals, counts: Any) -> Reals:
    """Return the sum over values of the contribution of their counts, for each run and k."""
    total = np.zeros((counts.shape[0], parts.shape[1]))
    for column in counts.T:
        total += parts[column]
    return total


def _within_limits(sizes: ClassSizes, n: int, k: int, misses: float, unseen: int | None) -> tuple[float, float]:
    seen = sizes.sizes if unseen == 0 else np.append(0, sizes.sizes)
    low, high = limits_of_parts(seen, sizes.people, misses)
    values = sizes.counts.astype(np.float64)
    if unseen:
        cells = ShareIntervals(seen / sizes.people, low, high, np.append(float(unseen), values))
    else:
        of_seen = slice(len(seen) - len(values), None)
        most = float(high[0]) if unseen is None else 0.0
        cells = ShareIntervals(sizes.sizes / sizes.people, low[of_seen], high[of_seen], values, most)
    return extreme_exposure(cells, n, k, -1), extreme_exposure(cells, n, k, 1)


def _unbiased(sizes: ClassSizes, n: int, k: int, misses: float) -> tuple[float, float]:
    """Return limits from the mean exposure of subsets of the sample."""
    m = sizes.people
    low = _mean_exposure(sizes, n, k) - _off_the_mean(m, n, k, misses / 2) if n <= m else 0.0
    # The larger the part of the sample, the more one person matters, up to k at n = m.
    fewer = min(n, max(m // 2, 1))
    high = 1.0 if k > fewer else _mean_exposure(sizes, fewer, k) + _off_the_mean(m, fewer, k, misses / 2)
    return max(low, 0.0), min(high, 1.0)


def _mean_exposure(sizes: ClassSizes, n: int, k: int) -> float:
    """Return the mean exposure of n of the m people: ``Σ_v (s_v/m) P(Hypergeometric(m-1, s_v-1, n-1) ≤ k-2)``."""
    m = sizes.people
    exposed = [hypergeometric_cdf(k - 2, size - 1, m - 1, n - 1) for size in sizes.sizes.tolist()]
    return float((sizes.counts * sizes.sizes) @ np.array(exposed)) / m


def _off_the_mean(m: int, n: int, k: int, misses: float) -> float:
    """Return a bound on the error of the mean exposure of n of m people, by McDiarmid's inequality.

    One more person in a class of s adds ``(P(H ≤ k-2) - (k-1) P(H = k-1))/m``, where H is the number of people of the
    class among n - 1 others drawn: if the person is drawn, they may be exposed, or k - 1 others stop being exposed.
    That falls with s from 1/m, and rises after the s with ``k·P(H' = k-2) = (k-1)·P(H' = k-1)``, for n - 2 others
    drawn.
    """
    turn = math.floor((k * (m - n + k - 1) + (k - 2) * (n - k)) / n)
    least = min(
        hypergeometric_cdf(k - 2, size, m - 1, n - 1) - (k - 1) * float(hypergeometric_pmf(k - 1, size, m - 1, n - 1))
        for size in {min(max(turn + step, 0), m - 1) for step in (-1, 0, 1, 2)}
    )
    return (1 - least) * math.sqrt(math.log(1 / misses) / (2 * m))
