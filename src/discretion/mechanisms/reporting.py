"""What is known of a person's report beside its channel: the facts that a mechanism states of itself.

Every fact has a general answer, which takes the explicit channel or says that nothing is known; a mechanism that knows
better overrides it. What is built on reports (crowds, information, charts) asks for the fact, never for the mechanism.
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
    """The probabilities that a report supports its sender's value and another one's, their complements and difference.

    Each is given to full precision however small.
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
    """A report of which nobody's value has a part, and how likely it supports one, two and three given values, and all.

    A sender's value makes a report that supports it ``likely`` times, any other one ``unlikely`` times as likely. There
    may be several kinds of three values, or none.
    """

    one: float
    two: float
    three: tuple[float, ...]
    every: float
    likely: float
    unlikely: float

    @property
    def pattern(self) -> Reals:
        """How likely a report supports one of two values or not (rows), and the other or not (columns)."""
        return np.array([[1 - 2 * self.one + self.two, self.one - self.two], [self.one - self.two, self.two]])

    @property
    def factors(self) -> Reals:
        """By how much the sender's value makes a report likelier that does not support it, and one that does."""
        return np.array([self.unlikely, self.likely])


class Response(NamedTuple):
    """Randomized response in numbers: a report names its sender's value with probability p, each other with q.

    ``gap`` is p - q and ``epsilon`` log(p/q), to full precision however small.
    """

    k: int
    p: float
    q: float
    gap: float
    epsilon: float


@dataclass(frozen=True, eq=False, kw_only=True)
class Sender:
    """The sender of a report: its value or the law of it, uniform by default, or the blanket.

    The blanket is what all values have in common: the law in proportion to ``min_x P(y | x)``, from which every
    mechanism reports with some probability whatever the value (Balle, Bell, Gascón and Nissim, The privacy blanket of
    the shuffle model, CRYPTO 2019).
    """

    value: int | None = None
    population: Reals | None = None
    blanket: bool = False

    @property
    def is_uniform(self) -> bool:
        """Whether all values are treated alike: one drawn uniformly, or a report that no value has a part in."""
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
    """One person's report on a value: its channel, and what is known of it."""

    @property
    @abstractmethod
    def secrets(self) -> int:
        """How many values the secret can take."""

    @abstractmethod
    def channel(self) -> Channel:
        """Return the explicit channel from value to report, or raise TooLargeError."""

    def check_shuffled(self) -> None:  # noqa: B027 - most reports may be shuffled
        """Refuse to be shuffled with the reports of others, if a shuffler is not known to protect this report."""

    @property
    def is_symmetric(self) -> bool:
        """Whether it treats all values alike: renaming them only renames the reports."""
        return False

    @property
    def response(self) -> Response | None:
        """Its numbers, if it is randomized response: each report names one value, and all lies are alike."""
        return None

    @property
    def pure_epsilon(self) -> float | None:
        """The ε for which a report is as likely from all values that it supports, and e^-ε as likely from all others.

        None if that is not known of all reports.
        """
        return None

    @property
    def support(self) -> Support | None:
        """How likely a report supports its sender's value, and another one; None if reports do not support values."""
        return None

    @property
    def support_sizes(self) -> SupportSizes | None:
        """How many values a report supports, or None where only the explicit channel says that.

        A report that supports c of k values is e^ε times as likely from each of those, so that where no value is
        commoner than another all reports of one size tell the same.
        """
        return None

    @property
    def overlaps(self) -> Overlaps | None:
        """How often reports support several values, if any two values are alike to it, and known for two and three."""
        return None

    @property
    def bits(self) -> Support | None:
        """How likely they are set, if a report is a bit for each value and all are randomized independently."""
        return None

    @property
    def blanket_probability(self) -> float:
        """How likely a report is to be of the blanket: ``Σ_y min_x P(y | x)``."""
        return min(1.0, float(self.channel().dense().min(axis=0).sum()))

    def report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the probability of each type of report: a row per value, then per other sender, and a column per type.

        Reports of one type are in the same ratios from all values and senders, so that to tell these apart by a report,
        or by many that are shuffled, it is enough to see the types.
        """
        matrix = self.channel().dense()
        least = matrix.min(axis=0)

        def law(sender: Sender) -> Reals:
            if sender.value is not None:
                return matrix[sender.value]
            return least / least.sum() if sender.blanket else sender.law(self.secrets) @ matrix

        return merged_columns(np.vstack([matrix[list(values)], *map(law, senders)]))[0]

    def log_report_types(self, values: Sequence[int], senders: Sequence[Sender] = ()) -> Reals:
        """Return the logarithms of the types' probabilities, as `report_types` has them but where those underflow."""
        return logarithms(self.report_types(values, senders))

    def events(self) -> list[Reals]:
        """Return some events that a report distinguishes, each as its probabilities from every value."""
        return [*self.channel().dense().T[:_EVENTS]]

    def pair_kinds(self) -> Integers | None:
        """Return a number for any two values, shape ``(k, k)``, the same for pairs that a report distinguishes equally.

        That is for who knows no more of one value of another sender than of another: pairs of a kind have the same
        `report_types`, in one order or the other, beside any uniform senders. None if no more is known than
        `is_symmetric` says.
        """
        return None


class _AnyReport(Reporting):
    """The report of a system of which nothing but the channel is known."""

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
    """Return the measures of this kind of system only, each by its name in JSON; in general none.

    Parameters
    ----------
    system
        A mechanism or a channel.
    users
        How many people report; where it is None, measures that depend on it are left out.

    Examples
    --------
    >>> from discretion import RandomizedResponse
    >>> list(own_measures(RandomizedResponse(3, epsilon=1), None))
    []
    """
    return {}
