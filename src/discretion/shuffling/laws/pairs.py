"""Pairs of values of the target, and the distance between the laws of the adversary's observation under them.

When all others' reports follow one law q, the likelihood of the target's value is linear in the histogram,
``P(h | x) = P(h) Σ_y (Q[x, y] / q_y) h_y / n``, so that ``Σ_h max(0, P(h | a) - r P(h | b))`` is the mean excess of a
sum of independent steps: exact for any randomizer at any size. Otherwise the histograms are listed. If they are too
many, the excess is bounded: from below by two kinds of report, from above by the privacy blanket.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, highest, largest, lowest, settled
from discretion.measures.attack_curves.polygon import Polygon
from discretion.measures.information.two_secrets import information_of_two_secrets
from discretion.measures.privacy_loss.differential_privacy import plan_privacy_profile
from discretion.measures.privacy_loss.divergences import excess_mass_of_logs, excess_over, logarithms
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import sequence_count, simplex_work
from discretion.numerics.histograms.log_histograms import log_add_draw, log_histogram_law, log_histogram_work
from discretion.numerics.laws.poisson_multinomial import histogram_box
from discretion.numerics.means.mean_excess import RELATIVE, Bounded
from discretion.shuffling.laws.blanket import (
    BOUND,
    Blanket,
    certified_interval,
    kind_of_types,
    linear_excess,
    smoothed_linear_excess,
)
from discretion.shuffling.laws.groups import Ends, OtherUsers, holders, log_report_types, report_types
from discretion.shuffling.laws.report_histograms import MAX_TERMS_ADDED, ListedOthers, most_histograms
from discretion.shuffling.laws.supports import PairAmongHolders

# Types of report, of all pairs that may be the leakiest, whose excess is computed instead of bounded.
MAX_TYPES_COMPARED = 128
# The same in logarithms, which take longer.
MAX_LOG_TERMS = 1 << 24

# So few terms, or cells of a box, as to be listed at once.
_AT_ONCE, _ALL = 1 << 14, 1 << 14
# So many people that one more is next to no difference.
_MANY = 64
# Beyond e^_LARGEST no double holds a ratio, nor a product of several beyond e^LOUD.
_LARGEST, LOUD = 700.0, 300.0
SMOOTHED = "mean excess of a sum of independent steps and a normal error, within certified bounds"
# What the transform rounds off of a sum over its histograms, at most.
_ROUNDED_SUM = 1e-14


@dataclass(frozen=True, eq=False)
class PairOfValues:
    """Two values a and b of the target among known groups of other users, in a crowd that reports through a mechanism.

    ``types`` has the laws of the types of report: of the target with value a, with value b, then of each group. The
    blanket and the others' histograms are shared between pairs, the latter by the laws of their types.
    """

    mechanism: System
    a: int
    b: int
    groups: OtherUsers
    blanket: "Blanket | None" = None
    listed: dict[bytes, ListedOthers] = field(default_factory=dict[bytes, ListedOthers])

    @cached_property
    def types(self) -> Reals:
        """The laws of the types of report, with the likeliest type last."""
        types = report_types(self.mechanism, self.groups, (self.a, self.b))
        likely = types[2:].mean(axis=0) if self.groups else types.mean(axis=0)
        # Types that are as likely in an order of their own, so that all pairs list the others alike.
        return types[:, np.lexsort((*types, likely))]

    def reversed(self) -> "PairOfValues":
        """Return the pair in reverse order."""
        return replace(self, a=self.b, b=self.a)

    @cached_property
    def kind(self) -> tuple[tuple[int, ...], bytes]:
        """A key that equivalent pairs share: the laws of their types, bit by bit, in any order of the types."""
        if self._even and not self.needs_no_bound and self._by_supports is not None:
            return (self._even,), b""
        if not self.has_types:
            return (*self._counts, -1, *self._holders), b""
        return self._counts, kind_of_types(self.log_types if self.is_loud else self.types)

    @cached_property
    def has_types(self) -> bool:
        """Whether the types of report are few enough to list."""
        try:
            return self.types.size > 0
        except TooLargeError:
            return False

    @cached_property
    def is_linear(self) -> bool:
        """Whether the likelihood is linear in the histogram, and there are too many histograms to list at once."""
        return len(self.groups) == 1 and self.has_types and simplex_work(self._counts, self.types.shape[1]) > _AT_ONCE

    @property
    def needs_no_bound(self) -> bool:
        """Whether the histograms are few enough to list, or need no list."""
        return len(self.groups) < 2 or self.is_listable

    @property
    def cells(self) -> float:
        """The number of histograms to list."""
        return self._others(self.types).cells if self.has_types else math.inf

    def excess_beyond(self, epsilon: float) -> float | Estimate:
        """Return ``Σ_h max(0, P(h | a) - e^ε P(h | b))``."""
        if not self.has_types:
            return self._untyped_excess(epsilon)
        if math.isinf(epsilon) and not np.any((self.log_types[0] > -math.inf) & (self.log_types[1] == -math.inf)):
            return 0.0
        if self.is_loud or _LARGEST < epsilon < math.inf:
            return self._logarithmic_excess(epsilon)
        ratio = math.exp(epsilon)
        if self.is_linear:
            return _share_of_bounds(linear_excess(self.types, self._counts[0], ratio))
        if not self.groups:
            return excess_over(self.types[0], self.types[1], ratio)
        return self._listed_excess(ratio) if self.is_listable else self._bounded_excess(ratio)

    def information(self, law: Reals) -> Estimate:
        """Return bounds of the information about the target's value, which is a or b with the given probabilities."""
        return information_of_two_secrets(law, (self.excess_beyond, self.reversed().excess_beyond), BOUND.name)

    def rough_excess_beyond(self, epsilon: float, relative: float | None = None) -> Bounded:
        """Return bounds of the excess that are quick to compute, or with the given relative error."""
        if not self.is_linear or self.is_loud or _LARGEST < epsilon < math.inf:
            return Bounded(0.0, math.inf)
        if relative is None:
            return smoothed_linear_excess(self.types, self._counts[0], math.exp(epsilon))
        return linear_excess(self.types, self._counts[0], math.exp(epsilon), relative)

    @property
    def likelihoods(self) -> tuple[Reals, Reals]:
        """``P(h | a)`` and ``P(h | b)`` over the histograms."""
        return self._listed_likelihoods(self.types)

    @property
    def lists_all(self) -> bool:
        """Whether every histogram can be listed, including the least likely one."""
        if not self.has_types:
            return False
        m = self.types.shape[1]
        rarest = (1 + sum(self._counts)) * float(self.log_types.min(where=self.log_types > -math.inf, initial=0.0))
        summed = simplex_work(self._counts, m) <= limits.current().steps(MAX_TERMS_ADDED) and rarest > -_LARGEST
        return summed or _is_box_of(_ALL, self._counts, m)

    @cached_property
    def log_types(self) -> Reals:
        """The logarithms of the types, with the likeliest last."""
        types = log_report_types(self.mechanism, self.groups, (self.a, self.b))
        return types[:, np.argsort(np.logaddexp.reduce(types[2:] if self.groups else types))]

    @cached_property
    def is_loud(self) -> bool:
        """Whether the ratio of the probabilities of a report, for two values or groups, is too large for doubles."""
        alone = reporting(self.mechanism).pure_epsilon
        if not self.has_types or (alone is not None and alone <= LOUD):  # no ratio is beyond that of one report
            return False
        return largest_log_ratio(self.log_types) > LOUD

    @property
    def all_log_likelihoods(self) -> tuple[Reals, Reals]:
        """``log P(h | a)`` and ``log P(h | b)`` over every histogram."""
        if _is_box_of(_ALL, self._counts, self.types.shape[1]):
            return self._log_likelihoods(-math.inf)
        a, b = logarithms(self._others(self.types).summed(self.types[:2]))
        return a, b

    def _log_likelihoods(self, least: float) -> tuple[Reals, Reals]:
        """Return both likelihoods over the histograms, without those that the others make rarer than ``e^least``."""
        if not self.groups:
            return self.log_types[0], self.log_types[1]
        others = log_histogram_law(self._counts, self.log_types[2:], least)
        a, b = (log_add_draw(others, target).ravel() for target in self.log_types[:2])
        return a, b

    @property
    def is_listable(self) -> bool:
        """Whether the histograms are few enough to list."""
        return self.cells <= most_histograms()

    def _others(self, types: Reals) -> ListedOthers:
        return self.listed.setdefault(types[2:].tobytes(), ListedOthers(self._counts, types[2:]))

    def _listed_likelihoods(self, types: Reals) -> tuple[Reals, Reals]:
        a, b = self._others(types).likelihoods(types[:2])
        return a, b

    @property
    def _counts(self) -> tuple[int, ...]:
        return tuple(group.count for group in self.groups)

    def _listed_excess(self, ratio: float) -> float | Estimate:
        is_summed = self._others(self.types).is_summed
        if self.types.shape[1] == 2 and not is_summed:
            return _tail_excess(self.types, self._counts, ratio)
        excess = excess_over(*self.likelihoods, ratio)
        if is_summed:
            return excess
        error = _ROUNDED_SUM * (1 + ratio) if math.isfinite(ratio) else _ROUNDED_SUM
        return _estimate_of_bounds(Bounded(excess, error), "sum over histograms, with its rounding")

    def _logarithmic_excess(self, epsilon: float) -> float | Estimate:
        """Return the excess if likelihoods or their ratios are beyond the range of doubles."""
        if self.work_in_logs <= limits.current().steps(MAX_LOG_TERMS, each=4):
            return excess_mass_of_logs(*self.likely_logs, epsilon)
        alone = excess_mass_of_logs(self.log_types[0], self.log_types[1], epsilon)
        return certified_interval(0.0, alone)

    @cached_property
    def _least(self) -> float:
        """The logarithm of a probability that is negligible in ``P(h | a)`` and, times any ratio, in ``P(h | b)``."""
        return -800.0 - 3 * min(largest_log_ratio(self.log_types), _LARGEST)

    @cached_property
    def work_in_logs(self) -> float:
        """The number of terms for a list in logarithms."""
        return log_histogram_work(self._counts, self.log_types[2:], self._least)

    @cached_property
    def likely_logs(self) -> tuple[Reals, Reals]:
        """``log P(h | a)`` and ``log P(h | b)`` over the histograms that matter."""
        return self._log_likelihoods(self._least)

    @cached_property
    def coarse(self) -> tuple[Reals, Reals]:
        """The likelihoods of the number of reports that are likelier under a than under b, a coarser count."""
        likelier = self.types[0] > self.types[1]
        two = np.stack([self.types[:, likelier].sum(axis=1), self.types[:, ~likelier].sum(axis=1)], axis=1)
        return self._listed_likelihoods(two)

    def _untyped_excess(self, epsilon: float) -> Estimate:
        """Return bounds if even the types of report are too many; the mechanism alone is an upper bound."""
        alone = highest(plan_privacy_profile(self.mechanism).compute()(epsilon))
        bounds = self._bounded_excess(math.exp(min(epsilon, _LARGEST)))
        return certified_interval(min(bounds.low, alone), min(bounds.high, alone))

    def _bounded_excess(self, ratio: float) -> Estimate:
        blanket = self.blanket or Blanket(self.mechanism, 1 + sum(self._counts))
        bound = blanket.excess(self.a, self.b, ratio)
        if self._by_supports is None:
            return certified_interval(excess_over(*self.coarse, ratio) if self.has_types else 0.0, bound)
        low, high = self._by_supports.excess(ratio)
        return certified_interval(low, min(high, bound))

    @cached_property
    def _by_supports(self) -> PairAmongHolders | None:
        """The same two values by the supports of reports, if the mechanism is symmetric in all values."""
        facts = reporting(self.mechanism)
        overlaps, sizes, k = facts.overlaps, facts.support_sizes, facts.secrets
        known = all(group.value is not None for group in self.groups)
        if overlaps is None or sizes is None or not known or not (facts.is_symmetric or k == 2):
            return None
        a, b = self._holders
        further = np.delete(holders(k, self.groups), [self.a, self.b])
        each = int(further.min()) if k > 2 else 0
        kept = (self._even, self._even, self._even) if self._even else (a, b, each)
        return PairAmongHolders(overlaps, sizes, k, a, b, int(further.sum()), kept)

    @property
    def _holders(self) -> tuple[int, int]:
        counts = holders(self.mechanism.secrets, self.groups)
        return int(counts[self.a]), int(counts[self.b])

    @cached_property
    def _even(self) -> int:
        """The number of other users per value, if it is constant up to one and large; else 0."""
        counts = holders(self.mechanism.secrets, self.groups)
        least = int(counts.min())
        return least if least >= _MANY and counts.max() <= least + 1 else 0


