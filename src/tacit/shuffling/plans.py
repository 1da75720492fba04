"""Which algorithm answers for a shuffled crowd.

One rule for all measures: what is plain to see needs no sum; then a closed form; then, for two values of the target,
the mean excess of a sum of steps; then all histograms, if they can be listed; then, if all others are alike to the
adversary, a sample; else certified bounds.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacit.adversaries.gains import Gain, IdentityGain
from tacit.channels.channel import Channel
from tacit.errors import TooLargeError
from tacit.estimate import Estimate, highest, lowest, mapped, narrowed, settled
from tacit.measures.bayes_security import (
    Pair,
    all_pairs,
    plan_bayes_security,
    plan_leakiest_pair,
    plan_leakiest_pairs,
)
from tacit.measures.capacity import plan_multiplicative_bayes_capacity
from tacit.measures.information import information_of, plan_mutual_information
from tacit.measures.local_privacy import plan_ldp_epsilon
from tacit.measures.measure import Plan
from tacit.measures.vulnerability import Prior, left_to_lose, plan_bayes_risk, plan_posterior_vulnerability
from tacit.numerics.excess import deviance
from tacit.numerics.randomness import generator
from tacit.shuffling import exchangeable
from tacit.shuffling.blanket import BOUND, between
from tacit.shuffling.known_monte_carlo import METHOD as SAMPLED_AMONG_KNOWN, can_be_sampled_among, mean_among_known
from tacit.shuffling.monte_carlo import METHOD as SAMPLED, Leak as SampledLeak, can_be_sampled, mean_over_crowds
from tacit.shuffling.others import is_symmetric, pairs_like
from tacit.shuffling.pairs import PairOfValues, largest_excess_beyond
from tacit.shuffling.randomized_response import (
    bayes_security_among_uniform,
    mutual_information_among_uniform,
    posterior_vulnerability_among_uniform,
)
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
TIED = "all pairs are tied"
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
        return Plan(STEPS, lambda: settled(_two_valued_gain(system.pair(0, 1), law, gain.guesses())))
    if system.is_listable:
        return Plan(HISTOGRAMS, lambda: float(gain.best(law[:, None] * system.likelihoods()).sum()))
    if _can_be_sampled(system):
        return Plan(SAMPLED, lambda: _sampled(system, _GuessLeak(law, gain)))
    return _beside_bounds(system, _GuessLeak(law, gain), lambda: _bounded_gain(system, prior, gain))


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


@plan_leakiest_pair.register
def _(system: AmongOthers) -> Plan[Pair]:
    if system.leaves_only_the_target:
        return plan_leakiest_pair(system.mechanism)
    if len(system.pairs) == 1:
        (only,) = system.pairs
        return Plan(TIED, lambda: _labels(system, (only.a, only.b)))
    return Plan(method_of_pairs(system), lambda: _labels(system, _leakiest(_distances(system), 1e-12)[0]))


@plan_leakiest_pairs.register
def _(system: AmongOthers, tolerance: float) -> Plan[list[Pair]]:
    if system.leaves_only_the_target:
        return plan_leakiest_pairs(system.mechanism, tolerance)

    def tied() -> list[Pair]:
        found = [(pair.a, pair.b) for pair in system.pairs]
        kinds = found if len(found) == 1 else _leakiest(_distances(system), tolerance)
        return [_labels(system, pair) for pair in pairs_like(kinds, system.alike)]

    return Plan(TIED if len(system.pairs) == 1 else method_of_pairs(system), tied)


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
        return Plan(SAMPLED, lambda: _sampled(system, _InformationLeak(law)))
    return _beside_bounds(
        system,
        _InformationLeak(_law(system, prior)),
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


@plan_leakiest_pair.register
def _(system: AmongWorst) -> Plan[Pair]:
    if _is_all_alike(system):
        return Plan(TIED, lambda: _labels(system, (0, 1)))
    return Plan(ENUMERATED, lambda: _labels(system, _leakiest(_worst_distances(system), 1e-12)[0]))


@plan_leakiest_pairs.register
def _(system: AmongWorst, tolerance: float) -> Plan[list[Pair]]:
    if _is_all_alike(system):
        return Plan(TIED, lambda: [_labels(system, pair) for pair in all_pairs(system.secrets)])
    return Plan(ENUMERATED, lambda: [_labels(system, pair) for pair in _leakiest(_worst_distances(system), tolerance)])


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


Ends = tuple[int, int]


def _distances(system: AmongOthers) -> dict[Ends, float | Estimate]:
    return {(pair.a, pair.b): pair.excess_beyond(0.0) for pair in system.pairs}


def _worst_distances(system: AmongWorst) -> dict[Ends, float | Estimate]:
    """Return how far apart the others' values can make each pair, where all of these can be tried."""
    if not is_enumerable(of_excess(system, 0.0, {})):
        raise TooLargeError(
            f"the values that {system.n - 1:,} others can hold are too many to try for the leakiest pair; take fewer "
            "users, or say what the others hold with tacit.AllButOne"
        )

    def bounds(pair: Ends) -> Estimate:
        return between(0.0, system.blanket.excess(*pair, 1.0))

    pairs = all_pairs(system.secrets)
    return {pair: worst_of(of_excess(system, 0.0, {}, [pair]), partial(bounds, pair)) for pair in pairs}


