"""Which algorithm answers for a shuffled collection: a closed form, else the explicit channel, else a bound."""

from typing import TypeGuard

from tacit.adversaries.gains import Gain, IdentityGain
from tacit.adversaries.knowledge import AllButOne, Knowledge, Uninformed
from tacit.estimate import Estimate
from tacit.measures.bayes_security import plan_bayes_security
from tacit.measures.capacity import plan_multiplicative_bayes_capacity
from tacit.measures.information import plan_mutual_information
from tacit.measures.local_privacy import plan_ldp_epsilon
from tacit.measures.measure import Plan
from tacit.measures.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.shuffling.randomized_response import (
    BLANKET_BOUND,
    bayes_security_among_uniform,
    mutual_information_among_uniform,
    posterior_vulnerability_among_uniform,
    posterior_vulnerability_bound,
)
from tacit.shuffling.shuffled import Shuffled

MAXIMUM_LOAD = "maximum load, closed form (Shuffle eq. 17)"
WALK = "binomial sum over a fair walk"
HISTOGRAMS = "sum over the histograms of reports"
NO_NOISE = "no noise: subtracting the known values leaves the target's report"


@plan_posterior_vulnerability.register
def _(system: Shuffled, prior: Prior, gain: Gain, adversary: Knowledge | None) -> Plan[float | Estimate]:
    mechanism, knowledge = system.mechanism, system.knowledge(adversary)
    if _is_noiseless(mechanism) and isinstance(knowledge, AllButOne):
        alone = plan_posterior_vulnerability(mechanism, prior, gain, None)
        return Plan(NO_NOISE, alone.compute)
    if isinstance(gain, IdentityGain) and prior is None and isinstance(mechanism, RandomizedResponse):
        if _is_uniform(knowledge):
            return Plan(MAXIMUM_LOAD, lambda: posterior_vulnerability_among_uniform(mechanism, system.n))
        if isinstance(knowledge, AllButOne) and not system.is_listable(knowledge):
            return Plan(BLANKET_BOUND, lambda: posterior_vulnerability_bound(mechanism, system.n))
    system.check_listable(knowledge)
    explicit = system.channel
    return Plan(HISTOGRAMS, lambda: plan_posterior_vulnerability(explicit(knowledge), prior, gain, None).compute())


@plan_bayes_risk.register
def _(system: Shuffled, prior: Prior, adversary: Knowledge | None) -> Plan[float]:
    mechanism, knowledge = system.mechanism, system.knowledge(adversary)
    if _is_noiseless(mechanism) and isinstance(knowledge, AllButOne):
        return Plan(NO_NOISE, plan_bayes_risk(mechanism, prior, None).compute)
    if prior is None and isinstance(mechanism, RandomizedResponse) and _is_uniform(knowledge):
        return Plan(MAXIMUM_LOAD, lambda: 1 - posterior_vulnerability_among_uniform(mechanism, system.n))
    system.check_listable(knowledge)
    return Plan(HISTOGRAMS, lambda: plan_bayes_risk(system.channel(knowledge), prior, None).compute())


@plan_bayes_security.register
def _(system: Shuffled, adversary: Knowledge | None) -> Plan[float]:
    mechanism, knowledge = system.mechanism, system.knowledge(adversary)
    if _is_noiseless(mechanism) and isinstance(knowledge, AllButOne):
        return Plan(NO_NOISE, plan_bayes_security(mechanism, None).compute)
    if isinstance(mechanism, RandomizedResponse) and _is_uniform(knowledge):
        return Plan(WALK, lambda: bayes_security_among_uniform(mechanism, system.n))
    system.check_listable(knowledge)
    return Plan(HISTOGRAMS, lambda: plan_bayes_security(system.channel(knowledge), None).compute())


@plan_mutual_information.register
def _(system: Shuffled, prior: Prior, adversary: Knowledge | None) -> Plan[float]:
    mechanism, knowledge = system.mechanism, system.knowledge(adversary)
    if _is_noiseless(mechanism) and isinstance(knowledge, AllButOne):
        return Plan(NO_NOISE, plan_mutual_information(mechanism, prior, None).compute)
    if prior is None and isinstance(mechanism, RandomizedResponse) and _is_uniform(knowledge):
        return Plan(WALK, lambda: mutual_information_among_uniform(mechanism, system.n))
    system.check_listable(knowledge)
    return Plan(HISTOGRAMS, lambda: plan_mutual_information(system.channel(knowledge), prior, None).compute())


@plan_ldp_epsilon.register
def _(system: Shuffled) -> Plan[float]:
    # To an uninformed adversary P(h | x) is linear in h, so its ratios are largest where all reports are the same kind:
    # there they are those of the mechanism.
    plan = plan_ldp_epsilon(system.mechanism)
    return Plan(f"that of the mechanism: {plan.method}", plan.compute)


@plan_multiplicative_bayes_capacity.register
def _(system: Shuffled) -> Plan[float]:
    # The sum of column maxima is k times the Bayes vulnerability of the uniform prior.
    risk = plan_bayes_risk(system, None, None)
    return Plan(risk.method, lambda: system.secrets * (1 - risk.compute()))


def _is_noiseless(mechanism: object) -> TypeGuard[RandomizedResponse]:
    return isinstance(mechanism, RandomizedResponse) and mechanism.q == 0


def _is_uniform(knowledge: Knowledge) -> bool:
    if not isinstance(knowledge, Uninformed):
        return False
    population = knowledge.population
    return population is None or all(share == 1 / len(population) for share in population)
