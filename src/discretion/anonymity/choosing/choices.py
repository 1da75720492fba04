"""Choices of a selection: elements that stand for columns, the columns they bring along, and their utility."""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from discretion.anonymity.choosing.dependencies import Dependencies
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError
from discretion.numerics.search.ideals import Ideals, bits, mask_of, united
from discretion.numerics.search.worth import CountedOnce, ToppedUp, Worth
from discretion.validation import as_real

# The most columns such that none determines another, by the number C of classes of people that they distinguish: the
# most partitions of a set of C elements of which none refines another, without the constant one.
_LARGEST_ANTICHAINS = (0, 0, 1, 3, 7, 25, 90, 350)

Columns = tuple[str, ...]
Weights = Mapping[str, float] | Literal["columns", "bits"] | None


@dataclass(frozen=True)
class Choices:
    """Elements to choose from.

    Parameters
    ----------
    names
        The column of each element, in the order of the columns.
    riders
        A column → its copies, which are published with it.
    ideals
        The elements that each element brings along: coarser columns of its hierarchy, and functions of it.
    start
        The elements that are in every set.
    chains
        The given hierarchies; a set names only the finest column of each.
    """

    names: Columns
    riders: Mapping[str, Columns]
    ideals: Ideals
    start: int
    chains: tuple[Columns, ...]

    def columns(self, ideal: int) -> Columns:
        """Return the columns that a set publishes: the finest one of a hierarchy, and all copies."""
        tops = self.ideals.tops(ideal)
        chained = {name for chain in self.chains if len(chain) > 1 for name in chain}
        named = [self.names[j] for j in bits(ideal) if tops >> j & 1 or self.names[j] not in chained]
        return tuple(name for column in named for name in (column, *self.riders.get(column, ())))

    def telling(self, ideal: int, constants: Columns) -> Columns:
        """Return the columns of a set without those that follow from another one: they hold all of its information."""
        return tuple(self.names[j] for j in bits(self.ideals.tops(ideal)) if self.names[j] not in constants)

    def place(self, ideal: int) -> tuple[int, list[int]]:
        """Return the sort key of sets that are equal in all else: fewer columns first, then the order of columns."""
        tops = list(bits(self.ideals.tops(ideal)))
        return len(tops), tops


def choices_among(
    names: Columns, keep: Iterable[str], chains: Sequence[Columns], functions: Dependencies | None
) -> Choices:
    """Return the elements for some columns, without columns that are copies of others."""
    copies: Mapping[str, str] = {} if functions is None else functions.copies
    elements = tuple(name for name in names if name not in copies)
    index = {name: j for j, name in enumerate(elements)}
    brings = [1 << j for j in range(len(elements))]
    for chain in chains:
        for place, name in enumerate(chain if len(chain) > 1 else ()):
            brings[index[name]] |= mask_of(index[coarser] for coarser in chain[place:])
    determined: Mapping[str, frozenset[str]] = {} if functions is None else functions.determined
    for name, others in determined.items():
        brings[index[name]] |= mask_of(index[other] for other in others)
    constants = () if functions is None else functions.constants
    ideals = Ideals(brings)
    return Choices(
        elements,
        {first: tuple(name for name in copies if copies[name] == first) for first in copies.values()},
        ideals,
        ideals.closure(mask_of(index[copies.get(name, name)] for name in (*keep, *constants))),
        tuple(chains),
    )


def most_columns_apart(classes: int) -> int | None:
    """Return the largest number of columns such that none determines another, if they distinguish this many classes.

    A column is a partition of the classes, and determines another one that it refines. Sets of partitions of which none
    refines another are antichains of the partition lattice Π_C. For such small C the largest antichain has as many
    elements as the largest Stirling number S(C, j) (Rota's conjecture; Canfield, "On a problem of Rota", 1978). For
    more than 7 classes the result is None: the number is too large to be useful.

    Examples
    --------
    >>> most_columns_apart(5), most_columns_apart(8)
    (25, None)
    """
    return _LARGEST_ANTICHAINS[classes] if classes < len(_LARGEST_ANTICHAINS) else None