def _leakiest(distances: dict[Ends, float | Estimate], tolerance: float) -> list[Ends]:
    """Return the pairs within a tolerance of the largest distance, or say that bounds do not tell which they are."""
    least = max(map(lowest, distances.values()))
    near = {pair: found for pair, found in distances.items() if highest(found) >= least - tolerance}
    if len(near) > 1 and any(_is_unsure(found) for found in near.values()):
        raise TooLargeError(
            "which pairs are the leakiest cannot be told from bounds, and there are too many histograms to sum over; "
            "take fewer users, or others who are all alike"
        )
    return [pair for pair, found in near.items() if float(found) >= max(map(float, near.values())) - tolerance]


def _is_unsure(distance: float | Estimate) -> bool:
    """Whether β* would be no float if it were that of this pair."""
    return isinstance(settled(mapped(distance, lambda apart: 1 - apart)), Estimate)


def _is_all_alike(system: AmongWorst) -> bool:
    """Whether every pair of values leaks as much as any other, to who may rename what the others hold."""
    return system.secrets == 2 or is_symmetric(system.mechanism)


def _labels(system: View, pair: Ends) -> Pair:
    a, b = pair
    inputs = system.mechanism.inputs if isinstance(system.mechanism, Channel) else range(system.secrets)
    return inputs[a], inputs[b]


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


def _two_valued_gain(pair: PairOfValues, prior: Reals, gain: Reals) -> float | Estimate:
    """Return ``Σ_h max_w (α_w P(h | 0) + β_w P(h | 1))``: as the upper envelope of lines in the likelihood ratio.

    It starts with the line that is highest where the ratio is 0 and rises by a hinge wherever a steeper one takes over.
    """
    lines = sorted({(alpha, beta) for alpha, beta in (gain * prior).tolist()}, key=lambda line: (line[1], line[0]))
    alpha, beta = lines[-1]
    total: float | Estimate = alpha + beta
    while steeper := [(a, b) for a, b in lines if a > alpha]:
        ratio, (next_alpha, next_beta) = min(
            (((beta - b) / (a - alpha), (a, b)) for a, b in steeper),
            key=lambda crossing: (crossing[0], -crossing[1][0]),
        )
        excess = pair.excess_beyond(math.log(ratio) if ratio > 0 else -math.inf)
        total = _sum(total, excess, next_alpha - alpha)
        alpha, beta = next_alpha, next_beta
    return total


def _sum(left: float | Estimate, right: float | Estimate, weight: float) -> float | Estimate:
    if not isinstance(left, Estimate):
        return mapped(right, lambda value: left + weight * value)
    low, high = left.low + weight * lowest(right), left.high + weight * highest(right)
    return replace(left, value=left.value + weight * float(right), low=low, high=high)


@dataclass(frozen=True, eq=False)
class _GuessLeak:
    """The best guess's gain."""

    prior: Reals
    gain: Gain

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        return self.gain.best(weights.T)

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        if reach is None:
            return self.gain.width
        if isinstance(self.gain, IdentityGain):
            least = max(float((self.prior - reach[:-1]).max()), (1 - float(reach[-1])) / self.prior.size)
            return float((self.prior + reach[:-1]).max()) - least
        return 2 * float((np.abs(self.gain.guesses()) @ reach[:-1]).max())

    def known_mean(self, variances: Reals) -> float:
        return 0.0


@dataclass(frozen=True, eq=False)
class _InformationLeak:
    """``Σ w_x log(w_x/π_x) - w log w`` of weights with sum w; its known part is that of the chi-square, halved."""

    prior: Reals

    def values(self, weights: Reals, *, whole: bool) -> Reals:
        possible = self.prior > 0
        means = np.append(self.prior[possible], 1.0)
        weights = np.column_stack([weights[:, possible], weights.sum(axis=1)])
        terms = deviance(weights, means)
        if not whole:
            terms = terms - (weights - means) ** 2 / (2 * means)
        return terms[:, :-1].sum(axis=1) - terms[:, -1]

    def width(self, reach: Reals | None, *, whole: bool) -> float:
        possible = self.prior > 0
        if reach is None:
            return -float(np.log(self.prior[possible].min()))
        if whole:  # no more than the sum without what is taken off it, which rises on either side of the prior
            means, far = self.prior[possible], reach[:-1][possible]
            ends = np.maximum(means - far, 0.0), means + far
            return float(np.sum(np.maximum(*(deviance(end, means) for end in ends))))
        means = np.append(self.prior[possible], 1.0)
        far = np.append(reach[:-1][possible], reach[-1])
        if np.any(far >= means):
            return math.inf
        # w log(w/m) - w + m - (w-m)²/2m falls with w: it is highest at the lower end and least at the upper one.
        return float(np.sum(deviance(means - far, means) - deviance(means + far, means)))

    def known_mean(self, variances: Reals) -> float:
        possible = self.prior > 0
        return float(np.sum(variances[:-1][possible] / (2 * self.prior[possible]))) - float(variances[-1]) / 2


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
