"""Constraints on sets of columns, as loads that only rise with more columns: exposure and best guesses.

Four ways to tell: from codes of the rows, where the engine is of this process; by asking the engine; by what the single
columns certify; or by what they certify of other people, with a confidence.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

from discretion.anonymity.attacks.reidentification_inference import inferences
from discretion.anonymity.exposure.bounds import counting_bound, exposed_below
from discretion.anonymity.people.marginals import Marginals
from discretion.anonymity.people.population import Population
from discretion.anonymity.sampling.future_bound import FutureCertificate
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.numerics.compiled import on_all_cores
from discretion.numerics.equivalence_classes import Column, best_guesses, class_sizes, everybody, refined, rows_in_small
from discretion.numerics.search.explored_ideals import Extension, Loads
from discretion.numerics.search.ideals import Ideals, bits
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, most_exposed
from discretion.validation import as_real

# By how much the best guess of a sensitive value may rise, unless told: five points.
GUESS_BUDGET = 0.05
# Partitions of the rows that are kept to start from, in bytes of all together.
_KEPT_BYTES = 100_000_000
# Threads share extensions if these have so many rows together.
_ROWS_SHARED = 1_000_000


@dataclass(frozen=True)
class Constraints:
    """How much a set of columns may give away.

    Parameters
    ----------
    least
        Who is in a smaller class is exposed.
    exposed
        How many people may be.
    guessed
        A sensitive column → for how many people its best guess may be right.
    certain
        Of how many people each sensitive value may be known for certain; None is any number.
    """

    least: int
    exposed: int
    guessed: Mapping[str, int]
    certain: int | None

    @property
    def limits(self) -> Loads:
        """The most of each load, in their order."""
        each = [(guessed,) if self.certain is None else (guessed, self.certain) for guessed in self.guessed.values()]
        return (self.exposed, *(limit for limits in each for limit in limits))

    def most_classes(self, people: int) -> int:
        """Return how many equivalence classes there are at most: ``E + ⌊(n − E) / k⌋`` of n people, E of them exposed.

        Each exposed person is in a class of one at least, and everybody else in a class of k at least. One person more
        who is exposed adds a class and takes one at most from the others, so that the most are exposed in the worst
        case.

        Examples
        --------
        >>> Constraints(10, 0, {}, None).most_classes(50), Constraints(10, 5, {}, None).most_classes(50)
        (5, 9)
        """
        exposed = min(self.exposed, people)
        return exposed + (people - exposed) // max(1, self.least)


class Disclosure(Protocol):
    """Says what extensions of sets of elements give away."""

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the loads of each, up to the first that is over."""
        ...

    def entropy(self, ideal: int) -> float:
        """Return the bits of the elements together."""
        ...


