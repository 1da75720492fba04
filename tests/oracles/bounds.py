"""Bounds from single columns by trying everything: slow, obvious."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

Marginal = Mapping[int, int]


def theorem2(marginals: Sequence[Marginal], people: int, threshold: Fraction) -> float:
    """Return the least of Theorem 2 over all steps, j*, and splits into thresholds at their step's end or level."""
    columns, best = range(len(marginals)), 1.0
    values = [sum(marginal.values()) for marginal in marginals]
    for ends in product(*(sorted(marginal) for marginal in marginals)):
        if math.prod(ends) < threshold * people ** len(ends):
            continue
        rare = sum(_below(marginal, end) for marginal, end in zip(marginals, ends, strict=True)) / people
        most = [end * v / people for end, v in zip(ends, values, strict=True)]
        for free in columns:
            others = [j for j in columns if j != free]
            best = min(best, rare + sum(most[j] for j in others))
            for size in range(1, len(others) + 1):
                for level in combinations(others, size):
                    fixed = math.prod(most[j] for j in columns if j not in level)
                    w = (float(threshold) * math.prod(values) / fixed) ** (1 / size)
                    if all(w <= most[j] for j in level):
                        best = min(best, rare + size * w + sum(most[j] for j in others if j not in level))
    return best


def theorem3(marginals: Sequence[Marginal], people: int, threshold: Fraction) -> Fraction:
    """Return the least of Theorem 3 over all thresholds at the end of a step."""
    best = Fraction(1)
    for ends in product(*(sorted(marginal) for marginal in marginals)):
        rare = sum(_below(marginal, end) for marginal, end in zip(marginals, ends, strict=True))
        best = min(best, Fraction(rare, people) + threshold * people ** len(ends) / math.prod(ends))
    return best


def tables_with(margins: Sequence[Sequence[int]]) -> Iterator[NDArray[np.int64]]:
    """Return all tables of counts that have the margins, cell by cell."""
    shape = tuple(map(len, margins))
    cells = list(np.ndindex(*shape))

    def fill(position: int, left: list[list[int]], table: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
        if position == len(cells):
            if not any(map(any, left)):
                yield table.copy()
            return
        cell = cells[position]
        for count in range(min(margin[i] for margin, i in zip(left, cell, strict=True)) + 1):
            table[cell] = count
            rest = [[m - count * (i == j) for j, m in enumerate(margin)] for margin, i in zip(left, cell, strict=True)]
            if cell[-1] < shape[-1] - 1 or len(cell) > 2 or rest[0][cell[0]] == 0:  # else the row is not used up
                yield from fill(position + 1, rest, table)
        table[cell] = 0

    return fill(0, [list(margin) for margin in margins], np.zeros(shape, np.int64))


def worst_exposed(margins: Sequence[Sequence[int]], k: int) -> int:
    """Return the most people with fewer than k alike in any table that has the margins."""
    return max(int(table[table < k].sum()) for table in tables_with(margins))


def product_exposure(marginals: Sequence[Marginal], people: int, threshold: Fraction) -> Fraction:
    """Return the exposure of the product of the columns' laws, cell by cell."""
    total = Fraction(0)
    for cell in product(*(_each(marginal) for marginal in marginals)):
        share = math.prod((Fraction(size, people) for size in cell), start=Fraction(1))
        total += share if share < threshold else 0
    return total


def _below(marginal: Marginal, end: int) -> int:
    return sum(size * count for size, count in marginal.items() if size < end)


def _each(marginal: Marginal) -> Iterable[int]:
    return [size for size, count in marginal.items() for _ in range(count)]
