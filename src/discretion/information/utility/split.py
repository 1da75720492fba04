"""The parts of the information: about the population, about the group's tallies, and about each person's value."""

from dataclasses import dataclass, replace

from discretion.adversaries.populations import PopulationLaw, as_population_law
from discretion.channels.channel import System
from discretion.estimate import Estimate, are_far_apart, contrasted
from discretion.information.entropies import value_entropy
from discretion.information.privacy.average_privacy import plan_leaked
from discretion.information.protocol import as_protocol
from discretion.information.utility.population_information import plan_population_information
from discretion.information.utility.tally_information import plan_tally_information, tally_entropy
from discretion.information.utility.utility import truth
from discretion.measures.measure import Plan, measure
from discretion.numerics.draws import Seed, generator
from discretion.validation import as_crowd

Result = float | Estimate


@dataclass(frozen=True)
class Holding:
    """The information that one side has, in nats.

    Parameters
    ----------
    nonprivate
        Information on the population's shares P.
    group_private
        Information on the people's tallies T, given P.
    individual_private
        Information on the people's own values, given T.
    total
        The sum of the three parts.
    """

    nonprivate: Result
    group_private: Result
    individual_private: Result
    total: Result


@dataclass(frozen=True)
class InformationSplit:
    """The users' information, and the part of it that reaches the aggregator (LDP-info, Table 4.1)."""

    users: Holding
    aggregator: Holding


@measure
def information_split(
    system: System, n: int, population: PopulationLaw | None = None, rng: Seed = None
) -> Plan[InformationSplit]:
    """Return the information in n users' values and tallies on the population, and the part that their reports reveal.

    ``H(X⃗) = I(X⃗; P) + H(T | P) + H(X⃗ | T)`` and ``I(Y⃗; X⃗) = I(Y⃗; P) + I(Y⃗; T | P) + I(Y⃗; X⃗ | T)``

    Parameters
    ----------
    system, n, population, rng
        As for `discretion.information.distribution_utility`.

    Returns
    -------
    InformationSplit
        ``.users`` and ``.aggregator``, each with ``.nonprivate``, ``.group_private``, ``.individual_private`` and
        ``.total``, in nats. An `Estimate` where the reports cannot be listed; a difference of two sampled estimates has
        the confidence that both hold.

    Notes
    -----
    Source: LDP-info, Table 4.1.

    Examples
    --------
    >>> import discretion as dc
    >>> split = information_split(dc.RandomizedResponse(3, epsilon=2), 10)
    >>> round(split.users.nonprivate, 6), round(split.aggregator.nonprivate, 6)
    (1.738527, 1.008607)
    """
    protocol = as_protocol(system)
    law = as_population_law(population, protocol.secrets)
    n, source = as_crowd(n, "n"), generator(rng)
    plan = plan_population_information(protocol, n, law, source)
    of_tallies = plan_tally_information(protocol, n, law, plan, source)
    leaked = plan_leaked(protocol, law)

    def split() -> InformationSplit:
        private = n * value_entropy(law)
        tallies = tally_entropy(protocol.secrets, n, law)
        users = _holding(truth(protocol.secrets, n, law, source), tallies, private)
        estimate = plan.compute()  # once: the bounds for the tallies use the same estimate
        told_of_tallies = plan_tally_information(protocol, n, law, Plan(plan.method, lambda: estimate), source)
        return InformationSplit(users, _holding(estimate, told_of_tallies.compute(), n * leaked.compute()))

    return Plan(of_tallies.method, split)


def _holding(of_population: Result, of_tallies: Result, private: float) -> Holding:
    """Return the parts of ``of_population + private``; none is negative."""
    total = of_population + private
    return Holding(of_population, _less(of_tallies, of_population), _less(total, of_tallies), total)


def _less(more: Result, less: Result) -> Result:
    """Return the private part: for two numbers without a best guess, the largest difference that is possible."""
    difference = contrasted(more, less, lambda up, down: max(0.0, up - down))
    vague = [part for part in (more, less) if isinstance(part, Estimate) and are_far_apart(part.low, part.high)]
    return replace(difference, value=difference.high) if vague and isinstance(difference, Estimate) else difference
