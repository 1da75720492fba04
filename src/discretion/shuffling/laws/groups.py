"""Groups of other users whose reports follow one law each, and values that the adversary cannot distinguish.

Every local randomizer reports, with some probability, from one law that does not depend on the value (the privacy
blanket of Balle, Bell, Gascón and Nissim, CRYPTO 2019): ``min_x Q[x, y]``, normalized. Users in it are a group too.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discretion.adversaries.knowledge import AllButOne, Knowledge, PartlyInformed, Uninformed
from discretion.channels.channel import System
from discretion.measures.guesses.bayes_security import check_listed
from discretion.mechanisms.reporting import Sender, reporting
from discretion.numerics.arrays import Integers, Reals

Ends = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Group(Sender):
    """Users about whose values the adversary knows the same, and their number."""

    count: int


OtherUsers = tuple[Group, ...]


def groups_of_others(knowledge: Knowledge, n: int) -> OtherUsers:
    """Return the n-1 other users in groups by the adversary's knowledge, without empty groups."""
    counts: dict[int, int] = {}
    strangers = 0
    population: tuple[float, ...] | None = None
    if isinstance(knowledge, AllButOne | PartlyInformed):
        counts = {value: count for value, count in enumerate(knowledge.known_counts) if count}
    if isinstance(knowledge, Uninformed | PartlyInformed):
        strangers, population = n - 1 - sum(counts.values()), knowledge.population
    if population is not None and max(population) == 1.0:  # whose value is certain is not a stranger
        certain = population.index(1.0)
        counts[certain] = counts.get(certain, 0) + strangers
        strangers = 0
    groups = [Group(count, value=value) for value, count in sorted(counts.items()) if count]
    if strangers:
        uniform = population is None or all(share == 1 / len(population) for share in population)
        groups.append(Group(strangers, population=None if uniform else np.array(population)))
    return tuple(groups)


def holders(k: int, groups: OtherUsers) -> Integers:
    """Return the number of other users who are known to hold each of k values."""
    counts = np.zeros(k, dtype=np.int64)
    for group in groups:
        if group.value is not None:
            counts[group.value] = group.count
    return counts


def is_symmetric(mechanism: System) -> bool:
    """Whether the mechanism is symmetric in the values: renaming them renames the reports."""
    return reporting(mechanism).is_symmetric


def blanket_probability(mechanism: System) -> float:
    """Return the probability that a report comes from the blanket."""
    return reporting(mechanism).blanket_probability


def report_types(mechanism: System, groups: OtherUsers, values: Sequence[int]) -> Reals:
    """Return the probability of each type of report, a row per value and then per group, a column per type.

    Reports of one type have the same likelihood ratios throughout, so that merging them before the shuffle reveals the
    same to the adversary.
    """
    return reporting(mechanism).report_types(values, groups)


def log_report_types(mechanism: System, groups: OtherUsers, values: Sequence[int]) -> Reals:
    """Return the logarithms of `report_types`, also where the probabilities underflow."""
    return reporting(mechanism).log_report_types(values, groups)


class AlikePairs(Protocol):
    """Pairs of values a < b, grouped into kinds."""

    @property
    def representatives(self) -> list[Ends]:
        """The lowest pair of each kind, lowest first: every pair is equivalent to one of them or to its reverse."""
        ...

    def like(self, pairs: list[Ends]) -> list[Ends]:
        """Return all pairs of the same kinds as these, lowest first."""
        ...


def alike_pairs(mechanism: System, groups: OtherUsers) -> AlikePairs:
    """Return the pairs of the target's values in kinds, equivalent among these other users."""
    if not is_symmetric(mechanism) and all(group.is_uniform for group in groups):
        kinds = reporting(mechanism).pair_kinds()
        if kinds is not None:
            return _ByKind(kinds)
    return _ByValues(alike_values(mechanism, groups))


@dataclass(frozen=True, eq=False)
class _ByValues:
    """Pairs that are equivalent since their values are: lists of equivalent values, lowest first."""

    values: list[list[int]]

    @property
    def representatives(self) -> list[Ends]:
        same_kind = [(same[0], same[1]) for same in self.values if len(same) > 1]
        two_kinds = [(same[0], other[0]) for same, other in itertools.combinations(self.values, 2)]
        return sorted(same_kind + two_kinds)

    def like(self, pairs: list[Ends]) -> list[Ends]:
        ends = [tuple(next(same for same in self.values if value in same) for value in pair) for pair in pairs]
        check_listed(sum(math.comb(len(a), 2) if a is b else len(a) * len(b) for a, b in ends))
        pairs_alike = {(min(x, y), max(x, y)) for a, b in ends for x in a for y in b if x != y}
        return sorted(pairs_alike)


@dataclass(frozen=True, eq=False)
class _ByKind:
    """Pairs by the number of their kind, shape ``(k, k)``."""

    kinds: Integers

    @property
    def representatives(self) -> list[Ends]:
        first, second = np.triu_indices(len(self.kinds), 1)
        _, lowest = np.unique(self.kinds[first, second], return_index=True)
        return sorted(zip(first[lowest].tolist(), second[lowest].tolist(), strict=True))

    def like(self, pairs: list[Ends]) -> list[Ends]:
        chosen = np.triu(np.isin(self.kinds, [self.kinds[pair] for pair in pairs]), 1)
        check_listed(int(chosen.sum()))
        return [(a, b) for a, b in np.argwhere(chosen).tolist()]


def alike_values(mechanism: System, groups: OtherUsers) -> list[list[int]]:
    """Return the target's values in lists of equivalent ones, lowest first."""
    k = mechanism.secrets
    if not is_symmetric(mechanism):
        return [[value] for value in range(k)]
    # Two values differ only in how many of the others hold them, or are likely to.
    counts = holders(k, groups)
    population = next((group.population for group in groups if group.population is not None), None)
    if not counts.any() and population is None:
        return [list(range(k))]
    kinds: dict[tuple[int, float], list[int]] = {}
    for value in range(k):
        kind = int(counts[value]), 0.0 if population is None else float(population[value])
        kinds.setdefault(kind, []).append(value)
    return list(kinds.values())
