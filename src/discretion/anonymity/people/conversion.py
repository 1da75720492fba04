"""What functions take for people, or the sentence that says what they would take."""

import inspect

from discretion.anonymity.people.marginals import SEVERAL_ROWS, Marginals
from discretion.anonymity.people.population import Population
from discretion.errors import UnsupportedError


def counted(people: object) -> Population | Marginals:
    """Return people of whom single columns tell something: a population with a row each, or its marginals."""
    if isinstance(people, Marginals):
        return people
    return with_a_row_each(people, SEVERAL_ROWS)


def with_a_row_each(population: object, otherwise: str) -> Population:
    """Return the population if each of its people has one row; ``otherwise`` says why, and the way out."""
    people = as_population(population)
    if people.person is not None:
        raise UnsupportedError(otherwise)
    return people


def as_population(population: object, of_marginals: str = "exposure_bound") -> Population:
    """Return the population, or say how to make one of what was given, or what to call with Marginals instead."""
    if isinstance(population, Marginals):
        raise UnsupportedError(
            f"{_called()} takes a Population; got Marginals, which do not tell which values a person has together; "
            f"call {of_marginals} with them, or make a discretion.Population(table)"
        )
    if not isinstance(population, Population):
        raise UnsupportedError(
            f"{_called()} takes a Population; got {type(population).__name__}; make one with "
            f"discretion.Population(table)"
        )
    return population


def _called() -> str:
    """Return the name of the function of this package that was called from outside of it."""
    name, frame, package = "it", inspect.currentframe(), __name__.partition(".")[0]
    while frame is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == package:
        name, frame = frame.f_code.co_name, frame.f_back
    return name
