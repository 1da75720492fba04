"""Shuffled crowds as systems for an adversary that knows the law of each other user's report."""

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.channels.channel import Channel
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, as_share
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.conjugate import Conjugate, ExcessFunctions
from discretion.measures.attack_curves.polygon import Polygon, best_of_polygons
from discretion.measures.attack_curves.tradeoff import plan_tradeoff
from discretion.measures.guesses.bayes_security import TIED, Pair, plan_leakiest_pair, plan_leakiest_pairs
from discretion.measures.measure import Method, Plan
from discretion.measures.parallel import divergences
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
)
from discretion.measures.privacy_loss.divergences import logarithms, renyi_of_logs
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_count, histograms, simplex_law, with_draws
from discretion.numerics.laws.poisson_multinomial import box_cells, histogram_box, with_target
from discretion.shuffling.laws.blanket import BOUND, certified_interval
from discretion.shuffling.laws.groups import (
    AlikePairs,
    Ends,
    Group,
    OtherUsers,
    alike_pairs,
    is_symmetric,
    report_types,
)
from discretion.shuffling.laws.pairs import (
    MAX_LOG_TERMS,
    PairOfValues,
    check_summed,
    distinct_pairs,
    largest_excess_beyond,
    leakiest_ends,
    tests_of_logs,
)
from discretion.shuffling.laws.report_histograms import ListedOthers, most_histograms
from discretion.shuffling.laws.supports import attained_excess, worst_excess_bound
from discretion.shuffling.views import HISTOGRAMS, View

# Likelihoods of the explicit channel of a crowd, in a box of counts.
MAX_CROWD_CELLS = 1 << 20
# Values of a symmetric mechanism for which histograms are listed.
MAX_VALUES_LISTED = 256

_MAX_REPORTS, _FEW_LISTED = 16, 1 << 12

STEPS = Method("mean excess of a sum of independent steps", "exact")
PLAIN = "the target's report is visible by itself"

RATIOS = Method("likelihood ratios of the histograms of reports", "exact")


@dataclass(frozen=True, eq=False)
class AmongKnown(View):
    """A crowd whose other users report independently: each group by a law that the adversary knows."""

    groups: OtherUsers

    @property
    def group(self) -> Group | None:
        """The only group of other users, if there is exactly one."""
        return self.groups[0] if len(self.groups) == 1 else None

    @property
    def uniform_response(self) -> Response | None:
        """The mechanism, if it is k-RR and hides the target among uniform reports, for which closed forms are known."""
        return self.response if all(group.is_uniform for group in self.groups) else None

    @property
    def leaves_only_the_target(self) -> bool:
        """Whether the target's own report is visible: the target is alone, or all others are known without noise."""
        all_known = all(group.value is not None for group in self.groups)
        return all_known and (not self.groups or (self.response is not None and not self.response.q))

    def pair(self, a: int, b: int) -> PairOfValues:
        """Return two values of the target for this adversary."""
        return PairOfValues(self.mechanism, a, b, self.groups, self.blanket, self._listed)

    @cached_property
    def pairs(self) -> list[PairOfValues]:
        """Pairs of values of the target, one for each kind of pairs that are equivalent, also in reverse."""
        return [self.pair(a, b) for a, b in self.alike.representatives]

    @cached_property
    def alike(self) -> AlikePairs:
        """The pairs of values of the target, grouped into equivalent kinds for this adversary."""
        return alike_pairs(self.mechanism, self.groups)

    @property
    def is_listable(self) -> bool:
        """Whether the likelihoods of all histograms fit in memory and in some seconds."""
        if self.secrets > MAX_VALUES_LISTED and is_symmetric(self.mechanism):
            return False
        try:
            return self.cells <= most_histograms()
        except TooLargeError:
            return False

    @property
    def cells(self) -> float:
        """The number of likelihoods to list."""
        return self._others.cells * self.secrets

    def likelihoods(self) -> Reals:
        """Return ``P(h | x)``: a row per value, a column per histogram of the types of report."""
        return np.stack(
            ListedOthers(self._counts, self._types[self.secrets :]).likelihoods(self._types[: self.secrets])
        )

    def channel(self) -> Channel:
        """Return the explicit channel from the target's value to the histogram of reports.

        Outputs are histograms, as tuples of counts; the histograms that are left out have a total probability below
        1e-17.
        """
        explicit = self.mechanism.channel()
        rows = explicit.dense()
        if not self.groups:
            reports = np.eye(rows.shape[1], dtype=int).tolist()
            return Channel(rows, explicit.inputs, map(tuple, reports))
        laws = np.stack([group.law(self.secrets) @ rows for group in self.groups])
        most = limits.current().numbers(MAX_CROWD_CELLS)
        if histogram_count(self.n, rows.shape[1]) <= _FEW_LISTED:
            found = with_draws(simplex_law(self._counts, laws), self.n, rows)
            return Channel(found, explicit.inputs, map(tuple, histograms(self.n, rows.shape[1]).tolist()))
        if rows.shape[1] > _MAX_REPORTS or box_cells(self._counts, laws) * self.secrets > most:
            return super().channel()
        corner, likelihoods = with_target(histogram_box(self._counts, laws), rows)
        grid = np.indices(likelihoods.shape[1:]).reshape(len(corner), -1).T + np.array(corner, dtype=int)
        found = np.column_stack([grid, self.n - grid.sum(axis=1)])
        flat = np.maximum(likelihoods.reshape(len(rows), -1), 0.0)
        kept = (found.min(axis=1) >= 0) & (flat > 0).any(axis=0)
        return Channel(flat[:, kept], explicit.inputs, map(tuple, found[kept].tolist()))

    @cached_property
    def _others(self) -> ListedOthers:
        return ListedOthers(self._counts, self._types[self.secrets :])

    @cached_property
    def _listed(self) -> dict[bytes, ListedOthers]:
        return {}

    @cached_property
    def _types(self) -> Reals:
        types = report_types(self.mechanism, self.groups, range(self.secrets))
        others = types[self.secrets :]
        return types[:, np.argsort(others.mean(axis=0))]

    @property
    def _counts(self) -> tuple[int, ...]:
        return tuple(group.count for group in self.groups)


