"""A curator who asks in rounds, on lists of tuples: every set of columns, every cover, no pruning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from oracles.tables import Row, class_sizes, counting_bound, exposure_below, restrict

Positions = tuple[int, ...]


@dataclass(frozen=True)
class AskedRound:
    asked: list[Positions]
    refused: list[Positions]
    promises: dict[Positions, Fraction]
    afterwards: dict[Positions, Fraction]


def promise(rows: Sequence[Row], positions: Positions, known: Iterable[Positions], k: int) -> Fraction:
    """Return the least that the counting bound certifies by any cover by known sets within the positions."""
    if not positions:
        return exposure_below(restrict(rows, ()), k)
    within = [group for group in known if set(group) <= set(positions)]
    if positions in within:
        return exposure_below(restrict(rows, positions), k)
    slack = Fraction(min(k - 1, len(rows)), len(rows))
    if not slack:
        return Fraction(0)
    return min(
        counting_bound([class_sizes(restrict(rows, group)) for group in cover], len(rows), slack)
        for size in range(1, len(positions) + 1)
        for cover in combinations(within, size)
        if set().union(*cover) == set(positions)
    )


def rounds_of(rows: Sequence[Row], columns: int, budget: Fraction, k: int, rounds: int) -> list[AskedRound]:
    """Return the rounds until one in which nothing is asked, or all columns were asked for together."""
    every = [chosen for size in range(columns + 1) for chosen in combinations(range(columns), size)]
    known: list[Positions] = []
    done: list[AskedRound] = []
    for size in range(1, min(rounds, columns) + 1):
        level = list(combinations(range(columns), size))
        promises = {chosen: promise(rows, chosen, known, k) if size > 1 else Fraction(1) for chosen in level}
        asked = [chosen for chosen in level if size == 1 or promises[chosen] <= budget]
        known += asked
        afterwards = {chosen: promise(rows, chosen, known, k) for chosen in every}
        done.append(AskedRound(asked, [c for c in level if c not in asked], promises, afterwards))
        if not asked:
            break
    return done
