"""Laws of a population before any report: the distribution of the shares P of people who hold each value."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_distribution
from discretion.errors import InvalidPriorError, InvalidValueError, UnsupportedError
from discretion.escaping import short_repr
from discretion.numerics.arrays import Integers, Reals
from discretion.validation import NotNumbersError, as_count, as_reals


@dataclass(frozen=True, eq=False, repr=False)
class Dirichlet:
    """The Dirichlet law with density proportional to ``Π_x P_x^(α_x - 1)`` on the simplex.

    Parameters
    ----------
    alpha
        The k >= 2 parameters, positive and finite; 1/2 each is Jeffreys' prior, 1 each the uniform law.

    Notes
    -----
    Source: LDP-info, section 2.5.

    Examples
    --------
    >>> Dirichlet([1, 1, 2]).mean.tolist()
    [0.25, 0.25, 0.5]
    """

    alpha: Reals

    def __init__(self, alpha: ArrayLike) -> None:
        parameters = as_parameters(alpha, "one for each of two or more values", at_least=2)
        parameters.setflags(write=False)
        object.__setattr__(self, "alpha", parameters)

    @classmethod
    def jeffreys(cls, k: int) -> "Dirichlet":
        """Return Jeffreys' prior on k values, α = 1/2 each: uniform in the natural distance of distributions.

        Parameters
        ----------
        k
            Number of values, at least 2.

        Examples
        --------
        >>> Dirichlet.jeffreys(3)
        Dirichlet([0.5, 0.5, 0.5])
        """
        return cls(np.full(as_count(k, "k", at_least=2), 0.5))

    def __repr__(self) -> str:
        return f"Dirichlet({np.array2string(self.alpha, threshold=8, separator=', ')})"

    @property
    def k(self) -> int:
        """The number of values."""
        return self.alpha.size

    @property
    def total(self) -> float:
        """The sum of the parameters."""
        return float(self.alpha.sum())

    @property
    def mean(self) -> Reals:
        """The mean of P: α over its sum."""
        return self.alpha / self.total

    @property
    def single_shares(self) -> tuple[Reals, Integers]:
        """The parameters of the beta laws of single shares, a row for each law, and the number of shares with each."""
        alpha, times = np.unique(self.alpha, return_counts=True)
        return np.stack([alpha, self.total - alpha], axis=1), times

    @property
    def is_symmetric(self) -> bool:
        """Whether all parameters are the same."""
        return bool(self.alpha.min() == self.alpha.max())


@dataclass(frozen=True, eq=False)
class PointMixture:
    """A finite mixture: P is one of some known distributions, each with a weight.

    Parameters
    ----------
    points
        Shape ``(points, k)``, k >= 2: a distribution of the values in each row.
    weights
        The probability of each point, shape ``(points,)``; they sum to 1.

    Notes
    -----
    With two points this is a test of two hypotheses about the population (LDP-info, Remark 4.4).

    Examples
    --------
    >>> PointMixture([[1, 0], [0.5, 0.5]], [0.5, 0.5]).mean.tolist()
    [0.75, 0.25]
    """

    points: Reals
    weights: Reals

    def __init__(self, points: ArrayLike, weights: ArrayLike) -> None:
        try:
            rows = as_reals(points)
        except NotNumbersError:
            raise InvalidPriorError("points must be distributions in rows of equal length") from None
        if rows.ndim != 2 or rows.shape[0] == 0 or rows.shape[1] < 2:
            raise InvalidPriorError(
                "points must be distributions of two or more values, one in each row, got an array of shape "
                f"{rows.shape}"
            )
        rows = np.stack([as_distribution(row, f"points[{number}]") for number, row in enumerate(rows)])
        law = as_distribution(weights, "weights")
        if law.size != len(rows):
            raise InvalidPriorError(f"weights must be one per point ({len(rows)}), got {law.size}")
        rows.setflags(write=False)
        object.__setattr__(self, "points", rows)
        object.__setattr__(self, "weights", law)

    @property
    def k(self) -> int:
        """The number of values."""
        return self.points.shape[1]

    @property
    def mean(self) -> Reals:
        """The mean of P: the mixture of the points."""
        return self.weights @ self.points

    @property
    def is_known(self) -> bool:
        """Whether only one P is possible."""
        possible = self.points[self.weights > 0]
        return bool((possible == possible[0]).all())


@dataclass(frozen=True, eq=False)
class DirichletMixture:
    """A finite mixture of Dirichlet laws: P has one of some Dirichlet laws, each with a weight.

    Parameters
    ----------
    alpha
        Shape ``(components, k)``, k >= 2: the parameters of a Dirichlet law in each row, positive and finite.
    weights
        The probability of each component, shape ``(components,)``; they sum to 1.

    Notes
    -----
    The posterior of a Dirichlet law after the reports of a local protocol is such a mixture (LDP-info, Proposition
    9.1). A mixture also represents a population of several kinds, for example one with a common value and one without.

    Examples
    --------
    >>> DirichletMixture([[8, 1, 1], [1, 1, 2]], [0.5, 0.5]).mean.round(3).tolist()
    [0.525, 0.175, 0.3]
    """

    alpha: Reals
    weights: Reals

    def __init__(self, alpha: ArrayLike, weights: ArrayLike) -> None:
        try:
            rows = as_reals(alpha)
        except NotNumbersError:
            rows = np.zeros(0)
        if rows.ndim != 2 or rows.shape[0] == 0:
            raise InvalidValueError(
                f"alpha must have the parameters of a Dirichlet law in each row, got {short_repr(alpha)}"
            )
        rows = np.stack([as_parameters(row, "one for each of two or more values", at_least=2) for row in rows])
        law = as_distribution(weights, "weights")
        if law.size != len(rows):
            raise InvalidPriorError(f"weights must be one per component ({len(rows)}), got {law.size}")
        rows.setflags(write=False)
        object.__setattr__(self, "alpha", rows)
        object.__setattr__(self, "weights", law)

    @property
    def k(self) -> int:
        """The number of values."""
        return self.alpha.shape[1]

    @property
    def components(self) -> tuple[Dirichlet, ...]:
        """The Dirichlet laws, one for each weight."""
        return tuple(Dirichlet(row) for row in self.alpha)

    @property
    def mean(self) -> Reals:
        """The mean of P: the mixture of the components' means."""
        return self.weights @ (self.alpha / self.alpha.sum(axis=1, keepdims=True))