def known_groups(counts: tuple[int, ...]) -> OtherUsers:
    """Return the groups of other users, of which the given number hold each value."""
    return tuple(Group(count, value=value) for value, count in enumerate(counts) if count)


def even_counts(users: int, k: int) -> tuple[int, ...]:
    """Return the numbers of users who hold each of k values if these are spread evenly."""
    return tuple(users // k + (value < users % k) for value in range(k))


def method_of_pairs(system: AmongKnown) -> Method:
    """Return the method that compares pairs of the target's values."""
    if any(pair.is_linear for pair in system.pairs):
        return STEPS
    return HISTOGRAMS if all(pair.needs_no_bound for pair in system.pairs) else BOUND


@plan_privacy_profile.register
def _privacy_profile_among_known(system: AmongKnown) -> Plan[Profile]:
    if _is_plain(system):
        return plan_privacy_profile(system.mechanism).named(PLAIN)
    if compares_no_pairs(system):
        return Plan(BOUND, lambda: bounded_profile(system))
    return Plan(method_of_pairs(system), lambda: profile_of_pairs(with_reversed(system.pairs)))


def compares_no_pairs(system: AmongKnown) -> bool:
    """Whether all pairs are bounded at once: known other users, and a mechanism that is symmetric only in pairs."""
    facts = reporting(system.mechanism)
    if facts.overlaps is None or facts.is_symmetric or system.secrets < 3 or len(system.groups) < 2:
        return False
    return all(group.value is not None for group in system.groups) and not system.pair(0, 1).needs_no_bound


def bounded_profile(system: AmongKnown) -> Profile:
    """Return δ(ε) between the excess of the first two values and the upper bound for any two values and any others."""
    overlaps, first = reporting(system.mechanism).overlaps, system.pair(0, 1)
    assert overlaps is not None
    counts = [group.count for group in system.groups]

    def profile(epsilon: float) -> float | Estimate:
        if epsilon >= system.ldp_epsilon:
            return 0.0
        ratio = math.exp(epsilon)
        attained = attained_excess(first.types, counts, ratio) if first.has_types else 0.0
        hidden = system.blanket.largest_excess(ratio), worst_excess_bound(overlaps, system.n - 1, ratio)
        return as_share(certified_interval(attained, min(hidden)))

    return profile


@plan_renyi.register
def _renyi_among_known(system: AmongKnown, order: float) -> Plan[float | Estimate]:
    if _is_plain(system):
        return plan_renyi(system.mechanism, order).named(PLAIN)
    return Plan(HISTOGRAMS, lambda: _largest_renyi(system, with_reversed(system.pairs), order))


def _is_plain(system: AmongKnown) -> bool:
    """Whether the target's report is visible by itself with certainty, and not only nearly so."""
    certain = not system.groups or math.isinf(plan_ldp_epsilon(system.mechanism).compute())
    return certain and system.leaves_only_the_target


@divergences.register
def _divergences_among_known(system: AmongKnown, order: float) -> Reals:
    if _is_plain(system) or math.isinf(order):  # as large where everybody sends the same report
        return divergences(system.mechanism, order)
    matrix = np.zeros((system.secrets, system.secrets))
    for a, b in itertools.permutations(range(system.secrets), 2):
        pair = system.pair(a, b)
        check_summed(pair.lists_all)
        matrix[a, b] = renyi_of_logs(*pair.all_log_likelihoods, order)
    return matrix


def profile_of_pairs(pairs: list[PairOfValues]) -> Profile:
    """Return δ(ε): the largest share by which one law of a pair exceeds the other."""
    return lambda epsilon: as_share(largest_excess_beyond(pairs, epsilon))


def with_reversed(pairs: Iterable[PairOfValues]) -> list[PairOfValues]:
    """List the pairs in both orders, equivalent ones once."""
    return distinct_pairs(way for pair in pairs for way in (pair, pair.reversed()))


def _largest_renyi(system: AmongKnown, pairs: list[PairOfValues], order: float) -> float:
    """Return the largest divergence of pairs with all histograms listed: for large orders the tails matter."""
    if math.isinf(order):
        return plan_ldp_epsilon(system.mechanism).compute()
    check_summed(all(pair.lists_all for pair in pairs))
    return max((renyi_of_logs(*pair.all_log_likelihoods, order) for pair in pairs), default=0.0)


@plan_leakiest_pair.register
def _leakiest_pair_among_known(system: AmongKnown) -> Plan[Pair]:
    if system.leaves_only_the_target:
        return plan_leakiest_pair(system.mechanism)
    if compares_no_pairs(system):
        return Plan(BOUND, lambda: refuse_pairs(system)[0])
    if len(system.pairs) == 1:
        (only,) = system.pairs
        return Plan(TIED, lambda: system.labels((only.a, only.b)))
    return Plan(method_of_pairs(system), lambda: system.labels(leakiest_ends(_distances(system), 1e-12)[0]))


@plan_leakiest_pairs.register
def _leakiest_pairs_among_known(system: AmongKnown, tolerance: float) -> Plan[list[Pair]]:
    if system.leaves_only_the_target:
        return plan_leakiest_pairs(system.mechanism, tolerance)

    if compares_no_pairs(system):
        return Plan(BOUND, lambda: refuse_pairs(system))

    def tied() -> list[Pair]:
        ends = [(pair.a, pair.b) for pair in system.pairs]
        kinds = ends if len(ends) == 1 else leakiest_ends(_distances(system), tolerance)
        return [system.labels(pair) for pair in system.alike.like(kinds)]

    return Plan(TIED if len(system.pairs) == 1 else method_of_pairs(system), tied)


def refuse_pairs(system: AmongKnown) -> list[Pair]:
    """Raise an error, since bounds do not decide which pairs are the leakiest."""
    raise TooLargeError(
        f"which of {math.comb(system.secrets, 2):,} pairs are the leakiest cannot be decided from bounds among "
        f"{system.n - 1:,} known others; take fewer users, or other users who all hold the same value"
    )


def _distances(system: AmongKnown) -> dict[Ends, float | Estimate]:
    return {(pair.a, pair.b): pair.excess_beyond(0.0) for pair in system.pairs}


@plan_tradeoff.register
def _tradeoff_among_known(system: AmongKnown, pair: Pair | None) -> Plan[BestTests]:
    if system.leaves_only_the_target:
        return plan_tradeoff(system.mechanism, pair).named(PLAIN)
    pairs = system.pairs if pair is None else [system.pair(*system.ends(pair))]
    if all(map(_has_listed_tests, pairs)):
        return Plan(RATIOS, lambda: _listed_tests(system, pairs, both_ways=pair is None))
    if pair is None:
        forward = backward = ExcessFunctions.from_profile(profile_of_pairs(with_reversed(pairs)))
    else:
        forward = ExcessFunctions.from_profile(profile_of_pairs(pairs))
        backward = ExcessFunctions.from_profile(profile_of_pairs([each.reversed() for each in pairs]))
    method = method_of_pairs(system)
    return Plan(method, lambda: Conjugate(backward, forward, system.ldp_epsilon, method.name))


def _listed_tests(system: AmongKnown, pairs: Iterable[PairOfValues], *, both_ways: bool) -> Polygon:
    """Return the best tests by all histograms, whose likelihood ratios are at most those of one report."""
    largest = system.ldp_epsilon
    envelopes: list[Polygon] = []
    for pair in pairs:
        tests = tests_of_logs(largest, *_log_likelihoods(pair))
        envelopes += [tests, tests.reversed] if both_ways else [tests]
    return best_of_polygons(envelopes) if both_ways else envelopes[0]


def _has_listed_tests(pair: PairOfValues) -> bool:
    if pair.is_loud:
        return pair.work_in_logs <= limits.current().steps(MAX_LOG_TERMS, each=4)
    return pair.is_listable


def _log_likelihoods(pair: PairOfValues) -> tuple[Reals, Reals]:
    """Return ``log P(h | a)`` and ``log P(h | b)`` over all histograms except those of negligible probability."""
    if pair.is_loud:
        return pair.likely_logs
    if pair.types.shape[1] == 2 and pair.is_linear:  # all of them would be more than those in a box that matter
        box = histogram_box(tuple(group.count for group in pair.groups), pair.types[2:])
        a, b = np.maximum(with_target(box, pair.types[:2])[1].reshape(2, -1), 0.0)
    else:
        a, b = pair.likelihoods
    return logarithms(a), logarithms(b)
