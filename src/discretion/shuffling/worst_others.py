"""The other users who expose the target most, by a search over all values that they can hold.

An adversary with less knowledge of the other users leaks less, and more of them hide the target more: an adversary can
make up the reports of any user whose value it knows. So the leak among a few of the others bounds the leak among all of
them, and the search is by branch and bound. If there are two values and two kinds of report, one walk covers all
others.
"""

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import NamedTuple, Protocol

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, System
from discretion.channels.storage import Dense
from discretion.errors import TooLargeError, UnsupportedError
from discretion.estimate import Estimate, as_share, highest, largest, lowest, settled
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.conjugate import Conjugate, ExcessFunctions
from discretion.measures.attack_curves.polygon import Polygon, best_of_polygons
from discretion.measures.attack_curves.tradeoff import plan_tradeoff
from discretion.measures.guesses.bayes_security import (
    TIED,
    Pair,
    all_pairs,
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
from discretion.measures.information.capacities import capacity_of, plan_shannon_capacity
from discretion.measures.information.mutual_information import information_of, plan_mutual_information
from discretion.measures.information.two_secrets import information_of_two_secrets
from discretion.measures.measure import Method, Plan
from discretion.measures.parallel import pairs_alike
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_least_epsilon,
    plan_privacy_profile,
    plan_renyi,
    profile_root,
    ratio_of,
)
from discretion.measures.privacy_loss.divergences import logarithms, renyi_of_logs
from discretion.mechanisms.reporting import Overlaps, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_count
from discretion.numerics.laws.binomial import split_binomials
from discretion.numerics.matrices import besides_maxima
from discretion.numerics.search.counts_search import Largest, corners, largest_over_counts
from discretion.shuffling.bounds import (
    GainBounds,
    InformationBounds,
    Leak,
    LeakAmongOneLaw,
    LeakBounds,
    coarsenings,
    enclosed_leak,
    exact_leaks,
    gain_leak,
    information_of_two,
)
from discretion.shuffling.known_others import AmongKnown, even_counts, known_groups
from discretion.shuffling.laws.blanket import BOUND, ROUGH, Blanket, certified_interval, linear_excess
from discretion.shuffling.laws.groups import Ends, Group, is_symmetric, report_types
from discretion.shuffling.laws.pairs import (
    PairOfValues,
    check_summed,
    distinct_pairs,
    largest_excess_beyond,
    leakiest_ends,
    tests_of_logs,
)
from discretion.shuffling.laws.report_histograms import OPERATIONS_PER_CROWD
from discretion.shuffling.laws.supports import uniform_others_types, worst_excess_bound
from discretion.shuffling.laws.two_kinds import BOUNDED, TwoKinds, between
from discretion.shuffling.views import (
    Result,
    View,
    bayes_capacity_of_guess,
    guess_of_two,
    ldp_epsilon_of_mechanism,
    risk_of_guess,
)

# Likelihoods in search of the worst others.
MAX_LIKELIHOODS_TRIED = 1 << 24
# The same as such a search usually goes, before it is begun.
MAX_LIKELIHOODS_EXPECTED = 1 << 23
# Values of which the worst others may hold any.
MAX_VALUES_TRIED = 64
# Users of two values, all of whose splits are gone through.
MAX_USERS_SPLIT = 1 << 12
# Ways to split the others between two values that are walked through for one δ, and where a curve asks for many.
MAX_SPLITS_WALKED = 1 << 24
MAX_SPLITS_IN_A_CURVE = 1 << 21
# Histograms for each of the others who are likely to be the worst.
MAX_HISTOGRAMS_TRIED = 1 << 18

ENUMERATED = Method("maximum over all counts of the others' values", "exact")

# How many likelihoods a maximum counts as taking at least for each of some counts, and how many of these it usually
# looks at.
_FEWEST_CELLS, _USUALLY = 1 << 11, 256
_MAX_VALUES_IN_BOUND = 3
_MODERATE = 300.0

