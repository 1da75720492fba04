"""The mixture of some laws from which none of them is far, in relative entropy: their information radius."""

from collections.abc import Iterator

import numpy as np

from tacit.numerics.matrices import Reals

_ENTRIES_AT_ONCE = 1 << 20
# Of the way to where a weight or its slack would be 0; and of what a step leaves of their products.
_SHORT_OF_THE_EDGE, _LEAST_CENTRING = 0.995, 1e-3
_STEPS = 80
# What is less likely than this in all laws adds nothing that doubles could tell from 0.
_NEGLIGIBLE = 1e-200


def central_weights(laws: Reals, within: float) -> Reals:
    """Return weights w under which ``Σ_x w_x D(C_x; wC)`` nearly is the largest there is.

    By Newton's method on the conditions for the largest: a law in the mixture is as far from it as any, so that
    ``D(C_x; wC) + s_x`` is the same for all, with slacks ``s_x >= 0`` and products ``w_x s_x = 0``; these are alike on
    the way, and fall (a primal-dual interior point, with Mehrotra's predictor). It stops when all D are within so much
    of their mean, or where rounding takes over: the divergences tell the caller how far it came.

    Parameters
    ----------
    laws
        Shape ``(n, m)``, rows that sum to 1.
    within
        The largest less the mean divergence at which to stop, in nats.
    """
    laws = laws[:, laws.max(axis=0) > _NEGLIGIBLE]
    n, columns = laws.shape
    own = -np.concatenate([_entropies(laws[part]) for part in _parts(n, columns)])
    weights, slacks = np.full(n, 1 / n), None
    best, least = weights, np.inf
    for _ in range(_STEPS):
        mixture = weights @ laws
        divergences = own - laws @ np.log(mixture)
        largest = float(divergences.max())
        gap = largest - float(weights @ divergences)
        if not gap < np.inf:
            break
        if gap < least:
            best, least = weights, gap
        if gap <= within:
            break
        slacks = largest - divergences + gap if slacks is None else slacks
        weights, slacks = _stepped(weights, slacks, divergences, _curvature(laws, mixture))
    return best


def _stepped(weights: Reals, slacks: Reals, divergences: Reals, curvature: Reals) -> tuple[Reals, Reals]:
    """Return both a step on: ``(H + diag(s/w)) dw = D + μ/w - λ``, the weights still summing to 1."""
    n = weights.size
    curvature[np.diag_indices(n)] += slacks / weights
    towards, centring, level = np.linalg.solve(curvature, np.stack([divergences, 1 / weights, np.ones(n)], axis=1)).T

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
    """Return how often the change can be made until the first value is 0."""
    falling = change < 0
    return float((values[falling] / -change[falling]).min()) if falling.any() else np.inf


def _curvature(laws: Reals, mixture: Reals) -> Reals:
    """Return ``C diag(1/q) Cᵀ``, some columns at a time."""
    n, columns = laws.shape
    return sum((laws[:, part] / mixture[part] @ laws[:, part].T for part in _parts(columns, n)), np.zeros((n, n)))


def _entropies(laws: Reals) -> Reals:
    return -(laws * np.log(np.where(laws > 0, laws, 1.0))).sum(axis=1)


def _parts(length: int, other: int) -> Iterator[slice]:
    step = max(1, _ENTRIES_AT_ONCE // max(1, other))
    return (slice(start, start + step) for start in range(0, length, step))
