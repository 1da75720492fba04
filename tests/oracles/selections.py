"""The choice of columns by trying every set of them, and comparing every two."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import log2
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


class Facts(NamedTuple):
    """What a set of columns gives away and is worth."""

    exposed: int
    guessed: tuple[int, ...]
    certain: tuple[int, ...]
    worth: Fraction
    bits: float


def nearly_following(table: Mapping[str, Sequence[object]]) -> dict[str, list[str]]:
    """Return of each column those that leave at most a twentieth of the wrong guesses of it, but not none.

    They have at least as many values, but ten people each; that with the fewest wrong guesses is first.
    """
    people = len(next(iter(table.values()), ()))
    values = {name: len(set(held)) for name, held in table.items()}

    def wrong(coarse: str, fine: str) -> int:
        best = Counter[object]()
        for (known, _), count in Counter(zip(table[fine], table[coarse], strict=True)).items():
            best[known] = max(best[known], count)
        return people - best.total()

    found: dict[str, list[str]] = {}
    for j, coarse in enumerate(table):
        by_chance = people - max(Counter(table[coarse]).values())
        near = [
            (wrong(coarse, fine), i, fine)
            for i, fine in enumerate(table)
            if 10 * values[fine] <= people
            and (values[fine], j) > (values[coarse], i)
            and 0 < 20 * wrong(coarse, fine) <= by_chance
        ]
        if near:
            found[coarse] = [fine for _, _, fine in sorted(near)]
    return found


def facts_of_all(
    table: Mapping[str, Sequence[object]], columns: Sequence[str], sensitive: Sequence[str], k: int, bits: bool
) -> dict[Columns, Facts]:
    """Return what every set of columns gives away, by going through the people one by one."""
    people = range(len(next(iter(table.values()))))

    def classes(some: Iterable[str]) -> list[list[int]]:
        found: dict[tuple[object, ...], list[int]] = {}
        names = list(some)
        for person in people:
            found.setdefault(tuple(table[name][person] for name in names), []).append(person)
        return list(found.values())

    def entropy(some: Iterable[str]) -> float:
        return -sum(len(c) / len(people) * log2(len(c) / len(people)) for c in classes(some))

    @cache
    def is_function(coarse: str, *fine: str) -> bool:
        return len(classes([*fine, coarse])) == len(classes(fine))

    nearly = nearly_following({name: table[name] for name in columns})

    def worth(some: Columns) -> Fraction:
        weights = {name: Fraction(entropy([name])) if bits else Fraction(not is_function(name)) for name in some}
        return max(
            sum((weights[name] for name in apart), Fraction(0))
            for size in range(len(some) + 1)
            for apart in combinations(some, size)
            if not any(is_function(a, b) or b in nearly.get(a, ()) for a in apart for b in apart if a != b)
        )

    def guesses(some: Columns, secret: str) -> tuple[int, int]:
        held = [[table[secret][person] for person in c] for c in classes(name for name in some if name != secret)]
        best = [max(map(values.count, values)) for values in held]
        return sum(best), sum(b for b, values in zip(best, held, strict=True) if b == len(values))

    return {
        some: Facts(
            sum(len(c) for c in classes(some) if len(c) < k),
            tuple(guesses(some, secret)[0] for secret in sensitive),
            tuple(guesses(some, secret)[1] for secret in sensitive),
            worth(some),
            entropy(some),
        )
        for size in range(len(columns) + 1)
        for some in combinations(columns, size)
    }
