"""Measures of a channel on disk that need its columns' largest entries only: read once, some rows at a time."""

import numpy as np

from tacit.adversaries.gains import Gain, IdentityGain
from tacit.channels.stored import StoredChannel
from tacit.estimate import Estimate
from tacit.measures.capacity import plan_multiplicative_bayes_capacity
from tacit.measures.measure import Plan, Reals
from tacit.measures.vulnerability import EXPLICIT, Prior, joint, plan_bayes_risk, plan_posterior_vulnerability

IN_PARTS = "sum of column maxima, some rows at a time"


@plan_multiplicative_bayes_capacity.register
def _(system: StoredChannel) -> Plan[float | Estimate]:
    return Plan(IN_PARTS, lambda: float(_largest(system, None).sum()))


@plan_posterior_vulnerability.register
def _(system: StoredChannel, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    if isinstance(gain, IdentityGain):
        return Plan(IN_PARTS, lambda: _guessed(system, prior))
    return Plan(EXPLICIT, lambda: float(gain.best(joint(system, prior)).sum()))


@plan_bayes_risk.register
def _(system: StoredChannel, prior: Prior) -> Plan[float | Estimate]:
    return Plan(IN_PARTS, lambda: max(0.0, 1 - _guessed(system, prior)))


def _guessed(system: StoredChannel, prior: Prior) -> float:
    weights = np.full(system.secrets, 1 / system.secrets) if prior is None else prior
    return float(_largest(system, weights).sum())


def _largest(system: StoredChannel, weights: Reals | None) -> Reals:
    """Return the largest entry of each column, rows weighted."""
    largest = np.zeros(system.shape[1])
    for start, block in system.blocks():
        rows = block if weights is None else weights[start : start + len(block), None] * block
        np.maximum(largest, rows.max(axis=0), out=largest)
    return largest
