"""Surprisals: the bits of information in a value, or in a set of values, of a person."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.validation import as_count

# The most columns of a fingerprint for which all subsets are counted.
MAX_COLUMNS_COMBINED = 10

Value = str | int | float | bool | None

_NO_VALUE = "the value of a person with several rows is not defined; use a table with a row per person"


@dataclass(frozen=True)
class Surprisal:
    """A value, the number of people who have it, and its bits of information on them: ``log₂(n/people)``.

    Parameters
    ----------
    value
        The value as text; None for null.
    people
        The number of people who have it.
    bits
        ``log₂ 1/p(v)``.
    """

    value: str | None
    people: int
    bits: float


@dataclass(frozen=True)
class Surprisals:
    """The surprisals of a column's values, without rare values.

    Parameters
    ----------
    column
        The column.
    bits
        Its entropy: the mean surprisal of a random person.
    values
        The shown values, the commonest first.
    hidden_values
        The number of values that are not shown, since fewer than k people have each.
    hidden_people
        The number of people who have these.
    """

    column: str
    bits: float
    values: tuple[Surprisal, ...]
    hidden_values: int
    hidden_people: int


@dataclass(frozen=True)
class GivenAway:
    """Some values together, the number of people who have them, and their bits of information.

    Parameters
    ----------
    columns
        The columns whose values are known.
    people
        The number of people who have all of them.
    bits
        ``log₂(n/people)``: ``log₂ n`` bits single out one person. Infinite if nobody has them.
    """

    columns: tuple[str, ...]
    people: int
    bits: float


def surprisal(P: People, column: str, k: int = 10, show_rare: bool = False) -> Surprisals:
    """Return the bits of information of each value of a column about the people who have it: ``log₂ 1/p(v)``.

    Parameters
    ----------
    P
        The people, with one row each.
    column
        The column.
    k
        Values that fewer than k people have are not shown, at least 1.
    show_rare
        Whether to show rare values too.

    Returns
    -------
    Surprisals
        The values that at least k people have, and the number of other values.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    Source: Anonymity, section 7.3.

    Examples
    --------
    >>> races = surprisal("example:adult", "race", k=300)
    >>> [(race.value, race.people, round(race.bits, 2)) for race in races.values[-1:]], races.hidden_values
    ([('Amer-Indian-Eskimo', 311, 6.71)], 1)
    """
    population = as_population_of_rows(P, _NO_VALUE)
    (column,) = population.known([column])
    least = 1 if show_rare else as_count(k, "k", at_least=1)
    sizes = population.class_sizes([column])
    shown = population.common_values(column, least)
    hidden = sizes.curve().exposed[sizes.sizes < least]
    return Surprisals(
        column,
        sizes.entropy,
        tuple(Surprisal(value, people, math.log2(sizes.people / people)) for value, people in shown),
        sizes.classes - len(shown),
        int(hidden[-1]) if hidden.size else 0,
    )


def given_away(P: People, values: Mapping[str, Value]) -> tuple[GivenAway, ...]:
    """Return the number of people who have all of some values, for every subset of a person's values.

    Parameters
    ----------
    P
        The people, with one row each.
    values
        A column → the person's value there: text, or a number or truth value with the same text; None is null.

    Returns
    -------
    tuple
        A :class:`GivenAway` for every non-empty subset of the columns, small ones first; with more than ten columns,
        for each column and for all together.

    Raises
    ------
    UnsupportedError
        If the people of P have several rows, or a value is something else.
    InvalidValueError
        If no value is given.

    Notes
    -----
    One query counts the rows by the exact set of columns on which they agree with the person. Source: Discretion.

    Examples
    --------
    >>> person = {"sex": "Female", "workclass": "Never-worked"}
    >>> [(given.columns, given.people) for given in given_away("example:adult", person)]
    [(('sex',), 10771), (('workclass',), 7), (('sex', 'workclass'), 2)]
    """
    population = as_population_of_rows(P, _NO_VALUE)
    columns = population.known(values)
    if not columns:
        raise InvalidValueError("given_away needs the value of at least one column")
    agreements = population.agreements({column: _as_text(values[column]) for column in columns})
    few = len(columns) <= MAX_COLUMNS_COMBINED
    chosen = range(1, len(columns) + 1) if few else (1, len(columns))
    results: list[GivenAway] = []
    for size in chosen:
        for subset in combinations(columns, size):
            alike = sum(people for agreed, people in agreements if agreed.issuperset(subset))
            bits = math.log2(population.people / alike) if alike else math.inf
            results.append(GivenAway(subset, alike, bits))
    return tuple(results)


def _as_text(value: object) -> str | None:
    match value:
        case None | str():
            return value
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case _:
            raise UnsupportedError(f"a value must be text, a number, a truth value or None, got {type(value).__name__}")
