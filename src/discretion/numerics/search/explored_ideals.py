"""The ideals that a search has examined: those within the limits, and the best of them so far."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, Literal

from discretion.numerics.search.ideals import Ideals
from discretion.numerics.search.worth import Worth

Loads = tuple[int, ...]
# An ideal, and an element to add to it with all that this brings along; None is the ideal as it is.
Extension = tuple[int, int | None]
Ended = Literal["proved", "time", "sets", "interrupted"]

# So many ideals are asked about at once, and later as many as take a fourth of the time.
_AT_FIRST, _AT_ONCE = 64, 1 << 20
_LOOKS = 4


class EndedEarly(Exception):  # noqa: N818 - no error
    """The time is over, or too many ideals would be looked at."""

    def __init__(self, why: Ended) -> None:
        self.why: Ended = why


class ExploredIdeals:
    """Examines each ideal once.

    Parameters
    ----------
    ideals
        The sets to choose from.
    examine
        Returns the costs of extensions, each at least as large as those of an ideal inside. The costs may end with the
        first one that is over its limit.
    limits
        The largest allowed value of each cost.
    worth : Worth
        The utility of ideals.
    start
        An ideal that is contained in all those of interest.
    place
        The sort key among ideals with the same utility and the same costs: the better one first.
    progress
        Called with the best ideal so far, and again for each better one.
    seconds, most
        The time from now on, and the largest number of ideals to examine.
    """

    def __init__(
        self,
        ideals: Ideals,
        examine: Callable[[Sequence[Extension]], Sequence[Loads]],
        limits: Sequence[int],
        worth: Worth,
        *,
        start: int,
        place: Callable[[int], Any],
        progress: Callable[[int], None],
        seconds: float,
        most: int,
    ) -> None:
        self._ideals, self._ask, self._limits, self._worth = ideals, examine, tuple(limits), worth
        self._at_once, self._longest = _AT_FIRST, seconds / _LOOKS
        self._begun, self._seconds, self._most = time.monotonic(), seconds, most
        self._place, self._progress = place, progress
        self.start = start
        self.within: dict[int, Loads] = {}
        self.over: dict[int, Loads] = {}
        self.worths: dict[int, Fraction] = {}
        self.best: int | None = None
        self._lightest: dict[Fraction, int] = {}

    def __len__(self) -> int:
        return len(self.within) + len(self.over)

    @property
    def seconds_left(self) -> float:
        """The time that is left."""
        return self._begun + self._seconds - time.monotonic()

    @property
    def spent(self) -> float:
        """The used share of the ideals or of the time, whichever is larger."""
        return max(len(self) / self._most, 1 - self.seconds_left / self._seconds)

    def is_within(self, *extensions: Extension) -> list[bool]:
        """Return whether extensions are within the limits; those that are not known yet are examined."""
        grown = [ideal if j is None else ideal | self._ideals.brings[j] for ideal, j in extensions]
        unknown = {
            whole: extension
            for whole, extension in zip(grown, extensions, strict=True)
            if whole not in self.within and whole not in self.over
        }
        if unknown:
            if len(self) + len(unknown) > self._most:
                raise EndedEarly("sets")
            self._look_at(list(unknown.items()))
        return [whole in self.within for whole in grown]

    def _look_at(self, unknown: Sequence[tuple[int, Extension]]) -> None:
        """Examine ideals in groups, so small that the time is checked several times before it is over."""
        while unknown:
            begun = time.monotonic()
            if self.seconds_left < 0:
                raise EndedEarly("time")
            part, unknown = unknown[: self._at_once], unknown[self._at_once :]
            for (whole, _), loads in zip(part, self._ask([extension for _, extension in part]), strict=True):
                if len(loads) == len(self._limits) and all(map(int.__le__, loads, self._limits)):
                    self.within[whole] = loads
                    self._note(whole)
                else:
                    self.over[whole] = loads
            took = max(time.monotonic() - begun, 1e-9)
            in_time = int(min(len(part) * self._longest / took, _AT_ONCE))
            self._at_once = max(1, in_time if took > self._longest else max(self._at_once, in_time))

    def key(self, ideal: int) -> Any:
        """Return the sort key of ideals within the limits, the better one first."""
        return -self.worths[ideal], self.within[ideal], self._place(ideal)

    def is_smallest(self, ideal: int) -> bool:
        """Whether all ideals with one element less are known to be within the limits."""
        below = (below for below in self._ideals.predecessors(ideal) if below & self.start == self.start)
        return all(smaller in self.within for smaller in below)

    def maximal(self, ideals: Iterable[int]) -> list[int]:
        """Return those of some ideals to which no element can be added, the best first."""
        maximal_ideals = (
            ideal
            for ideal in ideals
            if ideal & self.start == self.start
            and not any(ideal | 1 << j in self.within for j in self._ideals.covers(ideal))
        )
        return sorted(maximal_ideals, key=self.key)

    def front(self) -> Iterator[int]:
        """Yield the ideals within the limits with no better one of at most the same first cost, by rising utility."""
        most = Fraction(-1)
        for ideal in sorted(self._lightest.values(), key=lambda ideal: (self.within[ideal][0], *self.key(ideal))):
            if self.worths[ideal] > most:
                most = self.worths[ideal]
                yield ideal

    def _note(self, ideal: int) -> None:
        if ideal & self.start != self.start:
            return
        worth = self.worths[ideal] = self._worth.of(ideal)
        lightest = self._lightest.get(worth)
        if lightest is None or self.key(ideal) < self.key(lightest):
            self._lightest[worth] = ideal
        if self.best is None or self.key(ideal) < self.key(self.best):
            self.best = ideal
            self._progress(ideal)
