"""The least and the largest statistical exposure of the laws near one: certified, by convex duality."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

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
from discretion.numerics.arrays import Booleans, Reals
from discretion.numerics.bisection import bisected
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count, as_crowd, as_real

METHOD = "convex dual over the laws within the radius"
_PRICES = 1 << 10
_HALVINGS = 60
# Twice what the incomplete beta function has been seen to be off at 10⁹ people.
_ROUNDING = 5e-11


def statistical_exposure_bounds(p: ArrayLike | ClassSizes, radius: float, n: int, k: int) -> Estimate:
    """Return bounds on the statistical exposure of every law within a distance of one that is known.

    ``max { 𝒬_q(n, k) : ‖q - p‖₁ ≤ radius }``, and the minimum

    Parameters
    ----------
    p
        The law that is known, shape (m,), or class sizes as for :func:`statistical_exposure`. List a value that may
        occur with share 0: q has no others.
    radius
        At least 0, and 2 is all laws.
    n
        How many people will be drawn, at least 1 and at most 10¹⁰.
    k
        At least 1.

    Returns
    -------
    Estimate
        Certified; ``value`` is the exposure of p. Never wider than ``sensitivity·radius`` to either side.

    Raises
    ------
    InvalidValueError
        If the radius is below 0.

    Notes
    -----
    Prices λ on the sum of the law and μ on the distance from p part the problem value by value; there, φ is concave
    and then convex, so that its best point is an end or the one where its slope is the price. Any prices give a
    bound; the best of a thousand of each is taken. Source: Discretion.

    Examples
    --------
    >>> bounds = statistical_exposure_bounds([0.6, 0.3, 0.1], 0.1, n=20, k=5)
    >>> bounds.certified, bounds.low <= statistical_exposure([0.58, 0.28, 0.14], 20, 5) <= bounds.high
    (True, True)
    """
    shares, values = shares_of(p)
    radius = as_real(radius, "radius")
    if not radius >= 0:
        raise InvalidValueError(f"radius must be at least 0, the L1 distance of laws, got {radius!r}")
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
    """The values of a law that is known but for an interval about each share.

    Parameters
    ----------
    centre, low, high
        The shares, ``low <= centre <= high``.
    values
        How many values each entry stands for.
    unseen
        The largest share of a value not listed, of which there may be any number; 0 for none.
    """

    centre: Reals
    low: Reals
    high: Reals
    values: Reals
    unseen: float = 0.0


def extreme_exposure(cells: ShareIntervals, n: int, k: int, sign: int, radius: float | None = None) -> float:
    """Return a bound on the exposures of all laws in the cells: above them for sign 1, below them for sign -1.

    For 2 ≤ k ≤ n; with a radius, of the laws that are also within that L1 distance of the centres.
    """
    prices, peaks, at_peaks = _priced(n, k, sign)
    at_centre, at_low, at_high = (sign * exposed_part(x, n, k) for x in (cells.centre, cells.low, cells.high))
    # A share of the unseen is exposed as one of hardly any people, wholly; or at the least as the largest of them.
    unseen = 1.0 if sign > 0 or not cells.unseen else -float(exposed_part(cells.unseen, n, k)) / cells.unseen
    missing = 1 - float(cells.values @ cells.centre)

    def best(low: Reals, at_low: Reals, high: Reals, at_high: Reals, price: int) -> Reals:
        peak, each = peaks[price], prices[price]
        ends = np.maximum(at_low - each * (low - cells.centre), at_high - each * (high - cells.centre))
        inside = (low < peak) & (peak < high)
        return np.where(inside, np.maximum(ends, at_peaks[price] - each * (peak - cells.centre)), ends)

    def dual(up: int, down: int) -> float:
        above = best(cells.centre, at_centre, cells.high, at_high, up)
        below = best(cells.low, at_low, cells.centre, at_centre, down)
        on_sum, on_distance = (prices[up] + prices[down]) / 2, (prices[up] - prices[down]) / 2
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
def _priced(n: int, k: int, sign: int) -> tuple[list[float], list[float], list[float]]:
    """Return prices over the range of slopes of ``sign·φ``, where it falls through each, and what it is there."""
    from scipy.special import betaincc  # noqa: PLC0415

    cheapest, dearest = sorted((sign * least_slope(n, k), float(sign)))
    prices = np.linspace(cheapest, dearest, _PRICES + 1)
    low, high = (np.full_like(prices, x) for x in ((0.0, k / n) if sign > 0 else (k / n, 1.0)))

    def is_steeper(p: Reals) -> Booleans:
        fewer = betaincc(k - 1, n - k + 1, p)
        at_most = betaincc(k, n - k, p) if k < n else np.ones_like(p)
        return sign * (fewer - (k - 1) * (at_most - fewer)) > prices

    low, high = bisected(is_steeper, low, high, _HALVINGS)
    return prices.tolist(), low.tolist(), (sign * exposed_part(low, n, k)).tolist()


def _least(function: Callable[[int], float], low: int, high: int) -> float:
    """Return the least value of a convex function of a whole number."""
    while low < high:
        middle = (low + high) // 2
        if function(middle) <= function(middle + 1):
            high = middle
        else:
            low = middle + 1
    return function(low)
