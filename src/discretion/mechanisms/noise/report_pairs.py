"""Two secrets of a system with finitely many observations, alone or together with noise on a number."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import numpy as np

from discretion.channels.channel import System
from discretion.channels.composition.repeated import Repeated
from discretion.errors import TooLargeError, UnsupportedError
from discretion.estimate import Estimate
from discretion.measures.guesses.bayes_security import Pair
from discretion.measures.measure import Method
from discretion.measures.parallel import Ways, losses_of_pairs, pairs_alike
from discretion.measures.privacy_loss.differential_privacy import log_likelihoods, plan_renyi
from discretion.measures.privacy_loss.divergences import renyi_of_logs
from discretion.measures.privacy_loss.losses import Losses
from discretion.numerics.arrays import Reals

# The closed form of noise is taken at each privacy loss of the reports: of more losses, all are summed on a grid.
_MAX_ATOMS = 1 << 8


class ClosedForm(Protocol):
    """The excess of one law over another, in closed form."""

    @property
    def algorithm(self) -> Method:
        """The name of what answers."""
        ...

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        ...

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(Q, e^ε P)`` for ε >= 0."""
        ...


@dataclass(frozen=True, eq=False)
class RepeatedReports:
    """The reports of a finite system on the same secret, in a number of uses."""

    system: System
    uses: int = 1

    def __repr__(self) -> str:
        return repr(self.system) if self.uses == 1 else f"{self.uses:,} × {self.system!r}"

    @cached_property
    def ways(self) -> Ways:
        """The privacy losses of any two secrets, in both directions, and the number of times that each is added."""
        if self.uses == 1:
            return losses_of_pairs(self.system)
        try:
            return losses_of_pairs(Repeated(self.system, self.uses))
        except TooLargeError:  # too many tallies to list; the losses of one use are summed
            once = losses_of_pairs(self.system)

        def ways(a: int, b: int) -> tuple[Losses, Losses, int]:
            forwards, backwards, count = once(a, b)
            return forwards, backwards, self.uses * count

        return ways

    @cached_property
    def are_alike(self) -> bool:
        """Whether all pairs of secrets are equally easy to distinguish."""
        return pairs_alike(self.system)

    @cached_property
    def labels(self) -> Sequence[Hashable]:
        """The labels of the secrets."""
        try:
            return self.system.channel().inputs
        except (TooLargeError, UnsupportedError):
            return range(self.system.secrets)

    @cached_property
    def log_likelihoods(self) -> Reals:
        """The logarithms of the observations' likelihoods in one use, a row per secret."""
        return log_likelihoods(self.system)


@dataclass(frozen=True, eq=False)
class ReportPair:
    """The reports of two secrets: P of the first and Q of the second."""

    reports: RepeatedReports
    first: int
    second: int

    def __repr__(self) -> str:
        return repr(self.reports) if self.reports.system.secrets == 2 else f"{self.reports!r} of {self.labels}"

    @cached_property
    def losses(self) -> tuple[Losses, Losses, int]:
        """The privacy losses of Q against P and of P against Q, and the number of times that each is added."""
        return self.reports.ways(self.first, self.second)

    @property
    def labels(self) -> Pair:
        """The labels of the two secrets."""
        return self.reports.labels[self.first], self.reports.labels[self.second]

    def repeated(self, n: int) -> "ReportPair":
        """Return the same pair in n times as many uses."""
        return replace(self, reports=replace(self.reports, uses=n * self.reports.uses))

    def divergence(self, order: float, reverse: bool) -> float | Estimate:
        """Return the Rényi divergence of Q from P, or in reverse of P from Q."""
        if self.reports.are_alike:
            return self.reports.uses * plan_renyi(self.reports.system, order).compute()
        p, q = self.reports.log_likelihoods[[self.first, self.second]]
        return self.reports.uses * (renyi_of_logs(p, q, order) if reverse else renyi_of_logs(q, p, order))


@dataclass(frozen=True, eq=False)
class MixedForm:
    """The closed form of noise together with reports: that of the noise at every privacy loss of the reports.

    ``∫ max(0, Q - e^ε P) = Σ_y q_y δ(ε - log q_y/p_y)``, where δ is the noise's own; exact if that is exact.
    """

    noise: ClosedForm
    reversed_noise: ClosedForm
    losses: Reals
    masses: Reals
    infinite: float

    @classmethod
    def from_forms(cls, noise: ClosedForm, reversed_noise: ClosedForm, reports: Sequence[Losses]) -> "MixedForm | None":
        """Return the form of noise together with several reports, or None if they have too many losses."""
        losses, masses, infinite = np.zeros(1), np.ones(1), 0.0
        for part in reports:
            losses_of_part, weights = part.atoms
            sums = np.add.outer(losses, losses_of_part).ravel()
            losses, places = np.unique(sums, return_inverse=True)
            if losses.size > _MAX_ATOMS:
                return None
            products = np.multiply.outer(masses, weights).ravel()
            masses = np.asarray(np.bincount(places, products, losses.size), dtype=np.float64)
            infinite += (1 - infinite) * part.excess(math.inf)
        return cls(noise, reversed_noise, losses, masses, infinite)

    @property
    def algorithm(self) -> Method:
        """The name of what answers."""
        return Method(f"{self.noise.algorithm.name}, at each privacy loss of the reports", "closed form")

    def excess(self, epsilon: float) -> float:
        """Return ``∫ max(0, Q - e^ε P)`` for ε >= 0."""
        return self.infinite + math.fsum(m * self._excess(level) for level, m in self._levels(epsilon))

    def overlap(self, epsilon: float) -> float:
        """Return ``∫ min(Q, e^ε P)`` for ε >= 0."""
        return math.fsum(m * self._overlap(level) for level, m in self._levels(epsilon))

    def _levels(self, epsilon: float) -> list[tuple[float, float]]:
        return [(epsilon - loss, mass) for loss, mass in zip(self.losses.tolist(), self.masses.tolist(), strict=True)]

    def _excess(self, level: float) -> float:
        if level >= 0:
            return self.noise.excess(level)
        return -math.expm1(level) + math.exp(level) * self.reversed_noise.excess(-level)

    def _overlap(self, level: float) -> float:
        if level >= 0:
            return self.noise.overlap(level)
        return math.exp(level) * self.reversed_noise.overlap(-level)
