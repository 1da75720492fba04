"""Differential privacy of any system: bounds on the likelihood ratios of observations between two secrets."""

import math
import sys
from collections.abc import Callable
from functools import cache, singledispatch
from typing import TypeVar

import numpy as np

from discretion.channels.channel import System, as_system
from discretion.errors import InternalError
from discretion.estimate import Estimate, highest, lowest, mapped, settled
from discretion.measures.measure import (
    Method,
    OfDelta,
    OfEpsilon,
    OfOrder,
    Plan,
    as_plain,
    measure,
    measure_at,
    plainest,
)
from discretion.measures.privacy_loss.divergences import excess_mass_of_logs, logarithms, renyi_of_logs
from discretion.numerics.arrays import Reals
from discretion.numerics.bisection import root
from discretion.validation import as_epsilon, as_order, as_probability

EXTREMES = Method("extremes of every column", "exact")


@measure
def ldp_epsilon(system: System) -> Plan[float]:
    """Return the least ε for which the system is ε-locally differentially private.

    ``ε = max_{y, x, x'} log(C[x, y] / C[x', y])``

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system.

    Returns
    -------
    float
        At least 0; infinite when some observation excludes a secret that another one allows.

    Notes
    -----
    Source: LDP-info, section 5.

    Examples
    --------
    >>> import discretion as dc
    >>> round(ldp_epsilon(dc.Channel([[0.75, 0.25], [0.25, 0.75]])), 6)
    1.098612
    """
    return plan_ldp_epsilon(as_plain(system))


@singledispatch
def plan_ldp_epsilon(system: System) -> Plan[float]:
    """Plan ε by comparing the largest and the least entry of every column."""
    return Plan(EXTREMES, lambda: _largest_log_ratio(system))


def _largest_log_ratio(system: System) -> float:
    rows = system.channel().storage
    largest, least = rows.column_maxima(), rows.column_minima()
    possible = largest > 0
    if np.any(least[possible] == 0):
        return math.inf
    return float(np.max(np.log(largest[possible]) - np.log(least[possible])))


Profile = Callable[[float], float | Estimate]
# An upper bound on δ at many ε.
Bound = Callable[[Reals], Reals]
T = TypeVar("T")

ALL_PAIRS = Method("all ordered pairs of rows", "exact")


@measure_at(OfEpsilon)
def privacy_profile(system: System, epsilon: float) -> Plan[float | Estimate]:
    """Return the least δ for which the system is (ε, δ)-differentially private.

    ``δ(ε) = max_{a,b} Σ_y max(0, C[a, y] - e^ε C[b, y])``, over ordered pairs of secrets.

    Parameters
    ----------
    system
        A channel, a mechanism, or a structured system. For a `discretion.Shuffled` crowd, give its view by an
        adversary, since differential privacy is a guarantee against an adversary:
        ``crowd.seen_by(dc.WorstAllButOne())``.
    epsilon
        ε >= 0, infinity included; or a list or an array of these.

    Returns
    -------
    float or Estimate
        In [0, 1]; δ(0) is the largest total variation, ``1 - β*``. A certified `Estimate` only for crowds in which the
        other users' values are known, or the worst, and too many to sum over. For an array, an array of the same shape:
        of floats if every result is exact, else of objects.

    Raises
    ------
    UnsupportedError
        If the object is not a system, or is a crowd without an adversary (``seen_by``).

    Notes
    -----
    It is the hockey-stick divergence; Balle, Bell, Gascón and Nissim, CRYPTO 2019.

    Examples
    --------
    >>> import discretion as dc
    >>> crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 10_000)
    >>> f"{privacy_profile(crowd.seen_by(dc.AllButOne([0, 9_999])), 0.05):.4g}"
    '2.52e-09'
    """
    level = as_epsilon(epsilon)
    return plan_privacy_profile(system_of_claim(as_system(system))).then(lambda profile: settled_delta(profile(level)))


