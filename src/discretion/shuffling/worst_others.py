"""Others who hold the values that expose the target most: by looking through what they can hold.

Who knows less of the others sees less, and more of them hide more: an adversary can make up the reports of any whose
values she knows. So what a few of the others leave of a leak bounds what all of them do, and it is looked for by branch
and bound. Two values that are reported in two ways are all gone through.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol

import numpy as np

from discretion import limits
from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel
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
from discretion.measures.guesses.vulnerability import Prior, plan_bayes_risk, plan_posterior_vulnerability
from discretion.measures.information.mutual_information import information_of, plan_mutual_information
from discretion.measures.measure import Method, Plan
from discretion.measures.parallel import pairs_alike
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
    ratio_of,
)
from discretion.measures.privacy_loss.divergences import excess_over, logarithms, renyi_of_logs
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_count
from discretion.numerics.laws.binomial import split_binomials
from discretion.numerics.matrices import besides_maxima
from discretion.numerics.search.counts_search import Largest, largest_over_counts
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
)
from discretion.shuffling.known_others import AmongOthers, even, known
from discretion.shuffling.laws.blanket import BOUND, certified_interval
from discretion.shuffling.laws.groups import Ends, Group, is_symmetric, report_types
from discretion.shuffling.laws.pairs import (
    PairOfValues,
    check_summed,
    largest_excess_beyond,
    leakiest_ends,
    tests_of_logs,
    unlike,
)
from discretion.shuffling.laws.report_histograms import OPERATIONS_PER_CROWD
from discretion.shuffling.views import Result, View, bayes_capacity_of_guess, ldp_epsilon_of_mechanism, risk_of_guess

# Likelihoods in search of the worst others.
MAX_LIKELIHOODS_TRIED = 1 << 24
# The same as such a search usually goes, before it is begun.
MAX_LIKELIHOODS_EXPECTED = 1 << 23
# Values of which the worst others may hold any.
MAX_VALUES_TRIED = 64
# Users of two values, all of whose splits are gone through.
MAX_USERS_SPLIT = 1 << 12
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


@dataclass(frozen=True, eq=False)
class AmongWorst(View):
    """A crowd whose others hold the values that expose the target most, and the adversary knows them."""

    def channel(self) -> Channel:
        """Refuse: others who are the worst to one measure need not be so to another."""
        raise UnsupportedError(
            "no one channel stands for the others who expose the target most, since they are not the same to every "
            "measure; say what the others hold with discretion.AllButOne"
        )

    @cached_property
    def two_types(self) -> Reals | None:
        """The laws of two types of report, of two values of the target, if there are no more and doubles hold both."""
        if self.secrets != 2 or PairOfValues(self.mechanism, 0, 1, ()).is_loud:
            return None
        types = report_types(self.mechanism, (), (0, 1))
        return types if types.shape[1] == 2 else None

    @cached_property
    def split_likelihoods(self) -> list[Reals]:
        """``P(h | x)`` of two types for each way to split the others between two values, in blocks.

        The axes are for the value x, for how many of the others hold the first one, in order, and for h.
        """
        types = self.two_types
        assert types is not None
        seen = (np.pad(law, ((0, 0), (1, 1))) for law in split_binomials(self.n - 1, *types))
        return [np.stack([hit * law[:, :-1] + miss * law[:, 1:] for hit, miss in types]) for law in seen]


class Question(Protocol):
    """What is asked of the worst others: a leak that only falls where there are more of them."""

    @property
    def view(self) -> AmongWorst:
        """The crowd."""
        ...

    @property
    def apart(self) -> int:
        """How many of the values, the first ones, are not like the others to it."""
        ...

    def cells(self, counts: Counts) -> float:
        """Return how many likelihoods it takes where the others hold these values."""
        ...

    def among(self, counts: Counts) -> float | Estimate:
        """Return it where the others hold these values."""
        ...

    @property
    def is_told(self) -> bool:
        """Whether doubles can hold the likelihoods that say what it is."""
        ...

    def told_by(self, likelihoods: Reals) -> Reals:
        """Return what it is by each of some likelihoods: a row per value of the target, then an axis for them."""
        ...


@dataclass(frozen=True, eq=False)
class OfAllValues:
    """A leak that takes all values of the target, and perhaps treats them alike."""

    view: AmongWorst
    leak: Leak
    told: Callable[[Reals], float]
    alike: bool

    @property
    def apart(self) -> int:
        """None of the values, where all are alike."""
        return 0 if self.alike and is_symmetric(self.view.mechanism) else self.view.secrets

    def cells(self, counts: Counts) -> float:
        """Return the likelihoods of all values."""
        others = self._seen(counts)
        if others.leaves_only_the_target:
            return 0
        return others.cells if others.is_listable else math.inf

    def among(self, counts: Counts) -> float | Estimate:
        """Return the leak."""
        return self.leak(self._seen(counts)).compute()

    @property
    def is_told(self) -> bool:
        """Always: what is too rare for a double does not matter."""
        return True

    def told_by(self, likelihoods: Reals) -> Reals:
        """Return the leak by each."""
        return np.array([self.told(rows) for rows in likelihoods.swapaxes(0, 1)])

    def _seen(self, counts: Counts) -> AmongOthers:
        return AmongOthers(self.view.mechanism, 1 + sum(counts), known(counts))


@dataclass(frozen=True, eq=False)
class OfPairs:
    """A leak of two values of the target, the largest of all; what is listed for one is remembered for the next."""

    view: AmongWorst
    of_pair: Callable[[PairOfValues], float | Estimate]
    told: Callable[[Reals, Reals], float] | None
    listed: dict[Counts, list[PairOfValues]]
    ends: list[tuple[int, int]]

    @property
    def apart(self) -> int:
        """The two values, where all others are alike."""
        return 2 if is_symmetric(self.view.mechanism) else self.view.secrets

    def cells(self, counts: Counts) -> float:
        """Return the likelihoods of all pairs."""
        return sum(0 if len(pair.groups) < 2 else pair.cells for pair in self._pairs(counts))

    @property
    def lists_all(self) -> bool:
        """Whether every histogram can be listed, down to the least likely one."""
        counts = even(self.view.n - 1, self.view.secrets)
        return all(pair.lists_all for pair in self._pairs(counts))

    def among(self, counts: Counts) -> float | Estimate:
        """Return the leak of the leakiest pair."""
        return largest(map(self.of_pair, self._pairs(counts)))

    @property
    def is_told(self) -> bool:
        """Whether what is too rare for a double does not matter."""
        return self.told is not None

    def told_by(self, likelihoods: Reals) -> Reals:
        """Return the leak by each, of both values either way."""
        told = self.told
        assert told is not None
        return np.array([max(told(a, b), told(b, a)) for a, b in zip(*likelihoods, strict=True)])

    def _pairs(self, counts: Counts) -> list[PairOfValues]:
        if counts not in self.listed:
            found = unlike(PairOfValues(self.view.mechanism, a, b, known(counts)) for a, b in self.ends)
            self.listed[counts] = found
        return self.listed[counts]


def of_excess(
    view: AmongWorst,
    epsilon: float,
    listed: dict[Counts, list[PairOfValues]],
    ends: list[tuple[int, int]] | None = None,
) -> OfPairs:
    """Return the question of the largest ``Σ_h max(0, P(h | a) - e^ε P(h | b))``, of all pairs or of these."""
    pairs = view.blanket.ends if ends is None else ends
    is_moderate = epsilon <= _MODERATE or math.isinf(epsilon)

    def told(a: Reals, b: Reals) -> float:
        return excess_over(a, b, math.exp(epsilon))

    return OfPairs(view, lambda pair: pair.excess_beyond(epsilon), told if is_moderate else None, listed, pairs)


def is_enumerable(question: Question) -> bool:
    """Whether the ways in which the others can hold their values are few enough to be looked through."""
    view = question.view
    users, k = view.n - 1, view.secrets
    if not users or _is_split_two_ways(question):
        return True
    usually = min(2 * histogram_count(users, k), _USUALLY)
    if k > MAX_VALUES_TRIED:
        return False
    most = limits.current().steps(MAX_LIKELIHOODS_EXPECTED, each=8)
    return usually * max(question.cells(even(users, k)), _FEWEST_CELLS) <= most


def worst_counts(question: Question) -> Largest:
    """Return the largest leak over all counts of the others' values, and such counts."""
    if _is_split_two_ways(question):
        return _worst_split(question)
    spent, most = 0.0, limits.current().steps(MAX_LIKELIHOODS_TRIED, each=OPERATIONS_PER_CROWD)

    def interval(counts: Counts) -> tuple[float, float]:
        nonlocal spent
        cells = question.cells(counts)
        spent += max(_FEWEST_CELLS, cells)
        if spent > most:
            return -math.inf, math.inf
        found = question.among(counts)
        return lowest(found), highest(found)

    return largest_over_counts(question.view.n - 1, question.view.secrets, question.apart, interval)


