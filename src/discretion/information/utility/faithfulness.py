"""Faithfulness: enough reports distinguish any two populations."""

from functools import singledispatch

from discretion.channels.channel import System
from discretion.errors import InvalidValueError
from discretion.information.protocol import as_protocol, reduced_matrix
from discretion.measures.measure import Method, Plan, measure
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.reporting import reporting
from discretion.numerics.matrices import RANK_TOLERANCE, rank


class UnfaithfulError(InvalidValueError):
    """A channel whose rows are linearly dependent, so that different populations send the same reports."""


@measure
def is_faithful(system: System) -> Plan[bool]:
    """Return whether enough reports distinguish any two populations: whether the channel's rows are independent.

    ``rank C = k``

    Parameters
    ----------
    system
        A channel or a mechanism on k values.

    Returns
    -------
    bool
        For an explicit channel, from its numerical rank: singular values below 1e-9 of the largest count as 0.

    Raises
    ------
    UnsupportedError
        If the system is not a local protocol of one person.
    TooLargeError
        If the channel cannot be written down and has no formula of its own.

    Notes
    -----
    Source: LDP-info, Definition 6.1 and Proposition 6.2.

    Examples
    --------
    >>> import discretion as dc
    >>> is_faithful(dc.RandomizedResponse(3, epsilon=1)), is_faithful(dc.Channel([[1, 0], [0, 1], [0.5, 0.5]]))
    (True, False)
    """
    return plan_is_faithful(as_protocol(system))


@singledispatch
def plan_is_faithful(system: System) -> Plan[bool]:
    """Plan the count of the singular values that are not 0."""

    def independent() -> bool:
        matrix = reduced_matrix(system)
        return rank(matrix) == matrix.shape[0]

    return Plan(Method(f"numerical rank, to {RANK_TOLERANCE:g}", "exact"), independent)


@plan_is_faithful.register
def _is_faithful_of_pure_protocol(system: PureProtocol) -> Plan[bool]:
    return Plan(Method("estimates are unbiased", "closed form"), lambda: system.support.gap > 0)


def check_faithful(system: System) -> None:
    """Raise for a system whose reports never distinguish some populations."""
    if plan_is_faithful(system).compute():
        return
    if (epsilon := reporting(system).pure_epsilon) is not None:
        raise UnfaithfulError(
            f"with epsilon = {epsilon:g} {system} is not faithful: its rank is 1 for {system.secrets} values, so that "
            "reports have no information on the population and the asymptotic utility is -inf; take a larger epsilon"
        )
    raise UnfaithfulError(
        f"the channel is not faithful: its rank is {rank(reduced_matrix(system))} for {system.secrets} values "
        f"(singular values below {RANK_TOLERANCE:g} of the largest count as 0), so that the reports never distinguish "
        "some populations and the asymptotic utility is -inf; use effective_participation, which is 0, or "
        "distribution_utility"
    )
