"""Constraints on sets of columns, as loads that only rise with more columns: exposure and best guesses.

Loads come from codes of the rows, where the engine runs in this process; from the engine; from bounds by the counts of
single columns; or from statistical bounds for other people, with a confidence.
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

# The default rise of the best guess of a sensitive value that is allowed: five percentage points.
GUESS_BUDGET = 0.05
# Partitions of the rows that are kept to start from, in bytes of all together.
_KEPT_BYTES = 100_000_000
# Threads share extensions if these have at least this many rows together.
_ROWS_SHARED = 1_000_000


@dataclass(frozen=True)
class Constraints:
    """The limits on what a set of columns may give away.

    Parameters
    ----------
    least
        A person in a smaller class is exposed.
    exposed
        The largest number of exposed people.
    guessed
        A sensitive column → the largest number of correct best guesses of it.
    certain
        The largest number of people whose value of a sensitive column is certain; None is any number.
    """

    least: int
    exposed: int
    guessed: Mapping[str, int]
    certain: int | None

    @property
    def limits(self) -> Loads:
        """The limit of each load, in the order of the loads."""
        each = [(guessed,) if self.certain is None else (guessed, self.certain) for guessed in self.guessed.values()]
        return (self.exposed, *(limit for limits in each for limit in limits))

    def most_classes(self, people: int) -> int:
        """Return an upper bound on the equivalence classes: ``E + ⌊(n − E) / k⌋`` for n people, E of them exposed.

        Each exposed person is in a class of at least one person, and everybody else in a class of at least k. One more
        exposed person adds a class and removes at most one from the others, so the bound is largest where as many
        people as allowed are exposed.

        Examples
        --------
        >>> Constraints(10, 0, {}, None).most_classes(50), Constraints(10, 5, {}, None).most_classes(50)
        (5, 9)
        """
        exposed = min(self.exposed, people)
        return exposed + (people - exposed) // max(1, self.least)


class Disclosure(Protocol):
    """A source of loads: the numbers of people that a set of elements exposes or lets be guessed."""

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return each extension's loads, up to the first load over its limit."""
        ...

    def entropy(self, ideal: int) -> float:
        """Return the entropy in bits of the elements together."""
        ...


class CodeDisclosure:
    """Loads counted from codes of the rows; the classes of a set are refined from those of a smaller set.

    Parameters
    ----------
    ideals
        The elements of sets.
    names
        The column of each element.
    coded
        The codes of the columns, including the sensitive ones.
    allowed
        The limits of the loads.
    rows
        The number of rows.
    """

    def __init__(
        self, ideals: Ideals, names: Sequence[str], coded: Mapping[str, Column], allowed: Constraints, rows: int
    ) -> None:
        index = {name: j for j, name in enumerate(names)}
        self._ideals, self._allowed, self._rows = ideals, allowed, rows
        self._columns = [coded[name] for name in names]
        # The codes of each sensitive column, and its element, if it has one.
        self._sensitive = [(coded[name], index.get(name)) for name in allowed.guessed]
        self._most_kept = max(4, _KEPT_BYTES // max(1, 4 * self._rows))
        self._kept: dict[int, Column] = {0: everybody(self._rows)}
        if names:  # so that loops are compiled before anybody can interrupt the search, which libraries do not bear
            rows_in_small(refined(self._kept[0], self._columns[0]), self._columns[0], 1)

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return each extension's loads, up to the first load over its limit."""
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
        """Return the number of people whom the elements expose: those of the classes and of one more column."""
        return rows_in_small(classes, by, self._allowed.least)

    def entropy(self, ideal: int) -> float:
        """Return the entropy in bits of the elements together."""
        sizes, counts = np.unique(class_sizes(self.classes(ideal), everybody(self._rows)), return_counts=True)
        return ClassSizes(sizes, counts).entropy

    def _extension(self, ideal: int, j: int | None) -> tuple[int, int]:
        """Return a base and the element to add to it for these classes; -1 is no element."""
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
        """Return the classes on elements, refined from the largest stored subset."""
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
    """Loads counted by the engine that holds the rows, for all extensions together.

    Parameters
    ----------
    population
        The people.
    ideals
        The elements of sets.
    names
        The column of each element.
    allowed
        The limits of the loads.
    """

    def __init__(self, population: Population, ideals: Ideals, names: Sequence[str], allowed: Constraints) -> None:
        self._population, self._ideals, self._names, self._allowed = population, ideals, names, allowed

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return each extension's loads, up to the first load over its limit."""
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
        """Return the columns of an extension without a sensitive one: those from which it may be guessed."""
        ideal, j = extension
        whole = ideal if j is None else ideal | self._ideals.brings[j]
        known = whole & ~(1 << self._names.index(name)) if name in self._names else whole
        return tuple(self._names[i] for i in bits(self._ideals.tops(known)))

    def entropy(self, ideal: int) -> float:
        """Return the entropy in bits of the elements together."""
        return self._population.class_sizes(columns_of_extension(self._ideals, self._names, (ideal, None))).entropy


class CertifiedDisclosure:
    """Upper bounds on the number of people whom a set exposes, by the counts of its single columns."""

    def __init__(self, people: Population | Marginals, ideals: Ideals, names: Sequence[str], least: int) -> None:
        self._people, self._ideals, self._names, self._least = people, ideals, names, least

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the bound for each extension."""
        sets = [columns_of_extension(self._ideals, self._names, extension) for extension in extensions]
        return [(counting_bound(self._people.marginals(columns), self._least),) for columns in sets]

    def entropy(self, ideal: int) -> float:
        """Return 0: the joint entropy of columns does not follow from the counts of single columns."""
        return 0.0


# The loads of a statistical bound are whole numbers: the share of the people of a release, in these parts, rounded up.
PARTS = 10**15


class StatisticalDisclosure:
    """Upper bounds, with a confidence, on the share of people whom a set exposes in a future release, in parts."""

    def __init__(self, certificate: FutureCertificate, ideals: Ideals, names: Sequence[str]) -> None:
        self._certificate, self._ideals, self._names = certificate, ideals, names

    def loads(self, extensions: Sequence[Extension]) -> list[Loads]:
        """Return the bound for each extension."""
        sets = [columns_of_extension(self._ideals, self._names, extension) for extension in extensions]
        return [(math.ceil(Fraction(self._certificate.exposure(columns).high) * PARTS),) for columns in sets]

    def entropy(self, ideal: int) -> float:
        """Return 0: the joint entropy of columns does not follow from the counts of single columns."""
        return 0.0


def columns_of_extension(ideals: Ideals, names: Sequence[str], extension: Extension) -> tuple[str, ...]:
    """Return the columns of an extension that no other one brings along: they hold all of its information."""
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
    """Return the limits on exposure, on best guesses of the sensitive columns, and on values known for certain."""
    rise = GUESS_BUDGET if guess_budget is None else as_real(guess_budget, "guess_budget")
    if not 0 <= rise <= 1:
        raise InvalidValueError(f"guess_budget must be the allowed rise of a share, in [0, 1], got {guess_budget!r}")
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
