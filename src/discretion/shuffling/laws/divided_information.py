"""Upper bounds of the information about the target's value: what its report tells is divided among the others' reports.

The target reports by Q_x if it holds x, N others independently by Q_i, Q̄ is the mean of the Q_x under the prior. Write
L for the law of the others' histogram, * for convolution, and ``P_x = Q_x * L``. The information is at most
``Σ_x π_x D(P_x ‖ ν)`` for every law ν, here ``ν = Q̄ * L``. Divide ``c_x = Q_x - Q̄`` among the others,
``c_x = Σ_i g_i``, each g_i of sum 0. Then

    P_x - ν = c_x * L = Σ_i g_i * Q̄ * L_{-i} + Σ_i g_i * (Q_i - Q̄) * L_{-i}.

- **The first part** has density ``E[S | h]`` relative to ν, with ``S = Σ_i g_i(Z_i)/Q_i(Z_i)`` for the others' reports
  Z_i: a sum of independent steps of mean 0. If V is its variance and no step is beyond M, then ``|E S³| <= M V`` and
  ``E S⁴ <= 3 V² + M² V``.
- **The second part** has density ``ρ = Σ_i ρ_i``, smaller by the root of N. Every law that a value reports by is at
  least γ times the blanket's law w, and at most κ times. Of the others but i, m report from the blanket, in law
  Bin(N-1, γ), and their reports hide both g_i and ``o = Q_i - Q̄``: relative to m + 2 reports from w,
  ``g_i * o * w^{*m}`` has the density ``E[Σ_{j≠l} (g_i/w)(Z_j) (o/w)(Z_l) | h] / ((m+1)(m+2))``, whose second moment is
  at most ``2 G_i O / ((m+1)(m+2))``, with ``G_i = Σ g_i²/w`` and ``O = max_i Σ o²/w``. Two reports from w instead of
  Q̄ and Q_i are at most 1/γ² times as likely, and the mean of ``1/((m+1)(m+2))`` is at most ``1/(γN)²``. Hence

      E_ν ρ² <= N Σ_i E_ν ρ_i² <= 2 O Σ_i G_i / (N γ⁴).

  That density is also the mean, over the halvings of the m + 2 reports, of a product of two independent means of steps
  of g_i/w and of o/w. As no step of these is beyond κM and κ, and ``1/(m₁+1)²(m₂+1)²`` is ``128/3 (γN)^-4`` on
  average at most,

      E_ν ρ⁴ <= N³ Σ_i E_ν ρ_i⁴ <= 512/3 κ² M² O (3 O + κ²) Σ_i G_i / (N γ¹⁰).

``D(P_x ‖ ν) = E_ν f(E[S | h] + ρ)`` with ``f(z) = (1+z) log(1+z) - z <= ψ(z) = z²/2 - z³/6 + z⁴/3`` for z >= -1 (see
`closed_bounds`), and ψ is convex everywhere. So, by Jensen's inequality twice, for every θ between 0 and 1

    D(P_x ‖ ν) <= (1-θ) E ψ(S/(1-θ)) + θ E_ν ψ(ρ/θ).

- **Whatever the others hold**, each has the same part, ``g_i = c_x/N``. Then the mean of V over x is linear in how many
  hold each value, so that it is largest where all hold one.
- **Known others** have the parts ``g_i = Q_i (φ - E_i φ)`` with ``Σ_i g_i = c_x``, of which V is least.

To forget some of the others only raises a leak, so that those who hold more values than another one need not have a
part. (Discretion.)
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from discretion.channels.channel import System
from discretion.mechanisms.reporting import Overlaps, SupportSizes, reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.shuffling.laws.closed_bounds import all_types
from discretion.shuffling.laws.groups import OtherUsers, holders

# What rounding may change of a bound, relatively, and of the deviation of a report's likelihood; and what is left of an
# equation that counts as solved.
_ROUNDING, _DEVIATION_ROUNDING, _RESIDUAL = 1e-9, 1e-14, 1e-11
# Rarer reports are hidden too little to be worth a bound, and their powers leave the doubles.
_RAREST = 1e-30


class Blanket(NamedTuple):
    """A law that all values report by at least ``share`` and at most ``ratio`` times: γ, κ; and O."""

    share: float
    ratio: float
    distance: float


class Division(NamedTuple):
    """The parts of so many others: V, on average over the values and at most; the mean of ``Σ_i G_i``; and M."""

    users: int
    variance: float
    largest_variance: float
    hidden: float
    largest_step: float

    def information(self, blanket: Blanket) -> float:
        """Return an upper bound of the information."""
        second, fourth = self.remainder(blanket)
        v, m = _raised(self.variance, self.users), self.largest_step
        # θ is best for the first terms, but for that a bound with a larger one is of no use.
        theta = min(math.sqrt(second) / (math.sqrt(second) + math.sqrt(v)), 0.5)
        rest = 1 - theta
        first = v / (2 * rest) + m * v / (6 * rest**2) + (3 * self.largest_variance + m**2) * v / (3 * rest**3)
        return first + second / (2 * theta) + math.sqrt(second * fourth) / (6 * theta**2) + fourth / (3 * theta**3)

    def remainder(self, blanket: Blanket) -> tuple[float, float]:
        """Return upper bounds of the means of ``E_ν ρ²`` and ``E_ν ρ⁴`` over the values."""
        share, ratio, _ = blanket
        distance, hidden = _raised(blanket.distance, 1), _raised(self.hidden, self.users)
        second = 2 * distance * hidden / (self.users * share**4)
        steps = (ratio * self.largest_step) ** 2 * (3 * distance + ratio**2)
        return second, 512 / 3 * steps * distance * hidden / (self.users * share**10)


def _raised(variance: float, users: int) -> float:
    """Return the variance of so many parts, with what rounding may have taken of each."""
    return (math.sqrt(variance * users) + _DEVIATION_ROUNDING) ** 2 / users


class Divided(Protocol):
    """Reports of a mechanism whose differences can be divided among the others."""

    @property
    def blanket(self) -> Blanket:
        """The blanket."""
        ...

    def equally(self, users: int) -> Division:
        """Return equal parts of so many others, who may hold any values."""
        ...

    def among(self, counts: Integers) -> Division | None:
        """Return the best parts where so many others hold each value, or None if there are none."""
        ...


@dataclass(frozen=True, eq=False)
class ListedReports:
    """Reports by their laws: a row per value, a column per type of report, all of them possible in the blanket."""

    rows: Reals
    prior: Reals

    @cached_property
    def _differences(self) -> Reals:
        return self.rows - self.prior @ self.rows

    @cached_property
    def blanket(self) -> Blanket:
        """The blanket by its law."""
        law, share = self._least
        return Blanket(share, float((self.rows / law).max()), float(self._distances.max()))

    @cached_property
    def _least(self) -> tuple[Reals, float]:
        least = self.rows.min(axis=0)
        share = float(least.sum())
        return least / share, share

    @cached_property
    def _distances(self) -> Reals:
        return np.asarray((self._differences**2 / self._least[0]).sum(axis=1))

    def equally(self, users: int) -> Division:
        """Return the parts ``c_x/users``; others who all hold the value to which these are strangest are the worst."""
        share, ratio, distance = self.blanket
        variance = float(((self.prior @ self._differences**2) / self.rows).sum(axis=1).max())
        return Division(
            users,
            variance / users,
            distance / (share * users),
            float(self.prior @ self._distances) / users,
            ratio / (share * users),
        )

    def among(self, counts: Integers) -> Division | None:
        """Return the parts by φ, ``φ crowd = c_x + Σ_v n_v E_v φ Q_v``, a linear equation in the means."""
        users = int(counts.sum())
        if not users:
            return None
        k = self.prior.size
        differences = self._differences
        crowd = counts @ self.rows
        scaled = differences / crowd
        # The means are those over the others' law, of sum n_v E_v φ = 0.
        covariances = (self.rows - crowd / users) @ scaled.T
        equations = np.eye(k) - covariances * counts
        try:
            means = np.linalg.solve(equations, covariances)
        except np.linalg.LinAlgError:
            return None
        if not np.abs(equations @ means - covariances).max() <= _RESIDUAL * np.abs(covariances).max():
            return None
        weights = np.eye(k) - self.prior + means.T * counts
        variances = np.maximum((weights * (differences @ scaled.T)).sum(axis=1), 0.0)
        share, ratio, _ = self.blanket
        step = 2 * ratio / (share * users) * float(np.abs(weights).sum(axis=1).max())
        variance = float(self.prior @ variances)
        return Division(users, variance, float(variances.max()), ratio * variance, step)


@dataclass(frozen=True, eq=False)
class SupportingReports:
    """Reports that support some of k values, all alike to the mechanism, by how many; the prior is uniform."""

    overlaps: Overlaps
    sizes: SupportSizes
    k: int

    @cached_property
    def _supporting(self) -> Reals:
        """Which share of the values a report of each size supports."""
        return self.sizes.sizes / self.k

    @cached_property
    def _factors(self) -> Reals:
        """By how much a uniform value makes a report of each size likelier than it is in the blanket."""
        unlikely, likely = self.overlaps.factors
        return unlikely + (likely - unlikely) * self._supporting

    @cached_property
    def _squares(self) -> Reals:
        """The mean square of how much likelier a value makes a report than a uniform one, relative to the blanket."""
        unlikely, likely = self.overlaps.factors
        return (likely - unlikely) ** 2 * self._supporting * (1 - self._supporting)

    @cached_property
    def blanket(self) -> Blanket:
        """The law that no value has a part in."""
        in_blanket = self.sizes.probabilities / self._factors
        return Blanket(self.overlaps.unlikely, self.overlaps.likely, float(in_blanket @ self._squares))

    def equally(self, users: int) -> Division:
        """Return the parts ``c_x/users``."""
        share, ratio, distance = self.blanket
        rarity = self._supporting / ratio + (1 - self._supporting) / share
        variance = float((self.sizes.probabilities / self._factors) @ (self._squares * rarity))
        return Division(
            users, variance / users, distance / (share * users), distance / users, ratio / (share * users)
        )

    def among(self, counts: Integers) -> Division | None:
        """Return the parts of as many others of each value as the rarest has.

        Then φ is ``(Q_x/Q̄ - 1)/(1 - a/k)`` over their number, since ``E_v φ`` is in proportion to ``a (δ_vx - 1/k)``.
        """
        users = self.k * int(counts.min())
        square = float(self.sizes.probabilities @ (self._squares / self._factors**2))
        left = 1 - square / (self.k - 1)
        if not users or left <= 0:
            return None
        share, ratio, _ = self.blanket
        variance = square / (left * users)
        return Division(users, variance, variance, ratio * variance, ratio / (share * users * left))


def divided_information(mechanism: System, users: int, groups: OtherUsers, prior: Reals) -> float:
    """Return an upper bound of the information among so many others, who hold any values or those of the groups."""
    reports = divided_reports(mechanism, prior)
    if not users or reports is None:
        return math.inf
    divisions = [reports.equally(users), reports.among(holders(prior.size, groups))]
    blanket = reports.blanket
    return min(each.information(blanket) for each in divisions if each is not None) * (1 + _ROUNDING)


def divided_reports(mechanism: System, prior: Reals) -> Divided | None:
    """Return the reports, or None where they are too many, or some of them all but rule a value out."""
    facts = reporting(mechanism)
    types = all_types(mechanism)
    if types is not None:
        return ListedReports(types, prior) if types.min() >= _RAREST else None
    overlaps, sizes = facts.overlaps, facts.support_sizes
    is_uniform = bool(np.all(prior == prior[0]))
    if overlaps is None or sizes is None or not (facts.is_symmetric and is_uniform and overlaps.unlikely >= _RAREST):
        return None
    return SupportingReports(overlaps, sizes, prior.size)
