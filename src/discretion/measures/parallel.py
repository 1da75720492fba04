"""The leakage of several systems together about the same secret, from the leakage of each."""

import math
from collections.abc import Callable
from functools import reduce, singledispatch
from itertools import combinations

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import System
from discretion.channels.composition.products import Parallel
from discretion.channels.composition.repeated import Repeated
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, as_share, bracketed, highest, largest, lowest, settled
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    log_likelihoods,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
    system_of_claim,
)
from discretion.measures.privacy_loss.divergences import renyi_of_logs
from discretion.measures.privacy_loss.loss_sums import AtomSum
from discretion.measures.privacy_loss.losses import MAX_LOSS_POINTS, LatticeLosses, Losses, RowLosses, leakiest_losses
from discretion.numerics.arrays import Reals

BY_SUM = Method("between the largest information of one part and the sum of all", "bound")
THEOREM_3 = "Bayes-sec Theorem 3 from each part"
SUMS = Method("largest sum over pairs of secrets", "exact")
PAIRS = Method("sums of privacy losses, over pairs of secrets", "exact")
BY_CAPACITIES = Method("between the largest leakage of one part and a bound by their capacities", "bound")
Result = Plan[float | Estimate]
# The largest number of uses whose losses are added one by one.
_CONVOLVED = 1 << 10
# The number of pairs that are compared if their losses are as many as possible.
_GRIDS = 64
# Of two secrets.
Ways = Callable[[int, int], tuple[Losses, Losses, int]]


@singledispatch
def pairs_alike(system: System) -> bool:
    """Return whether all ordered pairs of secrets are known to be equally easy to distinguish."""
    return False


@pairs_alike.register
def _pairs_alike_of_repeated(system: Repeated) -> bool:
    return pairs_alike(system.base)


@singledispatch
def losses_of_pairs(system: System) -> Ways:
    """Return a function from two secrets to their privacy losses in both directions, with the number of uses."""
    losses = leakiest_losses(system) if pairs_alike(system) else None
    if losses is not None:
        return lambda a, b: (losses, losses, 1)
    logs = log_likelihoods(system)
    return lambda a, b: (RowLosses(logs[a], logs[b]), RowLosses(logs[b], logs[a]), 1)


@losses_of_pairs.register
def _losses_of_pairs_of_repeated(system: Repeated) -> Ways:
    losses = leakiest_losses(system.base) if pairs_alike(system.base) else None
    if losses is None:
        return losses_of_pairs.dispatch(object)(system)
    if system.n > _CONVOLVED:
        return lambda a, b: (losses, losses, system.n)
    masses = reduce(np.convolve, [losses.masses] * system.n)
    total = LatticeLosses(masses, system.n * losses.first, losses.step, system.n * losses.offset)
    return lambda a, b: (total, total, 1)


@log_likelihoods.register
def log_likelihoods_of_parallel(system: Parallel) -> Reals:
    """Return the sums of the parts' logarithms, which do not underflow as the channel's products do."""
    if not system.is_small:
        return log_likelihoods.dispatch(object)(system)

    def both(first: Reals, second: Reals) -> Reals:
        return (first[:, :, None] + second[:, None, :]).reshape(len(first), -1)

    return reduce(both, (log_likelihoods(part) for part in system.parts))


@singledispatch
def divergences(system: System, order: float) -> Reals:
    """Return the Rényi divergences of all ordered pairs of secrets, which add up over independent observations."""
    logs = log_likelihoods(system)
    return np.array([[0.0 if a is b else renyi_of_logs(a, b, order) for b in logs] for a in logs])


@divergences.register
def _divergences_of_repeated(system: Repeated, order: float) -> Reals:
    return system.n * divergences(system.base, order)


def _largest_sum(system: Parallel, order: float, of_part: Callable[[System], Plan[float]]) -> Plan[float]:
    """Plan the largest sum over ordered pairs: the sum of the parts' maxima if at most one part distinguishes pairs."""
    if sum(not pairs_alike(part) for part in system.parts) <= 1:
        plans = [of_part(part) for part in system.parts]
        return Plan(SUMS, lambda: math.fsum(plan.compute() for plan in plans))
    return Plan(SUMS, lambda: float(np.sum([divergences(part, order) for part in system.parts], axis=0).max()))


@plan_ldp_epsilon.register
def _ldp_epsilon_of_parallel(system: Parallel) -> Plan[float]:
    return _largest_sum(system, math.inf, plan_ldp_epsilon)


@plan_renyi.register
def _renyi_of_parallel(system: Parallel, order: float) -> Plan[float]:
    return _largest_sum(system, order, lambda part: plan_renyi(part, order).then(highest))


@system_of_claim.register
def _claimed_of_parallel(system: Parallel) -> System:
    for part in system.parts:
        system_of_claim(part)
    return system