@measure_at(OfDelta)
def dp_epsilon(system: System, delta: float) -> Plan[float | Estimate]:
    """Return the least ε for which the system is (ε, δ)-differentially private: the inverse of `privacy_profile`.

    ``ε(δ) = min {ε >= 0 : δ(ε) <= δ}``

    Parameters
    ----------
    system
        As for `privacy_profile`.
    delta
        δ in [0, 1]; or a list or an array of these.

    Returns
    -------
    float or Estimate
        At least 0; infinite if observations of total probability above δ exclude a secret. For an array, an array of
        the same shape: of floats if every result is exact, else of objects.

    Raises
    ------
    UnsupportedError
        If the object is not a system, or is a crowd without an adversary (``seen_by``).

    Notes
    -----
    This is the (ε, δ) of a single collection; `discretion.shuffling.privacy_loss_distribution` composes several.

    Examples
    --------
    >>> import discretion as dc
    >>> crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 10_000)
    >>> round(dp_epsilon(crowd.seen_by(dc.AllButOne([0, 9_999])), 1e-6), 5)
    0.03566
    """
    level = as_probability(delta, "delta")
    claim = system_of_claim(as_system(system))
    return plan_ldp_epsilon(claim) if level == 0 else plan_least_epsilon(claim, level)


@measure_at(OfOrder)
def renyi_dp(system: System, order: float) -> Plan[float | Estimate]:
    """Return the largest Rényi divergence between the laws of the observation of two secrets.

    ``max_{a,b} log Σ_y C[a, y]^α C[b, y]^(1-α) / (α - 1)``, over ordered pairs of secrets.

    Parameters
    ----------
    system
        As for `privacy_profile`.
    order
        α > 0, infinity included; 1 is the Kullback-Leibler divergence. A list or an array of these is accepted, too.

    Returns
    -------
    float or Estimate
        In nats, at least 0; infinite where an observation excludes a secret and α >= 1. A certified `Estimate` only for
        a `discretion.SubsampledGaussian` with very little noise. For an array, an array of the same shape: of floats if
        every result is exact, else of objects.

    Raises
    ------
    TooLargeError
        If a crowd has too many histograms to sum over.

    Examples
    --------
    >>> import discretion as dc
    >>> crowd = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 100)
    >>> round(renyi_dp(crowd.seen_by(dc.AllButOne([0, 99])), 2), 6)
    0.011042
    """
    level = as_order(order)
    return plan_renyi(system_of_claim(as_system(system)), level)


@singledispatch
def system_of_claim(system: System) -> System:
    """Return the system of a claim of differential privacy; raise for a crowd without an adversary."""
    return plainest(system)


@singledispatch
def plan_privacy_profile(system: System) -> Plan[Profile]:
    """Plan δ as a function of ε by comparing all pairs of rows of the explicit channel."""
    return Plan(ALL_PAIRS, lambda: _explicit_profile(system))


@singledispatch
def profile_complement(system: System) -> Profile | None:
    """Return ``1 - δ(ε)`` as a function of ε, in full relative precision; None if the system has no such function."""
    return None


@singledispatch
def plan_profile_bound(system: System) -> Plan[Bound]:
    """Plan an upper bound on δ at many ε at once: by default the upper bound of the profile at each of them."""
    return plan_privacy_profile(system).then(_one_by_one)


@singledispatch
def plan_renyi(system: System, order: float) -> Plan[float | Estimate]:
    """Plan the largest Rényi divergence by comparing all pairs of rows of the explicit channel."""
    return Plan(ALL_PAIRS, lambda: max((renyi_of_logs(a, b, order) for a, b in _ordered_pairs(system)), default=0.0))


@singledispatch
def log_likelihoods(system: System) -> Reals:
    """Return ``log C[x, y]``, a row per secret; some systems compute them where the channel's entries underflow."""
    return logarithms(system.channel().dense())


@singledispatch
def plan_least_epsilon(system: System, delta: float) -> Plan[float | Estimate]:
    """Plan the inverse of the privacy profile, for δ > 0, by a search for the ε at which it reaches δ."""
    plan, most = plan_privacy_profile(system), plan_ldp_epsilon(system)
    complement = profile_complement(system)
    return plan.then(lambda profile: profile_root(profile, delta, most.compute(), system, complement=complement))


