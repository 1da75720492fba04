"""Differential privacy of a shuffled crowd: δ(ε) over pairs of the target's values, whoever the others are."""

import itertools
import math
from collections.abc import Iterable
from functools import partial

import numpy as np

from discretion.estimate import Estimate, as_share
from discretion.measures.measure import Plan
from discretion.measures.parallel import divergences
from discretion.measures.privacy_loss.differential_privacy import (
    Profile,
    plan_ldp_epsilon,
    plan_privacy_profile,
    plan_renyi,
)
from discretion.measures.privacy_loss.divergences import renyi_of_logs
from discretion.numerics.arrays import Reals
from discretion.shuffling.known_others import PLAIN, AmongOthers, method_of_pairs
from discretion.shuffling.laws.pairs import PairOfValues, check_summed, largest_excess_beyond, unlike
from discretion.shuffling.views import HISTOGRAMS


@plan_privacy_profile.register
def _privacy_profile_among_known(system: AmongOthers) -> Plan[Profile]:
    if _is_plain(system):
        return plan_privacy_profile(system.mechanism).named(PLAIN)
    return Plan(method_of_pairs(system), lambda: profile_of_pairs(with_reversed(system.pairs)))


@plan_renyi.register
def _renyi_among_known(system: AmongOthers, order: float) -> Plan[float | Estimate]:
    if _is_plain(system):
        return plan_renyi(system.mechanism, order).named(PLAIN)
    return Plan(HISTOGRAMS, lambda: _largest_renyi(system, with_reversed(system.pairs), order))


def _is_plain(system: AmongOthers) -> bool:
    """Whether the target's report is seen as if she were alone, others being certain, and not only nearly so."""
    certain = not system.groups or math.isinf(plan_ldp_epsilon(system.mechanism).compute())
    return certain and system.leaves_only_the_target


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


def profile_of_pairs(pairs: list[PairOfValues]) -> Profile:
    """Return δ(ε): the largest share by which one law of a pair exceeds the other."""
    return partial(_excess_share, pairs)


def _excess_share(pairs: list[PairOfValues], epsilon: float) -> float | Estimate:
    return as_share(largest_excess_beyond(pairs, epsilon))


def with_reversed(pairs: Iterable[PairOfValues]) -> list[PairOfValues]:
    """List the pairs in both orders, those alike once."""
    return unlike(way for pair in pairs for way in (pair, pair.reversed()))


def _largest_renyi(system: AmongOthers, pairs: list[PairOfValues], order: float) -> float:
    """Return the largest divergence of pairs whose histograms can all be listed: large orders are made in the tails."""
    if math.isinf(order):
        return plan_ldp_epsilon(system.mechanism).compute()
    check_summed(all(pair.lists_all for pair in pairs))
    return max((renyi_of_logs(*pair.all_log_likelihoods, order) for pair in pairs), default=0.0)
