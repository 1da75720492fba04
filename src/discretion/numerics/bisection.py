"""Bisection: where what holds at one end of an interval stops holding, in many intervals at once."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from discretion.numerics.arrays import Reals


def bisected(
    holds: Callable[[Reals], ArrayLike], low: ArrayLike, high: ArrayLike, halvings: int
) -> tuple[Reals, Reals]:
    """Return the ends of each interval once it is halved so often: it holds at the low one and not at the high one.

    What the ends given are taken for is not asked. Both keep their shape, a single interval's ends have none.
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
