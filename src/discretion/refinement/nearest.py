"""Bounds on the distance between two matrices of probabilities after post-processing of the first one."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Reals
from discretion.numerics.matrices import RANK_TOLERANCE, equal_columns
from discretion.refinement.interior_point import interior_points
from discretion.validation import MAX_ENTRIES

# What rounding leaves of a difference of probabilities: an absolute error that a float may have.
TOLERANCE = 1e-12

_STEPS = 60
_CENTRING, _SHORT_OF_BOUNDARY = 0.1, 0.9
_DAMPING = 1e-14


class Nearest:
    """The best factor and the best gain found so far, and the bounds that they prove.

    ``factor`` is a channel R, and ``high`` the largest total variation between a row of C R and the row of D.
    ``gain`` is a matrix W, a row per secret and a column per guess, and ``low`` the difference of its vulnerability for
    D and for C, in units of its vulnerability if the secret is known: the least total variation is at least ``low``.
    """

    def __init__(self, C: Reals, D: Reals) -> None:
        self._C, self._D = C, D
        self.factor: Reals = np.full((C.shape[1], D.shape[1]), 1 / D.shape[1])
        self.gain: Reals = np.ones_like(D)
        self.high, self.low = 1.0, 0.0

    @cached_property
    def _inverse(self) -> Reals:
        return np.asarray(np.linalg.pinv(self._C, rcond=RANK_TOLERANCE), float)

    def search(self, enough: Callable[["Nearest"], bool]) -> None:
        """Search for better ones until ``enough`` holds, or rounding ends the search."""
        for _ in self._attempts():
            if enough(self):
                return

    def _attempts(self) -> Iterator[None]:
        for attempt in (self._invert, self._match, self._solve, self._solve_columns):
            yield attempt()
        yield from self._try_exact_factors()
        for factor, gain in interior_points(self._C, self._D):
            self._try_factor(factor)
            self._try_factor(self._projected(factor))
            yield self._try_gain(gain)
        yield from self._try_exact_factors()

    def _try_exact_factors(self) -> Iterator[None]:
        for factor in exact_factors(self._C, self._projected(self.factor)):
            yield self._try_factor(factor)

    def _try_factor(self, R: Reals) -> None:
        factor: Reals = np.maximum(R, 0.0)
        factor[factor.sum(axis=1) == 0] = 1.0
        factor /= factor.sum(axis=1, keepdims=True)
        off = float(np.abs(self._C @ factor - self._D).sum(axis=1).max()) / 2
        if off < self.high:
            self.factor, self.high = factor, off

    def _try_gain(self, W: Reals) -> None:
        above: Reals = W - W.min(axis=1, keepdims=True)
        unit = float(above.max(axis=1).sum())
        if unit > 0:
            of_C, of_D = (float((channel.T @ above).max(axis=1).sum()) for channel in (self._C, self._D))
            if (of_D - of_C) / unit > self.low:
                self.gain, self.low = above / unit, (of_D - of_C) / unit

    def _invert(self) -> None:
        """Try the only factor of a square C with independent columns, if it has no negative entry."""
        if self._C.shape[0] == self._C.shape[1]:
            with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
                R = np.asarray(np.linalg.solve(self._C, self._D), float)
                if np.isfinite(R).all() and R.min() >= 0:
                    self._try_factor(R)

    def _match(self) -> None:
        """Try the factor that maps columns of C to proportional columns of D, and the identity as gain."""
        m, columns = self._C.shape[1], np.hstack([self._C, self._D])
        weights: Reals = self._D.sum(axis=0)
        factor = np.zeros((m, weights.size))
        for group in equal_columns(columns / columns.sum(axis=0)):
            if group.size > 1:
                factor[np.ix_(group[group < m], group[group >= m] - m)] = weights[group[group >= m] - m]
        self._try_factor(factor)
        self._try_gain(np.eye(len(self._C)))

    def _solve(self) -> None:
        """Try the least-squares factor, and the gains against it: from its residual, and from its negative entries.

        If C's columns are independent there is no other factor; the gain ``-C⁺ᵀ N`` sums R over N less for D than for
        C.
        """
        R = self._inverse @ self._D
        self._try_factor(R)
        self._try_gain(self._D - self._C @ R)
        self._try_gain(-self._inverse.T @ (R < 0))

    def _solve_columns(self) -> None:
        """Try to make each column of D from C's columns, without the constraint on the rows, and the gain against it.

        If a column of D is on the boundary of the cone of C's columns, there is often only one such factor.
        """
        from scipy.optimize import nnls  # noqa: PLC0415 - slow to import

        columns: list[Reals] = []
        for column in self._D.T:
            try:
                columns.append(nnls(self._C, column)[0])
            except RuntimeError:  # it takes too many steps
                return
        R = np.column_stack(columns)
        self._try_factor(R)
        self._try_gain(self._D - self._C @ R)

    def _projected(self, R: Reals) -> Reals:
        """Return the nearest matrix with C R = D, if there is one, and with rows that sum to 1."""
        matrix: Reals = R + self._inverse @ (self._D - self._C @ R)
        return matrix + (1 - matrix.sum(axis=1, keepdims=True)) / matrix.shape[1]


def exact_factors(C: Reals, start: Reals) -> Iterator[Reals]:
    """Yield matrices with the same C R and the same sums of rows, with rising least entries.

    Parameters
    ----------
    C
        Probabilities, shape ``(k, m)``.
    start
        The first matrix, shape ``(m, n)``.

    Notes
    -----
    If a factor has hardly any room, rounding spoils the equations of a linear program. Here they hold to a rounding
    error throughout, because R moves only within the null space of C: by N T with C N = 0.

        minimize s over T where R + N T + s >= 0 and Σ_z T[:, z] = 0

    by an interior-point method, whose dual are λ >= 0 with Σ λ = 1 and Nᵀ λ[:, z] = -ν for all z.
    """
    _, singular, right = np.linalg.svd(C)
    N: Reals = right[int((singular > RANK_TOLERANCE * singular[0]).sum()) :].T
    unseen = N.shape[1]
    if unseen == 0 or start.shape[1] * unseen**2 > limits.current().numbers(MAX_ENTRIES):
        return
    factor, s = start, 2 * max(-float(start.min()), np.finfo(float).tiny ** 0.5)  # whose inverses can be added
    room: Reals = factor + s
    prices = 1 / room / (1 / room).sum()
    for _ in range(_STEPS):
        step = _interior_step(N, room, prices)
        if step is None:
            return
        move, rise, dearer = step
        share = _SHORT_OF_BOUNDARY * _room(room, move + rise)
        factor, s = factor + share * move, s + share * rise
        room, prices = factor + s, prices + _SHORT_OF_BOUNDARY * _room(prices, dearer) * dearer
        yield factor
        if room.min() <= 0:
            return


@np.errstate(over="ignore", divide="ignore", invalid="ignore")
def _interior_step(N: Reals, room: Reals, prices: Reals) -> tuple[Reals, float, Reals] | None:
    """Return the moves of the factor, of s and of the prices, or None if there is too little room for finite steps."""
    unseen = N.shape[1]
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
        right_side = np.empty(unseen + 1)
        right_side[:unseen] = -pull.sum(axis=0)
        right_side[unseen] = goal.sum() - 1 - np.vdot((N.T @ weights).T, pull)
        solution = np.linalg.solve(system, right_side)
    except np.linalg.LinAlgError:
        return None
    multipliers, rise = solution[:unseen], float(solution[unseen])
    T: Reals = pull - rise * drift + inverse @ multipliers
    move: Reals = N @ (T - T.mean(axis=0)).T
    dearer: Reals = goal - weights * (move + rise) - prices
    return (move, rise, dearer) if np.isfinite(rise) and np.isfinite([move, dearer]).all() else None


def _room(point: Reals, step: Reals) -> float:
    """Return the largest share of the step, at most 1, that keeps all entries positive."""
    return min(1.0, float(np.min(-point[step < 0] / step[step < 0], initial=1.0)))
