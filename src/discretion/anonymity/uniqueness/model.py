"""Models of population uniqueness from a sample; each number rests on the assumption of its model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discretion.numerics.arrays import Reals
from discretion.numerics.equivalence_classes import Column, everybody, refined
from discretion.numerics.laws.binomial_limits import hypergeometric_pmf
from discretion.tables.counting.class_sizes import ClassSizes

ModelName = Literal[
    "Zayatz", "Pitman", "slide negative binomial", "Poisson log-linear", "Gaussian copula",
]  # fmt: skip

#: What it assumes.
INDEPENDENT = "columns are independent of each other: main effects only"
# The number of people drawn for the average; each is a product of as many shares as columns.
_DRAWN = 1 << 17
_SAME_SIZES = "classes of the population have sizes as often as those of the sample have them"
_ONE_BY_ONE = "people come one by one, as Pitman's sampling formula has it: many classes of few people"
# A chance that is too small for a double, of which the logarithm is still a number.
_LEAST = 1e-300
_SLID = "a class of the population has one person and others, as many as a negative binomial law has it"


@dataclass(frozen=True)
class UniquenessModel:
    """A model's estimate for a population, from a sample of it.

    Parameters
    ----------
    name
        The model.
    assumption
        The assumption on which its numbers rest, in a sentence.
    population_unique
        The estimated share of the population's people who are unique in it; None without an estimate.
    of_sample_unique
        The estimated probability that a person who is unique in the sample is unique in the population; None without
        an estimate.
    error
        The standard error of population_unique from random draws, else 0; it does not include the error of the model.
    why_not
        The reason why there is no estimate; None if there is one.
    """

    name: ModelName
    assumption: str
    population_unique: float | None
    of_sample_unique: float | None
    error: float = 0.0
    why_not: str | None = None


def zayatz(sizes: ClassSizes, population: int) -> UniquenessModel:
    """Return the estimate of Zayatz' model from a sample's classes, at least one of them of one person.

    ``P(F=1 | f=1) = u_1·P(f=1|F=1) / Σ_i u_i·P(f=1|F=i)`` with u_i classes of i people in the sample, and f of the F
    people of a class among n people drawn from N. Source: Zayatz, "Estimation of the percent of unique population
    elements on a microdata file using the sample", 1991.

    Examples
    --------
    >>> found = zayatz(ClassSizes([1, 2, 9], [10, 20, 5]), 950)
    >>> round(found.of_sample_unique, 4)
    0.1527
    """
    n = sizes.people
    of_one = np.array([float(hypergeometric_pmf(1, size, population, n)) for size in sizes.sizes.tolist()])
    chance = float(of_one[0] * sizes.counts[0] / (of_one @ sizes.counts))
    return UniquenessModel("Zayatz", _SAME_SIZES, sizes.unique / n * chance, chance)


def pitman(sizes: ClassSizes, population: int) -> UniquenessModel:
    """Return the estimate of Pitman's model from a sample's classes, with maximum-likelihood parameters.

    The next person after i joins a class of j people with probability ``(j−α)/(θ+i)``. A person who is unique among n
    stays unique among N with probability ``Π_{i=n}^{N−1} (θ+α+i−1)/(θ+i)``; one of N people is unique with the same
    product from i = 1 on: for large N, ``Γ(θ+1)/Γ(θ+α)·N^(α−1)``. Source: Hoshino, "Applying Pitman's sampling formula
    to microdata disclosure risk assessment", 2001.

    Examples
    --------
    >>> found = pitman(ClassSizes([1, 2, 9], [10, 20, 5]), 950)
    >>> round(found.of_sample_unique, 3), round(found.population_unique, 4)
    (0.117, 0.0202)
    """
    if sizes.unique == sizes.people:
        return UniquenessModel(
            "Pitman", _ONE_BY_ONE, None, None, why_not="everybody in the sample is unique, which fits no parameters"
        )
    alpha, theta = likeliest_pitman(sizes)
    n = sizes.people
    return UniquenessModel(
        "Pitman", _ONE_BY_ONE, _stays_alone(alpha, theta, 1, population), _stays_alone(alpha, theta, n, population)
    )


def likeliest_pitman(sizes: ClassSizes) -> tuple[float, float]:
    """Return the maximum-likelihood α in (0, 1) and θ above −α for the classes of a sample."""
    from scipy.optimize import minimize  # noqa: PLC0415 - takes a third of a second
    from scipy.special import gammaln  # noqa: PLC0415

    classes = sizes.classes

    def unlikely(point: Reals) -> float:
        alpha, theta = _pitman_parameters(point)
        new = (classes - 1) * math.log(alpha) + gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
        others = float(sizes.counts @ (gammaln(sizes.sizes - alpha) - gammaln(1 - alpha)))
        return -float(new + others - gammaln(theta + sizes.people) + gammaln(theta + 1))

    start = np.array([0.0, math.log(classes)])
    fitted = minimize(unlikely, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000})
    return _pitman_parameters(fitted.x)


def _pitman_parameters(point: Reals) -> tuple[float, float]:
    alpha = 1 / (1 + math.exp(-min(max(float(point[0]), -20.0), 20.0)))
    return alpha, math.exp(min(float(point[1]), 100.0)) - alpha


def _stays_alone(alpha: float, theta: float, first: int, people: int) -> float:
    """Return ``Π_{i=first}^{people−1} (θ+α+i−1)/(θ+i)``."""
    from scipy.special import poch  # noqa: PLC0415 - takes a tenth of a second; keeps its digits where log-gammas cancel

    here, there = (float(poch(theta + alpha + count - 1, 1 - alpha)) for count in (first, people))
    return min(1.0, here / there)


def slide_negative_binomial(sizes: ClassSizes, population: int) -> UniquenessModel:
    """Return the estimate of the slide negative binomial model from a sample's classes, by maximum likelihood.

    ``P(F=1+j) = Γ(α+j)/(Γ(α)·j!)·(1−β)^α·β^j``. The sample, a share π of all people, has the first person of such a
    class with probability π, and the others by a negative binomial law of ``β' = βπ/(1−β(1−π))``. The likelihood is
    conditional on classes with people in the sample; the N people are in ``N/E[F]`` classes. Source: Chen and McNulty,
    "Disclosure limitation methods and information loss for tabular data", 1998, who use moments instead.

    Examples
    --------
    >>> found = slide_negative_binomial(ClassSizes([1, 2, 9], [10, 20, 5]), 950)
    >>> 0 < found.population_unique < found.of_sample_unique < 1
    True
    """
    if sizes.largest == 1:
        return UniquenessModel(
            "slide negative binomial", _SLID, None, None,
            why_not="everybody in the sample is unique, which fits no parameters",
        )  # fmt: skip
    from scipy.optimize import minimize  # noqa: PLC0415 - takes a third of a second

    share = sizes.people / population
    larger = sizes.sizes.astype(np.float64)

    def chances(alpha: float, slid: float, size: Reals) -> Reals:
        """Return the law of a class's size in the sample."""
        return (1 - share) * _negative_binomial(alpha, slid, size) + share * np.where(
            size > 0, _negative_binomial(alpha, slid, size - 1), 0.0
        )

    def unlikely(point: Reals) -> float:
        alpha, slid = _slid_parameters(point)
        seen = -math.expm1(math.log1p(-share) + alpha * math.log1p(-slid)) if share < 1 else 1.0
        logs = np.log(np.maximum(chances(alpha, slid, larger), _LEAST))
        return sizes.classes * math.log(seen) - float(sizes.counts @ logs)

    fitted = minimize(
        unlikely, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000}
    )
    alpha, slid = _slid_parameters(fitted.x)
    beta = slid / (share + slid * (1 - share))
    alone = math.exp(alpha * math.log1p(-beta)) if beta < 1 else 0.0
    mean = 1 + alpha * beta / (1 - beta) if beta < 1 else math.inf
    one = float(chances(alpha, slid, np.ones(1))[0])
    return UniquenessModel("slide negative binomial", _SLID, float(alone / mean), min(1.0, share * alone / one))


