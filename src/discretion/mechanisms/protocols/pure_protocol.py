"""Pure protocols: a report supports its sender's value with one probability, and each other value with another.

All usual frequency oracles are pure protocols (Wang, Blocki, Li and Jha, Locally Differentially Private Protocols for
Frequency Estimation, USENIX Security 2017). They share one estimator, one variance, and the formulas for the leakage
of the worst pair of values.
"""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

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
from discretion.measures.measure import Method, Plan
from discretion.measures.parallel import pairs_alike
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    log_likelihoods,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    plan_renyi,
)
from discretion.measures.privacy_loss.divergences import excess_mass_of_logs, logarithms, renyi_of_logs
from discretion.measures.privacy_loss.losses import LatticeLosses, leakiest_losses, three_point_losses
from discretion.mechanisms.mechanism import Mechanism, Reports
from discretion.mechanisms.reporting import Overlaps, Sender, Support
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.draws import column_sums
from discretion.numerics.laws.binomial_limits import split_limits

_CELLS_AT_ONCE = 1 << 22
_CELLS_TALLIED_AT_ONCE = 1 << 18  # that fit in the processor's cache
# At this ε a lie is far rarer than anything else, yet no number underflows: more only makes lies rarer still.
_LOUD, _RARE = 600.0, -570.0
_LIKELIEST = 1e12