def utility_of(
    choices: Choices,
    population: Population | Marginals,
    weights: Weights,
    functions: Dependencies | None,
    most_apart: int | None = None,
) -> Worth:
    """Return the utility of sets of elements: by given weights, or by columns or bits that follow from no other.

    Without given weights a column that follows from another one adds nothing. Sensitive columns bring no others along
    and are not brought along, but they may follow from another one. No set of interest has more than ``most_apart``
    columns such that none follows from another.
    """
    if isinstance(weights, Mapping):
        given_weights = _weights(population, choices.chains, weights)
        return ToppedUp(choices.ideals, [given_weights[name] for name in choices.names])
    order = choices.ideals if functions is None else _order(choices, functions)
    nearly_equal = () if functions is None else _nearly_following(choices, functions)
    if weights == "bits":
        entropies = (Fraction(population.class_sizes([name]).entropy) for name in choices.names)
        return CountedOnce(order, list(entropies), nearly_equal, most_apart)
    if weights not in (None, "columns"):
        raise InvalidValueError(
            f"weights must be 'columns', 'bits' or a mapping from columns to numbers, such as {{'age': 2}}, "
            f"got {weights!r:.40}"
        )
    each = _weights(population, choices.chains, dict.fromkeys(() if functions is None else functions.constants, 0.0))
    return CountedOnce(order, [each[name] for name in choices.names], nearly_equal, most_apart)


def _order(choices: Choices, functions: Dependencies) -> Ideals:
    """Return for each element the elements that follow from it; of two copies the later follows from the earlier."""
    firsts = [functions.copies.get(name, name) for name in choices.names]
    equal_elements = {first: mask_of(j for j, other in enumerate(firsts) if other == first) for first in firsts}
    return Ideals(
        [
            brought
            | equal_elements[first] >> j << j
            | united(equal_elements[coarse] for coarse in functions.determined.get(first, ()))
            for j, (brought, first) in enumerate(zip(choices.ideals.brings, firsts, strict=True))
        ]
    )


def _nearly_following(choices: Choices, functions: Dependencies) -> list[tuple[int, int]]:
    """Return the pairs of elements such that one nearly follows from the other."""
    firsts = [functions.copies.get(name, name) for name in choices.names]
    return [
        (i, j)
        for j, first in enumerate(firsts)
        for i, other in enumerate(firsts)
        if other in functions.nearly.get(first, ())
    ]


def chains_among(
    population: Population | Marginals, chosen: Columns, hierarchies: Iterable[Sequence[str]]
) -> list[Columns]:
    """Return the hierarchies, and every other column as a chain of its own, in the order of the columns."""
    chain_of = {column: (column,) for column in chosen}
    in_one: set[str] = set()
    for hierarchy in hierarchies:
        chain = population.known(hierarchy)
        for column in chain:
            if column not in chosen:
                raise InvalidValueError(f"the column {column!r} of a hierarchy is not in columns=; add it there")
            if column in in_one:
                raise InvalidValueError(f"the column {column!r} is in two hierarchies; keep it in one")
        in_one.update(chain)
        chain_of |= dict.fromkeys(chain, chain)
    chains = list(dict.fromkeys(chain_of.values()))
    _check_functions(population, [pair for chain in chains for pair in pairwise(chain)])
    return chains


def _check_functions(population: Population | Marginals, pairs: Sequence[tuple[str, str]]) -> None:
    """Raise InvalidValueError unless the second column of each pair is a function of the first, in every row."""
    rows = population
    if isinstance(rows, Population):
        rows = rows if rows.person is None else rows.with_rows(lambda rows: rows, None)
        rows.class_sizes_of_all([*([fine] for fine, _ in pairs), *pairs])
    for fine, coarse in pairs:
        if rows.class_sizes([fine, coarse]).classes != rows.class_sizes([fine]).classes:
            raise InvalidValueError(
                f"{coarse!r} is not a generalization of {fine!r}: rows with the same {fine!r} differ on {coarse!r}; "
                "a hierarchy goes from the finest column to the coarsest"
            )


def _weights(
    population: Population | Marginals, chains: Iterable[Columns], mapping: Mapping[str, float]
) -> dict[str, Fraction]:
    weights: dict[str, float] = {}
    for column in population.known(mapping):
        weights[column] = as_real(mapping[column], f"the weight of {column!r}")
        if not 0 <= weights[column] < math.inf:
            raise InvalidValueError(f"the weight of {column!r} must be at least 0 and finite, got {mapping[column]!r}")
    for finest, *coarser in chains:
        weights.setdefault(finest, 1.0)
        for column in coarser:
            bits, all_bits = (population.class_sizes([name]).entropy for name in (column, finest))
            weights.setdefault(column, weights[finest] * (bits / all_bits) if all_bits else 0.0)
    exact = {column: _simple_fraction(weight) for column, weight in weights.items()}
    if sum(exact.values()) > Fraction(sys.float_info.max):
        raise InvalidValueError("the weights add up to more than a float holds; divide all of them by the same number")
    return exact


def _simple_fraction(weight: float) -> Fraction:
    """Return the fraction with a denominator of at most a million that the float stands for, or its binary value."""
    simple = Fraction(weight).limit_denominator(1_000_000)
    return simple if float(simple) == weight else Fraction(weight)
