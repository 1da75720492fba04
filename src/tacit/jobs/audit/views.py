"""Coarser views of a column: numbers in steps, rare values merged into one."""

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity import Population
from tacit.jobs.audit.result import Columns, Verdict
from tacit.jobs.audit.sets import Wanted
from tacit.numerics.alike import Column, best_guesses, everybody, refined, rows_in_small
from tacit.tables.counting.threshold import most_exposed

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
    published
        The columns that go out in any case.
    names
        The columns of which views are tried, each by itself.
    wanted
        What may be given away.
    """

    def __init__(self, population: Population, published: Columns, names: Sequence[str], wanted: Wanted) -> None:
        people = population.people
        self._population, self._k, self._allowed = population, wanted.k, most_exposed(people, wanted.budget)
        rise = most_exposed(people, wanted.guess_budget)
        self._certain = None if wanted.certain_budget is None else most_exposed(people, wanted.certain_budget)
        asked = dict.fromkeys([*published, *names, *wanted.sensitive])
        coded = None if population.person is not None else population.codes(asked)
        self._coded: Mapping[str, Column] = {} if coded is None else coded
        self._classes = self._alike(published)
        # Each sensitive column, the classes of who is alike on the others, and how many guesses may be right.
        self._secrets = [
            (self._coded[name], self._alike([column for column in published if column != name]),
             population.best_guesses((), name) + rise)
            for name in wanted.sensitive if coded is not None
        ]  # fmt: skip

    def _alike(self, columns: Sequence[str]) -> Column:
        classes = everybody(self._population.people)
        for name in columns if self._coded else ():
            classes = refined(classes, self._coded[name])
        return classes

    def of(self, name: str) -> tuple[Verdict, str] | None:
        """Return what to do for some view of the column to fit, and how, if there is one."""
        if name not in self._coded:
            return None
        return next((found for found in (*self._steps(name), *self._without_rare(name))), None)

    def _steps(self, name: str) -> Iterator[tuple[Verdict, str]]:
        """Yield the finest steps that a number fits in."""
        numbers = self._population.numbers(name)
        if numbers is None or np.isnan(numbers).all():
            return
        span = float(np.nanmax(numbers) - np.nanmin(numbers))
        if not 0 < span < math.inf:
            return
        least = 10 ** math.floor(math.log10(span / _STEPS))
        for step in (lead * least * 10**tens for tens in range(4) for lead in (1, 2, 5)):
            places = np.floor(numbers / step)
            _, codes = np.unique(places, return_inverse=True)
            if 1 < codes.max() + 1 <= _STEPS and self._fits(codes, self._coded[name]):
                yield "coarsen", f"in steps of {step:g} it fits"

    def _without_rare(self, name: str) -> Iterator[tuple[Verdict, str]]:
        """Yield the fewest rare values to be merged into one."""
        column = self._coded[name]
        sizes = np.bincount(column.codes, minlength=column.count)
        for most in (times * self._k for times in _TIMES_K):
            rare = sizes < most
            if (
                rare.any()
                and (~rare).sum() > 1
                and self._fits(np.where(rare, 0, np.cumsum(~rare))[column.codes], column)
            ):
                yield "redact", f"without the values of fewer than {most:,} it fits"

    def _fits(self, codes: NDArray[np.int64], of: Column) -> bool:
        """Whether a view says less than the column but enough, and goes out with what is published."""
        view = Column(codes.astype(np.int32), int(codes.max()) + 1)
        if refined(view, everybody(codes.size)).count == of.count or _bits(view) < _ENOUGH * _bits(of):
            return False
        return rows_in_small(self._classes, view, self._k) <= self._allowed and all(
            right <= most and (self._certain is None or certain <= self._certain)
            for secret, classes, most in self._secrets
            for right, certain in [best_guesses(refined(classes, view), secret)]
        )


def _bits(column: Column) -> float:
    shares = np.bincount(column.codes) / column.codes.size
    return -float(shares @ np.log2(shares, where=shares > 0, out=np.zeros_like(shares)))
