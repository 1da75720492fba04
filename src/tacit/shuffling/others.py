"""The other users as the adversary sees them: groups whose reports follow one law each, and what reports then say.

Every local randomizer reports, with some probability, from one law whatever the value (Balle, Bell, Gascón and Nissim's
privacy blanket, CRYPTO 2019): ``min_x Q[x, y]``, normalised. Users in that blanket are a group too.
"""

import itertools
import math
from dataclasses import dataclass
from functools import reduce, singledispatch

import numpy as np
from numpy.typing import NDArray

from tacit.adversaries.knowledge import AllButOne, Knowledge, PartlyInformed, Uninformed
from tacit.channels.channel import System
from tacit.channels.reduction import merged_columns
from tacit.errors import TooLargeError
from tacit.measures.bayes_security import check_listed
from tacit.measures.divergences import logarithms
from tacit.mechanisms.hadamard_response import HadamardResponse
from tacit.mechanisms.local_hashing import LocalHashing
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.mechanisms.subset_selection import SubsetSelection
from tacit.mechanisms.unary_encoding import UnaryEncoding
from tacit.numerics.binomial import multinomial_pmf
from tacit.numerics.matrices import dense

Reals = NDArray[np.float64]

MOST_TYPES = 1 << 16
# At this ε a lie is far rarer than anything else, yet no number underflows: more only makes lies rarer still.
_LOUD, _RARE = 600.0, -570.0
_MOST_LOUD = 700.0


@dataclass(frozen=True, eq=False)
class Group:
    """Users whose values the adversary knows as much about: that they hold one value, or their law."""

    count: int
    value: int | None = None
    population: Reals | None = None
    blanket: bool = False

    @property
    def is_uniform(self) -> bool:
        """Whether they treat all values alike: drawn uniformly, or reports that no value has a part in."""
        return self.value is None and self.population is None

    def law(self, k: int) -> Reals:
        """Return the law of one's value."""
        if self.value is not None:
            return np.eye(1, k, self.value)[0]
        return np.full(k, 1 / k) if self.population is None else self.population


Others = tuple[Group, ...]


def others(knowledge: Knowledge, n: int) -> Others:
    """Return the n-1 others by what is known of them, without empty groups."""
    known: dict[int, int] = {}
    strangers = 0
    population: tuple[float, ...] | None = None
    if isinstance(knowledge, AllButOne | PartlyInformed):
        known = {value: count for value, count in enumerate(knowledge.known_counts) if count}
    if isinstance(knowledge, Uninformed | PartlyInformed):
        strangers, population = n - 1 - sum(known.values()), knowledge.population
    if population is not None and max(population) == 1.0:  # whose value is certain is not a stranger
        certain = population.index(1.0)
        known[certain] = known.get(certain, 0) + strangers
        strangers = 0
    groups = [Group(count, value) for value, count in sorted(known.items()) if count]
    if strangers:
        uniform = population is None or all(share == 1 / len(population) for share in population)
        groups.append(Group(strangers, population=None if uniform else np.array(population)))
    return tuple(groups)


def is_symmetric(mechanism: System) -> bool:
    """Whether the mechanism treats all values alike: renaming them renames the reports."""
    return isinstance(mechanism, RandomizedResponse | UnaryEncoding | SubsetSelection)


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


def representative_pairs(alike: list[list[int]]) -> list[tuple[int, int]]:
    """Return pairs a < b of the target's values such that every pair is like one of them or its reverse."""
    within = [(same[0], same[1]) for same in alike if len(same) > 1]
    between = [(same[0], other[0]) for same, other in itertools.combinations(alike, 2)]
    return sorted(within + between)


def pairs_like(pairs: list[tuple[int, int]], alike: list[list[int]]) -> list[tuple[int, int]]:
    """Return all pairs a < b of the target's values that are like some of these or their reverse, lowest first."""
    ends = [tuple(next(same for same in alike if value in same) for value in pair) for pair in pairs]
    check_listed(sum(math.comb(len(a), 2) if a is b else len(a) * len(b) for a, b in ends))
    found = {(min(x, y), max(x, y)) for a, b in ends for x in a for y in b if x != y}
    return sorted(found)


@singledispatch
def report_types(mechanism: System, groups: Others, values: tuple[int, ...]) -> Reals:
    """Return what a report tells about the target: how likely is each type of report, a row per value, then per group.

    Reports of one type have the same likelihood ratios throughout, so that merging them before the shuffle tells the
    adversary as much; a type is a column.
    """
    matrix = dense(mechanism.channel().matrix)
    least = matrix.min(axis=0)
    laws = [least / least.sum() if group.blanket else group.law(mechanism.secrets) @ matrix for group in groups]
    return merged_columns(np.stack([*matrix[list(values)], *laws]))[0]


@report_types.register
def _(mechanism: RandomizedResponse, groups: Others, values: tuple[int, ...]) -> Reals:
    k, p, q, gap = mechanism.k, mechanism.p, mechanism.q, mechanism.gap
    apart = list(dict.fromkeys([*values, *(group.value for group in groups if group.value is not None)]))
    population = next((group.population for group in groups if group.population is not None), None)
    if population is None:
        sizes, masses = np.array([k - len(apart)]), np.zeros(1)
    else:
        masses, sizes = np.unique(np.delete(population, apart), return_counts=True)

    def row(group: Group) -> Reals:
        if group.value is not None:
            return np.append(np.where(np.array(apart) == group.value, p, q), q * sizes)
        if group.population is None:
            return np.append(np.full(len(apart), 1 / k), sizes / k)
        return np.append(q + gap * group.population[apart], (q + gap * masses) * sizes)

    types = np.stack([*(row(Group(1, value)) for value in values), *map(row, groups)])
    return types[:, types.sum(axis=0) > 0]


