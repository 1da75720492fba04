"""Class sizes of a population matched to those of a table: the extreme matchings that both allow.

Each class of f people in the table is a part of its own class of F people in the population, with ``F ≥ f``. The two
extreme matchings bound the risks of every other one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Reals
from discretion.tables.counting.class_sizes import ClassSizes, Int64s

# Past this size the terms left out of the series are less than rounding: they are below 1/binomial(f + i, i).
_FEW, _TERMS = 24, 64

# (f, F, the number of such classes).
MatchedClasses = tuple[int, int, int]


@dataclass(frozen=True)
class ClassMatching:
    """The risks that follow from a matching of each class j of the table to a class of F_j people in the population.

    Parameters
    ----------
    smallest
        The size of the smallest of these classes of the population, ``min_j F_j``.
    inverse
        ``classes / Σ_j F_j``.
    rate
        The expected share of the table's people who are found, ``Σ_j (f_j/F_j) / n``.
    """

    smallest: int
    inverse: float
    rate: float


def riskiest_matching(table: ClassSizes, population: ClassSizes) -> ClassMatching:
    """Return the matching that maximizes every risk: larger classes first, each to the smallest class that it fits.

    If f₁ ≥ f₂ fit F_a ≤ F_b, then ``f₁/F_a + f₂/F_b ≥ f₁/F_b + f₂/F_a``.
    """
    return _class_matching(_tightly(table, population), table)


def safest_matching(table: ClassSizes, population: ClassSizes) -> ClassMatching:
    """Return the matching that minimizes every risk: the larger classes to the larger ones."""
    return _class_matching(_in_order(table, population), table)


def least_marketer_risk(table: ClassSizes, people: int) -> float:
    """Return a lower bound on ``Σ_j (f_j/F_j) / n`` where ``Σ_j F_j ≤ people``.

    The bound is the minimum over real numbers ``F_j ≥ f_j``. At the minimum ``F_j = max(f_j, c·√f_j)``, with c such
    that the sum is the number of people.
    """
    roots: Reals = np.sqrt(table.sizes)
    spread = np.cumsum(table.counts * roots)
    kept = table.people - np.cumsum(table.counts * table.sizes)
    # With the i smallest sizes spread, c is at least the root of the last of them, and no more than the next.
    levels: Reals = (people - kept) / spread
    level = levels[np.flatnonzero(levels >= roots)[-1]] if (levels >= roots).any() else roots[0]
    sizes = np.maximum(table.sizes, level * roots)
    return float(table.counts @ (table.sizes / sizes)) / table.people * (1 - 1e-12)


def expected_chances(sizes: Int64s, share: float | Reals, missed: float | Reals) -> Reals:
    """Return ``E[1/F]``, with F the trials until f people are drawn at rate p: ``(p/f)·₂F₁(1, 1; f+1; q)``.

    Parameters
    ----------
    sizes
        The f, at least 1.
    share, missed
        p and q, with sum 1; one number for all sizes, or one for each size.
    """
    from scipy.special import hyp2f1  # noqa: PLC0415 - is infinite for large f and q next to 1

    term = np.ones(sizes.size)
    series = np.ones(sizes.size)
    for i in range(_TERMS):
        term = term * (missed * (i + 1) / (sizes + (i + 1)))
        series += term
    few = np.minimum(sizes, _FEW)
    return share / sizes * np.where(sizes > _FEW, series, hyp2f1(1.0, 1.0, few + 1.0, missed))


def _class_matching(matched: Iterator[MatchedClasses], table: ClassSizes) -> ClassMatching:
    pairs = np.array(list(matched), dtype=np.float64)
    in_table, in_population, counts = pairs.T
    return ClassMatching(
        int(in_population.min()),
        table.classes / float(counts @ in_population),
        float(counts @ (in_table / in_population)) / table.people,
    )


def _descending(sizes: ClassSizes) -> list[tuple[int, int]]:
    return list(zip(sizes.sizes.tolist()[::-1], sizes.counts.tolist()[::-1], strict=True))


def _tightly(table: ClassSizes, population: ClassSizes) -> Iterator[MatchedClasses]:
    larger, free = _descending(population)[::-1], list[tuple[int, int]]()
    for size, count in _descending(table):
        while larger and larger[-1][0] >= size:
            free.append(larger.pop())
        left = count
        while left:
            if not free:
                raise _no_part(size)
            most, many = free.pop()
            taken = min(left, many)
            left -= taken
            if many > taken:
                free.append((most, many - taken))
            yield size, most, taken


def _in_order(table: ClassSizes, population: ClassSizes) -> Iterator[MatchedClasses]:
    larger = _descending(population)[::-1]
    for size, count in _descending(table):
        left = count
        while left:
            if not larger or larger[-1][0] < size:
                raise _no_part(size)
            most, many = larger.pop()
            taken = min(left, many)
            left -= taken
            if many > taken:
                larger.append((most, many - taken))
            yield size, most, taken


def _no_part(size: int) -> InvalidValueError:
    return InvalidValueError(
        f"the table is not a part of this population: some of its classes of at least {size} people are larger than "
        "every class that is left in the population; give the class sizes of the whole population, on the same columns"
    )