class PureProtocol(Mechanism):
    """A mechanism whose reports support sets of values, and are ``e^ε`` times as likely from the supported values.

    A subclass has a ``title``, implements `epsilon`, `channel`, `support`, ``_sample`` and ``_supports``, and may
    define a faster ``_aggregate``.
    """

    title: ClassVar[str]

    @property
    @abstractmethod
    def support(self) -> Support:
        """The probabilities that a report supports its sender's value, and another value."""

    @property
    @abstractmethod
    def contest(self) -> tuple[float, float]:
        """The probabilities that a report supports its sender's value without a given other one, and both or neither.

        Each has full precision, however small. The probability of the other value alone is ``e^-ε`` times the first.
        """

    @property
    def pure_epsilon(self) -> float:
        """The ε of the protocol, by which a report is less likely from each value that it does not support."""
        return self.epsilon

    @property
    def blanket_probability(self) -> float:
        """The probability of the blanket, in which reports that support all values have the larger factor."""
        overlaps = self.overlaps
        if overlaps is None:
            return super().blanket_probability
        return min(1.0, overlaps.unlikely + overlaps.every * (overlaps.likely - overlaps.unlikely))

    def with_epsilon(self, epsilon: float) -> "PureProtocol | None":
        """Return the same protocol with another ε; None if the odds of lies do not all change by the same factor."""
        return None

    def log_report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the logarithms of the types' probabilities, lies too rare for a double included."""
        louder = self.with_epsilon(_LOUD) if _LOUD <= self.epsilon < math.inf else None
        if louder is None:
            return super().log_report_types(values, senders)
        types = logarithms(louder.report_types(values, senders))
        return np.where(types < _RARE, types - (self.epsilon - _LOUD), types)

    @property
    def log_pair(self) -> tuple[Reals, Reals]:
        """The log-probabilities, from either of two values, of supporting the first alone, the second alone, others."""
        alone, alike = logarithms(np.array(self.contest))
        return np.array([alone, alone - self.epsilon, alike]), np.array([alone - self.epsilon, alone, alike])

    def _overlapping(self, one: float, two: float, three: tuple[float, ...], every: float = 0.0) -> Overlaps | None:
        """Return the overlaps of supports, or None where a likelihood ratio does not fit in a double."""
        own, not_own = self.support[:2]
        likely = own / one if one > 0 else math.inf
        return Overlaps(one, two, three, every, likely, not_own / (1 - one)) if likely < _LIKELIEST else None

    @abstractmethod
    def _supports(self, reports: Reports) -> Booleans:
        """Return, for each report, the values that it supports, shape ``(reports, k)``."""

    def _aggregate(self, reports: Reports) -> Integers:
        tallies = np.zeros(self.k, dtype=np.int64)
        for block in self._blocks(reports, _CELLS_TALLIED_AT_ONCE):
            tallies += column_sums(self._supports(block))
        return tallies

    def _frequencies(self, tallies: Integers, n: int) -> Reals:
        return (tallies / n - self.support.other) / self.support.gap

    def _frequency_limits(self, tallies: Integers, n: int, misses: float) -> tuple[Reals, Reals]:
        own, not_own, other, not_other, _ = self.support
        low, high = split_limits(tallies, n, (own, not_own), (other, not_other), misses)
        return low / n, high / n

    def _frequency_variance(self, n: int, frequencies: Reals) -> Reals:
        own, not_own, other, not_other, gap = self.support
        if gap == 0:
            return np.full(self.k, math.inf)
        noise = (frequencies * own * not_own + (1 - frequencies) * other * not_other) / n
        with np.errstate(over="ignore"):  # infinite where a double overflows
            return noise / gap / gap

    def likelihood_blocks(self, reports: Reports) -> Iterator[tuple[Reals, Integers]]:
        """Yield, for blocks of reports, each report's likelihood for each value, up to a factor, and its count."""
        odds = math.exp(-self.epsilon)
        counts = np.ones(len(reports), dtype=np.int64)
        if reports.ndim == 1:  # numbers that are equal are cheaply counted together
            reports, counts = np.unique(reports, return_counts=True)
        for block in self._blocks(reports):
            supports, counts_of_block = self._supports(block), counts[: len(block)]
            counts = counts[len(block) :]
            telling = supports.any(axis=1) & ~supports.all(axis=1)
            yield np.where(supports[telling], 1.0, odds), counts_of_block[telling]

    def _blocks(self, reports: Reports, cells: int = _CELLS_AT_ONCE) -> Iterator[Reports]:
        step = max(1, cells // self.k)
        for start in range(0, len(reports), step):
            yield reports[start : start + step]


def _closed_form(system: PureProtocol) -> Method:
    return Method(f"closed form of {system.title}", "closed form")


@plan_ldp_epsilon.register
def _ldp_epsilon_of_pure_protocol(system: PureProtocol) -> Plan[float]:
    return Plan(_closed_form(system), lambda: system.epsilon)


@plan_bayes_security.register
def _bayes_security_of_pure_protocol(system: PureProtocol) -> Plan[float]:
    # Two values' rows differ on the reports that support one of them alone; those that support both are as likely from
    # either. So what is more likely from one is own - other.
    return Plan(_closed_form(system), lambda: min(1.0, system.support.not_own + system.support.other))


@plan_privacy_profile.register
def _privacy_profile_of_pure_protocol(system: PureProtocol) -> Plan[Profile]:
    def profile(epsilon: float) -> float:
        return min(1.0, excess_mass_of_logs(*system.log_pair, epsilon))

    return Plan(_closed_form(system), lambda: profile)


@plan_least_epsilon.register
def least_epsilon_of_protocol(system: PureProtocol, delta: float) -> Plan[float]:
    """Plan ε at the corners of the best tests."""
    return Plan(_closed_form(system), lambda: Polygon.from_logs(*system.log_pair).epsilon(delta))


@plan_tradeoff.register
def _tradeoff_of_pure_protocol(system: PureProtocol, pair: Pair | None) -> Plan[BestTests]:
    if pair is not None:
        pair_indices(pair, range(system.k))
    return Plan(_closed_form(system), lambda: Polygon.from_logs(*system.log_pair))


@plan_renyi.register
def _renyi_of_pure_protocol(system: PureProtocol, order: float) -> Plan[float]:
    return Plan(_closed_form(system), lambda: renyi_of_logs(*system.log_pair, order))


@log_likelihoods.register
def log_likelihoods_of_protocol(system: PureProtocol) -> Reals:
    """Return the logarithms of the channel's rows, or of types of report where lies are too rare for a double."""
    if not _LOUD <= system.epsilon < math.inf:
        return log_likelihoods.dispatch(object)(system)
    return np.stack(system.log_pair) if system.k == 2 else system.log_report_types(range(system.k))


@pairs_alike.register
def _pairs_alike_of_pure_protocol(system: PureProtocol) -> bool:
    return True


@leakiest_losses.register
def _leakiest_losses_of_pure_protocol(system: PureProtocol) -> LatticeLosses | None:
    if not 0 < system.epsilon < math.inf:
        return None
    return three_point_losses(system.epsilon, system.support.gap / -math.expm1(-system.epsilon))


@plan_leakiest_pair.register
def _leakiest_pair_of_pure_protocol(system: PureProtocol) -> Plan[Pair]:
    return Plan(TIED, lambda: (0, 1))


@plan_leakiest_pairs.register
def _leakiest_pairs_of_pure_protocol(system: PureProtocol, tolerance: float) -> Plan[list[Pair]]:
    return Plan(TIED, lambda: [*all_pairs(system.k)])
