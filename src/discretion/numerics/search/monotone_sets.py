"""The worthiest set of elements whose loads stay within limits, where loads only rise with more elements.

Sets are looked at level by level first: what has a part over a limit is over too, and where all levels are gone through
every set is known ("Apriori" of Agrawal and Srikant, 1994). Where there are too many, good sets are found by adding
elements greedily, taking some out and filling up again; and it is proved how much better any other can be: an integer
program may choose any set that has none over a limit inside, those being the smallest that were met (the implicit
hitting sets of Moreno-Centeno and Karp, 2013; "MARCO" of Liffiton and others, 2016), and a search in depth leaves out
what cannot beat the best. The search can end at any time: it then claims what it has proved and no more.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from discretion.limits import current
from discretion.numerics.search.explored_ideals import Ended, EndedEarly, ExploredIdeals, Extension, Loads
from discretion.numerics.search.ideals import Ideals, bits, united
from discretion.numerics.search.worth import Worth, highest_worth

# Ideals that are looked at level by level, before searching.
MAX_LEVELS_EXAMINED = 20_000
# Ideals that are looked at in all.
MAX_SETS_EXAMINED = 10**6

# So many extensions are asked about at once: more take an engine longer than a search may.
_AT_ONCE = 64
# So many restarts in a row without a better set, and the search turns to the proof.
PATIENCE = 60
# The share of the time that may go to levels, and to looking for good sets.
_LEVELS, _LOOKING = 0.15, 0.55
# How many integer programs lower the bound at most, and how many small ideals over a limit each of them leads to.
_PROGRAMS, _SHRUNK = 200, 8
# How many of the least loaded extensions a greedy step draws from, and how many elements a restart takes out.
_DRAWN_FROM, _TAKEN_OUT = 4, 5


@dataclass(frozen=True)
class Searched:
    """What a search found out.

    Parameters
    ----------
    best
        The best ideal within the limits, or None if not even the smallest is.
    within
        The ideals within the limits that were looked at → their loads.
    over
        The smallest ideals over a limit that were met: those with an element less are within.
    maximal
        Ideals within to which no element can be added: all of them if complete, else those that were filled up.
    front
        Ideals within that none of those looked at is worth more than without a larger first load: by rising worth.
    bound
        At least as much as any ideal within is worth.
    complete
        Whether every ideal within the limits was looked at.
    examined
        How many ideals were looked at.
    ended
        "proved": no ideal within is worth more than the best; or what ended the search before.
    """

    best: int | None
    within: Mapping[int, Loads]
    over: Mapping[int, Loads]
    maximal: tuple[int, ...]
    front: tuple[int, ...]
    bound: Fraction
    complete: bool
    examined: int
    ended: Ended


class MonotoneSearch:
    """The search for the worthiest ideal within limits.

    Parameters
    ----------
    ideals
        The sets to choose from.
    start
        An ideal that is in all of them.
    examine
        Returns the loads of extensions, each at least as large as those of an ideal inside. They may end with the first
        that is over its limit.
    limits
        The most of each load.
    worth
        What an ideal is worth.
    place
        What to sort ideals by that are worth the same and have the same loads: the better one first.
    seconds
        How long it may take.
    progress
        Called with the best ideal so far, and again for each better one.
    """

    def __init__(
        self,
        ideals: Ideals,
        start: int,
        examine: Callable[[Sequence[Extension]], Sequence[Loads]],
        limits: Sequence[int],
        worth: Worth,
        *,
        place: Callable[[int], Any],
        seconds: float = math.inf,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._ideals, self._start, self._worth = ideals, start, worth
        allowed = current()
        self._most_levels = allowed.steps(MAX_LEVELS_EXAMINED, each=1 << 20)
        self._seconds, self._begun = min(seconds, allowed.seconds), time.monotonic()
        self._seen = ExploredIdeals(
            ideals, examine, limits, worth,
            start=start, place=place, progress=progress, until=self._begun + self._seconds,
            most=allowed.steps(MAX_SETS_EXAMINED, each=1 << 20),
        )  # fmt: skip
        self._bound = worth.most(ideals.whole)
        self._complete = self._hopeless = False
        self._full: dict[int, None] = {}
        self._draw = Random(0)

    def run(self) -> Searched:
        """Search until it is proved that nothing is better, or the time is over."""
        ended: Ended = "proved"
        try:
            self._search()
        except EndedEarly as end:
            ended = end.why
        except KeyboardInterrupt as interrupt:
            if type(interrupt) is not KeyboardInterrupt:  # a limit of the process, say
                raise
            ended = "interrupted"
        seen, hopeless = self._seen, self._hopeless
        return Searched(
            best=None if hopeless else seen.best,
            within=seen.within,
            over={ideal: loads for ideal, loads in seen.over.items() if hopeless or seen.is_smallest(ideal)},
            maximal=() if hopeless else tuple(seen.maximal(seen.within if self._complete else self._full)),
            front=() if hopeless else tuple(seen.front()),
            bound=self._bound,
            complete=self._complete,
            examined=len(seen),
            ended="proved" if self._complete or self._is_proved() else ended,
        )

    def _search(self) -> None:
        if not all(self._seen.is_within((self._start, None))):
            self._explain_the_start()
            return
        self._levels()
        if self._complete:
            self._bound = max(self._seen.worths.values())
            return
        self._seen.is_within((self._ideals.whole, None))
        for step in (self._look, self._lower_the_bound, self._search_in_depth):
            if not self._is_proved():
                step()
        if self._seen.best is not None:
            self._filled(self._seen.best, 1)

    def _explain_the_start(self) -> None:
        """Find a smallest ideal over a limit in a start that is: nothing with it is within."""
        self._bound, self._complete, self._hopeless = Fraction(0), True, True
        start, self._start = self._start, 0
        self._seen.start = 0
        smallest = self._shrunk(start)
        self._seen.over = {smallest: self._seen.over[smallest]}

    def _is_proved(self) -> bool:
        return self._seen.best is not None and self._bound <= self._seen.worths[self._seen.best]

    def _levels(self) -> None:
        """Look at all ideals by their number of elements, but for those with one over a limit inside."""
        level = [self._start]
        until = self._begun + self._seconds * _LEVELS
        while level:
            following = [
                (ideal, j)
                for ideal in level
                for j in self._ideals.later_covers(ideal, self._start)
                if all(
                    below in self._seen.within
                    for below in self._ideals.predecessors(ideal | 1 << j)
                    if below & self._start == self._start
                )
            ]
            if len(self._seen) + len(following) > self._most_levels:
                return
            for part in _parts(following, _AT_ONCE):
                if time.monotonic() > until:
                    return
                self._seen.is_within(*part)
            level = [grown for ideal, j in following if (grown := ideal | 1 << j) in self._seen.within]
        self._complete = True

    def _look(self) -> None:
        """Find good ideals: fill up greedily, take some elements out, and fill up again."""
        until = self._begun + self._seconds * _LOOKING
        current = self._filled(self._start, 1)
        idle = 0
        while idle < PATIENCE and time.monotonic() < until and not self._is_proved():
            before = self._seen.best
            again = self._draw.random() < 0.2
            trial = self._filled(self._start if again else self._thinned(current), _DRAWN_FROM)
            if again or self._seen.key(trial) <= self._seen.key(current):
                current = trial
            if self._seen.best != before:
                current, idle = self._seen.best if self._seen.best is not None else current, 0
            idle += 1

    def _filled(self, ideal: int, draw_from: int) -> int:
        """Return an ideal that nothing can be added to, each step adding one of the least loaded."""
        left = list(bits(self._ideals.whole & ~ideal))
        while left:
            extensions = [(ideal, j) for j in left]
            fits = self._seen.is_within(*extensions)
            left = [j for j, fit in zip(left, fits, strict=True) if fit]
            if not left:
                break
            grown = {j: ideal | self._ideals.brings[j] for j in left}
            now = self._worth.of(ideal)
            useful = [j for j in left if self._seen.worths[grown[j]] > now] or left
            useful.sort(key=lambda j: (self._seen.within[grown[j]], j))
            ideal = grown[self._draw.choice(useful[:draw_from])]
            left = [j for j in left if not ideal >> j & 1]
        self._full[ideal] = None
        return ideal

    def _thinned(self, ideal: int) -> int:
        """Return the ideal without some of its elements."""
        for _ in range(self._draw.randint(1, _TAKEN_OUT)):
            tops = [j for j in bits(self._ideals.tops(ideal)) if not self._start >> j & 1]
            if not tops:
                break
            ideal ^= 1 << self._draw.choice(tops)
        return ideal

    def _lower_the_bound(self) -> None:
        """Lower the bound by an integer program over what is not over a limit, and meet more that is where it errs."""
        until = (self._begun + self._seconds + time.monotonic()) / 2
        avoided = {ideal for ideal in self._seen.over if self._seen.is_smallest(ideal)}
        for _ in range(_PROGRAMS):
            seconds = until - time.monotonic()
            if seconds <= 0 or self._is_proved():
                return
            bound, chosen = highest_worth(self._ideals, self._worth, self._start, avoided, seconds)
            self._bound = min(self._bound, bound)
            if chosen is None:
                return
            if all(self._seen.is_within((chosen, None))):
                self._filled(chosen, 1)
                return
            avoided |= {self._shrunk(chosen) for _ in range(_SHRUNK)}

    def _search_in_depth(self) -> None:
        """Go through all ideals but for those inside of which nothing is better than the best."""
        # Each open node: an ideal, what may still be added, and the most that it may come to.
        whole = [j for j in self._ideals.order if not self._start >> j & 1]
        stack: list[tuple[Fraction, int, list[int]]] = [(self._bound, self._start, whole)]
        try:
            while stack:
                most, ideal, left = stack[-1]
                assert self._seen.best is not None
                if most <= self._seen.worths[self._seen.best]:
                    stack.pop()
                    continue
                before = self._seen.best
                fits = self._seen.is_within(*((ideal, j) for j in left))
                if self._seen.best != before:
                    self._filled(self._seen.best, 1)
                left = [j for j, fit in zip(left, fits, strict=True) if fit]
                left.sort(key=lambda j: self._seen.within[ideal | self._ideals.brings[j]], reverse=True)
                children: list[tuple[Fraction, int, list[int]]] = []
                for place, j in enumerate(left):
                    grown, rest = ideal | self._ideals.brings[j], left[place + 1 :]
                    reach = united([grown, *(self._ideals.brings[other] for other in rest)])
                    children.append((min(self._bound, self._worth.most(reach)), grown, rest))
                stack[-1:] = reversed(children)  # at once: an interruption finds the node or what it opens to
        finally:
            assert self._seen.best is not None
            open_to = max((most for most, _, _ in stack), default=Fraction(0))
            self._bound = min(self._bound, max(open_to, self._seen.worths[self._seen.best]))

    def _shrunk(self, ideal: int) -> int:
        """Return an ideal over a limit inside of the one given, which is over, all of whose predecessors are within."""
        # What is brought along comes before what brings it.
        elements = sorted(bits(ideal & ~self._start), key=lambda _: self._draw.random())
        elements.sort(key=lambda j: self._ideals.brings[j].bit_count())
        needed = self._start
        while all(self._seen.is_within((needed, None))):
            grown = needed
            for place, j in enumerate(elements):
                if not all(self._seen.is_within((grown, j))):
                    needed |= self._ideals.brings[j]
                    elements = elements[:place]
                    break
                grown |= self._ideals.brings[j]
        return needed


def _parts(items: Sequence[Extension], size: int) -> Iterable[Sequence[Extension]]:
    return (items[start : start + size] for start in range(0, len(items), size))
