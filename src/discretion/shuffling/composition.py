"""Composition of several collections from the same users: δ(ε) of one, converted for a privacy accountant.

Between two secrets δ(ε) is convex in ``e^ε``, and so is the maximum over pairs. Every convex function through values
that are nowhere below it is therefore an upper bound: the lower convex hull of δ on a grid is a certified upper bound
that is exact on the grid. Its corners are the losses of two laws that are at least as far apart as any two secrets
(Doroshenko, Ghazi, Kamath, Kumar and Manurangsi, "Connect the dots", PoPETs 2022).
"""

import math
from bisect import bisect_left
from importlib import import_module
from typing import Any

import numpy as np

from discretion import limits
from discretion.channels.channel import System, as_system
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from discretion.measures.privacy_loss.differential_privacy import (
    Bound,
    plan_ldp_epsilon,
    plan_profile_bound,
    system_of_claim,
)
from discretion.measures.privacy_loss.profile_losses import bends_of_profile
from discretion.numerics.arrays import Reals
from discretion.validation import as_real

# Steps of a privacy profile that is composed.
MAX_PROFILE_POINTS = 1 << 20

# Losses beyond which δ is no more than this above its limit are taken for infinite.
_TAIL = 2e-15
_LARGEST = 700.0


def privacy_loss_distribution(system: System, interval: float = 1e-4) -> Any:
    """Return the privacy loss of one collection as an object of Google's `dp-accounting`, which composes several.

    Its δ(ε) equals `privacy_profile` where ε is a multiple of ``interval``, and is at least `privacy_profile`
    everywhere.

    Parameters
    ----------
    system
        As for `privacy_profile`. The adversary has the same knowledge of the other users in every round; these may hold
        different values in each round.
    interval
        The distance of the losses, above 0; the profile is computed at each multiple until it vanishes. Only losses
        with the same interval can be composed.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Symmetric and pessimistic: ``.self_compose(rounds)``, then ``.get_epsilon_for_delta(δ)`` or
        ``.get_delta_for_epsilon(ε)``. Both are certified upper bounds up to the rounding of dp-accounting. If the
        profile is known by bounds only, the object has their upper bound.

    Raises
    ------
    InvalidValueError
        If the interval is not positive.
    TooLargeError
        If the profile vanishes only after more than a million intervals.

    Notes
    -----
    "Connect the dots", Algorithm 1, for a symmetric pair of laws: a loss of -ε has ``e^-ε`` times the probability of ε.
    The profile is the maximum over pairs of secrets, so that rounds may compose to less for every single pair.

    Examples
    --------
    >>> import discretion as dc
    >>> crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 10_000)
    >>> loss = privacy_loss_distribution(crowd.seen_by(dc.AllButOne([0, 9_999])))  # doctest: +SKIP
    >>> round(loss.self_compose(10).get_epsilon_for_delta(1e-6), 3)  # doctest: +SKIP
    0.122
    """
    step = as_real(interval, "interval")
    if step <= 0:
        raise InvalidValueError(f"interval must be positive, got {interval!r}")
    accountant = _accountant()
    view = system_of_claim(as_system(system))
    bound = plan_profile_bound(view).compute()
    points = _points(bound, plan_ldp_epsilon(view).compute(), step)
    losses, infinite = _losses(bound(step * np.arange(points + 1, dtype=np.float64)), step)
    return accountant.PrivacyLossDistribution.create_from_rounded_probability(losses, infinite, step)


def _accountant() -> Any:
    try:
        return import_module("dp_accounting.pld.privacy_loss_distribution")
    except ImportError as error:
        raise UnsupportedError(
            "composing collections needs the package dp-accounting; install Discretion with its extra dp (uv run "
            "--extra dp)"
        ) from error


def _points(bound: Bound, most: float, step: float) -> int:
    """Return the number of steps until δ reaches its limit, up to a negligible rest."""

    def at(epsilon: float) -> float:
        return float(bound(np.array([epsilon]))[0])

    most, goal, points = min(most, _LARGEST), at(math.inf) + _TAIL, 1
    while points * step < most and at(points * step) > goal:
        points *= 2
    points = bisect_left(range(points), True, key=lambda point: at(point * step) <= goal)
    points = min(points, math.ceil(most / step))
    if points > limits.current().numbers(MAX_PROFILE_POINTS):
        raise TooLargeError(f"the profile vanishes only after {points:,} steps of {step:g}; choose a longer interval")
    return points


def _losses(deltas: Reals, step: float) -> tuple[dict[int, float], float]:
    """Return the law of the loss under one law, by multiples of the step, and the mass of an infinite loss."""
    bends = bends_of_profile(step * np.arange(deltas.size, dtype=np.float64), deltas)
    law = {0: max(0.0, float(1 - bends.first + 2 * bends.slope))}
    for point, larger, smaller in zip(
        bends.corners.tolist(), bends.larger.tolist(), bends.smaller.tolist(), strict=True
    ):
        law[point], law[-point] = larger, smaller
    return law, bends.infinite
