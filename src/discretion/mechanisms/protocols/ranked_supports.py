"""What a report of a pure protocol tells of values that are all alike beforehand: those that it supports come first."""

import math

import numpy as np

from discretion.adversaries.gains import Gain, TriesGain
from discretion.estimate import Estimate
from discretion.measures.guesses.vulnerability import Prior, plan_posterior_vulnerability
from discretion.measures.information.entropies import plan_posterior_guessing_entropy
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.numerics.arrays import Reals

_SIZES = Method("sum over the numbers of values that a report supports", "exact")


def plan_ranked_sum(system: PureProtocol, weights: Reals) -> Plan[float | Estimate]:
    """Plan the mean of ``Σ_i w_i p_(i)`` over the posteriors p of a uniform value, the largest share first."""
    return Plan(_SIZES, lambda: _ranked_sum(system, weights))


def plan_other_gain(system: PureProtocol, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    """Plan what the best guess gains that names not one value: from the sizes if it names several of all alike."""
    if prior is None and isinstance(gain, TriesGain) and system.support_sizes is not None:
        return plan_ranked_sum(system, np.ones(gain.tries))
    return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)


@plan_posterior_guessing_entropy.register
def _(system: PureProtocol, prior: Prior) -> Plan[float | Estimate]:
    if prior is None and system.support_sizes is not None:
        return plan_ranked_sum(system, np.arange(1.0, system.k + 1))
    return plan_posterior_guessing_entropy.dispatch(object)(system, prior)


def _ranked_sum(system: PureProtocol, weights: Reals) -> float:
    law, k = system.support_sizes, system.k
    assert law is not None
    first = np.zeros(k + 1)
    first[1 : weights.size + 1] = weights
    first = np.cumsum(first)
    # What supports nothing or everything leaves all values alike.
    odds = np.where((law.sizes == 0) | (law.sizes == k), 1.0, math.exp(-system.epsilon))
    supported = first[law.sizes]
    whole = law.sizes + (k - law.sizes) * odds
    return float(law.probabilities @ ((supported + (first[-1] - supported) * odds) / whole))