@singledispatch
def log_report_types(mechanism: System, groups: Others, values: tuple[int, ...]) -> Reals:
    """Return the logarithms of the types of report, as `report_types` has them but where those underflow."""
    return logarithms(report_types(mechanism, groups, values))


Lying = RandomizedResponse | SubsetSelection | LocalHashing | HadamardResponse


@log_report_types.register(RandomizedResponse)
@log_report_types.register(SubsetSelection)
@log_report_types.register(LocalHashing)
@log_report_types.register(HadamardResponse)
def _(mechanism: Lying, groups: Others, values: tuple[int, ...]) -> Reals:
    if mechanism.epsilon < _LOUD or math.isinf(mechanism.epsilon):
        return logarithms(report_types(mechanism, groups, values))
    types = logarithms(report_types(_lying_more(mechanism), groups, values))
    return np.where(types < _RARE, types - (mechanism.epsilon - _LOUD), types)


@log_report_types.register
def _(mechanism: UnaryEncoding, groups: Others, values: tuple[int, ...]) -> Reals:
    if _MOST_LOUD < mechanism.epsilon < math.inf:
        raise TooLargeError(
            f"bits that are wrong as rarely as at epsilon = {mechanism.epsilon:g} are beyond what a double holds; take "
            f"an epsilon of at most {_MOST_LOUD:g}, or ask for the mechanism alone, which hides no more than the crowd"
        )
    return logarithms(report_types(mechanism, groups, values))


def _lying_more(mechanism: Lying) -> Lying:
    match mechanism:
        case SubsetSelection():
            return SubsetSelection(mechanism.k, _LOUD, mechanism.size)
        case LocalHashing():
            return LocalHashing(mechanism.k, _LOUD, mechanism.g)
        case _:
            return type(mechanism)(mechanism.k, _LOUD)


@report_types.register
def _(mechanism: UnaryEncoding, groups: Others, values: tuple[int, ...]) -> Reals:
    k = mechanism.k
    apart = list(dict.fromkeys([*values, *(group.value for group in groups if group.value is not None)]))
    population = next((group.population for group in groups if group.population is not None), None)
    strangers = any(group.value is None for group in groups)
    rest = np.full(k, 1 / k) if population is None else population
    masses, sizes = np.unique(np.delete(rest, apart), return_counts=True)
    blocks = [1] * len(apart) + (sizes.tolist() if strangers else [])
    if np.prod([size + 1.0 for size in blocks]) > MOST_TYPES:
        raise TooLargeError(
            f"reports of {k:,} bits are of too many types for a population with {len(sizes):,} different shares; take "
            "the uniform population, or fewer values"
        )
    # A block is one bit, or how many of the bits of equally frequent values are set: without and with the user's own.
    silent = [_ones(size, mechanism) for size in blocks]
    own = [_ones(size - 1, mechanism, own=True) for size in blocks]

    def law(block: int | None) -> Reals:
        parts = [own[i] if i == block else silent[i] for i in range(len(blocks))]
        return reduce(lambda types, part: np.multiply.outer(types, part).ravel(), parts)

    # The least likely value of a report is one whose bit is not set; if all are, none is less likely than another.
    least = law(None) * _ratio(mechanism.not_kappa, mechanism.not_lam)
    least[-1] = law(0)[-1]

    def row(group: Group) -> Reals:
        if group.value is not None:
            return law(apart.index(group.value))
        if group.blanket:
            return least / least.sum()
        shares = [*rest[apart], *(masses * sizes)]
        return np.sum([share * law(block) for block, share in enumerate(shares) if share], axis=0)

    types = np.stack([*(row(Group(1, value)) for value in values), *map(row, groups)])
    return types[:, types.sum(axis=0) > 0]


def _ones(size: int, mechanism: UnaryEncoding, *, own: bool = False) -> Reals:
    """Return the law of how many of so many bits are set, the user's own besides if she has one there."""
    counts = np.arange(size + 1)
    silent = multinomial_pmf(np.stack([counts, size - counts], axis=-1), (mechanism.lam, mechanism.not_lam))
    return np.convolve(silent, [mechanism.not_kappa, mechanism.kappa]) if own else silent


def _ratio(p: float, q: float) -> float:
    return p / q if q > 0 else 0.0


@singledispatch
def blanket_probability(mechanism: System) -> float:
    """Return how likely a report is to be of the blanket: ``Σ_y min_x Q[x, y]``."""
    return min(1.0, float(dense(mechanism.channel().matrix).min(axis=0).sum()))


@blanket_probability.register
def _(mechanism: RandomizedResponse) -> float:
    return min(1.0, mechanism.k * mechanism.q)


@blanket_probability.register
def _(mechanism: UnaryEncoding) -> float:
    all_set = mechanism.kappa * mechanism.lam ** (mechanism.k - 1)
    return min(1.0, _ratio(mechanism.not_kappa, mechanism.not_lam) * (1 - mechanism.lam**mechanism.k) + all_set)