def _negative_binomial(alpha: float, beta: float, size: Reals) -> Reals:
    from scipy.special import gammaln  # noqa: PLC0415

    size = np.maximum(size, 0.0)
    logs = gammaln(alpha + size) - gammaln(alpha) - gammaln(size + 1)
    return np.exp(logs + alpha * math.log1p(-beta) + size * math.log(beta))


def _slid_parameters(point: Reals) -> tuple[float, float]:
    slid = 1 / (1 + math.exp(-min(max(float(point[1]), -30.0), 30.0)))
    return math.exp(min(max(float(point[0]), -30.0), 30.0)), min(slid, 1 - 1e-12)


def log_linear(columns: Sequence[Column], population: int, rng: np.random.Generator) -> UniquenessModel:
    """Return the estimate of the Poisson log-linear model from a sample's people, by their codes of each column.

    A cell with the shares p_j of its values has a Poisson number of people, with mean ``λ = n·Π_j p_j`` in the sample
    and μ = λ·(N − n)/n outside of it. A person who is unique in the sample is unique among all N with probability
    ``exp(−μ)``, and a person among all with ``E exp(−N·Π_j p_j)``, averaged over people drawn from the model. Source:
    Skinner and Holmes, "Estimating the re-identification risk per record in microdata", 1998.
    """
    n = columns[0].codes.size
    shares = [column.sizes() / n for column in columns]
    of_rows = _product(shares, [column.codes for column in columns])
    alike = reduce(refined, columns, everybody(n))
    unique = np.bincount(alike.codes)[alike.codes] == 1
    drawn = [rng.choice(share.size, _DRAWN, p=share) for share in shares]
    alone = np.exp(-population * _product(shares, drawn))
    return UniquenessModel(
        "Poisson log-linear",
        INDEPENDENT,
        float(alone.mean()),
        float(np.exp(-(population - n) * of_rows[unique]).mean()),
        float(alone.std() / _DRAWN**0.5),
    )


def _product(shares: Sequence[Reals], codes: Sequence[NDArray[np.integer]]) -> Reals:
    return np.prod([share[code] for share, code in zip(shares, codes, strict=True)], axis=0)
