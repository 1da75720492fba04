"""What the observations of some secrets have in common, whatever the secret."""

import itertools
import math

import numpy as np

from discretion import limits
from discretion.channels.storage import Storage
from discretion.estimate import End, Estimate

_ROUNDING = 1e-13


def least_overlap(rows: Storage, together: int) -> float | Estimate:
    """Return the least ``Σ_y min_{x in S} C[x, y]`` of all sets S of at most so many secrets.

    The larger a set, the less its secrets have in common. Where there are too many of that size, the overlap of all
    secrets is below it, and above that of a set to which the secret that lowers it most is added again and again.
    """
    secrets, columns = rows.shape
    if together >= secrets:
        return min(1.0, float(rows.column_minima().sum()))
    if together <= 2:
        return 1.0 if together == 1 else max(0.0, 1 - rows.furthest_rows().distance / 2)
    matrix = rows.dense()
    if math.comb(secrets, together) <= limits.current().most_choices_tried:
        chosen = itertools.combinations(range(secrets), together)
        return min(float(matrix[list(each)].min(axis=0).sum()) for each in chosen)
    shared = np.ones(columns)
    for _ in range(together):
        shared = min((np.minimum(shared, row) for row in matrix), key=lambda common: float(common.sum()))
    low, high = float(rows.column_minima().sum()), float(shared.sum())
    return between(low, high, "overlap of all secrets, and of a greedy set", safe="low")


def between(low: float, high: float, how: str, *, safe: End = "high") -> Estimate:
    """Return certified ends of a share, given by sums that rounding may have put a little off."""
    low = min(low, high)
    return Estimate.between(max(0.0, low - _ROUNDING), high + _ROUNDING, how, safe=safe, span=1)
