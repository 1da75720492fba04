"""Which pairs of the target's values an adversary tells apart alike: to ask for one of each kind is enough."""

import itertools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discretion.channels.channel import System
from discretion.measures.guesses.bayes_security import check_listed
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Integers
from discretion.shuffling.laws.groups import Others, is_symmetric

Ends = tuple[int, int]


class AlikePairs(Protocol):
    """Pairs of values a < b in kinds."""

    @property
    def representatives(self) -> list[Ends]:
        """The lowest pair of each kind, lowest first: every pair is like one of them or its reverse."""
        ...

    def like(self, pairs: list[Ends]) -> list[Ends]:
        """Return all pairs of the kinds of these, lowest first."""
        ...


def alike_pairs(mechanism: System, groups: Others) -> AlikePairs:
    """Return the pairs of the target's values between which nothing tells, among these others."""
    if not is_symmetric(mechanism) and all(group.is_uniform for group in groups):
        kinds = reporting(mechanism).pair_kinds()
        if kinds is not None:
            return _ByKind(kinds)
    return _ByValues(alike_values(mechanism, groups))


@dataclass(frozen=True, eq=False)
class _ByValues:
    """Pairs that are alike since their values are: in lists of such, lowest first."""

    values: list[list[int]]

    @property
    def representatives(self) -> list[Ends]:
        within = [(same[0], same[1]) for same in self.values if len(same) > 1]
        between = [(same[0], other[0]) for same, other in itertools.combinations(self.values, 2)]
        return sorted(within + between)

    def like(self, pairs: list[Ends]) -> list[Ends]:
        ends = [tuple(next(same for same in self.values if value in same) for value in pair) for pair in pairs]
        check_listed(sum(math.comb(len(a), 2) if a is b else len(a) * len(b) for a, b in ends))
        found = {(min(x, y), max(x, y)) for a, b in ends for x in a for y in b if x != y}
        return sorted(found)


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


def alike_values(mechanism: System, groups: Others) -> list[list[int]]:
    """Return the target's values in lists of those between which nothing tells them apart, lowest first."""
    k = mechanism.secrets
    if not is_symmetric(mechanism):
        return [[value] for value in range(k)]
    # Two values differ only in how many of the others hold them, or are likely to.
    held = {group.value: group.count for group in groups if group.value is not None}
    population = next((group.population for group in groups if group.population is not None), None)
    if not held and population is None:
        return [list(range(k))]
    kinds: dict[tuple[int, float], list[int]] = {}
    for value in range(k):
        kind = held.get(value, 0), 0.0 if population is None else float(population[value])
        kinds.setdefault(kind, []).append(value)
    return list(kinds.values())
