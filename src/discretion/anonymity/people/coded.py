"""Codes of people's columns, for functions that count row by row in this process."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from discretion.anonymity.people.population import Population
from discretion.errors import UnsupportedError
from discretion.numerics.equivalence_classes import Column

T = TypeVar("T")


def in_process(people: Population, memory: int | str | None = None) -> Population:
    """Return people with rows in this process: for a server's table a copy of its rows at one moment."""
    from discretion.tables.ibis_tables import rows_in_process  # noqa: PLC0415 - imports Ibis

    return people.with_rows(lambda rows: rows_in_process(rows, memory), None)


def codes_of(population: Population, columns: Iterable[str], what: str) -> Mapping[str, Column]:
    """Return each column in codes, with null as a value, in the order of the rows; ``what`` names the caller.

    Examples
    --------
    >>> codes_of(Population("example:adult"), ["sex"], "this")["sex"].count
    2
    """
    from discretion.tables.counting.codes import column_codes  # noqa: PLC0415 - imports Ibis

    names = population.known(columns)
    return _needed(in_process(population).read_rows(lambda rows, length: column_codes(rows, names, length)), what)


def values_of(population: Population, columns: Iterable[str], what: str) -> Mapping[str, tuple[Column, Any]]:
    """Return each column in codes, and the values of the codes as an Arrow array; ``what`` names the caller."""
    from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis

    names = population.known(columns)
    return _needed(in_process(population).read_rows(lambda rows, length: column_values(rows, names, length)), what)


def _needed(coded: Mapping[str, T] | None, what: str) -> Mapping[str, T]:
    if coded is None:
        raise UnsupportedError(
            f"{what} need the rows of the table in this process, but there are too many, or they have a type without "
            "codes; choose fewer columns"
        )
    return coded
