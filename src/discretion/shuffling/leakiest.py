"""Which values of the target are easiest to tell apart in a crowd."""

from discretion.estimate import Estimate
from discretion.measures.guesses.bayes_security import TIED, Pair, plan_leakiest_pair, plan_leakiest_pairs
from discretion.measures.measure import Plan
from discretion.shuffling.known_others import AmongOthers, method_of_pairs
from discretion.shuffling.laws.groups import Ends
from discretion.shuffling.laws.pairs import leakiest_ends


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


def _distances(system: AmongOthers) -> dict[Ends, float | Estimate]:
    return {(pair.a, pair.b): pair.excess_beyond(0.0) for pair in system.pairs}
