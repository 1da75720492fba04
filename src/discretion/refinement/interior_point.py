"""Linear program for the nearest factor between two channels, by an interior-point method for its structure.

    minimize δ over R, E, F, s, δ >= 0 where C R - E + F = D, every row of R sums to 1, Σ_z E[x, z] + s[x] = δ

Its dual has a matrix W, a row per secret and a column per guess, with ``-π <= W <= 0``, numbers τ and a prior π:

    maximize Σ D W + Σ τ where (Cᵀ W)[y, z] + τ[y] <= 0, Σ π <= 1

Both have interior points, so that every step gives a factor R and a gain W. Evaluated again, these prove bounds despite
any rounding. The normal equations separate into one block per column of D, and a part that couples the blocks.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from discretion.numerics.arrays import Reals

# R, E, F, s, δ, or what is dual to them.
Columns = tuple[Reals, ...]
# Of the three kinds of equations W, τ, -π, or what these come to.
Rows = tuple[Reals, ...]

_STEPS = 100
_CORRECTIONS = 2
# The share of the way to the boundary that a step goes, and the product of primal and dual below which all is rounding.
_SHORT_OF_BOUNDARY, _ROUNDING = 0.9995, 1e-22
# What is added to a diagonal of ones where rounding has made a matrix indefinite.
_DAMPINGS = tuple(10.0**exponent for exponent in range(-15, -7))
_ENTRIES_AT_ONCE = 1 << 22


def interior_points(C: Reals, D: Reals) -> Iterator[tuple[Reals, Reals]]:
    """Yield matrices R and W that approach the optimum, until rounding stops them.

    Parameters
    ----------
    C, D
        Matrices of probabilities, shapes ``(k, m)`` and ``(k, n)``, whose rows sum to 1.

    Yields
    ------
    tuple
        R, shape ``(m, n)``, positive, and W, shape ``(k, n)``.

    Notes
    -----
    Mehrotra's predictor and corrector.
    """
    primal, dual, slack = _start(C, D)
    goals: Rows = D, np.ones_like(dual[1]), np.zeros_like(dual[2])
    for _ in range(_STEPS):
        yield primal[0], dual[0]
        mean = _mean_product(primal, slack)
        if mean < _ROUNDING:
            return
        missing = _difference(goals, _rows_of(C, primal))
        try:
            system = _NormalEquations(C, tuple(x / z for x, z in zip(primal, slack, strict=True)))
            changes = tuple(-x * z for x, z in zip(primal, slack, strict=True))
            straight, _, falls = system.step(slack, missing, changes)
            ahead = _mean_product(
                _moved(primal, straight, _room(primal, straight)), _moved(slack, falls, _room(slack, falls))
            )
            goal = mean * (ahead / mean) ** 3
            changes = tuple(goal + w - x * z for w, x, z in zip(changes, straight, falls, strict=True))
            step, turn, falls = system.step(slack, missing, changes)
        except np.linalg.LinAlgError:
            return
        room = _SHORT_OF_BOUNDARY * _room(slack, falls)
        primal = _moved(primal, step, _SHORT_OF_BOUNDARY * _room(primal, step))
        dual, slack = _moved(dual, turn, room), _moved(slack, falls, room)


def _start(C: Reals, D: Reals) -> tuple[Columns, Rows, Columns]:
    """Return points well inside the constraints, and the slacks of the dual's inequalities there."""
    (k, m), n = C.shape, D.shape[1]
    R = np.full((m, n), 1 / n)
    off = C @ R - D
    E = np.maximum(off, 0) + 1 / n
    delta = E.sum(axis=1).max(keepdims=True) + 1
    dual = np.full((k, n), -1 / (4 * k)), np.zeros(m), np.full(k, -1 / (2 * k))
    slack = tuple(limit - column for limit, column in zip((0, 0, 0, 0, 1), _columns_of(C, dual), strict=True))
    return (R, E, E - off, delta - E.sum(axis=1), delta), dual, slack


