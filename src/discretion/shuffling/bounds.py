"""Certified bounds of leaks among known other users, for crowds too large to sum over."""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from discretion.adversaries.gains import Gain, IdentityGain
from discretion.adversaries.priors import prior_vector
from discretion.channels.channel import Channel, System
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.guesses.vulnerability import Prior, plan_posterior_vulnerability
from discretion.measures.measure import Plan
from discretion.mechanisms.reporting import reporting
from discretion.numerics.arrays import Reals
from discretion.shuffling.known_others import AmongKnown
from discretion.shuffling.laws.blanket import certified_interval, hidden_in_blanket
from discretion.shuffling.laws.closed_bounds import (
    CapacityAmong,
    ClosedBounds,
    GainAmong,
    InformationAmong,
    OneLaw,
    guess_below,
    information_below,
)
from discretion.shuffling.laws.divided_reports import divided_guess, divided_information
from discretion.shuffling.laws.groups import Group, OtherUsers, blanket_probability
from discretion.shuffling.laws.largest_counts import guess_above_among_bits, guess_by_largest_count
from discretion.shuffling.views import View

# A leak to an adversary with a view; it is no smaller for an adversary that sees more.
Leak = Callable[[AmongKnown], Plan[float | Estimate]]


def gain_leak(prior: Prior, gain: Gain) -> Leak:
    """Return the gain of the best guess as a leak."""
    return lambda view: plan_posterior_vulnerability(view, prior, gain)


class LeakBounds(Protocol):
    """Bounds of a leak for crowds that cannot be summed over."""

    @property
    def floor(self) -> float:
        """The leak to an adversary that sees no report."""
        ...

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return the closed bounds among other users with one law."""
        ...

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return the leak to an adversary that uses a linear statistic of the reports."""
        ...

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return an upper bound by dividing the target's report among users with any values, or those of the groups."""
        ...

    def ceiling(self, view: View) -> float:
        """Return an upper bound for every adversary, from other results."""
        ...


@dataclass(frozen=True, eq=False)
class InformationBounds:
    """Bounds of the mutual information."""

    prior: Reals

    @property
    def floor(self) -> float:
        """Always 0."""
        return 0.0

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return the bounds by the moments of the likelihood."""
        return InformationAmong(law, self.prior)

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return the information in the best linear statistics."""
        return information_below(mechanism, groups, self.prior)

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return the bound by the moments of the parts."""
        return divided_information(view.mechanism, view.n - 1, groups, self.prior)

    def ceiling(self, view: View) -> float:
        """Return the entropy of the prior."""
        possible = self.prior[self.prior > 0]
        return float(-possible @ np.log(possible))


@dataclass(frozen=True, eq=False)
class CapacityBounds:
    """Bounds of the Shannon capacity."""

    @property
    def floor(self) -> float:
        """Always 0."""
        return 0.0

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return the bounds by the moments of the likelihood."""
        return CapacityAmong(law)

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return the information about a uniform value in the best linear statistics."""
        return information_below(mechanism, groups, prior_vector(None, mechanism.secrets))

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return infinity, since this bound is not available for a capacity."""
        return math.inf

    def ceiling(self, view: View) -> float:
        """Return the entropy of a uniform value."""
        return math.log(view.secrets)