def distinct_pairs(pairs: Iterable[PairOfValues]) -> list[PairOfValues]:
    """Return one pair of each kind."""
    return list({pair.kind: pair for pair in pairs}.values())


def largest_excess_beyond(pairs: Iterable[PairOfValues], epsilon: float) -> float | Estimate:
    """Return the largest excess of some pairs, after rough bounds rule most of them out."""
    rough = [(pair, pair.rough_excess_beyond(epsilon)) for pair in pairs]
    low = max((bounds.value - bounds.error for _, bounds in rough), default=0.0)
    near = [(pair, bounds) for pair, bounds in rough if bounds.value + bounds.error >= low]
    if all(pair.is_linear for pair, _ in near) and sum(pair.types.shape[1] for pair, _ in near) > MAX_TYPES_COMPARED:
        high = max(bounds.value + bounds.error for _, bounds in near)
        if math.isfinite(high):
            return Estimate.between(max(0.0, low), min(1.0, high), SMOOTHED)
    return largest(pair.excess_beyond(epsilon) for pair, _ in near)


def _share_of_bounds(bounds: Bounded) -> float | Estimate:
    if bounds.error <= RELATIVE * bounds.value:
        return bounds.value
    return _estimate_of_bounds(bounds, "saddle-point integral with a certified remainder")