def worst_of(question: Question, bounds: Callable[[], Estimate]) -> float | Estimate:
    """Return the largest leak over all counts of the others' values, within bounds of it if these turn out too many."""
    found = worst_counts(question)
    if found.is_narrow:
        return found.low
    rough = bounds()
    low, high = max(found.low, rough.low), min(found.high, rough.high)
    return settled(Estimate.between(min(low, high), high, rough.method))


def _most_users_split() -> int:
    allowed = limits.current()  # as many likelihoods as the square of them, at once
    return allowed.steps(allowed.numbers(MAX_USERS_SPLIT, each=1 << 16), each=1 << 12)


def _is_split_two_ways(question: Question) -> bool:
    view = question.view
    return question.is_told and 1 < view.n <= _most_users_split() and view.two_types is not None


def _worst_split(question: Question) -> Largest:
    best, where, start = -math.inf, 0, 0
    for likelihoods in question.view.split_likelihoods:
        told = question.told_by(likelihoods)
        if told.max() > best:
            best, where = float(told.max()), start + int(told.argmax())
        start += told.size
    return Largest(best, best, (where, question.view.n - 1 - where))


def bounded_worst(view: AmongWorst, leak: Leak, bounds: LeakBounds) -> Estimate:
    """Return certified bounds of the worst leak: what others who are all alike make of it, and the blanket's."""
    mechanism, users = view.mechanism, view.n - 1
    some = 2 if is_symmetric(mechanism) else _MAX_VALUES_IN_BOUND
    alike = [(Group(users, value=value),) for value in range(min(view.secrets, some))]
    tried = [AmongOthers(mechanism, view.n, groups) for groups in alike]
    coarse = (AmongOthers(two, view.n, groups) for two in coarsenings(mechanism) for groups in alike)
    among = LeakAmongOneLaw(mechanism, leak, bounds)
    attained = [*exact_leaks(leak, tried), *exact_leaks(leak, coarse)]
    attained += [among.closed(*groups).below(view.n) for groups in alike]
    attained += [bounds.surely(mechanism, groups) for groups in [*alike, known(even(users, view.secrets))]]
    return enclosed_leak(attained, view, among, math.inf)


