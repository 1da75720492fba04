"""Others who hold the values that expose the target most: by looking through what they can hold.

Who knows less of the others sees less, and more of them hide more: an adversary can make up the reports of any whose
values she knows. So what a few of the others leave of a leak bounds what all of them do, and it is looked for by branch
and bound. Two values that are reported in two ways are all gone through.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discretion import limits
from discretion.estimate import Estimate, highest, largest, lowest, settled
from discretion.measures.measure import Method
from discretion.measures.privacy_loss.divergences import excess_over
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import histogram_count
from discretion.numerics.search.counts_search import Largest, largest_over_counts
from discretion.shuffling.bounds import Leak
from discretion.shuffling.known_others import AmongOthers, AmongWorst, even, known
from discretion.shuffling.laws.groups import is_symmetric
from discretion.shuffling.laws.pairs import PairOfValues, unlike
from discretion.shuffling.laws.report_histograms import OPERATIONS_PER_CROWD

# Likelihoods in search of the worst others.
MAX_LIKELIHOODS_TRIED = 1 << 24
# The same as such a search usually goes, before it is begun.
MAX_LIKELIHOODS_EXPECTED = 1 << 23
# Values of which the worst others may hold any.
MAX_VALUES_TRIED = 64
# Users of two values, all of whose splits are gone through.
MAX_USERS_SPLIT = 1 << 12

ENUMERATED = Method("maximum over all counts of the others' values", "exact")

# How many likelihoods a maximum counts as taking at least for each of some counts, and how many of these it usually
# looks at.
_FEWEST_CELLS, _USUALLY = 1 << 11, 256
_MODERATE = 300.0

Counts = tuple[int, ...]


class Question(Protocol):
    """What is asked of the worst others: a leak that only falls where there are more of them."""

    @property
    def view(self) -> AmongWorst:
        """The crowd."""
        ...

    @property
    def apart(self) -> int:
        """How many of the values, the first ones, are not like the others to it."""
        ...

    def cells(self, counts: Counts) -> float:
        """Return how many likelihoods it takes where the others hold these values."""
        ...

    def among(self, counts: Counts) -> float | Estimate:
        """Return it where the others hold these values."""
        ...

    @property
    def is_told(self) -> bool:
        """Whether doubles can hold the likelihoods that say what it is."""
        ...

    def told_by(self, likelihoods: Reals) -> Reals:
        """Return what it is by each of some likelihoods: a row per value of the target, then an axis for them."""
        ...


@dataclass(frozen=True, eq=False)
class OfAllValues:
    """A leak that takes all values of the target, and perhaps treats them alike."""

    view: AmongWorst
    leak: Leak
    told: Callable[[Reals], float]
    alike: bool

    @property
    def apart(self) -> int:
        """None of the values, where all are alike."""
        return 0 if self.alike and is_symmetric(self.view.mechanism) else self.view.secrets

    def cells(self, counts: Counts) -> float:
        """Return the likelihoods of all values."""
        others = self._seen(counts)
        if others.leaves_only_the_target:
            return 0
        return others.cells if others.is_listable else math.inf

    def among(self, counts: Counts) -> float | Estimate:
        """Return the leak."""
        return self.leak(self._seen(counts)).compute()

    @property
    def is_told(self) -> bool:
        """Always: what is too rare for a double does not matter."""
        return True

    def told_by(self, likelihoods: Reals) -> Reals:
        """Return the leak by each."""
        return np.array([self.told(rows) for rows in likelihoods.swapaxes(0, 1)])

    def _seen(self, counts: Counts) -> AmongOthers:
        return AmongOthers(self.view.mechanism, 1 + sum(counts), known(counts))


@dataclass(frozen=True, eq=False)
class OfPairs:
    """A leak of two values of the target, the largest of all; what is listed for one is remembered for the next."""

    view: AmongWorst
    of_pair: Callable[[PairOfValues], float | Estimate]
    told: Callable[[Reals, Reals], float] | None
    listed: dict[Counts, list[PairOfValues]]
    ends: list[tuple[int, int]]

    @property
    def apart(self) -> int:
        """The two values, where all others are alike."""
        return 2 if is_symmetric(self.view.mechanism) else self.view.secrets

    def cells(self, counts: Counts) -> float:
        """Return the likelihoods of all pairs."""
        return sum(0 if len(pair.groups) < 2 else pair.cells for pair in self._pairs(counts))

    @property
    def lists_all(self) -> bool:
        """Whether every histogram can be listed, down to the least likely one."""
        counts = even(self.view.n - 1, self.view.secrets)
        return all(pair.lists_all for pair in self._pairs(counts))

    def among(self, counts: Counts) -> float | Estimate:
        """Return the leak of the leakiest pair."""
        return largest(map(self.of_pair, self._pairs(counts)))

    @property
    def is_told(self) -> bool:
        """Whether what is too rare for a double does not matter."""
        return self.told is not None

    def told_by(self, likelihoods: Reals) -> Reals:
        """Return the leak by each, of both values either way."""
        told = self.told
        assert told is not None
        return np.array([max(told(a, b), told(b, a)) for a, b in zip(*likelihoods, strict=True)])

    def _pairs(self, counts: Counts) -> list[PairOfValues]:
        if counts not in self.listed:
            found = unlike(PairOfValues(self.view.mechanism, a, b, known(counts)) for a, b in self.ends)
            self.listed[counts] = found
        return self.listed[counts]


def of_excess(
    view: AmongWorst,
    epsilon: float,
    listed: dict[Counts, list[PairOfValues]],
    ends: list[tuple[int, int]] | None = None,
) -> OfPairs:
    """Return the question of the largest ``Σ_h max(0, P(h | a) - e^ε P(h | b))``, of all pairs or of these."""
    pairs = view.blanket.ends if ends is None else ends
    is_moderate = epsilon <= _MODERATE or math.isinf(epsilon)

    def told(a: Reals, b: Reals) -> float:
        return excess_over(a, b, math.exp(epsilon))

    return OfPairs(view, lambda pair: pair.excess_beyond(epsilon), told if is_moderate else None, listed, pairs)


def is_enumerable(question: Question) -> bool:
    """Whether the ways in which the others can hold their values are few enough to be looked through."""
    view = question.view
    users, k = view.n - 1, view.secrets
    if not users or _is_split_two_ways(question):
        return True
    usually = min(2 * histogram_count(users, k), _USUALLY)
    if k > MAX_VALUES_TRIED:
        return False
    most = limits.current().steps(MAX_LIKELIHOODS_EXPECTED, each=8)
    return usually * max(question.cells(even(users, k)), _FEWEST_CELLS) <= most


def worst_counts(question: Question) -> Largest:
    """Return the largest leak over all counts of the others' values, and such counts."""
    if _is_split_two_ways(question):
        return _worst_split(question)
    spent, most = 0.0, limits.current().steps(MAX_LIKELIHOODS_TRIED, each=OPERATIONS_PER_CROWD)

    def interval(counts: Counts) -> tuple[float, float]:
        nonlocal spent
        cells = question.cells(counts)
        spent += max(_FEWEST_CELLS, cells)
        if spent > most:
            return -math.inf, math.inf
        found = question.among(counts)
        return lowest(found), highest(found)

    return largest_over_counts(question.view.n - 1, question.view.secrets, question.apart, interval)


def worst_of(question: Question, bounds: Callable[[], Estimate]) -> float | Estimate:
    """Return the largest leak over all counts of the others' values, within bounds of it if these turn out too many."""
    found = worst_counts(question)
    if found.is_narrow:
        return found.low
    rough = bounds()
    low, high = max(found.low, rough.low), min(found.high, rough.high)
    return settled(Estimate.between(min(low, high), high, rough.method))


def _is_split_two_ways(question: Question) -> bool:
    view = question.view
    most = limits.current().steps(MAX_USERS_SPLIT, each=1 << 12)
    return question.is_told and 1 < view.n <= most and view.two_types is not None


def _worst_split(question: Question) -> Largest:
    best, where, start = -math.inf, 0, 0
    for likelihoods in question.view.split_likelihoods:
        told = question.told_by(likelihoods)
        if told.max() > best:
            best, where = float(told.max()), start + int(told.argmax())
        start += told.size
    return Largest(best, best, (where, question.view.n - 1 - where))