Counts = tuple[int, ...]

_MAX_VALUES_IN_PROFILE = 8
# Bounds of the worst excess, in proportion to what is attained, that are near enough.
_NEAR = 1.1


@dataclass(frozen=True, eq=False)
class AmongWorst(View):
    """A crowd whose other users hold the values that expose the target most, and the adversary knows these values."""

    def channel(self) -> Channel:
        """Raise an error, since the worst other users of one measure need not be the worst of another."""
        raise UnsupportedError(
            "no single channel represents the other users who expose the target most, since they differ between "
            "measures; specify the others' values with discretion.AllButOne"
        )

    @cached_property
    def two_types(self) -> Reals | None:
        """The laws of two types of report for two values, if there are no more and doubles can represent both."""
        if self.secrets != 2 or PairOfValues(self.mechanism, 0, 1, ()).is_loud:
            return None
        types = report_types(self.mechanism, (), (0, 1))
        return types if types.shape[1] == 2 else None

    @property
    def two_kinds(self) -> TwoKinds | None:
        """The model of two values and two kinds of report, if there are no more."""
        most = limits.current().steps(MAX_SPLITS_WALKED, each=32)
        return None if self.two_types is None else TwoKinds(self.two_types, self.n, most)

    @property
    def is_split(self) -> bool:
        """Whether all likelihoods are listed for all splits of the others between two values."""
        return 1 < self.n <= _most_users_split() and self.two_types is not None

    @cached_property
    def split_likelihoods(self) -> list[Reals]:
        """``P(h | x)`` of two types for each split of the others between two values, in blocks.

        The axes are for the value x, for the number of others who hold the first value, in order, and for h.
        """
        types = self.two_types
        assert types is not None
        laws = (np.pad(law, ((0, 0), (1, 1))) for law in split_binomials(self.n - 1, *types))
        return [np.stack([hit * law[:, :-1] + miss * law[:, 1:] for hit, miss in types]) for law in laws]


class WorstCase(Protocol):
    """A leak whose maximum over the values of the others is sought; more other users only lower it."""

    @property
    def view(self) -> AmongWorst:
        """The crowd."""
        ...

    @property
    def distinct(self) -> int:
        """The number of first values that the leak distinguishes from all further ones."""
        ...

    def cells(self, counts: Counts) -> float:
        """Return the number of likelihoods that the leak needs if the others hold these values."""
        ...

    def leak_at(self, counts: Counts) -> float | Estimate:
        """Return the leak if the others hold these values."""
        ...


@dataclass(frozen=True, eq=False)
class WorstCaseOfValues:
    """A leak of all values of the target, which may be symmetric in them."""

    view: AmongWorst
    leak: Leak
    leak_by_likelihoods: Callable[[Reals], float]
    symmetric: bool

    @property
    def distinct(self) -> int:
        """None of the values, if the leak and the mechanism are symmetric in them."""
        return 0 if self.symmetric and is_symmetric(self.view.mechanism) else self.view.secrets

    def cells(self, counts: Counts) -> float:
        """Return the number of likelihoods of all values."""
        others = self._view_among(counts)
        if others.leaves_only_the_target:
            return 0
        return others.cells if others.is_listable else math.inf

    def leak_at(self, counts: Counts) -> float | Estimate:
        """Return the leak."""
        return self.leak(self._view_among(counts)).compute()

    def listed_leaks(self, likelihoods: Reals) -> Reals:
        """Return the leak for each of several likelihoods: a row per value of the target, then an axis for these."""
        return np.array([self.leak_by_likelihoods(rows) for rows in likelihoods.swapaxes(0, 1)])

    def _view_among(self, counts: Counts) -> AmongKnown:
        return AmongKnown(self.view.mechanism, 1 + sum(counts), known_groups(counts))


