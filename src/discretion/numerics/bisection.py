"""Bisection in many intervals at once, and roots of single functions."""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Reals

Place = tuple[float, float]  # where, and the margin there


def bisected(
    holds: Callable[[Reals], ArrayLike], low: ArrayLike, high: ArrayLike, halvings: int
) -> tuple[Reals, Reals]:
    """Return the limits of each interval after some halvings: the condition holds at the low one, not at the high one.

    The given limits are assumed to be so, and not tested. Both results keep their shape; a single interval has none.
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    for _ in range(halvings):
        middle = (low + high) / 2
        is_held = holds(middle)
        nearer = np.where(is_held, middle, low), np.where(is_held, high, middle)
        if np.array_equal(nearer[0], low) and np.array_equal(nearer[1], high):
            break  # neighbouring floats stay what they are
        low, high = nearer
    return low, high


def root(function: Callable[[float], float], low: float, high: float, relative: float, absolute: float = 0.0) -> float:
    """Return a point next to a change of sign of a continuous function, between points where its signs differ.

    It halves the interval, or, if that is safe, takes the root of a curve through the last three points.

    Parameters
    ----------
    relative, absolute
        The largest distance from the root: the larger of the absolute and the relative distance.

    Notes
    -----
    Chandrupatla, A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function, Advances in
    Engineering Software 28, 1997.
    """
    newest, other = high, low
    at_newest, at_other = function(newest), function(other)
    share = 0.5
    while at_newest and at_other:
        best = newest if abs(at_newest) < abs(at_other) else other
        least = max(absolute, (relative + 2 * np.finfo(np.float64).eps) * abs(best)) / max(abs(other - newest), 1e-300)
        if least >= 1:
            return best
        share = min(max(share, least / 2), 1 - least / 2)
        point = newest + share * (other - newest)
        if point in (newest, other):
            return best
        at_point = function(point)
        # The point replaces the end whose sign it has; the end that leaves is the third point.
        if (at_point > 0) == (at_newest > 0):
            third, at_third = newest, at_newest
        else:
            third, at_third = other, at_other
            other, at_other = newest, at_newest
        newest, at_newest = point, at_point
        share = 0.5
        along, up = (newest - other) / (third - other), (at_newest - at_other) / (at_third - at_other)
        if 1 - (1 - along) ** 0.5 < up < along**0.5:  # then the inverse quadratic rises or falls throughout
            toward = at_newest / (at_other - at_newest) * at_third / (at_other - at_third)
            beyond = at_newest / (at_third - at_newest) * at_other / (at_third - at_other)
            share = toward + (third - newest) / (other - newest) * beyond
    return other if at_newest else newest


def bracketed(
    margin: Callable[[float], float], meets: Place, fails: Place, *, precision: float, whole: bool = False
) -> float:
    """Return a place whose margin is not negative, at most ``precision`` away from one with a negative margin.

    It interpolates, with hardly more steps than bisection in the worst case: Oliveira and Takahashi, An enhancement of
    the bisection method average performance preserving minmax optimality, ACM TOMS 2020.
    """
    width = first = abs(fails[0] - meets[0])
    reach = precision * 2.0 ** math.ceil(math.log2(first / precision))
    while width > precision:
        middle = (meets[0] + fails[0]) / 2
        share = meets[1] / (meets[1] - fails[1])
        guess = meets[0] + share * (fails[0] - meets[0]) if math.isfinite(share) else middle
        guess += math.copysign(min(0.2 * width * width / first, abs(middle - guess)), middle - guess)
        slack = max(0.0, reach - width / 2)
        place = min(max(guess, middle - slack), middle + slack)
        if whole:
            place = min(max(round(place), min(meets[0], fails[0]) + 1), max(meets[0], fails[0]) - 1)
        reached = place, margin(place)
        meets, fails = (reached, fails) if reached[1] >= 0 else (meets, reached)
        width, reach = abs(fails[0] - meets[0]), reach / 2
    return meets[0]