class CodeDisclosure:
    """Counts codes of the rows, each set's classes refined from those of a smaller set.

    Parameters
    ----------
    ideals
        What sets are made of.
    names
        Of each element its column.
    coded
        The codes of the columns, the sensitive ones too.
    allowed
        How much may be given away.
    rows
        How many there are.
    """

    def __init__(
        self, ideals: Ideals, names: Sequence[str], coded: Mapping[str, Column], allowed: Constraints, rows: int
    ) -> None:
        index = {name: j for j, name in enumerate(names)}
        self._ideals, self._allowed, self._rows = ideals, allowed, rows
        self._columns = [coded[name] for name in names]
        # The codes of each sensitive column, and the element that it is, if it is one.
        self._sensitive = [(coded[name], index.get(name)) for name in allowed.guessed]
        self._most_kept = max(4, _KEPT_BYTES // max(1, 4 * self._rows))
        self._kept: dict[int, Column] = {0: everybody(self._rows)}
        if names:  # so that loops are compiled before anybody can interrupt the search, which libraries do not bear
            rows_in_small(refined(self._kept[0], self._columns[0]), self._columns[0], 1)

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the loads of each, up to the first that is over."""
        by_base: dict[int, list[int]] = {}
        pairs = [self._extension(*extension) for extension in extensions]
        for base, j in pairs:
            by_base.setdefault(base, []).append(j)
        results: dict[tuple[int, int], Loads] = {}
        for base, elements in by_base.items():
            classes = self.classes(base)

            def exposed(j: int, base: int = base, classes: Column = classes) -> int:
                if j < 0:
                    return self.exposed(base, classes, everybody(self._rows))
                return self.exposed(base | self._ideals.brings[j], classes, self._columns[j])

            share = len(elements) * self._rows >= _ROWS_SHARED and len(elements) > 1
            counts = on_all_cores(exposed, elements) if share else map(exposed, elements)
            for j, count in zip(elements, counts, strict=True):
                guesses = self._guesses(base, j) if count <= self._allowed.exposed else ()
                results[base, j] = (count, *guesses)
        return [results[pair] for pair in pairs]

    def exposed(self, ideal: int, classes: Column, by: Column) -> int:
        """Return how many people are exposed by the elements, which are the classes and one more column."""
        return rows_in_small(classes, by, self._allowed.least)

    def entropy(self, ideal: int) -> float:
        """Return the bits of the elements together."""
        sizes, counts = np.unique(class_sizes(self.classes(ideal), everybody(self._rows)), return_counts=True)
        return ClassSizes(sizes, counts).entropy

    def _extension(self, ideal: int, j: int | None) -> tuple[int, int]:
        """Return a base and an element that, added to it, makes the classes; -1 is none."""
        if j is not None:
            return ideal, j
        last = max(bits(self._ideals.tops(ideal)), default=-1)
        return (ideal ^ 1 << last if last >= 0 else ideal), last

    def _guesses(self, base: int, j: int) -> list[int]:
        loads: list[int] = []
        ideal = base if j < 0 else base | self._ideals.brings[j]
        for codes, element in self._sensitive:
            known = ideal if element is None else ideal & ~(1 << element)
            right, certain = best_guesses(self.classes(known), codes)
            loads += [right] if self._allowed.certain is None else [right, certain]
            if not all(map(int.__le__, loads, self._allowed.limits[1:])):
                break
        return loads

    def classes(self, elements: int) -> Column:
        """Return the classes on elements, refined from the largest set inside that is kept."""
        if elements not in self._kept:
            base = max((kept for kept in self._kept if kept & ~elements == 0), key=int.bit_count)
            classes = self._kept[base]
            for j in bits(self._ideals.tops(elements & ~base)):
                classes = refined(classes, self._columns[j])
            if len(self._kept) > self._most_kept:
                del self._kept[next(kept for kept in self._kept if kept)]
            self._kept[elements] = classes
        else:
            self._kept[elements] = self._kept.pop(elements)
        return self._kept[elements]


class EngineDisclosure:
    """Asks the engine that holds the rows, about all extensions together.

    Parameters
    ----------
    population
        The people.
    ideals
        What sets are made of.
    names
        Of each element its column.
    allowed
        How much may be given away.
    """

    def __init__(self, population: Population, ideals: Ideals, names: Sequence[str], allowed: Constraints) -> None:
        self._population, self._ideals, self._names, self._allowed = population, ideals, names, allowed

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the loads of each, up to the first that is over."""
        sets = [columns_of_extension(self._ideals, self._names, extension) for extension in extensions]
        counts = [exposed_below(sizes, self._allowed.least) for sizes in self._population.class_sizes_of_all(sets)]
        results = [[count] for count in counts]
        for name, most in self._allowed.guessed.items():
            open_to = [i for i, loads in enumerate(results) if all(map(int.__le__, loads, self._allowed.limits))]
            known = [self._without(name, extensions[i]) for i in open_to]
            for i, attack in zip(open_to, inferences(self._population, known, name) if known else (), strict=True):
                right = round(attack.posterior * attack.people)
                results[i] += (
                    [right] if self._allowed.certain is None or right > most else [right, attack.certain_people]
                )
        return [tuple(loads) for loads in results]

    def _without(self, name: str, extension: Extension) -> tuple[str, ...]:
        """Return the columns of an extension that tell of a sensitive one, which may be among them."""
        ideal, j = extension
        whole = ideal if j is None else ideal | self._ideals.brings[j]
        known = whole & ~(1 << self._names.index(name)) if name in self._names else whole
        return tuple(self._names[i] for i in bits(self._ideals.tops(known)))

    def entropy(self, ideal: int) -> float:
        """Return the bits of the elements together."""
        return self._population.class_sizes(columns_of_extension(self._ideals, self._names, (ideal, None))).entropy


class CertifiedDisclosure:
    """Says how many people a set is certified to expose at most, by the counts of its single columns."""

    def __init__(self, people: Population | Marginals, ideals: Ideals, names: Sequence[str], least: int) -> None:
        self._people, self._ideals, self._names, self._least = people, ideals, names, least

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the bound of each."""
        sets = [columns_of_extension(self._ideals, self._names, extension) for extension in extensions]
        return [(counting_bound(self._people.marginals(columns), self._least),) for columns in sets]

    def entropy(self, ideal: int) -> float:
        """Return 0: what columns tell together does not follow from what each does."""
        return 0.0


# Of a statistical bound loads are whole numbers: the share of the people of a release, in such parts, rounded upwards.
PARTS = 10**15


class StatisticalDisclosure:
    """Says how many people of a future release a set is certified to expose at most, with a confidence, in parts."""

    def __init__(self, certificate: FutureCertificate, ideals: Ideals, names: Sequence[str]) -> None:
        self._certificate, self._ideals, self._names = certificate, ideals, names

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the bound of each."""
        sets = [columns_of_extension(self._ideals, self._names, extension) for extension in extensions]
        return [(math.ceil(Fraction(self._certificate.exposure(columns).high) * PARTS),) for columns in sets]

    def entropy(self, ideal: int) -> float:
        """Return 0: what columns tell together does not follow from what each does."""
        return 0.0


def columns_of_extension(ideals: Ideals, names: Sequence[str], extension: Extension) -> tuple[str, ...]:
    """Return the columns that tell what an extension does: those that no other one brings along."""
    ideal, j = extension
    return tuple(names[i] for i in bits(ideals.tops(ideal if j is None else ideal | ideals.brings[j])))


def constraints_of(  # noqa: PLR0917 - all the budgets
    population: Population | Marginals,
    least: int,
    exposed: int,
    sensitive: Sequence[str],
    guess_budget: float | None,
    certain_budget: Threshold | None,
) -> Constraints:
    """Return how much may be given away, the sensitive columns' best guesses rising by a share of the people."""
    rise = GUESS_BUDGET if guess_budget is None else as_real(guess_budget, "guess_budget")
    if not 0 <= rise <= 1:
        raise InvalidValueError(f"guess_budget is by how much a share may rise, in [0, 1], got {guess_budget!r}")
    people = population.people
    certain = None if certain_budget is None else most_exposed(people, certain_budget, "certain_budget")
    if not sensitive:
        return Constraints(least, exposed, {}, None)
    if not isinstance(population, Population):
        raise UnsupportedError(
            "Marginals do not show how well a sensitive column is guessed; make a discretion.Population(table)"
        )
    commonest = {name: population.best_guesses((), name) for name in sensitive}
    guessed = {name: count + most_exposed(people, rise) for name, count in commonest.items()}
    return Constraints(least, exposed, guessed, certain)
