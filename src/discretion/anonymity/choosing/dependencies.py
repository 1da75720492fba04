"""Columns that repeat another one: constants, copies, functions of one other column, and near functions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discretion import limits
from discretion.anonymity.people.population import OPERATIONS_PER_QUESTION, Population
from discretion.numerics.arrays import Booleans, Codes, Integers
from discretion.numerics.equivalence_classes import Column, best_guesses, refined
from discretion.tables.counting.class_sizes import ClassSizes

# Pairs of columns about which an engine elsewhere is asked whether one determines.
MAX_PAIRS_ASKED = 400

Pair = tuple[str, str]

# A column nearly follows from another that leaves so few of the wrong guesses of it: Goodman and Kruskal's λ is 0.95.
_LEFT_WRONG = 0.05
# A column with fewer people a value tells of others by chance.
_PEOPLE_A_VALUE = 10
# So many codes are looked at first, which rule out most pairs.
_LOOKED_AT = 1 << 18
# Of those looked at, the share of changes may be so many times as large, and so many more, by chance.
_TIMES_BY_CHANCE, _MORE_BY_CHANCE = 2, 20


@dataclass(frozen=True)
class Dependencies:
    """The columns that follow from one other column.

    Parameters
    ----------
    constants
        Columns with one value.
    copies
        A column that equals an earlier one up to names of values → that earlier one.
    determined
        Every other column → those among the others that are functions of it.
    nearly
        Every other column → the columns with at least as many values from which it nearly follows, the best predictor
        first.
    """

    constants: tuple[str, ...]
    copies: Mapping[str, str]
    determined: Mapping[str, frozenset[str]]
    nearly: Mapping[str, tuple[str, ...]]

    def sources(self, published: Collection[str]) -> Mapping[str, str]:
        """Return for each copy or function of another column the first such column that is published."""
        result: dict[str, str] = {}
        for source, others in sorted(self.determined.items(), key=lambda item: item[0] not in published):
            result |= {column: source for column in sorted(others) if column not in result}
        return result | dict(self.copies)

    def near_sources(self, published: Collection[str]) -> Mapping[str, str]:
        """Return for each column that only nearly follows from another one the first such column that is published."""
        follow = self.sources(published)
        return {
            column: next((source for source in sources if source in published), sources[0])
            for column, sources in self.nearly.items()
            if column not in follow
        }

    def without(self, columns: Collection[str]) -> "Dependencies":
        """Return the dependencies without some columns, which then bring no other one along."""
        return Dependencies(
            self.constants,
            {name: first for name, first in self.copies.items() if not {name, first} & {*columns}},
            {name: others.difference(columns) for name, others in self.determined.items() if name not in columns},
            self.nearly,
        )


def find_dependencies(
    population: Population, columns: Sequence[str], coded: Mapping[str, Column] | None
) -> Dependencies:
    """Return the columns that are functions of one other column, by codes of the rows or by queries to their engine.

    A column is a function of another if both together make as many equivalence classes as the other one alone. It
    nearly follows from the other if knowing that one reduces wrong guesses to at most a twentieth, and the other has
    few enough values that this is not due to chance.

    Parameters
    ----------
    population
        The people, with one row each.
    columns
        The columns to examine.
    coded
        Their codes, if the rows are in this process. Without them there is no search for near functions; and with too
        many pairs for the engine, only for copies and constants.

    Notes
    -----
    Source: Goodman and Kruskal, "Measures of Association for Cross Classifications", 1954, whose λ is at least 0.95.
    """
    sizes = dict(zip(columns, population.class_sizes_of_all([name] for name in columns), strict=True))
    constants = tuple(name for name in columns if sizes[name].classes == 1)
    varying = {name: sizes[name] for name in columns if name not in constants}
    exact, near = (
        (_dependencies_by_engine(population, varying), dict[Pair, int]())
        if coded is None
        else _dependencies_by_codes([coded[name] for name in varying], varying)
    )
    copies: dict[str, str] = {}
    names = list(varying)
    for i, name in enumerate(names):
        first = next((other for other in names[:i] if {(name, other), (other, name)} <= exact), None)
        if first is not None:
            copies[name] = first
    originals = [name for name in varying if name not in copies]
    determined = {fine: frozenset(coarse for coarse in originals if (fine, coarse) in exact) for fine in originals}
    nearly: dict[str, tuple[str, ...]] = {}
    for fine, coarse in sorted(near, key=near.__getitem__):
        if fine not in copies and coarse not in copies:
            nearly[coarse] = (*nearly.get(coarse, ()), fine)
    return Dependencies(constants, copies, determined, nearly)


def repeated_columns(coded: Mapping[str, Column]) -> set[str]:
    """Return the columns that follow from another one, fully or nearly, except the first of each two copies."""
    sizes = {name: ClassSizes.from_counts(np.bincount(each.codes)) for name, each in coded.items()}
    exact, near = _dependencies_by_codes(list(coded.values()), sizes)
    place = {name: i for i, name in enumerate(coded)}
    later = {coarse for fine, coarse in exact if (coarse, fine) not in exact or place[fine] < place[coarse]}
    return later | {coarse for _, coarse in near}


def _dependencies_by_engine(population: Population, sizes: Mapping[str, ClassSizes]) -> set[Pair]:
    """Return the pairs of a column and a function of it, as the engine counts them."""
    names = list(sizes)
    pairs = [(names[i], names[j]) for i, j in np.argwhere(_may_be(list(sizes.values()))).tolist()]
    if len(pairs) > limits.current().steps(MAX_PAIRS_ASKED, each=OPERATIONS_PER_QUESTION + population.people):
        shapes = {name: (each.sizes.tobytes(), each.counts.tobytes()) for name, each in sizes.items()}
        pairs = [(one, other) for one, other in pairs if shapes[one] == shapes[other]]
    if len(pairs) > limits.current().steps(MAX_PAIRS_ASKED, each=OPERATIONS_PER_QUESTION + population.people):
        return set()
    together = population.class_sizes_of_all(pairs)
    return {pair for pair, both in zip(pairs, together, strict=True) if both.classes == sizes[pair[0]].classes}


def _dependencies_by_codes(
    coded: Sequence[Column], sizes: Mapping[str, ClassSizes]
) -> tuple[set[Pair], dict[Pair, int]]:
    """Return the pairs of a column and a function of it; and of a near function, with the number of wrong guesses."""
    if not sizes:
        return set(), {}
    names, may_be, people = list(sizes), _may_be(list(sizes.values())), coded[0].codes.size
    classes = np.array([column.count for column in coded])
    most = np.array([_LEFT_WRONG * (people - each.largest) for each in sizes.values()])
    rows = min(people, max(2, _LOOKED_AT // len(coded)))
    looked = np.random.default_rng(0).permutation(people)[:rows]
    table = np.stack([column.codes[looked] for column in coded], axis=1)
    # Who is guessed wrong differs from at most two neighbours.
    most_changes = 2 * most if rows == people else 2 * _TIMES_BY_CHANCE * most * rows / people + _MORE_BY_CHANCE
    exact, near = set[Pair](), dict[Pair, int]()
    for i, fine in enumerate(names):
        changes = _changes(table, i)
        for j in np.flatnonzero(may_be[i] & (changes == 0)).tolist():
            if rows == people or refined(coded[i], coded[j]).count == coded[i].count:
                exact.add((fine, names[j]))
        telling = classes[i] * _PEOPLE_A_VALUE <= people
        finer = (classes[i] > classes) | ((classes[i] == classes) & (np.arange(len(names)) > i))
        for j in np.flatnonzero(telling & finer & (changes <= most_changes)).tolist():
            wrong = people - best_guesses(coded[i], coded[j])[0]
            if 0 < wrong <= most[j]:
                near[fine, names[j]] = wrong
    return exact, near


def _may_be(sizes: Sequence[ClassSizes]) -> Booleans:
    """Return for any two columns whether the classes of the second may be unions of those of the first."""
    classes = np.array([each.classes for each in sizes])[:, None]
    largest = np.array([each.largest for each in sizes])[:, None]
    smallest = np.array([each.smallest for each in sizes])[:, None]
    return (classes >= classes.T) & (largest <= largest.T) & (smallest <= smallest.T) & ~np.eye(len(sizes), dtype=bool)


def _changes(table: Codes, by: int) -> Integers:
    """Return how often each column changes between adjacent rows with equal values of one column, sorted by that."""
    ordered = table[np.argsort(table[:, by], kind="stable")]
    changed = ordered[1:] != ordered[:-1]
    return changed[~changed[:, by]].sum(axis=0)
