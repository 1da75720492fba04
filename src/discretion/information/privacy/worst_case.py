"""The worst case of a report: the share of its sender's own information that stays hidden, and the report itself."""

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from discretion.channels.channel import System
from discretion.errors import InvalidValueError
from discretion.information.protocol import as_protocol
from discretion.measures.measure import Method, Plan, measure
from discretion.measures.privacy_loss.differential_privacy import EXTREMES, plan_ldp_epsilon
from discretion.mechanisms.protocols.pure_protocol import PureProtocol
from discretion.mechanisms.protocols.randomized_response import RandomizedResponse

# Of logarithms of ratios that differ by rounding alone, and of probabilities relative to each other.
_TIED = 1e-12


@measure(safe="low")
def worst_case_privacy(system: System) -> Plan[float]:
    """Return the share of a person's information that stays hidden, for any population and any report.

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
        If the system is not a local protocol of one person.

    Notes
    -----
    Source: LDP-info, Definition 5.1 and Theorem 5.3. `worst_case_report` returns where it is attained.

    Examples
    --------
    >>> import math, discretion as dc
    >>> round(worst_case_privacy(dc.RandomizedResponse(3, epsilon=math.log(4))), 12)
    0.25
    """
    plan = plan_ldp_epsilon(as_protocol(system))
    return plan.then(lambda epsilon: math.exp(-epsilon))


@dataclass(frozen=True)
class WorstCaseReport:
    """The report that hides the least, and the two values that it distinguishes best.

    Parameters
    ----------
    report
        The label of the report, or a description of several reports.
    value
        The value that makes the report most likely.
    other_value
        The value that makes it least likely.
    """

    report: Hashable
    value: Hashable
    other_value: Hashable

    def __str__(self) -> str:
        """Return the values and the report in one line."""
        return f"{self.value} against {self.other_value}, report: {self.report}"


@measure
def worst_case_report(system: System) -> Plan[WorstCaseReport]:
    """Return the report and the two values at which `discretion.ldp_epsilon` and worst-case privacy are attained.

    They maximize ``log(C[x, y] / C[x', y])`` over reports y and values x, x'.

    Parameters
    ----------
    system
        A channel or a mechanism with at least two values.

    Returns
    -------
    WorstCaseReport
        ``.report``, ``.value`` and ``.other_value``: labels of the channel, the lowest where several are tied. For a
        mechanism whose reports support several values, ``.report`` describes all reports that attain the worst case.

    Raises
    ------
    InvalidValueError
        If there is only one value.
    UnsupportedError
        If the system is not a local protocol of one person, or its reports are a continuum.

    Notes
    -----
    Source: LDP-info, Remark 5.4. Worst-case privacy is the limit for a population in which nearly everybody has
    ``value`` and the others have ``other_value``.

    Examples
    --------
    >>> import discretion as dc
    >>> worst_case_report(dc.Channel([[0.75, 0.25], [0.5, 0.5]], inputs=["no", "yes"], outputs=["low", "high"]))
    WorstCaseReport(report='high', value='yes', other_value='no')
    >>> print(worst_case_report(dc.UnaryEncoding.oue(1000, epsilon=1)))
    0 against 1, report: any that supports 0 and not 1
    """
    protocol = as_protocol(system)
    if protocol.secrets < 2:
        raise InvalidValueError("a worst case needs at least two values to distinguish; the system has one")
    return plan_worst_case_report(protocol)


@singledispatch
def plan_worst_case_report(system: System) -> Plan[WorstCaseReport]:
    """Plan the worst case by the largest and the least entry of every column of the explicit channel."""
    return Plan(EXTREMES, lambda: _of_columns(system))


def _of_columns(system: System) -> WorstCaseReport:
    channel = system.channel()
    largest, least = channel.storage.column_maxima(), channel.storage.column_minima()
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.where(largest > 0, np.log(largest) - np.log(least), -math.inf)
    report = int(np.argmax(losses >= losses.max() - _TIED))
    column = channel.storage.columns(np.array([report])).dense()[:, 0]
    value = int(np.argmax(column >= column.max() * (1 - _TIED)))
    others = column <= column.min() * (1 + _TIED)
    others[value] = False  # of a column of equal entries, two values all the same
    return WorstCaseReport(channel.outputs[report], channel.inputs[value], channel.inputs[int(np.argmax(others))])


@plan_worst_case_report.register
def _of_pure_protocol(system: PureProtocol) -> Plan[WorstCaseReport]:
    report = "any that supports 0 and not 1" if system.epsilon > 0 else "any"
    return Plan(Method(f"closed form of {system.title}", "closed form"), lambda: WorstCaseReport(report, 0, 1))


@plan_worst_case_report.register
def _of_response(system: RandomizedResponse) -> Plan[WorstCaseReport]:
    return Plan(Method(f"closed form of {system.title}", "closed form"), lambda: WorstCaseReport(0, 0, 1))
