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
    """The conditions on a published table of people with one row each.

    Parameters
    ----------
    k
        A person is exposed if their equivalence class on the known columns has fewer than k people.
    budget
        The largest share of exposed people.
    diversity
        Conditions on sensitive columns in each class; the people of a class that fails one are exposed.
    rise
        The allowed rise of the share of correct guesses of a sensitive column, by an adversary that knows the known
        columns.
    certain
        The largest share of the people whose sensitive value is known for certain; None is no limit.
    """

    k: int
    budget: Fraction
    diversity: Sequence[Diversity]
    rise: Fraction
    certain: Fraction | None

    def failing(self, classes: Column, secrets: Mapping[str, Column]) -> Booleans:
        """Return for each row whether its class is too small or not diverse enough."""
        fails = classes.sizes() < self.k
        for diversity in self.diversity:
            fails |= diversity.fails(count_class_values(classes, secrets[diversity.column], 0))
        return fails[classes.codes]

    def fewest_failing(self, classes: Column, secrets: Mapping[str, Column], leave: int) -> int:
        """Return a lower bound on the rows that fail or are left out in these and any finer classes."""
        fewest = (
            diversity.fewest(count_class_values(classes, secrets[diversity.column], leave))
            for diversity in self.diversity
        )
        return max(self.exposed(classes), *fewest)

    def exposed(self, classes: Column) -> int:
        """Return the number of rows in classes that are too small."""
        sizes = classes.sizes()
        return int(sizes[sizes < self.k].sum())

    def left_out(self, classes: Column, secrets: Mapping[str, Column], rare: Booleans, most: int) -> Booleans | None:
        """Return the rows to leave out so that the exposure is within the budget; None if it takes more than ``most``.

        They are the rows that show something rare, then those of the smallest classes; of equal classes, the first.
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
            sizes, rows = left.sizes(), np.flatnonzero(failing)
            first = np.empty(sizes.size, np.int64)
            first[left.codes[::-1]] = np.arange(failing.size)[::-1]
            of_rows = left.codes[rows]
            chosen = rows[np.lexsort((first[of_rows], sizes[of_rows]))[:fewest]]
            out[np.flatnonzero(~out)[chosen]] = True
        return None

    def keeps_secrets(self, classes: Column, secrets: Mapping[str, Column], left: Booleans) -> bool:
        """Whether the best guesses of sensitive values, by class, are within their limits in the rows that are left."""
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
    """Return how many exposed people to leave out: the least s with ``exposed - s ≤ ⌊budget·(people - s)⌋``."""
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
