"""What local hashing leaks, in closed form where the classes are a single field's.

The function is seen, so that what leaks is the mean over functions of what k-RR tells about the class. A function with
exactly m lowest coefficients of 0 takes ``g^m`` values in a row to one class, and spreads blocks of ``g^(m+1)`` evenly.
"""

import numpy as np

from discretion.adversaries.gains import Gain, IdentityGain, TriesGain
from discretion.estimate import Estimate
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.information.entropies import plan_posterior_guessing_entropy
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.protocols.local_hashing import LocalHashing
from discretion.mechanisms.protocols.ranked_supports import plan_ranked_sum
from discretion.numerics.arrays import Reals

CLOSED_FORM = Method("closed form of local hashing", "closed form")


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_local_hashing(system: LocalHashing) -> Plan[float | Estimate]:
    if not _over_a_field(system):
        return plan_multiplicative_bayes_capacity.dispatch(object)(system)
    return Plan(CLOSED_FORM, lambda: _capacity(system))


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_local_hashing(system: LocalHashing, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    if isinstance(gain, IdentityGain) and prior is None and _over_a_field(system):
        return Plan(CLOSED_FORM, lambda: _capacity(system) / system.k)
    if isinstance(gain, IdentityGain) and prior is not None and _one_to_one(system):
        told = plan_posterior_vulnerability(system.answer, _of_classes(system, prior), gain)
        return Plan(CLOSED_FORM, lambda: (float(prior.max()) + (system.g - 1) * float(told.compute())) / system.g)
    if isinstance(gain, TriesGain) and prior is None and _over_a_field(system):
        return plan_ranked_sum(system, np.ones(gain.tries))
    return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)


@plan_posterior_guessing_entropy.register
def _posterior_guessing_entropy_of_local_hashing(system: LocalHashing, prior: Prior) -> Plan[float | Estimate]:
    if prior is None and _over_a_field(system):
        return plan_ranked_sum(system, np.arange(1.0, system.k + 1))
    return plan_posterior_guessing_entropy.dispatch(object)(system, prior)


@plan_bayes_risk.register
def _bayes_risk_of_local_hashing(system: LocalHashing, prior: Prior) -> Plan[float | Estimate]:
    if prior is None and _over_a_field(system):
        return Plan(CLOSED_FORM, lambda: _uniform_bayes_risk(system))
    if prior is not None and _one_to_one(system):
        left = plan_bayes_risk(system.answer, _of_classes(system, prior))
        untold = float(np.delete(prior, prior.argmax()).sum())
        return Plan(CLOSED_FORM, lambda: (untold + (system.g - 1) * float(left.compute())) / system.g)
    return plan_bayes_risk.dispatch(object)(system, prior)


@plan_mutual_information.register
def _mutual_information_of_local_hashing(system: LocalHashing, prior: Prior) -> Plan[float | Estimate]:
    if (prior is None and _over_a_field(system)) or _one_to_one(system):
        return Plan(CLOSED_FORM, lambda: _information(system, prior))
    return plan_mutual_information.dispatch(object)(system, prior)


@plan_shannon_capacity.register
def _shannon_capacity_of_local_hashing(system: LocalHashing, tolerance: float) -> Plan[Estimate]:
    # To add a value to all others moves every function's classes alike, where all values have a digit's place in full.
    if _one_to_one(system) or (_over_a_field(system) and system.k == system.g ** system.families[0].digits):
        return attained_uniformly(system)
    return plan_shannon_capacity.dispatch(object)(system, tolerance)


def _over_a_field(system: LocalHashing) -> bool:
    return len(system.families) == 1


def _one_to_one(system: LocalHashing) -> bool:
    """Say whether all functions are one to one but the one that is 0."""
    return _over_a_field(system) and system.families[0].digits == 1


def _of_classes(system: LocalHashing, prior: Reals) -> Reals:
    """Return the law of the class that a one-to-one function takes the value to, up to the order of the classes."""
    return np.pad(prior, (0, system.g - system.k))


def _information(system: LocalHashing, prior: Prior) -> float:
    """Return the mean over functions of what is told about the class; the function that is 0 adds nothing."""
    laws = enumerate(system.laws_of_classes()) if prior is None else [(0, _of_classes(system, prior))]
    told = sum(system.g**-zeros * float(plan_mutual_information(system.answer, law).compute()) for zeros, law in laws)
    return (1 - 1 / system.g) * told


def _hit_classes(system: LocalHashing) -> int:
    """Return how many classes the values are taken to, summed over the functions."""
    # Only those that are 0 but for the highest coefficient miss any: they tell that digit's values apart.
    g, digits = system.g, system.families[0].digits
    return (g**digits - g) * g + (g - 1) * -(-system.k // g ** (digits - 1)) + 1


def _capacity(system: LocalHashing) -> float:
    answer = system.answer
    return system.g * answer.q + _hit_classes(system) / system.functions * answer.gap


def _uniform_bayes_risk(system: LocalHashing) -> float:
    # 1 - capacity/k as a sum of what is left: values that share a class, and lies.
    missed = (system.k * system.functions - _hit_classes(system)) / system.functions
    lies = (_hit_classes(system) - system.functions) / system.functions * (system.g * system.answer.q)
    return (missed + lies) / system.k
