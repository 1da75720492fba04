"""The most useful release by going through all choices of views, and its rows one by one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import floor, log2
from typing import Any, NamedTuple

Rows = Sequence[Any]


class Asked(NamedTuple):
    """What a release is asked."""

    k: int
    budget: Fraction
    diversity: int
    rise: Fraction
    certain: Fraction | None
    most_suppressed: int


def meets(columns: Sequence[Rows], secrets: Sequence[Rows], people: int, asked: Asked) -> bool:
    """Return whether a table that goes out is within its goal."""
    classes = members(columns, people)
    exposed = sum(len(c) for c in classes if fails(c, secrets, asked))
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


def fails(rows: list[int], secrets: Sequence[Rows], asked: Asked) -> bool:
    """Return whether a class is too small or not diverse enough."""
    return len(rows) < asked.k or any(len({secret[row] for row in rows}) < asked.diversity for secret in secrets)


def releases(
    views: Mapping[str, Sequence[Rows]], secrets: Sequence[Rows], people: int, asked: Asked
) -> dict[tuple[int | None, ...], tuple[float, int]]:
    """Return of each choice of a view of each column, or none, what its rows tell and how few of them are left out.

    Only of those within the goal when the rows of the smallest classes are left out, no more than is needed.
    """
    found: dict[tuple[int | None, ...], tuple[float, int]] = {}
    for levels in product(*([*range(len(some)), None] for some in views.values())):
        shown = [some[level] for some, level in zip(views.values(), levels, strict=True) if level is not None]
        sizes = [Counter(column) for column in shown]
        classes = members(shown, people)
        failing = sorted((c for c in classes if fails(c, secrets, asked)), key=lambda c: (len(c), c[0]))
        rare = [row for row in range(people) if any(column.count(column[row]) < asked.k for column in shown)]
        rows = [*rare, *(row for c in failing for row in c if row not in set(rare))]
        out = next(s for s in range(len(rare), len(rows) + 1) if len(rows) - s <= floor(asked.budget * (people - s)))
        left = [row for row in range(people) if row not in set(rows[:out])]
        kept = sum(log2(people / size[column[row]]) for column, size in zip(shown, sizes, strict=True) for row in left)
        table = [[column[row] for row in left] for column in shown]
        if out <= asked.most_suppressed and meets(table, [[s[row] for row in left] for s in secrets], len(left), asked):
            found[levels] = kept, out
    return found
