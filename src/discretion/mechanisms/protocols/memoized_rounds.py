"""The observations of one client in several rounds: fresh noise in each round, on a report that the client memoizes.

The rounds are independent given the permanent report, not given the value. The number of times that each bit was 1, or
that each value was reported, is a sufficient statistic. All pairs of values are equivalent, so that a measure of two
values is that of any single pair.
"""

import itertools
import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from typing import Generic, NoReturn, TypeVar

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.channels.channel import Channel, Composable, System
from discretion.channels.composition.products import plan_parallel
from discretion.channels.composition.repeated import MAX_TALLY_ENTRIES, plan_repeated
from discretion.channels.storage.storage import check_size
from discretion.errors import InternalError, TooLargeError, UnsupportedError
from discretion.estimate import Estimate
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.polygon import Polygon
from discretion.measures.attack_curves.tradeoff import pair_indices, plan_tradeoff
from discretion.measures.guesses.bayes_security import (
    TIED,
    Pair,
    all_pairs,
    plan_bayes_security,
    plan_leakiest_pair,
    plan_leakiest_pairs,
)
from discretion.measures.guesses.capacities import plan_multiplicative_bayes_capacity
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.capacities import attained_uniformly, plan_shannon_capacity
from discretion.measures.information.mutual_information import plan_mutual_information
from discretion.measures.measure import Method, Plan, plainest
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    plan_renyi,
)
from discretion.measures.privacy_loss.divergences import excess_mass_of_logs, renyi_of_logs
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.protocols.unary_encoding import UnaryEncoding
from discretion.mechanisms.reporting import Reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import relative_excess
from discretion.numerics.histograms.histograms import histogram_count, histograms
from discretion.numerics.histograms.log_histograms import log_multinomial_pmf

Step = TypeVar("Step", UnaryEncoding, RandomizedResponse)

# Represents a probability of 0, which has no logarithm.
_LEAST = 1e-300

_ONE_CLIENT = Method("sums over tallies of the rounds of one client", "exact")
_CLOSED_FORM = Method("closed form of memoized reports", "closed form")


def refuse_fresh_randomness() -> NoReturn:
    """Raise for repeated uses of a memoized report, which would draw its randomness again."""
    raise UnsupportedError(
        "each use would draw all randomness again, but a longitudinal protocol memoizes its permanent report; take "
        "Longitudinal.rounds(t) for what all reports of t rounds give away, and a DBitFlip as it is: the report of all "
        "rounds is the same"
    )


def refuse_shuffled_rounds() -> NoReturn:
    """Raise for a crowd that reports in several rounds."""
    raise UnsupportedError(
        "Shuffled needs the report of one round, and the rounds of a longitudinal protocol share a permanent report; "
        "take Longitudinal.one_report for one shuffled round, and Longitudinal.rounds(t) for an observer of t rounds "
        "without a shuffler"
    )


class MemoizedRounds(Reporting, Composable):
    """The reports of one client in several rounds, as a system; `Longitudinal.rounds` returns it.

    For one round it is the report of that round, for infinitely many rounds the permanent report.
    """

    t: float

    @property
    def is_symmetric(self) -> bool:
        """Whether renaming the values only renames the reports, as both steps treat all values in the same way."""
        return True

    def check_shuffled(self) -> None:
        """Raise an error, since a shuffler shuffles each round by itself."""
        refuse_shuffled_rounds()

    @property
    @abstractmethod
    def plainest(self) -> System:
        """The report of the only round, or the permanent report of infinitely many; else these rounds themselves."""

    @property
    @abstractmethod
    def largest_loss(self) -> float:
        """The ε of all rounds: the loss if every report names the same value."""

    @abstractmethod
    def log_pair(self) -> tuple[Reals, Reals]:
        """Return the logarithms of two values' laws of a statistic that suffices to distinguish them.

        All pairs are equivalent, and the two directions are mirror images of each other.
        """

    @abstractmethod
    def best_guess(self, prior: Prior) -> float | None:
        """Return the posterior vulnerability, or None if it needs the explicit channel."""

    @abstractmethod
    def uniform_information(self) -> float | None:
        """Return the mutual information with a uniform prior, or None if it needs the explicit channel."""

    @property
    def _rounds(self) -> int:
        if math.isinf(self.t):
            raise InternalError("internal error: infinitely many rounds have no tallies")
        return int(self.t)

    def _checked(self, tallies: float) -> None:
        """Raise if there are too many tallies to list."""
        if tallies > (most := limits.current().numbers(MAX_TALLY_ENTRIES)):
            raise TooLargeError(
                f"{self.t:,} rounds have over {most:,} different tallies; take fewer rounds, or .rounds(math.inf), "
                "which leaks at least as much"
            )


