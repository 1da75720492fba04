"""Matrices with C R = D and rows that sum to 1, from one of which few entries are a little negative to one without.

Where a factor has hardly any room, the equations of a linear program are what rounding spoils: here they hold to a
rounding error throughout, because R moves only by what C does not see, N T where C N = 0.

    minimize s over T where R + N T + s >= 0 and Σ_z T[:, z] = 0

by an interior-point method, whose dual are λ >= 0 with Σ λ = 1 and Nᵀ λ[:, z] = -ν for all z.
"""

from collections.abc import Iterator

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Reals
from discretion.numerics.matrices import RANK_TOLERANCE
from discretion.validation import MAX_ENTRIES

_STEPS = 60
_CENTRING, _SHORT_OF_BOUNDARY = 0.1, 0.9
_DAMPING = 1e-14


def exact_factors(C: Reals, start: Reals) -> Iterator[Reals]:
    """Yield matrices with the same C R and the same sums of rows, whose least entry rises.

    Parameters
    ----------
    C
        Probabilities, shape ``(k, m)``.
    start
        The first of them, shape ``(m, n)``.
    """
    _, singular, right = np.linalg.svd(C)
    N: Reals = right[int((singular > RANK_TOLERANCE * singular[0]).sum()) :].T
    unseen = N.shape[1]
    if unseen == 0 or start.shape[1] * unseen**2 > limits.current().numbers(MAX_ENTRIES):
        return
    factor, s = start, 2 * max(-float(start.min()), np.finfo(float).tiny)
    room: Reals = factor + s
    prices = 1 / room / (1 / room).sum()
    for _ in range(_STEPS):
        goal = _CENTRING * float((room * prices).mean()) / room
        weights = prices / room
        blocks: Reals = (N.T * weights.T[:, None, :]) @ N
        np.einsum("zdd->zd", blocks)[...] *= 1 + _DAMPING
        try:
            inverse = np.asarray(np.linalg.inv(blocks), float)
            pull, drift = (np.einsum("zde,ze->zd", inverse, (N.T @ each).T) for each in (goal, weights))
            system = np.empty((unseen + 1, unseen + 1))
            system[:unseen, :unseen] = inverse.sum(axis=0)
            system[unseen, :unseen] = drift.sum(axis=0)
            system[:unseen, unseen] = -system[unseen, :unseen]
            system[unseen, unseen] = weights.sum() - np.vdot((N.T @ weights).T, drift)
            wanted = np.empty(unseen + 1)
            wanted[:unseen] = -pull.sum(axis=0)
            wanted[unseen] = goal.sum() - 1 - np.vdot((N.T @ weights).T, pull)
            solved = np.linalg.solve(system, wanted)
        except np.linalg.LinAlgError:
            return
        shared, rise = solved[:unseen], float(solved[unseen])
        T: Reals = pull - rise * drift + inverse @ shared
        move: Reals = N @ (T - T.mean(axis=0)).T
        opening, dearer = move + rise, goal - weights * (move + rise) - prices
        share = _SHORT_OF_BOUNDARY * _room(room, opening)
        factor, s = factor + share * move, s + share * rise
        room, prices = factor + s, prices + _SHORT_OF_BOUNDARY * _room(prices, dearer) * dearer
        yield factor
        if room.min() <= 0:
            return


def _room(point: Reals, step: Reals) -> float:
    """Return what share of the step leaves everything positive, at most all of it."""
    return min(1.0, float(np.min(-point[step < 0] / step[step < 0], initial=1.0)))