def as_parameters(alpha: ArrayLike, how_many: str, *, at_least: int) -> Reals:
    """Return the parameters of a Dirichlet law, or raise an error unless they are this many positive numbers."""
    try:
        parameters = as_reals(alpha)
    except NotNumbersError:
        parameters = np.zeros(0)
    with np.errstate(over="ignore"):
        total = float(parameters.sum())
    if parameters.ndim != 1 or parameters.size < at_least or not math.isfinite(total) or parameters.min() <= 0:
        raise InvalidValueError(f"alpha must be positive numbers, {how_many}, got {short_repr(alpha)}")
    return parameters


PopulationLaw = Dirichlet | PointMixture | DirichletMixture


def as_population_law(population: Any, k: int) -> PopulationLaw:
    """Return the population law on k values; None means Jeffreys' prior."""
    if k < 2:
        raise InvalidPriorError("a channel with one input reveals nothing about a population; it needs two or more")
    if population is None:
        return Dirichlet.jeffreys(k)
    if not isinstance(population, PopulationLaw):
        raise UnsupportedError(
            f"population must be None, a discretion.Dirichlet, a discretion.PointMixture or a "
            f"discretion.DirichletMixture, got {type(population).__name__}"
        )
    if population.k != k:
        raise InvalidPriorError(f"the population has {population.k} values and the system {k}")
    return population
