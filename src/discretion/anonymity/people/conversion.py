"""Conversion of a function's table to a Population, or an error that names the function."""

import inspect
from pathlib import Path
from typing import Protocol, TypeAlias, TypeGuard

from discretion.anonymity.people.marginals import SEVERAL_ROWS, Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import UnsupportedError
from discretion.estimate import quantity


class TableInMemory(Protocol):
    """A pandas, polars or Arrow table, or an Ibis table on any engine."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Give the rows as an Arrow stream."""
        ...


# The tables that Population takes: a path, an address, or a table in memory.
Table: TypeAlias = str | Path | TableInMemory
# A table has one row per person; a Population knows which rows belong to a person.
People: TypeAlias = Population | Table


def is_table(value: object) -> TypeGuard[Table]:
    """Return whether a value is of a kind that `Population` can read."""
    return isinstance(value, str | Path) or hasattr(value, "__arrow_c_stream__")


def as_population(people: object, for_marginals: str = "exposure_bound") -> Population:
    """Return the population, or make it from a table; refuse Marginals by naming the function to call with them."""
    if isinstance(people, Population):
        return people
    if isinstance(people, Marginals):
        raise UnsupportedError(
            f"{_called()} takes a Population or a table; got Marginals, which do not show which values a person has "
            f"together; call {for_marginals} with them, or make a discretion.Population(table)"
        )
    if not is_table(people):
        raise UnsupportedError(
            f"{_called()} takes a Population or a table; got {type(people).__name__}; a table is a path, an address, "
            "a pandas, polars or Arrow table, or an Ibis table"
        )
    return Population(people)


def as_population_of_rows(people: object, otherwise: str) -> Population:
    """Return the population if each of its people has one row; ``otherwise`` is why that is needed, and the way out."""
    population = as_population(people)
    if population.person is not None:
        raise UnsupportedError(otherwise)
    return population


def as_counts(people: object) -> Population | Marginals:
    """Return a source of counts of single columns: Marginals, or a population with one row per person."""
    return people if isinstance(people, Marginals) else as_population_of_rows(people, SEVERAL_ROWS)


def _called() -> str:
    """Return the name of the function of this package that was called from outside of it."""
    name, frame, package = "it", inspect.currentframe(), __name__.partition(".")[0]
    while frame is not None and (module := str(frame.f_globals.get("__name__"))).partition(".")[0] == package:
        if module != quantity.__module__:  # its wrapper has a name of its own
            name = frame.f_code.co_name
            if name == "__init__":
                name = type(frame.f_locals["self"]).__name__
        frame = frame.f_back
    return name
