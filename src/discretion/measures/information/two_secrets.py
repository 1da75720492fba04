"""The information about one of two secrets, from the excess of the law of either over multiples of the other's."""

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from discretion.estimate import Estimate, highest, lowest
from discretion.numerics.arrays import Reals

# The number of intervals of the ratio, and the largest relative share of the rest beyond them.
_STRETCHES, _BEYOND = 16, 2e-3
# Where the excess has vanished, in multiples of what it is at a ratio of 1, if the loss is nearly normal.
_USUALLY = 14.0
_ROUNDING = 1e-11


def information_of_two_secrets(
    prior: Reals, excesses: tuple[Callable[[float], float | Estimate], Callable[[float], float | Estimate]], method: str
) -> Estimate:
    """Return certified bounds on the mutual information, in nats, of the observation and one of two secrets.

    ``I = π₀π₁ ∫₀^∞ δ₀(ε) / (π₁ + π₀ e^ε) + δ₁(ε) / (π₀ + π₁ e^ε) dε``, where ``δ_x(ε)`` is the excess of the law of
    the observations from secret x over e^ε times that from the other: an entropy is a mixture of the losses
    ``min(η(1 - t), (1 - η)t)`` over thresholds t, weighted ``1/(t(1 - t))``. In ``r = e^ε`` each excess is convex: its
    integral over an interval is below that of its chord, and above that of the tangent at the midpoint.

    Parameters
    ----------
    prior
        The probabilities of the two secrets, both above 0.
    excesses
        ``δ_x(ε)``, for ε of at least 0, exactly or between bounds.
    method
        The name of the algorithm behind the excesses.
    """
    low = high = 0.0
    for own, other, excess in zip(prior.tolist(), prior[::-1].tolist(), excesses, strict=True):
        below, above = _integral(own, other, excess)
        low, high = low + below, high + above
    scale = float(prior.prod())
    return Estimate.between(scale * low * (1 - _ROUNDING), scale * high * (1 + _ROUNDING), method)


def _integral(own: float, other: float, excess: Callable[[float], float | Estimate]) -> tuple[float, float]:
    """Return bounds on ``∫ δ / (other + own r) dr/r`` over all r of at least 1."""
    excess = cache(excess)  # the endpoints of the intervals repeat
    largest = highest(excess(0.0))
    if largest <= 0:
        return 0.0, 0.0
    reach = _USUALLY * largest
    while True:
        last = 1 + reach
        # The rest of the weight beyond: (1/other) log(1 + other / (own last)).
        beyond = highest(excess(math.log(last))) * math.log1p(other / (own * last)) / other
        inside = largest * min(reach, 1.0) / _USUALLY
        if beyond <= _BEYOND * inside or reach > 1 / _BEYOND**2:
            break
        reach *= 1.25
    edges = np.geomspace(1, last, _STRETCHES + 1) if last > 2 else np.linspace(1, last, _STRETCHES + 1)
    ratios = np.sort(np.concatenate([edges, (edges[1:] + edges[:-1]) / 2]))
    found = [excess(math.log(ratio)) for ratio in ratios.tolist()]
    least, most = np.array(list(map(lowest, found))), np.array(list(map(highest, found)))
    weights = 1 / (ratios * (other + own * ratios))  # convex too
    products = (most[:-1] + most[1:]) * (weights[:-1] + weights[1:]) + most[:-1] * weights[:-1] + most[1:] * weights[1:]
    above = float(np.diff(ratios) @ products) / 6 + beyond
    # Both fall, so that the mean of their product is at least the product of their means (Chebyshev).
    below = float(np.diff(ratios[::2]) @ (np.maximum(least[1::2], 0) * weights[1::2]))
    return below, above
