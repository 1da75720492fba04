"""Privacy losses from a privacy profile: for two laws of which only the profile is known, at some ε.

With ``t = e^ε``, ``δ(t) = ∫ max(0, Q - t P)`` is convex in t, and its bends are the masses of both laws: at the loss
log t, P has the mass of the bend and Q has t times as much. So

- the lower convex hull of upper bounds on δ is the δ of a pair that dominates (Doroshenko, Ghazi, Kamath, Kumar and
  Manurangsi, "Connect the dots", PoPETs 2022);
- between two t, δ is above the chords on either side of them, which bounds its distance below its own chord. The lower
  convex hull of values this much below δ is the δ of a pair that is dominated.

Below t = 1 the same holds for P against Q, since ``∫ max(0, Q - t P) = 1 - t + t ∫ max(0, P - Q/t)``.
"""

import math
from typing import NamedTuple

import numpy as np

from discretion.measures.privacy_loss.losses import LatticeLosses
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.convex_hulls import corners

# The rounding error of a bend, relative to δ; and the least mass of a law at finite losses.
_ROUNDING, _LEAST = 1e-10, 2.0**-53

# Lower and upper bounds.
Ends = tuple[Reals, Reals]


class Bends(NamedTuple):
    """The bends of the lower hull of a profile: the losses above 0, and the masses of both laws at each.

    ``corners`` are the places of the losses among the given ε, ``larger`` the masses of the law that exceeds,
    ``smaller`` those of the other one. ``first`` is δ(0), ``slope`` its slope in t there, ``infinite`` the last δ.
    """

    corners: Integers
    larger: Reals
    smaller: Reals
    first: float
    slope: float
    infinite: float


def bends_of_profile(epsilons: Reals, deltas: Reals) -> Bends:
    """Return the bends of the lower convex hull of δ at some ε: 0 first, ascending."""
    falling = np.minimum.accumulate(deltas)
    levels, values = epsilons.tolist(), falling.tolist()

    def slope(a: int, b: int) -> float:
        return (values[b] - values[a]) / (math.exp(levels[a]) * math.expm1(levels[b] - levels[a]))

    places = np.array(
        corners(range(len(values)), lambda left, middle, right: slope(left, middle) < slope(middle, right)),
        dtype=np.int64,
    )
    ratios, heights = np.exp(epsilons[places]), falling[places]
    slopes = np.append(np.diff(heights) / (ratios[:-1] * np.expm1(np.diff(epsilons[places]))), 0.0)
    smaller = np.maximum(np.diff(slopes), 0.0)
    return Bends(places[1:], smaller * ratios[1:], smaller, float(heights[0]), float(slopes[0]), float(heights[-1]))


def dominating_losses(step: float, places: Integers, deltas: Reals) -> LatticeLosses:
    """Return the losses, equal in both directions, of a pair that dominates all pairs with at most these δ.

    Parameters
    ----------
    step, places
        The ε of the profile, as multiples of the step: 0 first, ascending.
    deltas
        Upper bounds on the δ of each, for a pair in either order.
    """
    bends = bends_of_profile(_levels(step, places), np.minimum(deltas * (1 + _ROUNDING), 1.0))
    return _losses(step, places, bends, bends)


def dominated_losses(
    step: float, places: Integers, forwards: Ends, backwards: Ends
) -> tuple[LatticeLosses, LatticeLosses]:
    """Return the losses of Q against P, and of P against Q, of a pair that a pair with these δ dominates.

    Parameters
    ----------
    step, places
        The ε of the profiles, as multiples of the step: 0 first, ascending, at least three of them.
    forwards, backwards
        Lower and upper bounds on the δ of each, for Q against P and for P against Q.
    """
    ways = [_below(_levels(step, places), *ends) for ends in (forwards, backwards)]
    first = min(float(deltas[0]) for deltas in ways)
    for deltas in ways:
        deltas[0] = first
    there, back = (bends_of_profile(_levels(step, places), deltas) for deltas in ways)
    # If both halves together do not bend upwards at 1, the pair reveals nothing with some probability.
    most = there.first - there.slope - back.slope
    if most > 1:
        there, back = (bends_of_profile(_levels(step, places), deltas * ((1 - _ROUNDING) / most)) for deltas in ways)
    return _losses(step, places, there, back), _losses(step, places, back, there)


def _levels(step: float, places: Integers) -> Reals:
    return step * places.astype(np.float64)


def _losses(step: float, places: Integers, forwards: Bends, backwards: Bends) -> LatticeLosses:
    """Return the losses of the law that exceeds the other by the first bends, and is exceeded by the second bends."""
    last = int(places[-1])
    masses = np.zeros(2 * last + 1)
    masses[last] = max(_LEAST, 1 - forwards.first + forwards.slope + backwards.slope)
    masses[last + places[forwards.corners]] = forwards.larger
    masses[last - places[backwards.corners]] = backwards.smaller
    return LatticeLosses(masses, -last, step, infinite=min(forwards.infinite, 1 - _LEAST))


def _below(epsilons: Reals, low: Reals, high: Reals) -> Reals:
    """Return values between which no chord is above δ.

    A chord past its end is not above δ, nor is a line there through the upper bound of the far δ and the lower bound of
    the near one. Between two ε, δ is above such lines from either side, and furthest below its chord where they meet.
    """
    gaps = np.exp(epsilons[:-1]) * np.expm1(np.diff(epsilons))
    start, end = low[:-1], low[1:]
    # Before the first ε there is no chord; past the last one, δ is at least 0.
    rightwards = np.append(-math.inf, (start[1:] - high[:-2]) / gaps[:-1])
    leftwards = np.append((high[2:] - end[:-1]) / gaps[1:], 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = ((end - start) / gaps - leftwards) / (rightwards - leftwards)
    shares = np.clip(np.where(rightwards < leftwards, shares, 1.0), 0.0, 1.0)
    meeting = end - leftwards * (1 - shares) * gaps
    sags = (1 - shares) * high[:-1] + shares * high[1:] - meeting
    sags = np.maximum(sags, np.maximum(high[:-1] - start, high[1:] - end)) + _ROUNDING * high[:-1]
    deltas = low - np.maximum(np.append(sags, 0.0), np.append(0.0, sags))
    deltas[-1] = min(0.0, float(deltas[-1]))
    # Where that much below δ is below 0, a chord from 0 on stays below where the lines from either side meet.
    with np.errstate(divide="ignore", invalid="ignore"):
        before = np.where(deltas[1:] <= 0, np.maximum(meeting, 0.0) / (1 - shares), math.inf)
        after = np.where(deltas[:-1] <= 0, np.maximum(meeting, 0.0) / shares, math.inf)
    deltas[:-1] = np.fmin(deltas[:-1], before)
    deltas[1:] = np.fmin(deltas[1:], after)
    return np.maximum(deltas, 0.0)