def _excesses(system: Parallel) -> list[Profile]:
    """Return the excess of one secret's law over another's for all ordered pairs, or raise TooLargeError."""
    parts, excesses = [losses_of_pairs(part) for part in system.parts], list[Profile]()
    points, some = 0, limits.current().numbers(MAX_LOSS_POINTS)
    # One pair represents all pairs if they are equivalent.
    is_alike = all(pairs_alike(part) for part in system.parts)
    for pair in [(0, 1)] if is_alike else combinations(range(system.secrets), 2):
        losses = [way(*pair) for way in parts]
        single = all(count == 1 for _, _, count in losses)
        directions = [q for q, _, _ in losses], [p for _, p, _ in losses]
        sums = [AtomSum.from_losses(direction) if single else None for direction in directions]
        if sums[0] is None or sums[1] is None:
            excesses.append(LossPair.from_parts(losses).hockey_stick)
            points += some
        else:
            excesses += [sums[0].excess, sums[1].excess]
            points += sums[0].size + sums[1].size
        if points > _GRIDS * some:
            raise TooLargeError(
                f"the privacy losses of all pairs of {system.secrets:,} secrets are too many to add up; restrict the "
                "secrets by discretion.restricted, or use discretion.ldp_epsilon or discretion.renyi_dp"
            )
    return excesses


@plan_privacy_profile.register
def _privacy_profile_of_parallel(system: Parallel) -> Plan[Profile]:
    def profile() -> Profile:
        pairs = _excesses(system)
        return lambda epsilon: as_share(largest(excess(epsilon) for excess in pairs))

    return Plan(PAIRS, profile)


@plan_bayes_security.register
def _bayes_security_of_parallel(system: Parallel) -> Result:
    alone = [plan_bayes_security(part) for part in system.parts]

    def security() -> float | Estimate:
        try:
            pairs = _excesses(system)
        except TooLargeError:  # at most the risk of each part, and at least their product
            parts = [plan.compute() for plan in alone]
            low, high = math.prod(map(lowest, parts)), min(map(highest, parts))
            return as_share(bracketed(low, high, parts, THEOREM_3, safe="low", span=1))
        return settled(as_share(1 - largest(excess(0.0) for excess in pairs)))

    return Plan(PAIRS, security)


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_parallel(system: Parallel, prior: Prior, gain: Gain) -> Result:
    if system.is_small:
        return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)
    # Minus the least gain of each secret, so that no capacity multiplies a loss.
    rest = gain.from_least()
    law = prior_vector(prior, system.secrets)[:, None]
    certain = float((gain.best(law) - rest.best(law))[0])
    guesses = [plan_posterior_vulnerability(part, prior, rest) for part in system.parts]
    factors = [plan_multiplicative_bayes_capacity(part) for part in system.parts]

    def guess() -> Estimate:
        alone, most = [plan.compute() for plan in guesses], [plan.compute() for plan in factors]
        product = math.prod(map(highest, most))
        high = min(highest(one) * product / highest(capacity) for one, capacity in zip(alone, most, strict=True))
        bounds = bracketed(max(map(lowest, alone)), high, [*alone, *most], BY_CAPACITIES.name)
        return certain + bounds.map(lambda gained: min(gained, rest.width))

    return Plan(BY_CAPACITIES, guess)


@plan_bayes_risk.register
def _bayes_risk_of_parallel(system: Parallel, prior: Prior) -> Result:
    if system.is_small:
        return plan_bayes_risk.dispatch(object)(system, prior)
    guess = plan_posterior_vulnerability(system, prior, IdentityGain(system.secrets))
    return guess.then(lambda right: as_share(1 - right))


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_parallel(system: Parallel) -> Result:
    if system.is_small:
        return plan_multiplicative_bayes_capacity.dispatch(object)(system)
    plans = [plan_multiplicative_bayes_capacity(part) for part in system.parts]

    def capacity() -> Estimate:
        alone = [plan.compute() for plan in plans]
        bounds = bracketed(max(map(lowest, alone)), math.prod(map(highest, alone)), alone, BY_CAPACITIES.name)
        return bounds.map(lambda factor: min(factor, system.secrets))

    return Plan(BY_CAPACITIES, capacity)


@plan_mutual_information.register
def _mutual_information_of_parallel(system: Parallel, prior: Prior) -> Result:
    if system.is_small:
        return plan_mutual_information.dispatch(object)(system, prior)
    plans = [plan_mutual_information(part, prior) for part in system.parts]

    def information() -> Estimate:
        alone = [plan.compute() for plan in plans]
        return bracketed(max(map(lowest, alone)), math.fsum(map(highest, alone)), alone, BY_SUM.name)

    return Plan(BY_SUM, information)