def settled_delta(delta: float | Estimate) -> float | Estimate:
    """Return a δ as a float if its bounds are close in absolute and in relative terms.

    A value of 1e-15 between 0 and 1e-12 is as narrow as the precision of a float, but its relative error is unbounded.
    """
    return settled(delta) if highest(delta) - lowest(delta) <= _NEXT_TO_DELTA * highest(delta) else delta


def _one_by_one(profile: Profile) -> Bound:
    return lambda epsilons: np.array([min(1.0, max(0.0, highest(profile(level)))) for level in epsilons.tolist()])


def _explicit_profile(system: System) -> Profile:
    pairs = _ordered_pairs(system)  # once: a structured system computes its channel again each time
    return lambda epsilon: min(1.0, max((excess_mass_of_logs(a, b, epsilon) for a, b in pairs), default=0.0))


def _ordered_pairs(system: System) -> list[tuple[Reals, Reals]]:
    rows = log_likelihoods(system)
    return [(a, b) for i, a in enumerate(rows) for j, b in enumerate(rows) if i != j]


# From this δ on, the search is for 1 - δ.
_NEAR_ONE = 0.5
# Below this doubles have fewer digits the smaller they are.
_LEAST, _ZERO = sys.float_info.min, 5e-324
# The relative distance of equal values, and of an ε from the next one that is tried.
_ALIKE, _WIDER = 1e-12, 0.25
# The precision of a root, relative to it or to δ.
_ROOT = 1e-13
_TOO_SMALL = "between ε(2.2e-308) and ε(0), for a δ too small for a double to have all its digits"


def profile_root(
    profile: Profile,
    delta: float,
    most: float,
    system: object = None,
    *,
    complement: Profile | None = None,
    attained: Callable[[float], float] | None = None,
) -> float | Estimate:
    """Return the ε at which a privacy profile, 0 from ``most`` on, falls to δ > 0; error messages name the system.

    Near δ = 1 it uses the complement, ``1 - δ(ε)`` in full relative precision, which the profile itself lacks. A lower
    bound that takes less time than the profile, and may rise once the profile was computed, is given as ``attained``.
    """
    cached_profile = cache(profile)
    if complement is None or not _NEAR_ONE < delta < 1:
        result = _least_epsilon(cached_profile, delta, most, attained)
    else:
        result = _least_epsilon(cache(_odds(complement)), 1 / (1 - delta), most, None)
    return confirm_inverse(result, highest(result), cached_profile, delta, name_of_epsilon(system, delta))


# The relative distance of the bounds of a δ up to which it counts as a float.
_NEXT_TO_DELTA = 1e-6
# The excess of a confirmed result over its goal by rounding, and the distance of a float from its true number.
_BEYOND, _RELATIVE, _ABSOLUTE = 1e-9, 1e-10, 1e-12
_SHOWN = 200


def confirm_inverse(answer: T, at: float, forward: Profile, goal: float, question: str) -> T:
    """Return the result of an inverse search unless the forward measure ``at`` its safe bound is beyond the goal.

    For an ε the safe bound is `discretion.estimate.highest`. For a measure that must be at least the goal, give
    ``forward`` and the goal with a minus. The question names the measure, the system and the goal.

    Raises
    ------
    InternalError
        If the forward measure is certainly beyond the goal, even with ``at`` increased by the error of a float.
    """
    if math.isinf(at):  # no finite number, so nothing to confirm
        return answer
    forward_answer = forward(at)
    if lowest(forward_answer) <= goal * (1 + math.copysign(_BEYOND, goal)):
        return answer
    if isinstance(at, float):
        forward_answer = forward(at + max(_ABSOLUTE, _RELATIVE * abs(at)))
        if lowest(forward_answer) <= goal * (1 + math.copysign(_BEYOND, goal)):
            return answer
    raise InternalError(
        f"internal error: the result of {question} is {answer!r}, but the forward measure at {at!r} is "
        f"{forward_answer!r}, beyond {goal!r}; please report this"
    )


def _odds(complement: Profile) -> Profile:
    """Return the inverse of the complement of a profile, which falls like a profile, down to 1."""
    return lambda epsilon: mapped(complement(epsilon), lambda remainder: 1 / max(remainder, sys.float_info.min))


