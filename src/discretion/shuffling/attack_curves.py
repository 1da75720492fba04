"""What the best attacks on one person in a shuffled crowd find."""

from collections.abc import Iterable
from functools import partial

import numpy as np

from discretion import limits
from discretion.estimate import Estimate, as_share
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.conjugate import Conjugate, ExcessFunctions
from discretion.measures.attack_curves.polygon import Polygon, best_of_polygons
from discretion.measures.attack_curves.tradeoff import plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.differential_privacy import plan_privacy_profile, ratio_of
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.poisson_multinomial import histogram_box, with_target
from discretion.shuffling.known_others import AmongOthers, AmongWorst
from discretion.shuffling.laws.blanket import BOUND, certified_interval
from discretion.shuffling.laws.groups import Ends
from discretion.shuffling.laws.pairs import PairOfValues, tests_of_logs
from discretion.shuffling.plans import PLAIN, method_of_pairs
from discretion.shuffling.privacy import profile_of_pairs, with_reversed
from discretion.shuffling.worst_others import ENUMERATED, is_enumerable, of_excess, worst_of

RATIOS = Method("likelihood ratios of the histograms of reports", "exact")


@plan_tradeoff.register
def _tradeoff_among_known(system: AmongOthers, pair: Pair | None) -> Plan[BestTests]:
    if system.leaves_only_the_target:
        return plan_tradeoff(system.mechanism, pair).named(PLAIN)
    pairs = system.pairs if pair is None else [system.pair(*system.ends(pair))]
    if all(map(_has_listed_tests, pairs)):
        return Plan(RATIOS, lambda: _listed_tests(system, pairs, both_ways=pair is None))
    there, back = (
        ExcessFunctions.from_profile(profile_of_pairs(each)) for each in (pairs, [each.reversed() for each in pairs])
    )
    if pair is None:
        there = back = ExcessFunctions.from_profile(profile_of_pairs(with_reversed(pairs)))
    how = method_of_pairs(system)
    return Plan(how, lambda: Conjugate(back, there, system.ldp_epsilon, how.name))


@plan_tradeoff.register
def _tradeoff_among_worst_way(system: AmongWorst, pair: Pair | None) -> Plan[BestTests]:
    if system.two_types is not None and system.n <= limits.current().most_users_split:
        return Plan(ENUMERATED, lambda: _split_tests(system, pair))
    how = ENUMERATED if is_enumerable(of_excess(system, 0.0, {})) else BOUND
    if pair is None:
        way = ExcessFunctions.from_profile(plan_privacy_profile(system).compute())
        return Plan(how, lambda: Conjugate(way, way, system.ldp_epsilon, how.name))
    a, b = system.ends(pair)
    return Plan(
        how, lambda: Conjugate(_worst_way(system, (b, a)), _worst_way(system, (a, b)), system.ldp_epsilon, how.name)
    )


def _listed_tests(system: AmongOthers, pairs: Iterable[PairOfValues], *, both_ways: bool) -> Polygon:
    """Return the best tests by all histograms, whose ratios are no larger than those of one report."""
    largest = system.ldp_epsilon
    found: list[Polygon] = []
    for pair in pairs:
        tests = tests_of_logs(largest, *_log_likelihoods(pair))
        found += [tests, tests.reversed] if both_ways else [tests]
    return best_of_polygons(found) if both_ways else found[0]


def _has_listed_tests(pair: PairOfValues) -> bool:
    if pair.is_loud:
        return pair.work_in_logs <= limits.current().most_log_terms
    return pair.is_listable


def _log_likelihoods(pair: PairOfValues) -> tuple[Reals, Reals]:
    """Return ``log P(h | a)`` and ``log P(h | b)`` over the histograms but for those of next to no probability."""
    if pair.is_loud:
        return pair.likely_logs
    if pair.types.shape[1] == 2 and pair.is_linear:  # all of them would be more than those in a box that matter
        box = histogram_box(tuple(group.count for group in pair.groups), pair.types[2:])
        a, b = np.maximum(with_target(box, pair.types[:2])[1].reshape(2, -1), 0.0)
    else:
        a, b = pair.likelihoods
    return logarithms(a), logarithms(b)


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