@plan_posterior_vulnerability.register
def _vulnerability_among_worst(system: AmongWorst, prior: Prior, gain: Gain) -> Result:
    law, leak = prior_vector(prior, system.secrets), gain_leak(prior, gain)
    question = OfAllValues(
        system,
        leak,
        lambda rows: float(gain.best(law[:, None] * rows).sum()),
        alike=prior is None and gain.is_symmetric,
    )
    return _plan_worst(question, leak, GainBounds(law, gain))


@plan_bayes_risk.register
def _bayes_risk_among_worst(system: AmongWorst, prior: Prior) -> Result:
    law, gain = prior_vector(prior, system.secrets), IdentityGain(system.secrets)
    question = OfAllValues(
        system,
        lambda view: _negative(plan_bayes_risk(view, prior)),
        lambda rows: -besides_maxima(law[:, None] * rows),
        alike=prior is None,
    )

    def bounds() -> Estimate:
        return bounded_worst(system, gain_leak(prior, gain), GainBounds(law, gain))

    if is_enumerable(question):
        # What a guess gains less 1 is what it misses, negated.
        return _negative(Plan(ENUMERATED, lambda: worst_of(question, lambda: bounds() - 1)))
    return risk_of_guess(system, prior)


@plan_bayes_security.register
def _bayes_security_among_worst(system: AmongWorst) -> Result:
    return plan_privacy_profile(system).then(lambda profile: as_share(1 - profile(0.0)))


