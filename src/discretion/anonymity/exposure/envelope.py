"""Lines that add people and multiply cells, combined by their lower envelope: a bound at every slack at once."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Generic

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Reals
from discretion.numerics.convex_hulls import Line, Real, is_below, lower_envelope

# Lines of an envelope that is searched; a bound is a little higher if there are more.
MAX_LINES = 1 << 12

BLOCK = 1 << 21


def combine_lines(
    lines: Sequence[Line[Real]], others: Sequence[Line[Real]], least: Real, limit: Real
) -> list[Line[Real]]:
    """Return the lower envelope of ``s ↦ (a + a') + b·b'·s`` over one line of each side.

    Parameters
    ----------
    lines, others
        Lower envelopes, as `lower_envelope` returns them, with every b at least 1.
    least, limit
        Only the part for ``s ≥ least`` and below ``limit`` is returned.

    Notes
    -----
    The envelopes suffice: for any later combination with these lines, and for every s, the result is linear in (a, b)
    with positive weights. Not all pairs of lines are formed: where two adjacent lines on the envelope so far cross, the
    least pair is either a line between them, or shows that there is none. Of more than 4,096 lines not all are
    searched: then the result is never below the envelope, but may be a little above it.
    """
    few, many = sorted((_useful(lines, least, limit), _useful(others, least, limit)), key=len)
    if not few:
        return []
    pairs = _Pairs(few, many)
    lower = lower_envelope(pairs.least_at([least, limit]))
    todo = list(pairwise(lower))
    while todo and len(lower) < limits.current().steps(MAX_LINES, each=1024):
        crossings = [(right[0] - left[0]) / (left[1] - right[1]) for left, right in todo]
        between = [
            (left, line, right)
            for (left, right), line in zip(todo, pairs.least_at(crossings), strict=True)
            if is_below(line, left, right)
        ]
        lower.extend(line for _, line, _ in between)
        # Far away the floats of lines of the same slope are the same: the one found there may be above the other.
        todo = [gap for left, line, right in between for gap in ((left, line), (line, right)) if gap[0][1] > gap[1][1]]
    return _useful(lower_envelope(lower), least, limit)


class _Pairs(Generic[Real]):
    """All combinations of a line of each side, with a search for the least one."""

    def __init__(self, few: Sequence[Line[Real]], many: Sequence[Line[Real]]) -> None:
        self.few, self.many = few, many
        self.a, self.b = _sides(few)
        self.c, self.d = _sides(many)
        self.crossings = np.diff(self.c) / -np.diff(self.d)

    def least_at(self, places: Sequence[float]) -> Iterator[Line[Real]]:
        """Return for each s a least pair as a line."""
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
