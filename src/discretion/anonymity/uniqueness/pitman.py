"""Population uniqueness by Pitman's model: each next person is alike to others, or the first of a new kind."""

import math

import numpy as np

from discretion.anonymity.uniqueness.model import UniquenessModel
from discretion.numerics.arrays import Reals
from discretion.tables.counting.class_sizes import ClassSizes

_ASSUMPTION = "people come one by one, as Pitman's sampling formula has it: many classes of few people"


def pitman(sizes: ClassSizes, population: int) -> UniquenessModel:
    """Return what the model says of a sample's classes, with the parameters that make the sample likeliest.

    A next person after i is alike to those of a class of j with probability ``(j−α)/(θ+i)``; alone in n she stays so
    among N with ``Π_{i=n}^{N−1} (θ+α+i−1)/(θ+i)``, and one of N is alone with the same from i = 1 on: for large N,
    ``Γ(θ+1)/Γ(θ+α)·N^(α−1)``. Source: Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk
    assessment", 2001.

    Examples
    --------
    >>> found = pitman(ClassSizes([1, 2, 9], [10, 20, 5]), 950)
    >>> round(found.of_sample_unique, 3), round(found.population_unique, 4)
    (0.117, 0.0202)
    """
    if sizes.unique == sizes.people:
        return UniquenessModel(
            "Pitman", _ASSUMPTION, None, None, why_not="everybody in the sample is unique, which fits no parameters"
        )
    alpha, theta = likeliest(sizes)
    n = sizes.people
    return UniquenessModel(
        "Pitman", _ASSUMPTION, _stays_alone(alpha, theta, 1, population), _stays_alone(alpha, theta, n, population)
    )


def likeliest(sizes: ClassSizes) -> tuple[float, float]:
    """Return the α in (0, 1) and the θ above −α that make the classes of a sample likeliest."""
    from scipy.optimize import minimize  # noqa: PLC0415 - takes a third of a second
    from scipy.special import gammaln  # noqa: PLC0415

    classes = sizes.classes

    def unlikely(point: Reals) -> float:
        alpha, theta = _parameters(point)
        new = (classes - 1) * math.log(alpha) + gammaln(theta / alpha + classes) - gammaln(theta / alpha + 1)
        others = float(sizes.counts @ (gammaln(sizes.sizes - alpha) - gammaln(1 - alpha)))
        return -float(new + others - gammaln(theta + sizes.people) + gammaln(theta + 1))

    start = np.array([0.0, math.log(classes)])
    fitted = minimize(unlikely, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-9, "maxiter": 4000})
    return _parameters(fitted.x)


def _parameters(point: Reals) -> tuple[float, float]:
    alpha = 1 / (1 + math.exp(-min(max(float(point[0]), -20.0), 20.0)))
    return alpha, math.exp(min(float(point[1]), 100.0)) - alpha


def _stays_alone(alpha: float, theta: float, first: int, people: int) -> float:
    """Return ``Π_{i=first}^{people−1} (θ+α+i−1)/(θ+i)``."""
    from scipy.special import poch  # noqa: PLC0415 - takes a tenth of a second; keeps its digits where log-gammas cancel

    here, there = (float(poch(theta + alpha + count - 1, 1 - alpha)) for count in (first, people))
    return min(1.0, here / there)