@dataclass(frozen=True, eq=False)
class WorstCaseOfPairs:
    """A leak of two values of the target, the largest over all pairs; listed likelihoods are reused."""

    view: AmongWorst
    leak: Callable[[PairOfValues], float | Estimate]
    listed: dict[Counts, list[PairOfValues]]
    ends: list[tuple[int, int]]

    @property
    def distinct(self) -> int:
        """The two values, if the mechanism is symmetric in all others."""
        return 2 if is_symmetric(self.view.mechanism) else self.view.secrets

    def cells(self, counts: Counts) -> float:
        """Return the number of likelihoods of all pairs."""
        return sum(0 if len(pair.groups) < 2 else pair.cells for pair in self._pairs(counts))

    @property
    def lists_all(self) -> bool:
        """Whether every histogram can be listed, including the least likely one."""
        counts = even_counts(self.view.n - 1, self.view.secrets)
        return all(pair.lists_all for pair in self._pairs(counts))

    def leak_at(self, counts: Counts) -> float | Estimate:
        """Return the leak of the leakiest pair."""
        return largest(map(self.leak, self._pairs(counts)))

    def _pairs(self, counts: Counts) -> list[PairOfValues]:
        if counts not in self.listed:
            pairs = distinct_pairs(PairOfValues(self.view.mechanism, a, b, known_groups(counts)) for a, b in self.ends)
            self.listed[counts] = pairs
        return self.listed[counts]


def worst_case_of_excess(
    view: AmongWorst,
    epsilon: float,
    listed: dict[Counts, list[PairOfValues]],
    ends: list[tuple[int, int]] | None = None,
) -> WorstCaseOfPairs:
    """Return the case of the largest ``Σ_h max(0, P(h | a) - e^ε P(h | b))``, over all pairs or over these."""
    pairs = view.blanket.ends if ends is None else ends
    return WorstCaseOfPairs(view, lambda pair: pair.excess_beyond(epsilon), listed, pairs)


def is_enumerable(case: WorstCase) -> bool:
    """Whether the counts of the others' values are few enough to search."""
    view = case.view
    users, k = view.n - 1, view.secrets
    if not users or (view.is_split and isinstance(case, WorstCaseOfValues)):
        return True
    usually = min(2 * histogram_count(users, k), _USUALLY)
    if k > MAX_VALUES_TRIED:
        return False
    most = limits.current().steps(MAX_LIKELIHOODS_EXPECTED, each=8)
    return usually * max(case.cells(even_counts(users, k)), _FEWEST_CELLS) <= most


def search_counts(case: WorstCase) -> Largest:
    """Return the largest leak over all counts of the others' values, and such counts."""
    if case.view.is_split and isinstance(case, WorstCaseOfValues):
        return _worst_split(case)
    work, most = 0.0, limits.current().steps(MAX_LIKELIHOODS_TRIED, each=OPERATIONS_PER_CROWD)

    def interval(counts: Counts) -> tuple[float, float]:
        nonlocal work
        cells = case.cells(counts)
        work += max(_FEWEST_CELLS, cells)
        if work > most:
            return -math.inf, math.inf
        leak = case.leak_at(counts)
        return lowest(leak), highest(leak)

    return largest_over_counts(case.view.n - 1, case.view.secrets, case.distinct, interval)


def largest_leak(case: WorstCase, bounds: Callable[[], Estimate]) -> float | Estimate:
    """Return the largest leak over all counts of the others' values, or its bounds if the counts are too many."""
    return bounded_largest(search_counts(case), bounds)


def bounded_largest(largest: Largest, bounds: Callable[[], Estimate]) -> float | Estimate:
    """Return the largest leak that a search found, or its bounds if the counts were too many."""
    if largest.is_narrow:
        return largest.low
    certified = bounds()
    low, high = max(largest.low, certified.low), min(largest.high, certified.high)
    return settled(Estimate.between(min(low, high), high, certified.method))


def _most_users_split() -> int:
    allowed = limits.current()  # as many likelihoods as the square of them, at once
    return allowed.steps(allowed.numbers(MAX_USERS_SPLIT, each=1 << 16), each=1 << 12)


