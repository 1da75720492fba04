"""The goals of a search for a mechanism, and the best mixture of columns for a goal where no grid is needed."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from discretion import limits
from discretion.adversaries.gains import gain_matrix
from discretion.adversaries.populations import Dirichlet, PointMixture
from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, highest, in_doubles, lowest
from discretion.information.design.frontier import ERASURE, frontier_utility, has_frontier
from discretion.information.design.linear import LinearObjective, Saving, information, leak
from discretion.information.design.logdet import MOST_VALUES_OF_GAUSS, LogDeterminant, highest_slopes, quadrature_points
from discretion.information.design.many_values import best_size, greatest_utility, least_utility, trial_sizes
from discretion.information.design.search import Mixture, Objective, Problem
from discretion.information.design.staircase import Columns, all_sets, columns_of, orbits_of
from discretion.information.entropies import value_entropy
from discretion.information.utility.asymptotic_utility import CONFIDENCE, asymptotic_utility
from discretion.measures.guesses.vulnerability import posterior_vulnerability
from discretion.measures.information.mutual_information import mutual_information
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import relative_excess

# Values all of whose sets are columns of the best mechanism.
MAX_VALUES_SOUGHT = 12
# The same where all values are alike, so that sets of a size are one.
MAX_ALIKE_VALUES_SOUGHT = 1000
# The same for the asymptotic utility, between bounds: a minute.
MAX_VALUES_BOUNDED = 10**6
# Entries of a loss matrix in a linear program.
MAX_LOSSES = 1 << 14

_CERTAIN = 300.0  # an ε at which nobody lies, whose e^2ε is finite
_FEW_POINTS, _MOST_POINTS = 1 << 10, 1 << 12
_ROUNDING = 1e-11
_HALVINGS = 60
_LEAST_TOTAL = 0.01
_EXACT = "over all ε-LDP mechanisms"
_QUADRATURE = f"{_EXACT}, for the quadrature's objective; the value's interval adds the quadrature's error"
_BOUNDS = f"{_EXACT}: no mixture is above the upper bound, and this size of subset is not below the lower one"
_BOTH = "over all mechanisms within both bounds: none is above the upper bound, and this one is not below the lower one"


@dataclass(frozen=True, eq=False)
class Optimum:
    """A mixture of columns, and a bound on how much another mixture can be better."""

    columns: Columns
    weights: Reals
    gap: float
    certificate: str
    error: float | None = 0.0
    """The quadrature's error, which the gap does not include; None if the gap does not cover all mechanisms."""

    value: float | Estimate | None = None
    """The optimum, gap and error included, where it is known without the mechanism's channel."""


class Goal(ABC):
    """A quantity that a mechanism is to make as large as possible, or as small."""

    best_is_least: ClassVar[bool] = False
    confidence: ClassVar[float | None] = None

    def __init__(self, law: Dirichlet | PointMixture) -> None:
        self.law = law

    @property
    def scale(self) -> float:
        """The factor from the objective to the quantity."""
        return 1.0

    @property
    def symmetric(self) -> bool:
        """Whether all values are equivalent: a mixture of orbits of columns is then at least as good as any mixture."""
        return isinstance(self.law, Dirichlet) and self.law.is_symmetric

    @property
    @abstractmethod
    def most_values(self) -> int:
        """The largest number of values for which all sets of values, or all orbits of sets, are tried."""

    @abstractmethod
    def value(self, mechanism: System) -> float | Estimate:
        """Return the quantity."""

    def optimum(self, value: float | Estimate, better: float) -> float | Estimate:
        """Return the optimum, given a mechanism's value and a bound on how much better another mechanism can be."""
        if better <= max(1e-12, 1e-10 * abs(float(value))):  # the precision of a float
            return value
        above = 0.0 if self.best_is_least else better
        method = f"{value.method}, duality gap" if isinstance(value, Estimate) else "duality gap"
        return Estimate(float(value), lowest(value) - better + above, highest(value) + above, self.confidence, method)

    @abstractmethod
    def objective(self, columns: Columns) -> Objective:
        """Return the quantity, up to sign and scale, as an objective for columns like these."""

    @abstractmethod
    def under(self, epsilon: float) -> Optimum:
        """Return the best mixture under ε-LDP, for three or more values and ε neither 0 nor infinite."""

    def private(self, epsilon: float, privacy: float) -> Optimum | None:
        """Return the best mixture under both bounds; None where it needs a search on a grid."""
        return None

    def columns(self, epsilons: Reals) -> Columns:
        """Return the columns with these ε for all sets of values, or their orbits."""
        k = self.law.k
        if k > self.most_values:
            which = "under a symmetric population" if self.symmetric else "where values differ"
            raise TooLargeError(
                f"the search for the best mechanism tries all sets of values: {which}, k must be at most "
                f"{self.most_values:,}; got {k:,}. Compare named mechanisms instead"
            )
        if self.symmetric:
            return orbits_of(k, np.arange(1, k), epsilons)
        return columns_of(all_sets(k), epsilons)

    def singles(self, epsilons: Reals) -> Columns:
        """Return the columns of k-RR with these ε."""
        k = self.law.k
        if self.symmetric:
            return orbits_of(k, np.ones(1, dtype=np.int64), epsilons)
        return columns_of(np.eye(k, dtype=np.bool_), epsilons)


