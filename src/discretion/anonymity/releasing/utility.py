"""Utility of a release: joint information, columns, entropy, precision or discernibility of the rows that go out."""

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
    """Return what a cell is worth in a row that goes out, by its code in one of the views of its column.

    Entropy: ``log2(n / n_code)``. Columns: ``H(view) / H(finest view)``. Precision: ``1 − level / views``, where
    dropping a column is one level more than its coarsest view; what has one value is worth nothing. Source: Gionis and
    Tassa, 2009; Sweeney, "Achieving k-anonymity privacy protection using generalization and suppression", 2002.
    """
    view = views[level]
    if utility == "entropy":
        return view.bits_of_codes
    if not view.bits:
        return np.zeros(view.column.count)
    share = view.bits / views[0].bits if utility == "columns" else 1 - level / len(views)
    return np.full(view.column.count, share)


class ReleaseUtility(ABC):
    """What goes out is worth, if a choice of views can keep to the goal.

    It is worked out only where it may be more than the most so far; less is as good as nothing to the search.
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
        """Return the worth of an ideal, negative if it cannot keep to the goal."""
        if ideal not in self._known:
            self._known[ideal] = whole = self.whole(ideal)
            if whole >= self._most:
                cut = self._cut(ideal)
                self._known[ideal] = Fraction(-1) if cut is None else whole - self.lost(ideal, cut)
            self._most = max(self._most, self._known[ideal])
        return self._known[ideal]

    def most(self, ideal: int) -> Fraction:
        """Return at least as much as any ideal inside of it is worth."""
        return self._alone.most(ideal)

    def whole(self, ideal: int) -> Fraction:
        """Return what it is worth if nothing is cut."""
        return self._alone.of(ideal)

    def potential(self, ideal: int) -> Fraction:
        """Return about what is left when as few rows as can be are cut, if these are worth as much as others."""
        people = max((view.column.codes.size for view in self._views), default=1)
        return self.whole(ideal) * (1 - Fraction(self._fewest_out(ideal), people))

    @abstractmethod
    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return what is lost with what is cut."""


class CellUtility(ReleaseUtility):
    """What the cells that go out are worth together."""

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
        """Return what the cells are worth that are cut."""
        tops = list(bits(self._ideals.tops(ideal)))
        return Fraction(
            math.fsum(
                float(self._worths[j][self._views[j].column.codes[cut.out | blank]].sum())
                for j, blank in zip(tops, cut.blank, strict=True)
            )
        )


class InformationUtility(ReleaseUtility):
    """The joint information of the rows that go out, beside that of the sensitive columns which go out as they are.

    What follows from other columns adds nothing, and what nearly follows little. The blanks of a redacted column, of
    which some are decoys, count as carrying none: the entropy of being blank is subtracted.
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
        """Return what its columns carry one by one, or what any file within the goal does."""
        return min(super().most(ideal), self._bound)

    def whole(self, ideal: int) -> Fraction:
        """Return what it carries if nothing is cut."""
        if ideal not in self._whole:
            self._whole[ideal] = max(Fraction(0), self._information(ideal, None) - self._of_blanks(ideal, None))
        return self._whole[ideal]

    def potential(self, ideal: int) -> Fraction:
        """Return about what is left when as few rows as can be are cut: one that is alone takes log2 n bits with it."""
        bits_of_row = math.log2(max((view.column.codes.size for view in self._views), default=1))
        return self.whole(ideal) - self._fewest_out(ideal) * Fraction(bits_of_row)

    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return what it carries less: cells that are blank may tell people apart, which is not counted."""
        kept = max(Fraction(0), self._information(ideal, cut) - self._of_blanks(ideal, cut))
        return max(self.whole(ideal) - kept, Fraction(0))

    def _of_blanks(self, ideal: int, cut: Suppression | None) -> Fraction:
        """Return the entropy of who is blank in redacted columns."""
        redacted = [view for j in bits(self._ideals.tops(ideal)) if (view := self._views[j]).blank is not None]
        rows = slice(None) if cut is None else ~cut.out
        total = Fraction(0)
        for view in redacted:
            blank = np.bincount(view.column.codes[rows] == view.blank, minlength=2)
            total += JointInformation(view.column.codes.size).of_sizes(blank)
        return total


class PairUtility(ReleaseUtility):
    """How many ordered pairs of people are told apart in the file: n² less the discernibility (Bayardo, Agrawal, 2005).

    Those that several columns tell apart are no more than those that each of them does, added up.
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
        """Return how many pairs all of it tells apart."""
        return min(super().most(ideal), self.whole(ideal))

    def whole(self, ideal: int) -> Fraction:
        """Return how many pairs it tells apart if nothing is cut."""
        return Fraction(distinguished_pairs(np.bincount(self._classes(ideal).codes)))

    def lost(self, ideal: int, cut: Suppression) -> Fraction:
        """Return how many pairs fewer are told apart: who is left out is from nobody."""
        shown = [self._views[j] for j in bits(self._ideals.tops(ideal))]
        lost = self.whole(ideal) - cut.out.size**2 + discernibility(cut.classes(shown), cut.out, cut.out.size)
        return max(lost, Fraction(0))  # the rest of a class of most people is told from more


def discernibility(classes: Column, out: Booleans, people: int) -> int:
    """Return ``Σ_class size² + n·(rows left out)`` of n people: with how many each is confused, added up."""
    sizes = np.bincount(classes.codes[~out])
    return int((sizes.astype(object) ** 2).sum()) + int(out.sum()) * people


def distinguished_pairs(sizes: Integers) -> int:
    """Return how many ordered pairs are in different classes of these sizes."""
    return int(sizes.sum()) ** 2 - int((sizes.astype(object) ** 2).sum())
