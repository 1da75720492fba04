"""Many collections from the same users: δ(ε) of one, handed to a privacy accountant that composes them.

Between two secrets δ(ε) is convex in ``e^ε``, and so is the largest of several. Every convex function through values
that are nowhere below it therefore bounds it: the lower convex hull of δ on a grid is a certified upper bound that is
exact on the grid. Its corners are the losses of two laws that are at least as far apart as any two secrets
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
    """Return the privacy loss of one collection for Google's `dp-accounting`, which composes several.

    Its δ(ε) is `privacy_profile` wherever ε is a multiple of ``interval``, and no less anywhere.

    Parameters
    ----------
    system
        As for `privacy_profile`. In every round an adversary knows as much of the others in a crowd, who may hold other
        values than before.
    interval
        How far apart the losses are, above 0; the profile is computed at each one until it vanishes. Only losses with
        the same interval can be composed.

    Returns
    -------
    dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
        Symmetric and pessimistic: ``.self_compose(rounds)``, then ``.get_epsilon_for_delta(δ)`` or
        ``.get_delta_for_epsilon(ε)``, which are certified up to what dp-accounting rounds. Where the profile is known
        by bounds only, it is their upper end.

    Raises
    ------
    InvalidValueError
        If the interval is not positive.
    TooLargeError
        If there are more than a million intervals up to where the profile vanishes.

    Notes
    -----
    Connect the dots, Algorithm 1, for a symmetric pair of laws: a loss of -ε is ``e^ε`` times less likely than ε.
    The profile is the largest over pairs of secrets, so that rounds may compose to less for every single pair.

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
            "composing collections needs the package dp-accounting, which Discretion's extra dp brings (uv run "
            "--extra dp)"
        ) from error


def _points(bound: Bound, most: float, step: float) -> int:
    """Return how many steps there are to where δ is at its limit, but for what is neglected."""

    def at(epsilon: float) -> float:
        return float(bound(np.array([epsilon]))[0])

    most, goal, points = min(most, _LARGEST), at(math.inf) + _TAIL, 1
    while points * step < most and at(points * step) > goal:
        points *= 2
    points = bisect_left(range(points), True, key=lambda point: at(point * step) <= goal)
    points = min(points, math.ceil(most / step))
    if points > limits.current().numbers(MAX_PROFILE_POINTS):
        raise TooLargeError(
            f"there are {points:,} steps of {step:g} to where the profile vanishes; take a longer interval"
        )
    return points


def _losses(deltas: Reals, step: float) -> tuple[dict[int, float], float]:
    """Return the law of the loss under one of the two, by multiples of the step, and the mass of an infinite one."""
    bends = bends_of_profile(step * np.arange(deltas.size, dtype=np.float64), deltas)
    law = {0: max(0.0, float(1 - bends.first + 2 * bends.slope))}
    for point, larger, smaller in zip(
        bends.corners.tolist(), bends.larger.tolist(), bends.smaller.tolist(), strict=True
    ):
        law[point], law[-point] = larger, smaller
    return law, bends.infinite
