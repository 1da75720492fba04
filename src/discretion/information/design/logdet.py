"""The asymptotic utility of a mixture, which is concave in the weights of its columns: its best is a D-optimal design.

With t the indicator of a column's favored set, its last entry subtracted from the others, ``det(C diag(1/PC) Cᵀ)`` is
the determinant of ``Σ_j θ_j step_j² t_j t_jᵀ / (s_j·P)``: one dimension less, without cancellation for any small ε.

Newton steps along the central path find the maximum (Boyd, Vandenberghe, Convex Optimization, section 11.7). A conic
solver would need a cone for each of thousands of points P, and takes hundreds of times as long.
"""

from typing import Any

import numpy as np
from scipy.special import stdtrit

from discretion.adversaries.populations import Dirichlet
from discretion.information.design.search import Mixture
from discretion.information.design.staircase import Columns, sets_of_size
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.means.simplex import REPLICATES, gauss_jacobi_simplex, lattice_simplex

MOST_VALUES_OF_GAUSS = 6
_MOST_CELLS = 1 << 23
_GAUSS_POINTS, _SETTLED = 1 << 13, 1e-3
_LATTICE_POINTS, _DOUBT = 1 << 11, 1e-6
_STEPS, _DIGITS, _LEAST_CENTRING = 80, 1e-12, 0.02
_LEAST_SHARE = 1e-30
_AT_ONCE = 64


class LogDeterminant:
    """``E log det(C diag(1/PC) Cᵀ)`` of a mixture, the mean being taken over points P with weights."""

    def __init__(self, points: Reals, weights: Reals) -> None:
        self._points, self._weights = points, weights
        self._rank = points.shape[1] - 1

    @property
    def tolerance(self) -> float:
        """A small fraction of a slope: the slopes of a mixture's own columns have its rank as their mean."""
        return 1e-9 * self._rank

    def best(self, columns: Columns, units: Reals, rows: Reals, limits: Reals, *, slack: bool) -> tuple[Reals, Reals]:
        """Follow the central path ``θ_j z_j = μ`` to its end, z being the multipliers of ``θ >= 0``."""
        if slack:
            rows = np.hstack([rows, np.eye(len(rows))[:, -1:]])
        atoms, m = self._atoms(columns) * units[:, None, None], rows.shape[1]
        theta, z, duals = np.full(m, 1 / m), np.full(m, float(self._rank)), self._rank * limits
        for _ in range(_STEPS):
            slopes, curvature = self._derivatives(atoms, theta[: len(columns)])
            slopes, curvature = np.pad(slopes, (0, slack)), np.pad(curvature, (0, slack))
            missing, product = limits - rows @ theta, float(theta @ z)
            if product <= _DIGITS * self._rank and np.abs(missing).max() <= _DIGITS:
                break
            system = np.block([[curvature + np.diag(z / theta), rows.T], [rows, np.zeros((len(rows), len(rows)))]])
            # A step to the path's end; the shorter it is cut, the larger the step back to the path.
            ends = np.concatenate([slopes - duals @ rows, missing]), np.concatenate([1 / theta, np.zeros(len(rows))])
            to_end, to_path = np.linalg.solve(system, np.stack(ends, axis=1)).T
            mu = product / m * max(_LEAST_CENTRING, (1 - _length(theta, z, to_end[:m], 0.0)) ** 3)
            step = to_end + mu * to_path
            length = 0.99 * _length(theta, z, step[:m], mu)
            z = z + length * ((mu - z * step[:m]) / theta - z)
            theta, duals = theta + length * step[:m], duals + length * step[m:]
        return _cleaned(theta, z, rows, limits)[: len(columns)], duals

    def slopes(self, candidates: Columns, mixture: Mixture) -> Reals:
        """Return ``E step² tᵀ M⁻¹ t / (s·P)`` for each candidate, M being the information of the mixture."""
        information = np.einsum("nmab,m->nab", self._atoms(mixture.columns), mixture.weights)
        inverse = _inverse(information)
        sets, group, counts = _sets(candidates)
        norms = inverse.reshape(len(inverse), -1) @ _squares(sets).T
        shares, starts = self._shares(sets), np.cumsum(counts) - counts
        slopes = np.empty(len(candidates))
        for epsilon in np.unique(candidates.epsilons):
            at = candidates.epsilons == epsilon
            means = self._weights @ (norms / (np.exp(-epsilon) - np.expm1(-epsilon) * shares))
            slopes[at] = (np.add.reduceat(means, starts) / counts)[group[at]]
        return slopes * candidates.step**2 / candidates.high

    def _atoms(self, columns: Columns) -> Reals:
        """Return ``step² t tᵀ / (s·P)`` at every point for every column, that of an orbit being its mean."""
        atoms = np.empty((len(self._points), len(columns), self._rank, self._rank))
        for j in range(len(columns)):
            sets, _, _ = _sets(columns[[j]])
            low, step = columns.low[j], columns.step[j]
            squares = (1 / (low + step * self._shares(sets))) @ _squares(sets)
            atoms[:, j] = squares.reshape(-1, self._rank, self._rank) * (step**2 / len(sets))
        return atoms

    def _derivatives(self, atoms: Reals, theta: Reals) -> tuple[Reals, Reals]:
        """Return the gradient in the weights, and the Hessian's negative, a cacheful of points at a time."""
        m, r = theta.size, self._rank
        slopes, curvature = np.zeros(m), np.zeros((m, m))
        for start in range(0, len(atoms), _AT_ONCE):
            part, weights = atoms[start : start + _AT_ONCE], self._weights[start : start + _AT_ONCE]
            whiten = _inverse(np.linalg.cholesky(np.einsum("nmab,m->nab", part, theta)))
            half = whiten @ part.transpose(0, 2, 1, 3).reshape(-1, r, m * r)
            white = (half.reshape(-1, r * m, r) @ whiten.transpose(0, 2, 1)).reshape(-1, r, m, r)
            slopes += weights @ np.einsum("nama->nm", white)
            flat = white.transpose(0, 2, 1, 3).reshape(-1, m, r * r)
            # One small product per point: BLAS splits a large one among threads, which on a busy machine wait.
            curvature += np.einsum("n,nij->ij", weights, flat @ flat.transpose(0, 2, 1))
        return slopes, curvature

    def _shares(self, sets: Booleans) -> Reals:
        return np.maximum(self._points @ sets.T, _LEAST_SHARE)


