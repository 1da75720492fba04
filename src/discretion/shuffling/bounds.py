"""Others whose values the adversary knows, where not everything can be summed over: by bounds."""

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

# What an adversary gains, and how that is computed; the more she sees, the more it is.
Leak = Callable[[AmongKnown], Plan[float | Estimate]]


def gain_leak(prior: Prior, gain: Gain) -> Leak:
    """Return what the best guess gains as a leak."""
    return lambda view: plan_posterior_vulnerability(view, prior, gain)


class LeakBounds(Protocol):
    """What bounds a leak where it is not summed over."""

    @property
    def floor(self) -> float:
        """The leak to an adversary that sees no report."""
        ...

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return the closed bounds among others of one law."""
        ...

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return what a linear statistic of the reports gets."""
        ...

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return an upper bound by dividing the target's report among others of any values, or those of the groups."""
        ...

    def ceiling(self, view: View) -> float:
        """Return what no adversary gets, as known otherwise."""
        ...


@dataclass(frozen=True, eq=False)
class InformationBounds:
    """Bounds of the mutual information."""

    prior: Reals

    @property
    def floor(self) -> float:
        """Nothing."""
        return 0.0

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return those by the moments of the likelihood."""
        return InformationAmong(law, self.prior)

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return what the best linear statistics tell."""
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
        """Nothing."""
        return 0.0

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return those by the moments of the likelihood."""
        return CapacityAmong(law)

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return what the best linear statistics tell of a uniform value."""
        return information_below(mechanism, groups, prior_vector(None, mechanism.secrets))

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return infinity: a capacity is not bounded so."""
        return math.inf

    def ceiling(self, view: View) -> float:
        """Return the entropy of a uniform value."""
        return math.log(view.secrets)


@dataclass(frozen=True, eq=False)
class GainBounds:
    """Bounds of what the best guess gains."""

    prior: Reals
    gain: Gain

    @property
    def floor(self) -> float:
        """What a blind guess gains."""
        return float(self.gain.best(self.prior[:, None])[0])

    def closed_bounds(self, law: OneLaw) -> ClosedBounds:
        """Return those by the exponential moments of the likelihood."""
        return GainAmong(law, self.prior, self.gain)

    def linear_leak(self, mechanism: System, groups: OtherUsers) -> float:
        """Return what guessing by the counts of supporting reports gains."""
        if not self._guesses_uniform_value:
            return -math.inf
        return max(guess_below(mechanism, groups), guess_by_largest_count(mechanism, groups))

    def divided_leak(self, view: View, groups: OtherUsers) -> float:
        """Return the bound by the largest of the sums of parts, of a uniform value."""
        return divided_guess(view.mechanism, view.n - 1, groups) if self._guesses_uniform_value else math.inf

    def ceiling(self, view: View) -> float:
        """Return a bound by that of pairs' distances: ``1 - β* (1 - max π)`` (Bayes-sec, section V)."""
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
    """Return certified bounds of a leak among known others.

    From below by coarser reports and linear statistics. From above by what the blanket hides, and by what the largest
    group of others hides, all other reports being shown to the adversary.
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
    """A leak among others of one law, or bounds of it in closed form; what these take is remembered."""

    def __init__(self, mechanism: System, leak: Leak, bounds: LeakBounds) -> None:
        self.mechanism, self.leak, self.bounds = mechanism, leak, bounds
        self._closed: dict[Group | None, ClosedBounds] = {}
        self._fewest_bounded = math.inf  # in the blanket: so many, and more, have no exact leak

    def closed_bounds(self, group: Group) -> ClosedBounds:
        """Return the closed bounds among others of the group's law."""
        key = None if group.blanket else group
        if key not in self._closed:
            self._closed[key] = self.bounds.closed_bounds(OneLaw(self.mechanism, group))
        return self._closed[key]

    def upper_bound(self, group: Group | None) -> float:
        """Return the leak among the others of a group, or none, or the closed bound."""
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
    """Return a leak between what is attained and the least of what hides the target."""
    mechanism = view.mechanism
    silent_view = AmongKnown(Channel(np.ones((mechanism.secrets, 1))), 1, ())
    leak_alone = leak_among.upper_bound(None)

    def in_blanket(count: int) -> float:
        return min(leak_alone, leak_among.upper_bound(Group(count, blanket=True))) if count else leak_alone

    attained = [*attained, lowest(leak_among.leak(silent_view).compute())]
    in_the_blanket = hidden_in_blanket(blanket_probability(mechanism), view.n, in_blanket, slack=5e-3)
    return certified_interval(max(attained), min(leak_alone, hidden, leak_among.bounds.ceiling(view), in_the_blanket))


def exact_leaks(leak: Leak, views: Iterable[AmongKnown]) -> list[float]:
    """Return the leak of each view that has an exact one."""
    plans = [leak(view) for view in views]
    return [lowest(plan.compute()) for plan in plans if plan.is_exact]


def coarsenings(mechanism: System) -> list[Channel]:
    """Return the channels that show one event of a report only: each with two outputs."""
    events = reporting(mechanism).events()
    return [Channel(np.stack([np.maximum(1 - event, 0), event], axis=1)) for event in events]
