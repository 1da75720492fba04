"""Columns that repeat another one: constants, copies, functions of one other column, and nearly so."""

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
    """Which columns follow from one other.

    Parameters
    ----------
    constants
        Columns with one value.
    copies
        A column that determines an earlier one that determines it → that earlier one.
    determined
        Every other column → those among the others that are functions of it.
    nearly
        Every other column → those of as many values or more from which it nearly follows, that which tells it best
        first.
    """

    constants: tuple[str, ...]
    copies: Mapping[str, str]
    determined: Mapping[str, frozenset[str]]
    nearly: Mapping[str, tuple[str, ...]]

    def sources(self, published: Collection[str]) -> Mapping[str, str]:
        """Return, of each column that is a copy or a function of another, the first such other one, if published."""
        result: dict[str, str] = {}
        for source, others in sorted(self.determined.items(), key=lambda item: item[0] not in published):
            result |= {column: source for column in sorted(others) if column not in result}
        return result | dict(self.copies)

    def near_sources(self, published: Collection[str]) -> Mapping[str, str]:
        """Return, of each column that only nearly follows from another, the first such other one, if published."""
        follow = self.sources(published)
        return {
            column: next((source for source in sources if source in published), sources[0])
            for column, sources in self.nearly.items()
            if column not in follow
        }

    def without(self, columns: Collection[str]) -> "Dependencies":
        """Return what is left when some columns go out alone: none brings another along."""
        return Dependencies(
            self.constants,
            {name: first for name, first in self.copies.items() if not {name, first} & {*columns}},
            {name: others.difference(columns) for name, others in self.determined.items() if name not in columns},
            self.nearly,
        )


def find_dependencies(
    population: Population, columns: Sequence[str], coded: Mapping[str, Column] | None
) -> Dependencies:
    """Return the columns that are functions of one other, by codes of the rows or by asking their engine.

    A column is a function of another if as many classes of people are alike on both as on the other. It nearly follows
    from it if who knows the other guesses wrong for at most a twentieth of those for whom who knows nothing does, and
    the other has few enough values for this to be no chance.

    Parameters
    ----------
    population
        The people, with one row each.
    columns
        The columns to look at.
    coded
        Their codes, if the rows are at hand. If not, what nearly follows is not looked for; and if there are too many
        pairs to ask about, no more than copies and constants.

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
    """Return the columns that follow from another one, nearly or in full, but for the first of each two copies."""
    sizes = {name: ClassSizes.from_counts(np.bincount(each.codes)) for name, each in coded.items()}
    exact, near = _dependencies_by_codes(list(coded.values()), sizes)
    place = {name: i for i, name in enumerate(coded)}
    later = {coarse for fine, coarse in exact if (coarse, fine) not in exact or place[fine] < place[coarse]}
    return later | {coarse for _, coarse in near}


def _dependencies_by_engine(population: Population, sizes: Mapping[str, ClassSizes]) -> set[Pair]:
    """Return the pairs of a column and a function of it."""
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
    """Return the pairs of a column and a function of it; and those nearly so, with how many guesses are wrong."""
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
    """Return of any two columns whether the classes of the second may be unions of those of the first."""
    classes = np.array([each.classes for each in sizes])[:, None]
    largest = np.array([each.largest for each in sizes])[:, None]
    smallest = np.array([each.smallest for each in sizes])[:, None]
    return (classes >= classes.T) & (largest <= largest.T) & (smallest <= smallest.T) & ~np.eye(len(sizes), dtype=bool)


def _changes(table: Codes, by: int) -> Integers:
    """Return how often each column changes between neighbours, in the order of one of them, that are alike on that."""
    ordered = table[np.argsort(table[:, by], kind="stable")]
    changed = ordered[1:] != ordered[:-1]
    return changed[~changed[:, by]].sum(axis=0)
