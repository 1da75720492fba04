"""The lower convex hull of points in the plane."""

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]
Integers = NDArray[np.int64]

# How often points above their neighbours are left out all at once, before they are gone through one by one.
_PASSES = 50


def lower_hull(x: Reals, y: Reals) -> Integers:
    """Return which points are corners of the lower convex hull, by ascending x; of those above one another both ends.

    Examples
    --------
    >>> lower_hull(np.array([0.0, 2.0, 1.0, 1.0]), np.array([1.0, 0.0, 0.2, 0.6])).tolist()
    [0, 2, 1]
    """
    kept = np.lexsort((-y, x))
    for _ in range(_PASSES):
        across, up = np.diff(x[kept]), np.diff(y[kept])
        # What is not below the line through its neighbours is no corner, whether or not these are.
        below = across[:-1] * up[1:] > up[:-1] * across[1:]
        if below.all():
            return kept
        kept = kept[np.concatenate([[True], below, [True]])]
    return kept[_chain(x[kept].tolist(), y[kept].tolist())]


def _chain(x: list[float], y: list[float]) -> list[int]:
    """Return the places of the corners, of points by ascending x (Andrew's monotone chain)."""
    kept: list[int] = []
    for i in range(len(x)):
        while len(kept) > 1:
            a, b = kept[-2:]
            if (x[b] - x[a]) * (y[i] - y[b]) > (y[b] - y[a]) * (x[i] - x[b]):
                break
            kept.pop()
        kept.append(i)
    return kept
