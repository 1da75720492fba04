"""The leakage of a pure protocol's report about equally likely values: the supported values are the likeliest."""

import math

import numpy as np

from discretion.adversaries.gains import Gain, TriesGain
from discretion.estimate import Estimate
from discretion.measures.guesses.vulnerability import Prior, plan_posterior_vulnerability
from discretion.measures.information.entropies import plan_posterior_guessing_entropy
from discretion.measures.measure import Method, Plan
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.numerics.arrays import Booleans, Integers, Reals

_SIZES = Method("sum over the numbers of values that a report supports", "exact")


def plan_ranked_sum(system: PureProtocol, weights: Reals) -> Plan[float | Estimate]:
    """Plan the mean of ``Σ_i w_i p_(i)`` over the posteriors p of a uniform value, the largest share first."""
    return Plan(_SIZES, lambda: _ranked_sum(system, weights))


def plan_other_gain(system: PureProtocol, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    """Plan the best gain of guesses that do not name one value: by support sizes if guesses are sets of one size."""
    if prior is None and isinstance(gain, TriesGain) and system.support_sizes is not None:
        return plan_ranked_sum(system, np.ones(gain.tries))
    return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)


@plan_posterior_guessing_entropy.register
def _posterior_guessing_entropy_of_pure_protocol(system: PureProtocol, prior: Prior) -> Plan[float | Estimate]:
    if prior is None and system.support_sizes is not None:
        return plan_ranked_sum(system, np.arange(1.0, system.k + 1))
    return plan_posterior_guessing_entropy.dispatch(object)(system, prior)


def _ranked_sum(system: PureProtocol, weights: Reals) -> float:
    law, k = system.support_sizes, system.k
    assert law is not None
    first = np.zeros(k + 1)
    first[1 : weights.size + 1] = weights
    first = np.cumsum(first)
    # A report that supports nothing or everything leaves all values equally likely.
    odds = np.where((law.sizes == 0) | (law.sizes == k), 1.0, math.exp(-system.epsilon))
    supported = first[law.sizes]
    whole = law.sizes + (k - law.sizes) * odds
    return float(law.probabilities @ ((supported + (first[-1] - supported) * odds) / whole))


def ranked_bayes_vulnerability(system: PureProtocol, ranked: Reals, first: Reals) -> float:
    """Return the probability that the best guess is correct.

    ``ranked`` is the prior, the likeliest value first. ``first`` is, for each value, the share of the reports with this
    value that support no value before it. Every report must support some value.
    """
    likeliest, others = float(ranked[0]), ranked[1:]
    guessed = np.maximum(others, math.exp(-system.epsilon) * likeliest)
    return system.support.own * (likeliest + float(first[1:] @ guessed))


def ranked_bayes_risk(system: PureProtocol, ranked: Reals, first: Reals) -> float:
    """Return the probability that the best guess is wrong, with full precision where it is small.

    The guess misses any value but the likeliest unless it is the first supported value; then it misses either this
    value or the likeliest.
    """
    own, not_own = system.support[:2]
    others, first = ranked[1:], first[1:]
    missed = not_own + own * (1 - first)
    undecided = np.minimum(others, math.exp(-system.epsilon) * ranked[0])
    return float(others @ missed) + own * float(first @ undecided)


_CELLS_AT_ONCE = 1 << 22


def kinds_by_support(supports: Booleans) -> Integers:
    """Return a number for any two values, the same for pairs of a kind, given the values that each report supports."""
    k = supports.shape[1]
    sizes = supports.sum(axis=1)
    joint_counts = np.zeros((k, k), dtype=np.int64)
    for size in range(1, k):
        same_size = supports[sizes == size]
        if len(same_size):
            joint_counts = _numbered(joint_counts, _supporting_both(same_size))
    alone = joint_counts.diagonal()
    ends = _numbered(np.minimum.outer(alone, alone), np.maximum.outer(alone, alone))
    return _numbered(ends, joint_counts)


def _supporting_both(supports: Booleans) -> Integers:
    """Return, for each two values, the number of reports that support both."""
    k = supports.shape[1]
    counts, step = np.zeros((k, k), dtype=np.int64), max(1, _CELLS_AT_ONCE // k)
    for start in range(0, len(supports), step):
        block = supports[start : start + step].astype(np.float32)  # whose sums are whole numbers below 2²⁴: exact
        counts += (block.T @ block).astype(np.int64)
    return counts


def _numbered(first: Integers, second: Integers) -> Integers:
    """Return a number for each pair of numbers, the same for the same pairs."""
    pairs = first * (int(second.max()) + 1) + second
    return np.unique(pairs, return_inverse=True)[1].reshape(first.shape).astype(np.int64)