def quadrature_points(population: Dirichlet, most: int, rng: np.random.Generator) -> tuple[Reals, Reals]:
    """Return about that many points, with weights: Gauss's for few values, else those of a shifted lattice."""
    k = population.k
    if k <= MOST_VALUES_OF_GAUSS:
        return gauss_jacobi_simplex(population.alpha, int(most ** (1 / (k - 1)) + 1e-9))
    size = min(most, _MOST_CELLS >> k)
    return lattice_simplex(population.alpha, size, rng), np.full(size, 1 / size)


def highest_slopes(population: Dirichlet, columns: Columns, mixture: Mixture, rng: np.random.Generator) -> Reals:
    """Return the slopes under the population itself or, where these are estimates, upper bounds on them.

    Near its limit Gauss's rule converges geometrically, so that the higher of two orders errs by far less than the
    difference of the two.
    """
    if population.k <= MOST_VALUES_OF_GAUSS:
        rules = [
            LogDeterminant(*quadrature_points(population, most, rng)) for most in (_GAUSS_POINTS, 2 * _GAUSS_POINTS)
        ]
        slopes, finer = (rule.slopes(columns, mixture) for rule in rules)
        apart = np.abs(finer - slopes)
        if apart.max() <= _SETTLED * population.k:
            return finer + apart
    size = min(_LATTICE_POINTS, _MOST_CELLS >> population.k + 2)
    weights = np.full(size, 1 / size)
    lattices = (LogDeterminant(lattice_simplex(population.alpha, size, rng), weights) for _ in range(REPLICATES))
    slopes = np.array([lattice.slopes(columns, mixture) for lattice in lattices])
    quantile = float(stdtrit(REPLICATES - 1, 1 - _DOUBT))
    return slopes.mean(axis=0) + quantile * slopes.std(axis=0, ddof=1) / np.sqrt(REPLICATES)


def _sets(columns: Columns) -> tuple[Booleans, Integers, Integers]:
    """Return the sets that columns favor, in groups; the group of each column, and the number of sets in each group."""
    if columns.members is not None:
        sets, group = np.unique(columns.members, axis=0, return_inverse=True)
        return sets, group, np.ones(len(sets), dtype=np.int64)
    sizes, group = np.unique(columns.sizes, return_inverse=True)
    orbits = [sets_of_size(columns.k, int(size)) for size in sizes]
    return np.concatenate(orbits), group, np.array([len(orbit) for orbit in orbits])


def _squares(sets: Booleans) -> Reals:
    """Return ``t tᵀ`` of each set, t being its indicator with the last entry subtracted from the others."""
    t = sets[:, :-1].astype(np.float64) - sets[:, -1:]
    return np.einsum("sa,sb->sab", t, t).reshape(len(sets), -1)


def _inverse(matrices: Any) -> Reals:
    return np.asarray(np.linalg.inv(matrices), dtype=np.float64)


def _length(theta: Reals, z: Reals, step: Reals, mu: float) -> float:
    """Return the fraction of a step, at most 1, that can be taken until a weight or a multiplier is 0."""
    relative = np.concatenate([step / theta, (mu / z - step) / theta - 1])
    return 1 / max(1.0, float(-relative.min()))


def _cleaned(theta: Reals, z: Reals, rows: Reals, limits: Reals) -> Reals:
    """Return the weights without those that go to 0, if the others alone keep the rows."""
    kept = theta > z
    cleaned = np.zeros_like(theta)
    cleaned[kept] = theta[kept] + np.linalg.lstsq(rows[:, kept], limits - rows[:, kept] @ theta[kept])[0]
    return cleaned if cleaned.min() >= 0 and np.abs(rows @ cleaned - limits).max() <= _DIGITS else theta
