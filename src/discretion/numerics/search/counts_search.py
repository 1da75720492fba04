"""The largest value of a function of counts, by branch and bound.

The function must not rise where a count grows. So its value at the least counts of a box is an upper bound for the
whole box; the box with the highest bound is halved next, until no bound is above the best value found.
"""

import heapq
import itertools
from collections.abc import Callable
from typing import NamedTuple

Counts = tuple[int, ...]
Interval = tuple[float, float]

# Relative: what lies no farther above the best value found is not looked for.
TOLERANCE = 1e-12


class Largest(NamedTuple):
    """Bounds of the largest value, and counts at which the function is at least the lower bound."""

    low: float
    high: float
    where: Counts

    @property
    def is_narrow(self) -> bool:
        """Whether the lower bound is the largest value, up to rounding."""
        return self.high == self.low or self.high - self.low <= 10 * TOLERANCE * abs(self.low) < float("inf")


class _Box(NamedTuple):
    least: Counts
    most: Counts


def largest_over_counts(total: int, size: int, distinct: int, interval: Callable[[Counts], Interval]) -> Largest:
    """Return the largest value of a function over ``size`` counts that sum to the total.

    ``interval`` bounds it at any counts up to that sum; its upper bound is infinite if the value takes too long to
    compute. The function does not depend on the order of the counts after the first ``distinct``.
    """
    search = _Search(total, distinct, interval)
    for counts in corners(total, size, distinct):
        search.look(_Box(counts, counts), search.unbounded)
    search.look(_Box((0,) * size, (total,) * size), search.unbounded)
    return search.run()


def corners(total: int, size: int, distinct: int) -> list[Counts]:
    """Return the counts of which all but one are 0, without those in another order after the first ``distinct``."""
    return [tuple(total * (i == place) for i in range(size)) for place in range(min(distinct + 1, size))]


class _Search:
    unbounded = float("inf")

    def __init__(self, total: int, distinct: int, interval: Callable[[Counts], Interval]) -> None:
        self._total, self._apart, self._interval = total, distinct, interval
        self._known: dict[Counts, Interval] = {}
        self._best, self._where = -self.unbounded, ()
        self._settled = -self.unbounded
        self._open: list[tuple[float, int, _Box]] = []
        self._order = itertools.count()

    def run(self) -> Largest:
        """Return the largest value once no open box can hold a larger one."""
        while self._open and -self._open[0][0] > max(self._enough, self._settled):
            bound, _, box = heapq.heappop(self._open)
            for half in _halves(box):
                self.look(half, -bound)
        high = max(self._settled, -self._open[0][0] if self._open else self._best)
        return Largest(self._best, max(high, self._best), self._where)

    def look(self, box: _Box, bound: float) -> None:
        """Bound a box from above, and keep it open if it may contain more than the best value found."""
        tight = self._tightened(box)
        if tight is None:
            return
        if tight.least not in self._known:
            self._known[tight.least] = self._interval(tight.least)
        low, high = self._known[tight.least]
        is_single = sum(tight.least) == self._total
        if is_single and low > self._best:
            self._best, self._where = low, tight.least
        if is_single or high == self.unbounded:  # which more counts would not make any easier
            self._settled = max(self._settled, min(bound, high))
        elif min(bound, high) > self._enough:
            heapq.heappush(self._open, (-min(bound, high), next(self._order), tight))
        else:
            self._settled = max(self._settled, min(bound, high, self._enough))

    @property
    def _enough(self) -> float:
        return self._best + TOLERANCE * abs(self._best)

    def _tightened(self, box: _Box) -> _Box | None:
        """Return the least box with all counts of this one that have the right sum and fall after ``distinct``."""
        least, most = list(box.least), list(box.most)
        changed = True
        while changed:
            before = *least, *most
            for i in range(self._apart, len(least) - 1):
                most[i + 1] = min(most[i + 1], most[i])
            for i in range(len(least) - 1, self._apart, -1):
                least[i - 1] = max(least[i - 1], least[i])
            spare, room = self._total - sum(least), sum(most) - self._total
            if spare < 0 or room < 0:
                return None
            least, most = (
                [max(low, high - room) for low, high in zip(least, most, strict=True)],
                [min(high, low + spare) for low, high in zip(least, most, strict=True)],
            )
            if any(low > high for low, high in zip(least, most, strict=True)):
                return None
            changed = (*least, *most) != before
        return _Box(tuple(least), tuple(most))


def _halves(box: _Box) -> tuple[_Box, _Box]:
    widths = [high - low for low, high in zip(*box, strict=True)]
    i = widths.index(max(widths))
    middle = (box.least[i] + box.most[i]) // 2
    return (
        box._replace(most=(*box.most[:i], middle, *box.most[i + 1 :])),
        box._replace(least=(*box.least[:i], middle + 1, *box.least[i + 1 :])),
    )