class InformationGoal(Goal):
    """The mutual information of a value and its report, the value's law being the population's mean."""

    @property
    def most_values(self) -> int:
        """Linear programs are solved fast."""
        return most_alike_values() if self.symmetric else MAX_VALUES_SOUGHT

    def value(self, mechanism: System) -> float | Estimate:
        """Return ``I(X; Y)``."""
        return mutual_information(mechanism, None if self._uniform else self.law.mean)

    def objective(self, columns: Columns) -> Objective:
        """Return ``I(X; Y)``."""
        worth = information(self.law.mean)
        return LinearObjective(worth, float(worth(columns).max()))

    def under(self, epsilon: float) -> Optimum:
        """Return the best size of subset selection if all values are equally common, else solve the linear program."""
        return self._best_size(epsilon) if self._uniform else by_linear_program(self, epsilon)

    @property
    def _uniform(self) -> bool:
        return bool(np.ptp(self.law.mean) == 0)

    def _best_size(self, epsilon: float) -> Optimum:
        # With t = d/k the information of subset selection rises up to t = (ε e^ε - e^ε + 1)/(e^ε - 1)², and falls from
        # there: its derivative has the sign of ε e^ε/(e^ε - 1) - (1 + t(e^ε - 1)).
        k, odds = self.law.k, float(np.expm1(min(epsilon, _CERTAIN)))
        peak = int(k * float(relative_excess(odds)) / odds**2)
        sizes = np.unique(np.clip([peak, peak + 1], 1, k - 1))
        both = orbits_of(k, sizes, np.array([epsilon]))
        best = both[[int(information(self.law.mean)(both).argmax())]]
        return Optimum(best, np.ones(1), 0.0, f"{_EXACT}, as the information has one peak in the size of a subset")


