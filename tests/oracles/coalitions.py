"""What each coalition of parties learns of one person, by going through all tables of a small task.

Five people answer two questions with two answers each, every table as likely as any other; k is 2, and both questions
go out together. The first shuffler, two in all, may do as it should; invent all other people, where it may let people
in; or leave the person out of the last round, alone or with another one. What honest parties give out is public.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from typing import Any, Literal

import numpy as np

from discretion.collection.parts.counting import BatchCounts
from discretion.collection.results.analyst import analyst_result
from discretion.collection.results.curator import curator_result
from discretion.collection.wire.rounds import Round
from support.collection.in_process import features, made, together

Row = tuple[int, int]
#: Who lets people in: the first shuffler, an admitter outside of the coalition, or one in it.
Admission = Literal["first shuffler", "honest admitter", "coalition's admitter"]
PARTIES = ("shuffler 1", "shuffler 2", "curator", "analyst")
PEOPLE, K = 5, 2
ROWS: list[Row] = [*product(range(2), repeat=2)]
_INVENTED: list[Row] = [(0, 0)] * (PEOPLE - 1)
NONE = BatchCounts(np.empty((0, 2), np.int64), np.empty(0, np.int64), 0, 0, 0)


@cache
def _task(curated: bool) -> Any:
    return made(features(2, 2), 2, curated=curated, k=K, budget="1", smallest_batch=2).task


def coalitions(curated: bool = True) -> Iterator[tuple[str, ...]]:
    """Yield all sets of the shufflers, the curator and the analyst."""
    parties = [party for party in PARTIES if curated or party != "curator"]
    for size in range(len(parties) + 1):
        yield from combinations(parties, size)


@cache
def guess(coalition: tuple[str, ...], admission: Admission, curated: bool = True) -> Fraction:
    """Return how likely the best guess of one person's two answers is right, by the best of the coalition's ways."""
    ways = ["honest"]
    if "shuffler 1" in coalition:
        ways += ["leaves one out", "leaves two out"]
        ways += ["invents"] if admission != "honest admitter" else []
    return max(_guess(coalition, way, curated) for way in ways)


def _guess(coalition: tuple[str, ...], way: str, curated: bool) -> Fraction:
    seen: dict[Any, Counter[Row]] = {}
    for others in [tuple(_INVENTED)] if way == "invents" else product(ROWS, repeat=PEOPLE - 1):
        for person in ROWS:
            view = _view(person, others, coalition, way, curated)
            seen.setdefault(view, Counter())[person] += 1
    total = sum(sum(each.values()) for each in seen.values())
    return Fraction(sum(max(each.values()) for each in seen.values()), total)


def _view(person: Row, others: Iterable[Row], coalition: tuple[str, ...], way: str, curated: bool) -> Any:
    first = [person, *others]
    last = first[{"leaves one out": 1, "leaves two out": 2}.get(way, 0) :]
    counts = tuple(tuple(sorted(Counter(row[place] for row in first).items())) for place in range(2))
    joint = tuple(sorted(Counter(last).items()))
    parts: list[Any] = [_published(counts, joint, curated)]
    if "curator" in coalition or not curated:  # everybody sees the board
        parts.append(counts)
    if "analyst" in coalition:
        parts.append(joint)
    opens_first = "curator" in coalition or not curated
    opens_last = "analyst" in coalition and way in ("honest", "invents")
    if {"shuffler 1", "shuffler 2"} <= {*coalition} and (opens_first or opens_last):
        parts.append(person)
    return tuple(parts)


@cache
def _published(counts: Any, joint: Any, curated: bool) -> Any:
    """Return what an honest curator and an honest analyst give out, as text."""
    task, people = _task(curated), sum(count for _, count in joint)
    first = sum(count for _, count in counts[0])
    choice = replace(together(task, 0, 1), people=first)
    batch = BatchCounts(np.array([row for row, _ in joint]), np.array([count for _, count in joint]), 0, 0, 0)
    given = [str(analyst_result(batch, Round(task, choice)).to_dict()["shares"])]
    if curated:
        tallies = {}
        for feature, pairs in zip(task.features, counts, strict=True):
            tally = np.zeros(feature.codes, np.int64)
            for code, count in pairs:
                tally[code] = count
            tallies[feature.name] = tally
        given.append(str(curator_result(task, tallies, NONE, choice, analysed=people).to_dict()["features"]))
    return tuple(given)
