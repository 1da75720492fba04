"""The utility of n reports: their information, as a share of that of honest answers."""

import math

import numpy as np

from discretion import limits
from discretion.adversaries.populations import (
    Dirichlet,
    DirichletMixture,
    PointMixture,
    PopulationLaw,
    as_population_law,
)
from discretion.channels.channel import System
from discretion.errors import InvalidPriorError
from discretion.estimate import Estimate, bracketed, contrasted, highest, lowest, settled
from discretion.information.entropies import MAX_USERS_SUMMED, TrueTallies, as_density, check_summable, share_entropy
from discretion.information.mixtures import at_most_a_bound, component_entropy, plan_mean, weighted_components
from discretion.information.protocol import as_protocol
from discretion.information.utility.population_information import plan_population_information
from discretion.information.utility.tally_information import plan_tally_information, tally_entropy
from discretion.measures.measure import Plan, measure
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse
from discretion.numerics.draws import Seed, generator
from discretion.validation import as_crowd

_DIGITS = "the components' digits, less at most the entropy of the component"
_CERTAIN = (
    "the population is a single known point, so that reports have no information on it; give it at least two points, "
    "or take a discretion.Dirichlet"
)


@measure(safe="low")
def distribution_utility(
    system: System, n: int, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[float | Estimate]:
    """Return the information of n reports on the population, as a share of that of n honest answers.

    ``U = I(Y⃗; P) / I(X⃗; P)``

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
        A generator or a seed, used where reports are sampled; None draws a fresh seed.

    Returns
    -------
    float or Estimate
        In [0, 1]. An `Estimate` where `population_information` is one. Where the information of the honest answers is
        sampled, too, as for many people under a `discretion.PointMixture`, the confidence is .9 in place of .95, since
        either interval may miss.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person, or the population is no law of shares.

    Notes
    -----
    Source: LDP-info, Definition 4.3. It tends to ``(rank - 1)/(k - 1)`` as n grows (Corollary 6.8).

    Examples
    --------
    >>> import discretion as dc
    >>> round(distribution_utility(dc.RandomizedResponse(3, epsilon=2), 10), 6)
    0.58015
    """
    protocol, law = _checked(system, population)
    n, source = as_crowd(n, "n"), generator(rng)
    if isinstance(law, Dirichlet) and law.k > 2:
        check_summable(n)
    plan = plan_population_information(protocol, n, law, source)
    return plan.then(lambda information: _share(information, truth(protocol.secrets, n, law, source)))


@measure(safe="low")
def tally_utility(
    system: System, n: int, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[float | Estimate]:
    """Return the share of the entropy of n people's tallies that their reports reveal: ``I(Y⃗; T) / H(T)``.

    Parameters
    ----------
    system, n, population, rng
        As for `distribution_utility`.

    Returns
    -------
    float or Estimate
        In [0, 1]. An `Estimate` where not all tallies of values and reports can be listed: from a sample for up to
        16,384 people. For more people, or channels too large to sample, it has the bounds that hold for every channel;
        its value is then the lower bound, unless the two bounds are close.

    Notes
    -----
    Source: LDP-info, Definition 4.3. The bounds are ``I(Y⃗; P) <= I(Y⃗; T) <= I(Y⃗; P) + n I(X; Y | P)``.

    Examples
    --------
    >>> import discretion as dc
    >>> round(tally_utility(dc.RandomizedResponse(2, p=1), 4), 12)
    1.0
    """
    protocol, law = _checked(system, population)
    n, source = as_crowd(n, "n"), generator(rng)
    information = plan_population_information(protocol, n, law, source)
    plan = plan_tally_information(protocol, n, law, information, source)
    return plan.then(lambda information: _share(information, tally_entropy(protocol.secrets, n, law)))


@measure(safe="low")
def digit_utility(
    system: System, n: int, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[float | Estimate]:
    """Return the number of digits (to the base e) of each share of the population that n reports reveal.

    ``U = (I(Y⃗; P) - h(P)) / (k-1)`` with h(P) the differential entropy of all shares but one.

    Parameters
    ----------
    system, n, rng
        As for `distribution_utility`.
    population
        The law of the population's shares P, a `discretion.Dirichlet` or a `discretion.DirichletMixture`; None is
        Jeffreys' prior.

    Returns
    -------
    float or Estimate
        In nats; each further nat narrows a share by a factor of e. Under a mixture an `Estimate`; if the components are
        exact, it is certified to a width of ``H(w)/(k-1)`` with H(w) the entropy of the weights.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person, or the population has no density.

    Notes
    -----
    Source: LDP-info, Definition 4.6. For a faithful channel it tends to ``½ log n`` plus its asymptotic utility.
    Reports reveal as much as all shares but one, rounded to the step ``e^(-U)``: Lemma 4.7, which rounds all k shares,
    and is then false.

    Examples
    --------
    >>> import discretion as dc
    >>> round(digit_utility(dc.RandomizedResponse(3, epsilon=2), 10), 6)
    1.085365
    """
    protocol, law = _checked(system, population)
    density, n, k, source = as_density(law), as_crowd(n, "n"), protocol.secrets, generator(rng)
    if isinstance(density, DirichletMixture):
        return _plan_digits_of_mixture(protocol, n, density, source)
    plan, entropy = plan_population_information(protocol, n, density, source), share_entropy(density)
    return plan.then(lambda information: (information - entropy) / (k - 1))


def _plan_digits_of_mixture(
    system: System, n: int, population: DirichletMixture, rng: np.random.Generator
) -> Plan[float | Estimate]:
    """Plan the components' mean, minus the information of P on the component beyond the reports: at most H(w).

    ``I(Y⃗; P) - h(P) = Σ_z w_z (I_z - h_z) - I(P; Z | Y⃗)``.
    """
    plan = plan_mean(population, lambda law: plan_population_information(system, n, law, rng))
    entropy = math.fsum(weight * share_entropy(law) for weight, law in weighted_components(population))
    most = component_entropy(population)

    def digits() -> float | Estimate:
        inside = plan.compute() - entropy
        low, high = lowest(inside) - most, highest(inside)
        ends = bracketed(low, high, [inside], _DIGITS, safe="low")
        return settled(ends / (system.secrets - 1))

    return Plan(at_most_a_bound(plan, _DIGITS), digits)


def _checked(system: object, population: PopulationLaw | None) -> tuple[System, PopulationLaw]:
    protocol = as_protocol(system)
    return protocol, as_population_law(population, protocol.secrets)


def truth(k: int, n: int, population: PopulationLaw, rng: np.random.Generator) -> float | Estimate:
    """Return ``I(X⃗; P)``, the information of the people's own values on the population."""
    if isinstance(population, Dirichlet) and (k > 2 or n <= limits.current().numbers(MAX_USERS_SUMMED)):
        return TrueTallies(population, n).information
    if isinstance(population, PointMixture) and population.is_known:
        return 0.0
    return plan_population_information(RandomizedResponse(k, epsilon=math.inf), n, population, rng).compute()


def _share(information: float | Estimate, known: float | Estimate) -> float | Estimate:
    if highest(known) == 0:
        raise InvalidPriorError(_CERTAIN)
    # A bound of an interval may be 0; then all is possible.
    return contrasted(information, known, lambda part, whole: min(1.0, part / whole) if whole > 0 else 1.0)
