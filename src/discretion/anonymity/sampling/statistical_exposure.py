"""Statistical exposure: the probability that a person of a future table is in a class of fewer than k."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_distribution
from discretion.estimate import quantity
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import bisected
from discretion.numerics.laws.binomial import binomial_pmf
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count, as_crowd

_HALVINGS = 60


@quantity
def statistical_exposure(p: ArrayLike | ClassSizes, n: int, k: int) -> float:
    """Return the probability that fewer than k of n people drawn from a law share the values of a random one of them.

    ``𝒬_p(n, k) = Σ_i p_i · P(Bin(n-1, p_i) ≤ k-2)``

    Parameters
    ----------
    p
        The law of people's values, shape (m,): non-negative, with sum 1; or the class sizes of a table, which stand for
        the shares of its classes.
    n
        The number of people to be drawn, at least 1 and at most 10¹⁰.
    k
        The size below which a class is exposed, at least 1; a person counts in their own class. With k = 1 the result
        is 0, with k = 2 the probability to be unique, with k > n it is 1.

    Returns
    -------
    float
        In [0, 1], exact.

    Notes
    -----
    Source: Anonymity, Definition 7. The binomial tail is the complement of the incomplete beta function at
    ``(k-1, n-k+1)``; the paper's form at 1 - p loses digits for a small p.

    Examples
    --------
    >>> statistical_exposure([0.5, 0.25, 0.25], n=3, k=2)
    0.40625
    """
    shares, classes = shares_of(p)
    n, k = as_crowd(n, "n"), as_count(k, "k", at_least=1)
    if k > n:
        return 1.0
    return min(1.0, float(classes @ exposed_part(shares, n, k)))


@quantity
def statistical_exposure_sensitivity(n: int, k: int) -> float:
    """Return the Lipschitz constant of the statistical exposure in the L1 distance of laws.

    ``|𝒬_p(n, k) - 𝒬_p̂(n, k)| ≤ c·‖p - p̂‖₁``, ``c = (1 - φ'(k/n)) / 2``

    Parameters
    ----------
    n
        The number of people to be drawn, at least 1 and at most 10¹⁰.
    k
        The size below which a class is exposed, at least 1.

    Returns
    -------
    float
        At least 0, exact; 0 for k = 1 and k > n, where the exposure does not depend on the law.

    Notes
    -----
    With ``φ(p) = p·P(Bin(n-1, p) ≤ k-2)``, ``φ' = P(Bin(n-1, p) ≤ k-2) - (k-1)·P(Bin(n-1, p) = k-1)`` falls from 1 at 0
    to its least at k/n and then rises to 0. As both laws sum to 1, any constant may be subtracted from φ' first; the
    middle of its range leaves half of the range. The constant is the least one: move mass between a value of share k/n
    and values of very small shares. It is at most the ``max(1, (k-1)·P(Bin(n-1, p) = k-1))`` that bounds ``|φ'|``.
    Theorem 8 of Anonymity and its Appendix G are false as printed: with n = k = 1000, p = (1, 0) and
    p̂ = (1 - 10⁻⁶, 10⁻⁶) the exposures differ by 10⁻³, but the printed bound is 5.4·10⁻⁵. Source: Discretion.

    Examples
    --------
    >>> statistical_exposure_sensitivity(1000, 1000)
    500.0
    """
    n, k = as_crowd(n, "n"), as_count(k, "k", at_least=1)
    return 0.0 if k == 1 or k > n else (1 - least_slope(n, k)) / 2


def exposed_part(p: Any, n: int, k: Any) -> Reals:
    """Return ``φ(p) = p·P(Bin(n-1, p) ≤ k-2)`` for 1 ≤ k ≤ n: the part of a share p of the people that is exposed.

    It is concave up to k/n, and convex from there on.
    """
    from scipy.special import betaincc  # noqa: PLC0415

    share: Reals = np.asarray(p, dtype=np.float64)
    least = np.maximum(np.asarray(k, dtype=np.float64), 2)
    return np.where(np.asarray(k) == 1, 0.0, share * betaincc(least - 1, n - least + 1, share))


def least_slope(n: int, k: int) -> float:
    """Return ``φ'(k/n)``, the least slope of φ, for 2 ≤ k ≤ n."""
    return _slope(k / n, (n - k) / n, n, k)


def _slope(p: float, q: float, n: int, k: int) -> float:
    """Return ``φ'(p) = P(Bin(n-1, p) ≤ k-2) - (k-1)·P(Bin(n-1, p) = k-1)`` for 2 ≤ k ≤ n, with q = 1 - p."""
    from scipy.special import betaincc  # noqa: PLC0415

    return float(betaincc(k - 1, n - k + 1, p)) - (k - 1) * float(binomial_pmf(k - 1, n - 1, p, q))


@lru_cache(maxsize=1 << 10)
def largest_exposed_part(n: int, k: int) -> float:
    """Return ``max_p φ(p)`` for 2 ≤ k ≤ n: the most that a single value of any share adds to the statistical exposure.

    It is at most (k-1)/n, and less for a small k: φ rises up to a share below k/n, where its slope is 0, and then
    falls.
    """
    share, _ = bisected(lambda p: _slope(float(p), 1 - float(p), n, k) > 0, 0.0, k / n, _HALVINGS)
    return float(exposed_part(share, n, k))


def shares_of(p: ArrayLike | ClassSizes) -> tuple[Reals, Reals]:
    """Return the distinct shares of a law, and the number of values with each."""
    if isinstance(p, ClassSizes):
        return p.sizes / p.people, p.counts.astype(np.float64)
    shares, values = np.unique(as_distribution(p, "p"), return_counts=True)
    return shares, values.astype(np.float64)
