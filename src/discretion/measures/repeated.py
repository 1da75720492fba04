"""The leakage of many uses of one system."""

import math
from dataclasses import replace
from typing import cast

import numpy as np

from discretion.channels.channel import System
from discretion.channels.composition.repeated import Repeated
from discretion.errors import TooLargeError, UnsupportedError
from discretion.estimate import Estimate, highest, lowest, settled
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.loss_curves import epsilon_of_losses, tests_of_losses
from discretion.measures.attack_curves.tradeoff import plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair, plan_bayes_security
from discretion.measures.guesses.rational import Rows, exact_rows
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import (
    Bound,
    Profile,
    log_likelihoods,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    plan_profile_bound,
    plan_renyi,
    system_of_claim,
)
from discretion.measures.privacy_loss.losses import leakiest_losses
from discretion.numerics.arrays import Reals
from discretion.validation import Fractions

# The rounding error of a total variation and of a Hellinger distance, which a power must not magnify.
_ROUNDING = 1e-14
_THEOREM_3 = Method("Bayes-sec Theorem 3 from one use", "bound")


def _losses(system: Repeated) -> LossPair | None:
    once = leakiest_losses(system.base)
    return None if once is None else LossPair.from_parts([(once, once, system.n)])


@exact_rows.register
def _exact_rows_of_repeated(system: Repeated) -> Rows | None:
    if exact_rows(system.base) is None or not system.is_exact:
        return None
    return lambda: cast(Fractions, system.channel().storage.fractions)


@plan_bayes_security.register
def _bayes_security_of_repeated(system: Repeated) -> Plan[float | Estimate]:
    losses = _losses(system)
    if losses is not None:
        return Plan(losses.forwards.method, lambda: settled(losses.forwards.overlap(0.0)))
    once = plan_bayes_security(system.base)
    try:
        listed = system.is_listed
    except (TooLargeError, UnsupportedError):  # there is no matrix of one use
        return Plan(_THEOREM_3, lambda: settled(_product(system, once.compute())))
    if listed:
        return Plan(
            Method("all pairs of rows, over tallies", "exact"), lambda: plan_bayes_security(system.channel()).compute()
        )
    how = f"Bayes-sec Thm 3 and Hellinger bounds over {system.n:,} uses"
    return Plan(Method(how, "bound"), lambda: settled(_bounds(system, once.compute(), how)))


def _product(system: Repeated, once: float | Estimate) -> Estimate:
    return _between(_power(once, system.n), highest(once) + _ROUNDING, once, _THEOREM_3.name)


def _power(once: float | Estimate, n: int) -> float:
    return math.nextafter(max(0.0, lowest(once) - _ROUNDING) ** n, 0)


def _between(low: float, high: float, once: float | Estimate, how: str) -> Estimate:
    """Return the bounds as an estimate with the confidence of the estimate for one use."""
    ends = Estimate(low, low, max(low, min(1.0, high)), None, how)
    return replace(ends, confidence=once.confidence, assuming=once.assuming) if isinstance(once, Estimate) else ends


def _bounds(system: Repeated, once: float | Estimate, how: str) -> Estimate:
    """Return β* of all uses between its bounds, with the lower bound as its value.

    With the least ``ρ = Σ_y √(C[a,y] C[b,y])`` of all pairs, ``1 - √(1-ρ²ⁿ) <= β* <= ρⁿ``: Le Cam's inequalities,
    since ρ of n uses is ρⁿ. Several uses also hide at most as much as one.
    """
    distance = _largest_hellinger(system.one_use.dense())
    squared_most = 2 * _log_affinity(distance + _ROUNDING) * system.n
    le_cam = math.exp(squared_most) / (1 + math.sqrt(-math.expm1(squared_most)))
    low = max(_power(once, system.n), math.nextafter(le_cam, 0))
    affinity = math.exp(_log_affinity(max(0.0, distance - _ROUNDING)) * system.n)
    return _between(low, min(highest(once) + _ROUNDING, math.nextafter(affinity, 1)), once, how)


def _largest_hellinger(matrix: Reals) -> float:
    """Return the largest Hellinger distance of two rows, ``√(1 - ρ)``, without cancellation."""
    roots = np.sqrt(matrix)
    squares = (float(np.square(roots[a + 1 :] - roots[a]).sum(axis=1).max()) for a in range(len(roots) - 1))
    return math.sqrt(max(squares) / 2)


def _log_affinity(distance: float) -> float:
    return math.log1p(-distance * distance) if distance < 1 else -math.inf


@plan_ldp_epsilon.register
def _ldp_epsilon_of_repeated(system: Repeated) -> Plan[float]:
    once = plan_ldp_epsilon(system.base)
    return once.named(f"{system.n:,} times that of one use").then(lambda one: system.n * one)


@plan_renyi.register
def _renyi_of_repeated(system: Repeated, order: float) -> Plan[float | Estimate]:
    once = plan_renyi(system.base, order)
    return once.named(f"{system.n:,} times that of one use").then(lambda one: system.n * one)


@system_of_claim.register
def _claimed_of_repeated(system: Repeated) -> System:
    system_of_claim(system.base)
    return system


@log_likelihoods.register
def _log_likelihoods_of_repeated(system: Repeated) -> Reals:
    # The channel's probabilities underflow, and would count as observations that a secret excludes.
    return system.log_law()[1]


@plan_privacy_profile.register
def _privacy_profile_of_repeated(system: Repeated) -> Plan[Profile]:
    losses = _losses(system)
    if losses is not None:
        return Plan(losses.forwards.method, lambda: losses.hockey_stick)
    return plan_privacy_profile.dispatch(object)(system)


@plan_profile_bound.register
def _bound_of_uses(system: Repeated) -> Plan[Bound]:
    losses = _losses(system)
    if losses is not None:
        return Plan(losses.forwards.method, losses.profile_bound)
    return plan_profile_bound.dispatch(object)(system)


@plan_least_epsilon.register
def _least_epsilon_of_repeated(system: Repeated, delta: float) -> Plan[float | Estimate]:
    losses = _losses(system)
    if losses is not None:
        return Plan(losses.forwards.method, lambda: settled(epsilon_of_losses(losses, delta, system)))
    return plan_least_epsilon.dispatch(object)(system, delta)


@plan_tradeoff.register
def _tradeoff_of_repeated(system: Repeated, pair: Pair | None) -> Plan[BestTests]:
    losses = _losses(system)
    if losses is not None and pair is None:
        return Plan(losses.forwards.method, lambda: tests_of_losses(losses))
    return plan_tradeoff.dispatch(object)(system, pair)