@dataclass(frozen=True, eq=False)
class GainBounds:
    """Bounds of the gain of the best guess."""

    prior: Reals
    gain: Gain

    @property
    def floor(self) -> float:
        """The gain of the best guess without any report."""
        return float(self.gain.best(self.prior[:, None])[0])

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return the bounds by the exponential moments of the likelihood."""
        return GainAmong(law, self.prior, self.gain)

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return the gain of guesses by the counts of supporting reports."""
        if not self._guesses_uniform_value:
            return -math.inf
        return max(guess_below(mechanism, groups), guess_by_largest_count(mechanism, groups))

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return the bound by the largest of the sums of parts, for a uniform value."""
        return divided_guess(view.mechanism, view.n - 1, groups) if self._guesses_uniform_value else math.inf

    def ceiling(self, view: View) -> float:
        """Return the bound from the distances of pairs: ``1 - β* (1 - max π)`` (Bayes-sec, section V)."""
        if not isinstance(self.gain, IdentityGain):
            return math.inf
        by_pairs = 1 - (1 - min(1.0, view.blanket.largest_excess(1.0))) * (1 - float(self.prior.max()))
        if not self._guesses_uniform_value:
            return by_pairs
        return min(by_pairs, guess_above_among_bits(view.mechanism, view.n))

    @property
    def _guesses_uniform_value(self) -> bool:
        return isinstance(self.gain, IdentityGain) and bool(np.all(self.prior == self.prior[0]))


def bounded_leak(view: AmongKnown, leak: Leak, bounds: LeakBounds) -> Estimate:
    """Return certified bounds of a leak among known other users.

    The lower bound is from coarser reports and linear statistics. The upper bound is from the blanket, and from the
    largest group of other users if the adversary sees all other reports in the clear.
    """
    coarse = (AmongKnown(two, view.n, view.groups) for two in coarsenings(view.mechanism))
    attained = [*exact_leaks(leak, coarse), bounds.linear_leak(view.mechanism, view.groups)]
    leak_among = LeakAmongOneLaw(view.mechanism, leak, bounds)
    if view.group is not None:
        attained.append(leak_among.closed_bounds(view.group).lower_bound(view.n))
    most = max(view.groups, key=lambda group: group.count, default=None)
    hidden = min(leak_among.upper_bound(most), bounds.divided_leak(view, view.groups))
    return enclosed_leak(attained, view, leak_among, hidden)


def information_of_two(view: AmongKnown, law: Reals) -> Estimate:
    """Return certified bounds of the information about a value that is one of two, both possible."""
    found, bounds = view.pair(0, 1).information(law), InformationBounds(law)
    attained = max(found.low, bounds.linear_leak(view.mechanism, view.groups))
    return certified_interval(attained, min(found.high, bounds.divided_leak(view, view.groups)))


class LeakAmongOneLaw:
    """A leak among other users with one law, or closed bounds of it; results are cached."""

    def __init__(self, mechanism: System, leak: Leak, bounds: LeakBounds) -> None:
        self.mechanism, self.leak, self.bounds = mechanism, leak, bounds
        self._closed: dict[Group | None, ClosedBounds] = {}
        self._fewest_bounded = math.inf  # in the blanket: so many, and more, have no exact leak

    def closed_bounds(self, group: Group) -> ClosedBounds:
        """Return the closed bounds among other users with the group's law."""
        key = None if group.blanket else group
        if key not in self._closed:
            self._closed[key] = self.bounds.closed_bounds(OneLaw(self.mechanism, group))
        return self._closed[key]

    def upper_bound(self, group: Group | None) -> float:
        """Return the leak, or its closed bound, among the users of a group; None is a target alone."""
        if group is None:
            return highest(self.leak(AmongKnown(self.mechanism, 1, ())).compute())
        if not group.blanket or group.count < self._fewest_bounded:
            plan = self.leak(AmongKnown(self.mechanism, 1 + group.count, (group,)))
            if plan.is_exact:
                return highest(plan.compute())
            if group.blanket:
                self._fewest_bounded = group.count
        return self.closed_bounds(group).upper_bound(group.count + 1)


def enclosed_leak(attained: list[float], view: View, leak_among: LeakAmongOneLaw, hidden: float) -> Estimate:
    """Return an interval from the attained leak to the least of the upper bounds."""
    mechanism = view.mechanism
    silent_view = AmongKnown(Channel(np.ones((mechanism.secrets, 1))), 1, ())
    leak_alone = leak_among.upper_bound(None)

    def in_blanket(count: int) -> float:
        return min(leak_alone, leak_among.upper_bound(Group(count, blanket=True))) if count else leak_alone

    attained = [*attained, lowest(leak_among.leak(silent_view).compute())]
    in_the_blanket = hidden_in_blanket(blanket_probability(mechanism), view.n, in_blanket, slack=5e-3)
    return certified_interval(max(attained), min(leak_alone, hidden, leak_among.bounds.ceiling(view), in_the_blanket))


def exact_leaks(leak: Leak, views: Iterable[AmongKnown]) -> list[float]:
    """Return the leak of each view whose leak is exact."""
    plans = [leak(view) for view in views]
    return [lowest(plan.compute()) for plan in plans if plan.is_exact]


def coarsenings(mechanism: System) -> list[Channel]:
    """Return the channels that show only whether one event holds for a report: two outputs each."""
    events = reporting(mechanism).events()
    return [Channel(np.stack([np.maximum(1 - event, 0), event], axis=1)) for event in events]