def _estimate_of_bounds(found: Bounded, method: str) -> Estimate:
    """Return an estimate from a share and its error; without further knowledge, the largest possible value."""
    low, high = max(0.0, found.value - found.error), max(0.0, min(1.0, found.value + found.error))
    return Estimate.between(low, high, method, share=(min(found.value, high) - low) / (high - low))


def _is_box_of(cells: int, counts: tuple[int, ...], m: int) -> bool:
    return sequence_count(m - 1, sum(counts) + 1) <= cells


def _tail_excess(types: Reals, counts: tuple[int, ...], ratio: float) -> float:
    """Return the excess where there are two types of report, so that the histogram is one number h.

    With ``c_y = Q[a, y] - r Q[b, y]`` and the law L of the others' h tilted by ``e^θ = -c_1/c_0``, the likelihoods at h
    differ by ``c_0 e^(-θ(h-1)) (L(h-1) - L(h))`` times the tilt's normalizing constant. L rises to its mode M and then
    falls,
    so that they cross there, and by parts the sum beyond is ``c_0 e^(-θM) (L(M) - (1-e^-θ) Σ_j e^(-θ(j-1)) L(M+j))``,
    and so in the other direction for θ < 0: to all digits, however small it is.
    """
    if math.isinf(ratio):
        # Only where all others send what b cannot, but those who cannot either.
        can = types[2:] > 0
        logs = np.array(counts) @ np.where(can, np.log(np.where(can, types[2:], 1.0)), 0.0)
        return float((types[0] * np.exp(logs))[types[1] == 0].sum())
    gain = types[0] - ratio * types[1]
    if gain.min() >= 0 or gain.max() <= 0:
        return max(0.0, 1 - ratio)
    tilt = math.log(-gain[1] / gain[0])
    box = histogram_box(counts, types[2:], [tilt, 0.0])
    mode = int(np.argmax(box.law))
    beyond = box.law[mode + 1 :] if tilt > 0 else box.law[:mode][::-1]
    fall = np.exp(-abs(tilt) * np.arange(beyond.size))
    rest = float(box.law[mode] + math.expm1(-abs(tilt)) * (fall @ beyond))
    return max(0.0, 1 - ratio) + abs(float(gain[0 if tilt > 0 else 1])) * rest * float(box.weights()[mode])


