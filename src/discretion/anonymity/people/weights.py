"""Sampling weights: the number of people that each row of a sample stands for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from discretion.anonymity.people.population import Population
from discretion.errors import InvalidTableError, InvalidValueError, UnsupportedError
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.equivalence_classes import everybody, refined

# What a sum of weights may be off by where they are rounded.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class WeightedClasses:
    """The classes of people who look alike in a weighted sample.

    Parameters
    ----------
    sizes
        How many of the sample's people are in each class.
    weights
        Their weights added up: an estimate of how many people are in it in the population.
    equal
        Whether all rows weigh the same, as in a sample for which everybody was as likely to be drawn.
    """

    sizes: Integers
    weights: Reals
    equal: bool

    @property
    def people(self) -> float:
        """How many people the population has, estimated: all weights added up."""
        return float(self.weights.sum())


def weighted_classes(people: Population, columns: Sequence[str], weight: str) -> WeightedClasses:
    """Return the classes of a sample's people on some columns, with the weights that another column has.

    Raises
    ------
    InvalidTableError
        If a weight is missing, no number, or below 1: a person stands for herself at least.
    InvalidValueError
        If the weights are of a column that is known.
    """
    (weight,) = people.known([weight])
    if weight in columns:
        raise InvalidValueError(f"the column {weight!r} holds weights, so it cannot be one that is known of people")
    if people.person is not None:
        raise UnsupportedError("weights are of people with one row each; make a table with one row a person first")
    from discretion.tables.counting.codes import column_values  # noqa: PLC0415 - imports Ibis

    values_of = people.read_rows(lambda rows, length: column_values(rows, [*columns, weight], length))
    if values_of is None:
        raise UnsupportedError(
            "weights are added up where the rows are in this process, and these are not, or are too many; pass the "
            "rows themselves"
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
            f"the column {weight!r} has values that are no numbers, or none: a weight is the number of people that a "
            "row stands for; leave out the rows without one, or name another column"
        )
    if (numbers < 1 - _ROUNDING).any():
        raise InvalidTableError(
            f"the column {weight!r} has weights below 1, and each row is one person at least; scale them, so that they "
            "add up to the people there are"
        )
    return np.maximum(numbers, 1.0)