class LossGoal(Goal):
    """The expected loss of the best guess at a value from its report, the value's law being the population's mean."""

    best_is_least: ClassVar[bool] = True

    def __init__(self, law: Dirichlet | PointMixture, loss: Reals) -> None:
        super().__init__(law)
        self._loss = loss
        self._saving = Saving.from_loss(loss, law.mean)

    @property
    def symmetric(self) -> bool:
        """Whether all values are equivalent, and each guess is correct for one value and equally wrong for the rest."""
        k = self.law.k
        if not super().symmetric or self._loss.shape != (k, k):
            return False
        right, wrong = self._loss[0, :2]
        return np.array_equal(self._loss, wrong + np.diag(np.full(k, right - wrong)))

    @property
    def most_values(self) -> int:
        """The largest number of values under average privacy, where sets of values are tried."""
        return most_alike_values() if self.symmetric else MAX_VALUES_SOUGHT

    def value(self, mechanism: System) -> float | Estimate:
        """Return ``R(π, C)``."""
        return -in_doubles(posterior_vulnerability(mechanism, self.law.mean, gain_matrix(-self._loss)))

    def objective(self, columns: Columns) -> Objective:
        """Return ``R(π) - R(π, C)``."""
        return LinearObjective(self._saving.worth, float(self._saving.worth(columns).max()) or 1.0)

    def under(self, epsilon: float) -> Optimum:
        """Solve the linear program of the channel from value to guess, and that of its columns for exact weights."""
        if self.symmetric:
            return by_linear_program(self, epsilon)
        if self._loss.size > (most := limits.current().steps(MAX_LOSSES, each=1 << 16)):
            raise TooLargeError(
                f"a loss matrix must have at most {most:,} entries, beyond which the linear program takes too "
                f"long; got {self._loss.size:,}"
            )
        columns, duals = self._saving.best(epsilon)
        columns = columns.joined(self.singles(np.array([epsilon])))
        problem = Problem(self.objective(columns))
        mixture = replace(problem.best(columns), duals=duals)
        return _optimum(problem, mixture, self._saving.promising(epsilon, duals))


class UtilityGoal(Goal):
    """The asymptotic utility, for a population with a density."""

    confidence: ClassVar[float | None] = CONFIDENCE
    law: Dirichlet

    def __init__(self, law: Dirichlet, rng: np.random.Generator) -> None:
        super().__init__(law)
        self._rng = rng

    @property
    def scale(self) -> float:
        """The factor from the log-determinant to the utility: one half per degree of freedom."""
        return 1 / (2 * self.law.k - 2)

    @property
    def most_values(self) -> int:
        """The largest number of values: all sets are evaluated in all points, and all their pairs if values differ."""
        return min(12 if self.symmetric else 8, MAX_VALUES_SOUGHT)

    def _by_bounds(self) -> bool:
        """Return whether the search computes bounds only, for many equivalent values; raise if there are too many."""
        k, most = self.law.k, limits.current().steps(MAX_VALUES_BOUNDED, each=1 << 12)
        if self.symmetric and k > max(most, self.most_values):
            raise TooLargeError(
                f"under a symmetric population, the bounds on the best mechanism need k of at most {most:,}; got "
                f"{k:,}. Compare named mechanisms instead"
            )
        if self.symmetric and k > self.most_values and (total := self.law.total) < _LEAST_TOTAL:
            raise TooLargeError(
                f"for more than {self.most_values} values alpha must sum to at least {_LEAST_TOTAL:g}, since integrals "
                f"have too many points below that; got {total:g}"
            )
        return self.symmetric and k > self.most_values

    def value(self, mechanism: System) -> float | Estimate:
        """Return the asymptotic utility U^as."""
        return asymptotic_utility(mechanism, self.law, self._rng)

    def objective(self, columns: Columns) -> Objective:
        """Return the log-determinant, computed by a quick quadrature."""
        return LogDeterminant(*quadrature_points(self.law, _FEW_POINTS, self._rng))

    def under(self, epsilon: float) -> Optimum:
        """Solve the concave problem with a better quadrature, and bound its slopes under the population itself."""
        if self._by_bounds():
            enough = min(epsilon, _CERTAIN)
            size, least = best_size(self.law, enough)
            column = orbits_of(self.law.k, np.array([size]), np.array([epsilon]))
            return _bounded(column, np.ones(1), least, greatest_utility(self.law, size, enough), _BOUNDS)
        epsilons = np.array([epsilon])
        columns, start = self.columns(epsilons), self.singles(epsilons)
        if not self.symmetric and self.law.k > MOST_VALUES_OF_GAUSS:  # few points find the columns that matter
            start = Problem(self.objective(columns)).search(start, columns).columns
        problem = Problem(LogDeterminant(*quadrature_points(self.law, _MOST_POINTS, self._rng)))
        mixture = problem.search(start, columns)
        upper = highest_slopes(self.law, columns, mixture, self._rng)
        optimum = _optimum(problem, mixture, columns, self.scale)
        error = max(0.0, self.scale * problem.gap(mixture, columns, upper) - optimum.gap)
        return replace(optimum, certificate=_QUADRATURE, error=error)

    def private(self, epsilon: float, privacy: float) -> Optimum | None:
        """Return erasure where it is optimal; for many values the best subset selection, with an upper bound."""
        most = lowest(self.value(RandomizedResponse(self.law.k, np.inf)))
        if has_frontier(self.law):
            most = frontier_utility(most, privacy)
            if epsilon == np.inf:
                either = self.singles(np.array([np.inf, 0.0]))
                return Optimum(either, np.array([1 - privacy, privacy]), 0.0, ERASURE, value=most)
        if not self._by_bounds():
            return None
        if epsilon < np.inf:
            enough = min(epsilon, _CERTAIN)
            most = min(most, greatest_utility(self.law, best_size(self.law, enough)[0], enough))
        epsilon = min(epsilon, _CERTAIN)
        sizes = trial_sizes(self.law.k)
        epsilons = largest_epsilons(self.law, sizes, epsilon, privacy)
        least = [least_utility(self.law, *pair) for pair in zip(sizes.tolist(), epsilons.tolist(), strict=True)]
        best = int(np.argmax(least))
        # Or k-RR at a larger ε, and a report of nothing as often as privacy takes.
        either = self.singles(np.array([epsilon, 0.0]))
        rate = min(1.0, (1 - privacy) * value_entropy(self.law) / float(leak(self.law)(either)[0]))
        seldom = least_utility(self.law, 1, epsilon) + math.log(rate) / 2
        if seldom > least[best] and self.law.k <= MAX_ALIKE_VALUES_SOUGHT:
            return _bounded(either, np.array([rate, 1 - rate]), seldom, most, _BOTH)
        chosen = orbits_of(self.law.k, sizes[[best]], epsilons[[best]])
        return _bounded(chosen, np.ones(1), least[best], most, _BOTH)


