"""Convex hulls of points in the plane, and lower envelopes of lines."""

import math
from collections.abc import Callable, Iterable
from operator import itemgetter
from typing import NamedTuple, TypeVar

import numpy as np

from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.compiled import compiled

Item = TypeVar("Item")
Real = TypeVar("Real", int, float)
# The line s ↦ a + b·s, and what it was made of.
Line = tuple[Real, Real, tuple[int, ...]]

# How often points above their neighbours are left out all at once, before they are gone through one by one.
_PASSES = 50
# Of fewer points NumPy and Python are done before a loop is loaded.
_COMPILED_FROM = 50_000


class Measured(NamedTuple):
    """Numbers and their differences from a constant such as 1, each to full precision where it is small."""

    values: Reals
    beyond: Reals

    @classmethod
    def from_values(cls, values: Reals) -> "Measured":
        """Return numbers without further precision."""
        return cls(values, -values)

    @property
    def keys(self) -> tuple[Reals, Booleans]:
        """The sort keys, the last one first."""
        late = self.values > 0.5
        return np.where(late, -self.beyond, self.values), late

    def steps(self, places: Integers) -> Reals:
        """Return the increases between the numbers at consecutive places."""
        up, down = np.diff(self.values[places]), 0.0 - np.diff(self.beyond[places])  # and never -0
        return np.where(self.values[places[1:]] > 0.5, down, up)


def lower_hull(x: Measured, y: Measured) -> Integers:
    """Return the corners of the lower convex hull, by ascending x; for equal x the lowest and the highest point.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 0.5, 0.5]), np.array([1.0, 0.0, 0.2, 0.6])
    >>> lower_hull(Measured.from_values(x), Measured.from_values(y)).tolist()
    [0, 2, 1]
    """
    falling = Measured(y.beyond, y.values)
    corner_points = np.lexsort((*falling.keys, *x.keys))
    corner_points = corner_points[np.append(True, (x.steps(corner_points) != 0) | (falling.steps(corner_points) != 0))]
    if corner_points.size > _COMPILED_FROM:
        return _compiled_chain(x, falling, corner_points)
    for _ in range(_PASSES):
        # What is not below the line through its neighbours is no corner, whether or not these are.
        with np.errstate(divide="ignore", over="ignore"):
            slopes = falling.steps(corner_points) / x.steps(corner_points)
        below = slopes[:-1] > slopes[1:]
        if below.all():
            return corner_points
        corner_points = corner_points[np.concatenate([[True], below, [True]])]
    return _chain(x, falling, corner_points)


def _chain(x: Measured, falling: Measured, places: Integers) -> Integers:
    """Return the corners among points by ascending x, by testing them one by one."""
    across, across_beyond, down, down_beyond = (part[places].tolist() for part in (*x, *falling))

    def slope(a: int, b: int) -> float:
        run = across_beyond[a] - across_beyond[b] if across[b] > 0.5 else across[b] - across[a]
        fall = down_beyond[a] - down_beyond[b] if down[b] > 0.5 else down[b] - down[a]
        return fall / run if run > 0 else math.inf

    return places[corners(range(places.size), lambda left, middle, right: slope(left, middle) > slope(middle, right))]


def _compiled_chain(x: Measured, falling: Measured, places: Integers) -> Integers:
    """Return the same as machine code."""
    chain, found = np.empty(places.size, np.int64), np.zeros(1, np.int64)
    compiled(_link)(*(part[places] for part in (*x, *falling)), chain, found)
    return places[chain[: found[0]]]


def _link(  # noqa: PLR0917 - a loop over arrays
    across: Reals, across_beyond: Reals, down: Reals, down_beyond: Reals, chain: Integers, found: Integers
) -> None:
    slopes = np.empty(chain.size)  # to each corner from the one before
    top = -1
    for c in range(chain.size):
        slope = 0.0
        while top >= 0:
            b = chain[top]
            run = across_beyond[b] - across_beyond[c] if across[c] > 0.5 else across[c] - across[b]
            fall = down_beyond[b] - down_beyond[c] if down[c] > 0.5 else down[c] - down[b]
            slope = fall / run if run > 0 else np.inf
            if top == 0 or slopes[top] > slope:
                break
            top -= 1
        top += 1
        chain[top], slopes[top] = c, slope
    found[0] = top + 1


def corners(items: Iterable[Item], is_corner: Callable[[Item, Item, Item], bool]) -> list[Item]:
    """Return the items that are corners between their neighbors, in order (Andrew's monotone chain).

    Parameters
    ----------
    items
        Points by ascending x, or lines by ascending slope.
    is_corner
        A function of three items in order that returns whether the second is a corner.

    Examples
    --------
    >>> heights = [3, 2, 1, 3, 2]
    >>> corners(range(5), lambda a, b, c: (heights[b] - heights[a]) * (c - b) < (heights[c] - heights[b]) * (b - a))
    [0, 2, 4]
    """
    stack: list[Item] = []
    for item in items:
        while len(stack) > 1 and not is_corner(stack[-2], stack[-1], item):
            stack.pop()
        stack.append(item)
    return stack


def lower_envelope(lines: Iterable[Line[Real]]) -> list[Line[Real]]:
    """Return the lines ``s ↦ a + b·s`` that attain the minimum at some s > 0, by ascending a.

    Examples
    --------
    >>> lower_envelope([(0, 9, ()), (2, 8, ()), (4, 1, ()), (5, 1, ())])
    [(0, 9, ()), (4, 1, ())]
    """
    falling: list[Line[Real]] = []
    for line in sorted(lines, key=itemgetter(0, 1)):
        if not falling or line[1] < falling[-1][1]:
            falling.append(line)
    return corners(falling, lambda left, middle, right: is_below(middle, left, right))


def is_below(middle: Line[Real], left: Line[Real], right: Line[Real]) -> bool:
    """Return whether a line is below both others at their intersection."""
    return (left[1] - middle[1]) * (right[0] - left[0]) > (left[1] - right[1]) * (middle[0] - left[0])
