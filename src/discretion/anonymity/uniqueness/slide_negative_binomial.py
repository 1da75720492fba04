"""Population uniqueness by the slide negative binomial: a class has one person, and others as a negative binomial."""

import math

import numpy as np

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.numerics.arrays import Reals
from discretion.tables.counting.class_sizes import ClassSizes

# A chance that is too small for a double, of which the logarithm is still a number.
_LEAST = 1e-300
_ASSUMPTION = "a class of the population has one person and others, as many as a negative binomial law has it"


def slide_negative_binomial(sizes: ClassSizes, population: int) -> UniquenessModel:
    """Return what the model says of a sample's classes, with the parameters that make the sample likeliest.

    ``P(F=1+j) = Γ(α+j)/(Γ(α)·j!)·(1−β)^α·β^j``; of such a class the sample, a share π of the people, has the first
    person with probability π and others as a negative binomial of ``β' = βπ/(1−β(1−π))``. With classes that nobody in
    the sample is of left out, the likeliest α and β are taken; the N people are in ``N/E[F]`` classes. Source: Chen and
    McNulty, "Disclosure limitation methods and information loss for tabular data", 1998, who solve for moments.

    Examples
    --------
    >>> found = slide_negative_binomial(ClassSizes([1, 2, 9], [10, 20, 5]), 950)
    >>> 0 < found.population_unique < found.of_sample_unique < 1
    True
    """
    if sizes.largest == 1:
        return UniquenessModel(
            "slide negative binomial", _ASSUMPTION, None, None,
            why_not="everybody in the sample is unique, which fits no parameters",
        )  # fmt: skip
    from scipy.optimize import minimize  # noqa: PLC0415 - takes a third of a second

    share = sizes.people / population
    larger = sizes.sizes.astype(np.float64)

    def chances(alpha: float, slid: float, size: Reals) -> Reals:
        """Return the law of a class's size in the sample."""
        return (1 - share) * _law(alpha, slid, size) + share * np.where(size > 0, _law(alpha, slid, size - 1), 0.0)

    def unlikely(point: Reals) -> float:
        alpha, slid = _parameters(point)
        seen = -math.expm1(math.log1p(-share) + alpha * math.log1p(-slid)) if share < 1 else 1.0
        logs = np.log(np.maximum(chances(alpha, slid, larger), _LEAST))
        return sizes.classes * math.log(seen) - float(sizes.counts @ logs)

    fitted = minimize(
        unlikely, np.zeros(2), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000}
    )
    alpha, slid = _parameters(fitted.x)
    beta = slid / (share + slid * (1 - share))
    alone = math.exp(alpha * math.log1p(-beta)) if beta < 1 else 0.0
    mean = 1 + alpha * beta / (1 - beta) if beta < 1 else math.inf
    one = float(chances(alpha, slid, np.ones(1))[0])
    return UniquenessModel("slide negative binomial", _ASSUMPTION, float(alone / mean), min(1.0, share * alone / one))


def _law(alpha: float, beta: float, size: Reals) -> Reals:
    from scipy.special import gammaln  # noqa: PLC0415

    size = np.maximum(size, 0.0)
    logs = gammaln(alpha + size) - gammaln(alpha) - gammaln(size + 1)
    return np.exp(logs + alpha * math.log1p(-beta) + size * math.log(beta))


def _parameters(point: Reals) -> tuple[float, float]:
    slid = 1 / (1 + math.exp(-min(max(float(point[1]), -30.0), 30.0)))
    return math.exp(min(max(float(point[0]), -30.0), 30.0)), min(slid, 1 - 1e-12)
