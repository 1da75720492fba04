"""A mixture of Dirichlet laws that differ by the tallies that each has seen."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.information.posterior.marginals import BetaMixture
from discretion.numerics.arrays import Integers, Reals


@dataclass(frozen=True, eq=False)
class DirichletMixture:
    """The mixture of Dirichlet(α + t) over the rows t of the tallies, each with its weight."""

    alpha: Reals
    tallies: Integers
    weights: Reals

    @cached_property
    def mean(self) -> Reals:
        """The mean of P."""
        return self.weights @ component_means(self.alpha, self.tallies)

    @cached_property
    def covariance(self) -> Reals:
        """The covariance of P: the mean of the covariances plus the covariance of the means."""
        means = component_means(self.alpha, self.tallies)
        sizes = self.alpha.sum() + self.tallies.sum(axis=1) + 1
        within = -(means.T * (self.weights / sizes)) @ means
        # Shares sum to one, so that rows sum to zero: this loses no digits where 1 - P_x does.
        np.fill_diagonal(within, 0.0)
        np.fill_diagonal(within, -within.sum(axis=1))
        off = means - self.mean
        return within + (off.T * self.weights) @ off

    def marginal(self, x: int) -> BetaMixture:
        """Return the law of P_x."""
        hits = self.tallies[:, x]
        others = np.delete(self.alpha, x).sum()
        return BetaMixture(float(self.alpha[x]), float(others), hits, self.tallies.sum(axis=1) - hits, self.weights)

    def sample(self, m: int, rng: np.random.Generator) -> Reals:
        """Return m draws of P, one in each row."""
        drawn = rng.choice(self.weights.size, size=m, p=self.weights / self.weights.sum())
        return np.exp(log_dirichlet(self.alpha + self.tallies[drawn], rng))


def component_means(alpha: Reals, tallies: Integers) -> Reals:
    """Return the mean of Dirichlet(α + t) for tallies t on the last axis."""
    return (alpha + tallies) / (alpha.sum() + tallies.sum(axis=-1, keepdims=True))


def log_dirichlet(parameters: Reals, rng: np.random.Generator) -> Reals:
    """Return logarithms of draws from Dirichlet laws with parameters on the last axis: shares may be below any number.

    A gamma variable with parameter a is one with a + 1 times ``U^(1/a)``.
    """
    logs = np.log(rng.standard_gamma(parameters + 1)) - rng.standard_exponential(parameters.shape) / parameters
    logs -= logs.max(axis=-1, keepdims=True)
    return logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True))
