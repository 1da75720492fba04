"""The information of many reports on the population: the constant next to ½ log n, and the effective participation."""

import math
from functools import singledispatch

import numpy as np
from scipy.special import psi

from discretion import limits
from discretion.adversaries.populations import Dirichlet, DirichletMixture, PopulationLaw, as_population_law
from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.estimate import Estimate, settled
from discretion.information.entropies import as_density
from discretion.information.mixtures import plan_mean, weighted_components
from discretion.information.protocol import as_protocol, reduced_matrix
from discretion.information.utility.determinant_bounds import (
    LOUD,
    determinant_bounds,
    has_closed_determinant,
    report_count,
)
from discretion.information.utility.faithfulness import UnfaithfulError, check_faithful
from discretion.measures.measure import Method, Plan, measure
from discretion.measures.privacy_loss.differential_privacy import plan_ldp_epsilon
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Reals
from discretion.numerics.draws import Seed, generator
from discretion.numerics.means.dirichlet_means import mean_log, mean_log_of_powers
from discretion.numerics.means.simplex import REPLICATES, lattice_mean, logit_points, logit_simplex

# Points of a rule for an integral over populations.
MAX_SIMPLEX_POINTS = 1 << 21


CONFIDENCE = 0.95
_BLOCKS = Method("blocks of the transform, each a closed form", "exact")
_BOUNDS = Method("certified bounds by the support of reports", "bound")
_CLOSED_FORM = Method("closed form of k-RR (LDP-info Prop. 10.1)", "closed form")
# Reports of a channel whose certified bounds lattices narrow, 12 bits, and values whose determinants are quick.
_REPORTS_LATTICED, _VALUES_LATTICED = 1 << 12, 64
_VALUES_BY_QUADRATURE = 3
_STEPS = (0.5, 0.25, 0.125)
_SETTLED = 1e-10  # of two steps of a rule that converges geometrically: the finer one then errs by about the square
_WORK = 1 << 31
_HALF_ENTROPY = math.log(2 * math.pi * math.e) / 2  # of the standard normal law
_HUGE = 700.0
_ROUNDING = 1e-14
_NO_REPORT, _LEAST_SHARE, _LEAST_ALPHA = 1e-290, 1e-300, 0.05


