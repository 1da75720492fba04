"""Utility of a release: joint information, columns, entropy, precision or discernibility of the published rows."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np

from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.information import JointInformation
from discretion.anonymity.releasing.suppression import Suppression
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.search.ideals import Ideals, bits
from discretion.numerics.search.worth import ToppedUp

Utility = Literal["information", "columns", "entropy", "precision", "discernibility"]
UTILITIES: tuple[Utility, ...] = ("information", "columns", "entropy", "precision", "discernibility")


def utility_of_cells(utility: Utility, views: Sequence[Generalization], level: int) -> Reals:
    """Return the utility of a cell in a published row, by its code in one of the generalizations of its column.

    Entropy: ``log2(n / n_code)``. Columns: ``H(view) / H(finest view)``. Precision: ``1 − level / views``, where
    dropping a column is one level above its coarsest generalization; a column with one value has utility 0. Source:
    Gionis and Tassa, 2009; Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression",
    2002.
    """
    view = views[level]
    if utility == "entropy":
        return view.bits_of_codes
    if not view.bits:
        return np.zeros(view.column.count)
    share = view.bits / views[0].bits if utility == "columns" else 1 - level / len(views)
    return np.full(view.column.count, share)


class ReleaseUtility(ABC):
    """The utility of a release, if a choice of generalizations can meet the goal.

    It is computed exactly only where it may exceed the largest utility so far; the search does not need the others.
    """

    def __init__(
        self,
        ideals: Ideals,
        views: Sequence[Generalization],
        weights: Sequence[Fraction],
        cut: Callable[[int], Suppression | None],
        fewest_out: Callable[[int], int],
    ) -> None:
        self._ideals, self._views, self._cut, self._fewest_out = ideals, views, cut, fewest_out
        self._alone = ToppedUp(ideals, weights)
        self.weights, self.rivals = self._alone.weights, self._alone.rivals
        self._most = Fraction(-1)
        self._known: dict[int, Fraction] = {}
        self._whole: dict[int, Fraction] = {}

    def of(self, ideal: int) -> Fraction:
        """Return the utility of an ideal, negative if it cannot meet the goal."""
        if ideal not in self._known:
            self._known[ideal] = whole = self.whole(ideal)
            if whole >= self._most:
                cut = self._cut(ideal)
                self._known[ideal] = Fraction(-1) if cut is None else whole - self.lost(ideal, cut)
            self._most = max(self._most, self._known[ideal])
        return self._known[ideal]

    def most(self, ideal: int) -> Fraction:
        """Return an upper bound on the utility of any ideal inside of this one."""
        return self._alone.most(ideal)

    def whole(self, ideal: int) -> Fraction:
        """Return the utility if nothing is suppressed."""
        return self._alone.of(ideal)

    def potential(self, ideal: int) -> Fraction:
        """Estimate the utility after the fewest suppressed rows, if these have the average utility of rows."""
        people = max((view.column.codes.size for view in self._views), default=1)
        return self.whole(ideal) * (1 - Fraction(self._fewest_out(ideal), people))

    @abstractmethod
    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return the utility that a suppression loses."""


