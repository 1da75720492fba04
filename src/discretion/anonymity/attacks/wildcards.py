"""Groups of people whose records have wildcards: suppressed values that could be anything."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from discretion import limits
from discretion.anonymity.people.coded import values_of
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.population import Population
from discretion.errors import InvalidValueError, TooLargeError
from discretion.notebook import Tabular
from discretion.numerics.arrays import Booleans
from discretion.numerics.equivalence_classes import Column, Int64s, everybody, refined
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.validation import as_count

#: Values that are compared, of different rows and pairs of sets of columns with wildcards.
MAX_VALUES_COMPARED = 10**10

_SEVERAL_ROWS = "groups with wildcards are of people with one row each; make a table with a row per person"


@dataclass(frozen=True, eq=False)
class WildcardGroups(Tabular):
    """Groups of the people whose records agree wherever neither has a wildcard.

    Parameters
    ----------
    wildcards
        The values that could be anything; an empty text stands for null.
    columns
        The columns that the adversary knows of a person.
    k
        A person is exposed in a group of fewer than k people.
    classes
        The sizes of the equivalence classes if a wildcard is a value of its own, as in all other functions.
    sizes
        For each person, the number of records that could be theirs, their own included, in the order of the table.
    people_with_wildcards
        The number of people with at least one wildcard.
    """

    wildcards: tuple[str, ...]
    columns: tuple[str, ...]
    k: int
    classes: ClassSizes
    sizes: Int64s
    people_with_wildcards: int

    @property
    def exposed_people(self) -> int:
        """The number of people in a group of fewer than k."""
        return int((self.sizes < self.k).sum())

    @property
    def exposure(self) -> float:
        """The share of the people in a group of fewer than k."""
        return self.exposed_people / self.sizes.size

    @property
    def k_anonymity(self) -> int:
        """The size of the smallest group."""
        return int(self.sizes.min())

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers about the whole table, without those about single people."""
        return {
            "wildcards": [*self.wildcards],
            "people_with_wildcards": self.people_with_wildcards,
            "wildcard_exposed_people": self.exposed_people,
            "wildcard_exposure": self.exposure,
            "wildcard_k_anonymity": self.k_anonymity,
        }


def wildcard_groups(
    P: People, wildcards: str | Sequence[str] = "*", columns: Iterable[str] | None = None, k: int = 10
) -> WildcardGroups:
    """Return the groups of people if a suppressed value could be anything, rather than a value of its own.

    ``n_i = Σ_j 1{for each column c: x_ic = x_jc, or x_ic or x_jc is a wildcard}``

    Parameters
    ----------
    P
        The people, with one row each.
    wildcards
        The values that could be anything, such as ``"*"``, as ARX writes suppressed ones; ``""`` is null, a blank.
    columns
        The columns that the adversary knows of a person; None is all columns.
    k
        A person is exposed in a group of fewer than k people, at least 1.

    Raises
    ------
    InvalidValueError
        If no wildcard is given.
    TooLargeError
        If wildcards are in too many sets of columns.
    UnsupportedError
        If the people of P have several rows, or their rows are in another process.

    Notes
    -----
    Exact. The groups overlap: a record may match two others that do not match each other. They are never smaller than
    the classes in which a wildcard is a value of its own. Those classes are the safer convention, against an adversary
    that knows which values were suppressed. These groups are for an adversary that knows people's true values, but not
    which were suppressed. Source: Discretion; sdcMicro counts missing values in this way.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"sex": ["f", "f", "m", "*"], "town": ["x", "y", "y", "y"]})
    >>> groups = wildcard_groups(people, "*", k=2)
    >>> groups.sizes.tolist(), groups.exposed_people, groups.classes.unique
    ([1, 2, 2, 3], 1, 4)
    """
    population = as_population_of_rows(P, _SEVERAL_ROWS)
    chosen, least = population.known(columns), as_count(k, "k", at_least=1)
    named = (wildcards,) if isinstance(wildcards, str) else tuple(dict.fromkeys(wildcards))
    if not named:
        raise InvalidValueError('wildcards must have at least one value, such as "*", or "" for a blank')
    coded = dict(_coded(population, chosen, named))
    rows = population.people
    alike = reduce(refined, (column for column, _ in coded.values()), everybody(rows))
    _, first, counts = np.unique(alike.codes, return_index=True, return_counts=True)
    columns_of_kinds = [Column(column.codes[first], column.count) for column, _ in coded.values()]
    wild = np.column_stack([is_wild[column.codes[first]] for column, is_wild in coded.values()])
    sizes = _compatible(columns_of_kinds, wild, counts.astype(np.int64))[alike.codes]
    sizes.flags.writeable = False
    return WildcardGroups(
        wildcards=named,
        columns=chosen,
        k=least,
        classes=population.class_sizes(chosen),
        sizes=sizes,
        people_with_wildcards=int(counts[wild.any(axis=1)].sum()),
    )


def _coded(
    population: Population, columns: Sequence[str], wildcards: Sequence[str]
) -> Iterator[tuple[str, tuple[Column, Booleans]]]:
    """Yield each column as codes, and for each code whether it stands for a wildcard."""
    if not columns:
        raise InvalidValueError("groups with wildcards are of people on at least one column")
    for name, (column, values) in values_of(population, columns, "groups with wildcards").items():
        texts = ["" if value is None else value for value in values.to_pylist()]
        yield name, (column, np.array([text in wildcards for text in texts], bool))


def _compatible(columns: Sequence[Column], wild: Booleans, counts: Int64s) -> Int64s:
    """Return for each distinct row the number of people whose row matches it.

    Rows with wildcards in the same columns are grouped on the other columns; two such sets of rows, on the columns that
    have wildcards in neither.
    """
    patterns, which = np.unique(wild, axis=0, return_inverse=True)
    which = which.ravel()
    if len(patterns) * wild.size > limits.current().steps(MAX_VALUES_COMPARED):
        raise TooLargeError(
            f"{len(counts):,} different rows have wildcards in {len(patterns):,} different sets of columns: too many "
            "to compare; choose fewer columns"
        )
    members = [np.flatnonzero(which == pattern) for pattern in range(len(patterns))]
    sizes = np.zeros(len(counts), np.int64)
    for i, mine in enumerate(members):
        for j, others in enumerate(members[i:], start=i):
            both = np.concatenate((mine, others))
            known = [column for column, hidden in zip(columns, patterns[i] | patterns[j], strict=True) if not hidden]
            groups = reduce(
                refined, (Column(column.codes[both], column.count) for column in known), everybody(both.size)
            )
            of_mine, of_others = np.split(groups.codes, [mine.size])
            sizes[mine] += _people(of_others, counts[others], groups.count)[of_mine]
            if i != j:
                sizes[others] += _people(of_mine, counts[mine], groups.count)[of_others]
    return sizes


def _people(groups: Any, counts: Int64s, count: int) -> Int64s:
    """Return the number of people in each group; weights up to 2**53 are exact."""
    return np.bincount(groups, counts, count).astype(np.int64)
