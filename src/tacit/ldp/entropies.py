"""What the people themselves know: entropies of their values and tallies, and of the population's shares."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr, gammaln, psi

from tacit.adversaries.populations import Dirichlet, PopulationLaw
from tacit.errors import TooLargeError, UnsupportedError
from tacit.numerics.binomial import stirling_error

Reals = NDArray[np.float64]

MOST_USERS_SUMMED = 10**7


def value_entropy(population: PopulationLaw) -> float:
    """Return ``H(X | P)``, what is private of one person's value: ``ψ(A+1) - Σ_x α_x/A ψ(α_x+1)`` for Dirichlet."""
    if isinstance(population, Dirichlet):
        return float(population.mean @ (psi(population.total + 1) - psi(population.alpha + 1)))
    return float(population.weights @ entr(population.points).sum(axis=1))


def share_entropy(population: Dirichlet) -> float:
    """Return the differential entropy h(P), of all shares but one."""
    alpha, total = population.alpha, population.total
    norm = float(gammaln(alpha).sum()) - math.lgamma(total)
    return norm + (total - alpha.size) * float(psi(total)) - float((alpha - 1) @ psi(alpha))


def as_density(population: PopulationLaw) -> Dirichlet:
    """Return the law if it has a density, or say that points have none."""
    if isinstance(population, Dirichlet):
        return population
    raise UnsupportedError(
        "this utility compares with the density of the population's shares, and a tacit.PointMixture has no density; "
        "take a tacit.Dirichlet"
    )


class TrueTallies:
    """What n people's own tallies T tell: every quantity is a sum over single tallies, which are beta-binomial.

    With ``r_α(t) = log(Γ(α+t) / (Γ(α) t!))`` a histogram has the probability ``exp(Σ_x r_α_x(t_x) - r_A(n))``.
    """

    def __init__(self, population: Dirichlet, n: int) -> None:
        if n > MOST_USERS_SUMMED:
            raise TooLargeError(f"n must be at most {MOST_USERS_SUMMED:,} to sum over every tally, got {n:,}")
        self._population, self._n = population, n
        total = population.total
        counts = np.arange(n + 1)
        root = np.where(counts == 0, 1.0, 2 * math.pi * counts)
        # log t! - (t log t - t)
        corrections = np.where(counts == 0, 0.0, stirling_error(np.maximum(counts, 1))) + np.log(root) / 2
        own_entropy: Reals = -entr(counts / n)
        log_norm = float(log_ratios(total, n)[-1])
        self._entropy = log_norm
        self._information = log_norm + float(corrections[-1]) - n * value_entropy(population)
        for alpha, times in zip(*np.unique(population.alpha, return_counts=True), strict=True):
            own, others = log_ratios(float(alpha), n), log_ratios(float(total - alpha), n)
            law: Reals = np.exp(own + others[::-1] - log_norm)
            self._entropy -= int(times) * float(law @ own)
            self._information -= int(times) * float(law @ (own + corrections + n * own_entropy))

    @property
    def entropy(self) -> float:
        """``H(T)``."""
        return max(0.0, self._entropy)

    @property
    def information(self) -> float:
        """``I(X⃗; P) = I(T; P)``."""
        return max(0.0, self._information)


def log_ratios(alpha: float, n: int) -> Reals:
    """Return ``log(Γ(α+t) / (Γ(α) t!))`` for t = 0..n, by the ratios of neighbours."""
    steps = np.log1p((alpha - 1) / np.arange(1, n + 1))
    return np.concatenate([[0.0], np.cumsum(steps)])