@dataclass(frozen=True, eq=False)
class TwoSteps(MemoizedRounds, Generic[Step]):
    """Rounds in which a permanent report is randomized again."""

    permanent: Step
    instantaneous: Step
    t: float

    @property
    def secrets(self) -> int:
        """The number of values of the secret."""
        return self.permanent.k

    @property
    def plainest(self) -> System:
        """The report of the only round, or the permanent report of infinitely many; else these rounds themselves."""
        if math.isinf(self.t):
            return self.permanent
        return self.one_report if self.t == 1 else self

    @property
    @abstractmethod
    def one_report(self) -> Step:
        """The report of one round."""


@dataclass(frozen=True, eq=False)
class MemoizedBits(TwoSteps[UnaryEncoding]):
    """Rounds of unary encoding: the number of times that each bit was 1, independently for all bits.

    The likelihood ratio of a bit grows with the number of ones.
    """

    @property
    def one_report(self) -> UnaryEncoding:
        """The report of one round."""
        return self.permanent.randomized_again(self.instantaneous)

    @property
    def largest_loss(self) -> float:
        """The ε of all rounds: one value's bit is always 1, the other's never."""
        first, second = self.permanent, self.instantaneous
        t = self.t
        ones, zeros = (second.lam / second.kappa) ** t, (second.not_kappa / second.not_lam) ** t
        gain = first.gap * (1 - ones) / (first.lam + first.not_lam * ones)
        loss = first.gap * (1 - zeros) / (first.not_kappa + first.kappa * zeros)
        return math.log1p(gain) + math.log1p(loss)

    @cached_property
    def _bit(self) -> tuple[Reals, Reals]:
        """The log-law of another value's bit, and the excess over 1 of the own value's likelihood ratio to it."""
        first, second = self.permanent, self.instantaneous
        t = self._rounds
        self._checked(t + 1)
        ones = np.arange(t + 1.0)
        counts = np.stack([ones, t - ones], axis=-1)
        set_bit, clear_bit = (
            log_multinomial_pmf(counts, np.log([one, zero]))
            for one, zero in ((second.kappa, second.not_kappa), (second.lam, second.not_lam))
        )
        # A posterior of the permanent bit, of a uniform prior.
        log_odds = counts @ np.log([second.kappa / second.lam, second.not_kappa / second.not_lam])
        share_set, share_clear = (np.exp(-np.logaddexp(0.0, -odds)) for odds in (log_odds, -log_odds))
        other = np.logaddexp(math.log(first.lam) + set_bit, math.log(first.not_lam) + clear_bit)
        ratio = first.gap * np.tanh(log_odds / 2) / (first.lam * share_set + first.not_lam * share_clear)
        return other, ratio

    def log_pair(self) -> tuple[Reals, Reals]:
        """Return the logarithms of the laws of two values' bits, of which one is the own one."""
        self._checked((self._rounds + 1) ** 2)
        other, ratio = self._bit
        both, gain = np.add.outer(other, other), np.log1p(ratio)
        return (both + gain[:, None]).ravel(), (both + gain).ravel()

    def best_guess(self, prior: Prior) -> float:
        """Return the posterior vulnerability: the mean of the largest product of prior and ratio over the bits."""
        weights, sizes = np.unique(np.array([1 / self.secrets]) if prior is None else prior, return_counts=True)
        sizes = np.array([self.secrets]) if prior is None else sizes
        weights, sizes = weights[weights > 0], sizes[weights > 0]
        self._checked(weights.size * (self._rounds + 1.0))
        other, ratio = self._bit
        law = np.exp(other)
        above = np.append(np.cumsum(law[:0:-1])[::-1], 0.0)
        at_most = np.where(above < 0.5, np.log1p(-np.minimum(above, 0.5)), np.log(np.maximum(np.cumsum(law), _LEAST)))
        values = np.multiply.outer(weights, 1 + ratio)
        least = float(values[-1, 0])  # of the likeliest value, whatever its bit
        rises = np.multiply.outer(sizes, np.diff(at_most))
        values, rises = values[:, 1:].ravel(), rises.ravel()
        order = np.argsort(values, kind="stable")[np.count_nonzero(values <= least) :]
        values, rises = np.append(least, values[order]), np.append(rises[order], 0.0)
        cumulative = np.exp(-np.cumsum(rises[::-1])[::-1])
        return float(values @ np.diff(cumulative, prepend=0.0))

    def uniform_information(self) -> float | None:
        """Return the mutual information as a sum over tallies of bits by their ones; None if these are too many."""
        kinds, k = self._rounds + 1, self.secrets
        if histogram_count(k, kinds) * kinds > limits.current().numbers(MAX_TALLY_ENTRIES):
            return None
        other, ratio = self._bit
        tallies = histograms(k, kinds)
        means = tallies @ ratio / k
        seen = np.exp(log_multinomial_pmf(tallies.astype(np.float64), other)) * (1 + means)
        divergence = (tallies * relative_excess((ratio - means[:, None]) / (1 + means[:, None]))).sum(axis=1) / k
        return float(seen @ divergence)

    def channel(self) -> Channel:
        """Return the channel to the number of ones of each bit, or raise TooLargeError."""
        if math.isinf(self.t):
            return self.permanent.channel()
        kinds, k = self._rounds + 1, self.secrets
        columns = kinds**k if k * math.log(kinds) < math.log(2.0**60) else math.inf
        check_size(k, columns, f"{self.t:,} rounds of {k:,} bits", "use a measure of two values")
        other, ratio = self._bit
        laws = np.exp(other), np.exp(other + np.log1p(ratio))
        rows = [reduce(np.kron, [laws[bit == value] for bit in range(k)]) for value in range(k)]
        return Channel(rows, outputs=itertools.product(range(kinds), repeat=k))