def _worst_split(case: WorstCaseOfValues) -> Largest:
    best, count, start = -math.inf, 0, 0
    for likelihoods in case.view.split_likelihoods:
        leaks = case.listed_leaks(likelihoods)
        if leaks.max() > best:
            best, count = float(leaks.max()), start + int(leaks.argmax())
        start += leaks.size
    return Largest(best, best, (count, case.view.n - 1 - count))


def bounded_worst_leak(view: AmongWorst, leak: Leak, bounds: LeakBounds) -> Estimate:
    """Return certified bounds of the worst leak: from others who all hold one value, and from the blanket.

    The leak among the worst others is at least its mean over others whose values are drawn and known to the adversary;
    and that is at least the leak among others whose values are not known.
    """
    mechanism, users = view.mechanism, view.n - 1
    values = 2 if is_symmetric(mechanism) else _MAX_VALUES_IN_BOUND
    uniform_groups = [(Group(users, value=value),) for value in range(min(view.secrets, values))]
    views = [AmongKnown(mechanism, view.n, groups) for groups in uniform_groups]
    coarse = (AmongKnown(two, view.n, groups) for two in coarsenings(mechanism) for groups in uniform_groups)
    leak_among = LeakAmongOneLaw(mechanism, leak, bounds)
    attained = [*exact_leaks(leak, views), *exact_leaks(leak, coarse)]
    attained += [leak_among.closed_bounds(*groups).lower_bound(view.n) for groups in uniform_groups]
    attained += [
        bounds.linear_leak(mechanism, groups)
        for groups in [*uniform_groups, (Group(users),), known_groups(even_counts(users, view.secrets))]
    ]
    return enclosed_leak(attained, view, leak_among, bounds.divided_leak(view, ()))


@plan_posterior_vulnerability.register
def _vulnerability_among_worst(system: AmongWorst, prior: Prior, gain: Gain) -> Result:
    law, leak = prior_vector(prior, system.secrets), gain_leak(prior, gain)
    case = WorstCaseOfValues(
        system,
        leak,
        lambda rows: float(gain.best(law[:, None] * rows).sum()),
        symmetric=prior is None and gain.is_symmetric,
    )
    kinds = system.two_kinds
    if kinds is not None:
        # How far the first value's law exceeds the second's is what the kinds say, so that these change places.
        lines, bends = (gain.guesses() * law)[:, ::-1], list[float]()
        two_secret_vulnerability(lines, lambda bend: bends.append(bend) or 0.0)
        if len(bends) <= 1:  # then the most of this one excess is the most of all
            excess = partial(kinds.excess_beyond, (0, 1))
            return Plan(kinds.method, lambda: settled(two_secret_vulnerability(lines, excess)))
    if system.secrets == 2 and prior is None and isinstance(gain, IdentityGain) and not is_enumerable(case):
        return plan_bayes_security(system).then(guess_of_two)
    return _plan_worst(case, leak, GainBounds(law, gain))


@plan_bayes_risk.register
def _bayes_risk_among_worst(system: AmongWorst, prior: Prior) -> Result:
    law, gain = prior_vector(prior, system.secrets), IdentityGain(system.secrets)
    case = WorstCaseOfValues(
        system,
        lambda view: _negative(plan_bayes_risk(view, prior)),
        lambda rows: -besides_maxima(law[:, None] * rows),
        symmetric=prior is None,
    )

    def bounds() -> Estimate:
        return bounded_worst_leak(system, gain_leak(prior, gain), GainBounds(law, gain))

    if is_enumerable(case) and (system.is_split or system.two_kinds is None):
        # What a guess gains less 1 is what it misses, negated.
        return _negative(Plan(ENUMERATED, lambda: largest_leak(case, lambda: bounds() - 1)))
    return risk_of_guess(system, prior)


