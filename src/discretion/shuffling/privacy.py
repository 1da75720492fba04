"""Differential privacy of a shuffled crowd: δ(ε) over pairs of the target's values, whoever the others are."""

import itertools
import math
from collections.abc import Iterable
from functools import partial

import numpy as np

from discretion import limits
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, as_share, highest, lowest
from discretion.measures.measure import Plan
from discretion.measures.parallel import divergences, pairs_alike
from discretion.measures.privacy_loss.differential_privacy import (
    EXTREMES,
    Profile,
    log_likelihoods,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
    ratio_of,
)
from discretion.measures.privacy_loss.divergences import logarithms, renyi_of_logs
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import dirichlet_multinomial_pmf, histograms
from discretion.numerics.histograms.log_histograms import log_add_draw, log_histogram_law
from discretion.shuffling.known_others import AmongExchangeable, AmongOthers, AmongWorst
from discretion.shuffling.laws.blanket import BOUND, certified_interval
from discretion.shuffling.laws.groups import Group, is_symmetric, log_report_types
from discretion.shuffling.laws.pairs import (
    LOUD,
    PairOfValues,
    check_summed,
    largest_excess_beyond,
    largest_log_ratio,
    unlike,
)
from discretion.shuffling.plans import HISTOGRAMS, PLAIN, method_of_pairs
from discretion.shuffling.worst_others import ENUMERATED, OfPairs, is_enumerable, of_excess, worst_counts, worst_of

# Histograms for each of the others who are likely to be the worst.
MAX_HISTOGRAMS_TRIED = 1 << 18

_MAX_VALUES_IN_PROFILE = 8


@plan_privacy_profile.register
def _privacy_profile_among_known(system: AmongOthers) -> Plan[Profile]:
    if _is_plain(system):
        return plan_privacy_profile(system.mechanism).named(PLAIN)
    return Plan(method_of_pairs(system), lambda: profile_of_pairs(with_reversed(system.pairs)))


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
def _renyi_among_known(system: AmongOthers, order: float) -> Plan[float | Estimate]:
    if _is_plain(system):
        return plan_renyi(system.mechanism, order).named(PLAIN)
    return Plan(HISTOGRAMS, lambda: _largest_renyi(system, with_reversed(system.pairs), order))


@plan_renyi.register
def _renyi_among_exchangeable(system: AmongExchangeable, order: float) -> Plan[float | Estimate]:
    if order >= 1 and math.isinf(plan_renyi(system.mechanism, order).compute()):
        # A report that only some values can give excludes the others where all give it, however rarely.
        return Plan(HISTOGRAMS, lambda: math.inf)
    return plan_renyi.dispatch(object)(system, order)


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


def _is_plain(system: AmongOthers) -> bool:
    """Whether the target's report is seen as if she were alone, others being certain, and not only nearly so."""
    certain = not system.groups or math.isinf(plan_ldp_epsilon(system.mechanism).compute())
    return certain and system.leaves_only_the_target


@pairs_alike.register
def _pairs_alike_among_worst(system: AmongWorst) -> bool:
    return is_symmetric(system.mechanism)


@divergences.register
def _divergences_among_known(system: AmongOthers, order: float) -> Reals:
    if _is_plain(system) or math.isinf(order):  # as large where everybody sends the same report
        return divergences(system.mechanism, order)
    found = np.zeros((system.secrets, system.secrets))
    for a, b in itertools.permutations(range(system.secrets), 2):
        pair = system.pair(a, b)
        check_summed(pair.lists_all)
        found[a, b] = renyi_of_logs(*pair.all_log_likelihoods, order)
    return found


@log_likelihoods.register
def _log_likelihoods_among_exchangeable(system: AmongExchangeable) -> Reals:
    rows = log_report_types(system.mechanism, (), range(system.secrets)) if system.is_listable else np.zeros((1, 1))
    if largest_log_ratio(rows) <= LOUD:
        return log_likelihoods.dispatch(object)(system)
    # Where likelihoods underflow, one law of reports after the other, for each way in which the others hold values.
    users, k = system.n - 1, system.secrets
    held = histograms(users, k)
    laws = [log_histogram_law(counts, rows, -math.inf) for counts in held.tolist()]
    likely = (logarithms(dirichlet_multinomial_pmf(held, system.alpha + np.eye(1, k, x)[0])) for x in range(k))
    others = (np.logaddexp.reduce([w + law for w, law in zip(weights, laws, strict=True)]) for weights in likely)
    return np.stack([log_add_draw(law, row).ravel() for law, row in zip(others, rows, strict=True)])


@plan_ldp_epsilon.register
def _ldp_epsilon_among_exchangeable(system: AmongExchangeable) -> Plan[float]:
    def epsilon() -> float:
        rows = log_likelihoods(system)
        possible = rows[:, rows.max(axis=0) > -math.inf]
        return float((possible.max(axis=0) - possible.min(axis=0)).max())

    return Plan(EXTREMES, epsilon)


def profile_of_pairs(pairs: list[PairOfValues]) -> Profile:
    """Return δ(ε): the largest share by which one law of a pair exceeds the other."""
    return partial(_excess_share, pairs)


def _excess_share(pairs: list[PairOfValues], epsilon: float) -> float | Estimate:
    return as_share(largest_excess_beyond(pairs, epsilon))


def with_reversed(pairs: Iterable[PairOfValues]) -> list[PairOfValues]:
    """List the pairs in both orders, those alike once."""
    return unlike(way for pair in pairs for way in (pair, pair.reversed()))


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


def _largest_renyi(system: AmongOthers, pairs: list[PairOfValues], order: float) -> float:
    """Return the largest divergence of pairs whose histograms can all be listed: large orders are made in the tails."""
    if math.isinf(order):
        return plan_ldp_epsilon(system.mechanism).compute()
    check_summed(all(pair.lists_all for pair in pairs))
    return max((renyi_of_logs(*pair.all_log_likelihoods, order) for pair in pairs), default=0.0)


def _worst_renyi(question: OfPairs, order: float) -> float:
    if math.isinf(order):
        return plan_ldp_epsilon(question.view.mechanism).compute()
    check_summed(question.lists_all)
    found = worst_counts(question)
    check_summed(found.is_narrow)
    return found.low
