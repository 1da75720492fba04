"""The choice of an algorithm for each measure of a shuffled crowd.

All measures follow one order: a visible report needs no sum; then a closed form; then, for two values of the target,
the mean excess of a sum of steps; then all histograms, if they can be listed; then a sample, if the adversary's
knowledge of all others is the same; else certified bounds.
"""

import math
from collections.abc import Callable

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.storage import Dense
from discretion.estimate import Estimate, as_share, settled
from discretion.measures.guesses.bayes_security import plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import (
    Prior,
    plan_bayes_risk,
    plan_posterior_vulnerability,
    two_secret_vulnerability,
)
from discretion.measures.information.capacities import NEWTON, attained_uniformly, capacity_of, plan_shannon_capacity
from discretion.measures.information.mutual_information import information_of, plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import plan_ldp_epsilon, plan_privacy_profile
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import generator
from discretion.numerics.matrices import besides_maxima
from discretion.shuffling.bounds import (
    CapacityBounds,
    GainBounds,
    InformationBounds,
    LeakBounds,
    bounded_leak,
    gain_leak,
    information_of_two,
)
from discretion.shuffling.known_others import PLAIN, STEPS, AmongKnown, compares_no_pairs, method_of_pairs
from discretion.shuffling.laws.blanket import BOUND, certified_interval
from discretion.shuffling.laws.closed_bounds import OneLaw
from discretion.shuffling.laws.groups import is_symmetric
from discretion.shuffling.laws.monte_carlo import (
    SAMPLED,
    SAMPLED_AMONG_KNOWN,
    GuessLeak,
    InformationLeak,
    Leak as SampledLeak,
    can_be_sampled,
    can_be_sampled_among,
    mean_among_known,
    mean_over_crowds,
)
from discretion.shuffling.laws.pairs import largest_excess_beyond
from discretion.shuffling.outsider import (
    bayes_security_among_uniform,
    mutual_information_among_uniform,
    posterior_vulnerability_among_uniform,
)
from discretion.shuffling.views import (
    HISTOGRAMS,
    Result,
    bayes_capacity_of_guess,
    guess_of_two,
    ldp_epsilon_of_mechanism,
    risk_of_guess,
)

MAXIMUM_LOAD = Method("maximum load, closed form (Shuffle eq. 17)", "closed form")
WALK = Method("binomial sum over a fair walk", "closed form")
# Bounds of a rise so near to each other, relatively, that a sample hardly comes nearer.
_NARROW = 0.01


@plan_posterior_vulnerability.register
def _vulnerability_among_known(system: AmongKnown, prior: Prior, gain: Gain) -> Result:
    if system.leaves_only_the_target:
        return plan_posterior_vulnerability(system.mechanism, prior, gain).named(PLAIN)
    response = system.uniform_response
    if response is not None and isinstance(gain, IdentityGain) and prior is None:
        return Plan(MAXIMUM_LOAD, lambda: posterior_vulnerability_among_uniform(response, system.n))
    law = prior_vector(prior, system.secrets)
    if system.secrets == 2 and system.group is not None:
        # How far the first value's law exceeds the second's is what the pair says, so that these change places.
        lines = (gain.guesses() * law)[:, ::-1]
        return Plan(STEPS, lambda: settled(two_secret_vulnerability(lines, system.pair(0, 1).excess_beyond)))
    if system.secrets == 2 and prior is None and isinstance(gain, IdentityGain) and not system.is_listable:
        return plan_bayes_security(system).then(guess_of_two)
    return _guess_among_known(system, law, prior, gain)


def _guess_among_known(system: AmongKnown, law: Reals, prior: Prior, gain: Gain) -> Result:
    """Plan the vulnerability by histograms, or by bounds and a sample."""
    if system.is_listable:
        return Plan(HISTOGRAMS, lambda: float(gain.best(law[:, None] * system.likelihoods()).sum()))
    leak = GuessLeak(law, gain)
    if not _can_be_sampled(system):
        return _bounds_and_sample(system, leak, lambda: _bounded_gain(system, prior, gain))
    return Plan(SAMPLED, lambda: _sampled(system, leak, GainBounds(law, gain)))


