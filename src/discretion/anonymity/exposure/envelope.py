"""The lower envelope of lines: what bounds that add people and multiply cells need, at every slack at once."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Generic, TypeVar

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Reals

BLOCK = 1 << 21

Real = TypeVar("Real", int, float)
# The line s ↦ a + b·s, and what it was made of.
Line = tuple[Real, Real, tuple[int, ...]]


def lower_envelope(lines: Iterable[Line[Real]]) -> list[Line[Real]]:
    """Return those of the lines ``s ↦ a + b·s`` that are needed for the least at every s > 0, by ascending a.

    Examples
    --------
    >>> lower_envelope([(0, 9, ()), (2, 8, ()), (4, 1, ()), (5, 1, ())])
    [(0, 9, ()), (4, 1, ())]
    """
    kept: list[Line[Real]] = []
    for line in sorted(lines, key=itemgetter(0, 1)):
        if kept and line[1] >= kept[-1][1]:
            continue
        while len(kept) > 1 and not _is_below(kept[-1], kept[-2], line):
            kept.pop()
        kept.append(line)
    return kept


def combined(lines: Sequence[Line[Real]], others: Sequence[Line[Real]], least: Real, limit: Real) -> list[Line[Real]]:
    """Return the lower envelope of ``s ↦ (a + a') + b·b'·s`` over one line of each side.

    Parameters
    ----------
    lines, others
        Lower envelopes, as returned by :func:`lower_envelope`, with every b at least 1.
    least, limit
        Only what is needed for ``s ≥ least`` and below ``limit`` is returned.

    Notes
    -----
    The envelopes are enough: for whatever is combined with these lines later, and for every s, the result is linear in
    (a, b) with positive weights. Neither are all pairs of lines formed: where two neighbours on the envelope found so
    far cross, the least pair either is a line between them or shows that there is none. Of more than 4,096 lines not
    all are looked for: what comes out is never below the envelope, and may be a little above.
    """
    few, many = sorted((_useful(lines, least, limit), _useful(others, least, limit)), key=len)
    if not few:
        return []
    pairs = _Pairs(few, many)
    lower = lower_envelope(pairs.least_at([least, limit]))
    todo = list(pairwise(lower))
    while todo and len(lower) < limits.current().most_lines:
        crossings = [(right[0] - left[0]) / (left[1] - right[1]) for left, right in todo]
        todo = [
            gap
            for (left, right), line in zip(todo, pairs.least_at(crossings), strict=True)
            if _is_below(line, left, right)
            for gap in ((left, line), (line, right))
        ]
        lower.extend(line for _, line in todo[::2])
    return _useful(lower_envelope(lower), least, limit)


class _Pairs(Generic[Real]):
    """All sums of a line of each side, to be asked for the least one."""

    def __init__(self, few: Sequence[Line[Real]], many: Sequence[Line[Real]]) -> None:
        self.few, self.many = few, many
        self.a, self.b = _sides(few)
        self.c, self.d = _sides(many)
        self.crossings = np.diff(self.c) / -np.diff(self.d)

    def least_at(self, places: Sequence[float]) -> Iterator[Line[Real]]:
        """Return, for each s, a least pair as a line."""
        for some in np.array_split(np.array(places, float), -(-len(places) * len(self.few) // BLOCK)):
            slopes = some[:, None] * self.b
            nearest = self.crossings.searchsorted(slopes)
            first = (self.a + self.c[nearest] + slopes * self.d[nearest]).argmin(axis=1)
            seconds: list[int] = nearest[np.arange(some.size), first].tolist()
            firsts: list[int] = first.tolist()
            for i, j in zip(firsts, seconds, strict=True):
                (a, b, made), (c, d, more) = self.few[i], self.many[j]
                yield a + c, b * d, made + more


def _sides(lines: Sequence[Line[Real]]) -> tuple[Reals, Reals]:
    return np.array([line[0] for line in lines], float), np.array([line[1] for line in lines], float)


def _useful(lines: Sequence[Line[Real]], least: Real, limit: Real) -> list[Line[Real]]:
    return [line for line in lines if line[0] + least * line[1] < limit]


def _is_below(middle: Line[Real], left: Line[Real], right: Line[Real]) -> bool:
    """Return whether a line is below both of the others where these cross."""
    return (left[1] - middle[1]) * (right[0] - left[0]) > (left[1] - right[1]) * (middle[0] - left[0])