class _NormalEquations:
    """``A Θ Aᵀ`` for the matrix A of the equations and a diagonal Θ."""

    def __init__(self, C: Reals, theta: Columns) -> None:
        self._C, self._theta = C, theta
        R, E, F = theta[:3]
        (k, m), n = C.shape, E.shape[1]
        blocks: Reals = ((C * R.T[:, None, :]).reshape(n * k, m) @ C.T).reshape(n, k, k)
        diagonals: Reals = np.einsum("zxx->zx", blocks)  # a view
        diagonals *= 1 + _DAMPINGS[0]
        diagonals += (E + F).T
        self._roots = np.asarray(np.linalg.inv(np.linalg.cholesky(blocks)), float)

    @cached_property
    def _coupling(self) -> tuple[Any, Reals]:
        """The matrix that remains for τ and π after W is eliminated: its root, and the divisor of its diagonal."""
        from scipy.linalg import cho_factor  # noqa: PLC0415 - slow to import

        C, (R, E, _, s, delta) = self._C, self._theta
        (k, m), n = C.shape, E.shape[1]
        matrix: Reals = np.diag(np.concatenate([R.sum(axis=1), E.sum(axis=1) + s]))
        matrix[m:, m:] += delta
        scale = np.sqrt(matrix.diagonal())
        at_once = max(1, _ENTRIES_AT_ONCE // (k * (m + k)))
        for first in range(0, n, at_once):
            part = slice(first, first + at_once)
            roots = self._roots[part]
            by_rows = (roots.reshape(-1, k) @ C).reshape(-1, k, m) * R.T[part, None, :]
            block = np.concatenate([by_rows, -roots * E.T[part, None, :]], axis=2).reshape(-1, m + k)
            matrix -= block.T @ block
        unit: Reals = matrix / scale / scale[:, None]
        for damping in _DAMPINGS:
            try:
                return cho_factor(unit + damping * np.eye(m + k)), scale
            except (np.linalg.LinAlgError, ValueError):  # which SciPy says of what is not finite
                continue
        raise np.linalg.LinAlgError

    def step(self, slack: Columns, missing: Rows, changes: Columns) -> tuple[Columns, Rows, Columns]:
        """Return the steps of primal, dual and slack that remove the residuals and change the products as given."""
        alone = tuple(w / z for w, z in zip(changes, slack, strict=True))
        primal, dual = alone, tuple(np.zeros_like(row) for row in missing)
        for _ in range(1 + _CORRECTIONS):
            more = self._solved(_difference(missing, _rows_of(self._C, primal)))
            dual = tuple(row + by for row, by in zip(dual, more, strict=True))
            back = _columns_of(self._C, dual)
            primal = tuple(x + theta * b for x, theta, b in zip(alone, self._theta, back, strict=True))
        return primal, dual, tuple(-b for b in _columns_of(self._C, dual))

    def _solved(self, right: Rows) -> Rows:
        from scipy.linalg import cho_solve  # noqa: PLC0415

        C, (R, E), m = self._C, self._theta[:2], self._C.shape[1]
        alone = self._blockwise(right[0])
        eliminated = np.concatenate([(R * (C.T @ alone)).sum(axis=1), -(E * alone).sum(axis=1)])
        root, scale = self._coupling
        rest: Reals = np.asarray(cho_solve(root, (np.concatenate(right[1:]) - eliminated) / scale), float) / scale
        tau, prior = rest[:m], rest[m:]
        return alone - self._blockwise(C @ (R * tau[:, None]) - E * prior[:, None]), tau, prior

    def _blockwise(self, right: Reals) -> Reals:
        roots = self._roots
        return (roots.transpose(0, 2, 1) @ (roots @ right.T[:, :, None]))[:, :, 0].T


def _rows_of(C: Reals, columns: Columns) -> Rows:
    R, E, F, s, delta = columns
    return C @ R - E + F, R.sum(axis=1), E.sum(axis=1) + s - delta


def _columns_of(C: Reals, rows: Rows) -> Columns:
    W, tau, prior = rows
    return C.T @ W + tau[:, None], prior[:, None] - W, W, prior, -prior.sum(keepdims=True)


def _difference(left: Rows, right: Rows) -> Rows:
    return tuple(a - b for a, b in zip(left, right, strict=True))


def _mean_product(primal: Columns, slack: Columns) -> float:
    return sum(float(np.vdot(x, z)) for x, z in zip(primal, slack, strict=True)) / sum(x.size for x in primal)


def _moved(point: tuple[Reals, ...], step: tuple[Reals, ...], share: float) -> tuple[Reals, ...]:
    return tuple(x + share * dx for x, dx in zip(point, step, strict=True))


def _room(point: Columns, step: Columns) -> float:
    """Return the largest share of the step, at most 1, that keeps all entries positive."""
    return min(1.0, *(float(np.min(-x[dx < 0] / dx[dx < 0], initial=1.0)) for x, dx in zip(point, step, strict=True)))