@dataclass(frozen=True, eq=False)
class MemoizedResponses(TwoSteps[RandomizedResponse]):
    """Rounds of k-ary randomized response: the number of times that each value was reported.

    Write c for these counts, ρ for ``e^ε_2``, and p and q for the first step: the counts have a probability in
    proportion to ``(p - q) ρ^c_x + q Σ_z ρ^c_z``.
    """

    @property
    def one_report(self) -> RandomizedResponse:
        """The report of one round."""
        return RandomizedResponse(self.secrets, replace(self, t=1).largest_loss)

    @property
    def largest_loss(self) -> float:
        """The ε of all rounds: the loss if all reports name one value."""
        first, second = self.permanent, self.instantaneous
        once = math.exp(-self._rounds * second.epsilon)  # divided by ρ^t
        never = (self.secrets - 1) * once
        return math.log1p(
            first.gap * -math.expm1(-self._rounds * second.epsilon) / (first.q * (1 + never) + first.gap * once)
        )

    def _tallies(self, rounds: int, values: int) -> tuple[Integers, Reals]:
        """Return the counts of reports of each value, up to their order, and the log-number of sequences with each."""
        from discretion.numerics.histograms.partitions import (  # noqa: PLC0415 - takes SciPy, which most do not need
            log_orders,
            partition_count,
            partitions,
        )

        parts, most = min(rounds, values), limits.current().numbers(MAX_TALLY_ENTRIES)
        self._checked(partition_count(rounds, parts, most) * max(1.0, parts))
        listed = partitions(rounds, parts)
        named = np.count_nonzero(listed, axis=1)
        places = np.arange(parts)
        more = np.append(0.0, np.cumsum(np.log(values - places) - np.log(parts - places)))
        return listed, log_orders(listed) + more[named]

    def log_pair(self) -> tuple[Reals, Reals]:
        """Return the logarithms of the laws of the counts of two values, and of the others up to their order."""
        first, second = self.permanent, self.instantaneous
        t, k = self._rounds, self.secrets
        factorials, cells = _log_factorials(t), 0.0
        logs: list[tuple[Reals, Reals]] = []
        for others in range(t + 1 if k > 2 else 1):
            listed, orders = self._tallies(others, k - 2) if k > 2 else (np.zeros((1, 0), dtype=np.int64), np.zeros(1))
            own = np.arange(t - others + 1)
            cells += own.size * len(listed)
            self._checked(cells * 2)
            a, b = own[:, None], own[::-1, None]
            powers = [np.exp((c - t) * second.epsilon) for c in (a, b, listed)]
            absent = (k - 2 - listed.shape[1]) * math.exp(-t * second.epsilon)
            total = powers[0] + powers[1] + powers[2].sum(axis=1) + absent
            high, low = np.maximum(powers[0], powers[1]), np.minimum(powers[0], powers[1])
            difference = high * -np.expm1(-np.abs(a - b) * second.epsilon)
            loss = np.sign(a - b) * np.log1p(first.gap * difference / (first.gap * low + first.q * total))
            inside = orders - factorials[listed].sum(axis=1)
            weights = factorials[t] - factorials[a] - factorials[b] + inside + t * math.log(second.p)
            seen = weights + np.log(first.gap * low + first.q * total)
            logs.append(((seen + np.maximum(loss, 0.0)).ravel(), (seen + np.maximum(-loss, 0.0)).ravel()))
        one, another = zip(*logs, strict=True)
        return np.concatenate(one), np.concatenate(another)

    @cached_property
    def _all_tallies(self) -> tuple[Integers, Reals, Reals]:
        """All counts up to order, the logarithm of ``w = q_2^t`` times the number of their sequences, and Σ ρ^c.

        Both are divided or multiplied by ρ^t.
        """
        second = self.instantaneous
        listed, orders = self._tallies(self._rounds, self.secrets)
        totals = np.exp((listed - self._rounds) * second.epsilon).sum(axis=1)
        totals = totals + (self.secrets - listed.shape[1]) * math.exp(-self._rounds * second.epsilon)
        factorials = _log_factorials(self._rounds)
        sequences = factorials[-1] - factorials[listed].sum(axis=1)
        return listed, orders + sequences + self._rounds * math.log(second.p), totals

    def best_guess(self, prior: Prior) -> float | None:
        """Return the posterior vulnerability with a uniform prior; the best guess is the value reported most often."""
        if prior is not None:
            return None
        first, second = self.permanent, self.instantaneous
        listed, weights, totals = self._all_tallies
        most = np.exp((listed[:, 0] - self._rounds) * second.epsilon)
        return float(np.exp(weights) @ (first.gap * most + first.q * totals)) / self.secrets

    def uniform_information(self) -> float:
        """Return the mutual information with a uniform prior, as a sum over the counts of values up to their order."""
        first, second = self.permanent, self.instantaneous
        (listed, weights, totals), k = self._all_tallies, self.secrets
        excesses = np.exp(-self._rounds * second.epsilon) * np.expm1(listed * second.epsilon)
        sums = excesses.sum(axis=1)
        unnamed = k - listed.shape[1]
        # By how much a value's likelihood exceeds the mean of all.
        of_named = first.gap * (k * excesses - sums[:, None]) / totals[:, None]
        of_unnamed = first.gap * -sums / totals
        divergence = relative_excess(of_named).sum(axis=1) + unnamed * relative_excess(of_unnamed)
        return float((np.exp(weights) * totals / k) @ divergence) / k

    def channel(self) -> Channel:
        """Return the channel to the counts of all values, or raise TooLargeError."""
        if math.isinf(self.t):
            return self.permanent.channel()
        first, second = self.permanent, self.instantaneous
        t, k = self._rounds, self.secrets
        check_size(k, k * histogram_count(t, k), f"{t:,} rounds of {k:,} values", "use a measure of two values")
        counts = histograms(t, k)
        powers = np.exp((counts - t) * second.epsilon)
        factorials = _log_factorials(t)
        weights = np.exp(factorials[t] - factorials[counts].sum(axis=1) + t * math.log(second.p))
        rows = weights * (first.gap * powers.T + first.q * powers.sum(axis=1))
        return Channel(rows, outputs=map(tuple, counts.tolist()))