@measure(safe="low")
def asymptotic_utility(
    system: System, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[float | Estimate]:
    """Return the constant in the information of n reports on the population: ``I(Y⃗; P) - h(P) → (k-1)(½ log n + U)``.

    ``U = -½ log(2πe) + E log det(C diag(1/PC) Cᵀ) / (2k-2)``

    Parameters
    ----------
    system
        A channel or a mechanism on k values that is faithful: its rows are linearly independent.
    population
        The law of the population's shares P, a `discretion.Dirichlet` or a `discretion.DirichletMixture`; None is
        Jeffreys' prior.
    rng
        A generator or a seed, used where the mean is taken over random points; None draws a fresh seed.

    Returns
    -------
    float or Estimate
        In nats, per degree of freedom. An `Estimate` for channels with more kinds of report than values where no
        quadrature converges, such as those with k of at least 4. For a protocol whose reports support values, it is
        certified at any k, and a sample narrows it up to k = 12; for any other channel it is sampled.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person, or the population has no density.
    TooLargeError
        If the channel cannot be written down and its reports do not support values.

    Notes
    -----
    Source: LDP-info, Definition 6.5 and Theorem 6.7. Where there are as many kinds of report as values, the determinant
    is the square of that of C over the product of the PC, so that one smooth integral per report is exact. The
    certified bounds at any k are Discretion's (`discretion.information.utility.determinant_bounds`). At ε = 1 they are
    within 4e-4 of each other for OUE and subset selection of a thousand values, and within 1e-6 for local hashing and
    Hadamard response of a million values. They coincide where every number of the hash functions' field, or of the
    matrix, is a value.

    Examples
    --------
    >>> import discretion as dc
    >>> round(asymptotic_utility(dc.RandomizedResponse(3, epsilon=2)), 8)
    -0.83284001
    """
    protocol = as_protocol(system)
    law = as_density(as_population_law(population, protocol.secrets))
    plan = plan_log_determinant(protocol, law, generator(rng))
    k = protocol.secrets
    return plan.then(lambda mean: mean / (2 * k - 2) - _HALF_ENTROPY)


@measure(safe="low")
def effective_participation(
    system: System, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[float | Estimate]:
    """Return the share of people whose honest answers have as much information on the population as all reports.

    ``F = e^(2(U - C))`` with U the asymptotic utility of the system and C that of the truth.

    Parameters
    ----------
    system, population, rng
        As for `asymptotic_utility`.

    Returns
    -------
    float or Estimate
        In [0, 1]; 0 if the system is not faithful, so that no number of reports distinguishes some populations.

    Notes
    -----
    Source: LDP-info, Definition 6.10 and Proposition 6.11.

    Examples
    --------
    >>> import discretion as dc
    >>> round(effective_participation(dc.RandomizedResponse(3, epsilon=2)), 8)
    0.16076639
    """
    protocol = as_protocol(system)
    law = as_density(as_population_law(population, protocol.secrets))
    try:
        plan = plan_log_determinant(protocol, law, generator(rng))
    except UnfaithfulError:
        return Plan(Method("not faithful", "exact"), lambda: 0.0)
    k = protocol.secrets
    truth = _of_truth(law)

    def share(mean: float, room: float = 0.0) -> float:
        return min(1.0, math.exp((mean - truth + room) / (k - 1)))

    def compared(value: float | Estimate) -> float | Estimate:
        if isinstance(value, Estimate):
            return value.map(share)
        # Of two large numbers the difference keeps few digits.
        room = _ROUNDING * (abs(value) + abs(truth))
        return settled(Estimate(share(value), share(value, -room), share(value, room), None, plan.method.name))

    return plan.then(compared)


@measure
def asymptotic_utility_bound(system: System, population: PopulationLaw | None = None) -> Plan[Estimate]:
    """Return an upper bound on the asymptotic utility from ε alone.

    ``U <= min(log(e^ε - 1) - ½ log(2πe), C)`` with C the asymptotic utility of the truth.

    Parameters
    ----------
    system
        A channel or a mechanism on k values; of any size, if its ε is known.
    population
        The law of the population's shares P, a `discretion.Dirichlet` or a `discretion.DirichletMixture`; None is
        Jeffreys' prior.

    Returns
    -------
    Estimate
        Certified; its value is the bound, ``low`` is -inf.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person, or the population has no density.

    Notes
    -----
    Source: LDP-info, Theorem 8.1 and Lemma 6.6. It is far from tight for more than two values.

    Examples
    --------
    >>> import discretion as dc
    >>> round(asymptotic_utility_bound(dc.RandomizedResponse(2, epsilon=0.1)).value, 6)
    -3.671107
    >>> round(asymptotic_utility(dc.RandomizedResponse(2, epsilon=0.1)), 6)
    -3.721732
    """
    protocol = as_protocol(system)
    law = as_density(as_population_law(population, protocol.secrets))
    plan = plan_ldp_epsilon(protocol)

    def bound() -> Estimate:
        epsilon = plan.compute()
        by_privacy = math.log(math.expm1(epsilon)) if 0 < epsilon < _HUGE else -math.inf if epsilon == 0 else epsilon
        most = min(by_privacy - _HALF_ENTROPY, _of_truth(law) / (2 * protocol.secrets - 2) - _HALF_ENTROPY)
        high = most + _ROUNDING * (abs(most) + _HALF_ENTROPY) if math.isfinite(most) else most
        return Estimate(high, -math.inf, high, None, "LDP-info Theorem 8.1")

    return Plan(Method("LDP-info Theorem 8.1", "bound"), bound)


def _of_truth(population: Dirichlet | DirichletMixture) -> float:
    """Return ``E log det diag(1/P)``, the mean log-determinant of the truth."""
    if isinstance(population, DirichletMixture):
        return math.fsum(weight * _of_truth(law) for weight, law in weighted_components(population))
    single, times = population.single_shares
    return -float(times @ mean_log(np.broadcast_to([1.0, 0.0], single.shape), single))


def plan_log_determinant(
    system: System, population: Dirichlet | DirichletMixture, rng: np.random.Generator
) -> Plan[float | Estimate]:
    """Plan ``E log det(C diag(1/PC) Cᵀ)``, which is linear in the law of P, or raise UnfaithfulError."""
    if isinstance(population, DirichletMixture):
        return plan_mean(population, lambda law: plan_log_determinant(system, law, rng))
    check_faithful(system)
    response = reporting(system).response
    if response is not None:
        return Plan(_CLOSED_FORM, lambda: _of_response(response, population))
    return _plan_of_reports(system, population, rng)


@singledispatch
def _plan_of_reports(system: System, population: Dirichlet, rng: np.random.Generator) -> Plan[float | Estimate]:
    """Plan the mean log-determinant of an explicit matrix."""
    matrix = reduced_matrix(system)
    k, reports = matrix.shape
    if reports == k:
        return Plan(Method("an integral per report", "exact"), lambda: _square(system, matrix, population))
    if float(population.alpha.min()) < _LEAST_ALPHA and bool((matrix == 0).any()):
        raise TooLargeError(
            f"where a report excludes values, alpha below {_LEAST_ALPHA:g} leads to shares that no float can hold; got "
            f"{population.alpha.min():g}; take a larger alpha, or a channel without zeros"
        )
    points = logit_points(population.alpha, _STEPS[-1]) if k <= _VALUES_BY_QUADRATURE else math.inf
    if points <= limits.current().numbers(MAX_SIMPLEX_POINTS, each=64):
        return Plan(Method("trapezoid rule on the simplex", "exact"), lambda: _summed(matrix, population, rng))
    return Plan(Method("shifted lattices with control variates", "estimate"), lambda: _sampled(matrix, population, rng))


@_plan_of_reports.register
def _plan_of_pure_protocol(
    system: PureProtocol, population: Dirichlet, rng: np.random.Generator
) -> Plan[float | Estimate]:
    if system.k <= _VALUES_BY_QUADRATURE or system.epsilon > LOUD:
        return _plan_of_reports.dispatch(object)(system, population, rng)
    if has_closed_determinant(system, population):
        return Plan(_BLOCKS, lambda: _between(system, population))
    certified = Plan(_BOUNDS, lambda: _between(system, population))
    if system.k > _VALUES_LATTICED or report_count(system) > _REPORTS_LATTICED:
        return certified
    listed: Plan[float | Estimate] = _plan_of_reports.dispatch(object)(system, population, rng)

    def narrowed() -> float | Estimate:
        ends, value = certified.compute(), listed.compute()
        return ends.narrowed(value) if isinstance(ends, Estimate) and isinstance(value, Estimate) else value

    return Plan(listed.method, narrowed)


def _between(system: PureProtocol, population: Dirichlet) -> float | Estimate:
    low, high = determinant_bounds(system, population)
    return settled(Estimate.between(low, high, _BOUNDS.name, safe="low"))


def _of_response(response: Response, population: Dirichlet) -> float:
    single, times = population.single_shares
    weights = np.log(response.p) - np.array([0.0, response.epsilon])
    logs = mean_log_of_powers(np.broadcast_to(weights, single.shape), single)
    return 2 * (response.k - 1) * math.log(response.gap) - float(times @ logs)


def _square(system: System, matrix: Reals, population: Dirichlet) -> float:
    # Rows sum to 1: the determinant is that of their differences, without one row and one column.
    differences = matrix[:-1] - matrix[-1]
    if (epsilon := reporting(system).pure_epsilon) is not None:
        # The differences keep their precision where the channel has very little information.
        most, least = matrix.max(axis=0), matrix.min(axis=0)
        supported = (matrix > (most + least) / 2).astype(np.float64)
        differences = (supported[:-1] - supported[-1]) * most * -math.expm1(-epsilon)
    _, log_determinant = np.linalg.slogdet(differences[:, :-1])
    return 2 * float(log_determinant) - float(mean_log(matrix.T, population.alpha).sum())


def log_determinants(matrix: Reals, points: Reals) -> Reals:
    """Return ``log det(C diag(1/PC) Cᵀ)`` for each P, a row each.

    It is the log-determinant of the information on all shares but the last, ``Σ_y (C_xy - C_ky)(C_x'y - C_ky)/(PC)_y``,
    whose entries are small together where the channel has little information (LDP-info, Lemma C.7).
    """
    masses = matrix.sum(axis=0)
    columns, masses = matrix[:, masses > _NO_REPORT] / masses[masses > _NO_REPORT], masses[masses > _NO_REPORT]
    differences = columns[:-1] - columns[-1]
    given = masses / (np.maximum(points, _LEAST_SHARE) @ columns)
    information = np.einsum("xy,ny,zy->nxz", differences, given, differences, optimize=True)
    return np.linalg.slogdet(information)[1]


def _summed(matrix: Reals, population: Dirichlet, rng: np.random.Generator) -> float | Estimate:
    before = math.nan
    for step in _STEPS:
        points, weights = logit_simplex(population.alpha, step)
        mean = float(weights @ log_determinants(matrix, points))
        if abs(mean - before) <= _SETTLED * max(1.0, abs(mean)):
            return mean
        before = mean
    return _sampled(matrix, population, rng)


def _sampled(matrix: Reals, population: Dirichlet, rng: np.random.Generator) -> Estimate:
    """Estimate the mean over lattices; controls are logarithms of probabilities, whose means are known."""
    k, reports = matrix.shape
    known = mean_log(matrix.T, population.alpha)
    common = matrix.T @ population.mean
    truth = psi(population.alpha) - psi(population.total)

    def values(points: Reals) -> tuple[Reals, Reals]:
        logs = np.log(np.maximum(points, _LEAST_SHARE) @ matrix) - known
        own = np.log(np.maximum(points, _LEAST_SHARE)) - truth
        return log_determinants(matrix, points), np.stack([logs.sum(axis=1), logs @ common, own.sum(axis=1)], axis=1)

    size = int(min(1 << 12, max(1 << 6, _WORK // (REPLICATES * reports * k * k))))
    mean, half = lattice_mean(values, population.alpha, size, CONFIDENCE, rng)
    return Estimate(mean, mean - half, mean + half, CONFIDENCE, "shifted lattices with control variates")