class CellUtility(ReleaseUtility):
    """The sum of the utilities of the published cells."""

    def __init__(
        self,
        ideals: Ideals,
        views: Sequence[Generalization],
        worths: Sequence[Reals],
        cut: Callable[[int], Suppression | None],
        fewest_out: Callable[[int], int],
    ) -> None:
        weights = [Fraction(float(view.sizes @ worth)) for view, worth in zip(views, worths, strict=True)]
        super().__init__(ideals, views, weights, cut, fewest_out)
        self._worths = worths

    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return the utility of the suppressed cells."""
        tops = list(bits(self._ideals.tops(ideal)))
        return Fraction(
            math.fsum(
                float(self._worths[j][self._views[j].column.codes[cut.out | blank]].sum())
                for j, blank in zip(tops, cut.blank, strict=True)
            )
        )


class InformationUtility(ReleaseUtility):
    """The joint information of the published rows, in addition to that of unchanged sensitive columns.

    A column that follows from other columns adds nothing, and one that nearly follows adds little. The blanks of a
    column with suppressed values, some of them decoys, carry no information: the entropy of the blanks is subtracted.
    """

    def __init__(  # noqa: PLR0917 - what information is counted from
        self,
        ideals: Ideals,
        views: Sequence[Generalization],
        information: Callable[[int, Suppression | None], Fraction],
        most: Fraction,
        cut: Callable[[int], Suppression | None],
        fewest_out: Callable[[int], int],
    ) -> None:
        weights = [Fraction(view.bits * view.column.codes.size) for view in views]
        super().__init__(ideals, views, weights, cut, fewest_out)
        self._information, self._bound = information, most

    def most(self, ideal: int) -> Fraction:
        """Return the smaller of the sum over its single columns and the bound for any file within the goal."""
        return min(super().most(ideal), self._bound)

    def whole(self, ideal: int) -> Fraction:
        """Return the information if nothing is suppressed."""
        if ideal not in self._whole:
            self._whole[ideal] = max(Fraction(0), self._information(ideal, None) - self._of_blanks(ideal, None))
        return self._whole[ideal]

    def potential(self, ideal: int) -> Fraction:
        """Estimate the information after the fewest suppressed rows: a unique row carries log2 n bits."""
        bits_of_row = math.log2(max((view.column.codes.size for view in self._views), default=1))
        return self.whole(ideal) - self._fewest_out(ideal) * Fraction(bits_of_row)

    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return the lost information; blank cells that distinguish people do not count as information."""
        kept = max(Fraction(0), self._information(ideal, cut) - self._of_blanks(ideal, cut))
        return max(self.whole(ideal) - kept, Fraction(0))

    def _of_blanks(self, ideal: int, cut: Suppression | None) -> Fraction:
        """Return the entropy of the blanks in columns with suppressed values."""
        redacted = [view for j in bits(self._ideals.tops(ideal)) if (view := self._views[j]).blank is not None]
        rows = slice(None) if cut is None else ~cut.out
        total = Fraction(0)
        for view in redacted:
            blank = np.bincount(view.column.codes[rows] == view.blank, minlength=2)
            total += JointInformation(view.column.codes.size).of_sizes(blank)
        return total


class PairUtility(ReleaseUtility):
    """The number of ordered pairs of people that the file distinguishes: n² minus the discernibility.

    Several columns together distinguish at most the sum of the pairs that each of them distinguishes. Source: Bayardo
    and Agrawal, 2005.
    """

    def __init__(
        self,
        ideals: Ideals,
        views: Sequence[Generalization],
        classes: Callable[[int], Column],
        cut: Callable[[int], Suppression | None],
        fewest_out: Callable[[int], int],
    ) -> None:
        weights = [Fraction(distinguished_pairs(view.sizes)) for view in views]
        super().__init__(ideals, views, weights, cut, fewest_out)
        self._classes = classes

    def most(self, ideal: int) -> Fraction:
        """Return the number of pairs that the whole ideal distinguishes, or a smaller bound."""
        return min(super().most(ideal), self.whole(ideal))

    def whole(self, ideal: int) -> Fraction:
        """Return the number of distinguished pairs if nothing is suppressed."""
        return Fraction(distinguished_pairs(np.bincount(self._classes(ideal).codes)))

    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return the number of lost pairs: a person who is left out is in none."""
        shown = [self._views[j] for j in bits(self._ideals.tops(ideal))]
        lost = self.whole(ideal) - cut.out.size**2 + discernibility(cut.classes(shown), cut.out, cut.out.size)
        return max(lost, Fraction(0))  # the rest of a class of most people is told from more


def discernibility(classes: Column, out: Booleans, people: int) -> int:
    """Return the discernibility ``Σ_class size² + n·(rows left out)`` of n people: the sum of each one's class size."""
    sizes = classes.sizes(~out)
    return int((sizes.astype(object) ** 2).sum()) + int(out.sum()) * people


def distinguished_pairs(sizes: Integers) -> int:
    """Return the number of ordered pairs in different classes of these sizes."""
    return int(sizes.sum()) ** 2 - int((sizes.astype(object) ** 2).sum())
