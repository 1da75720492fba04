"""Whose rows a table has: each row a person of its own, or several rows a person, whom a column names.

A job that counts rows as people while a column repeats as the name of a person does would answer for the rows. It stops
until the user says whose rows they are.
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
    """Return the column that names the persons; None if each row is one, or nothing is known of it.

    Examples
    --------
    >>> person_column("id"), person_column("none"), person_column(None)
    ('id', None, None)
    """
    return None if person == NO_PERSON else person


def repeated_key(
    population: Population, kinds_of: Callable[[Population], Iterable[ColumnKind]] = column_kinds
) -> ColumnKind | None:
    """Return the column that repeats as the name of a person with several rows does, if rows count as people.

    Of several, the one with most values. ``kinds_of`` returns what kind of column each is.

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
    """Return why rows may not count as people, and how the user says whether they do."""
    name = printable(key.column)
    return (
        f"the column {name} has {key.reason}: use --person {shlex.quote(name)} (person=) if it names the person whose "
        f"row it is, or --person {NO_PERSON} if every row is a person of its own"
    )


def refuse_repeats(key: ColumnKind) -> None:
    """Refuse to count rows as people while a column repeats as the name of a person does."""
    raise InvalidValueError(whose_rows(key))


def check_whose_rows(
    population: Population,
    person: str | None,
    repeats: Callable[[ColumnKind], None] = refuse_repeats,
    kinds_of: Callable[[Population], Iterable[ColumnKind]] = column_kinds,
) -> None:
    """Call ``repeats`` with a column that repeats as the name of a person does, if the user has not said whose rows.

    Raises
    ------
    InvalidTableError
        If person is "none" and the table has a column of that name.
    InvalidValueError
        If there is such a column and ``repeats`` is left as it is.
    """
    if person == NO_PERSON and NO_PERSON in population.columns:
        raise InvalidTableError(
            f"the table has a column {NO_PERSON!r}, and person {NO_PERSON!r} means that no column names the persons; "
            "rename the column"
        )
    if person is None and (key := repeated_key(population, kinds_of)) is not None:
        repeats(key)


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
    """Return the people of a table and some of its columns, if it is known whose rows they are.

    If the user has not said whose rows they are, all columns of a table that is read into this process are searched
    for a key, since one that is not asked for repeats just the same; and in a server's table those asked for and those
    with names as columns have that identify people. Otherwise only the columns asked for are read.

    Parameters
    ----------
    table, memory
        As for `discretion.Population`; or a Population.
    columns
        The columns to keep; None is all.
    person
        The column that names a person with several rows; "none" if every row is a person of its own; None if the user
        has not said.
    form
        How a CSV file is written.
    repeats
        Called with a column that repeats as the name of a person does, if person is None.
    kinds_of
        Returns what kind of column each is, if person is None.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If the table cannot be read as it stands, or lacks a column.
    InvalidValueError
        If a column repeats as the name of a person does, and person is None.
    """
    if isinstance(table, Population):
        if person_column(person) is not None:
            raise InvalidValueError("a Population knows its people already; name the person column when making it")
        if (named := "header" if form.header is not None else form.about_a_text) is not None:
            raise InvalidValueError(f"a Population is read already; say what {named} is when making it")
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
    """Return the rows of a server's table as people, with some columns and those that seem to identify people."""
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
