"""The persons of a table: each row is a person of its own, or a column names persons with several rows.

If a column repeats like the name of a person, a count of rows may be no count of people. A job then stops until the
user sets the person.
"""

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from discretion.anonymity import ColumnKind, Population, column_kinds
from discretion.anonymity.people.column_kinds import names_people
from discretion.errors import InvalidTableError, InvalidValueError
from discretion.escaping import printable
from discretion.jobs.options.tables import NO_PERSON
from discretion.tables.layouts.names import check_person_apart, distinct_names, names_among
from discretion.tables.layouts.text_format import TextFormat
from discretion.tables.locations import is_address

AS_IT_IS = TextFormat()


def person_column(person: str | None) -> str | None:
    """Return the column that names the persons; None if each row is a person, or this is not known.

    Examples
    --------
    >>> person_column("id"), person_column("none"), person_column(None)
    ('id', None, None)
    """
    return None if person == NO_PERSON else person


def repeated_key(
    population: Population, kinds_of: Callable[[Population], Iterable[ColumnKind]] = column_kinds
) -> ColumnKind | None:
    """Return the column that repeats like the name of a person with several rows, if rows count as people.

    Of several such columns, return the one with most values. ``kinds_of`` returns the kind of each column.

    Examples
    --------
    >>> import pyarrow as pa
    >>> visits = pa.table({"ID": [*range(40), *range(40)], "visit": [1] * 40 + [2] * 40})
    >>> repeated_key(Population(visits)).reason
    '40 values in 80 rows, each in 2 rows'
    """
    if population.person is not None:
        return None
    keys = [kind for kind in kinds_of(population) if kind.kind == "key"]
    return max(keys, key=lambda kind: kind.values, default=None)


def whose_rows(key: ColumnKind) -> str:
    """Return the reason why rows may be no people, and the options that settle it."""
    name = printable(key.column)
    return (
        f"the column {name} has {key.reason}: use --person {shlex.quote(name)} (person=) if it names the person of a "
        f"row, or --person {NO_PERSON} if every row is a person of its own"
    )


def refuse_repeats(key: ColumnKind) -> None:
    """Raise an error that asks for the person, if a column repeats like the name of a person."""
    raise InvalidValueError(whose_rows(key))


def check_whose_rows(
    population: Population,
    person: str | None,
    repeats: Callable[[ColumnKind], None] = refuse_repeats,
    kinds_of: Callable[[Population], Iterable[ColumnKind]] = column_kinds,
) -> None:
    """Call ``repeats`` with a column that repeats like the name of a person, if the user has not set the person.

    Raises
    ------
    InvalidTableError
        If person is "none" and the table has a column of that name.
    InvalidValueError
        If there is such a column and ``repeats`` is the default.
    """
    if person == NO_PERSON and NO_PERSON in population.columns:
        raise InvalidTableError(
            f"the table has a column {NO_PERSON!r}, and person {NO_PERSON!r} means that no column names the persons; "
            "rename the column"
        )
    if person is None and (key := repeated_key(population, kinds_of)) is not None:
        repeats(key)


def without_person(people: Population) -> Population:
    """Return people who have one row each as the people of a table that no column names."""
    return with_columns(people.with_rows(lambda rows: rows, None), people.columns)


def open_people(
    table: Any,
    columns: Sequence[str] | None,
    person: str | None,
    form: TextFormat = AS_IT_IS,
    *,
    memory: int | str | None = None,
    repeats: Callable[[ColumnKind], None] = refuse_repeats,
    kinds_of: Callable[[Population], Iterable[ColumnKind]] = column_kinds,
) -> Population:
    """Return the people of a table with some of its columns, if it is known whether a column names the persons.

    If the user has not set the person, the columns are searched for one that names persons: all columns of a table that
    is read into this process, and in a server's table the requested columns and those whose names suggest that they
    identify people. Otherwise only the requested columns are read.

    Parameters
    ----------
    table, memory
        As for `discretion.Population`; or a Population.
    columns
        The columns to keep; None means all.
    person
        The column that names a person with several rows; "none" if every row is a person of its own; None if the user
        has not set it.
    form
        The form of a CSV file.
    repeats
        A function that is called with a column that repeats like the name of a person, if person is None.
    kinds_of
        A function that returns the kind of each column, if person is None.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read, or lacks a column.
    InvalidValueError
        If a column repeats like the name of a person, and person is None.
    """
    if isinstance(table, Population):
        if person_column(person) is not None:
            raise InvalidValueError("a Population already has its people; set the person column when you make it")
        if (named := "header" if form.header is not None else form.about_a_text) is not None:
            raise InvalidValueError(f"a Population is already read; set {named} when you make it")
        whole = table
    else:
        elsewhere = (isinstance(table, str) and is_address(table)) or type(table).__module__.startswith("ibis.")
        if elsewhere and columns is not None and person is None:
            whole = _beside_names_of_people(table, columns, form, memory)
        else:
            first = None if person is None else columns
            whole = Population(table, first, person_column(person), memory=memory, **vars(form))
    if columns is not None:
        check_person_apart(person_column(person), [*columns])
        columns = names_among(distinct_names(columns), whole.columns)
    check_whose_rows(whole, person, repeats, kinds_of)
    return whole if columns in (None, whole.columns) else with_columns(whole, columns)


def _beside_names_of_people(
    table: Any, columns: Sequence[str], form: TextFormat, memory: int | str | None
) -> Population:
    """Return the rows of a server's table as people, with some columns and those whose names suggest a person."""
    from discretion.tables.sources import open_rows  # noqa: PLC0415 - imports Ibis

    chosen = distinct_names(columns)

    def choose(names: Sequence[str]) -> Sequence[str]:
        return [*names_among(chosen, names), *(name for name in names if name not in chosen and names_people(name))]

    return Population.of_rows(open_rows(table, choose, form, memory))


def with_columns(people: Population, columns: Sequence[str]) -> Population:
    """Return the same people with some of their columns.

    Examples
    --------
    >>> with_columns(Population("example:adult"), ["sex", "income"])
    Population(32561 people; sex, income)
    """
    kept = [*people.known(columns), *filter(None, [people.person])]
    return people.with_rows(
        lambda rows: replace(rows, fields={name: rows.fields[name] for name in kept}), people.person
    )
