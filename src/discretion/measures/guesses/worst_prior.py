"""The prior at which the observation leaves the least share of a loss, or lowers the loss the most.

The loss after the observation, ``R_ℓ(π, C) = Σ_y min_w Σ_x π_x C[x, y] ℓ(w, x)``, is concave in the prior. Scaled such
that ``R_ℓ(ρ) = min_w ℓ_w·ρ >= 1``, the priors are a polyhedron. So either extreme is at one of its corners, which
depend on the loss alone. Where there are too many corners, linear programs improve a prior, each for the guesses that
are best at the prior before.
"""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from operator import mul
from typing import Any

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain
from discretion.channels.storage import Storage
from discretion.errors import InvalidGainError
from discretion.estimate import End, Estimate, lowest
from discretion.measures.measure import Method
from discretion.numerics.arrays import Reals
from discretion.numerics.search.corners import corner_count, corners, exact_corners

# Sets of secrets, or corners among the priors, in search of the worst.
MAX_CHOICES_TRIED = 1 << 16

_CORNERS = Method("all corners among the priors", "exact")
_IMPROVED = Method("linear programs, and the overlap of all secrets", "bound")

_PRODUCTS_AT_ONCE = 1 << 22
# The largest ratio of losses in doubles, and the most corners that are compared in fractions.
_FAR_APART, _MAX_EXACT_CORNERS = 1e8, 1 << 11


def losses_of(gain: Gain) -> Reals:
    """Return the loss of each guess against the best one; for a gain that is never positive, minus the gain."""
    gains = gain.guesses()
    return max(0.0, float(gains.max())) - gains


def way_to_worst(losses: Reals) -> Method:
    """Return the algorithm, which depends on the number of corners."""
    few = corner_count(*losses.shape) <= limits.current().steps(MAX_CHOICES_TRIED)
    return _CORNERS if few else _IMPROVED


def worst_share(rows: Storage, losses: Reals) -> float | Estimate:
    """Return the least ``R_ℓ(π, C) / R_ℓ(π)`` over all priors, or certified bounds on it."""
    likelihoods = rows.merged()[0].dense()
    if _is_wide(losses):
        return min(1.0, float(min(risk for _, risk in _exact_corners(likelihoods, losses))))
    losses = losses / losses.max()
    if way_to_worst(losses) is _CORNERS:
        return min(1.0, float(_left(likelihoods, losses, corners(losses)).min()))
    high = min(1.0, _improved(likelihoods, losses))
    low = lowest(least_overlap(rows, len(losses)))
    return certified_share(low, high, _IMPROVED.name, safe="low")


def largest_fall(rows: Storage, losses: Reals) -> float | Estimate:
    """Return the largest ``R_ℓ(π) - R_ℓ(π, C)`` over all priors, or certified bounds on it."""
    likelihoods, scale = rows.merged()[0].dense(), float(losses.max())
    if not losses.any(axis=1).all():  # one guess is always the best
        return 0.0
    if _is_wide(losses):
        falls = ((1 - risk) / sum(point) for point, risk in _exact_corners(likelihoods, losses))
        return max(0.0, float(max(falls)))
    losses = losses / scale
    if way_to_worst(losses) is _CORNERS:
        points = corners(losses)
        return max(0.0, float(((1 - _left(likelihoods, losses, points)) / points.sum(axis=1)).max())) * scale
    # The common part of all secrets' laws carries no information, and the rest at most that of the secret.
    secrets = len(likelihoods)
    point, weights = _program(np.ones(secrets), losses)
    high = float((weights @ losses).max() / weights.sum()) * (1 - min(1.0, float(rows.column_minima().sum())))
    candidates = np.stack([point / point.sum(), np.full(secrets, 1 / secrets)])
    low = max(0.0, float(((1 - _left(likelihoods, losses, candidates)) * (candidates @ losses.T).min(axis=1)).max()))
    return certified_share(low, high, _IMPROVED.name) * scale


def _is_wide(losses: Reals) -> bool:
    """Return whether losses differ so much that corners need fractions; raise if that would take too long.

    In doubles a corner has rounding errors relative to its largest coordinate, which may exceed a small loss.
    """
    least, most = float(losses[losses > 0].min()), float(losses.max())
    if most <= _FAR_APART * least:
        return False
    if corner_count(*losses.shape) > _MAX_EXACT_CORNERS:
        raise InvalidGainError(
            f"the gain's differences range from {least:.3g} to {most:.3g}, too far apart to compare this many guesses "
            f"in doubles; leave out guesses or secrets, or bring the ratio of differences to at most {_FAR_APART:g}"
        )
    return True


