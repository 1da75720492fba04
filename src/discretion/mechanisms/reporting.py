"""The facts about a person's report in addition to its channel, such as its symmetry.

Every fact has a general method, which uses the explicit channel or returns None; a mechanism overrides it with its own
formula. Code that uses reports (crowds, information, charts) reads the facts, never the type of the mechanism.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, System
from discretion.measures.privacy_loss.divergences import logarithms
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.matrices import merged_columns

_EVENTS = 3


class Support(NamedTuple):
    """The probabilities that a report supports its sender's value and another value, their complements and difference.

    Each has full precision, however small.
    """

    own: float
    not_own: float
    other: float
    not_other: float
    gap: float


class SupportSizes(NamedTuple):
    """The law of the number of values that a report supports, the sender's value being uniform."""

    sizes: Integers
    probabilities: Reals


class Overlaps(NamedTuple):
    """The probabilities that a report supports one, two and three given values, and all, averaged over all values.

    Relative to this average, a sender's value multiplies the probability of a report that supports it by ``likely``,
    and of any other report by ``unlikely``. There may be several kinds of three values, or none.
    """

    one: float
    two: float
    three: tuple[float, ...]
    every: float
    likely: float
    unlikely: float

    @property
    def pattern(self) -> Reals:
        """The probabilities that a report supports one of two values (row 1) or not, the other (column 1) or not."""
        return np.array([[1 - 2 * self.one + self.two, self.one - self.two], [self.one - self.two, self.two]])

    @property
    def factors(self) -> Reals:
        """The factors by which the sender's value changes a report's probability, if it does not support it or does."""
        return np.array([self.unlikely, self.likely])


class Response(NamedTuple):
    """The numbers of randomized response: a report names its sender's value with probability p, each other with q.

    ``gap`` is p - q and ``epsilon`` is log(p/q), with full precision, however small.
    """

    k: int
    p: float
    q: float
    gap: float
    epsilon: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Sender:
    """The sender of a report: its value, or the law of its value, uniform by default, or the blanket.

    The blanket is the common part of all values' laws, in proportion to ``min_x P(y | x)``: for any value, a mechanism
    reports from this law with a fixed probability (Balle, Bell, Gascón and Nissim, The privacy blanket of the shuffle
    model, CRYPTO 2019).
    """

    value: int | None = None
    population: Reals | None = None
    blanket: bool = False

    @property
    def is_uniform(self) -> bool:
        """Whether the sender is symmetric in all values: its value is uniform, or its report is from the blanket."""
        return self.value is None and self.population is None

    def law(self, k: int) -> Reals:
        """Return the law of the value."""
        if self.value is not None:
            return np.eye(1, k, self.value)[0]
        return prior_vector(self.population, k)


def known_values(values: Sequence[int], senders: Sequence[Sender]) -> list[int]:
    """Return the known values, each once, in order."""
    return list(dict.fromkeys([*values, *(sender.value for sender in senders if sender.value is not None)]))


class Reporting(ABC):
    """One person's report on a value: its channel, and facts about it."""

    @property
    @abstractmethod
    def secrets(self) -> int:
        """The number of values of the secret."""

    @abstractmethod
    def channel(self) -> Channel:
        """Return the explicit channel from value to report, or raise TooLargeError."""

    def check_shuffled(self) -> None:  # noqa: B027 - most reports may be shuffled
        """Raise if the report cannot be shuffled with the reports of other users."""

    @property
    def is_symmetric(self) -> bool:
        """Whether the system is symmetric: renaming the values only renames the reports."""
        return False

    @property
    def response(self) -> Response | None:
        """The numbers of randomized response, if each report names one value and all lies are equally likely."""
        return None

    @property
    def pure_epsilon(self) -> float | None:
        """The ε for which a report is equally likely from all values that it supports, e^-ε times so from the others.

        None if no such ε is known for all reports.
        """
        return None

    @property
    def support(self) -> Support | None:
        """The probabilities that a report supports its sender's value, and another; None if it supports no values."""
        return None

    @property
    def support_sizes(self) -> SupportSizes | None:
        """The law of the number of values that a report supports, or None if it needs the explicit channel.

        A report that supports c of k values is e^ε times as likely from each of those. So if all values are equally
        common, all reports of one size carry the same information.
        """
        return None

    @property
    def overlaps(self) -> Overlaps | None:
        """The overlaps of supports, if they are known for two and three values and the same for any two values."""
        return None

    @property
    def bits(self) -> Support | None:
        """The probabilities that bits are 1, if a report has an independently randomized bit for each value."""
        return None

    @property
    def blanket_probability(self) -> float:
        """The probability that a report is from the blanket: ``Σ_y min_x P(y | x)``."""
        return min(1.0, float(self.channel().dense().min(axis=0).sum()))

    def report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the probability of each type of report: a row per value, then per other sender, and a column per type.

        The probabilities of reports of one type have the same ratios for all values and senders. So the types suffice
        to distinguish these by a report, or by many shuffled reports.
        """
        matrix = self.channel().dense()
        least = matrix.min(axis=0)

        def law(sender: Sender) -> Reals:
            if sender.value is not None:
                return matrix[sender.value]
            return least / least.sum() if sender.blanket else sender.law(self.secrets) @ matrix

        return merged_columns(np.vstack([matrix[list(values)], *map(law, senders)]))[0]

    def log_report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the logarithms of the probabilities in `report_types`, also where those underflow."""
        return logarithms(self.report_types(values, senders))

    def events(self) -> list[Reals]:
        """Return some events about a report, each as its probabilities from every value."""
        return [*self.channel().dense().T[:_EVENTS]]

    def pair_kinds(self) -> Integers | None:
        """Return a number for any two values, shape ``(k, k)``, the same for pairs that a report distinguishes equally.

        This holds for an adversary to which all values of the other senders are equally likely: pairs of a kind have
        the same `report_types`, in one order or the other, together with any uniform senders. None if the kinds are
        not known beyond `is_symmetric`.
        """
        return None


class _AnyReport(Reporting):
    """The report of a system of which only the channel is known."""

    def __init__(self, system: System) -> None:
        self._system = system

    @property
    def secrets(self) -> int:
        return self._system.secrets

    def channel(self) -> Channel:
        return self._system.channel()


@singledispatch
def reporting(system: System) -> Reporting:
    """Return the facts about one person's report through a system, or raise an error if it has no types.

    Parameters
    ----------
    system
        A mechanism, or any system that one person reports through.

    Examples
    --------
    >>> from discretion import RandomizedResponse
    >>> reporting(RandomizedResponse(3, epsilon=1)).is_symmetric
    True
    """
    return _AnyReport(system)


@reporting.register
def _reporting_of_reporting(system: Reporting) -> Reporting:
    return system


@singledispatch
def own_measures(system: System, users: int | None) -> Mapping[str, Callable[[], Any]]:
    """Return the measures that only this kind of system has, each by its name in JSON; in general none.

    Parameters
    ----------
    system
        A mechanism or a channel.
    users
        The number of people who report; if it is None, measures that depend on it are left out.

    Examples
    --------
    >>> from discretion import RandomizedResponse
    >>> list(own_measures(RandomizedResponse(3, epsilon=1), None))
    []
    """
    return {}
