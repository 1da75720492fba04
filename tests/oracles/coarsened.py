"""The most useful release by going through all choices of views, and its rows one by one."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import floor, log, log2
from typing import Any, NamedTuple

Rows = Sequence[Any]
# Whether a class, given by its people's values, is diverse enough in a table of whose people these are all values.
Diverse = Callable[[Rows, Rows], bool]
# A value, or the nodes below a node; all values are on one level.
Tree = str | tuple[Any, ...]


class Asked(NamedTuple):
    """What a release is asked."""

    k: int
    budget: Fraction
    diverse: Diverse
    rise: Fraction
    certain: Fraction | None
    most_suppressed: int


def meets(columns: Sequence[Rows], secrets: Sequence[Rows], people: int, asked: Asked) -> bool:
    """Return whether a table that goes out is within its goal."""
    classes = members(columns, people)
    exposed = sum(len(c) for c in failing(classes, secrets, asked))
    if exposed > floor(asked.budget * people):
        return False
    for secret in secrets:
        best = [max(Counter(secret[row] for row in c).values()) for c in classes]
        by_chance = max(Counter(secret).values(), default=0)
        sure = sum(len(c) for c, right in zip(classes, best, strict=True) if right == len(c))
        if sum(best) - by_chance > floor(asked.rise * people):
            return False
        if asked.certain is not None and sure > floor(asked.certain * people):
            return False
    return True


def members(columns: Sequence[Rows], people: int) -> list[list[int]]:
    """Return the rows of each class."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for row in range(people):
        found.setdefault(tuple(column[row] for column in columns), []).append(row)
    return list(found.values())


def failing(classes: list[list[int]], secrets: Sequence[Rows], asked: Asked) -> list[list[int]]:
    """Return the classes that are too small or not diverse enough among all of these people."""
    everybody = [row for rows in classes for row in rows]
    return [
        rows for rows in classes
        if len(rows) < asked.k
        or not all(asked.diverse([s[row] for row in rows], [s[row] for row in everybody]) for s in secrets)
    ]  # fmt: skip


def distinct(least: int) -> Diverse:
    """At least so many values."""
    return lambda values, _: len(set(values)) >= least


def entropy(least: float) -> Diverse:
    """An entropy of log l at least."""

    def diverse(values: Rows, _: Rows) -> bool:
        shares = [count / len(values) for count in Counter(values).values()]
        return -sum(p * log(p) for p in shares) >= log(least) - 1e-9

    return diverse


def recursive(c: Fraction, least: int) -> Diverse:
    """The commonest value has fewer than c times as many as the l-th commonest and rarer ones."""

    def diverse(values: Rows, _: Rows) -> bool:
        counts = sorted(Counter(values).values(), reverse=True)
        return counts[0] < c * sum(counts[least - 1 :])

    return diverse


def likeness(beta: Fraction, whole: Rows | None = None) -> Diverse:
    """No value's share is more than beta times its share of the whole above that."""

    def diverse(values: Rows, everybody: Rows) -> bool:
        compared = everybody if whole is None else whole
        return all((share(values, v) - share(compared, v)) / share(compared, v) <= beta for v in set(compared))

    return diverse


def disclosure(delta: float, whole: Rows | None = None) -> Diverse:
    """Each value of the whole is there, and the logarithm of how many times as common it is is below delta."""

    def diverse(values: Rows, everybody: Rows) -> bool:
        compared = everybody if whole is None else whole
        return all(v in values and abs(log(share(values, v) / share(compared, v))) < delta for v in set(compared))

    return diverse


def close(t: Fraction, whole: Rows | None = None) -> Diverse:
    """Half the differences of shares are t at most."""

    def diverse(values: Rows, everybody: Rows) -> bool:
        compared = everybody if whole is None else whole
        gaps = [share(values, v) - share(compared, v) for v in set(compared)]
        return sum(map(abs, gaps)) / 2 <= t

    return diverse


def close_in_order(t: Fraction, order: Rows, whole: Rows | None = None) -> Diverse:
    """The differences of cumulative shares, of values from low to high, average to t at most."""

    def diverse(values: Rows, everybody: Rows) -> bool:
        compared = everybody if whole is None else whole
        gaps = [sum(share(values, v) - share(compared, v) for v in order[: i + 1]) for i in range(len(order))]
        return sum(map(abs, gaps)) <= t * (len(order) - 1)

    return diverse


def close_in_tree(t: Fraction, tree: Tree, whole: Rows | None = None) -> Diverse:
    """The extra shares that meet at each node are moved there, at its height of the tree's (Li and others, 2007)."""

    def diverse(values: Rows, everybody: Rows) -> bool:
        compared = everybody if whole is None else whole
        return moved(tree, values, compared)[1] <= t * height(tree)

    return diverse


def height(tree: Tree) -> int:
    """Return how many levels are above the leaves."""
    return 0 if isinstance(tree, str) else 1 + max(map(height, tree))


def moved(tree: Tree, values: Rows, compared: Rows) -> tuple[Fraction, Fraction]:
    """Return by how much a node has more than its share, and what moving within it costs, times the height of all."""
    if isinstance(tree, str):
        return share(values, tree) - share(compared, tree), Fraction(0)
    extras, costs = zip(*(moved(child, values, compared) for child in tree), strict=True)
    more, less = sum(max(extra, 0) for extra in extras), sum(max(-extra, 0) for extra in extras)
    return sum(extras, Fraction(0)), sum(costs, Fraction(0)) + height(tree) * min(more, less)