def _log_factorials(n: int) -> Reals:
    """Return ``log 0!`` to ``log n!``."""
    return np.append(0.0, np.cumsum(np.log(np.arange(1.0, n + 1))))


@plainest.register
def _plainest_of_rounds(system: MemoizedRounds) -> System:
    return system.plainest


@plan_repeated.register
def _repeated_of_rounds(system: MemoizedRounds, n: int) -> System:
    refuse_fresh_randomness()


@plan_parallel.register
def _parallel_of_rounds(first: MemoizedRounds, second: System) -> System | None:
    refuse_fresh_randomness()


@plan_ldp_epsilon.register
def _ldp_epsilon_of_rounds(system: MemoizedRounds) -> Plan[float]:
    return Plan(_CLOSED_FORM, lambda: system.largest_loss)


@plan_bayes_security.register
def _bayes_security_of_rounds(system: MemoizedRounds) -> Plan[float]:
    return Plan(_ONE_CLIENT, lambda: min(1.0, float(np.exp(np.minimum(*system.log_pair())).sum())))


@plan_privacy_profile.register
def _privacy_profile_of_rounds(system: MemoizedRounds) -> Plan[Profile]:
    def profile() -> Profile:
        pair = system.log_pair()
        return lambda epsilon: min(1.0, excess_mass_of_logs(*pair, epsilon))

    return Plan(_ONE_CLIENT, profile)


