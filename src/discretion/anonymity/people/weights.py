"""Sampling weights: the number of people that each row of a sample stands for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from discretion.anonymity.people.population import Population
from discretion.errors import InvalidTableError, InvalidValueError, UnsupportedError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.equivalence_classes import everybody, refined

# The tolerance for rounded weights.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class WeightedClasses:
    """The equivalence classes of a weighted sample.

    Parameters
    ----------
    sizes
        The number of the sample's people in each class.
    weights
        The sum of their weights: an estimate of the number of people in the class in the population.
    equal
        Whether all rows have the same weight, as in a sample where everybody was equally likely to be drawn.
    """

    sizes: Integers
    weights: Reals
    equal: bool

    @property
    def people(self) -> float:
        """The estimated number of people in the population: the sum of all weights."""
        return float(self.weights.sum())


def weighted_classes(people: Population, columns: Sequence[str], weight: str) -> WeightedClasses:
    """Return the classes of a sample's people on some columns, with the weights in another column.

    Raises
    ------
    InvalidTableError
        If a weight is missing, not a number, or below 1: a row stands for at least one person.
    InvalidValueError
        If the adversary knows the column of weights.
    """
    (weight,) = people.known([weight])
    if weight in columns:
        raise InvalidValueError(f"the column {weight!r} holds weights, so the adversary cannot know it; leave it out")
    if people.person is not None:
        raise UnsupportedError("weights need people with one row each; make a table with one row per person first")
    from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis

    values_of = people.read_rows(lambda rows, length: column_values(rows, [*columns, weight], length))
    if values_of is None:
        raise UnsupportedError(
            "weights need the rows in this process, but they are in another engine, or too many; pass the rows "
            "themselves"
        )
    coded, values = values_of[weight]
    numbers = _numbers(values.to_pylist(), weight)
    classes = reduce(refined, (values_of[name][0] for name in columns), everybody(coded.codes.size))
    sizes, added = np.bincount(classes.codes), np.bincount(classes.codes, numbers[coded.codes])
    equal = bool((numbers == numbers[:1]).all())
    return WeightedClasses(sizes[sizes > 0], np.asarray(added[sizes > 0], np.float64), equal)


def _numbers(values: Sequence[object], weight: str) -> Reals:
    try:
        numbers = np.array([np.nan if value is None else float(str(value)) for value in values])
    except ValueError:
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise InvalidTableError(
            f"the column {weight!r} has missing values or values that are not numbers; a weight is the number of "
            "people that a row stands for; leave out the rows without one, or name another column"
        )
    if (numbers < 1 - _ROUNDING).any():
        raise InvalidTableError(
            f"the column {weight!r} has weights below 1, but each row is at least one person; scale them so that they "
            "add up to the number of people in the population"
        )
    return np.maximum(numbers, 1.0)
