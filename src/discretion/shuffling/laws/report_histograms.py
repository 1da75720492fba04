"""Histograms of the others' reports, listed once for all values of the target, and the target's report added.

Adding up positive terms keeps all digits of every probability; where that takes too long, a Fourier transform lists
the histograms that are not negligible.
"""

import math
from functools import cached_property

import numpy as np

from discretion import limits
from discretion.numerics.arrays import Reals
from discretion.numerics.histograms.histograms import (
    add_draw,
    histogram_count,
    histogram_law,
    histogram_work,
    simplex_law,
    simplex_work,
    with_draws,
)
from discretion.numerics.laws.poisson_multinomial import Box, box_cells, histogram_box, with_target

# What drawing a crowd takes, or listing a histogram of one for all values, where reports are of many types.
OPERATIONS_PER_CROWD = 1 << 13
# Histograms that are listed, or their likelihoods.
MAX_HISTOGRAMS = 1 << 23
# Terms that adding draws one by one to a law of histograms may take.
MAX_TERMS_ADDED = 1 << 26


def most_histograms() -> int:
    """Return the largest number of histograms that may be listed."""
    allowed = limits.current()
    return allowed.steps(allowed.numbers(MAX_HISTOGRAMS, each=16), each=OPERATIONS_PER_CROWD)


_MAX_AXES = 8
# How many terms of adding draws one by one a cell of the transform is worth; and so few as to need no other way. In a
# box of counts so many may be added instead of one on the simplex; so many take as long.
_WORK_PER_CELL, _FEW = 16, 1 << 19
_IN_A_BOX, _AS_QUICK = 32, 12


class ListedOthers:
    """Reports of the other users, a law of their types per group; likelihoods are cached."""

    def __init__(self, counts: tuple[int, ...], laws: Reals) -> None:
        self._counts, self._laws = counts, laws
        self._rows: dict[tuple[bool, bytes], Reals] = {}

    @property
    def cells(self) -> float:
        """The number of histograms to list, with the target's report included."""
        if self.is_summed:
            return histogram_count(sum(self._counts) + 1, self._m)
        return math.inf if self._m > _MAX_AXES else self._cells_in_a_box

    @property
    def is_summed(self) -> bool:
        """Whether the histograms are listed by adding positive terms, which keeps all digits of each probability."""
        work = self._work
        if work <= _FEW or work > limits.current().steps(MAX_TERMS_ADDED):
            return work <= _FEW
        return self._m > _MAX_AXES or work <= _WORK_PER_CELL * self._cells_in_a_box

    def likelihoods(self, targets: Reals) -> list[Reals]:
        """Return the likelihoods of the histograms if the target reports from each of these laws."""
        is_summed = self.is_summed
        keys = [(is_summed, target.tobytes()) for target in targets]
        new = {key: target for key, target in zip(keys, targets, strict=True) if key not in self._rows}
        if new:
            self._rows |= zip(new, self._listed(np.stack([*new.values()])), strict=True)
        return [self._rows[key] for key in keys]

    def summed(self, targets: Reals) -> Reals:
        """Return the likelihoods of all histograms, in a box of counts where that is quicker, else on the simplex."""
        if self._is_boxed:
            return np.stack([add_draw(self._law, target).ravel() for target in targets])
        return with_draws(self._law, sum(self._counts) + 1, targets)

    def _listed(self, targets: Reals) -> Reals:
        if self.is_summed:
            return self.summed(targets)
        _, rows = with_target(self._box, targets)
        return np.maximum(rows.reshape(len(rows), -1), 0.0)

    @cached_property
    def _work(self) -> float:
        return min(histogram_work(self._counts, self._m) / _IN_A_BOX, simplex_work(self._counts, self._m))

    @cached_property
    def _cells_in_a_box(self) -> float:
        return box_cells(self._counts, self._laws)

    @cached_property
    def _law(self) -> Reals:
        return (histogram_law if self._is_boxed else simplex_law)(self._counts, self._laws)

    @cached_property
    def _box(self) -> Box:
        return histogram_box(self._counts, self._laws)

    @cached_property
    def _is_boxed(self) -> bool:
        return histogram_work(self._counts, self._m) <= _AS_QUICK * simplex_work(self._counts, self._m)

    @property
    def _m(self) -> int:
        return self._laws.shape[1]
