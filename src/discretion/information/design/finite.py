"""The best mechanism for the distribution utility of n reports.

For one report ``I(Y; P)`` is linear in the weights of a mixture's columns: the optimum is a linear program's. For more
reports it is not even concave: the search returns the best of some mechanisms, with an upper bound over all mechanisms.
``I(Y⃗; P)`` is at most

- n times the largest information of one report, as reports are independent given P;
- the information of ``Binomial(n, η)`` honest answers, ``η = tanh(ε/2)²``: the contraction coefficient of a channel
  under ε-LDP is at most η, so that erasure with probability 1 - η is less noisy, for one person and for n. The
  information of honest answers is concave in their number, so that its mean is at most its value at the mean number,
  interpolated between two whole numbers.

Sources: Asoodeh and Zhang, Contraction of Locally Differentially Private Mechanisms, 2022 (η); Polyanskiy and Wu,
Strong Data-Processing Inequalities for Channels and Bayesian Networks, 2017 (erasure).
"""

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from discretion.adversaries.populations import Dirichlet, PointMixture
from discretion.channels.channel import Channel, System
from discretion.errors import InvalidPriorError, TooLargeError
from discretion.estimate import Estimate, highest, lowest
from discretion.information.design.goals import MAX_VALUES_SOUGHT, Goal, Optimum, by_linear_program, most_alike_values
from discretion.information.design.linear import LinearObjective, population_worth
from discretion.information.design.staircase import Columns, orbits_of
from discretion.information.privacy.average_privacy import average_privacy
from discretion.information.utility.asymptotic_utility import CONFIDENCE
from discretion.information.utility.population_information import plan_population_information
from discretion.information.utility.utility import distribution_utility, truth
from discretion.mechanisms.protocols.subset_selection import SubsetSelection
from discretion.numerics.arrays import Reals

# Values whose subset selections are compared for two or more reports, which are often sampled.
MAX_VALUES_WEIGHED = 8

_HALVINGS, _SECTIONS = 50, 16
_GOLDEN = (math.sqrt(5) - 1) / 2
_CERTAIN = 300.0  # an ε at which nobody lies
_CONTRACTED = (
    "over all ε-LDP mechanisms, by n times the best single report and by Binomial(n, tanh(ε/2)²) honest answers; the "
    "mechanism is the best of subset selections and of mixtures of two sizes, and is not proven to be the best of all"
)
_NO_BOUND = (
    "over all mechanisms, by the truth alone, since no closer bound is known under average privacy; the mechanism is "
    "the best of erasure and of subset selections, and is not proven to be the best of all"
)


