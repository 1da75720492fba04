"""The numbers of a table of people, counted when first needed: by an engine, or by codes of its rows."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Protocol

import numpy as np

from discretion.anonymity import (
    ClassSizes,
    Population,
    Risk,
    inference,
    l_diversity,
    recursive_c_l_diversity,
    reidentification_risks,
    t_closeness,
)
from discretion.anonymity.attacks.k_l_t import ordered_t_closeness
from discretion.anonymity.attacks.likeness_disclosure import disclosure_of, likeness_of, spread_measures
from discretion.anonymity.attacks.risks import class_risks
from discretion.anonymity.pairs.pair import PairedTable
from discretion.anonymity.people.hierarchies import Hierarchy
from discretion.anonymity.releasing.diversity import MIN_RECURSIVE_L, commonest_and_rarest
from discretion.errors import InvalidValueError
from discretion.jobs.gates import Gate, Number, judged
from discretion.jobs.table_measures import ALL_COLUMNS, CLOSENESS, RISKS, SIDES, is_on_request
from discretion.numerics.equivalence_classes import best_guesses, cells, everybody
from discretion.presenting.names import briefly
from discretion.tables.counting.threshold import Threshold

# Any k will do: none of the risks with a measure's name depends on it.
_ANY_K = 1
# The remedy if another distance is not available.
_EQUAL = f"gate {CLOSENESS['equal']}, by which all values are equally far from each other"
# Returns t of the columns and a sensitive one, by some distance between the values.
_Closeness = Callable[[Sequence[str], str], float]


class Counts(Protocol):
    """Counts the equivalence classes of a table, wherever its rows are."""

    @property
    def people(self) -> int:
        """The number of people."""
        ...

    def class_sizes(self, columns: Sequence[str]) -> ClassSizes:
        """Return the sizes of the equivalence classes by the columns."""
        ...

    def risks(self, columns: Sequence[str]) -> Iterable[Risk]:
        """Return the risks, as regulators name them, from an adversary that knows the columns."""
        ...

    def guesses(self, columns: Sequence[str], sensitive: str) -> tuple[int, int, int]:
        """Return the numbers of correct best guesses without and with the columns, and of certain ones."""
        ...

    def diversity(self, columns: Sequence[str], sensitive: str) -> int:
        """Return the least number of sensitive values in an equivalence class by the columns."""
        ...

    def recursive_c(self, columns: Sequence[str], sensitive: str, l: int) -> float:  # noqa: E741
        """Return the c above which the table is recursive (c, l)-diverse."""
        ...

    def spread(self, columns: Sequence[str], sensitive: str) -> tuple[float, float, float]:
        """Return t, beta and delta: the largest distances of a class's sensitive values from all people's."""
        ...

    @property
    def closeness(self) -> Mapping[str, _Closeness]:
        """Each measure of t-closeness by another distance that can be counted here."""
        ...


class EngineCounts:
    """Counts a population where its rows are.

    ``among`` and ``weight`` set the population that its people are a sample of, as in
    :func:`discretion.anonymity.reidentification_risks`; ``hierarchies`` are those of the columns, for commands that
    take them.
    """

    def __init__(
        self,
        population: Population,
        among: int | None = None,
        weight: str | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
    ) -> None:
        self._population, self._among, self._weight, self._hierarchies = population, among, weight, hierarchies
        self.people = population.people
        self.class_sizes = population.class_sizes
        levels = {} if hierarchies is None else {CLOSENESS["hierarchical"]: self._hierarchical}
        self.closeness: Mapping[str, _Closeness] = {CLOSENESS["ordered"]: self._ordered, **levels}

    def risks(self, columns: Sequence[str]) -> Iterable[Risk]:
        """Return the risks, as regulators name them, from an adversary that knows the columns."""
        return reidentification_risks(self._population, columns, _ANY_K, population=self._among, weight=self._weight)

    def guesses(self, columns: Sequence[str], sensitive: str) -> tuple[int, int, int]:
        """Return the numbers of correct best guesses without and with the columns, and of certain ones."""
        attack = inference(self._population, columns, sensitive)
        return round(attack.prior * self.people), round(attack.posterior * self.people), attack.certain_people

    def diversity(self, columns: Sequence[str], sensitive: str) -> int:
        """Return the least number of sensitive values in an equivalence class by the columns."""
        return l_diversity(self._population, columns, sensitive)

    def recursive_c(self, columns: Sequence[str], sensitive: str, l: int) -> float:  # noqa: E741
        """Return the c above which the table is recursive (c, l)-diverse."""
        return recursive_c_l_diversity(self._population, columns, sensitive, l)

    def spread(self, columns: Sequence[str], sensitive: str) -> tuple[float, float, float]:
        """Return t, beta and delta: the largest distances of a class's sensitive values from all people's."""
        return spread_measures(self._population, columns, sensitive)

    def _ordered(self, columns: Sequence[str], sensitive: str) -> float:
        lines = f"add its hierarchy with lines in order (--hierarchies), or {_EQUAL}"
        hierarchy = (self._hierarchies or {}).get(sensitive)
        way_out = _EQUAL if self._hierarchies is None else lines
        return ordered_t_closeness(self._population, columns, sensitive, hierarchy, way_out)

    def _hierarchical(self, columns: Sequence[str], sensitive: str) -> float:
        hierarchy = (self._hierarchies or {}).get(sensitive)
        if hierarchy is None:
            raise InvalidValueError(
                f"{CLOSENESS['hierarchical']}:{sensitive} needs a hierarchy of {sensitive!r}; add its file with "
                f"--hierarchies, or {_EQUAL}"
            )
        return t_closeness(self._population, columns, sensitive, hierarchy=hierarchy)


class CodedCounts:
    """Counts one table of two by the codes of its rows."""

    def __init__(self, table: PairedTable) -> None:
        self.people, self._classes = table.people, cache(table.classes)
        self.closeness: Mapping[str, _Closeness] = {}

    def class_sizes(self, columns: Sequence[str]) -> ClassSizes:
        """Return the sizes of the equivalence classes by the columns."""
        return ClassSizes.from_counts(np.bincount(self._classes(tuple(columns)).codes))

    def risks(self, columns: Sequence[str]) -> Iterable[Risk]:
        """Return the risks, as regulators name them, from an adversary that knows the columns."""
        return class_risks(self.class_sizes(columns), _ANY_K)

    def guesses(self, columns: Sequence[str], sensitive: str) -> tuple[int, int, int]:
        """Return the numbers of correct best guesses without and with the columns, and of certain ones."""
        values = self._classes((sensitive,))
        right, certain = best_guesses(self._classes(tuple(columns)), values)
        return best_guesses(everybody(self.people), values)[0], right, certain

    def diversity(self, columns: Sequence[str], sensitive: str) -> int:
        """Return the least number of sensitive values in an equivalence class by the columns."""
        counts = cells(self._classes(tuple(columns)), self._classes((sensitive,)))
        values = np.bincount(counts.classes)
        return int(values[values > 0].min())

    def recursive_c(self, columns: Sequence[str], sensitive: str, l: int) -> float:  # noqa: E741
        """Return the c above which the table is recursive (c, l)-diverse."""
        classes = self._classes(tuple(columns))
        best, rare = commonest_and_rarest(cells(classes, self._classes((sensitive,))), classes.count, l)
        return max(
            most / others if others else math.inf
            for most, others in zip(best.tolist(), rare.tolist(), strict=True)
            if most
        )

    def spread(self, columns: Sequence[str], sensitive: str) -> tuple[float, float, float]:
        """Return t, beta and delta: the largest distances of a class's sensitive values from all people's."""
        secret = self._classes((sensitive,))
        counts, of_value = cells(self._classes(tuple(columns)), secret), np.bincount(secret.codes)
        sizes = np.zeros(int(counts.classes.max()) + 1, np.int64)
        np.add.at(sizes, counts.classes, counts.sizes)
        expected = sizes[counts.classes] * of_value[counts.codes]
        beyond = counts.sizes * self.people - expected
        excess = np.zeros_like(sizes)
        np.add.at(excess, counts.classes, np.maximum(beyond, 0))
        met = sizes > 0
        pairs = zip(excess[met].tolist(), sizes[met].tolist(), strict=True)
        relative = beyond / expected
        highest, lowest = float(relative.max()), float(relative.min())
        lacking = bool(counts.sizes.size < np.count_nonzero(met) * np.count_nonzero(of_value))
        return (
            max(over / (self.people * size) for over, size in pairs),
            likeness_of(highest),
            disclosure_of(highest, lowest, lacking=lacking),
        )


class TableNumbers(Mapping[str, Number]):
    """The numbers of a table by their names, each counted when it is first asked for.

    Parameters
    ----------
    counts
        Counts the equivalence classes.
    columns
        The columns that go out together.
    sensitive
        The sensitive columns, each of which is guessed; measures without the prefix assume that the adversary does not
        know them.
    k, threshold
        A person is exposed if fewer than k people, or less than this share of the people, share their values; one of
        both.
    l
        The l of recursive (c, l)-diversity; 2 if it is less.

    Examples
    --------
    >>> import discretion as dc
    >>> adult = dc.Population("example:adult", ["sex", "race", "income"])
    >>> numbers = TableNumbers(EngineCounts(adult), adult.columns, ["income"], k=100)
    >>> numbers["exposed_people"], numbers["all_columns.exposed_people"], numbers["l_diversity:income"]
    (0, 194, 2)
    """

    def __init__(
        self,
        counts: Counts,
        columns: Sequence[str],
        sensitive: Sequence[str],
        *,
        k: int | None = None,
        threshold: Threshold | None = None,
        l: int = MIN_RECURSIVE_L,  # noqa: E741 - as it is called
    ) -> None:
        self.k, self._threshold, self._people = k, threshold, counts.people
        # Numbers of the same columns are counted once.
        self._sizes, self._risks = cache(counts.class_sizes), cache(partial(_risks_by_name, counts))
        self._guesses = cache(counts.guesses)
        self._diversity, self._spread = cache(counts.diversity), cache(counts.spread)
        self._recursive_c = cache(partial(counts.recursive_c, l=max(l, MIN_RECURSIVE_L)))
        self._closeness = {name: cache(closeness) for name, closeness in counts.closeness.items()}
        known = tuple(name for name in columns if name not in sensitive)
        self._numbers: dict[str, Callable[[], Number]] = {
            "people": lambda: counts.people,
            **self._of_classes("", known),
            **self._of_classes(ALL_COLUMNS, tuple(columns)),
        }
        for secret in sensitive:
            others = tuple(name for name in columns if name != secret)
            self._numbers |= self._of_secret("", known, secret) | self._of_secret(ALL_COLUMNS, others, secret)

    def __getitem__(self, name: str) -> Number:
        return self._numbers[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def requested(self, gated: Iterable[str]) -> dict[str, Number]:
        """Return the numbers on request that gates name, for both adversaries."""
        wanted = {name.removeprefix(ALL_COLUMNS) for name in gated if is_on_request(name)}
        return {name: self[name] for name in self if name.removeprefix(ALL_COLUMNS) in wanted}

    def _of_classes(self, prefix: str, columns: tuple[str, ...]) -> dict[str, Callable[[], Number]]:
        def sizes() -> ClassSizes:
            return self._sizes(columns)

        def exposed() -> int:
            return sizes().exposed(k=self.k, threshold=self._threshold)

        numbers: dict[str, Callable[[], Number]] = {
            "exposure": lambda: Fraction(exposed(), sizes().people),
            "exposed_people": exposed,
            "unique_people": lambda: sizes().unique,
            "classes": lambda: sizes().classes,
            "k_anonymity": lambda: sizes().smallest,
        }
        numbers |= {measure: lambda name=name: self._risks(columns)[name] for name, measure in RISKS.items()}
        return {prefix + name: number for name, number in numbers.items()}

    def _of_secret(self, prefix: str, columns: tuple[str, ...], secret: str) -> dict[str, Callable[[], Number]]:
        def share(people: Callable[[tuple[int, int, int]], int]) -> Number:
            return Fraction(people(self._guesses(columns, secret)), self._people)

        numbers: dict[str, Callable[[], Number]] = {
            "guess": lambda: share(lambda right: right[1]),
            "guess_rise": lambda: share(lambda right: right[1] - right[0]),
            "certain": lambda: share(lambda right: right[2]),
            "l_diversity": lambda: self._diversity(columns, secret),
            "recursive_c": lambda: self._recursive_c(columns, secret),
            "t_closeness": lambda: self._spread(columns, secret)[0],
            "beta_likeness": lambda: self._spread(columns, secret)[1],
            "delta_disclosure": lambda: self._spread(columns, secret)[2],
        }
        numbers |= {name: partial(closeness, columns, secret) for name, closeness in self._closeness.items()}
        return {f"{prefix}{name}:{secret}": number for name, number in numbers.items()}


def _risks_by_name(counts: Counts, columns: tuple[str, ...]) -> dict[str, Number]:
    return {risk.name: risk.value for risk in counts.risks(columns)}


def hidden_by_sensitive(
    gates: Iterable[Gate], numbers: Mapping[str, Number | None], sensitive: Sequence[str]
) -> str | None:
    """Return a sentence on gates that pass only if the adversary does not know the sensitive columns, or None.

    Examples
    --------
    >>> numbers = {"k_anonymity": 12, "all_columns.k_anonymity": 1}
    >>> hidden_by_sensitive([Gate("k_anonymity", "<", Fraction(5))], numbers, ["ill"])
    'these gates fail against an adversary that also knows ill: all_columns.k_anonymity 1 < 5'
    """
    broken: list[str] = []
    for gate in dict.fromkeys(gates) if sensitive else ():
        side, _, rest = gate.measure.partition(".")
        twin = f"{side}.{ALL_COLUMNS}{rest}" if side in SIDES else ALL_COLUMNS + gate.measure
        if twin in numbers:
            pair = judged([gate, replace(gate, measure=twin)], {name: numbers[name] for name in (gate.measure, twin)})
            if [each.verdict for each in pair] == ["passed", "failed"]:
                broken.append(pair[1].sentence)
    if not broken:
        return None
    known = briefly(tuple(sensitive))
    return f"these gates fail against an adversary that also knows {known}: {'; '.join(broken)}"
