"""The cuts below which values are rare such that the fewest cells are suppressed, from class sizes alone.

A rule for a column suppresses each value that fewer people have than its cut. The counting bound of the table after
suppression is ``Σ rare + (k - 1)·Π kept`` over the columns, or over groups of columns that were counted together;
"redacted" is one more kept value of a column with a rule.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import monotonic
from typing import NamedTuple

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.convex_hulls import Line, lower_envelope
from discretion.tables.counting.class_sizes import ClassSizes

# Partial choices of cuts that a search extends, for each set of columns; first it extends a few of them.
MAX_CUTS_KEPT = 1 << 13
_FIRST_KEPT = 1 << 6
# Sets of columns covered by groups that are extended, for each column.
_MAX_COVERS = 256
# Cuts of a column that are tried, and pairs of lines in a bound on the columns to come.
_MAX_CUTS_TRIED = 1 << 11
_MAX_PAIRS = 1 << 14
_BLOCK = 1 << 20
# A cut and a threshold are one number.
_WIDTH = 1 << 31
# The largest error of the sums of expected people, as a share of all people.
_ROUNDING = 1e-12

# A group of columns, as the set bits of a number.
Group = int


@dataclass(frozen=True)
class SuppressedCuts:
    """Cuts for some columns, with the exposure that is certified for them.

    Parameters
    ----------
    cuts
        A column's place → its cut: values that fewer people have are suppressed.
    cells
        The number of suppressed cells, in expectation over the coins of decoys.
    exposed
        An upper bound on the number of exposed people, in expectation over these coins.
    groups
        The columns, or groups of columns, whose class sizes certify the bound.
    """

    cuts: Mapping[int, int]
    cells: float
    exposed: Fraction
    groups: tuple[Group, ...]


@dataclass(frozen=True)
class ColumnCuts:
    """The cuts of a column, from none to above the largest class.

    Parameters
    ----------
    below
        The cuts: values that fewer people have are suppressed; 0 is no rule.
    suppressed
        For each cut the number of people with a suppressed value.
    kept
        For each cut the number of values that are left.
    decoys
        For each cut the probability that each of the other people also suppresses their value.
    """

    below: Integers
    suppressed: Integers
    kept: Integers
    decoys: Reals

    @classmethod
    def of(cls, sizes: ClassSizes, decoys: Callable[[int], float] | None) -> "ColumnCuts":
        """Return the cuts of a column with these class sizes."""
        below = np.concatenate([[0], sizes.sizes[1:], [sizes.largest + 1]])
        suppressed = np.append(sizes.rarer, sizes.people)
        kept = np.append(sizes.counts[::-1].cumsum()[::-1], 0)
        coins = np.zeros(below.size)
        if decoys is not None:
            coins[1:-1] = [decoys(rare) for rare in suppressed[1:-1].tolist()]
        return cls(below, suppressed, kept, coins)

    @property
    def cells(self) -> Reals:
        """The expected number of suppressed cells for each cut."""
        return self.suppressed + self.decoys * (self.suppressed[-1] - self.suppressed)

    def rare(self, cut: int, threshold: int) -> Fraction:
        """Return the expected number of people who show a value below a threshold that is not below the cut."""
        return (1 - Fraction(float(self.decoys[cut]))) * int(self.suppressed[threshold] - self.suppressed[cut])


class _Partial(NamedTuple):
    """Choices for the columns so far: cells suppressed, people who show rare values, kept combinations, and cuts."""

    cost: Reals
    rare: Reals
    cells: Reals
    made: Integers

    def at(self, places: Integers | Booleans) -> "_Partial":
        return _Partial(self.cost[places], self.rare[places], self.cells[places], self.made[places])


def fewest_suppressed(
    known: Mapping[Group, ClassSizes],
    slack: int,
    allowed: int,
    decoys: Callable[[int], float] | None = None,
    seconds: float = math.inf,
) -> tuple[SuppressedCuts | None, float]:
    """Return cuts with the fewest expected suppressed cells such that the counting bound is within the budget.

    Parameters
    ----------
    known
        The class sizes of the same people on some groups of the columns 0..d-1, including each single column.
    slack
        The largest number of people whom a combination of kept values exposes, at least 1.
    allowed
        The largest number of exposed people.
    decoys
        The probability of decoys that hides a number of people; None is without decoys. Only for single columns.
    seconds
        The time after which the search returns the best cuts so far.

    Returns
    -------
    SuppressedCuts | None
        The best cuts; None if the search found none.
    float
        A lower bound on the cells of any cuts with such a certificate.

    Notes
    -----
    A suppressed cell lowers the counting bound by at most one person, since a person with a rare value counts once for
    its column. The classes of a group with suppressed values are unions of those of the group, so the rare people and
    the kept combinations of the group bound them too. Dynamic programming over the columns drops a choice for the
    columns so far if another one is at least as good in cells, rare people and combinations, and a choice that cannot
    lead to fewer cells than the best one.
    """
    search = _Search(known, slack, allowed, decoys, monotonic() + seconds)
    best = search.run(_FIRST_KEPT)
    if not search.complete:
        fewer_than = math.inf if best is None else best.cells
        best = search.run(limits.current().steps(MAX_CUTS_KEPT, each=1 << 12), fewer_than) or best
    cells = math.inf if best is None else best.cells
    return best, cells if search.complete else min(cells, search.fewest)


class _Search:
    """The search over the cuts of all columns."""

    def __init__(
        self,
        known: Mapping[Group, ClassSizes],
        slack: int,
        allowed: int,
        decoys: Callable[[int], float] | None,
        deadline: float,
    ) -> None:
        self._slack, self._deadline = slack, deadline
        self._people = next(iter(known.values())).people
        self._allowed = allowed - (0 if decoys is None else _ROUNDING * self._people)
        self._columns = max(known).bit_length()
        self._groups = list(known)
        self._cuts = {
            item: ColumnCuts.of(known[group], decoys)
            for item, group in enumerate(self._groups)
            if group.bit_count() == 1
        }
        self._thinned = False
        self._choices = [self._choices_of(item, known[group]) for item, group in enumerate(self._groups)]
        self._to_come = self._lines_to_come([known[1 << column] for column in range(self._columns)])
        self.complete = False

    @property
    def fewest(self) -> float:
        """A lower bound on the suppressed cells: the excess of the counting bound without rules over the budget."""
        return max(0.0, float(self._least(self._to_come[0], np.ones(1))[0]) - math.ceil(self._allowed))

    def run(self, most: int, fewer_than: float = math.inf) -> SuppressedCuts | None:
        """Return the cuts with the fewest cells, if below ``fewer_than``, extending at most ``most`` choices."""
        self._fewer_than, self._kept, self.complete = fewer_than, most, not self._thinned
        start = _Partial(np.zeros(1), np.zeros(1), np.ones(1), np.zeros((1, len(self._groups)), np.int64))
        reached: dict[Group, _Partial] = {0: start}
        for column in range(self._columns):
            covers = [covered for covered in reached if (~covered & (covered + 1)).bit_length() - 1 == column]
            if len(covers) > (most_covers := limits.current().steps(_MAX_COVERS, each=1 << 16)):
                covers.sort(key=lambda covered: float(self._bound(reached[covered]).min(initial=math.inf)))
                covers, self.complete = covers[:most_covers], False
            for covered in covers:
                for item, group in enumerate(self._groups):
                    if group >> column & 1:
                        self._extend(reached, covered | group, reached[covered], item, column + 1)
        return self._best(reached.get((1 << self._columns) - 1))

    def _best(self, done: _Partial | None) -> SuppressedCuts | None:
        if done is None or not done.cost.size:
            return None
        made = done.made[np.lexsort((self._bound(done), done.cost))[0]].tolist()
        cuts: dict[int, int] = {}
        rare, kept = Fraction(0), self._slack
        for item, code in enumerate(made):
            if not code:
                continue
            cut, threshold = divmod(code - 1, _WIDTH)
            choices = self._choices[item]
            (place,) = np.flatnonzero(choices.made == code)[:1]
            kept *= int(choices.cells[place])
            if item in self._cuts:
                rare += self._cuts[item].rare(cut, threshold)
                if cut:
                    cuts[item] = cut
            else:
                rare += int(choices.rare[place])
        cells = math.fsum(float(self._cuts[item].cells[cut]) for item, cut in cuts.items())
        return SuppressedCuts(
            cuts={self._groups[item].bit_length() - 1: int(self._cuts[item].below[cut]) for item, cut in cuts.items()},
            cells=cells,
            exposed=rare + kept,
            groups=tuple(self._groups[item] for item, code in enumerate(made) if code),
        )

    def _extend(self, reached: dict[Group, _Partial], covered: Group, some: _Partial, item: int, column: int) -> None:
        """Extend some choices with each choice of a column or group; add them to those that cover the same columns."""
        parts = [reached[covered]] if covered in reached else []
        choices = self._choices[item]
        step = max(1, _BLOCK // max(some.cost.size, 1))
        for start in range(0, choices.cost.size, step):
            if monotonic() > self._deadline:
                self.complete = False
                break
            few = choices.at(np.arange(start, min(start + step, choices.cost.size)))
            cost, rare = (np.add.outer(getattr(some, side), getattr(few, side)) for side in ("cost", "rare"))
            cells = np.multiply.outer(some.cells, few.cells)
            least = self._least(self._to_come[column], cells) + rare
            at_least = cost + np.maximum(0.0, least - self._allowed)
            left, right = np.nonzero((at_least < self._fewer_than) & (rare + self._slack * cells <= self._allowed))
            made = some.made[left]
            made[:, item] = few.made[right]
            parts.append(_undominated(_Partial(cost[left, right], rare[left, right], cells[left, right], made)))
        if parts:
            best = _undominated(_Partial(*(np.concatenate(side) for side in zip(*parts, strict=True))))
            if best.cost.size > self._kept:
                self.complete = False
                worth = best.cost + np.maximum(0.0, self._least(self._to_come[column], best.cells) + best.rare)
                best = best.at(np.sort(np.argpartition(worth, self._kept)[: self._kept]))
            reached[covered] = best

    def _bound(self, some: _Partial) -> Reals:
        return some.rare + self._slack * some.cells

    def _choices_of(self, item: int, sizes: ClassSizes) -> _Partial:
        """Return the choices of a cut and of a threshold for rare values: cells, rare people and kept values."""
        cuts = self._cuts.get(item)
        below, kept = np.append(sizes.rarer, sizes.people), np.append(sizes.counts[::-1].cumsum()[::-1], 0)
        thresholds = np.flatnonzero(self._slack * kept <= self._allowed)
        places = np.arange(below.size) if cuts is not None else np.zeros(1, np.int64)
        most = limits.current().steps(_MAX_CUTS_TRIED, each=1 << 12)
        thinned = [each[np.unique(np.linspace(0, each.size - 1, most).astype(int))] if each.size > most else each
                   for each in (places, thresholds)]  # fmt: skip
        self._thinned |= thinned[0].size < places.size or thinned[1].size < thresholds.size
        cut, threshold = (each.reshape(-1) for each in np.meshgrid(*thinned, indexing="ij"))
        coin = cuts.decoys[cut] if cuts is not None else np.zeros(cut.size)
        # With decoys by everybody else, all suppress it, as above the largest class.
        fits = (cut <= threshold) & ((cut > 0) | (kept[threshold] > 0)) & (coin < 1)
        cut, threshold, coin = cut[fits], threshold[fits], coin[fits]
        cost = cuts.cells[cut] if cuts is not None else np.zeros(cut.size)
        rare = (1 - coin) * (below[threshold] - below[cut])
        cells = kept[threshold] + (cut > 0.0)
        some = _Partial(cost, rare, cells, 1 + cut * _WIDTH + threshold)
        return _undominated(some.at(rare + self._slack * cells <= self._allowed))

    def _lines_to_come(self, columns: Sequence[ClassSizes]) -> list[tuple[Reals, Reals]]:
        """Return lines below what the columns from each on add to the bound and multiply it by, if cells are free."""
        nothing: list[Line[int]] = [(0, 1, ())]
        result = [nothing]
        for sizes in reversed(columns):
            kept = sizes.counts[::-1].cumsum()[::-1].tolist()
            own = lower_envelope((rare, values, ()) for rare, values in zip(sizes.rarer.tolist(), kept, strict=True))
            known = len(self._groups) == len(columns) and len(own) * len(result[-1]) <= _MAX_PAIRS
            result.append(
                lower_envelope((a + c, b * d, ()) for a, b, _ in own for c, d, _ in result[-1]) if known else nothing
            )
        return [(np.array([a for a, _, _ in each], float), np.array([b for _, b, _ in each], float))
                for each in reversed(result)]  # fmt: skip

    def _least(self, lines: tuple[Reals, Reals], cells: Reals) -> Reals:
        """Return a lower bound on the counting bound, given the combinations of values of the columns so far."""
        rare, kept = lines
        starts = np.append(-np.inf, np.diff(rare) / -np.diff(kept))
        at = starts.searchsorted(self._slack * cells, side="right") - 1
        return np.minimum(rare[at] + self._slack * cells * kept[at], self._people)


def _undominated(some: _Partial) -> _Partial:
    """Return the choices that no other choice equals or beats in all three: cells, rare people, combinations."""
    if not some.cost.size:
        return some
    some = some.at(np.lexsort((some.rare, some.cost, some.cells)))
    starts = np.flatnonzero(np.diff(some.cells, prepend=-1.0))
    costs, rares = np.full(1, -np.inf), np.full(1, np.inf)
    kept: list[Integers] = []
    for start, end in zip(starts, np.append(starts[1:], some.cells.size), strict=True):
        cost, rare = some.cost[start:end], some.rare[start:end]
        before = np.append(np.inf, np.minimum.accumulate(rare)[:-1])
        places = np.flatnonzero(rare < np.minimum(before, rares[costs.searchsorted(cost, side="right") - 1]))
        if places.size:
            kept.append(start + places)
            costs, rares = np.append(costs, cost[places]), np.append(rares, rare[places])
            order = np.lexsort((rares, costs))
            costs, rares = costs[order], np.minimum.accumulate(rares[order])
    return some.at(np.concatenate(kept))