def largest_log_ratio(log_types: Reals) -> float:
    """Return the logarithm of the largest ratio in a column, ignoring zeros."""
    possible = log_types > -math.inf
    most = np.where(possible, log_types, -math.inf).max(axis=0)
    return float(
        np.max(most - np.where(possible, log_types, math.inf).min(axis=0), initial=0.0, where=possible.any(axis=0))
    )


def tests_of_logs(largest: float, log_a: Reals, log_b: Reals) -> Polygon:
    """Return the best tests of b against a, with all likelihood ratios limited to the largest one."""
    return Polygon.from_logs(np.maximum(log_a, log_b - largest), np.maximum(log_b, log_a - largest))


def leakiest_ends(distances: dict[Ends, float | Estimate], tolerance: float) -> list[Ends]:
    """Return the pairs within a tolerance of the largest distance, or raise an error if bounds do not decide them."""
    least = max(map(lowest, distances.values()))
    near = {pair: distance for pair, distance in distances.items() if highest(distance) >= least - tolerance}
    if len(near) > 1 and any(_is_unsure(distance) for distance in near.values()):
        raise TooLargeError(
            "the leakiest pairs cannot be decided from bounds, and there are too many histograms to sum over; "
            "take fewer users, or other users who all hold the same value"
        )
    return [pair for pair, distance in near.items() if float(distance) >= max(map(float, near.values())) - tolerance]


def _is_unsure(distance: float | Estimate) -> bool:
    """Whether β* of this pair would not be exact to a float's precision."""
    return isinstance(settled(1 - distance), Estimate)


def check_summed(listed: bool) -> None:
    """Raise an error for a Rényi divergence over histograms that are too many to sum over."""
    if not listed:
        raise TooLargeError(
            "there are too many histograms to sum over for a Rényi divergence; take fewer users or kinds of report, or "
            "use the privacy profile"
        )
