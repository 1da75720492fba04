"""Codes of people's columns, for what is counted row by row in this process."""

from collections.abc import Iterable

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
    from discretion.tables.counting.codes import column_codes  # noqa: PLC0415 - imports Ibis

    names = population.known(columns)
    coded = population.read_rows(lambda rows, length: column_codes(rows, names, length))
    if coded is None:
        raise UnsupportedError(
            f"{what} need the rows of the table in this process; these are on a server, too many, or of a type without "
            "codes; export the columns to a file, or choose fewer columns"
        )
    return coded