def name_of_epsilon(system: object, delta: float) -> str:
    """Return the words for the ε of a δ in an error."""
    return f"ε(δ = {delta!r})" + (f" of {system!r:.{_SHOWN}}" if system is not None else "")


def _least_epsilon(
    profile: Profile, delta: float, most: float, attained: Callable[[float], float] | None
) -> float | Estimate:
    def lower(epsilon: float) -> float:
        return lowest(profile(epsilon)) if attained is None else attained(epsilon)

    goal, low, tried = max(delta, _LEAST), 0.0, -1.0
    while True:
        reached = cache(lower)
        low = _root(reached, goal, most, low)
        enough, value = max(goal, reached(low)) * (1 + _ALIKE * _left_of(goal)), profile(low)
        # Where it does not rise although the profile was computed there, only rounding is between both.
        if math.isinf(low) or lowest(value) <= enough or low == tried:
            break
        tried = low
    # The other end is no less, and is mostly close.
    high = low if highest(value) <= enough else _root(lambda epsilon: highest(profile(epsilon)), goal, most, low)
    if delta < goal:
        return settled(Estimate(most, low, most, None, _TOO_SMALL))
    if low == high or not isinstance(value, Estimate):
        return high
    return settled(Estimate(low + (high - low) / 2, low, high, None, value.method))


def _root(profile: Callable[[float], float], delta: float, most: float, least: float) -> float:
    """Return the point from the least one on at which a falling function, 0 beyond ``most``, reaches delta."""
    start = profile(least)
    if start <= delta:
        return least
    if math.isinf(most) and profile(math.inf) > delta:
        return math.inf
    goal = math.log(delta)
    if least > 0:
        # For normal laws, log δ falls about half as slowly as this takes it to.
        low = high = least
        wider = min(_WIDER, max(_ALIKE, (math.log(start) - goal) / max(abs(goal), _ALIKE)))
    else:
        # Around the root for two normal laws as far apart; far beyond the root δ underflows.
        low = high = min(most, normal_epsilon(start, delta))
        wider = _WIDER
    while low > least and profile(low) <= delta:
        low, high = (0.75 * low if low > 1e-300 else 0.0), low
    while high < most and profile(high) > delta:
        low, high, wider = high, min(most, (1 + wider) * high), min(_WIDER, 4 * wider)
    if math.isinf(high) or profile(high) > delta:  # the root overflows, or rounding keeps δ from reaching it
        return most

    hidden = _ROOT * _left_of(delta)

    def margin(epsilon: float) -> float:
        above = math.log(max(profile(epsilon), _ZERO)) - goal
        return above if abs(above) > hidden else 0.0  # where e^ε is rounded, no ε is closer

    return root(margin, low, high, _ROOT)


def _left_of(delta: float) -> float:
    """Return 1 - δ, or 1 for odds: near δ = 1 the least relative change of δ is a large one of 1 - δ, and so of ε."""
    return 1 - delta if delta < 1 else 1.0


# Beyond this e^ε overflows.
_LARGEST = 709.0


def normal_epsilon(distance: float, delta: float) -> float:
    """Return ε(δ) of two normal laws with this total variation: ``δ = Φ(μ/2 - ε/μ) - e^ε Φ(-μ/2 - ε/μ)``."""

    def below(z: float) -> float:
        return 0.5 * math.erfc(-z / math.sqrt(2))

    shift = _falling_root(lambda mu: 1 - 2 * below(-mu / 2) < distance, 0.0, 16.0)

    def too_small(epsilon: float) -> bool:
        return below(shift / 2 - epsilon / shift) - math.exp(epsilon) * below(-shift / 2 - epsilon / shift) > delta

    return _falling_root(too_small, 0.0, min(_LARGEST, 40 * shift + shift * shift)) if shift > 0 else 0.0


def _falling_root(is_low: Callable[[float], bool], low: float, high: float) -> float:
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return high


def ratio_of(epsilon: float) -> float:
    """Return ``e^ε``, at most the largest double; this limit makes δ a little larger."""
    return math.inf if math.isinf(epsilon) else math.exp(min(epsilon, _LARGEST))