@plan_bayes_security.register
def _bayes_security_among_worst(system: AmongWorst) -> Result:
    return plan_privacy_profile(system).then(lambda profile: as_share(1 - profile(0.0)))


@plan_mutual_information.register
def _information_among_worst(system: AmongWorst, prior: Prior) -> Result:
    def leak(view: AmongKnown) -> Result:
        return plan_mutual_information(view, prior)

    case = WorstCaseOfValues(system, leak, lambda rows: information_of(Dense(rows), prior), symmetric=prior is None)
    law = prior_vector(prior, system.secrets)
    if system.secrets == 2 and law.min() > 0 and system.two_kinds is None and not is_enumerable(case):
        return Plan(BOUND, lambda: _information_of_two(system, law))
    return _plan_worst(case, leak, InformationBounds(law))


def _information_of_two(system: AmongWorst, law: Reals) -> Estimate:
    """Return bounds of the information about one of two values, from uniform others and from the worst excess."""
    users = system.n - 1
    views = [AmongKnown(system.mechanism, system.n, (Group(users, value=value),)) for value in range(2)]
    attained = max(information_of_two(view, law).low for view in views)
    worst = cache(plan_privacy_profile(system).compute())
    hidden = information_of_two_secrets(law, (worst, worst), BOUND.name).high
    return certified_interval(attained, min(hidden, InformationBounds(law).divided_leak(system, ())))


def _negative(plan: Result) -> Result:
    return plan.then(operator.neg)


def _plan_worst(case: WorstCaseOfValues, leak: Leak, bounds: LeakBounds) -> Result:
    def bound() -> Estimate:
        return bounded_worst_leak(case.view, leak, bounds)

    kinds = case.view.two_kinds
    if kinds is not None and case.view.n > 1 and not case.view.is_split:
        return Plan(BOUNDED, lambda: _between_uniform_others(kinds, case, leak))
    if is_enumerable(case):
        return Plan(ENUMERATED, lambda: largest_leak(case, bound))
    return Plan(BOUND, bound)


def _between_uniform_others(kinds: TwoKinds, case: WorstCaseOfValues, leak: Leak) -> float | Estimate:
    """Return bounds of a leak: the leak among others who all hold one value, and that of two dominating laws."""
    others = case.view.n - 1
    views = [AmongKnown(case.view.mechanism, case.view.n, (Group(others, value=value),)) for value in range(2)]
    nothing = case.leak_by_likelihoods(np.ones((2, 1)))
    return between(max(exact_leaks(leak, views), default=nothing), case.leak_by_likelihoods(kinds.rows))


@plan_shannon_capacity.register
def _shannon_capacity_among_worst(system: AmongWorst, tolerance: float) -> Plan[Estimate]:
    kinds = system.two_kinds
    if kinds is None or system.n == 1:
        return plan_shannon_capacity.dispatch(object)(system, tolerance)

    def bounds() -> Estimate:
        others = system.n - 1
        views = [AmongKnown(system.mechanism, system.n, (Group(others, value=value),)) for value in range(2)]
        low = max(plan_shannon_capacity(view, tolerance).compute().low for view in views)
        high = capacity_of(Dense(kinds.rows), tolerance).high
        return Estimate.between(min(low, high), high, BOUNDED.name)

    return Plan(BOUNDED, bounds)


class WorstExcess(NamedTuple):
    """An excess that some others attain, as a function of ε, and bounds of the largest one for any others."""

    attained: Callable[[float], float]
    bounds: Profile


@plan_privacy_profile.register
def _privacy_profile_among_worst(system: AmongWorst) -> Plan[Profile]:
    kinds = system.two_kinds
    if kinds is not None:
        return Plan(kinds.method, lambda: kinds.largest_excess)
    return _plan_excess(system).then(lambda excess: excess.bounds)