class DistributionGoal(Goal):
    """The distribution utility of n reports."""

    confidence: ClassVar[float | None] = CONFIDENCE

    def __init__(self, law: Dirichlet | PointMixture, n: int, rng: np.random.Generator) -> None:
        super().__init__(law)
        self._n, self._rng = n, rng
        self._truth = truth(law.k, n, law, rng)
        if highest(self._truth) == 0:
            raise InvalidPriorError(
                "the population is a single known point, so that reports have no information on it; give it at least "
                "two points, or take a discretion.Dirichlet"
            )

    @property
    def scale(self) -> float:
        """The inverse of the information of n honest reports, which turns information into utility."""
        return 1 / float(self._truth)

    @property
    def most_values(self) -> int:
        """The largest number of values for linear programs, which are solved fast."""
        return most_alike_values() if self.symmetric else MAX_VALUES_SOUGHT

    def value(self, mechanism: System) -> float | Estimate:
        """Return the distribution utility U^distr of the n reports."""
        return distribution_utility(mechanism, self._n, self.law, self._rng)

    def objective(self, columns: Columns) -> LinearObjective:
        """Return ``I(Y; P)`` of one report."""
        worth = population_worth(self.law)
        return LinearObjective(worth, float(worth(columns).max()))

    def under(self, epsilon: float) -> Optimum:
        """Solve the linear program for one report; for more reports compare the sizes of subset selection."""
        if self._n == 1:
            return by_linear_program(self, epsilon)
        return self._best_found(lambda _: epsilon, epsilon, [])

    def private(self, epsilon: float, privacy: float) -> Optimum | None:
        """Return for two or more reports the best subset selection with this average privacy, or erasure."""
        if self._n == 1:
            return None
        others: list[tuple[Columns, Reals]] = []
        if epsilon == math.inf:
            either = orbits_of(self.law.k, np.ones(1, dtype=np.int64), np.array([math.inf, 0.0]))
            others.append((either, np.array([1 - privacy, privacy])))
        return self._best_found(lambda size: self._largest_epsilon(size, epsilon, privacy), epsilon, others)

    def _largest_epsilon(self, size: int, epsilon: float, privacy: float) -> float:
        low, high = 0.0, min(epsilon, _CERTAIN)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            kept = average_privacy(SubsetSelection(self.law.k, middle, size), self.law) >= privacy
            low, high = (middle, high) if kept else (low, middle)
        return low

    def _best_found(
        self, epsilon_of: Callable[[int], float], epsilon: float, others: list[tuple[Columns, Reals]]
    ) -> Optimum:
        k = self.law.k
        if k > MAX_VALUES_WEIGHED:
            raise TooLargeError(
                f"for two or more reports, k must be at most {MAX_VALUES_WEIGHED}; got {k:,}. Take n=1 or the "
                "asymptotic utility, which have bounds for more values"
            )
        sizes = range(1, max(2, k // 2 + 1))
        columns = [orbits_of(k, np.array([size]), np.array([epsilon_of(size)])) for size in sizes]
        tried = [(column, np.ones(1)) for column in columns] + others
        values = [self._value(*mixture) for mixture in tried]
        best = int(np.argmax([float(value) for value in values]))
        (mixture, weights), value = tried[best], values[best]
        for other in columns:
            if best < len(columns) and other is not columns[best] and not isinstance(value, Estimate):
                both = columns[best].joined(other)
                rate = self._best_rate(both)
                mixed = self._value(both, np.array([rate, 1 - rate])) if 0 < rate < 1 else 0.0
                if float(mixed) > float(value):
                    mixture, weights, value = both, np.array([rate, 1 - rate]), mixed
        return self._optimum(mixture, weights, value, epsilon)

    def _best_rate(self, both: Columns) -> float:
        """Return the best weight of the first column; 1 where mixtures cannot be evaluated exactly."""
        half = np.array([0.5, 0.5])
        plan = plan_population_information(Channel(both.matrix(half)), self._n, self.law, self._rng)
        if not plan.is_exact:
            return 1.0
        low, high = 0.0, 1.0
        for _ in range(_SECTIONS):
            first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            one, other = (float(self._value(both, np.array([rate, 1 - rate]))) for rate in (first, second))
            low, high = (first, high) if one < other else (low, second)
        return (low + high) / 2

    def _value(self, columns: Columns, weights: Reals) -> float | Estimate:
        alone = len(columns) == 1
        k, size, epsilon = self.law.k, int(columns.sizes[0]), float(columns.epsilons[0])
        return self.value(SubsetSelection(k, epsilon, size) if alone else Channel(columns.matrix(weights)))

    def _optimum(self, columns: Columns, weights: Reals, value: float | Estimate, epsilon: float) -> Optimum:
        bound = min(1.0, self._most_information(epsilon) / lowest(self._truth)) if epsilon < math.inf else 1.0
        most = max(bound, highest(value))
        method = f"{value.method}, data processing" if isinstance(value, Estimate) else "data processing"
        confidence = value.confidence if isinstance(value, Estimate) else None
        interval = Estimate(float(value), lowest(value), most, confidence, method, safe="low")
        certificate = _CONTRACTED if epsilon < math.inf else _NO_BOUND
        return Optimum(columns, weights, most - float(value), certificate, value=interval)

    def _most_information(self, epsilon: float) -> float:
        """Return an upper bound on ``I(Y⃗; P)`` under ε-LDP."""
        columns = self.columns(np.array([epsilon]))
        if self.law.k == 2:
            single = float(population_worth(self.law)(columns)[0])
        else:
            single = by_linear_program(DistributionGoal(self.law, 1, self._rng), epsilon)
            single = float(population_worth(self.law)(single.columns) @ single.weights) + single.gap * highest(
                truth(self.law.k, 1, self.law, self._rng)
            )
        mean = self._n * math.tanh(epsilon / 2) ** 2
        below = math.floor(mean)
        ends = [highest(truth(self.law.k, m, self.law, self._rng)) if m else 0.0 for m in (below, below + 1)]
        return min(self._n * single, ends[0] + (mean - below) * (ends[1] - ends[0])) * (1 + 1e-10)
