"""I(Y⃗; P): the information of n reports on the population they come from."""

import math
from collections.abc import Callable
from functools import singledispatch

import numpy as np
from scipy.special import logsumexp

from discretion import limits
from discretion.adversaries.populations import (
    Dirichlet,
    DirichletMixture,
    PointMixture,
    PopulationLaw,
    as_population_law,
)
from discretion.channels.channel import System
from discretion.estimate import Estimate, bracketed, highest, lowest, settled
from discretion.information.entropies import TrueTallies, check_summable
from discretion.information.mixtures import at_most_a_bound, component_entropy, plan_mean, weighted_components
from discretion.information.privacy.report_kinds import deviations, report_kinds
from discretion.information.protocol import (
    NOTHING,
    as_protocol,
    merge_values,
    nobody_lies,
    reduced_matrix,
    tells_the_values,
)
from discretion.information.utility.determinant_bounds import report_count
from discretion.information.utility.information_bounds import are_bounded, information_bounds
from discretion.information.utility.report_tables import (
    MAX_TALLY_CELLS,
    MAX_TALLY_TABLE,
    listing_work,
    most_listed,
    posterior_entropies,
)
from discretion.information.utility.sampled_information import (
    DRAWS,
    draws_by_bounds,
    draws_by_moments,
    estimate_among_points,
    estimate_by_bounds,
    estimate_by_moments,
    likelihoods,
)
from discretion.information.utility.two_reports import two_report_information, two_reports
from discretion.measures.measure import Method, Plan, measure
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import Response, reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.draws import Seed, generator
from discretion.numerics.excess import relative_excess
from discretion.numerics.histograms.histograms import dirichlet_multinomial_pmf, histogram_count, histograms
from discretion.numerics.histograms.partitions import log_multinomial, log_orders, partition_count, partitions
from discretion.numerics.means.dirichlet_moments import log_shifted_moments
from discretion.numerics.means.simplex import gauss_jacobi_simplex
from discretion.validation import as_crowd

# People whose tallies are listed, or weighed, by moments.
MAX_USERS_BY_MOMENTS = 1 << 12
# People whose tallies' probabilities are integrals.
MAX_USERS_BY_QUADRATURE = 1 << 12
# Terms of all these probabilities.
MAX_TALLY_TERMS = 1 << 31
# Entries of an explicit channel whose reports are sampled, where certified bounds are available, too.
MAX_KINDS_WRITTEN = 1 << 22
# Different parameters of a Dirichlet law, for an integral over each.
MAX_PARAMETERS = 1 << 8

_TERMS_AT_ONCE = 1 << 22
_ROUNDING = 1e-10

_VALUES = Method("the values themselves", "exact")
_SAMPLED = Method("sampled tallies", "estimate")
_COMPONENTS = "the components' information, between that of none and of all on the component"
_BOUNDED = Method("certified bounds by the support of reports", "bound")