@plan_least_epsilon.register
def _least_epsilon_among_worst(system: AmongWorst, delta: float) -> Plan[float | Estimate]:
    kinds, most = system.two_kinds, system.ldp_epsilon
    if kinds is not None:
        return Plan(kinds.method, lambda: kinds.epsilon(delta, most))
    return _plan_excess(system).then(
        lambda excess: profile_root(excess.bounds, delta, most, system, attained=excess.attained)
    )


def _plan_excess(system: AmongWorst) -> Plan[WorstExcess]:
    listed: dict[Counts, list[PairOfValues]] = {}
    if _can_try_pairs(system, listed):
        return Plan(ENUMERATED, lambda: _searched_excess(system, listed))
    return Plan(BOUND, lambda: _bounded_excess(system))


def _searched_excess(system: AmongWorst, listed: dict[Counts, list[PairOfValues]]) -> WorstExcess:
    """Return the excess of counts that were the worst at some ε, or are at a corner, and that of a whole search."""
    case = worst_case_of_excess(system, 0.0, listed)
    known = set(corners(system.n - 1, system.secrets, case.distinct))

    def attained(epsilon: float) -> float:
        case = worst_case_of_excess(system, epsilon, listed)
        return lowest(as_share(max(lowest(case.leak_at(counts)) for counts in known)))

    def bounds(epsilon: float) -> float | Estimate:
        case = worst_case_of_excess(system, epsilon, listed)
        worst = search_counts(case)
        known.add(worst.where)
        return as_share(
            bounded_largest(
                worst, lambda: certified_interval(0.0, hidden_excess(system.mechanism, system.blanket, epsilon))
            )
        )

    return WorstExcess(attained, bounds)


def _can_try_pairs(system: AmongWorst, listed: dict[Counts, list[PairOfValues]]) -> bool:
    """Whether the counts of the others' values are few enough to search for every pair, tested with one pair first."""
    if system.secrets > MAX_VALUES_TRIED and system.n > 1:  # whose pairs alone would be too many to list
        return False
    first = worst_case_of_excess(system, 0.0, {}, system.blanket.ends[:1])
    return is_enumerable(first) and is_enumerable(worst_case_of_excess(system, 0.0, listed))


@plan_renyi.register
def _renyi_among_worst(system: AmongWorst, order: float) -> Plan[float | Estimate]:
    ends = system.blanket.ends if system.secrets <= MAX_VALUES_TRIED or system.n == 1 else []
    case = WorstCaseOfPairs(system, lambda pair: renyi_of_logs(*pair.all_log_likelihoods, order), {}, ends)
    kinds = system.two_kinds
    if kinds is not None and math.isfinite(order) and not (is_enumerable(case) and case.lists_all):
        return Plan(BOUNDED, lambda: kinds.renyi(order))
    if not is_enumerable(case):
        raise TooLargeError(
            f"the values that {system.n - 1:,} others can hold are too many to try; take fewer users, specify the "
            "others' values with discretion.AllButOne, or use the privacy profile, which has certified bounds"
        )
    return Plan(ENUMERATED, lambda: _worst_renyi(case, order))


plan_multiplicative_bayes_capacity.register(AmongWorst, bayes_capacity_of_guess)
plan_ldp_epsilon.register(AmongWorst, ldp_epsilon_of_mechanism)


@pairs_alike.register
def _pairs_alike_among_worst(system: AmongWorst) -> bool:
    return is_symmetric(system.mechanism)


def _bounded_excess(system: AmongWorst) -> WorstExcess:
    """Return δ(ε) from its value for uniform others, or others in two halves, to the blanket's upper bound."""
    overlaps = reporting(system.mechanism).overlaps
    if overlaps is not None and (system.secrets > 2 or system.response is None):
        return _excess_by_supports(system, overlaps)
    pairs = likely_worst_pairs(system, system.blanket.ends)
    return _excess_between(
        lambda epsilon: lowest(largest_excess_beyond(pairs, epsilon)),
        lambda epsilon, _: hidden_excess(system.mechanism, system.blanket, epsilon),
    )


