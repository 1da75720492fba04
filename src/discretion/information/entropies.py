"""Entropies of people's values and tallies, and of the population's shares."""

import math
from typing import overload

import numpy as np
from scipy.special import entr

from discretion import limits
from discretion.adversaries.populations import Dirichlet, DirichletMixture, PointMixture, PopulationLaw
from discretion.errors import TooLargeError, UnsupportedError
from discretion.information.mixtures import weighted_components
from discretion.numerics.arrays import Reals
from discretion.numerics.excess import deviance, relative_excess
from discretion.numerics.laws.binomial import digamma_lag, gamma_error, stirling_error
from discretion.numerics.means.dirichlet_means import mean_s_log_s, mean_uncertainty

# People over whose tallies a sum is taken.
MAX_USERS_SUMMED = 10**7


def value_entropy(population: PopulationLaw) -> float:
    """Return ``H(X | P)``, the private part of one person's value: the entropy that an empty report leaves."""
    if isinstance(population, Dirichlet):
        alpha, times = np.unique(population.alpha, return_counts=True)
        return float(mean_uncertainty(np.ones((1, alpha.size)), alpha, times)[0])
    if isinstance(population, DirichletMixture):
        return math.fsum(weight * value_entropy(law) for weight, law in weighted_components(population))
    return float(population.weights @ entr(population.points).sum(axis=1))


def share_entropy(population: Dirichlet) -> float:
    """Return the differential entropy h(P), of all shares but one.

    ``Σ log Γ(α) - log Γ(A) + (A - k) ψ(A) - Σ (α - 1) ψ(α)``, of which Stirling's formula takes what cancels.
    """
    alpha, total, k = population.alpha, population.total, population.k
    half = math.log(2 * math.pi) / 2
    own = np.log(alpha) / 2 + gamma_error(alpha) + (alpha - 1) * digamma_lag(alpha)
    whole = math.log(total) / 2 + float(gamma_error(total) + (total - k) * digamma_lag(total))
    return (k - 1) * (half - math.log(total)) + float(own.sum()) - whole


@overload
def as_density(population: Dirichlet | PointMixture) -> Dirichlet: ...
@overload
def as_density(population: PopulationLaw) -> Dirichlet | DirichletMixture: ...
def as_density(population: PopulationLaw) -> Dirichlet | DirichletMixture:
    """Return the law if it has a density; raise for a mixture of points, which has none."""
    if isinstance(population, Dirichlet | DirichletMixture):
        return population
    raise UnsupportedError(
        "this utility needs a density of the population's shares, and a discretion.PointMixture has none; take a "
        "discretion.Dirichlet or a discretion.DirichletMixture"
    )


class TrueTallies:
    """The information of n people's own tallies T: each quantity is a sum over single tallies, which are beta-binomial.

    With ``M = (α + T)/(A + n)`` and Γ by Stirling's formula, a tally of k values has the log-probability

        -A KL(α/A ‖ M) - n KL(T/n ‖ M) + Σ_x c_x(T_x) - …,

    and ``I(T; P) = n E KL(P ‖ α/A) - (A + n) E KL(M ‖ α/A) + …``. The divergences are small together; differences of
    log-gammas would lose all digits for large n or α. The dots are Stirling's corrections.
    """

    def __init__(self, population: Dirichlet, n: int) -> None:
        check_summable(n)
        total = population.total
        counts = np.arange(n + 1.0)
        # log t! less t log t - t
        roots = np.where(counts == 0, 0.0, np.log(2 * math.pi * np.maximum(counts, 1)) / 2)
        factorials = roots + np.where(counts == 0, 0.0, stirling_error(np.maximum(counts, 1)))
        whole = math.log1p(n / total) / 2 + float(gamma_error(total) - gamma_error(total + n))
        self._entropy = -whole - float(factorials[-1])
        self._information = -whole
        alphas, repeated = np.unique(population.alpha, return_counts=True)
        for alpha, times in zip(alphas.tolist(), repeated, strict=True):
            # The total less alpha would lose what is little.
            others = float(alphas @ (repeated - (alphas == alpha)))
            law, apart, grown = _beta_binomial(alpha, others, factorials)
            share = alpha / total
            # how far (α + t)/(A + n) is from α/A
            away = (counts * others - (n - counts) * alpha) / ((total + n) * alpha)
            moved = float(law @ relative_excess(away)) * share
            information = share * float(mean_s_log_s([[1 / share, 0.0]], [[others / alpha, -1.0]], [alpha, others])[0])
            self._entropy += int(times) * float(law @ (apart + grown + factorials))
            self._information += int(times) * (n * information - (total + n) * moved + float(law @ grown))

    @property
    def entropy(self) -> float:
        """The entropy ``H(T)`` of the tallies."""
        return max(0.0, self._entropy)

    @property
    def information(self) -> float:
        """The information ``I(X⃗; P) = I(T; P)`` of the values on the shares."""
        return max(0.0, self._information)


def check_summable(n: int) -> None:
    """Raise if there are more people than sums over tallies allow."""
    if n > (most := limits.current().numbers(MAX_USERS_SUMMED)):
        raise TooLargeError(f"n must be at most {most:,} to sum over every tally, got {n:,}")


def _beta_binomial(first: float, second: float, factorials: Reals) -> tuple[Reals, Reals, Reals]:
    """Return the law of one tally, and for each tally the two parts of its negative log-probability from this value.

    These are the first parameter's terms in ``A KL(α/A ‖ M) + n KL(T/n ‖ M)`` and in the corrections of the gammas.
    """
    counts, total = np.arange(float(factorials.size)), first + second
    exponent: Reals = np.zeros(factorials.size)
    own: list[tuple[Reals, Reals]] = []
    for alpha, order in ((first, slice(None)), (second, slice(None, None, -1))):
        t = counts[order]
        mean = (alpha + t) / (total + counts[-1])
        apart = deviance(alpha, total * mean) + deviance(t, counts[-1] * mean)
        grown = np.log1p(t / alpha) / 2 + gamma_error(alpha) - gamma_error(alpha + t)
        exponent -= apart + grown + factorials[order]
        own.append((apart, grown))
    law = np.exp(exponent - exponent.max())
    return law / law.sum(), *own[0]