@plan_least_epsilon.register
def _least_epsilon_of_rounds(system: MemoizedRounds, delta: float) -> Plan[float]:
    return Plan(_ONE_CLIENT, lambda: Polygon.from_logs(*system.log_pair()).epsilon(delta))


@plan_tradeoff.register
def _tradeoff_of_rounds(system: MemoizedRounds, pair: Pair | None) -> Plan[BestTests]:
    if pair is not None:
        pair_indices(pair, range(system.secrets))
    return Plan(_ONE_CLIENT, lambda: Polygon.from_logs(*system.log_pair()))


@plan_renyi.register
def _renyi_of_rounds(system: MemoizedRounds, order: float) -> Plan[float]:
    if math.isinf(order):
        return plan_ldp_epsilon(system)
    return Plan(_ONE_CLIENT, lambda: renyi_of_logs(*system.log_pair(), order))


@plan_leakiest_pair.register
def _leakiest_pair_of_rounds(system: MemoizedRounds) -> Plan[Pair]:
    return Plan(TIED, lambda: (0, 1))


@plan_leakiest_pairs.register
def _leakiest_pairs_of_rounds(system: MemoizedRounds, tolerance: float) -> Plan[list[Pair]]:
    return Plan(TIED, lambda: [*all_pairs(system.secrets)])


@plan_posterior_vulnerability.register
def _posterior_vulnerability_of_rounds(system: MemoizedRounds, prior: Prior, gain: Gain) -> Plan[float | Estimate]:
    explicit = plan_posterior_vulnerability.dispatch(object)(system, prior, gain)
    if not isinstance(gain, IdentityGain):
        return explicit

    def vulnerability() -> float | Estimate:
        guess = system.best_guess(prior)
        return explicit.compute() if guess is None else guess

    return Plan(_ONE_CLIENT, vulnerability)


@plan_bayes_risk.register
def _bayes_risk_of_rounds(system: MemoizedRounds, prior: Prior) -> Plan[float | Estimate]:
    return plan_posterior_vulnerability(system, prior, IdentityGain(system.secrets)).then(lambda guess: 1 - guess)


@plan_multiplicative_bayes_capacity.register
def _multiplicative_bayes_capacity_of_rounds(system: MemoizedRounds) -> Plan[float | Estimate]:
    plan = plan_posterior_vulnerability(system, None, IdentityGain(system.secrets))
    return plan.then(lambda guess: system.secrets * guess)


@plan_mutual_information.register
def _mutual_information_of_rounds(system: MemoizedRounds, prior: Prior) -> Plan[float | Estimate]:
    explicit = plan_mutual_information.dispatch(object)(system, prior)
    if prior is not None:
        return explicit

    def information() -> float | Estimate:
        exact = system.uniform_information()
        return explicit.compute() if exact is None else exact

    return Plan(_ONE_CLIENT, information)


@plan_shannon_capacity.register
def _shannon_capacity_of_rounds(system: MemoizedRounds, tolerance: float) -> Plan[Estimate]:
    return attained_uniformly(system)
