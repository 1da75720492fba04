"""Population uniqueness by a Gaussian copula: columns as steps of correlated normal variables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from importlib import import_module
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.numerics.arrays import Reals
from discretion.numerics.equivalence_classes import Column, everybody, refined

#: What it assumes.
IN_PAIRS = "columns hang together in pairs only, as normal variables do, their values in order"
# Cells averaged over, points of the integral over each, and terms of Mehler's series.
_CELLS, _POINTS, _TERMS = 4000, 400, 40
# A correlation matrix keeps eigenvalues of at least this.
_MIN_SHARE = 1e-6
_NEAREST = 0.999


@dataclass(frozen=True)
class _Steps:
    """A column as steps of a standard normal variable: the ends of each step, and the variable's mean in it."""

    ends: Reals
    means: Reals
    hermite: Reals


def copula(columns: Sequence[Column], population: int, rng: np.random.Generator) -> UniquenessModel:
    """Return the model's estimate from a sample's people, by their ordered codes of each column.

    With p(x) the chance of a cell, ``P(unique) = E_x (1 − p(x))^(N−1)`` over cells drawn from the model, and for the
    sample's unique people the mean of ``(1 − p(x))^(N−n)``. The shares are the sample's. Each pair's correlation gives
    normal variables in these steps the covariance that the steps' means have in the sample. Source: Rocher,
    Hendrickx and de Montjoye, "Estimating the success of re-identifications in incomplete datasets using generative
    models", 2019; p(x) by Genz' separation of variables, "Numerical computation of multivariate normal probabilities",
    1992.
    """
    n = columns[0].codes.size
    varying = [column for column in columns if np.count_nonzero(np.bincount(column.codes)) > 1]
    if not varying:
        return UniquenessModel("Gaussian copula", IN_PAIRS, None, None, why_not="all columns have one value only")
    steps = [_steps(column) for column in varying]
    root: Reals = np.asarray(np.linalg.cholesky(_correlations(varying, steps)), np.float64)
    normal = rng.standard_normal((_CELLS, len(steps))) @ root.T
    drawn = [np.searchsorted(step.ends[1:-1], normal[:, j]) for j, step in enumerate(steps)]
    points = _points(len(steps), rng)
    alone = _left_alone(_boxes(steps, drawn, root, points), population - 1)
    alike = reduce(refined, varying, everybody(n))
    unique = np.flatnonzero(np.bincount(alike.codes)[alike.codes] == 1)
    some = rng.choice(unique, min(_CELLS, unique.size), replace=False)
    here = _boxes(steps, [column.codes[some] for column in varying], root, points)
    return UniquenessModel(
        "Gaussian copula",
        IN_PAIRS,
        float(alone.mean()),
        float(_left_alone(here, population - n).mean()),
        float(alone.std() / _CELLS**0.5),
    )


def _steps(column: Column) -> _Steps:
    """Return a column as steps, with the coefficients of their means in Hermite polynomials of norm 1."""
    special: Any = import_module("scipy.special")
    counts = np.bincount(column.codes)
    reached = np.cumsum(counts) / column.codes.size
    ends = np.concatenate(([-np.inf], special.ndtri(reached[:-1]), [np.inf]))
    inner = np.where(np.isfinite(ends), ends, 0.0)
    density = np.where(np.isfinite(ends), np.exp(-(inner**2) / 2) / np.sqrt(2 * np.pi), 0.0)
    shares = counts / column.codes.size
    means = np.divide(-np.diff(density), shares, out=np.zeros(shares.size), where=shares > 0)
    below, at, hermite = np.zeros(inner.size), np.ones(inner.size), np.empty(_TERMS)
    for k in range(1, _TERMS + 1):
        hermite[k - 1] = means @ -np.diff(at * density) / np.sqrt(k)
        below, at = at, (inner * at - np.sqrt(k - 1) * below) / np.sqrt(k)
    return _Steps(ends, means, hermite)


def _correlations(columns: Sequence[Column], steps: Sequence[_Steps]) -> Reals:
    """Return the correlations of the normal variables, adjusted to a valid correlation matrix."""
    correlations = np.eye(len(steps))
    worth = [step.means[column.codes] for step, column in zip(steps, columns, strict=True)]
    powers = np.arange(1, _TERMS + 1)
    for i, j in combinations(range(len(steps)), 2):
        terms, moment = steps[i].hermite * steps[j].hermite, float(np.mean(worth[i] * worth[j]))
        low, high = -_NEAREST, _NEAREST
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if float(terms @ middle**powers) < moment else (low, middle)
        correlations[i, j] = correlations[j, i] = (low + high) / 2
    values, vectors = np.linalg.eigh(correlations)
    mended = (vectors * np.maximum(values, _MIN_SHARE)) @ vectors.T
    scale = np.sqrt(np.diag(mended))
    return mended / np.outer(scale, scale)


def _points(dimensions: int, rng: np.random.Generator) -> Reals:
    """Return points that fill a cube evenly: multiples of square roots of primes, shifted at random."""
    primes = [p for p in range(2, 20 * dimensions + 3) if all(p % q for q in range(2, int(p**0.5) + 1))]
    roots = np.sqrt(np.array(primes[:dimensions], np.float64))
    return (np.arange(1, _POINTS + 1)[:, None] * roots + rng.random(dimensions)) % 1.0


def _boxes(steps: Sequence[_Steps], codes: Sequence[NDArray[np.integer]], root: Reals, points: Reals) -> Reals:
    """Return the chance of each cell, computed one variable after the other, given the earlier ones."""
    special: Any = import_module("scipy.special")  # which takes a tenth of a second
    chance: Reals = np.ones((codes[0].size, len(points)))
    normal: list[Reals] = []
    for j, step in enumerate(steps):
        given: Reals = np.zeros(chance.shape)
        for i in range(j):
            given = given + root[j, i] * normal[i]
        low: Reals = special.ndtr((step.ends[codes[j]][:, None] - given) / root[j, j])
        high: Reals = special.ndtr((step.ends[1:][codes[j]][:, None] - given) / root[j, j])
        chance = chance * (high - low)
        normal.append(special.ndtri(np.clip(low + points[:, j] * (high - low), 1e-15, 1 - 1e-15)))
    return chance.mean(axis=1)


def _left_alone(chances: Reals, others: int) -> Reals:
    return np.exp(others * np.log1p(-np.minimum(chances, 1 - 1e-15)))
