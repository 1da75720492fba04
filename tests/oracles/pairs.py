"""Two small tables of people, given as tuples, compared person by person."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, combinations

Row = Hashable


def matched(old: Sequence[Row], new: Sequence[Row]) -> int:
    """How many rows of the new table can be paired with an equal one of the old, each once."""
    left, found = list(old), 0
    for row in new:
        if row in left:
            left.remove(row)
            found += 1
    return found


def candidates(own: Sequence[Row], other: Sequence[Row], k: int) -> tuple[int, int, int]:
    """For how many people none, one, and from one to fewer than k of the other table agree."""
    alike = [sum(theirs == mine for theirs in other) for mine in own]
    return alike.count(0), alike.count(1), sum(1 <= count < k for count in alike)


def found(old: Sequence[Row], new: Sequence[Row], k: int) -> tuple[int, int, int]:
    """How many people who came, who went, and who is among these hidden in each table, stand out in the difference."""
    came = went = hidden = 0
    for row in {*old, *new}:
        before, after = old.count(row), new.count(row)
        if 0 < after - before < k:
            came += after - before
        if 0 < before - after < k:
            went += before - after
        if 0 < abs(after - before) < k and before >= k and after >= k:
            hidden += abs(after - before)
    return came, went, hidden


def told(old: Sequence[tuple[Row, Row]], new: Sequence[tuple[Row, Row]]) -> int:
    """Of how many who came or went, in classes that only grew or shrank, the value is told by no table alone."""
    total = 0
    for key in {known for known, _ in chain(old, new)}:
        before = Counter(value for known, value in old if known == key)
        after = Counter(value for known, value in new if known == key)
        for larger, smaller in ((after, before), (before, after)):
            if len(larger) > 1 and smaller <= larger and len(rest := larger - smaller) == 1:
                total += rest.total()
    return total


def join_exposed(old: Mapping[Hashable, tuple[Row, Row]], new: Mapping[Hashable, tuple[Row, Row]], k: int) -> int:
    """How many people of the new table are exposed in it, or by both records; each has shared and further values."""
    joined = {who: (old[who], new[who]) for who in new if who in old and old[who][0] == new[who][0]}
    return sum(
        list(new.values()).count(new[who]) < k or (who in joined and list(joined.values()).count(joined[who]) < k)
        for who in new
    )


def least_cut(rows: Sequence[int], columns: Sequence[int], most: int) -> int:
    """The least cut between rows and columns over all choices of both: what can flow through cells of so many."""

    def choices(sums: Sequence[int]) -> list[tuple[int, int]]:
        """How many are on the near side, and the sum of the others."""
        every = range(len(sums))
        kept = chain.from_iterable(combinations(every, size) for size in range(len(sums) + 1))
        return [(len(chosen), sum(sums) - sum(sums[i] for i in chosen)) for chosen in kept]

    return min(rest + others + most * n * m for n, rest in choices(rows) for m, others in choices(columns))
