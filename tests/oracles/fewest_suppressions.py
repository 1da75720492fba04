"""The fewest suppressed cells within a budget, by going through all rules: of values, or of rarity."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod

from oracles.tables import Row

REDACTED = "⊥"  # no value of the tests


def exposed_people(rows: Sequence[Row], k: int) -> int:
    return sum(count for count in Counter(rows).values() if count < k)


def fewest_by_values(rows: Sequence[Row], k: int, allowed: int) -> int:
    """Return the fewest cells of any set of values with which few enough people are exposed."""
    values = sorted({pair for row in rows for pair in enumerate(row)})
    cost = {each: sum(row[each[0]] == each[1] for row in rows) for each in values}
    sets = [{*some} for size in range(len(values) + 1) for some in combinations(values, size)]
    for hidden in sorted(sets, key=lambda some: sum(cost[each] for each in some)):
        seen = [tuple(REDACTED if pair in hidden else pair[1] for pair in enumerate(row)) for row in rows]
        if exposed_people(seen, k) <= allowed:
            return sum(cost[each] for each in hidden)
    raise AssertionError("not even with everything suppressed")


Counts = Sequence[int]
Decoys = Callable[[int], Fraction]


def shown_counts(counts: Counts, below: int, decoys: Decoys) -> tuple[Fraction, list[Fraction]]:
    """Return how many cells of a column are suppressed, and how many people show each value, both expected."""
    have_to, n = sum(count for count in counts if count < below), sum(counts)
    if not have_to:
        return Fraction(0), [Fraction(count) for count in counts]
    coin = decoys(have_to) if have_to < n else Fraction(0)
    cells = have_to + coin * (n - have_to)
    return cells, [cells, *((1 - coin) * count for count in counts if count >= below)]


def counting_bound(shown: Sequence[Sequence[Fraction]], k: int) -> Fraction:
    """Return the least of ``Σ rare + (k - 1)·Π kept`` over all numbers of the most frequent values of each column."""
    n = sum(shown[0], Fraction(0))
    sides = [[(n - sum(sorted(column)[-kept:]), kept) for kept in range(1, len(column) + 1)] for column in shown]
    return min(
        sum((rare for rare, _ in choice), Fraction((k - 1) * prod(kept for _, kept in choice)))
        for choice in product(*sides)
    )


def certified(  # noqa: PLR0917 - what is known
    columns: Sequence[Counts],
    groups: Mapping[tuple[int, ...], Counts],
    cuts: Sequence[int],
    k: int,
    decoys: Decoys,
    alone: Callable[[Counts, int], Fraction],
) -> tuple[Fraction, Fraction]:
    """Return the cells that cuts suppress, and how many people are exposed at most, both expected.

    ``alone`` is how many are exposed on one column by itself with a cut.
    """
    made = [shown_counts(counts, below, decoys) for counts, below in zip(columns, cuts, strict=True)]
    cells = sum((each for each, _ in made), Fraction(0))
    n = sum(columns[0])
    several = {place for place, (_, shown) in enumerate(made) if len(shown) > 1}
    if not several:
        return cells, Fraction(0)
    bounds = [Fraction(n)]
    if len(several) == 1:
        (place,) = several
        bounds.append(alone(columns[place], cuts[place]))
    bounds += [Fraction(sum(c for c in counts if c < k)) for group, counts in groups.items() if several <= {*group}]
    for cover in covers(range(len(columns)), list(groups)):
        parts = [made[part[0]][1] if len(part) == 1 else [Fraction(count) for count in groups[part]] for part in cover]
        bounds.append(counting_bound(parts, k))
    return cells, min(bounds)


def covers(places: Sequence[int], groups: Sequence[tuple[int, ...]]) -> Iterator[list[tuple[int, ...]]]:
    """Yield the ways to cover all places by groups and single ones."""
    for size in range(len(groups) + 1):
        for some in combinations(groups, size):
            covered = {place for group in some for place in group}
            yield [*some, *((place,) for place in places if place not in covered)]


def fewest_by_cuts(  # noqa: PLR0917 - what is known
    columns: Sequence[Counts],
    groups: Mapping[tuple[int, ...], Counts],
    k: int,
    allowed: int,
    decoys: Decoys,
    alone: Callable[[Counts, int], Fraction],
) -> Fraction:
    """Return the fewest expected cells of any cuts with which few enough people are certified to be exposed."""
    choices = [sorted({0, *(count + 1 for count in counts)}) for counts in columns]
    found = (certified(columns, groups, cuts, k, decoys, alone) for cuts in product(*choices))
    return min(cells for cells, exposed in found if exposed <= allowed)