def most_alike_values() -> int:
    """Return the largest number of equivalent values for which linear programs are solved."""
    return limits.current().steps(MAX_ALIKE_VALUES_SOUGHT, each=1 << 20)


def by_linear_program(goal: Goal, epsilon: float) -> Optimum:
    """Return the best mixture for a goal that is linear in the weights, under ε-LDP."""
    columns = goal.columns(np.array([epsilon]))
    problem = Problem(goal.objective(columns))
    return _optimum(problem, problem.search(goal.singles(np.array([epsilon])), columns), columns, goal.scale)


def _optimum(problem: Problem, mixture: Mixture, columns: Columns, scale: float = 1.0) -> Optimum:
    gap = scale * problem.gap(mixture, columns, problem.objective.slopes(columns, mixture))
    return Optimum(mixture.columns, mixture.weights, gap, f"{_EXACT}, by the dual of the linear program")


def _bounded(columns: Columns, weights: Reals, least: float, most: float, certificate: str) -> Optimum:
    gap = max(0.0, most - least)
    # The bits of a subset lose information; those of k-RR are its report.
    if gap <= _ROUNDING * max(1.0, abs(least)) and int(columns.sizes[0]) == 1:
        return Optimum(columns, weights, gap, certificate, value=least)
    room = _ROUNDING * (1 + abs(least))
    value = Estimate(least, least - room, least + gap + room, None, "support bits, concavity")
    return Optimum(columns, weights, gap, certificate, value=value)


def largest_epsilons(law: Dirichlet | PointMixture, sizes: Integers, epsilon: float, privacy: float) -> Reals:
    """Return, for each size, the largest ε up to a limit at which subset selection has this average privacy."""
    allowed, leaked = (1 - privacy) * value_entropy(law), leak(law)
    low, high = np.zeros(sizes.size), np.full(sizes.size, epsilon)
    kept = leaked(Columns(law.k, sizes, high, None)) <= allowed
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fits = leaked(Columns(law.k, sizes, middle, None)) <= allowed
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    return np.where(kept, epsilon, low)