@plan_mutual_information.register
def _information_among_worst(system: AmongWorst, prior: Prior) -> Result:
    def leak(view: AmongOthers) -> Result:
        return plan_mutual_information(view, prior)

    question = OfAllValues(system, leak, lambda rows: information_of(Dense(rows), prior), alike=prior is None)
    return _plan_worst(question, leak, InformationBounds(prior_vector(prior, system.secrets)))


def _negative(plan: Result) -> Result:
    return plan.then(operator.neg)


def _plan_worst(question: Question, leak: Leak, bounds: LeakBounds) -> Result:
    def bound() -> Estimate:
        return bounded_worst(question.view, leak, bounds)

    if is_enumerable(question):
        return Plan(ENUMERATED, lambda: worst_of(question, bound))
    return Plan(BOUND, bound)


@plan_privacy_profile.register
def _privacy_profile_among_worst(system: AmongWorst) -> Plan[Profile]:
    listed: dict[tuple[int, ...], list[PairOfValues]] = {}

    def profile(epsilon: float) -> float | Estimate:
        question = of_excess(system, epsilon, listed)
        return as_share(worst_of(question, lambda: certified_interval(0.0, _hidden_excess(system, epsilon))))

    if is_enumerable(of_excess(system, 0.0, listed)):
        return Plan(ENUMERATED, lambda: profile)
    return Plan(BOUND, lambda: _bounded_profile(system))


@plan_renyi.register
def _renyi_among_worst(system: AmongWorst, order: float) -> Plan[float | Estimate]:
    question = OfPairs(
        system, lambda pair: renyi_of_logs(*pair.all_log_likelihoods, order), None, {}, system.blanket.ends
    )
    if not is_enumerable(question):
        raise TooLargeError(
            f"the values that {system.n - 1:,} others can hold are too many to try; take fewer users, or say what the "
            "others hold with discretion.AllButOne, or ask for the privacy profile, which is bounded"
        )
    return Plan(ENUMERATED, lambda: _worst_renyi(question, order))


plan_multiplicative_bayes_capacity.register(AmongWorst, bayes_capacity_of_guess)
plan_ldp_epsilon.register(AmongWorst, ldp_epsilon_of_mechanism)


@pairs_alike.register
def _pairs_alike_among_worst(system: AmongWorst) -> bool:
    return is_symmetric(system.mechanism)


def _bounded_profile(system: AmongWorst) -> Profile:
    """Return δ(ε) between what others make of it who all hold one value, or halves two, and what the blanket hides."""
    mechanism, n, k = system.mechanism, system.n, system.secrets
    tried = [
        PairOfValues(mechanism, a, b, groups)
        for a, b in system.blanket.ends
        for groups in _likely_worst(n - 1, min(k, 3 if is_symmetric(mechanism) else _MAX_VALUES_IN_PROFILE))
    ]
    most = limits.current().steps(MAX_HISTOGRAMS_TRIED, each=8)
    tried = [pair for pair in unlike(tried) if len(pair.groups) < 2 or pair.cells <= most]

    def profile(epsilon: float) -> float | Estimate:
        return as_share(
            certified_interval(lowest(largest_excess_beyond(tried, epsilon)), _hidden_excess(system, epsilon))
        )

    return profile


