"""The information of one report under a Dirichlet law of the population, from its probability for each value.

Kinds of report that differ by a permutation of equally common values count as one, and so do values with the same
probability of a report. Three integrals over one variable then give all quantities.
"""

import math
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from discretion.adversaries.populations import Dirichlet
from discretion.channels.channel import System
from discretion.information.protocol import reduced_matrix
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.means.dirichlet_means import mean_information, mean_s_log_s, mean_uncertainty


@dataclass(frozen=True, eq=False)
class ReportKinds:
    """The kinds of one person's report, a row each, over groups of values.

    Parameters
    ----------
    probabilities
        The probability of each kind, shape ``(kinds,)``.
    ratios, apart
        ``C[x, y] / P(y)`` for the values of each group, and the same minus 1 to full precision, ``(kinds, groups)``.
    alpha, times
        The parameter of each value of a group, and the number of values in the group.
    """

    probabilities: Reals
    ratios: Reals
    apart: Reals
    alpha: Reals
    times: Reals

    @property
    def hidden(self) -> float:
        """The hidden information ``H(X | Y, P)`` of one person."""
        return float(self.probabilities @ mean_uncertainty(self.ratios, self.alpha, self.times))

    @property
    def leaked(self) -> float:
        """The leaked information ``I(X; Y | P)`` of one person."""
        return float(self.probabilities @ mean_information(self.ratios, self.apart, self.alpha * self.times))

    @property
    def of_population(self) -> float:
        """The information ``I(Y; P)`` of one report on the population."""
        return float(self.probabilities @ mean_s_log_s(self.ratios, self.apart, self.alpha * self.times))


def report_kinds(system: System, population: Dirichlet) -> ReportKinds:
    """Return the kinds of report of any protocol."""
    if population.is_symmetric:
        return _kinds_by_size(system, population)
    response = reporting(system).response
    return _kinds_of_columns(system, population) if response is None else _kinds_of_names(response, population)


def _kinds_of_columns(system: System, population: Dirichlet) -> ReportKinds:
    """Return the kinds of report from the channel's matrix."""
    matrix, alpha = reduced_matrix(system), population.alpha
    if not population.is_symmetric:
        return ReportKinds(*compare_columns(matrix, population.mean), alpha, np.ones(alpha.size))
    # Columns that are permutations of each other have the same information.
    columns, times = np.unique(np.sort(matrix.T, axis=1), axis=0, return_counts=True)
    probabilities, ratios, apart = compare_columns(columns.T, population.mean)
    return ReportKinds(times * probabilities, ratios, apart, alpha, np.ones(alpha.size))


def compare_columns(matrix: Reals, mean: Reals) -> tuple[Reals, Reals, Reals]:
    """Return each column's probability under the law of a value, its entries over that probability, and these minus 1.

    The differences of near entries are exact doubles, so that the last result keeps full precision.
    """
    reported = mean @ matrix
    columns, reported = matrix.T[reported > 0], reported[reported > 0]
    differences = columns - columns[:, :1]
    apart = differences - differences @ mean[:, None]
    return reported, columns / reported[:, None], apart / reported[:, None]


def deviations(matrix: Reals, points: Reals, weights: Reals) -> Reals:
    """Return ``q_y/q̄_y - 1`` for the law of the reports at each point, to full precision; every report is possible."""
    beside, moved = matrix - matrix[:1], points - points[:1]
    return (moved - weights @ moved) @ beside / (weights @ points @ matrix)


@singledispatch
def _kinds_by_size(system: System, population: Dirichlet) -> ReportKinds:
    """Return the kinds of report where all values are equally common."""
    return _kinds_of_columns(system, population)


@_kinds_by_size.register
def _kinds_by_size_of_pure_protocol(system: PureProtocol, population: Dirichlet) -> ReportKinds:
    law = system.support_sizes
    if law is None:
        return _kinds_of_columns(system, population)
    # A report that supports nothing or everything is as likely from each value.
    silent = (law.sizes == 0) | (law.sizes == system.k)
    supported = np.where(silent, 1, law.sizes).astype(np.float64)
    others, odds = system.k - supported, np.where(silent, 1.0, math.exp(-system.epsilon))
    step = np.where(silent, 0.0, -math.expm1(-system.epsilon))
    total = supported + others * odds
    ratios = system.k / total[:, None] * np.stack([np.ones(odds.size), odds], axis=1)
    apart = (step / total)[:, None] * np.stack([others, -supported], axis=1)
    alpha = np.full(2, population.alpha[0])
    return ReportKinds(law.probabilities, ratios, apart, alpha, np.stack([supported, others], axis=1))


def _kinds_of_names(response: Response, population: Dirichlet) -> ReportKinds:
    """Return the kinds of report of a response whose reports each name one value."""
    alphas, times = np.unique(population.alpha, return_counts=True)
    own = np.column_stack([alphas, np.broadcast_to(alphas, (alphas.size, alphas.size))])
    counts = np.column_stack([np.ones(alphas.size), times - np.eye(alphas.size)])
    others = (own * counts)[:, 1:].sum(axis=1) / population.total  # 1 less the mean would lose what is little
    mean = alphas / population.total
    reported = response.q + response.gap * mean
    ratios = np.concatenate([[response.p], np.full(alphas.size, response.q)]) / reported[:, None]
    apart = np.column_stack([others, np.broadcast_to(-mean[:, None], (alphas.size, alphas.size))])
    return ReportKinds(times * reported, ratios, response.gap * apart / reported[:, None], own, counts)
