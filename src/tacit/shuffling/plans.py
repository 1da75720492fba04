"""Which algorithm answers for a shuffled crowd.

One rule for all measures: what is plain to see needs no sum; then a closed form; then, for two values of the target,
the mean excess of a sum of steps; then all histograms, if they can be listed; then, if all others are alike to the
adversary, a sample; else certified bounds.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tacit.adversaries.gains import Gain, IdentityGain
from tacit.estimate import Estimate, mapped, narrowed, settled
from tacit.measures.bayes_security import (
    plan_bayes_security,
)
from tacit.measures.capacity import plan_multiplicative_bayes_capacity
from tacit.measures.information import information_of, plan_mutual_information
from tacit.measures.local_privacy import plan_ldp_epsilon
from tacit.measures.measure import Plan
from tacit.measures.vulnerability import Prior, left_to_lose, plan_bayes_risk, plan_posterior_vulnerability
from tacit.numerics.randomness import generator
from tacit.shuffling import exchangeable
from tacit.shuffling.blanket import BOUND
from tacit.shuffling.known_monte_carlo import METHOD as SAMPLED_AMONG_KNOWN, can_be_sampled_among, mean_among_known
from tacit.shuffling.monte_carlo import METHOD as SAMPLED, Leak as SampledLeak, can_be_sampled, mean_over_crowds
from tacit.shuffling.pairs import largest_excess_beyond
from tacit.shuffling.randomized_response import (
    bayes_security_among_uniform,
    mutual_information_among_uniform,
    posterior_vulnerability_among_uniform,
)
from tacit.shuffling.sampled_leaks import GuessLeak, InformationLeak
from tacit.shuffling.two_valued_gain import two_valued_gain
from tacit.shuffling.views import AmongExchangeable, AmongOthers, AmongWorst, View
from tacit.shuffling.worst import Leak, bounded, bounded_worst, guess_ceiling
from tacit.shuffling.worst_counts import (
    ENUMERATED,
    OfAllValues,
    Question,
    is_enumerable,
    of_excess,
    worst_of,
)

Reals = NDArray[np.float64]
Result = Plan[float | Estimate]

MAXIMUM_LOAD = "maximum load, closed form (Shuffle eq. 17)"
WALK = "binomial sum over a fair walk"
STEPS = "mean excess of a sum of independent steps"
HISTOGRAMS = "sum over the histograms of reports"
PLAIN = "the target's report is plain to see"


@plan_posterior_vulnerability.register
def _(system: AmongOthers, prior: Prior, gain: Gain) -> Result:
    if system.leaves_only_the_target:
        return Plan(PLAIN, plan_posterior_vulnerability(system.mechanism, prior, gain).compute)
    response = system.uniform_response
    if response is not None and isinstance(gain, IdentityGain) and prior is None:
        return Plan(MAXIMUM_LOAD, lambda: posterior_vulnerability_among_uniform(response, system.n))
    law = _law(system, prior)
    if system.secrets == 2 and system.group is not None:
        return Plan(STEPS, lambda: settled(two_valued_gain(system.pair(0, 1), law, gain.guesses())))
    if system.is_listable:
        return Plan(HISTOGRAMS, lambda: float(gain.best(law[:, None] * system.likelihoods()).sum()))
    if _can_be_sampled(system):
        return Plan(SAMPLED, lambda: _sampled(system, GuessLeak(law, gain)))
    return _beside_bounds(system, GuessLeak(law, gain), lambda: _bounded_gain(system, prior, gain))


@plan_bayes_risk.register
def _(system: AmongOthers, prior: Prior) -> Result:
    if system.leaves_only_the_target:
        return Plan(PLAIN, plan_bayes_risk(system.mechanism, prior).compute)
    if system.is_listable:
        law = _law(system, prior)
        return Plan(HISTOGRAMS, lambda: left_to_lose(law[:, None] * system.likelihoods()))
    return _risk_of_guess(system, prior)


@plan_bayes_security.register
def _(system: AmongOthers) -> Result:
    if system.leaves_only_the_target:
        return Plan(PLAIN, plan_bayes_security(system.mechanism).compute)
    response = system.uniform_response
    if response is not None:
        return Plan(WALK, lambda: bayes_security_among_uniform(response, system.n))
    return Plan(
        method_of_pairs(system),
        lambda: settled(mapped(largest_excess_beyond(system.pairs, 0.0), lambda most: min(1.0, max(0.0, 1 - most)))),
    )


@plan_mutual_information.register
def _(system: AmongOthers, prior: Prior) -> Result:
    if system.leaves_only_the_target:
        return Plan(PLAIN, plan_mutual_information(system.mechanism, prior).compute)
    response = system.uniform_response
    if response is not None and prior is None:
        return Plan(WALK, lambda: mutual_information_among_uniform(response, system.n))
    if system.is_listable:
        return Plan(HISTOGRAMS, lambda: information_of(system.likelihoods(), prior))
    if _can_be_sampled(system):
        law = _law(system, prior)
        return Plan(SAMPLED, lambda: _sampled(system, InformationLeak(law)))
    return _beside_bounds(
        system,
        InformationLeak(_law(system, prior)),
        lambda: bounded(system, lambda view: plan_mutual_information(view, prior)),
    )


@plan_posterior_vulnerability.register
def _(system: AmongWorst, prior: Prior, gain: Gain) -> Result:
    law, leak = _law(system, prior), _gain_leak(prior, gain)
    question = OfAllValues(
        system,
        leak,
        lambda rows: float(gain.best(law[:, None] * rows).sum()),
        alike=prior is None and isinstance(gain, IdentityGain),
    )
    return _worst(question, leak, lambda: _ceiling(system, law, gain))


@plan_bayes_risk.register
def _(system: AmongWorst, prior: Prior) -> Result:
    law = _law(system, prior)
    question = OfAllValues(
        system,
        lambda view: _negative(plan_bayes_risk(view, prior)),
        lambda rows: -left_to_lose(law[:, None] * rows),
        alike=prior is None,
    )
    if is_enumerable(question):
        return _negative(_worst(question, question.leak))
    return _risk_of_guess(system, prior)


@plan_bayes_security.register
def _(system: AmongWorst) -> Result:
    question = of_excess(system, 0.0, {})
    worst = _worst(question, lambda view: _distance(plan_bayes_security(view)))
    return Plan(worst.method, lambda: mapped(worst.compute(), lambda told: min(1.0, max(0.0, 1 - told))))


@plan_mutual_information.register
def _(system: AmongWorst, prior: Prior) -> Result:
    def leak(view: AmongOthers) -> Result:
        return plan_mutual_information(view, prior)

    return _worst(OfAllValues(system, leak, lambda rows: information_of(rows, prior), alike=prior is None), leak)


@plan_posterior_vulnerability.register
def _(system: AmongExchangeable, prior: Prior, gain: Gain) -> Result:
    if system.is_listable:
        law = _law(system, prior)
        return Plan(HISTOGRAMS, lambda: float(gain.best(law[:, None] * system.channel().matrix).sum()))
    return Plan(
        exchangeable.SANDWICHED, lambda: exchangeable.sampled_vulnerability(system, gain, generator(system.rng))
    )


@plan_bayes_risk.register
def _(system: AmongExchangeable, prior: Prior) -> Result:
    return _risk_of_guess(system, prior)


@plan_ldp_epsilon.register(AmongOthers)
@plan_ldp_epsilon.register(AmongWorst)
def _(system: AmongOthers | AmongWorst) -> Plan[float]:
    # P(h | x) is a mean over who sent what, so its ratios are no larger than the mechanism's. They are as large where
    # everybody who can send the report that has the largest one does.
    plan = plan_ldp_epsilon(system.mechanism)
    return Plan(f"that of the mechanism: {plan.method}", plan.compute)


@plan_multiplicative_bayes_capacity.register
def _(system: AmongOthers) -> Result:
    # The sum of column maxima is k times the Bayes vulnerability of the uniform prior.
    guess = plan_posterior_vulnerability(system, None, IdentityGain(system.secrets))
    return Plan(guess.method, lambda: mapped(guess.compute(), lambda right: system.secrets * right))


def certain_vulnerability(system: AmongOthers) -> float | Estimate:
    """Return the guess of a uniform secret, or certified bounds of it where it would take a sample."""
    gain = IdentityGain(system.secrets)
    plan = plan_posterior_vulnerability(system, None, gain)
    return _bounded_gain(system, None, gain) if plan.method in {SAMPLED, SAMPLED_AMONG_KNOWN} else plan.compute()


def method_of_pairs(system: AmongOthers) -> str:
    """Return how pairs of the target's values are compared."""
    if any(pair.is_linear for pair in system.pairs):
        return STEPS
    return HISTOGRAMS if all(pair.needs_no_bound for pair in system.pairs) else BOUND


