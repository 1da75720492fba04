"""Coarser views of a column: numbers in steps, rare values merged into one."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from discretion.anonymity import Population
from discretion.anonymity.choosing.problem import Asked
from discretion.anonymity.exposure.bounds import exposed_below
from discretion.jobs.audit.decision_result import Columns, Verdict
from discretion.numerics.alike import Column, best_guesses, everybody, refined, rows_in_small
from discretion.numerics.arrays import Integers
from discretion.tables.counting.codes import numbers_of

# A number is put into so many steps at most.
_STEPS = 50
# Values that fewer people hold than so many times k are merged into one.
_TIMES_K = (1, 2, 5, 10, 20, 50)
# The share of a column's entropy that a view must keep to be worth it.
_ENOUGH = 0.25


class Views:
    """Coarser views of columns, tried beside those that are published, where the rows are in this process.

    Parameters
    ----------
    population
        The people.
    asked
        What a set may give away, and codes of the rows.
    published
        The columns that go out in any case.
    """

    def __init__(self, population: Population, asked: Asked, published: Columns) -> None:
        self._population, self._published, self._allowed = population, published, asked.allowed
        self._coded: Mapping[str, Column] = asked.coded or {}
        self._classes = self._alike(published)
        # Each sensitive column, the classes of who is alike on the others, and how many guesses may be right.
        self._secrets = [
            (self._coded[name], self._alike([column for column in published if column != name]), right)
            for name, right in asked.allowed.guessed.items() if self._coded
        ]  # fmt: skip

    def _alike(self, columns: Sequence[str]) -> Column:
        classes = everybody(self._population.people)
        for name in columns if self._coded else ():
            classes = refined(classes, self._coded[name])
        return classes

    def exposed_with(self, names: Sequence[str]) -> Mapping[str, int]:
        """Return how many people each of some columns exposes beside those that are published."""
        least = self._allowed.least
        if self._coded:
            return {name: rows_in_small(self._classes, self._coded[name], least) for name in names}
        together = self._population.class_sizes_of_all([*self._published, name] for name in names)
        return {name: exposed_below(sizes, least) for name, sizes in zip(names, together, strict=True)}

    def of(self, name: str) -> tuple[Verdict, str] | None:
        """Return what to do for some view of the column to fit, and how, if there is one."""
        if not self._coded:
            return None
        return next((found for found in (*self._steps(name), *self._without_rare(name))), None)

    def _steps(self, name: str) -> Iterator[tuple[Verdict, str]]:
        """Yield the finest steps that a number fits in."""
        found, column = self._population.told_by_rows(lambda rows, _: numbers_of(rows, name)), self._coded[name]
        if found is None or np.isnan(found).all():
            return
        numbers = np.full(column.count, math.nan)
        numbers[column.codes] = found  # the rows of a code have one number
        span = float(np.nanmax(numbers) - np.nanmin(numbers))
        if not 0 < span < math.inf:
            return
        least = 10 ** math.floor(math.log10(span / _STEPS))
        for step in (lead * least * 10**tens for tens in range(4) for lead in (1, 2, 5)):
            places = np.floor(numbers / step)
            _, codes = np.unique(places, return_inverse=True)
            if 1 < codes.max() + 1 <= _STEPS and self._fits(codes[column.codes], column):
                yield "coarsen", f"in steps of {step:g} it fits"

    def _without_rare(self, name: str) -> Iterator[tuple[Verdict, str]]:
        """Yield the fewest rare values to be merged into one."""
        column = self._coded[name]
        sizes = np.bincount(column.codes, minlength=column.count)
        for most in (times * self._allowed.least for times in _TIMES_K):
            rare = sizes < most
            if (
                rare.any()
                and (~rare).sum() > 1
                and self._fits(np.where(rare, 0, np.cumsum(~rare))[column.codes], column)
            ):
                yield "redact", f"without the values of fewer than {most:,} it fits"

    def _fits(self, codes: Integers, of: Column) -> bool:
        """Whether a view says less than the column but enough, and goes out with what is published."""
        view = Column(codes.astype(np.int32), int(codes.max()) + 1)
        if refined(view, everybody(codes.size)).count == of.count or _bits(view) < _ENOUGH * _bits(of):
            return False
        certainly = self._allowed.certain
        return rows_in_small(self._classes, view, self._allowed.least) <= self._allowed.exposed and all(
            right <= most and (certainly is None or certain <= certainly)
            for secret, classes, most in self._secrets
            for right, certain in [best_guesses(refined(classes, view), secret)]
        )


def _bits(column: Column) -> float:
    shares = np.bincount(column.codes) / column.codes.size
    return -float(shares @ np.log2(shares, where=shares > 0, out=np.zeros_like(shares)))
