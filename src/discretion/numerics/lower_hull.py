"""The lower convex hull of points in the plane."""

import math
from typing import NamedTuple

import numpy as np

from discretion.numerics.arrays import Booleans, Integers, Reals

# How often points above their neighbours are left out all at once, before they are gone through one by one.
_PASSES = 50


class Measured(NamedTuple):
    """Numbers, and what they leave of some constant, such as 1, each to all digits where it is small."""

    values: Reals
    beyond: Reals

    @classmethod
    def of(cls, values: Reals) -> "Measured":
        """Return numbers of which no more is known."""
        return cls(values, -values)

    @property
    def keys(self) -> tuple[Reals, Booleans]:
        """What they are sorted by, the last first."""
        late = self.values > 0.5
        return np.where(late, -self.beyond, self.values), late

    def steps(self, places: Integers) -> Reals:
        """Return how much the numbers at these places rise from each to the next."""
        up, down = np.diff(self.values[places]), 0.0 - np.diff(self.beyond[places])  # and never -0
        return np.where(self.values[places[1:]] > 0.5, down, up)


def lower_hull(x: Measured, y: Measured) -> Integers:
    """Return which points are corners of the lower convex hull, by ascending x; of those above one another both ends.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 0.5, 0.5]), np.array([1.0, 0.0, 0.2, 0.6])
    >>> lower_hull(Measured.of(x), Measured.of(y)).tolist()
    [0, 2, 1]
    """
    falling = Measured(y.beyond, y.values)
    kept = np.lexsort((*falling.keys, *x.keys))
    kept = kept[np.append(True, (x.steps(kept) != 0) | (falling.steps(kept) != 0))]
    for _ in range(_PASSES):
        # What is not below the line through its neighbours is no corner, whether or not these are.
        with np.errstate(divide="ignore", over="ignore"):
            slopes = falling.steps(kept) / x.steps(kept)
        below = slopes[:-1] > slopes[1:]
        if below.all():
            return kept
        kept = kept[np.concatenate([[True], below, [True]])]
    return _chain(x, falling, kept)


def _chain(x: Measured, falling: Measured, places: Integers) -> Integers:
    """Return the corners, of points by ascending x, going through them one by one (Andrew's monotone chain)."""
    across, across_beyond, down, down_beyond = (part[places].tolist() for part in (*x, *falling))

    def slope(a: int, b: int) -> float:
        run = across_beyond[a] - across_beyond[b] if across[b] > 0.5 else across[b] - across[a]
        fall = down_beyond[a] - down_beyond[b] if down[b] > 0.5 else down[b] - down[a]
        return fall / run if run > 0 else math.inf

    kept: list[int] = []
    for place in range(places.size):
        while len(kept) > 1 and slope(kept[-2], kept[-1]) <= slope(kept[-1], place):
            kept.pop()
        kept.append(place)
    return places[kept]
