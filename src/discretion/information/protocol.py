"""A local protocol, reduced for the information measures: proportional columns and equal rows are merged."""

import numpy as np

from discretion.adversaries.populations import Dirichlet, DirichletMixture, PointMixture, PopulationLaw
from discretion.channels.channel import Channel, System, as_system
from discretion.measures.measure import Method, reported_alone
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.matrices import PROPORTIONAL_TOLERANCE, equal_columns

_NEVER = 1e-100

NOTHING = Method("no information", "exact")


def as_protocol(system: object) -> System:
    """Return the system; raise for a crowd, since these measures take the number of people as n."""
    return reported_alone(as_system(system))


def tells_the_values(matrix: Reals) -> bool:
    """Return whether each value has a report of its own, given a channel without proportional columns."""
    return matrix.shape[0] == matrix.shape[1] == np.count_nonzero(matrix)


def reduced_matrix(system: System) -> Reals:
    """Return the dense ``P(y | x)``, a row per value, proportional columns merged and empty ones left out."""
    return system.channel().reduced().dense()


def merge_values(system: System, population: PopulationLaw) -> tuple[System, PopulationLaw] | None:
    """Merge the values that send the same reports: a generalization, a hash function, and any noise after it.

    Reports depend on such values by their total share alone. Merged shares of a Dirichlet law have a Dirichlet law with
    the sums of their parameters; those of a point are sums. The same holds for tallies: given the tallies of the merged
    values, reports do not depend on the division of people within each.

    Returns
    -------
    tuple of System and PopulationLaw, or None
        The system on the merged values, and the law of their shares; None if all values send the same reports.
    """
    known = reporting(system)
    if known.pure_epsilon == 0:
        return None
    if known.is_symmetric or known.pure_epsilon is not None:  # no two values are supported by the same reports
        return system, population
    matrix = reduced_matrix(system)
    groups = equal_columns(matrix.T)
    if len(groups) == 1:
        return None
    if len(groups) == len(matrix):
        return system, population
    rows = matrix[[group[0] for group in groups]]
    if isinstance(population, Dirichlet):
        law = Dirichlet([population.alpha[group].sum() for group in groups])
    elif isinstance(population, DirichletMixture):
        sums = np.stack([population.alpha[:, group].sum(axis=1) for group in groups], axis=1)
        law = DirichletMixture(sums, population.weights)
    else:
        shares = np.stack([population.points[:, group].sum(axis=1) for group in groups], axis=1)
        law = PointMixture(shares, population.weights)
    return _response_of(rows) or Channel(rows), law


def _response_of(rows: Reals) -> RandomizedResponse | None:
    """Return the randomized response with these rows up to the names of reports; None if there is none."""
    k = len(rows)
    truths = rows.argmax(axis=1)
    if rows.shape != (k, k) or np.unique(truths).size < k:
        return None
    response = RandomizedResponse(k, p=min(1.0, float(rows.max(axis=1).mean())))
    expected = np.full((k, k), response.q)
    expected[np.arange(k), truths] = response.p
    return response if (np.abs(rows - expected) <= PROPORTIONAL_TOLERANCE * expected).all() else None


def nobody_lies(response: Response, n: int) -> bool:
    """Return whether n people all report their true values, up to a negligible probability.

    It changes no information by as much as 1e-96, since entropies are continuous (Fannes).
    """
    return n * response.k * response.q < _NEVER
