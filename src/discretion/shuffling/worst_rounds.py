"""Several rounds of the same crowd against the worst adversary, which knows all other users' values in each round.

For that adversary the rounds are independent, so that privacy losses add up. The upper bound: the largest δ(ε) of one
round, over all values of the target and of the others, is the profile of one pair of laws that dominates every round;
its losses are added. This also covers other users who change between rounds, even depending on earlier rounds. The
lower bound: the losses of two values among other users who stay the same, a case that is attained.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, Composable, System
from discretion.channels.composition.repeated import plan_repeated
from discretion.errors import UnsupportedError
from discretion.estimate import Estimate, highest, lowest
from discretion.intervals import End
from discretion.measures.attack_curves.best_tests import Band, BestTests, Result, as_band
from discretion.measures.attack_curves.loss_curves import tests_of_any, tests_of_losses, tests_of_one_way
from discretion.measures.attack_curves.polygon import best_of_polygons
from discretion.measures.attack_curves.tradeoff import plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair, plan_bayes_security
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.measure import Method, Plan, reported_alone
from discretion.measures.privacy_loss.composed_losses import LossPair
from discretion.measures.privacy_loss.differential_privacy import (
    Bound,
    Profile,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    plan_profile_bound,
    plan_renyi,
)
from discretion.measures.privacy_loss.profile_losses import dominated_losses, dominating_losses
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.histograms.histograms import histogram_count
from discretion.shuffling.known_others import even_counts
from discretion.shuffling.laws.blanket import Blanket
from discretion.shuffling.laws.groups import Ends, is_symmetric
from discretion.shuffling.laws.pairs import PairOfValues
from discretion.shuffling.worst_others import (
    ENUMERATED,
    MAX_VALUES_TRIED,
    AmongWorst,
    hidden_excess,
    likely_worst_pairs,
    worst_case_of_excess,
)

METHOD = Method("certified bounds by sums of privacy losses, dominating ones and attained ones", "bound")

# At how many ε a profile is taken, which of them a quick bound takes (the first, the last and every fifth), of how many
# steps, and at how many at least; what is left of δ beyond the last one, the largest ε whose e^ε is held, and the
# smallest ε that is distinguished from 0.
_POINTS, _COARSE, _STEPS, _FEWEST, _LEFT, _LARGEST, _SMALLEST = 96, 5, 1 << 10, 8, 1e-17, 600.0, 1e-12
# Likelihoods for one ε, over all that the others can hold, that are tried where bounds are quicker; how close bounds of
# an attained δ are, next to it; where two cases are compared, next to δ(0).
_TRIED, _CLOSE, _COMPARED = 1 << 18, 1e-3, 1e-4
# What the bounds of one round may be off, next to themselves: from above, from below, and by rounding of their sums.
_SLACK, _ROUGH, _ROUNDING = 2e-3, 1e-6, 1e-10


@dataclass(frozen=True, eq=False)
class WorstRounds(Composable):
    """Rounds of a crowd with the other users who expose the target most; made by `discretion.repeated`."""

    once: AmongWorst
    n: int

    @property
    def secrets(self) -> int:
        """The number of possible values of the target."""
        return self.once.secrets

    def channel(self) -> Channel:
        """Raise an error, since the worst other users of one measure need not be the worst of another."""
        raise UnsupportedError(
            "no single channel represents the other users who expose the target most, in one round or in many; these "
            "measures support rounds: posterior_vulnerability and bayes_risk of the identity gain, bayes_security, "
            "multiplicative_bayes_capacity, privacy_profile, dp_epsilon, ldp_epsilon, renyi_dp, tradeoff; for others "
            "specify the values of the other users with discretion.AllButOne"
        )

    @cached_property
    def dominating(self) -> LossPair:
        """The losses of a pair that leaks at least as much in each round as any two values among any other users."""
        losses = dominating_losses(*self._grid, self._bounds)
        return LossPair.from_parts([(losses, losses, self.n)])

    def least_overlap(self) -> float:
        """Return a lower bound of β* from a fifth of the levels: quicker, and close enough for a search."""
        step, places = self._grid
        losses = dominating_losses(step, places[::_COARSE], self._bounds_at(self._levels[::_COARSE]))
        return LossPair.from_parts([(losses, losses, self.n)]).forwards.overlap(0.0).low

    @cached_property
    def attained(self) -> list[LossPair]:
        """The losses of two values, or of a pair that leaks at most as much, among other users who stay the same."""
        # Any two values do for a lower end, where all of them would be too many to list.
        few = self.secrets <= MAX_VALUES_TRIED or is_symmetric(self.once.mechanism)
        return self.attained_among(self.once.blanket.ends if few else [(0, 1)])

    def attained_among(self, ends: Sequence[Ends]) -> list[LossPair]:
        """Return the losses of the pairs among these that are furthest apart in one round."""
        pairs = likely_worst_pairs(self.once, ends)
        middle = int(np.argmax(self._bounds <= _COMPARED * self._bounds[0]))
        furthest: list[PairOfValues] = []
        for level in (0.0, float(self._levels[middle])):
            pair = max(pairs, key=lambda pair, level=level: _excess_ends(pair, level)[0])
            furthest += [] if pair in furthest else [pair]
        losses = (self._losses(pair) for pair in furthest)
        return [pair for pair in losses if pair is not None]

    def _losses(self, pair: PairOfValues) -> LossPair | None:
        """Return the losses of the first value against the second, and in reverse, or None if they are not known."""
        ways = [self._profile_ends(way) for way in (pair, pair.reversed())]
        size = min(low.size for low, _ in ways)
        if size < _FEWEST:
            return None
        (step, places), (forwards, backwards) = self._grid, ((low[:size], high[:size]) for low, high in ways)
        return LossPair.from_parts([(*dominated_losses(step, places[:size], forwards, backwards), self.n)])

    def _profile_ends(self, pair: PairOfValues) -> tuple[Reals, Reals]:
        """Return bounds of δ at the levels, as long as they are close to each other."""
        low, high = list[float](), list[float]()
        for level in self._levels.tolist():
            ends = _excess_ends(pair, level)
            low.append(ends[0])
            high.append(ends[1])
            if ends[1] - ends[0] > _CLOSE * ends[1]:
                break
        return np.array(low), np.array(high)

    @cached_property
    def _grid(self) -> tuple[float, Integers]:
        """The ε at which profiles of one round are computed, as multiples of a step, until δ has vanished."""
        most, left, last = min(self._largest, _LARGEST), self._bound(math.inf) + _LEFT, 1.0
        while last < most and self._bound(last) > left:
            last *= 2
        while last > _SMALLEST and self._bound(last / 2) <= left:
            last /= 2
        shares = np.linspace(0.0, 1.0, _POINTS)
        places = np.rint(_STEPS * shares * (1 + 2 * shares) / 3).astype(np.int64)
        return max(min(most, last), _SMALLEST) / _STEPS, places

    @property
    def _levels(self) -> Reals:
        step, places = self._grid
        return np.asarray(step * places, dtype=np.float64)

    @cached_property
    def _bounds(self) -> Reals:
        """Upper bounds of δ at the levels, whatever the other users hold and whichever two values are compared."""
        return self._bounds_at(self._levels)

    def _bounds_at(self, levels: Reals) -> Reals:
        bounds = np.array([self._bound(level) for level in levels.tolist()])
        bounds[levels >= self._largest] = 0.0
        return np.clip(bounds, 0.0, 1.0)

    def _bound(self, level: float) -> float:
        if self._profile is not None:
            return highest(self._profile(level))
        return hidden_excess(self.once.mechanism, self._blanket, level)

    @cached_property
    def _blanket(self) -> Blanket:
        return Blanket(self.once.mechanism, self.once.n, _SLACK)

    @cached_property
    def _largest(self) -> float:
        return self.once.ldp_epsilon

    @cached_property
    def _profile(self) -> Profile | None:
        """The exact profile of one round, if it is quick to compute, without a long search over the others' values."""
        plan, users, k = plan_privacy_profile(self.once), self.once.n - 1, self.secrets
        if not plan.is_exact:
            return None
        cells = worst_case_of_excess(self.once, 0.0, {}).cells(even_counts(users, k))
        is_quick = plan.method != ENUMERATED or histogram_count(users, k) * cells <= _TRIED
        return plan.compute() if is_quick else None

    def excess(self, epsilon: float) -> Estimate:
        """Return δ(ε) of all rounds."""
        low = max((pair.hockey_stick(epsilon).low for pair in self.attained), default=0.0)
        return _between(low, self.dominating.hockey_stick(epsilon).high, span=1.0)

    def overlap(self) -> Estimate:
        """Return β* of all rounds: the overlap of the two laws that are furthest apart."""
        high = min((pair.forwards.overlap(0.0).high for pair in self.attained), default=1.0)
        return _between(self.dominating.forwards.overlap(0.0).low, high, safe="low", span=1.0)

    def epsilon(self, delta: float) -> Estimate:
        """Return ε(δ) of all rounds, for δ > 0."""
        low = max((pair.epsilon(delta, self).low for pair in self.attained), default=0.0)
        return _between(low, self.dominating.epsilon(delta, self).high)

    def guess(self, prior: Prior) -> Estimate:
        """Return the probability that the best guess of the target's value is correct.

        It is at most ``1 - β* (1 - max π)`` (Bayes-sec, section V). It is at least that of one round, and for a uniform
        prior at least that of an adversary that guesses only one of two values: ``(1 + δ(0))/k``.
        """
        law, overlap = prior_vector(prior, self.secrets), self.overlap()
        low = lowest(plan_posterior_vulnerability(self.once, prior, IdentityGain(self.secrets)).compute())
        if prior is None:
            low = max(low, (2 - overlap.high) / self.secrets)
        return _between(low, 1 - overlap.low * (1 - float(law.max())), span=1.0)

    def tests(self, ends: Ends | None) -> "BandOfRounds":
        """Return the band of curves around the best tests: of any two values, or of the second against the first."""
        least = as_band(tests_of_losses(self.dominating)).low
        if ends is None:
            attained = [as_band(tests_of_any([pair])).high for pair in self.attained]
        else:
            a, b = ends
            attained = [as_band(tests_of_one_way(pair)).high for pair in self.attained_among([(b, a)])]
        return BandOfRounds(least, best_of_polygons(attained), METHOD.name, rounds=self if ends is None else None)

    def __repr__(self) -> str:
        return f"{self.n:,} × {self.once!r}"