@measure(safe="low")
def population_information(
    system: System, n: int, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[float | Estimate]:
    """Return the information of n people's reports on their population's shares: ``I(Y⃗; P)``, in nats.

    Parameters
    ----------
    system
        A channel or a mechanism on k values.
    n
        Number of people who report, at least 1.
    population
        The law of the population's shares P: a `discretion.Dirichlet`, a `discretion.PointMixture` or a
        `discretion.DirichletMixture`; None is Jeffreys' prior.
    rng
        A generator or a seed, used where the reports are sampled; None draws a fresh seed.

    Returns
    -------
    float or Estimate
        At least 0. An `Estimate` where not all tallies of the reports can be listed: from a sample, or with certified
        bounds where the law is symmetric and the protocol has too many kinds of report for an explicit channel.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person, or the population is no law of shares.
    TooLargeError
        If the channel cannot be written down and has no formula of its own.

    Notes
    -----
    Source: LDP-info, section 4 and Propositions D.10 and D.13. For k-RR the probability of a tally is one contour
    integral for any n and k; for two and three values it is a polynomial's mean, which a quadrature gives exactly. The
    certified bounds (`discretion.information.utility.information_bounds`) are near each other where n reports have
    little information on a share, and otherwise up to about 1.25 nats per share apart.

    Examples
    --------
    >>> import discretion as dc
    >>> round(population_information(dc.RandomizedResponse(3, epsilon=2), 10), 8)
    1.00860663
    """
    protocol = as_protocol(system)
    law = as_population_law(population, protocol.secrets)
    return plan_population_information(protocol, as_crowd(n, "n"), law, generator(rng))


def plan_population_information(
    system: System, n: int, population: PopulationLaw, rng: np.random.Generator
) -> Plan[float | Estimate]:
    """Plan the information in n reports of any protocol."""
    merged = merge_values(system, population)
    if merged is None or (isinstance(merged[1], PointMixture) and merged[1].is_known):
        return Plan(NOTHING, lambda: 0.0)
    system, population = merged
    if isinstance(population, DirichletMixture):
        return _plan_of_mixture(system, n, population, rng)
    if isinstance(population, Dirichlet) and (plan := _plan_without_matrix(system, n, population, rng)) is not None:
        return plan
    matrix = reduced_matrix(system)
    two = two_reports(system, matrix)
    if two is not None and (population.k == 2 or isinstance(population, PointMixture)):
        return Plan(Method("a sum over one count", "exact"), lambda: two_report_information(two, n, population))
    if isinstance(population, PointMixture):
        return _plan_among_points(matrix, n, population, rng)
    return _plan_under_dirichlet(system, matrix, n, population, rng)


def _plan_without_matrix(
    system: System, n: int, population: Dirichlet, rng: np.random.Generator
) -> Plan[float | Estimate] | None:
    """Plan the protocol's algorithm that needs no matrix; return None if it has none."""
    response = reporting(system).response
    plan = None if response is None else _plan_of_response(system, response, n, population, rng)
    if plan is not None:
        return plan
    if n == 1:
        once = Method("an integral per kind of report", "exact")
        return Plan(once, lambda: report_kinds(system, population).of_population)
    return _plan_by_support(system, n, population)


@singledispatch
def _plan_by_support(system: System, n: int, population: Dirichlet) -> Plan[float | Estimate] | None:
    """Plan certified bounds where the reports are of too many kinds to be listed or sampled; None if there are none."""
    return None


@_plan_by_support.register
def _plan_by_support_of_pure_protocol(
    system: PureProtocol, n: int, population: Dirichlet
) -> Plan[float | Estimate] | None:
    reports = report_count(system)
    cells = system.k * reports
    if cells <= limits.current().numbers(MAX_KINDS_WRITTEN) and draws_by_bounds(system.k, int(min(n, reports))):
        return None
    if not are_bounded(system, population):
        return None
    return Plan(_BOUNDED, lambda: _between(system, n, population))


def _between(system: PureProtocol, n: int, population: Dirichlet) -> float | Estimate:
    low, high = information_bounds(system, n, population)
    return settled(Estimate.between(low, high, _BOUNDED.name, safe="low"))


def _plan_of_response(
    system: System, response: Response, n: int, population: Dirichlet, rng: np.random.Generator
) -> Plan[float | Estimate] | None:
    """Plan the methods that exist for k-RR only; return None if none applies."""
    if n == 1 or response.k == 2:
        return None
    if nobody_lies(response, n):
        return Plan(_VALUES, lambda: TrueTallies(population, n).information)
    allowed = limits.current()
    are_few = n <= allowed.steps(MAX_USERS_BY_MOMENTS, each=1 << 12)
    listed = _listing_size(response.k, n, population) if are_few else math.inf
    if listed <= most_listed() and listed * response.k <= allowed.numbers(MAX_TALLY_TABLE):
        return Plan(
            Method("all tallies listed (LDP-info Prop. D.10)", "exact"),
            lambda: _by_moments(system, response, n, population),
        )
    draws = DRAWS if are_few else draws_by_moments(response, n)
    if not draws or (not are_few and draws_by_bounds(response.k, response.k)):
        return None
    return Plan(
        _SAMPLED, lambda: _bounded(estimate_by_moments(response, n, population, rng, draws), system, n, population)
    )


def _plan_under_dirichlet(
    system: System, matrix: Reals, n: int, population: Dirichlet, rng: np.random.Generator
) -> Plan[float | Estimate]:
    if tells_the_values(matrix):
        return Plan(_VALUES, lambda: TrueTallies(population, n).information)
    allowed, (k, reports) = limits.current(), matrix.shape
    listed, nodes = histogram_count(n, reports), (n // 2 + 1) ** (k - 1)
    are_few = listed <= most_listed() and listed * nodes * reports <= allowed.steps(MAX_TALLY_TERMS)
    if k <= 3 and are_few and n <= allowed.steps(MAX_USERS_BY_QUADRATURE, each=1 << 12):
        return Plan(
            Method("all tallies listed, by quadrature", "exact"), lambda: _by_quadrature(system, matrix, n, population)
        )
    if listed <= most_listed() and listed * listing_work(n, k) <= allowed.steps(MAX_TALLY_CELLS, each=8):
        return Plan(
            Method("all tallies listed, of values too", "exact"), lambda: _by_values(system, matrix, n, population)
        )
    check_summable(n)
    return Plan(
        Method("sampled tallies, their probabilities bracketed", "estimate"),
        lambda: _bounded(estimate_by_bounds(matrix, n, population, rng), system, n, population),
    )


def _bounded(sampled: Estimate, system: System, n: int, population: Dirichlet) -> Estimate:
    """Return the sampled interval, cut to the range from the information of one report to n times that of one.

    This range is nearly all that is known where reports differ so rarely that a sample has no such case.
    """
    # An integral over all for each takes too long.
    if np.unique(population.alpha).size > MAX_PARAMETERS:
        return sampled
    once = report_kinds(system, population).of_population
    low, high = once * (1 - _ROUNDING), n * once * (1 + _ROUNDING)
    return Estimate(low, low, high, None, sampled.method).narrowed(sampled)


def _plan_among_points(
    matrix: Reals, n: int, population: PointMixture, rng: np.random.Generator
) -> Plan[float | Estimate]:
    points, weights, allowed = population.points, population.weights, limits.current()
    listed = histogram_count(n, matrix.shape[1])
    if listed * weights.size <= allowed.steps(MAX_TALLY_TERMS) and listed <= most_listed():
        return Plan(Method("all tallies listed", "exact"), lambda: _among_listed(matrix, n, points, weights))
    return Plan(_SAMPLED, lambda: estimate_among_points(matrix, n, points, weights, rng))


def _plan_of_mixture(
    system: System, n: int, population: DirichletMixture, rng: np.random.Generator
) -> Plan[float | Estimate]:
    """Plan ``Σ_z w_z I_z + I(Y⃗; Z)``: the latter summed over all reports, or between that of one report and H(w).

    It is also at most n times the information of one report.
    """
    given = plan_mean(population, lambda law: plan_population_information(system, n, law, rng))
    laws = weighted_components(population)
    if len(laws) == 1:
        return given
    one = _component_in_one_report(system, population)
    if given.is_exact and (n == 1 and one is not None):
        return given.then(lambda inside: inside + one)
    if given.is_exact and (listed := _component_laws(system, n, population)) is not None:
        return Plan(given.method, lambda: given.compute() + _component_information(listed(), population))

    def bounded() -> float | Estimate:
        inside = given.compute()
        low, high = lowest(inside) + (one or 0.0), highest(inside) + component_entropy(population)
        if one is not None and np.unique(population.alpha).size <= MAX_PARAMETERS:
            once = math.fsum(weight * report_kinds(system, law).of_population for weight, law in laws) + one
            high = max(low, min(high, n * once))
        return settled(bracketed(low, high, [inside], _COMPONENTS, safe="low"))

    return Plan(at_most_a_bound(given, _COMPONENTS), bounded)


def _is_written(system: System) -> bool:
    return system.secrets * report_count(system) <= limits.current().numbers(MAX_KINDS_WRITTEN)


def _component_in_one_report(system: System, population: DirichletMixture) -> float | None:
    """Return the information of one report on the component; None if the explicit channel is too large."""
    possible = population.weights > 0
    alpha, weights = population.alpha[possible], population.weights[possible]
    means: Reals = alpha / alpha.sum(axis=1, keepdims=True)
    if (means == means[0]).all():
        return 0.0
    if not _is_written(system):
        return None
    matrix = reduced_matrix(system)
    weights = weights / weights.sum()
    return float(weights @ relative_excess(deviations(matrix, means, weights)) @ (weights @ means @ matrix))


def _component_laws(system: System, n: int, population: DirichletMixture) -> Callable[[], Reals] | None:
    """Return a function that lists the laws of the reports' tallies, a row for each component; None if too long."""
    if not _is_written(system):
        return None
    matrix, allowed = reduced_matrix(system), limits.current()
    k, reports = matrix.shape
    laws = [law.alpha for _, law in weighted_components(population)]
    if histogram_count(n, reports) * len(laws) > most_listed():
        return None
    if tells_the_values(matrix):
        tallies = histograms(n, k)
        return lambda: np.stack([dirichlet_multinomial_pmf(tallies, alpha) for alpha in laws])
    work = histogram_count(n, reports) * listing_work(n, k) * len(laws)
    if work > allowed.steps(MAX_TALLY_CELLS, each=8):
        return None

    def listed() -> Reals:
        tallies, values = histograms(n, reports), histograms(n, k)
        return np.stack([
            np.exp(posterior_entropies(matrix, tallies, values, dirichlet_multinomial_pmf(values, alpha))[1])
            for alpha in laws
        ])  # fmt: skip

    return listed


def _component_information(laws: Reals, population: DirichletMixture) -> float:
    """Return the information of the reports on the component, given their law under each."""
    weights = population.weights[population.weights > 0]
    weights = weights / weights.sum()
    laws = laws / laws.sum(axis=1, keepdims=True)
    common: Reals = weights @ laws
    possible = common > 0
    laws, common = laws[:, possible], common[possible]
    return float(weights @ relative_excess((laws - common) / common) @ common)


def _listing_size(k: int, n: int, population: Dirichlet) -> float:
    """Return the number of tallies of k values to list, up to their order where the law is symmetric."""
    if population.is_symmetric:
        return partition_count(n, k, most_listed())
    return histogram_count(n, k)


def _listing(k: int, n: int, population: Dirichlet) -> tuple[Integers, Reals]:
    """Return the tallies of n people, up to their order if the law is symmetric, and the log-number of their orders."""
    if population.is_symmetric:
        listed = partitions(n, k)
        return listed, log_orders(listed)
    listed = histograms(n, k)
    return listed, np.zeros(len(listed))


def _by_moments(system: System, response: Response, n: int, population: Dirichlet) -> float:
    tallies, orders = _listing(response.k, n, population)
    beta = np.full(response.k, response.gap / response.q)
    common = response.q + response.gap * population.mean
    evidence = log_shifted_moments(tallies, population.alpha, beta) - tallies @ np.log1p(beta * population.mean)
    known = n * report_kinds(system, population).of_population
    return _information(orders + _independent(tallies, common), evidence, known)


def _information(independent: Reals, evidence: Reals, known: float) -> float:
    """Return the information, given the log-law of each tally if reports had the common law, and the log-ratio to it.

    ``I = n E KL(q ‖ q̄) - KL(P(s) ‖ q̄ˢ)``. Where the information is small, the latter is of higher order: nothing
    cancels.
    """
    alone: Reals = np.exp(independent)
    given: Reals = np.exp(independent + evidence)
    alone, given = alone / alone.sum(), given / given.sum()
    near, possible = np.abs(evidence) < 1, np.isfinite(evidence)
    excess = relative_excess(np.expm1(np.where(near, evidence, 0.0)))
    others = alone - given + given * np.where(possible, evidence, 0.0)
    return max(0.0, known - float(np.where(near, alone * excess, others).sum()))


def _by_quadrature(system: System, matrix: Reals, n: int, population: Dirichlet) -> float:
    points, weights = gauss_jacobi_simplex(population.alpha, n // 2 + 1)
    tallies, common = histograms(n, matrix.shape[1]), population.mean @ matrix
    evidence = _mixture(_log_ratios(matrix, points, weights), tallies, weights)
    known = n * report_kinds(system, population).of_population
    return _information(_independent(tallies, common), evidence, known)


def _by_values(system: System, matrix: Reals, n: int, population: Dirichlet) -> float:
    """Return the information by summing the probability of each tally of reports over all tallies of values."""
    tallies, true_tallies = histograms(n, matrix.shape[1]), histograms(n, population.k)
    logs = posterior_entropies(
        matrix, tallies, true_tallies, dirichlet_multinomial_pmf(true_tallies, population.alpha)
    )[1]
    independent = _independent(tallies, population.mean @ matrix)
    return _information(independent, logs - independent, n * report_kinds(system, population).of_population)


def _independent(tallies: Integers, common: Reals) -> Reals:
    """Return the logarithm of the tallies' probabilities if reports are independent."""
    return log_multinomial(tallies) + tallies @ np.log(common)


def _log_ratios(matrix: Reals, points: Reals, weights: Reals) -> Reals:
    """Return ``log q_y/q̄_y`` at each point: near populations differ to full precision."""
    apart = deviations(matrix, points, weights)
    far = apart < -0.5
    with np.errstate(divide="ignore"):
        logs = np.log(points @ matrix / (weights @ points @ matrix))
    return np.where(far, logs, np.log1p(np.where(far, 0.0, apart)))


def _mixture(logs: Reals, tallies: Integers, weights: Reals) -> Reals:
    """Return the log-probability of a sequence with each tally, given those of the reports at each point."""
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    at_once = max(1, _TERMS_AT_ONCE // len(logs))
    parts = [tallies[i : i + at_once] for i in range(0, len(tallies), at_once)]
    return np.concatenate([logsumexp(log_weights + likelihoods(part, logs), axis=1) for part in parts])


def _among_listed(matrix: Reals, n: int, points: Reals, weights: Reals) -> float:
    matrix = matrix[:, weights @ points @ matrix > 0]
    tallies, common = histograms(n, matrix.shape[1]), weights @ points @ matrix
    evidence = _mixture(_log_ratios(matrix, points, weights), tallies, weights)
    known = n * float(weights @ relative_excess(deviations(matrix, points, weights)) @ common)
    return _information(_independent(tallies, common), evidence, known)
