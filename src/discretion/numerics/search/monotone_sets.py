"""The set of elements with the highest utility whose costs stay within limits, if costs only rise with more elements.

Sets are first examined level by level: a set that contains one over a limit is over it too, and after all levels every
set is known ("Apriori" of Agrawal and Srikant, 1994). If there are too many, the search finds good sets greedily: it
adds the elements with the highest utility for their share of the limits, removes some and fills up again (the iterated
greedy search of Ruiz and Stützle, 2007, and the lazy evaluation of Minoux, 1978). It proves how much better any other
set can be in two ways: an integer program chooses among all sets that contain none of the smallest sets found over a
limit (the implicit hitting sets of Moreno-Centeno and Karp, 2013; "MARCO" of Liffiton and others, 2016), and a search
in depth omits all that cannot beat the best. The number of sets limits the search, so that it returns the same result
on every machine; a limit on the time is optional. It can end at any time, and then returns only what it has proved.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
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

# How many rows a search counts in all, a look at a set being as much work as so many rows.
_WORK, _OVERHEAD = 5_000_000_000, 200_000
# So many sets at least; and so many are enough, or where rows are few as many as count so many rows.
_LEAST_SETS, _ENOUGH_SETS, _ENOUGH_WORK = 500, 3_000, 20_000_000
# How many rows may be counted to look at all sets, where that is asked for.
_ALL_WORK = 500_000_000

# So many extensions are asked about at once: more take an engine longer than a search may.
_AT_ONCE = 64
# So many restarts in a row without a better set, and the search turns to the proof.
PATIENCE = 60
# If a bound is above the best by more than this share of it, so many times as many restarts are tried; and where it is
# above by more than that share, no more programs.
_NEAR, _LONGER, _FAR = 0.1, 4, 1
# What share of the sets or of the time goes to levels at most, and what is spent when the looking and the programs end.
_LEVELS, _LOOKING, _BOUNDING = 0.1, 0.9, 0.95
# How many integer programs lower the bound at most, how many in a row that leave more than this share of the gap, and
# how many small ideals over a limit each of them leads to.
_PROGRAMS, _IDLE_PROGRAMS, _GAP_LEFT, _SHRUNK = 200, 4, 0.9, 8
# How many extensions a greedy step asks about at once, and the least share of the limits that one is taken to need.
_ASKED, _LEAST_SHARE = 8, 1e-3
# By how much restarts disturb the order of the extensions: the standard deviation of the logarithm.
_NOISE = 0.5
# How often a restart begins from scratch, and how many elements or chains the others remove; they go on from one that
# is worse than the best by this share at most (the record-to-record travel of Dueck, 1993).
_ANEW, _TAKEN_OUT, _WORSE = 0.15, 5, Fraction(1, 100)


def sets_within_work(rows: int, all_sets: int | None = None) -> int:
    """Return the number of sets for a fixed amount of work, if ``rows`` rows are counted for each set.

    If the number of all sets is given and small enough, they are all looked at, which proves that none is better.
    """
    enough = max(_ENOUGH_SETS, _ENOUGH_WORK // max(rows, 1_000))
    if all_sets is not None and all_sets <= min(MAX_LEVELS_EXAMINED, _ALL_WORK // max(rows, 1)):
        enough = max(enough, all_sets)
    return max(_LEAST_SETS, min(_WORK // (rows + _OVERHEAD), enough))


@dataclass(frozen=True)
class Searched:
    """The result of a search.

    Parameters
    ----------
    best
        The best ideal within the limits, or None if not even the smallest one is.
    within
        The examined ideals within the limits → their costs.
    over
        The smallest ideals found over a limit: those with one element less are within.
    maximal
        Ideals within the limits to which no element can be added: all of them if complete, else those that were filled
        up.
    front
        Ideals within the limits, by rising utility, for which no examined ideal has more utility at the same first
        cost.
    bound
        An upper bound of the utility of every ideal within the limits.
    complete
        Whether every ideal within the limits was examined.
    examined
        The number of examined ideals.
    ended
        "proved": no ideal within the limits has more utility than the best; else the reason for an earlier end.
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
    """The search for the ideal within limits that has the highest utility.

    Parameters
    ----------
    ideals
        The sets to choose from.
    start
        An ideal that is contained in all of them.
    examine
        Returns the costs of extensions, each at least as large as those of an ideal inside. The costs may end with the
        first one that is over its limit.
    limits
        The largest allowed value of each cost.
    worth : Worth
        The utility of ideals.
    place
        The sort key among ideals with the same utility and the same costs: the better one first.
    starts
        Ideals that are known to be good: the result is at least as good as each of them that is within the limits.
    sets
        The largest number of ideals to examine.
    seconds
        The time limit.
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
        starts: Sequence[int] = (),
        sets: int = MAX_SETS_EXAMINED,
        seconds: float = math.inf,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self._ideals, self._start, self._starts, self._worth, self._limits = ideals, start, starts, worth, limits
        allowed = current()
        self._most_levels = allowed.steps(MAX_LEVELS_EXAMINED, each=1 << 20)
        self._seen = ExploredIdeals(
            ideals, examine, limits, worth,
            start=start, place=place, progress=progress, seconds=min(seconds, allowed.seconds),
            most=min(sets, allowed.steps(MAX_SETS_EXAMINED, each=1 << 20)),
        )  # fmt: skip
        self._bound = worth.most(ideals.whole)
        self._complete = self._hopeless = False
        self._full: dict[int, None] = {}
        self._draw = Random(0)
        # Of each element what it was worth for its share of the limits when it was asked about last.
        self._rates = [float(weight) / _LEAST_SHARE for weight in worth.weights]

    def run(self) -> Searched:
        """Search until it is proved that no ideal is better, or the time is over."""
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
        self._seen.is_within(*((self._ideals.closure(ideal | self._start), None) for ideal in self._starts))
        are_few = self._ideals.count <= self._most_levels
        if not are_few:
            self._seen.is_within((self._ideals.whole, None))
            self._look(PATIENCE)
        self._levels()
        if self._complete:
            self._bound = max(self._seen.worths.values())
            return
        for step in (self._lower_the_bound, self._look_again, self._search_in_depth):
            if not self._is_proved():
                step()
        if self._seen.best is not None:
            self._filled(self._seen.best)

    def _explain_the_start(self) -> None:
        """Find a smallest ideal over a limit inside of a start that is over it: no ideal that contains it is within."""
        self._bound, self._complete, self._hopeless = Fraction(0), True, True
        start, self._start = self._start, 0
        self._seen.start = 0
        smallest = self._shrunk(start)
        self._seen.over = {smallest: self._seen.over[smallest]}

    def _is_proved(self) -> bool:
        return self._seen.best is not None and self._bound <= self._seen.worths[self._seen.best]

    def _levels(self) -> None:
        """Examine all ideals by their number of elements, except those that contain one over a limit."""
        level, until = [self._start], self._seen.spent + _LEVELS
        while level:
            most = self._most_levels - len(self._seen)
            following = list(islice(self._above(level), max(0, most) + 1))
            if len(following) > most:
                return
            for part in _parts(following, _AT_ONCE):
                if self._seen.spent > until:
                    return
                self._seen.is_within(*part)
            level = [grown for ideal, j in following if (grown := ideal | 1 << j) in self._seen.within]
        self._complete = True

    def _above(self, level: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield the ideals with one element more than those of a level that contain no ideal over a limit."""
        for ideal in level:
            for j in self._ideals.later_covers(ideal, self._start):
                below = self._ideals.predecessors(ideal | 1 << j)
                if all(each in self._seen.within for each in below if each & self._start == self._start):
                    yield ideal, j

    def _look_again(self) -> None:
        """Search longer for better ideals, unless a proof is near."""
        assert self._seen.best is not None
        if self._gap() > _NEAR * self._seen.worths[self._seen.best]:
            self._look(_LONGER * PATIENCE)

    def _look(self, patience: int) -> None:
        """Find good ideals: fill up greedily, remove some elements, and fill up again."""
        current = self._filled(self._start)
        for ideal in self._starts:
            start = self._ideals.closure(ideal | self._start)
            if start in self._seen.within:
                current = min(current, self._filled(start), key=self._seen.key)
        idle = 0
        while idle < patience and self._seen.spent < _LOOKING and not self._is_proved():
            before = self._seen.best
            anew = self._draw.random() < _ANEW
            trial = self._filled(self._start if anew else self._thinned(current), _NOISE)
            if self._seen.best != before:
                trial, idle = self._improved(), 0
            if anew or self._seen.worths[trial] >= (1 - _WORSE) * self._seen.worths[self._best]:
                current = trial
            idle += 1

    def _filled(self, ideal: int, noise: float = 0.0) -> int:
        """Return the best ideal on the way to one to which nothing can be added.

        Each step adds the element with the highest utility for its share of the limits. The extensions are examined in
        the order of their rates in a smaller ideal, a few at once.
        """
        left = set(bits(self._ideals.whole & ~ideal))
        disturbed = {j: math.exp(noise * self._draw.gauss()) for j in sorted(left)}
        self._seen.is_within((ideal, None))
        way = [ideal]
        while left:
            best = self._best_extension(ideal, left, disturbed)
            if best is None:
                break
            ideal |= self._ideals.brings[best]
            way.append(ideal)
            left -= set(bits(ideal))
        self._full[ideal] = None
        return min(way, key=self._seen.key)

    def _improved(self) -> int:
        """Return the best ideal after adding or removing one element after the other, while that helps."""
        before = None
        while before != self._best:
            before = self._best
            for j in range(len(self._ideals.brings)):
                if not self._best >> j & 1:
                    self._seen.is_within((self._best, j))
                elif not self._start & self._ideals.above(j):
                    self._seen.is_within((self._best & ~self._ideals.above(j), None))
        return self._best

    @property
    def _best(self) -> int:
        assert self._seen.best is not None
        return self._seen.best

    def _best_extension(self, ideal: int, left: set[int], disturbed: Mapping[int, float]) -> int | None:
        """Return the best of the first elements that fit; drop those over a limit and all that require them."""
        loads, now, failed = self._seen.within[ideal], self._worth.potential(ideal), False
        order = iter(sorted(left, key=lambda j: (-self._rates[j] * disturbed[j], j)))
        while left:
            asked = list(islice((j for j in order if j in left), _ASKED))
            rates: dict[int, float] = {}
            for j, fits in zip(asked, self._seen.is_within(*((ideal, j) for j in asked)), strict=True):
                grown = ideal | self._ideals.brings[j]
                if not fits:
                    left.difference_update(bits(self._ideals.above(j)))
                    continue
                share = sum(
                    (more - before) / max(1, limit - before)
                    for more, before, limit in zip(self._seen.within[grown], loads, self._limits, strict=True)
                )
                gain = float(self._worth.potential(grown) - now)
                self._rates[j] = gain / (_LEAST_SHARE + share)
                rates[j] = self._rates[j] * disturbed[j]
            if rates:
                return max(rates, key=lambda j: (rates[j], -j))
            if not failed:  # then first what brings least, for most falls with it
                order = iter(sorted(left, key=lambda j: ((self._ideals.brings[j] & ~ideal).bit_count(), j)))
            failed = True
        return None

    def _thinned(self, ideal: int) -> int:
        """Return the ideal without some of its elements, or without all that require one of them."""
        for _ in range(self._draw.randint(1, _TAKEN_OUT)):
            if self._draw.random() < 0.5:
                some = [j for j in bits(self._ideals.tops(ideal)) if not self._start >> j & 1]
            else:
                some = [j for j in bits(ideal) if not self._start >> j & 1]
            if not some:
                break
            ideal &= ~self._ideals.above(self._draw.choice(some))
        return ideal

    def _lower_the_bound(self) -> None:
        """Lower the bound by integer programs over the known ideals over a limit, and find more of these ideals."""
        avoided = {ideal for ideal in self._seen.over if self._seen.is_smallest(ideal)}
        assert self._seen.best is not None
        idle, gap = 0, self._gap()
        for _ in range(_PROGRAMS):
            if idle == _IDLE_PROGRAMS or self._seen.spent > _BOUNDING or self._is_proved():
                return
            seconds = self._seen.seconds_left / 2
            bound, chosen = highest_worth(self._ideals, self._worth, self._start, avoided, seconds)
            self._bound = min(self._bound, bound)
            if chosen is None or self._gap() > _FAR * self._seen.worths[self._seen.best]:
                return
            if all(self._seen.is_within((chosen, None))):
                self._filled(chosen)
                return
            avoided |= {self._shrunk(chosen) for _ in range(_SHRUNK)}
            idle, gap = (0, self._gap()) if self._gap() < _GAP_LEFT * gap else (idle + 1, gap)

    def _gap(self) -> Fraction:
        """Return an upper bound of how much more utility than the best an ideal may have."""
        assert self._seen.best is not None
        return self._bound - self._seen.worths[self._seen.best]

    def _search_in_depth(self) -> None:
        """Examine all ideals except those that contain no better ideal than the best."""
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
                    self._filled(self._seen.best)
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
        """Return an ideal over a limit, inside of the given one, all of whose predecessors are within the limits."""
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
