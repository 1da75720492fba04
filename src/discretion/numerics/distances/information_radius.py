"""The information radius of laws: the mixture with the smallest largest relative entropy from them."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from discretion.numerics.arrays import Reals

_ENTRIES_AT_ONCE = 1 << 20
# Of the way to where a weight or its slack would be 0; and of what a step leaves of their products.
_SHORT_OF_THE_EDGE, _LEAST_CENTRING = 0.995, 1e-3
_STEPS = 80
# What is less likely than this in all laws adds nothing that doubles could tell from 0.
_NEGLIGIBLE = 1e-200
# Beyond this an exponential overflows.
_LARGEST = 600.0


def central_weights(laws: Reals, tolerance: float, order: float = 1.0) -> Reals:
    """Return weights w for which ``Σ_x w_x D(C_x; wC)`` is nearly maximal.

    It solves the conditions for the maximum by Newton's method: all laws in the mixture have the same, largest
    divergence, so that ``D(C_x; wC) + s_x`` is constant, with slacks ``s_x >= 0`` and products ``w_x s_x = 0``. On the
    way the products are equal, and fall (a primal-dual interior point method with Mehrotra's predictor). It stops when
    the largest divergence is within the tolerance of the mean, or when rounding dominates: the caller can check the
    divergences.

    Parameters
    ----------
    laws
        Shape ``(n, m)``, rows that sum to 1.
    tolerance
        The largest minus the mean divergence at which to stop, in nats.
    order
        The order α of Rényi's divergence, if it is not 1: then the weights are those of Sibson's information.
    """
    laws = laws[:, laws.max(axis=0) > _NEGLIGIBLE]
    # Of laws that are alike any share of their weight is as good, which no system of equations determines.
    laws, places, counts = np.unique(laws, axis=0, return_inverse=True, return_counts=True)
    return (_weights_of_distinct_laws(laws, tolerance, order) / counts)[places]


def _weights_of_distinct_laws(laws: Reals, tolerance: float, order: float) -> Reals:
    target = _Shannons(laws) if order == 1 else _Sibsons(laws, order)
    weights, slacks = np.full(len(laws), 1 / len(laws)), None
    best, least = weights, np.inf
    for _ in range(_STEPS):
        now = target.evaluate(weights)
        if not now.gap < np.inf:
            break
        if now.gap < least:
            best, least = weights, now.gap
        if now.gap <= tolerance:
            break
        if slacks is None:
            largest = float(now.slopes.max())
            slacks = 2 * largest - now.slopes - float(weights @ now.slopes)
        try:
            weights, slacks = _stepped(weights, slacks, now.slopes, now.curvature())
        except (np.linalg.LinAlgError, ZeroDivisionError):  # rounding has taken over
            break
    return best


class _Evaluation(NamedTuple):
    """The objective at some weights: its slopes, an upper bound of its gap to the maximum, and minus its curvature."""

    slopes: Reals
    gap: float
    curvature: Callable[[], Reals]


class _Shannons:
    """The mean divergence of laws from their mixture."""

    def __init__(self, laws: Reals) -> None:
        self._laws = laws
        self._own = np.concatenate([_negative_entropies(laws[part]) for part in _parts(*laws.shape)])

    def evaluate(self, weights: Reals) -> _Evaluation:
        mixture = weights @ self._laws
        divergences = self._own - self._laws @ np.log(mixture)
        gap = float(divergences.max()) - float(weights @ divergences)
        return _Evaluation(divergences, gap, lambda: _curvature(self._laws, 1 / mixture))


class _Sibsons:
    """``Σ_y (Σ_x w_x C[x, y]^α)^(1/α)``, or minus that where α < 1: a monotone function of Sibson's information."""

    def __init__(self, laws: Reals, order: float) -> None:
        self._tops = laws.max(axis=0)
        self._powers = (laws / self._tops) ** order
        self._order, self._scale = order, 0.0
        self._scale = float(self._log_roots(self._powers.mean(axis=0)).max())

    def _log_roots(self, sums: Reals) -> Reals:
        """Return the logarithms of the roots, relative to the largest at equal weights, since all may be tiny."""
        return np.log(self._tops) + np.log(sums) / self._order - self._scale

    def evaluate(self, weights: Reals) -> _Evaluation:
        order, sums = self._order, weights @ self._powers
        roots = np.exp(np.minimum(self._log_roots(sums), _LARGEST))
        slopes = self._powers @ (roots / sums)
        whole, furthest = float(roots.sum()), float(slopes.max() if order > 1 else slopes.min())
        gap = math.log(furthest / whole) / (order - 1) if furthest > 0 else math.inf
        bend = abs(1 / order - 1) * roots / sums / sums
        return _Evaluation(slopes if order > 1 else -slopes, gap, lambda: _curvature(self._powers, bend))


def _stepped(weights: Reals, slacks: Reals, slopes: Reals, curvature: Reals) -> tuple[Reals, Reals]:
    """Return weights and slacks after a step: ``(H + diag(s/w)) dw = D + μ/w - λ``, with weights that sum to 1."""
    n = weights.size
    curvature[np.diag_indices(n)] += slacks / weights
    towards, centring, level = np.linalg.solve(curvature, np.stack([slopes, 1 / weights, np.ones(n)], axis=1)).T

    def step(product: float) -> tuple[Reals, Reals, float]:
        free = towards + product * centring
        change = free - float(free.sum()) / float(level.sum()) * level
        slack_change = (product - slacks * change) / weights - slacks
        far = _SHORT_OF_THE_EDGE * min(_room(weights, change), _room(slacks, slack_change))
        return change, slack_change, min(1.0, far)

    product = float(weights @ slacks) / n
    change, slack_change, far = step(0.0)
    left = float((weights + far * change) @ (slacks + far * slack_change)) / n / product
    change, slack_change, far = step(product * max(left**3, _LEAST_CENTRING))
    weights = weights + far * change
    return weights / weights.sum(), slacks + far * slack_change


def _room(values: Reals, change: Reals) -> float:
    """Return the largest multiple of the change until the first value is 0."""
    falling = change < 0
    return float((values[falling] / -change[falling]).min()) if falling.any() else np.inf


def _curvature(rows: Reals, bends: Reals) -> Reals:
    """Return ``R diag(b) Rᵀ``, some columns at a time."""
    n, columns = rows.shape
    return sum((rows[:, part] * bends[part] @ rows[:, part].T for part in _parts(columns, n)), np.zeros((n, n)))


def _negative_entropies(laws: Reals) -> Reals:
    return (laws * np.log(np.where(laws > 0, laws, 1.0))).sum(axis=1)


def _parts(length: int, other: int) -> Iterator[slice]:
    step = max(1, _ENTRIES_AT_ONCE // max(1, other))
    return (slice(start, start + step) for start in range(0, length, step))