def _excess_between(attained: Callable[[float], float], bound: Callable[[float, float], float]) -> WorstExcess:
    """Return an excess that is attained, rounded down, and a bound that is near it, or need not be computed further."""
    reached = cache(attained)

    def low(epsilon: float) -> float:
        return lowest(as_share(certified_interval(reached(epsilon), 1.0)))

    def bounds(epsilon: float) -> float | Estimate:
        return as_share(certified_interval(reached(epsilon), bound(epsilon, reached(epsilon))))

    return WorstExcess(low, bounds)


def _excess_by_supports(system: AmongWorst, overlaps: Overlaps) -> WorstExcess:
    """Return the excess of any pair from its value for others who all hold one value, to bounds for all others.

    After both upper bounds were computed once, only the lower one is computed while it is near the attained value.
    """
    users = system.n - 1

    def by_blanket(epsilon: float) -> float:
        return hidden_excess(system.mechanism, system.blanket, epsilon)

    def by_supports(epsilon: float) -> float:
        return worst_excess_bound(overlaps, users, ratio_of(epsilon)) if epsilon < system.ldp_epsilon else math.inf

    lower, higher = by_supports, by_blanket
    both = True

    def attained(epsilon: float) -> float:
        if epsilon >= system.ldp_epsilon:
            return 0.0
        laws = uniform_others_types(overlaps)
        excesses = (linear_excess(types, users, ratio_of(epsilon), ROUGH) for types in laws)
        return max(0.0, *(excess.value - excess.error for excess in excesses))

    def bound(epsilon: float, reached: float) -> float:
        nonlocal lower, higher, both
        found = lower(epsilon)
        if both or found > _NEAR * reached:
            other, both = higher(epsilon), False
            if other < found:
                lower, higher, found = higher, lower, other
        return found

    return _excess_between(attained, bound)


def likely_worst_pairs(system: AmongWorst, ends: Iterable[Ends]) -> list[PairOfValues]:
    """Return these pairs among uniform others, or others in two halves, that are quick to compare."""
    mechanism, k = system.mechanism, system.secrets
    values = min(k, 3 if is_symmetric(mechanism) else _MAX_VALUES_IN_PROFILE)
    pairs = [PairOfValues(mechanism, a, b, groups) for a, b in ends for groups in _likely_worst(system.n - 1, values)]
    most = limits.current().steps(MAX_HISTOGRAMS_TRIED, each=8)
    return [pair for pair in distinct_pairs(pairs) if len(pair.groups) < 2 or pair.cells <= most]


def hidden_excess(mechanism: System, blanket: Blanket, epsilon: float) -> float:
    """Return an upper bound of δ(ε) by the blanket, for any values of the others."""
    # The crowd hides no less than the mechanism, which alone says so where ratios are beyond what a double holds.
    alone = highest(plan_privacy_profile(mechanism).compute()(epsilon))
    return min(alone, blanket.largest_excess(ratio_of(epsilon)))


def _likely_worst(users: int, k: int) -> list[tuple[Group, ...]]:
    uniform = [(Group(users, value=value),) for value in range(k)]
    if users < 2:
        return uniform
    few, rest = users // 2, users - users // 2
    halves = [(Group(rest, value=a), Group(few, value=b)) for a in range(k) for b in range(a)]
    return uniform + halves


def _worst_renyi(case: WorstCaseOfPairs, order: float) -> float:
    if math.isinf(order):
        return plan_ldp_epsilon(case.view.mechanism).compute()
    check_summed(case.lists_all)
    largest = search_counts(case)
    check_summed(largest.is_narrow)
    return largest.low


@plan_leakiest_pair.register
def _leakiest_pair_among_worst(system: AmongWorst) -> Plan[Pair]:
    if _is_all_alike(system):
        return Plan(TIED, lambda: system.labels((0, 1)))
    return Plan(ENUMERATED, lambda: system.labels(leakiest_ends(_worst_distances(system), 1e-12)[0]))