def _bounded_gain(system: AmongOthers, prior: Prior, gain: Gain) -> Estimate:
    return bounded(system, _gain_leak(prior, gain), _ceiling(system, _law(system, prior), gain))


def _gain_leak(prior: Prior, gain: Gain) -> Leak:
    return lambda view: plan_posterior_vulnerability(view, prior, gain)


def _ceiling(system: View, prior: Reals, gain: Gain) -> float:
    return guess_ceiling(system, prior) if isinstance(gain, IdentityGain) else math.inf


def _law(system: View, prior: Prior) -> Reals:
    return np.full(system.secrets, 1 / system.secrets) if prior is None else prior


def _negative(plan: Result) -> Result:
    return Plan(plan.method, lambda: mapped(plan.compute(), lambda value: -value))


def _distance(security: Result) -> Result:
    return Plan(security.method, lambda: mapped(security.compute(), lambda kept: 1 - kept))


def _risk_of_guess(system: View, prior: Prior) -> Result:
    guess = plan_posterior_vulnerability(system, prior, IdentityGain(system.secrets))
    return Plan(guess.method, lambda: mapped(guess.compute(), lambda right: 1 - right))


def _worst(question: Question, leak: Leak, ceiling: Callable[[], float] = lambda: math.inf) -> Result:
    def bounds() -> Estimate:
        return bounded_worst(question.view, leak, ceiling())

    if is_enumerable(question):
        return Plan(ENUMERATED, lambda: worst_of(question, bounds))
    return Plan(BOUND, bounds)


def _beside_bounds(system: AmongOthers, leak: SampledLeak, bounds: Callable[[], Estimate]) -> Result:
    """Plan certified bounds, and a sample that narrows them where one can be had."""
    mechanism = system.mechanism
    if not can_be_sampled_among(mechanism, system.groups):
        return Plan(BOUND, bounds)
    return Plan(
        SAMPLED_AMONG_KNOWN,
        lambda: narrowed(bounds(), mean_among_known(mechanism, system.groups, leak, generator(system.rng))),
    )


def _can_be_sampled(system: AmongOthers) -> bool:
    return system.group is not None and can_be_sampled(system.mechanism, system.group)


def _sampled(system: AmongOthers, leak: SampledLeak) -> Estimate:
    assert system.group is not None
    return mean_over_crowds(system.mechanism, system.group, leak, generator(system.rng))
