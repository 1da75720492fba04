"""A mixture of Dirichlet laws that differ in their priors and in the tallies that updated them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discretion.adversaries.populations import Dirichlet, DirichletMixture
from discretion.information.posterior.marginals import BetaMixture
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.excess import deviance
from discretion.numerics.laws.binomial import gamma_error


@dataclass(frozen=True, eq=False)
class UpdatedDirichlet:
    """The mixture of Dirichlet(α + t) over the rows α of the parameters and t of the tallies, each with its weight.

    Attributes
    ----------
    alpha, tallies
        Shape ``(rows, k)``; one row of parameters where all laws have the same prior.
    weights
        Shape ``(rows,)``.
    """

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
        sizes = self.alpha.sum(axis=1) + self.tallies.sum(axis=1) + 1
        within = -(means.T * (self.weights / sizes)) @ means
        # Shares sum to one, so that rows sum to zero: this loses no digits where 1 - P_x does.
        np.fill_diagonal(within, 0.0)
        np.fill_diagonal(within, -within.sum(axis=1))
        off = means - self.mean
        return within + (off.T * self.weights) @ off

    def marginal(self, x: int) -> BetaMixture:
        """Return the law of P_x."""
        hits = self.tallies[:, x]
        others = np.delete(self.alpha, x, axis=1).sum(axis=1)
        return BetaMixture(self.alpha[:, x] + hits, others + (self.tallies.sum(axis=1) - hits), self.weights)

    def sample(self, m: int, rng: np.random.Generator) -> Reals:
        """Return m draws of P, one in each row."""
        drawn = rng.choice(self.weights.size, size=m, p=self.weights / self.weights.sum())
        rows = self.alpha if len(self.alpha) == 1 else self.alpha[drawn]
        return np.exp(log_dirichlet(rows + self.tallies[drawn], rng))

    def as_law(self) -> Dirichlet | DirichletMixture:
        """Return the law of P as that of a population, equal components merged."""
        rows, which = np.unique(self.alpha + self.tallies, axis=0, return_inverse=True)
        if len(rows) == 1:
            return Dirichlet(rows[0])
        weights = np.bincount(which.ravel(), self.weights)
        return DirichletMixture(rows, weights / weights.sum())


def component_means(alpha: Reals, tallies: Integers) -> Reals:
    """Return the mean of Dirichlet(α + t) for parameters and tallies on the last axis."""
    return (alpha + tallies) / (alpha.sum(axis=-1, keepdims=True) + tallies.sum(axis=-1, keepdims=True))


def log_evidence_of_values(alpha: Reals, tallies: Integers) -> float:
    """Return ``log B(α + t)/B(α)``, less ``Σ_x t_x log(t_x/n)``, which depends on the tallies alone.

    With ``M = (α + t)/(A + n)`` it is ``-A KL(α/A ‖ M) - n KL(t/n ‖ M)`` and Stirling's corrections: small where the
    law fits the tallies, so that the difference of two laws keeps all digits for any number of people.
    """
    n, total = float(tallies.sum()), float(alpha.sum())
    means = component_means(alpha, tallies)
    apart = deviance(alpha, total * means) + deviance(tallies, n * means)
    with np.errstate(over="ignore"):
        ratios = np.where(tallies > alpha, np.log(alpha + tallies) - np.log(alpha), np.log1p(tallies / alpha))
    grown = ratios / 2 + gamma_error(alpha) - gamma_error(alpha + tallies)
    whole = np.log1p(n / total) / 2 + gamma_error(total) - gamma_error(total + n)
    return float(whole - (apart + grown).sum())


def log_dirichlet(parameters: Reals, rng: np.random.Generator) -> Reals:
    """Return logarithms of draws from Dirichlet laws with parameters on the last axis: shares may be below any float.

    A gamma variable with parameter a is one with a + 1 times ``U^(1/a)``.
    """
    logs = np.log(rng.standard_gamma(parameters + 1)) - rng.standard_exponential(parameters.shape) / parameters
    logs -= logs.max(axis=-1, keepdims=True)
    return logs - np.log(np.exp(logs).sum(axis=-1, keepdims=True))