@plan_leakiest_pairs.register
def _leakiest_pairs_among_worst(system: AmongWorst, tolerance: float) -> Plan[list[Pair]]:
    if _is_all_alike(system):
        return Plan(TIED, lambda: [system.labels(pair) for pair in all_pairs(system.secrets)])
    return Plan(
        ENUMERATED, lambda: [system.labels(pair) for pair in leakiest_ends(_worst_distances(system), tolerance)]
    )


def _worst_distances(system: AmongWorst) -> dict[Ends, float | Estimate]:
    """Return the largest distance of each pair over the others' values, if these can all be tried."""
    if not _can_try_pairs(system, {}):
        raise TooLargeError(
            f"the values that {system.n - 1:,} others can hold are too many to try for the leakiest pair; take fewer "
            "users, or specify the others' values with discretion.AllButOne"
        )

    def bounds(pair: Ends) -> Estimate:
        return certified_interval(0.0, system.blanket.excess(*pair, 1.0))

    pairs = all_pairs(system.secrets)
    return {pair: largest_leak(worst_case_of_excess(system, 0.0, {}, [pair]), partial(bounds, pair)) for pair in pairs}


def _is_all_alike(system: AmongWorst) -> bool:
    """Whether every pair of values leaks the same, up to a renaming of the others' values."""
    return system.secrets == 2 or is_symmetric(system.mechanism)


@plan_tradeoff.register
def _tradeoff_among_worst(system: AmongWorst, pair: Pair | None) -> Plan[BestTests]:
    if system.two_types is not None and system.n <= _most_users_split():
        return Plan(ENUMERATED, lambda: _split_tests(system, pair))
    if system.two_types is not None:
        kinds = TwoKinds(system.two_types, system.n, limits.current().steps(MAX_SPLITS_IN_A_CURVE, each=1 << 10))
        a, b = (0, 1) if pair is None else system.ends(pair)
        if pair is None:
            forwards = backwards = ExcessFunctions.from_profile(cache(kinds.largest_excess))
        else:
            forwards, backwards = (
                ExcessFunctions.from_profile(cache(partial(kinds.excess_beyond, way))) for way in ((b, a), (a, b))
            )
        return Plan(kinds.method, lambda: Conjugate(forwards, backwards, system.ldp_epsilon, kinds.method.name))
    method = ENUMERATED if _can_try_pairs(system, {}) else BOUND
    if pair is None:
        way = ExcessFunctions.from_profile(plan_privacy_profile(system).compute())
        return Plan(method, lambda: Conjugate(way, way, system.ldp_epsilon, method.name))
    a, b = system.ends(pair)
    return Plan(
        method,
        lambda: Conjugate(_worst_way(system, (b, a)), _worst_way(system, (a, b)), system.ldp_epsilon, method.name),
    )


def _split_tests(system: AmongWorst, pair: Pair | None) -> Polygon:
    """Return the best tests over all splits of the others between two values, for two kinds of report."""
    ends = (0, 1) if pair is None else system.ends(pair)
    largest, tests = system.ldp_epsilon, list[Polygon]()
    for block in system.split_likelihoods:
        for p, q in block[list(ends)].swapaxes(0, 1):
            way = tests_of_logs(largest, logarithms(p), logarithms(q))
            tests += [way] if pair is not None else [way, way.reversed]
        tests = [best_of_polygons(tests)]
    return tests[0]


def _worst_way(system: AmongWorst, ends: Ends) -> ExcessFunctions:
    """Return the largest excess of the first value's law over the second's, over all values of the others."""
    listed: dict[tuple[int, ...], list[PairOfValues]] = {}

    def bounds(epsilon: float) -> Estimate:
        return certified_interval(0.0, system.blanket.excess(*ends, ratio_of(epsilon)))

    def excess(epsilon: float) -> float | Estimate:
        return as_share(largest_leak(worst_case_of_excess(system, epsilon, listed, [ends]), partial(bounds, epsilon)))

    return ExcessFunctions.from_profile(excess)
