"""Codes of people's columns, for what is counted row by row in this process."""

from collections.abc import Iterable, Mapping
from typing import Any

from discretion.anonymity.people.population import Population
from discretion.errors import UnsupportedError
from discretion.numerics.equivalence_classes import Column


def codes_of(population: Population, columns: Iterable[str], what: str) -> dict[str, Column]:
    """Return each column in codes, null being a value, in the order of the rows; ``what`` needs them, if they are kept.

    Examples
    --------
    >>> codes_of(Population("example:adult"), ["sex"], "this")["sex"].count
    2
    """
    return {name: column for name, (column, _) in values_of(population, columns, what).items()}


def values_of(population: Population, columns: Iterable[str], what: str) -> Mapping[str, tuple[Column, Any]]:
    """Return each column in codes, and the values that they stand for as an Arrow array; ``what`` needs them.

    The rows of a server's table are brought into this process by one question.
    """
    from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis
    from discretion.tables.ibis_tables import rows_in_process  # noqa: PLC0415

    names = population.known(columns)
    here = population.with_rows(rows_in_process, None)
    coded = here.read_rows(lambda rows, length: column_values(rows, names, length))
    if coded is None:
        raise UnsupportedError(
            f"{what} need the rows of the table in this process; these are too many, or of a type without codes; "
            "choose fewer columns"
        )
    return coded