def _exact_corners(likelihoods: Reals, losses: Reals) -> Iterator[tuple[list[Fraction], Fraction]]:
    """Yield each corner, and ``R_ℓ(ρ, C) / R_ℓ(ρ)`` there, in fractions."""
    columns = [[Fraction(entry) for entry in column] for column in likelihoods.T.tolist()]
    lines = [[Fraction(entry) for entry in line] for line in losses.tolist()]
    for point in exact_corners(lines):
        joint = [[p * c for p, c in zip(point, column, strict=True)] for column in columns]
        risk = sum(min(sum(map(mul, line, part)) for line in lines) for part in joint)
        yield point, Fraction(risk) / min(sum(map(mul, line, point)) for line in lines)


def _left(likelihoods: Reals, losses: Reals, points: Reals) -> Reals:
    """Return ``R_ℓ(ρ, C) / R_ℓ(ρ)`` at many points."""
    step = max(1, _PRODUCTS_AT_ONCE // (likelihoods.shape[1] * max(losses.shape)))
    risks = np.zeros(len(points))
    for start in range(0, len(points), step):
        part = points[start : start + step]
        joint = part[:, :, None] * likelihoods
        risks[start : start + step] = (losses @ joint).min(axis=1).sum(axis=1) / (part @ losses.T).min(axis=1)
    return risks


def _improved(likelihoods: Reals, losses: Reals) -> float:
    """Return the share at a prior that no linear program improves; each uses the costs under the last best guesses."""
    point = np.full(len(likelihoods), 1 / len(likelihoods))
    best = float(_left(likelihoods, losses, point[None, :])[0])
    while True:
        guesses = (losses @ (point[:, None] * likelihoods)).argmin(axis=0)
        point, _ = _program((likelihoods * losses[guesses].T).sum(axis=1), losses)
        share = float(_left(likelihoods, losses, point[None, :])[0])
        if not share < best:
            return best
        best = share


def _program(cost: Reals, losses: Reals) -> tuple[Reals, Reals]:
    """Return the ``ρ >= 0`` of least cost with ``ℓ ρ >= 1``, and the dual of each guess's constraint."""
    from scipy.optimize import linprog  # noqa: PLC0415

    solution: Any = linprog(cost, -losses, -np.ones(len(losses)), method="highs-ds")
    return np.maximum(solution.x, 0.0), np.maximum(-solution.ineqlin.marginals, 0.0)


_ROUNDING = 1e-13


def least_overlap(rows: Storage, together: int) -> float | Estimate:
    """Return the least ``Σ_y min_{x in S} C[x, y]`` over all sets S of at most ``together`` secrets.

    Larger sets have smaller overlaps. Where there are too many sets of that size, the overlap of all secrets is a lower
    bound, and the overlap of a set that grows by the secret that lowers it most is an upper bound.
    """
    secrets, columns = rows.shape
    if together >= secrets:
        return min(1.0, float(rows.column_minima().sum()))
    if together <= 2:
        return 1.0 if together == 1 else max(0.0, 1 - rows.furthest_rows().distance / 2)
    matrix = rows.dense()
    if math.comb(secrets, together) <= limits.current().steps(MAX_CHOICES_TRIED):
        chosen = itertools.combinations(range(secrets), together)
        return min(float(matrix[list(members)].min(axis=0).sum()) for members in chosen)
    overlap = np.ones(columns)
    for _ in range(together):
        overlap = min((np.minimum(overlap, row) for row in matrix), key=lambda common: float(common.sum()))
    low, high = float(rows.column_minima().sum()), float(overlap.sum())
    return certified_share(low, high, "overlap of all secrets, and of a greedy set", safe="low")


def certified_share(low: float, high: float, how: str, *, safe: End = "high") -> Estimate:
    """Return certified bounds on a share, given by sums with rounding errors."""
    low = min(low, high)
    return Estimate.between(max(0.0, low - _ROUNDING), high + _ROUNDING, how, safe=safe, span=1)
