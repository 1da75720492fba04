"""The goal of a release: limits on exposure, diversity of classes, and best guesses of sensitive columns."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discretion.anonymity.releasing.diversity import Diversity, count_class_values
from discretion.numerics.arrays import Booleans
from discretion.numerics.equivalence_classes import Column, best_guesses


@dataclass(frozen=True)
class ReleaseGoal:
    """What holds of a table that goes out, of people with one row each.

    Parameters
    ----------
    k
        Who is in a class of fewer people alike on the known columns is exposed.
    budget
        The share of the people who may be.
    diversity
        What a class must have of sensitive columns, lest its people are exposed.
    rise
        By how much the share of right guesses of a sensitive column may rise for who knows the known columns.
    certain
        Of which share of the people a sensitive value may be known for certain; None is any.
    """

    k: int
    budget: Fraction
    diversity: Sequence[Diversity]
    rise: Fraction
    certain: Fraction | None

    def failing(self, classes: Column, secrets: Mapping[str, Column]) -> Booleans:
        """Return of each row whether its class is too small or not diverse enough."""
        fails = np.bincount(classes.codes, minlength=classes.count) < self.k
        for diversity in self.diversity:
            fails |= diversity.fails(count_class_values(classes, secrets[diversity.column], 0))
        return fails[classes.codes]

    def fewest_failing(self, classes: Column, secrets: Mapping[str, Column], leave: int) -> int:
        """Return how many rows at least fail or are left out in these classes and in any finer, if so many may be."""
        fewest = (
            diversity.fewest(count_class_values(classes, secrets[diversity.column], leave))
            for diversity in self.diversity
        )
        return max(self.exposed(classes), *fewest)

    def exposed(self, classes: Column) -> int:
        """Return how many rows are in classes that are too small."""
        sizes = np.bincount(classes.codes)
        return int(sizes[sizes < self.k].sum())

    def left_out(self, classes: Column, secrets: Mapping[str, Column], rare: Booleans, most: int) -> Booleans | None:
        """Return the rows to leave out for no more to be exposed than may be; None if that takes more than so many.

        They are those that show something rare, then those of the smallest classes, and of equal ones of the first.
        """
        out = rare.copy()
        while (spare := most - int(out.sum())) >= 0:
            left = _of_rows(classes, ~out)
            failing = self.failing(left, {name: _of_rows(secret, ~out) for name, secret in secrets.items()})
            fewest = fewest_left_out(int(failing.sum()), failing.size, self.budget)
            if not fewest:
                return out
            if fewest > spare:
                return None
            sizes, rows = np.bincount(left.codes), np.flatnonzero(failing)
            first = np.empty(sizes.size, np.int64)
            first[left.codes[::-1]] = np.arange(failing.size)[::-1]
            of_rows = left.codes[rows]
            chosen = rows[np.lexsort((first[of_rows], sizes[of_rows]))[:fewest]]
            out[np.flatnonzero(~out)[chosen]] = True
        return None

    def keeps_secrets(self, classes: Column, secrets: Mapping[str, Column], left: Booleans) -> bool:
        """Whether in the rows that are left no sensitive value is guessed too well, by classes of who is alike."""
        people, known = int(left.sum()), _of_rows(classes, left)
        for column in secrets.values():
            secret = _of_rows(column, left)
            right, certain = best_guesses(known, secret)
            commonest = int(np.bincount(secret.codes, minlength=1).max())
            if right - commonest > math.floor(self.rise * people):
                return False
            if self.certain is not None and certain > math.floor(self.certain * people):
                return False
        return True


def fewest_left_out(exposed: int, people: int, budget: Fraction) -> int:
    """Return how many of the exposed to leave out: the least s with ``exposed - s ≤ ⌊budget·(people - s)⌋``."""
    low, high = 0, exposed
    while low < high:
        middle = (low + high) // 2
        if exposed - middle <= math.floor(budget * (people - middle)):
            high = middle
        else:
            low = middle + 1
    return low


def _of_rows(column: Column, rows: Booleans) -> Column:
    return Column(column.codes[rows], column.count)
