"""The knowledge that an adversary of a shuffled collection has of the users other than its target."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from numpy.typing import ArrayLike

from discretion.adversaries.populations import as_parameters
from discretion.adversaries.priors import as_distribution
from discretion.errors import InvalidValueError
from discretion.escaping import short_repr
from discretion.tables.counting.threshold import most_exposed
from discretion.validation import as_count, as_probability


class Knowledge:
    """The knowledge that an adversary has of the other users of the crowd."""


@dataclass(frozen=True)
class Uninformed(Knowledge):
    """The other users' values are i.i.d. from a population law, and the adversary knows only this law.

    Parameters
    ----------
    population
        Probabilities of the k values, or None for the uniform law (Shuffle, section IV: a uniform prior on datasets).

    Examples
    --------
    >>> Uninformed(population=[0.9, 0.1]).population
    (0.9, 0.1)
    """

    population: tuple[float, ...] | None = None

    def __init__(self, population: ArrayLike | None = None) -> None:
        object.__setattr__(self, "population", _as_population(population))


@dataclass(frozen=True)
class AllButOne(Knowledge):
    """The adversary knows the values of all n-1 other users, as in differential privacy's strong adversary.

    Parameters
    ----------
    known_counts
        The number of other users who hold each value: whole numbers that sum to n-1 (Shuffle, section V).

    Examples
    --------
    >>> AllButOne([0, 200]).known_counts
    (0, 200)
    """

    known_counts: tuple[int, ...]

    def __init__(self, known_counts: Iterable[int]) -> None:
        object.__setattr__(self, "known_counts", _as_counts(known_counts))


@dataclass(frozen=True)
class PartlyInformed(Knowledge):
    """The adversary knows the values of some other users; the values of the rest are i.i.d. from a population law.

    Parameters
    ----------
    known_counts
        The number of known other users who hold each value: whole numbers that sum to at most n-1.
    population
        Probabilities of the k values for the users whose values are not known, or None for the uniform law.

    Notes
    -----
    More knowledge of the other users helps an adversary on average over what is known, but not for every known count.

    Examples
    --------
    >>> PartlyInformed([3, 0], population=[0.9, 0.1])
    PartlyInformed(known_counts=(3, 0), population=(0.9, 0.1))
    """

    known_counts: tuple[int, ...]
    population: tuple[float, ...] | None = None

    def __init__(self, known_counts: Iterable[int], population: ArrayLike | None = None) -> None:
        object.__setattr__(self, "known_counts", _as_counts(known_counts))
        object.__setattr__(self, "population", _as_population(population))


@dataclass(frozen=True)
class Exchangeable(Knowledge):
    """All n values, the target's included, are i.i.d. from one population that is itself drawn from Dirichlet(α).

    The reports then reveal the population, and through it the target's value. This is the adversary that does not know
    how common the values are.

    Parameters
    ----------
    alpha
        The k parameters of the Dirichlet law, positive; with all equal to 1 every population is equally likely.

    Examples
    --------
    >>> Exchangeable([1, 1, 2]).prior
    (0.25, 0.25, 0.5)
    """

    alpha: tuple[float, ...]

    def __init__(self, alpha: ArrayLike) -> None:
        parameters = as_parameters(alpha, "one per value", at_least=1)
        object.__setattr__(self, "alpha", tuple(parameters.tolist()))

    @property
    def prior(self) -> tuple[float, ...]:
        """The law of the target's value: alpha divided by its sum."""
        total = math.fsum(self.alpha)
        return tuple(a / total for a in self.alpha)


@dataclass(frozen=True)
class WorstAllButOne(Knowledge):
    """The adversary knows the values of all other users, and these values expose the target most.

    Parameters
    ----------
    dropouts
        The share of the n-1 other users, in [0, 1], whose reports may not arrive: at most ⌊dropouts · (n-1)⌋ of them,
        those whose absence exposes the target most. The adversary knows who they are. A float stands for the simplest
        fraction that rounds to it.

    Notes
    -----
    A differential privacy guarantee is about this adversary. The worst values need not all be the same (for k = 2 a
    mixture can be worse).

    An adversary that knows a user's value can add a report of that user itself. So fewer reports expose the target at
    least as much, and the worst dropouts leave the worst crowd of n - ⌊dropouts · (n-1)⌋ users (Discretion). This
    covers users who drop out whatever their report would be; it does not cover users who look at their report first.

    Examples
    --------
    >>> WorstAllButOne()
    WorstAllButOne(dropouts=0.0)
    >>> WorstAllButOne(dropouts=0.1).remaining(1001)
    901
    """

    dropouts: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "dropouts", as_probability(self.dropouts, "dropouts"))

    def remaining(self, n: int) -> int:
        """Return the least number of n users who report, the target included."""
        return n - most_exposed(n - 1, self.dropouts, "dropouts")


def _as_counts(known_counts: Iterable[int]) -> tuple[int, ...]:
    try:
        counts = tuple(as_count(count, "each known count", at_least=0) for count in known_counts)
    except TypeError:
        counts = ()
    if not counts:
        raise InvalidValueError(f"known_counts must be one count per value, got {short_repr(known_counts)}")
    return counts


def _as_population(population: ArrayLike | None) -> tuple[float, ...] | None:
    return None if population is None else tuple(as_distribution(population, "population").tolist())
