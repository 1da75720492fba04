"""The lower convex hull of points in the plane."""

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.compiled import compiled

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

# Fewer points than it is worth to load a compiler for.
_FEW = 1 << 12


def lower_hull(x: Reals, y: Reals) -> Integers:
    """Return which points are corners of the lower convex hull, by ascending x; of those above one another both ends.

    Examples
    --------
    >>> lower_hull(np.array([0.0, 2.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.2, 0.6])).tolist()
    [0, 2, 1]
    """
    order = np.lexsort((-y, x))
    kept, size = np.empty(order.size, np.int64), np.zeros(1, np.int64)
    chain = _chain if order.size <= _FEW else compiled(_chain)
    chain(x[order], y[order], kept, size)
    return order[kept[: size[0]]]


def _chain(x: Reals, y: Reals, kept: Integers, size: Integers) -> None:
    """Write the places of the corners, of points by ascending x, and how many they are (Andrew's monotone chain)."""
    count = 0
    for i in range(x.size):
        while count > 1:
            a, b = kept[count - 2], kept[count - 1]
            if (x[b] - x[a]) * (y[i] - y[a]) > (y[b] - y[a]) * (x[i] - x[a]):
                break
            count -= 1
        kept[count] = i
        count += 1
    size[0] = count