@plan_bayes_risk.register
def _bayes_risk_among_known(system: AmongKnown, prior: Prior) -> Result:
    if system.leaves_only_the_target:
        return plan_bayes_risk(system.mechanism, prior).named(PLAIN)
    if system.is_listable:
        law = prior_vector(prior, system.secrets)
        return Plan(HISTOGRAMS, lambda: besides_maxima(law[:, None] * system.likelihoods()))
    return risk_of_guess(system, prior)


@plan_bayes_security.register
def _bayes_security_among_known(system: AmongKnown) -> Result:
    if system.leaves_only_the_target:
        return plan_bayes_security(system.mechanism).named(PLAIN)
    response = system.uniform_response
    if response is not None:
        return Plan(WALK, lambda: bayes_security_among_uniform(response, system.n))
    if compares_no_pairs(system):
        return plan_privacy_profile(system).then(lambda profile: settled(as_share(1 - profile(0.0))))
    return Plan(
        method_of_pairs(system),
        lambda: settled(as_share(1 - largest_excess_beyond(system.pairs, 0.0))),
    )


@plan_mutual_information.register
def _information_among_known(system: AmongKnown, prior: Prior) -> Result:
    if system.leaves_only_the_target:
        return plan_mutual_information(system.mechanism, prior).named(PLAIN)
    response = system.uniform_response
    if response is not None and prior is None:
        return Plan(WALK, lambda: mutual_information_among_uniform(response, system.n))
    if system.is_listable:
        return Plan(HISTOGRAMS, lambda: information_of(Dense(system.likelihoods()), prior))
    law = prior_vector(prior, system.secrets)
    if _can_be_sampled(system):
        return Plan(SAMPLED, lambda: _sampled(system, InformationLeak(law), InformationBounds(law)))
    if system.secrets == 2 and law.min() > 0:
        return Plan(BOUND, lambda: information_of_two(system, law))
    return _bounds_and_sample(
        system,
        InformationLeak(law),
        lambda: bounded_leak(system, lambda view: plan_mutual_information(view, prior), InformationBounds(law)),
    )


@plan_shannon_capacity.register
def _shannon_capacity_among_known(system: AmongKnown, tolerance: float) -> Plan[Estimate]:
    if system.leaves_only_the_target:
        return plan_shannon_capacity(system.mechanism, tolerance).named(PLAIN)
    if is_symmetric(system.mechanism) and all(group.is_uniform for group in system.groups):
        return attained_uniformly(system)
    if system.is_listable:
        return Plan(NEWTON, lambda: capacity_of(Dense(system.likelihoods()), tolerance))
    return Plan(
        BOUND, lambda: bounded_leak(system, lambda view: plan_shannon_capacity(view, tolerance), CapacityBounds())
    )


plan_multiplicative_bayes_capacity.register(AmongKnown, bayes_capacity_of_guess)
plan_ldp_epsilon.register(AmongKnown, ldp_epsilon_of_mechanism)


def _bounded_gain(system: AmongKnown, prior: Prior, gain: Gain) -> Estimate:
    return bounded_leak(system, gain_leak(prior, gain), GainBounds(prior_vector(prior, system.secrets), gain))


def _bounds_and_sample(system: AmongKnown, leak: SampledLeak, bounds: Callable[[], Estimate]) -> Result:
    """Plan certified bounds, and a sample that narrows them if sampling is possible."""
    response = system.response
    if response is None or not can_be_sampled_among(response, system.groups):
        return Plan(BOUND, bounds)
    return Plan(
        SAMPLED_AMONG_KNOWN,
        lambda: bounds().narrowed(mean_among_known(response, system.groups, leak, generator(system.seed))),
    )


def _can_be_sampled(system: AmongKnown) -> bool:
    return system.group is not None and can_be_sampled(system.mechanism, system.group)


def _sampled(system: AmongKnown, leak: SampledLeak, bounds: LeakBounds) -> Estimate:
    """Return the mean of a sample within closed bounds, or only the bounds if they are narrow."""
    group = system.group
    assert group is not None
    closed = bounds.closed_bounds(OneLaw(system.mechanism, group))
    attained = max(closed.lower_bound(system.n), bounds.linear_leak(system.mechanism, system.groups))
    certain = certified_interval(attained, closed.upper_bound(system.n))
    if certain.high - certain.low <= _NARROW * (certain.high - bounds.floor) < math.inf:
        return certain
    return certain.narrowed(mean_over_crowds(system.mechanism, group, leak, generator(system.seed)))
