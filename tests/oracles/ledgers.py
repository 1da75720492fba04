"""Several publications about the same people, person by person; and all people that published counts allow."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

Release = Mapping[Hashable, Hashable]
Cell = tuple[str, ...]


def jointly_exposed(releases: Sequence[Release], k: int) -> int:
    """Of how many people in the last release fewer than k are in just the same ones, with the same records."""

    def seen(who: Hashable) -> list[Hashable]:
        return [release.get(who, "absent") for release in releases]

    everybody = {who for release in releases for who in release}
    return sum(sum(seen(other) == seen(who) for other in everybody) < k for who in releases[-1])


def left_exposed(releases: Sequence[Release], k: int) -> int:
    """How many people who are not in the last release are exposed with it, and were not before."""
    gone = {who for release in releases for who in release} - {*releases[-1]}
    before = [*releases[:-1]]

    def alike(who: Hashable, some: Sequence[Release]) -> int:
        everybody = {other for release in releases for other in release}
        own = [release.get(who, "absent") for release in some]
        return sum([release.get(other, "absent") for release in some] == own for other in everybody)

    # In the releases before, whoever is in none of them is in no class.
    earlier = {who for release in before for who in release}
    return sum(
        alike(who, releases) < k
        and sum(
            [release.get(other, "absent") for release in before] == [release.get(who, "absent") for release in before]
            for other in earlier
        )
        >= k
        for who in gone
    )


@dataclass(frozen=True)
class Counted:
    """A table of counts: columns by their places, counts, k, the condition, and whether all combinations are listed."""

    columns: tuple[int, ...]
    counts: Mapping[Cell, int | None]
    k: int
    where: Mapping[int, str]
    complete: bool

    @property
    def margin(self) -> tuple[int, ...]:
        """The places of all columns that it is about."""
        return tuple(sorted({*self.columns, *self.where}))

    def agrees(self, people: Mapping[Cell, int]) -> bool:
        """Whether so many people of each combination could have been counted so."""
        sums: Counter[Cell] = Counter()
        for cell, size in people.items():
            if all(cell[place] == value for place, value in self.where.items()):
                sums[tuple(cell[place] for place in self.columns)] += size
        for values in {*sums, *self.counts}:
            count, size = self.counts.get(values, 0), sums[values]
            if values not in self.counts and not self.complete:
                if size >= self.k and "other" not in values:
                    return False
            elif size not in (range(1, self.k) if count is None else (count,)):
                return False
        return True

    def excludes(self, cell: Cell) -> bool:
        """Whether it shows by itself that nobody has these values."""
        applies = all(cell[place] == value for place, value in self.where.items())
        values = tuple(cell[place] for place in self.columns)
        return applies and self.counts.get(values, 0 if self.complete else 1) == 0


Sums = dict[frozenset[Cell], tuple[int, int]]


def small_counts(tables: Sequence[Counted], values: Sequence[Sequence[str]], most: int, k: int) -> tuple[Sums, Sums]:
    """What follows of cells of few people from tables of counts, by all people with up to a number of each combination.

    Returns the least and most people of each cell of the tables, and of each two together, that has 1 to k - 1 people
    surely; and of those among them that are cells of a table, as combinations of all columns that people may have.
    """
    every = [*product(*values)]
    cells = [cell for cell in every if not any(table.excludes(cell) for table in tables)]
    sizes = (dict(zip(cells, some, strict=True)) for some in product(range(most + 1), repeat=len(cells)))
    allowed = [people for people in sizes if all(table.agrees(people) for table in tables)]
    margins = {table.margin for table in tables}
    margins |= {tuple(sorted({*one, *other})) for one, other in combinations(margins, 2)}
    result: Sums = {}
    shown: Sums = {}
    for margin in margins:
        for values_there in product(*(values[place] for place in margin)):
            summed = frozenset(cell for cell in cells if tuple(cell[place] for place in margin) == values_there)
            totals = {sum(people[cell] for cell in summed) for people in allowed}
            if min(totals) >= 1 and max(totals) < k:
                result[summed] = min(totals), max(totals)
    for table in tables:
        for listed, count in table.counts.items():
            named = dict(zip(table.columns, listed, strict=True)) | dict(table.where)
            summed = frozenset(cell for cell in cells if all(cell[place] == value for place, value in named.items()))
            ends = (1, table.k - 1) if count is None else (count, count)
            shown[summed] = min(shown.get(summed, ends), ends, key=lambda both: both[1] - both[0])
    return result, shown