def _hidden_excess(system: AmongWorst, epsilon: float) -> float:
    # The crowd hides no less than the mechanism, which alone says so where ratios are beyond what a double holds.
    alone = highest(plan_privacy_profile(system.mechanism).compute()(epsilon))
    return min(alone, system.blanket.largest_excess(ratio_of(epsilon)))


def _likely_worst(users: int, k: int) -> list[tuple[Group, ...]]:
    alike = [(Group(users, value=value),) for value in range(k)]
    if users < 2:
        return alike
    few, rest = users // 2, users - users // 2
    halves = [(Group(rest, value=a), Group(few, value=b)) for a in range(k) for b in range(a)]
    return alike + halves


def _worst_renyi(question: OfPairs, order: float) -> float:
    if math.isinf(order):
        return plan_ldp_epsilon(question.view.mechanism).compute()
    check_summed(question.lists_all)
    found = worst_counts(question)
    check_summed(found.is_narrow)
    return found.low


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
    """Return how far apart the others' values can make each pair, where all of these can be tried."""
    if not is_enumerable(of_excess(system, 0.0, {})):
        raise TooLargeError(
            f"the values that {system.n - 1:,} others can hold are too many to try for the leakiest pair; take fewer "
            "users, or say what the others hold with discretion.AllButOne"
        )

    def bounds(pair: Ends) -> Estimate:
        return certified_interval(0.0, system.blanket.excess(*pair, 1.0))

    pairs = all_pairs(system.secrets)
    return {pair: worst_of(of_excess(system, 0.0, {}, [pair]), partial(bounds, pair)) for pair in pairs}


def _is_all_alike(system: AmongWorst) -> bool:
    """Whether every pair of values leaks as much as any other, to who may rename what the others hold."""
    return system.secrets == 2 or is_symmetric(system.mechanism)


@plan_tradeoff.register
def _tradeoff_among_worst_way(system: AmongWorst, pair: Pair | None) -> Plan[BestTests]:
    if system.two_types is not None and system.n <= _most_users_split():
        return Plan(ENUMERATED, lambda: _split_tests(system, pair))
    how = ENUMERATED if is_enumerable(of_excess(system, 0.0, {})) else BOUND
    if pair is None:
        way = ExcessFunctions.from_profile(plan_privacy_profile(system).compute())
        return Plan(how, lambda: Conjugate(way, way, system.ldp_epsilon, how.name))
    a, b = system.ends(pair)
    return Plan(
        how, lambda: Conjugate(_worst_way(system, (b, a)), _worst_way(system, (a, b)), system.ldp_epsilon, how.name)
    )


def _split_tests(system: AmongWorst, pair: Pair | None) -> Polygon:
    """Return the best tests whatever of two values the others hold, two kinds of report being all there are."""
    ends = (0, 1) if pair is None else system.ends(pair)
    largest, found = system.ldp_epsilon, list[Polygon]()
    for block in system.split_likelihoods:
        for p, q in block[list(ends)].swapaxes(0, 1):
            way = tests_of_logs(largest, logarithms(p), logarithms(q))
            found += [way] if pair is not None else [way, way.reversed]
        found = [best_of_polygons(found)]
    return found[0]


def _worst_way(system: AmongWorst, ends: Ends) -> ExcessFunctions:
    """Return by how much the first value's law exceeds the second's, whatever of all the others hold it is most."""
    listed: dict[tuple[int, ...], list[PairOfValues]] = {}

    def bounds(epsilon: float) -> Estimate:
        return certified_interval(0.0, system.blanket.excess(*ends, ratio_of(epsilon)))

    def excess(epsilon: float) -> float | Estimate:
        return as_share(worst_of(of_excess(system, epsilon, listed, [ends]), partial(bounds, epsilon)))

    return ExcessFunctions.from_profile(excess)