def share(values: Rows, value: Any) -> Fraction:
    """Return the share of a value."""
    return Fraction(list(values).count(value), len(values))


def releases(
    views: Mapping[str, Sequence[Rows]], secrets: Sequence[Rows], people: int, asked: Asked, utility: str
) -> dict[tuple[int | None, ...], tuple[float, int]]:
    """Return of each choice of a view of each column, or none, what its rows are worth and how few are left out.

    Only of those within the goal when the rows of the smallest classes are left out, no more than is needed.
    """
    found: dict[tuple[int | None, ...], tuple[float, int]] = {}
    repeats = repeated([some[0] for some in views.values()])
    for levels in product(*([*range(len(some)), None] for some in views.values())):
        shown = [some[level] for some, level in zip(views.values(), levels, strict=True) if level is not None]
        out = left_out(shown, secrets, people, asked)
        left = [row for row in range(people) if row not in out]
        table = [[column[row] for row in left] for column in shown]
        hidden = [[s[row] for row in left] for s in secrets]
        if len(out) <= asked.most_suppressed and meets(table, hidden, len(left), asked):
            each = zip(views.values(), levels, repeats, strict=True)
            chosen = [Chosen(some, level, repeat) for some, level, repeat in each if level is not None]
            found[levels] = WORTH[utility](chosen, left), len(out)
    return found


class Chosen(NamedTuple):
    """A column that goes out: its views, which of them, and whether its finest follows from another column's."""

    views: Sequence[Rows]
    level: int
    repeats: bool

    @property
    def rows(self) -> Rows:
        """What is shown."""
        return self.views[self.level]


def repeated(columns: Sequence[Rows]) -> list[bool]:
    """Return which columns are functions of another, of two copies the later one; those of one value are neither."""

    def follows(i: int, j: int) -> bool:
        return len(set(zip(columns[j], columns[i], strict=True))) == len(set(columns[j])) and len(set(columns[i])) > 1

    places = range(len(columns))
    return [any(follows(i, j) and (j < i or not follows(j, i)) for j in places if j != i) for i in places]


def bits(values: Rows) -> float:
    """Return the entropy of a row's value."""
    return sum(log2(len(values) / Counter(values)[value]) for value in values) / len(values)


def columns_kept(chosen: Sequence[Chosen], left: Sequence[int]) -> float:
    """Return the sum over the cells left of which share of its bits each column keeps, unless it repeats another."""
    return sum(
        bits(each.rows) / bits(each.views[0]) * len(left) for each in chosen if not each.repeats and bits(each.rows)
    )


def entropy_kept(chosen: Sequence[Chosen], left: Sequence[int]) -> float:
    """Return the sum of log2(n / n_value) over the cells left."""
    return sum(log2(len(rows) / Counter(rows)[rows[row]]) for each in chosen for rows in [each.rows] for row in left)


def information_kept(chosen: Sequence[Chosen], left: Sequence[int]) -> float:
    """Return how many bits the rows left carry: of each log2 of how many rows there are for one that is alike."""
    seen = [tuple(each.rows[row] for each in chosen) for row in left]
    return sum(log2(len(seen) / seen.count(mine)) for mine in seen)


def precision_kept(chosen: Sequence[Chosen], left: Sequence[int]) -> float:
    """Return the sum of 1 - level / levels over the cells left, of columns of more than one value."""
    return sum((1 - each.level / len(each.views)) * len(left) for each in chosen if len(set(each.rows)) > 1)


def told_apart(chosen: Sequence[Chosen], left: Sequence[int]) -> float:
    """Return how many ordered pairs are told apart, who is left out from nobody: no more than with everybody in."""
    people = len(chosen[0].rows) if chosen else len(left)
    rows = [tuple(each.rows[row] for each in chosen) for row in range(people)]
    here = sum(rows[i] != rows[j] or j not in left for i in left for j in range(people))
    return min(here, sum(one != other for one in rows for other in rows))


#: What goes out is worth, by utility: of the columns, and the rows left.
WORTH = {
    "information": information_kept,
    "columns": columns_kept,
    "entropy": entropy_kept,
    "precision": precision_kept,
    "discernibility": told_apart,
}


def left_out(shown: Sequence[Rows], secrets: Sequence[Rows], people: int, asked: Asked) -> set[int]:
    """Return who is left out: who shows something rare, then those of the smallest failing classes, until it is enough.

    Who is left out changes what the whole looks like, so that it may then not be enough.
    """
    out = {row for row in range(people) if any(column.count(column[row]) < asked.k for column in shown)}
    while True:
        left = [row for row in range(people) if row not in out]
        classes = members([[column[row] for row in left] for column in shown], len(left))
        failed = sorted(
            failing(classes, [[s[row] for row in left] for s in secrets], asked), key=lambda c: (len(c), c[0])
        )
        rows = [left[i] for c in failed for i in c]
        more = next(s for s in range(len(rows) + 1) if len(rows) - s <= floor(asked.budget * (len(left) - s)))
        if not more:
            return out
        out |= set(rows[:more])