@dataclass(frozen=True, eq=False, kw_only=True)
class BandOfRounds(Band):
    """A band around the best tests in rounds; for any two values its ε, δ and overlap are those of the rounds."""

    rounds: WorstRounds | None

    def excess(self, epsilon: float) -> Result:
        """Return the least δ of (ε, δ)-differential privacy for ε >= 0: the privacy profile."""
        return super().excess(epsilon) if self.rounds is None else self.rounds.excess(epsilon)

    @property
    def overlap(self) -> Result:
        """The overlap of the two laws."""
        return super().overlap if self.rounds is None else self.rounds.overlap()

    def epsilon(self, delta: float) -> Result:
        """Return the least ε >= 0 of (ε, δ)-differential privacy."""
        if self.rounds is None or delta <= 0:
            return super().epsilon(delta)
        return self.rounds.epsilon(delta)


def _excess_ends(pair: PairOfValues, epsilon: float) -> tuple[float, float]:
    """Return bounds of an excess, which may be wider than the precision of a float."""
    rough = pair.rough_excess_beyond(epsilon, _ROUGH)
    if math.isfinite(rough.error):
        return max(0.0, rough.value - rough.error), rough.value + rough.error
    excess = pair.excess_beyond(epsilon)
    return lowest(excess), highest(excess)


