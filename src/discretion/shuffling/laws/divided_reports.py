"""Upper bounds of the leakage of many reports about one value: the target's part is divided among the others' reports.

The target reports by Q_x if it holds x, N others independently by Q_i; Q̄ is the mean of the Q_x under the prior. Write
L for the law of the others' histogram, * for convolution, ``P_x = Q_x * L`` and ``ν = Q̄ * L``. Divide
``c_x = Q_x - Q̄`` among the others, ``c_x = Σ_i g_i``, each g_i of sum 0. Then

    P_x - ν = c_x * L = Σ_i g_i * Q̄ * L_{-i} + Σ_i g_i * o_i * L_{-i},    o_i = Q_i - Q̄.

- **The first part** has the density ``E[S | h]`` relative to ν, with ``S = Σ_i g_i(Z_i)/Q_i(Z_i)`` for the others'
  reports Z_i: a sum of independent steps of mean 0. If V is its variance and no step is beyond M, then
  ``|E S³| <= M V`` and ``E S⁴ <= 3 V² + M² V``.
- **The second part** has a density ``ρ = Σ_i ρ_i``, smaller by the root of N. All values report by at least γ times the
  blanket's law w. Of the others but i, m report from w, m of law Bin(N-1, γ), and their reports hide both g_i and o_i:
  relative to m + 2 reports from w, ``g_i * o_i * w^{*m}`` has the density
  ``E[Σ_{j≠l} (g_i/w)(Z_j) (o_i/w)(Z_l) | h] / ((m+1)(m+2))``, whose second moment is at most
  ``X_i / ((m+1)(m+2))`` with ``X_i = Σ g_i²/w Σ o_i²/w + (Σ g_i o_i/w)²``. Two reports from w are at most 1/γ² times as
  likely as those from Q̄ and Q_i, and the mean of ``1/((m+1)(m+2))`` is at most ``1/(γN)²``. Hence

      E_ν ρ² <= N Σ_i E_ν ρ_i² <= Σ_i X_i / (N γ⁴).

**Information** is at most ``Σ_x π_x D(P_x ‖ ν)``, and ``D(P_x ‖ ν) = E_ν f(E[S | h] + ρ)`` with
``f(z) = (1+z) log(1+z) - z``, z >= -1. Let F be the larger of f and ``-1 - 2z``, and ``-1 - 2z`` for z < -1. It is
convex, and everywhere

    F(z) <= z²,    F(z) <= ψ(z) = z²/2 - z³/6 + z⁴/2,

since ``f <= z²/2 - z³/6 + z⁴/3`` (see `closed_bounds`), ``(1+z)² >= 0``, and ``ψ + 1 + 2z`` is convex and positive. So,
by Jensen's inequality twice, for every θ between 0 and 1

    D(P_x ‖ ν) <= (1-θ) E ψ(S/(1-θ)) + E_ν ρ²/θ,

the first terms of which are least at ``(√V + √(2 E_ν ρ²))²/2``.

**The best guess** of a uniform value among k is right with probability v, ``k v = E_ν max_x P_x/ν``. By Jensen's
inequality again, for every c

    k v - 1 <= E max_x S + E_ν max_x |ρ| <= c + Σ_x E (S - c)₊ + √(Σ_x E_ν ρ²).

**The parts.**

- Whatever the others hold, each has the same part, ``g_i = c_x/N``. Then the means of V and of ``Σ_i X_i`` over x are
  linear in how many hold each value, so that they are largest where all hold one; for the excess over c, see
  `largest_excess`.
- Known others have the parts ``g_i = Q_i (φ - E_i φ)`` with ``Σ_i g_i = c_x``, of which V is least.

An adversary that ignores some of the others has at least the same leak, so that not all need a part. (Discretion.)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from discretion.channels.channel import System
from discretion.mechanisms.reporting import Overlaps, SupportSizes, reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.means.smoothed_excess import SmoothedSum, Steps, largest_excess, spread
from discretion.shuffling.laws.closed_bounds import all_types
from discretion.shuffling.laws.groups import OtherUsers, holders

# What rounding may change of a bound, relatively, and of the deviation of a report's likelihood; and what is left of an
# equation that counts as solved.
_ROUNDING, _DEVIATION_ROUNDING, _RESIDUAL = 1e-9, 1e-14, 1e-11
# Rarer reports are hidden too little to be worth a bound, and their powers leave the doubles.
_RAREST = 1e-30
# Atoms of the steps of a sum.
_POINTS = 48


class Division(NamedTuple):
    """The parts of ``users`` other users: V as its mean over the values and its maximum; M; the mean of ``E_ν ρ²``."""

    users: int
    variance: float
    largest_variance: float
    largest_step: float
    remainder: float

    def information(self) -> float:
        """Return an upper bound of the mutual information."""
        v = (math.sqrt(self.variance * self.users) + _DEVIATION_ROUNDING) ** 2 / self.users
        total = math.sqrt(v) + math.sqrt(2 * self.remainder)
        rest, m = math.sqrt(v) / total, self.largest_step
        return total**2 / 2 + m * v / (6 * rest**2) + (3 * self.largest_variance + m**2) * v / (2 * rest**3)


@dataclass(frozen=True, eq=False)
class ListedReports:
    """Reports by their laws: a row per value, a column per type of report; every value can send every type."""

    rows: Reals
    prior: Reals

    @cached_property
    def _differences(self) -> Reals:
        return self.rows - self.prior @ self.rows

    @cached_property
    def _share(self) -> float:
        return float(self.rows.min(axis=0).sum())

    @cached_property
    def _blanket(self) -> Reals:
        return self.rows.min(axis=0) / self._share

    @cached_property
    def _distances(self) -> Reals:
        """``Σ (Q_x - Q̄)²/w`` of each value x."""
        return np.asarray((self._differences**2 / self._blanket).sum(axis=1))

    @cached_property
    def _largest_ratio(self) -> float:
        return float((self.rows / self._blanket).max()) / self._share

    def equally(self, users: int) -> Division:
        """Return the parts ``c_x/users``, with the maximum of each quantity over the value that the others hold."""
        products = (self._differences / self._blanket) @ self._differences.T
        hidden = float(self.prior @ self._distances) * self._distances + self.prior @ products**2
        variances = ((self.prior @ self._differences**2) / self.rows).sum(axis=1)
        return Division(
            users,
            float(variances.max()) / users,
            float(self._distances.max()) / (self._share * users),
            self._largest_ratio / users,
            float(hidden.max()) / (users**2 * self._share**4),
        )

    def among(self, counts: Integers) -> Division | None:
        """Return the parts by φ, ``φ crowd = c_x + Σ_v n_v E_v φ Q_v``, the solution of linear equations."""
        users = int(counts.sum())
        if not users:
            return None
        crowd = counts @ self.rows
        scaled = self._differences / crowd
        # The means are those beyond the mean over all others, which a constant may be added to.
        covariances = (self.rows - crowd / users) @ scaled.T
        equations = np.eye(self.prior.size) - covariances * counts
        try:
            means = np.asarray(np.linalg.solve(equations, covariances), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        if not np.abs(equations @ means - covariances).max() <= _RESIDUAL * np.abs(covariances).max():
            return None
        weights = np.eye(self.prior.size) - self.prior + means.T * counts
        variances = np.maximum((weights * (self._differences @ scaled.T)).sum(axis=1), 0.0)
        return Division(
            users,
            float(self.prior @ variances),
            float(variances.max()),
            2 * self._largest_ratio / users * float(np.abs(weights).sum(axis=1).max()),
            float(self.prior @ self._hidden(weights @ scaled, means.T) @ counts) / (users * self._share**4),
        )

    def _hidden(self, scores: Reals, means: Reals) -> Reals:
        """Return X_i: a row for each value of the target, with its φ and means, and a column for each other value."""
        squares = self.rows**2 / self._blanket
        parts = scores**2 @ squares.T - 2 * means * (scores @ squares.T) + means**2 * squares.sum(axis=1)
        mixed = self.rows * self._differences / self._blanket
        return parts * self._distances + (scores @ mixed.T - means * mixed.sum(axis=1)) ** 2


@dataclass(frozen=True, eq=False)
class SupportingReports:
    """Reports by the number of the k values that they support, for a symmetric mechanism and a uniform prior.

    The blanket is the law that does not depend on a value. All means over values and reports are means over the number
    of values that reports support, since by symmetry any quantity of two values is ``a (δ_vx - 1/k)``.
    """

    overlaps: Overlaps
    sizes: SupportSizes
    k: int

    @cached_property
    def _supporting(self) -> Reals:
        """The share of the values that a report of each size supports."""
        return self.sizes.sizes / self.k

    @cached_property
    def _factors(self) -> Reals:
        """The probability of a report of each size under a uniform value, relative to the blanket: ``Q̄/w``."""
        unlikely, likely = self.overlaps.factors
        return unlikely + (likely - unlikely) * self._supporting

    @cached_property
    def _squares(self) -> Reals:
        """The mean of ``((Q_x - Q̄)/w)²`` over the values."""
        unlikely, likely = self.overlaps.factors
        return (likely - unlikely) ** 2 * self._supporting * (1 - self._supporting)

    @cached_property
    def _blanket(self) -> Reals:
        return self.sizes.probabilities / self._factors

    @cached_property
    def _distance(self) -> float:
        """``Σ (Q_x - Q̄)²/w``."""
        return float(self._blanket @ self._squares)

    @cached_property
    def _a(self) -> float:
        """The a of ``Σ Q_x Q_v / Q̄ - 1 = a (δ_vx - 1/k)``."""
        return float(self.sizes.probabilities @ (self._squares / self._factors**2)) * self.k / (self.k - 1)

    def _scale(self, users: int) -> float:
        """Return the factor of ``Q_x/Q̄ - 1`` in φ."""
        return 1 / (users * (1 - self._a / self.k))

    def equally(self, users: int) -> Division:
        """Return the parts ``c_x/users``."""
        unlikely, likely = self.overlaps.factors.tolist()
        rarity = self._supporting / likely + (1 - self._supporting) / unlikely
        return Division(
            users,
            float(self._blanket @ (self._squares * rarity)) / users,
            self._distance / (unlikely * users),
            likely / (unlikely * users),
            self._distance**2 * self.k / (self.k - 1) / (users**2 * unlikely**4),
        )

    def among(self, counts: Integers) -> Division | None:
        """Return the parts with an equal number of other users per value: the number for the rarest value.

        Then φ is ``(Q_x/Q̄ - 1)/(1 - a/k)`` over their number, and ``E_v φ`` is proportional to ``a (δ_vx - 1/k)``.
        """
        k, (unlikely, likely) = self.k, self.overlaps.factors.tolist()
        users = k * int(counts.min())
        a = self._a
        if not users or a >= k:
            return None
        scale = self._scale(users)
        variance = a * (1 - 1 / k) * scale
        # ``Σ g²/w`` and ``Σ g o/w``, but for the scale of φ.
        squared = likely**2 * self._supporting + unlikely**2 * (1 - self._supporting)
        squares = squared * (self._squares / self._factors**2 + a**2 * (1 - 1 / k) / k)
        part = float(self._blanket @ (squares - 2 * a / k * (likely + unlikely) * self._squares / self._factors))
        opposite = likely * (1 - self._supporting) + unlikely * self._supporting
        mixed = float(self._blanket @ (self._squares * opposite / self._factors)) * k / (k - 1) - a * self._distance
        hidden = scale**2 * (part * self._distance + mixed**2 * (1 - 1 / k) / k)
        return Division(users, variance, variance, likely / unlikely * scale, hidden / unlikely**4)

    def largest_equally(self, users: int) -> float:
        """Return an upper bound of the increase of the best guess by equal parts, for any values of the other users."""
        values = (self._own - self._factors) / self._other / users
        laws = [self._steps(users, values, masses) for masses in self._masses]
        return self._largest(self.equally(users), lambda cut: largest_excess(-cut, users, laws)[0])

    def largest_among(self, counts: Integers) -> float:
        """Return an upper bound of the increase of the best guess by the best parts, or infinity if there are none."""
        division, each = self.among(counts), int(counts.min())
        if division is None:
            return math.inf
        values = self._scale(division.users) * (self._own / self._factors - 1)
        holders_of_x, others = (
            self._steps(count, values, masses)
            for count, masses in zip((each, division.users - each), self._masses, strict=True)
        )
        return self._largest(division, lambda cut: SmoothedSum(-cut, [holders_of_x, others]).excess()[1])

    def _largest(self, division: Division, excess: Callable[[float], float]) -> float:
        # The c that is best for independent normal sums.
        cut = math.sqrt(division.variance) * NormalDist().inv_cdf(1 - 1 / self.k)
        return cut + self.k * excess(cut) + math.sqrt(self.k * division.remainder) + _DEVIATION_ROUNDING

    def _steps(self, count: int, values: Reals, masses: Reals) -> Steps:
        """Return the steps of ``count`` other users, with mean 0."""
        law = (self._blanket * masses * self._other).ravel()
        possible = law > 0
        law = law[possible] / law.sum()
        values = np.broadcast_to(values, masses.shape).ravel()[possible]
        return spread(Steps(count, values - float(law @ values), law), _POINTS)

    @property
    def _own(self) -> Reals:
        """The factors of x for a report that does not support x, and one that does, along the first axis."""
        return self.overlaps.factors[:, None, None]

    @property
    def _other(self) -> Reals:
        """The same factors of another user's value, along the second axis; the third axis is for the sizes."""
        return self.overlaps.factors[:, None]

    @cached_property
    def _masses(self) -> tuple[Reals, Reals]:
        """The probabilities that a report of each size supports x and another user's value, equal or different."""
        supporting = np.stack([1 - self._supporting, self._supporting])
        same = np.eye(2)[:, :, None]
        different = supporting[:, None] * np.maximum(self.k * supporting - same, 0.0) / (self.k - 1)
        return supporting * same, different


