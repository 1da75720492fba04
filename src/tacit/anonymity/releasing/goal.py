"""What a release must keep to: who may be exposed, how diverse classes are, how well secrets may be guessed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.numerics.alike import Column, best_guesses, refined

Rows = NDArray[np.bool_]


@dataclass(frozen=True)
class Goal:
    """What holds of a table that goes out, of people with one row each.

    Parameters
    ----------
    k
        Who is in a class of fewer people alike on the known columns is exposed.
    budget
        The share of the people who may be.
    diversity
        A sensitive column → how many values of it a class must have at least, lest its people are exposed; 1 is any.
    rise
        By how much the share of right guesses of a sensitive column may rise for who knows the known columns.
    certain
        Of which share of the people a sensitive value may be known for certain; None is any.
    """

    k: int
    budget: Fraction
    diversity: Mapping[str, int]
    rise: Fraction
    certain: Fraction | None

    def failing(self, classes: Column, secrets: Mapping[str, Column]) -> Rows:
        """Return of each row whether its class is too small or not diverse enough."""
        sizes = np.bincount(classes.codes, minlength=classes.count)
        fails = sizes < self.k
        for name, least in self.diversity.items():
            if least > 1:
                fails |= _values_each(classes, secrets[name]) < least
        return fails[classes.codes]

    def exposed(self, classes: Column) -> int:
        """Return how many rows are in classes that are too small."""
        sizes = np.bincount(classes.codes)
        return int(sizes[sizes < self.k].sum())

    def suppressed(self, failing: Rows, rare: Rows, classes: Column, most: int) -> Rows | None:
        """Return the fewest rows to leave out for no more to be exposed than may be; None if more than so many.

        They are those that show something rare, then those of the smallest classes, and of equal ones of the first.
        """
        exposed, people = int(failing.sum()), failing.size
        fewest = max(_fewest(exposed, people, self.budget), int(rare.sum()))
        if fewest > most:
            return None
        out = rare.copy()
        if more := fewest - int(rare.sum()):
            rows = np.flatnonzero(failing & ~rare)
            sizes, first = np.bincount(classes.codes), np.empty(classes.count, np.int64)
            first[classes.codes[::-1]] = np.arange(people)[::-1]
            of_rows = classes.codes[rows]
            out[rows[np.lexsort((first[of_rows], sizes[of_rows]))[:more]]] = True
        return out

    def keeps_secrets(self, classes: Column, secrets: Mapping[str, Column], left: Rows) -> bool:
        """Whether in the rows that are left no sensitive value is guessed too well, by classes of who is alike."""
        people, known = int(left.sum()), Column(classes.codes[left], classes.count)
        for held in secrets.values():
            secret = Column(held.codes[left], held.count)
            right, certain = best_guesses(known, secret)
            commonest = int(np.bincount(secret.codes, minlength=1).max())
            if right - commonest > math.floor(self.rise * people):
                return False
            if self.certain is not None and certain > math.floor(self.certain * people):
                return False
        return True


def _fewest(exposed: int, people: int, budget: Fraction) -> int:
    """Return how many of the exposed to leave out: the least s with ``exposed - s ≤ ⌊budget·(people - s)⌋``."""
    low, high = 0, exposed
    while low < high:
        middle = (low + high) // 2
        if exposed - middle <= math.floor(budget * (people - middle)):
            high = middle
        else:
            low = middle + 1
    return low


def _values_each(classes: Column, secret: Column) -> NDArray[np.int64]:
    """Return how many values of a sensitive column each class has."""
    both = refined(classes, secret)
    of_class = np.empty(both.count, np.int32)
    of_class[both.codes] = classes.codes
    return np.bincount(of_class, minlength=classes.count)
