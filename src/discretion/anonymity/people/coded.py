"""Codes of people's columns, for what is counted row by row in this process."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from discretion.anonymity.people.population import Population
from discretion.errors import UnsupportedError
from discretion.numerics.equivalence_classes import Column

T = TypeVar("T")


def in_process(people: Population, memory: int | str | None = None) -> Population:
    """Return people whose rows are in this process: of a server's table as they are at one moment."""
    from discretion.tables.ibis_tables import rows_in_process  # noqa: PLC0415 - imports Ibis

    return people.with_rows(lambda rows: rows_in_process(rows, memory), None)


def codes_of(population: Population, columns: Iterable[str], what: str) -> Mapping[str, Column]:
    """Return each column in codes, null being a value, in the order of the rows; ``what`` needs them.

    Examples
    --------
    >>> codes_of(Population("example:adult"), ["sex"], "this")["sex"].count
    2
    """
    from discretion.tables.counting.codes import column_codes  # noqa: PLC0415 - imports Ibis

    names = population.known(columns)
    return _needed(in_process(population).read_rows(lambda rows, length: column_codes(rows, names, length)), what)


def values_of(population: Population, columns: Iterable[str], what: str) -> Mapping[str, tuple[Column, Any]]:
    """Return each column in codes, and the values that they stand for as an Arrow array; ``what`` needs them."""
    from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis

    names = population.known(columns)
    return _needed(in_process(population).read_rows(lambda rows, length: column_values(rows, names, length)), what)


def _needed(coded: Mapping[str, T] | None, what: str) -> Mapping[str, T]:
    if coded is None:
        raise UnsupportedError(
            f"{what} need the rows of the table in this process; these are too many, or of a type without codes; "
            "choose fewer columns"
        )
    return coded
