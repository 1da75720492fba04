"""The leakage of added noise: all measures follow from the hockey-stick divergences of the laws of two secrets.

For a prior ``(π0, π1)`` every gain function is a maximum of lines ``a P + b Q``, whose integrals are hockey-stick
divergences.
"""

import math

import numpy as np

from discretion.adversaries.gains import Gain
from discretion.estimate import Estimate
from discretion.measures.guesses.bayes_security import (
    Pair,
    plan_bayes_security,
    plan_leakiest_pair,
    plan_leakiest_pairs,
)
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import (
    Prior,
    plan_bayes_risk,
    plan_posterior_vulnerability,
    two_secret_vulnerability,
)
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
    profile_complement,
)
from discretion.measures.privacy_loss.losses import LatticeLosses, leakiest_losses
from discretion.mechanisms.noise.additive import AdditiveNoise, ContinuousNoise, IntegerNoise
from discretion.numerics.arrays import Reals

FURTHEST = Method("the two furthest values", "closed form")


@plan_bayes_security.register
def _bayes_security_of_additive_noise(system: AdditiveNoise) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: min(1.0, system.overlap(0.0)))


@leakiest_losses.register
def _leakiest_losses_of_integer_noise(system: IntegerNoise) -> LatticeLosses | None:
    return system.losses


@plan_leakiest_pair.register
def _leakiest_pair_of_additive_noise(system: AdditiveNoise) -> Plan[Pair]:
    return Plan(FURTHEST, lambda: system.furthest_pair)


@plan_leakiest_pairs.register
def _leakiest_pairs_of_continuous_noise(system: ContinuousNoise, tolerance: float) -> Plan[list[Pair]]:
    return Plan(FURTHEST, lambda: [system.furthest_pair])


@plan_ldp_epsilon.register
def _ldp_epsilon_of_additive_noise(system: AdditiveNoise) -> Plan[float]:
    return Plan(system.algorithm, lambda: system.renyi(math.inf))


@plan_privacy_profile.register
def _privacy_profile_of_additive_noise(system: AdditiveNoise) -> Plan[Profile]:
    return Plan(system.algorithm, lambda: system.hockey_stick)


@profile_complement.register
def _noise_overlap(system: AdditiveNoise) -> Profile:
    return system.overlap


@plan_renyi.register
def _renyi_of_additive_noise(system: AdditiveNoise, order: float) -> Plan[float]:
    return Plan(system.algorithm, lambda: system.renyi(order))


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_continuous_noise(system: ContinuousNoise) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: 1 + system.hockey_stick(0.0))


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_continuous_noise(
    system: ContinuousNoise, prior: Prior, gain: Gain
) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: two_secret_vulnerability(weighted_gains(prior, gain), system.hockey_stick))


@plan_bayes_risk.register
def _bayes_risk_of_continuous_noise(system: ContinuousNoise, prior: Prior) -> Plan[float | Estimate]:
    def risk() -> float:
        less, more = (0.5, 0.5) if prior is None else (float(prior.min()), float(prior.max()))
        return less * system.overlap(math.log(more) - math.log(less)) if less > 0 else 0.0

    return Plan(system.algorithm, risk)


@plan_mutual_information.register
def _mutual_information_of_continuous_noise(system: ContinuousNoise, prior: Prior) -> Plan[float | Estimate]:
    left, right = (0.5, 0.5) if prior is None else map(float, prior)
    return Plan(
        Method(f"quadrature of the {system.algorithm.name}", "exact"), lambda: _information(system, left, right)
    )


@plan_shannon_capacity.register
def _shannon_capacity_of_continuous_noise(system: ContinuousNoise, tolerance: float) -> Plan[Estimate]:
    return attained_uniformly(system)


def weighted_gains(prior: Prior, gain: Gain) -> Reals:
    """Return the gain of each guess for two secrets, a row each, weighted by the prior."""
    return gain.guesses() * (0.5 if prior is None else prior)


# Gauss and Legendre's nodes in a panel of an integral. On its Bernstein ellipse with ρ = 4, which reaches one panel's
# length beyond it, the integrand is analytic (the weight's poles are π away) and larger by no more than a factor of
# which ρ^(-2·24) = 1e-29 leaves nothing.
_NODES = 24


def _information(system: ContinuousNoise, left: float, right: float) -> float:
    """Return ``π0 π1 ∫_0^∞ δ(s) [1/(π0 + π1 e^s) + 1/(π1 + π0 e^s)] ds``.

    The information is the mean drop in entropy, whose curvature is ``-1/(t(1-t))`` at a posterior t: the integral, over
    the log-odds of t, of the gain of a guess at these odds.
    """
    if left == 0 or right == 0:
        return 0.0
    # Beyond its own logarithm, the weight falls like e^-s.
    end = min(system.reach, 45 + abs(math.log(left) - math.log(right)))
    panels = max(1, math.ceil(end / system.smoothness_length))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    s = (np.arange(panels)[:, None] + (nodes + 1) / 2) * (end / panels)
    fall: Reals = np.exp(-s)
    odds = left * right * fall * (1 / (left * fall + right) + 1 / (right * fall + left))
    return float(((system.excesses(s) * odds) @ weights).sum()) * end / panels / 2
