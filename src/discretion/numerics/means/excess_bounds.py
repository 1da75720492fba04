"""Bounds of the mean positive part of a sum of n independent steps of many kinds: `mean_excess` for many kinds.

``max(0, x)`` is convex. So random moves of the steps with mean 0 raise its mean, and steps replaced by their mean lower
it. For the upper bound, the steps move to a few kinds, whose mean excess is an integral, or, if that has too many
peaks, to a lattice, on which the law of a sum is a power of a Fourier transform. For the lower bound, a few kinds are
left.
"""

import math
from typing import NamedTuple

import numpy as np

from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.lattice_sums import Lattice, tilted_sum
from discretion.numerics.means.mean_excess import Bounded, distinct_kinds, mean_excess, saddle_point, tilted_law

# So few kinds need no bounds, and so many are left of more: fewer where an integral would have many peaks.
_FEW_KINDS, _KINDS_SUMMED, _KINDS_BELOW, _KINDS_ABOVE = 4, 6, 24, 32
# How far a sum spreads at least whose mean excess is an integral, next to a step; and how close such an integral is.
_SMOOTH, _CLOSE = 4.0, 1e-3
# Places of a lattice for one standard deviation of a step, fewer for longer sums, and for all steps at most.
_COARSEST, _FINEST, _OF_SUM, _LONGEST = 8.0, 32.0, 1 << 10, 1 << 15
# How closely an integral is had, next to itself.
_RELATIVE = 1e-4
# What rounding does to a bound, next to it, once and for each summand.
_ROUNDING, _ROUNDING_PER_STEP = 1e-10, 2e-12


class _Steps(NamedTuple):
    """Distinct steps, ascending and at most 1 in size, their probabilities, and the tilt for which n sum to 0."""

    n: int
    places: Reals
    probabilities: Reals
    tilt: float

    @property
    def tilted(self) -> Reals:
        return tilted_law(self.places, self.probabilities, self.tilt)

    @property
    def deviation(self) -> float:
        tilted = self.tilted
        return math.sqrt(float(tilted @ np.square(self.places - float(tilted @ self.places))))

    @property
    def is_smooth(self) -> bool:
        """Whether the sum spreads over many step lengths, so that its mean excess is an integral with few peaks."""
        return self.deviation * math.sqrt(self.n) >= _SMOOTH * float(np.ptp(self.places))


def mean_excess_above(n: int, steps: Reals, probabilities: Reals) -> float:
    """Return an upper bound of ``E[(Σ_y steps_y h_y)₊] / n`` for h ~ Multinomial(n, probabilities)."""
    c, q = distinct_kinds(steps, probabilities)
    if c.size <= _FEW_KINDS or c[0] >= 0 or c[-1] <= 0:
        exact = mean_excess(n, c, q, _RELATIVE)
        return exact.value + exact.error
    scale, tilted = _scaled(n, c, q)
    bounds = list[Bounded]()
    if tilted.is_smooth:
        grid = tilted.places[_ends_of_kinds(tilted, _KINDS_ABOVE)]
        bounds.append(mean_excess(n, grid, spread_over(grid, tilted.places, q), _RELATIVE))
    if not any(map(_is_close, bounds)):
        grid = _lattice(tilted)
        bounds.append(_lattice_excess(tilted, grid, spread_over(grid, tilted.places, q)))
    bound = min(few.value + few.error for few in bounds)
    return bound * scale * (1 + _ROUNDING + _ROUNDING_PER_STEP * n)


def mean_excess_below(n: int, steps: Reals, probabilities: Reals) -> float:
    """Return a lower bound of ``E[(Σ_y steps_y h_y)₊] / n`` for h ~ Multinomial(n, probabilities)."""
    c, q = distinct_kinds(steps, probabilities)
    if c.size <= _FEW_KINDS or c[0] >= 0 or c[-1] <= 0:
        exact = mean_excess(n, c, q, _RELATIVE)
        return max(0.0, exact.value - exact.error)
    scale, tilted = _scaled(n, c, q)
    starts = _ends_of_kinds(tilted, _KINDS_BELOW if tilted.is_smooth else _KINDS_SUMMED)[:-1]
    masses = np.add.reduceat(q, starts)
    few = mean_excess(n, np.add.reduceat(q * tilted.places, starts) / masses, masses, _RELATIVE)
    return max(0.0, few.value - few.error) * scale * (1 - _ROUNDING - _ROUNDING_PER_STEP * n)


def _is_close(few: Bounded) -> bool:
    return few.error <= _CLOSE * few.value


def _scaled(n: int, c: Reals, q: Reals) -> tuple[float, _Steps]:
    scale = float(np.abs(c).max())
    return scale, _Steps(n, c / scale, q, saddle_point(n, c / scale, q))


def _ends_of_kinds(steps: _Steps, kinds: int) -> Integers:
    """Return the numbers of some steps, with the first and the last: more where the tilted law has more mass."""
    # Of cells in which moving costs the least in all, the lengths are as the density to the power of -1/3.
    lengths = np.cbrt(steps.tilted[1:] * np.square(np.diff(steps.places)))
    shares = np.cumsum(lengths) / float(lengths.sum())
    inner = 1 + np.searchsorted(shares, np.arange(1, kinds) / kinds)
    return np.unique(np.concatenate([[0], inner, [steps.places.size - 1]]))


def _lattice(steps: _Steps) -> Reals:
    """Return the places of a lattice from the lowest step to the highest."""
    each = min(max(_OF_SUM / math.sqrt(steps.n), _COARSEST), _FINEST)
    cells = min(math.ceil(each * float(np.ptp(steps.places)) / steps.deviation), _LONGEST)
    return np.linspace(float(steps.places[0]), float(steps.places[-1]), cells + 1, dtype=np.float64)


def spread_over(grid: Reals, steps: Reals, probabilities: Reals) -> Reals:
    """Return the law after each step moves at random to a neighbor in the grid, by 0 on average."""
    cell = np.clip(np.searchsorted(grid, steps, side="right") - 1, 0, grid.size - 2)
    share = np.clip((steps - grid[cell]) / (grid[cell + 1] - grid[cell]), 0.0, 1.0)
    return np.asarray(
        np.bincount(cell, probabilities * (1 - share), grid.size)
        + np.bincount(cell + 1, probabilities * share, grid.size),
        dtype=np.float64,
    )


def _lattice_excess(steps: _Steps, grid: Reals, law: Reals) -> Bounded:
    """Return the mean excess of steps whose law is on the lattice."""
    width = (grid[-1] - grid[0]) / (grid.size - 1)
    total = tilted_sum([(Lattice(law, 0), steps.n)], steps.tilt * width)
    # The sum's tilt counts places from the lowest step.
    start = steps.n * float(grid[0])
    log_moment = total.log_moment + steps.tilt * start
    values = start + total.places * width
    above = values > 0
    excess = float((total.masses[above] * values[above]) @ np.exp(log_moment - steps.tilt * values[above]))
    # The weights x e^(-sx) are largest at 1/s.
    return Bounded(excess / steps.n, total.error * math.exp(log_moment - 1) / steps.tilt / steps.n)
