"""How much of a person's own information stays hidden, on average or in the worst case."""

import math
from functools import singledispatch

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from tacit.adversaries.populations import Dirichlet, PointMixture, PopulationLaw, as_population
from tacit.channels.channel import System
from tacit.errors import InvalidPriorError
from tacit.ldp.entropies import value_entropy
from tacit.ldp.protocol import as_protocol, reduced_matrix
from tacit.ldp.support_sizes import support_sizes
from tacit.measures.local_privacy import plan_ldp_epsilon
from tacit.measures.measure import Plan, measure
from tacit.mechanisms.pure_protocol import PureProtocol
from tacit.mechanisms.randomized_response import RandomizedResponse
from tacit.numerics.dirichlet_means import mean_uncertainty

Reals = NDArray[np.float64]


@measure
def worst_case_privacy(system: System) -> Plan[float]:
    """Return the share of a person's information that stays hidden, whatever the population and her report.

    ``S^wc = e^(-ε)``, the infimum of ``H(X | Y = y, P) / H(X | P)`` over reports y and laws of P.

    Parameters
    ----------
    system
        A channel or a mechanism.

    Returns
    -------
    float
        In [0, 1]; 0 where a report excludes a value that another one allows.

    Raises
    ------
    UnsupportedError
        If the system is not one person's.

    Notes
    -----
    Source: LDP-info, Definition 5.1 and Theorem 5.3.

    Examples
    --------
    >>> import math, tacit as tc
    >>> round(worst_case_privacy(tc.RandomizedResponse(3, epsilon=math.log(4))), 12)
    0.25
    """
    plan = plan_ldp_epsilon(as_protocol(system))
    return Plan(plan.method, lambda: math.exp(-plan.compute()))


@measure
def average_privacy(system: System, population: PopulationLaw | None = None) -> Plan[float]:
    """Return the share of a person's information that stays hidden on average, from one who knows the population.

    ``S = H(X | Y, P) / H(X | P) = 1 - I(X; Y | P) / H(X | P)``

    Parameters
    ----------
    system
        A channel or a mechanism on k values.
    population
        The law of the population's shares P: a `tacit.Dirichlet` or a `tacit.PointMixture`; None is Jeffreys' prior.

    Returns
    -------
    float
        In [0, 1]: 1 hides everything. It does not depend on how many people report.

    Raises
    ------
    InvalidPriorError
        If the population has not k values, or is certain of everybody's value, so that nothing is private.
    UnsupportedError
        If the system is not one person's, or the population is no law of shares.

    Notes
    -----
    Source: LDP-info, Definition 4.1 and Lemma 4.2. Under a Dirichlet law each report's part is one smooth integral,
    whatever the dimension.

    Examples
    --------
    >>> import tacit as tc
    >>> round(average_privacy(tc.RandomizedResponse(3, epsilon=2)), 8)
    0.62140509
    """
    protocol = as_protocol(system)
    law = as_population(population, protocol.secrets)
    private = value_entropy(law)
    if private == 0:
        raise InvalidPriorError(
            "the population is certain of everybody's value, so that nothing is private; give it points inside the "
            "simplex"
        )
    plan = plan_hidden(protocol, law)
    return Plan(plan.method, lambda: min(1.0, plan.compute() / private))


@singledispatch
def plan_hidden(system: System, population: PopulationLaw) -> Plan[float]:
    """Plan ``H(X | Y, P)`` of one person, in nats."""
    if isinstance(population, Dirichlet):
        return Plan("an integral per report", lambda: _hidden(reduced_matrix(system), population))
    return Plan("sum over the points", lambda: _hidden_at(reduced_matrix(system), population))


@plan_hidden.register
def _(system: PureProtocol, population: PopulationLaw) -> Plan[float]:
    if isinstance(population, Dirichlet) and population.is_symmetric:
        law = support_sizes(system)
        if law is not None:
            alpha = float(population.alpha[0])
            return Plan(
                "an integral per size of a report's support",
                lambda: float(law.probabilities @ _hidden_by_size(system, law.sizes, alpha)),
            )
    return plan_hidden.dispatch(object)(system, population)


@plan_hidden.register
def _(system: RandomizedResponse, population: PopulationLaw) -> Plan[float]:
    if not isinstance(population, Dirichlet) or population.is_symmetric:
        return plan_hidden.dispatch(PureProtocol)(system, population)
    return Plan("an integral per report", lambda: _hidden_by_response(system, population))


def _hidden(matrix: Reals, population: Dirichlet) -> float:
    columns, alpha = matrix.T, population.alpha
    times = np.ones(len(columns))
    if population.is_symmetric:  # columns that permute each other tell the same
        columns, times = np.unique(np.sort(columns, axis=1), axis=0, return_counts=True)
    return float(times @ mean_uncertainty(columns, alpha, np.ones(alpha.size)))


def _hidden_by_size(system: PureProtocol, sizes: NDArray[np.int64], alpha: float) -> Reals:
    """Return what reports leave unknown that support so many values, per report."""
    odds = math.exp(-system.epsilon)
    supported = sizes.astype(np.float64)
    others = system.k - supported
    # A report that supports nothing or everything is as likely from each value.
    second = np.where(supported > 0, odds, 1.0)
    scale = system.k / (supported + others * second)
    columns = np.stack([scale, scale * second], axis=1)
    return mean_uncertainty(columns, np.full(2, alpha), np.stack([supported, others], axis=1))


def _hidden_by_response(system: RandomizedResponse, population: Dirichlet) -> float:
    alphas, times = np.unique(population.alpha, return_counts=True)
    columns = np.concatenate([[system.p], np.full(alphas.size, system.q)])
    own = np.column_stack([alphas, np.broadcast_to(alphas, (alphas.size, alphas.size))])
    counts = np.column_stack([np.ones(alphas.size), times - np.eye(alphas.size)])
    return float(times @ mean_uncertainty(np.broadcast_to(columns, own.shape), own, counts))


def _hidden_at(matrix: Reals, population: PointMixture) -> float:
    hidden = 0.0
    for point, weight in zip(population.points, population.weights, strict=True):
        joint: Reals = point[:, None] * matrix
        by_report: Reals = joint.sum(axis=0)
        hidden += float(weight) * float(-xlogy(joint, joint).sum() + xlogy(by_report, by_report).sum())
    return max(0.0, hidden)
