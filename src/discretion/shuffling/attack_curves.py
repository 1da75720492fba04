"""What the best attacks on one person in a shuffled crowd find."""

from collections.abc import Iterable

import numpy as np

from discretion import limits
from discretion.measures.attack_curves.best_tests import BestTests
from discretion.measures.attack_curves.conjugate import Conjugate, Way
from discretion.measures.attack_curves.polygon import Polygon, lower_envelope
from discretion.measures.attack_curves.tradeoff import plan_tradeoff
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.measure import Method, Plan
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Reals
from discretion.numerics.laws.poisson_multinomial import histogram_box, with_target
from discretion.shuffling.known_others import PLAIN, AmongOthers, method_of_pairs, profile_of_pairs, with_reversed
from discretion.shuffling.laws.pairs import PairOfValues, tests_of_logs

RATIOS = Method("likelihood ratios of the histograms of reports", "exact")


@plan_tradeoff.register
def _tradeoff_among_known(system: AmongOthers, pair: Pair | None) -> Plan[BestTests]:
    if system.leaves_only_the_target:
        return plan_tradeoff(system.mechanism, pair).named(PLAIN)
    pairs = system.pairs if pair is None else [system.pair(*system.ends(pair))]
    if all(map(_has_listed_tests, pairs)):
        return Plan(RATIOS, lambda: _listed_tests(system, pairs, both_ways=pair is None))
    there, back = (Way.of_profile(profile_of_pairs(each)) for each in (pairs, [each.reversed() for each in pairs]))
    if pair is None:
        there = back = Way.of_profile(profile_of_pairs(with_reversed(pairs)))
    how = method_of_pairs(system)
    return Plan(how, lambda: Conjugate(back, there, system.ldp_epsilon, how.name))


def _listed_tests(system: AmongOthers, pairs: Iterable[PairOfValues], *, both_ways: bool) -> Polygon:
    """Return the best tests by all histograms, whose ratios are no larger than those of one report."""
    largest = system.ldp_epsilon
    found: list[Polygon] = []
    for pair in pairs:
        tests = tests_of_logs(largest, *_log_likelihoods(pair))
        found += [tests, tests.reversed] if both_ways else [tests]
    return lower_envelope(found) if both_ways else found[0]


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