def _between(low: float, high: float, safe: End = "high", span: float = math.inf) -> Estimate:
    low, high = low * (1 - _ROUNDING), high * (1 + _ROUNDING)
    return Estimate.between(min(low, high), min(high, span), METHOD.name, safe=safe, span=span)


@plan_repeated.register
def _repeated_of_worst(system: AmongWorst, n: int) -> System:
    return plan_repeated(system.mechanism, n) if system.n == 1 else WorstRounds(system, n)


@plan_repeated.register
def _repeated_of_rounds(system: WorstRounds, n: int) -> System:
    return WorstRounds(system.once, n * system.n)


@reported_alone.register
def _reported_alone_of_rounds(system: WorstRounds) -> System:
    return reported_alone(system.once)


@plan_posterior_vulnerability.register
def _vulnerability_of_rounds(system: WorstRounds, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    if not isinstance(gain, IdentityGain):
        return plan_posterior_vulnerability.dispatch(object)(system, prior, gain)
    return Plan(METHOD, lambda: system.guess(prior))


@plan_bayes_risk.register
def _bayes_risk_of_rounds(system: WorstRounds, prior: Prior) -> Plan[float | Estimate]:
    return Plan(METHOD, lambda: 1 - system.guess(prior))


@plan_multiplicative_bayes_capacity.register
def _bayes_capacity_of_rounds(system: WorstRounds) -> Plan[float | Estimate]:
    # The sum of column maxima is k times what a guess of a uniform value gains.
    return Plan(METHOD, lambda: system.secrets * system.guess(None))


@plan_bayes_security.register
def _bayes_security_of_rounds(system: WorstRounds) -> Plan[float | Estimate]:
    return Plan(METHOD, system.overlap)


@plan_privacy_profile.register
def _privacy_profile_of_rounds(system: WorstRounds) -> Plan[Profile]:
    return Plan(METHOD, lambda: system.excess)


@plan_profile_bound.register
def _profile_bound_of_rounds(system: WorstRounds) -> Plan[Bound]:
    return Plan(METHOD, lambda: system.dominating).then(LossPair.profile_bound)


@plan_least_epsilon.register
def _least_epsilon_of_rounds(system: WorstRounds, delta: float) -> Plan[float | Estimate]:
    return Plan(METHOD, lambda: system.epsilon(delta))


@plan_ldp_epsilon.register
def _ldp_epsilon_of_rounds(system: WorstRounds) -> Plan[float]:
    # As of one round: it is largest where everybody sends the same report in every round.
    return plan_ldp_epsilon(system.once).then(lambda once: system.n * once)


@plan_renyi.register
def _renyi_of_rounds(system: WorstRounds, order: float) -> Plan[float | Estimate]:
    # Largest for the same two values and the same other users in every round.
    return plan_renyi(system.once, order).then(lambda once: system.n * once)


@plan_tradeoff.register
def _tradeoff_of_rounds(system: WorstRounds, pair: Pair | None) -> Plan[BestTests]:
    return Plan(METHOD, lambda: system.tests(None if pair is None else system.once.ends(pair)))