def divided_information(mechanism: System, users: int, groups: OtherUsers, prior: Reals) -> float:
    """Return an upper bound of the information among other users with any values, or those of the groups."""
    is_uniform = bool(np.all(prior == prior[0]))
    reports = _listed_reports(mechanism, prior) or (_supporting_reports(mechanism) if is_uniform else None)
    if reports is None or not _hold_values(users, groups):
        return math.inf
    divisions = [reports.equally(users), reports.among(holders(prior.size, groups))]
    return min(each.information() for each in divisions if each is not None) * (1 + _ROUNDING)


def divided_guess(mechanism: System, users: int, groups: OtherUsers) -> float:
    """Return an upper bound of the probability of a correct guess of a uniform value, if the mechanism is symmetric."""
    reports = _supporting_reports(mechanism)
    if reports is None or not _hold_values(users, groups):
        return math.inf
    risen = min(reports.largest_equally(users), reports.largest_among(holders(mechanism.secrets, groups)))
    return (1 + risen * (1 + _ROUNDING)) / mechanism.secrets


def _hold_values(users: int, groups: OtherUsers) -> bool:
    """Whether there are other users, and each reports on a value, not from the blanket."""
    return users > 0 and not any(group.blanket for group in groups)


def _listed_reports(mechanism: System, prior: Reals) -> ListedReports | None:
    """Return the reports, or None if they are too many, or if some nearly exclude a value."""
    types = all_types(mechanism)
    return ListedReports(types, prior) if types is not None and types.min() >= _RAREST else None


def _supporting_reports(mechanism: System) -> SupportingReports | None:
    """Return the reports by the number of values they support; None without symmetry or near exclusion of a value."""
    facts = reporting(mechanism)
    overlaps, sizes = facts.overlaps, facts.support_sizes
    if overlaps is None or sizes is None or not facts.is_symmetric or overlaps.unlikely < _RAREST:
        return None
    return SupportingReports(overlaps, sizes, facts.secrets)
