"""The choice of columns by trying every set of them, and comparing every two."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

Columns = tuple[str, ...]


class Choice(NamedTuple):
    """The sets that a selection names."""

    best: Columns | None
    maximal: list[Columns]
    front: list[Columns]
    smallest_over: list[Columns]


def sets_of(columns: Sequence[str], chains: Sequence[Sequence[str]]) -> list[Columns]:
    """Return every set with at most one column of each chain, small sets first, then by the order of the columns."""
    return [
        some
        for size in range(len(columns) + 1)
        for some in combinations(columns, size)
        if all(len(set(some) & set(chain)) <= 1 for chain in chains)
    ]


def is_below(lower: Columns, upper: Columns, chains: Sequence[Sequence[str]]) -> bool:
    """Return whether each column of the lower set, or a finer one of its chain, is in the upper."""

    def finer(column: str) -> set[str]:
        return {column}.union(*(chain[: chain.index(column)] for chain in chains if column in chain))

    return all(finer(column) & set(upper) for column in lower)


def choose(
    columns: Sequence[str],
    chains: Sequence[Sequence[str]],
    exposure: Callable[[Columns], Fraction],
    budget: Fraction,
    weights: Mapping[str, Fraction],
) -> Choice:
    """Return what is best, maximal, not dominated, and just over the budget."""
    sets = sets_of(columns, chains)
    exposed = {some: exposure(some) for some in sets}
    utility = {some: sum((weights[column] for column in some), Fraction(0)) for some in sets}
    within = [some for some in sets if exposed[some] <= budget]
    over = [some for some in sets if exposed[some] > budget]
    ranked = sorted(within, key=lambda some: (-utility[some], exposed[some], sets.index(some)))

    def dominates(other: Columns, some: Columns) -> bool:
        gains = utility[other] - utility[some], exposed[some] - exposed[other]
        return min(gains) >= 0 and (max(gains) > 0 or ranked.index(other) < ranked.index(some))

    front = [some for some in within if not any(dominates(other, some) for other in within)]
    return Choice(
        best=ranked[0] if ranked else None,
        maximal=[a for a in ranked if not any(a != b and is_below(a, b, chains) for b in within)],
        front=sorted(front, key=utility.__getitem__),
        smallest_over=[a for a in over if not any(a != b and is_below(b, a, chains) for b in over)],
    )
