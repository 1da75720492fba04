"""What the adversary of a shuffled collection knows of the users other than her target."""

from collections.abc import Iterable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from tacit.adversaries.priors import as_distribution
from tacit.errors import InvalidValueError
from tacit.validation import as_count


class Knowledge:
    """What is known of the others in the crowd."""


@dataclass(frozen=True)
class Uninformed(Knowledge):
    """The others' values are i.i.d. from a population law, and nothing more is known of them.

    Parameters
    ----------
    population
        Probabilities of the k values, or None for the uniform law (Shuffle, section IV: a uniform prior on datasets).

    Raises
    ------
    InvalidPriorError
        If the population is not a probability distribution.

    Examples
    --------
    >>> Uninformed(population=[0.9, 0.1]).population
    (0.9, 0.1)
    """

    population: tuple[float, ...] | None = None

    def __init__(self, population: ArrayLike | None = None) -> None:
        law = None if population is None else tuple(as_distribution(population, "population").tolist())
        object.__setattr__(self, "population", law)


@dataclass(frozen=True)
class AllButOne(Knowledge):
    """The values of all n-1 others are known, only the target's is not: differential privacy's strong adversary.

    Parameters
    ----------
    known_counts
        How many of the others hold each value, whole numbers that sum to n-1 (Shuffle, section V).

    Raises
    ------
    InvalidValueError
        If a count is not a whole number of at least 0.

    Examples
    --------
    >>> AllButOne([0, 200]).known_counts
    (0, 200)
    """

    known_counts: tuple[int, ...]

    def __init__(self, known_counts: Iterable[int]) -> None:
        try:
            counts = tuple(as_count(count, "each known count", at_least=0) for count in known_counts)
        except TypeError:
            counts = ()
        if not counts:
            raise InvalidValueError(f"known_counts must be one count per value, got {known_counts!r}")
        object.__setattr__(self, "known_counts", counts)
