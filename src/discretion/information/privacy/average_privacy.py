"""The share of a person's own information that stays hidden on average."""

import math

from scipy.special import xlogy

from discretion.adversaries.populations import (
    Dirichlet,
    DirichletMixture,
    PointMixture,
    PopulationLaw,
    as_population_law,
)
from discretion.channels.channel import System
from discretion.errors import InvalidPriorError
from discretion.information.entropies import value_entropy
from discretion.information.mixtures import weighted_components
from discretion.information.privacy.report_kinds import compare_columns, report_kinds
from discretion.information.protocol import NOTHING, as_protocol, merge_values, reduced_matrix
from discretion.measures.measure import Method, Plan, measure
from discretion.numerics.arrays import Reals
from discretion.numerics.excess import relative_excess

_INTEGRALS = Method("an integral per kind of report", "exact")
_POINTS = Method("sum over the points", "exact")


@measure(safe="low")
def average_privacy(system: System, population: PopulationLaw | None = None) -> Plan[float]:
    """Return the share of a person's information that stays hidden on average, given the population.

    ``S = H(X | Y, P) / H(X | P) = 1 - I(X; Y | P) / H(X | P)``

    Parameters
    ----------
    system
        A channel or a mechanism on k values.
    population
        The law of the population's shares P: a `discretion.Dirichlet`, a `discretion.PointMixture` or a
        `discretion.DirichletMixture`; None is Jeffreys' prior.

    Returns
    -------
    float
        In [0, 1]: 1 hides everything. It does not depend on the number of people who report.

    Raises
    ------
    InvalidPriorError
        If the population determines everybody's value.
    UnsupportedError
        If the system is not a local protocol of one person, or the population is no law of shares.

    Notes
    -----
    Source: LDP-info, Definition 4.1 and Lemma 4.2. Under a Dirichlet law each report's part is one smooth integral, in
    any dimension.

    Examples
    --------
    >>> import discretion as dc
    >>> round(average_privacy(dc.RandomizedResponse(3, epsilon=2)), 8)
    0.62140509
    """
    protocol = as_protocol(system)
    law = as_population_law(population, protocol.secrets)
    private = value_entropy(law)
    if private == 0:
        raise InvalidPriorError(
            "the population determines everybody's value, so that nothing is private; give it points inside the simplex"
        )
    return plan_hidden(protocol, law).then(lambda hidden: min(1.0, hidden / private))


def plan_hidden(system: System, population: PopulationLaw) -> Plan[float]:
    """Plan ``H(X | Y, P)`` of one person, in nats."""
    if isinstance(population, Dirichlet):
        return Plan(_INTEGRALS, lambda: report_kinds(system, population).hidden)
    if isinstance(population, DirichletMixture):
        laws = weighted_components(population)
        return Plan(_INTEGRALS, lambda: math.fsum(weight * report_kinds(system, law).hidden for weight, law in laws))
    return Plan(_POINTS, lambda: _hidden_at(reduced_matrix(system), population))


def plan_leaked(system: System, population: PopulationLaw) -> Plan[float]:
    """Plan ``I(X; Y | P)`` of one person, in nats, with full relative precision where it is small."""
    merged = merge_values(system, population)
    if merged is None:
        return Plan(NOTHING, lambda: 0.0)
    system, population = merged
    if isinstance(population, Dirichlet):
        return Plan(_INTEGRALS, lambda: report_kinds(system, population).leaked)
    if isinstance(population, DirichletMixture):
        laws = weighted_components(population)
        return Plan(_INTEGRALS, lambda: math.fsum(weight * report_kinds(system, law).leaked for weight, law in laws))
    return Plan(_POINTS, lambda: _leaked_at(reduced_matrix(system), population))


def _hidden_at(matrix: Reals, population: PointMixture) -> float:
    hidden = 0.0
    for point, weight in zip(population.points, population.weights, strict=True):
        joint: Reals = point[:, None] * matrix
        by_report: Reals = joint.sum(axis=0)
        hidden += float(weight) * float(-xlogy(joint, joint).sum() + xlogy(by_report, by_report).sum())
    return max(0.0, hidden)


def _leaked_at(matrix: Reals, population: PointMixture) -> float:
    leaked = 0.0
    for point, weight in zip(population.points, population.weights, strict=True):
        reported, _, apart = compare_columns(matrix, point)
        leaked += float(weight) * float(reported @ relative_excess(apart) @ point)
    return leaked
