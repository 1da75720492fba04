"""What added noise leaks: everything follows from by how much the laws of two secrets exceed each other.

For a prior ``(π0, π1)`` every gain function is a maximum of lines ``a P + b Q``: one line, and at each bend a change of
slope times the mass by which Q exceeds a multiple of P there, a hockey-stick divergence.
"""

import math
from collections.abc import Callable, Iterable
from itertools import pairwise

import numpy as np

from tacit.adversaries.gains import Gain
from tacit.estimate import Estimate, highest, lowest
from tacit.measures.bayes_security import Pair, plan_bayes_security, plan_leakiest_pair, plan_leakiest_pairs
from tacit.measures.capacity import plan_multiplicative_bayes_capacity
from tacit.measures.information import plan_mutual_information
from tacit.measures.local_privacy import plan_ldp_epsilon
from tacit.measures.losses import LatticeLosses, leakiest_losses
from tacit.measures.measure import Plan
from tacit.measures.privacy import Profile, plan_privacy_profile, plan_renyi
from tacit.measures.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from tacit.mechanisms.noise import AdditiveNoise, ContinuousNoise, IntegerNoise, Reals

HockeyStick = Callable[[float], float | Estimate]


@plan_bayes_security.register
def _(system: AdditiveNoise) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: min(1.0, system.overlap(0.0)))


@leakiest_losses.register
def _(system: IntegerNoise) -> LatticeLosses | None:
    return system.losses


@plan_leakiest_pair.register
def _(system: AdditiveNoise) -> Plan[Pair]:
    return Plan("the two furthest values", lambda: system.furthest)


@plan_leakiest_pairs.register
def _(system: ContinuousNoise, tolerance: float) -> Plan[list[Pair]]:
    return Plan("the two furthest values", lambda: [system.furthest])


@plan_ldp_epsilon.register
def _(system: AdditiveNoise) -> Plan[float]:
    return Plan(system.algorithm, lambda: system.renyi(math.inf))


@plan_privacy_profile.register
def _(system: AdditiveNoise) -> Plan[Profile]:
    return Plan(system.algorithm, lambda: system.hockey_stick)


@plan_renyi.register
def _(system: AdditiveNoise, order: float) -> Plan[float]:
    return Plan(system.algorithm, lambda: system.renyi(order))


@plan_multiplicative_bayes_capacity.register
def _(system: ContinuousNoise) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: 1 + system.hockey_stick(0.0))


@plan_posterior_vulnerability.register
def _(system: ContinuousNoise, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    return Plan(system.algorithm, lambda: best_guess(prior, gain, system.hockey_stick))


@plan_bayes_risk.register
def _(system: ContinuousNoise, prior: Prior) -> Plan[float | Estimate]:
    def risk() -> float:
        less, more = (0.5, 0.5) if prior is None else (float(prior.min()), float(prior.max()))
        return less * system.overlap(math.log(more) - math.log(less)) if less > 0 else 0.0

    return Plan(system.algorithm, risk)


@plan_mutual_information.register
def _(system: ContinuousNoise, prior: Prior) -> Plan[float | Estimate]:
    left, right = (0.5, 0.5) if prior is None else map(float, prior)
    return Plan(f"quadrature of the {system.algorithm}", lambda: _information(system, left, right))


def best_guess(prior: Prior, gain: Gain, hockey_stick: HockeyStick) -> float | Estimate:
    """Return ``∫ max_w (a_w P + b_w Q)`` for two secrets, given ``∫ max(0, Q - e^ε P)`` for any ε."""
    # The lines a + b t over the likelihood ratio t >= 0, from the least slope on; the highest of those alike is last.
    weighted = gain.guesses() * (0.5 if prior is None else prior)
    lines: list[tuple[float, float]] = []
    for slope, start in sorted((b, a) for a, b in weighted.tolist()):
        while lines and (
            start >= lines[-1][1] or (len(lines) > 1 and _bend(lines[-1], (slope, start)) <= _bend(*lines[-2:]))
        ):
            lines.pop()
        lines.append((slope, start))
    bends = ((after[0] - before[0], hockey_stick(_bend(before, after))) for before, after in pairwise(lines))
    return _sum(sum(lines[0]), bends)


def _bend(before: tuple[float, float], after: tuple[float, float]) -> float:
    """Return the logarithm of the likelihood ratio from which on the second line is higher than the first."""
    return math.log(before[1] - after[1]) - math.log(after[0] - before[0])


def _sum(start: float, terms: Iterable[tuple[float, float | Estimate]]) -> float | Estimate:
    given = list(terms)
    estimates = [result for _, result in given if isinstance(result, Estimate)]
    value, low, high = (
        start + sum(weight * end(result) for weight, result in given) for end in (float, lowest, highest)
    )
    return Estimate(value, low, high, None, estimates[0].method) if estimates else value


# Gauss and Legendre's nodes in a panel of an integral. On its Bernstein ellipse with ρ = 4, which reaches one panel's
# length beyond it, the integrand is analytic (the weight's poles are π away) and larger by no more than a factor of
# which ρ^(-2·24) = 1e-29 leaves nothing.
_NODES = 24


def _information(system: ContinuousNoise, left: float, right: float) -> float:
    """Return ``π0 π1 ∫_0^∞ δ(s) [1/(π0 + π1 e^s) + 1/(π1 + π0 e^s)] ds``.

    The information is the mean drop in entropy, whose curvature is ``-1/(t(1-t))`` at a posterior t: over the log-odds
    of t, the integral of what a guess at these odds gains.
    """
    if left == 0 or right == 0:
        return 0.0
    # Beyond its own logarithm, the weight falls like e^-s.
    end = min(system.reach, 45 + abs(math.log(left) - math.log(right)))
    panels = max(1, math.ceil(end / system.smooth_over))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    s = (np.arange(panels)[:, None] + (nodes + 1) / 2) * (end / panels)
    fall: Reals = np.exp(-s)
    odds = left * right * fall * (1 / (left * fall + right) + 1 / (right * fall + left))
    return float(((system.excesses(s) * odds) @ weights).sum()) * end / panels / 2
