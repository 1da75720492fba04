"""Certified bounds, by convex duality, on the statistical exposure of all laws near a known one."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from discretion.anonymity.sampling.statistical_exposure import (
    exposed_part,
    least_slope,
    shares_of,
    statistical_exposure,
)
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import bisected
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count, as_crowd, as_real

METHOD = "convex dual over the laws within the radius"
_PRICES = 1 << 10
_HALVINGS = 60
# Twice the observed error of the incomplete beta function at 10⁹ people.
_ROUNDING = 5e-11


def statistical_exposure_bounds(p: ArrayLike | ClassSizes, radius: float, n: int, k: int) -> Estimate:
    """Return certified bounds on the statistical exposure of every law within a distance of a known one.

    ``max { 𝒬_q(n, k) : ‖q - p‖₁ ≤ radius }``, and the minimum

    Parameters
    ----------
    p
        The known law, shape (m,), or class sizes as for :func:`statistical_exposure`. List a value that may occur with
        share 0: q has no other values.
    radius
        The largest L1 distance, at least 0; 2 is all laws.
    n
        The number of people to be drawn, at least 1 and at most 10¹⁰.
    k
        The size below which a class is exposed, at least 1.

    Returns
    -------
    Estimate
        Certified bounds; ``value`` is the exposure of p. Each side is at most ``sensitivity·radius`` wide.

    Raises
    ------
    InvalidValueError
        If the radius is below 0.

    Notes
    -----
    Prices λ on the sum of the law and μ on the distance from p separate the problem by value. For each value φ is
    concave and then convex, so the best point is an end or the point where the slope equals the price. Any prices give
    a bound; the function takes the best of a thousand of each. Source: Discretion.

    Examples
    --------
    >>> bounds = statistical_exposure_bounds([0.6, 0.3, 0.1], 0.1, n=20, k=5)
    >>> bounds.certified, bounds.low <= statistical_exposure([0.58, 0.28, 0.14], 20, 5) <= bounds.high
    (True, True)
    """
    shares, values = shares_of(p)
    radius = as_real(radius, "radius")
    if not radius >= 0:
        raise InvalidValueError(f"radius must be an L1 distance of at least 0, got {radius!r}")
    value = statistical_exposure(p, n, k)
    n, k = as_crowd(n, "n"), as_count(k, "k", at_least=1)
    if k == 1 or k > n:
        return Estimate(value, value, value, None, METHOD)
    away = min(radius, 2.0) / 2
    cells = ShareIntervals(shares, np.maximum(shares - away, 0), np.minimum(shares + away, 1), values)
    low, high = (extreme_exposure(cells, n, k, sign, radius=radius) for sign in (-1, 1))
    return Estimate(value, min(low, value), max(high, value), None, METHOD)


@dataclass(frozen=True)
class ShareIntervals:
    """The values of a law whose shares are known up to an interval.

    Parameters
    ----------
    centre, low, high : ndarray
        The shares, ``low <= centre <= high``.
    values
        The number of values of each entry.
    unseen
        The largest share of a value that is not listed, of which there may be any number; 0 for none.
    """

    centre: Reals
    low: Reals
    high: Reals
    values: Reals
    unseen: float = 0.0


def extreme_exposure(cells: ShareIntervals, n: int, k: int, sign: int, radius: float | None = None) -> float:
    """Return a bound on the exposure of all laws in the cells: an upper bound for sign 1, a lower bound for sign -1.

    For 2 ≤ k ≤ n; with a radius, only the laws within that L1 distance of the given shares count.
    """
    priced = _priced(n, k, sign)
    at_centre, at_low, at_high = (sign * exposed_part(x, n, k) for x in (cells.centre, cells.low, cells.high))
    # A share of the unseen values is exposed completely, as that of very few people; at the least as the largest one.
    unseen = 1.0 if sign > 0 or not cells.unseen else -float(exposed_part(cells.unseen, n, k)) / cells.unseen
    missing = 1 - float(cells.values @ cells.centre)

    def best(low: Reals, at_low: Reals, high: Reals, at_high: Reals, place: int) -> Reals:
        price, peak, at_peak = priced(place)
        ends = np.maximum(at_low - price * (low - cells.centre), at_high - price * (high - cells.centre))
        inside = (low < peak) & (peak < high)
        return np.where(inside, np.maximum(ends, at_peak - price * (peak - cells.centre)), ends)

    def dual(up: int, down: int) -> float:
        above = best(cells.centre, at_centre, cells.high, at_high, up)
        below = best(cells.low, at_low, cells.centre, at_centre, down)
        dear, cheap = priced(up)[0], priced(down)[0]
        on_sum, on_distance = (dear + cheap) / 2, (dear - cheap) / 2
        total = float(cells.values @ np.maximum(above, below)) + on_sum * missing + on_distance * (radius or 0)
        return total + (max(0.0, unseen - on_sum) if cells.unseen else 0.0)

    if radius is None:
        bound = _least(lambda price: dual(price, price), 0, _PRICES)
    else:
        bound = _least(lambda up: _least(lambda down: dual(up, down), 0, up), 0, _PRICES)
        bound = min(bound, dual(_PRICES, 0))  # no wider than the sensitivity says
    bound = sign * (bound + _ROUNDING * abs(bound) + 1e-13)
    return min(max(bound, 0.0), 1.0)


@lru_cache(maxsize=16)
def _priced(n: int, k: int, sign: int) -> Callable[[int], tuple[float, float, float]]:
    """Return a function of a number up to `_PRICES`: a price over the slopes of ``sign·φ``, and where φ is best by it.

    That is the point where the slope falls through the price, and the value there. A search asks for few prices.
    """
    from scipy.special import betaincc  # noqa: PLC0415

    cheapest, dearest = sorted((sign * least_slope(n, k), float(sign)))
    prices = np.linspace(cheapest, dearest, _PRICES + 1).tolist()
    low, high = (0.0, k / n) if sign > 0 else (k / n, 1.0)

    @cache
    def priced(place: int) -> tuple[float, float, float]:
        price = prices[place]

        def is_steeper(p: Reals) -> bool:
            fewer = float(betaincc(k - 1, n - k + 1, p))
            at_most = float(betaincc(k, n - k, p)) if k < n else 1.0
            return sign * (fewer - (k - 1) * (at_most - fewer)) > price

        peak = float(bisected(is_steeper, low, high, _HALVINGS)[0])
        return price, peak, sign * float(exposed_part(peak, n, k))

    return priced


def _least(function: Callable[[int], float], low: int, high: int) -> float:
    """Return the minimum of a convex function of a whole number."""
    while low < high:
        middle = (low + high) // 2
        if function(middle) <= function(middle + 1):
            high = middle
        else:
            low = middle + 1
    return function(low)
