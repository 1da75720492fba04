"""Which values of the target are easiest to tell apart in a crowd."""

from functools import partial

from discretion.errors import TooLargeError
from discretion.estimate import Estimate
from discretion.measures.guesses.bayes_security import TIED, Pair, all_pairs, plan_leakiest_pair, plan_leakiest_pairs
from discretion.measures.measure import Plan
from discretion.shuffling.known_others import AmongOthers
from discretion.shuffling.laws.blanket import certified_interval
from discretion.shuffling.laws.groups import Ends, is_symmetric
from discretion.shuffling.laws.pairs import leakiest_ends
from discretion.shuffling.plans import method_of_pairs
from discretion.shuffling.worst_others import ENUMERATED, AmongWorst, is_enumerable, of_excess, worst_of


@plan_leakiest_pair.register
def _leakiest_pair_among_known(system: AmongOthers) -> Plan[Pair]:
    if system.leaves_only_the_target:
        return plan_leakiest_pair(system.mechanism)
    if len(system.pairs) == 1:
        (only,) = system.pairs
        return Plan(TIED, lambda: system.labels((only.a, only.b)))
    return Plan(method_of_pairs(system), lambda: system.labels(leakiest_ends(_distances(system), 1e-12)[0]))


@plan_leakiest_pairs.register
def _leakiest_pairs_among_known(system: AmongOthers, tolerance: float) -> Plan[list[Pair]]:
    if system.leaves_only_the_target:
        return plan_leakiest_pairs(system.mechanism, tolerance)

    def tied() -> list[Pair]:
        found = [(pair.a, pair.b) for pair in system.pairs]
        kinds = found if len(found) == 1 else leakiest_ends(_distances(system), tolerance)
        return [system.labels(pair) for pair in system.alike.like(kinds)]

    return Plan(TIED if len(system.pairs) == 1 else method_of_pairs(system), tied)


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


def _distances(system: AmongOthers) -> dict[Ends, float | Estimate]:
    return {(pair.a, pair.b): pair.excess_beyond(0.0) for pair in system.pairs}


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
