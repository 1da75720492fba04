"""I(Y⃗; P) where two kinds of report are informative: all others are equally likely from all values.

The number of uninformative reports carries no information. Of the informative ones, one kind has a binomial count.
"""

from typing import NamedTuple

import numpy as np

from discretion.adversaries.populations import Dirichlet, PointMixture, PopulationLaw
from discretion.channels.channel import System
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.means.binomial_mixture import (
    LEAST,
    Probabilities,
    binomial_mean,
    fine_beta,
    mixture_information,
)

_ALIKE = 1e-15


class TwoReports(NamedTuple):
    """The two informative reports: their law given the value, the probability of either, and the difference of rows.

    Attributes
    ----------
    matrix
        ``P(y | x, y is informative)``, shape ``(k, 2)``.
    telling, silent : float
        The probabilities that a report is informative, and that it is not; they sum to 1.
    offsets
        The first column minus its first entry, to full precision.
    """

    matrix: Reals
    telling: float
    silent: float
    offsets: Reals


def two_reports(system: System, matrix: Reals) -> TwoReports | None:
    """Return the two informative reports, or None if there are more."""
    known = reporting(system)
    law = known.support_sizes if system.secrets == 2 else None
    if law is not None and (epsilon := known.pure_epsilon) is not None:
        answer = known.response or RandomizedResponse(2, epsilon).response
        likely = np.array([[answer.p, answer.q], [answer.q, answer.p]])
        telling = law.sizes == 1
        likelihoods, silent = (float(law.probabilities[part].sum()) for part in (telling, ~telling))
        return TwoReports(likely, likelihoods, silent, np.array([0.0, -answer.gap]))
    telling = np.ptp(matrix, axis=0) > _ALIKE * matrix.max(axis=0)
    if np.count_nonzero(telling) != 2:
        return None
    likelihoods = matrix[:, telling]
    share = float(likelihoods[0].sum())
    # The differences in the two columns are equal up to sign: the column with the smaller entry is the more precise.
    first, second = (likelihoods - likelihoods[0]).T
    offsets = first if likelihoods[0, 0] < likelihoods[0, 1] else -second
    return TwoReports(likelihoods / share, share, float(matrix[0, ~telling].sum()), offsets / share)


def two_report_information(reports: TwoReports, n: int, population: PopulationLaw) -> float:
    """Return ``I(Y⃗; P)`` of n people's reports; under a Dirichlet law of two values, or any mixture of points."""

    def information(people: int) -> float:
        return mixture_information(people, _probabilities(reports, people, population)) if people else 0.0

    return binomial_mean(information, n, reports.telling, reports.silent)


def _probabilities(reports: TwoReports, n: int, population: PopulationLaw) -> Probabilities:
    if isinstance(population, PointMixture):
        return _at_points(reports, population)
    assert isinstance(population, Dirichlet)
    first, second = population.alpha.tolist()
    slope = -float(reports.offsets[1])
    if slope >= 0:
        return fine_beta(first, second, n, reports.matrix, slope)
    return fine_beta(second, first, n, reports.matrix[::-1], -slope)


def _at_points(reports: TwoReports, population: PointMixture) -> Probabilities:
    possible = population.weights > 0
    points, weights = population.points[possible], population.weights[possible]
    away = (points - points[0]) @ reports.offsets
    order = np.argsort(away, kind="stable")
    rates = np.maximum(points[order] @ reports.matrix, LEAST)
    offsets = away[order]
    return Probabilities(np.stack([offsets, -offsets]), rates[:, 0], rates[:, 1], 1.0, weights[order] / weights.sum())
