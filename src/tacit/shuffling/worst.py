"""Others whose values the adversary knows, where not everything can be summed over: by bounds."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from tacit.channels.channel import Channel, System
from tacit.estimate import Estimate, highest, lowest
from tacit.measures.measure import Plan
from tacit.mechanisms.reporting import reporting
from tacit.shuffling.blanket import between, hidden_in_blanket
from tacit.shuffling.others import Group, is_symmetric
from tacit.shuffling.views import AmongOthers, AmongWorst, View

Reals = NDArray[np.float64]

_MOST_TRIED = 3

# What an adversary gains, and how that is computed; the more she sees, the more it is.
Leak = Callable[[AmongOthers], Plan[float | Estimate]]


def bounded(view: AmongOthers, leak: Leak, ceiling: float = math.inf) -> Estimate:
    """Return certified bounds of a leak among known others: what coarser reports tell, and what the blanket hides.

    A ceiling that is known otherwise may be lower.
    """
    coarse = (AmongOthers(two, view.n, view.groups) for two in _coarsenings(view.mechanism))
    return _between(_certain(leak, coarse), view, leak, ceiling)


def bounded_worst(view: AmongWorst, leak: Leak, ceiling: float = math.inf) -> Estimate:
    """Return certified bounds of the worst leak: what others who are all alike make of it, and the blanket's."""
    some = 2 if is_symmetric(view.mechanism) else _MOST_TRIED
    alike = [(Group(view.n - 1, value=value),) for value in range(min(view.secrets, some))]
    tried = [AmongOthers(view.mechanism, view.n, groups) for groups in alike]
    coarse = (AmongOthers(two, view.n, groups) for two in _coarsenings(view.mechanism) for groups in alike)
    return _between([*_certain(leak, tried), *_certain(leak, coarse)], view, leak, ceiling)


def guess_ceiling(view: View, prior: Reals) -> float:
    """Return a bound of the guess from that of pairs' distances: ``1 - β* (1 - max π)`` (Bayes-sec, section V)."""
    return 1 - (1 - min(1.0, view.blanket.largest_excess(1.0))) * (1 - float(prior.max()))


def _between(attained: list[float], view: View, leak: Leak, ceiling: float) -> Estimate:
    mechanism = view.mechanism
    silent = AmongOthers(Channel(np.ones((mechanism.secrets, 1))), 1, ())
    alone = highest(leak(AmongOthers(mechanism, 1, ())).compute())

    def among(count: int) -> float:
        plan = leak(AmongOthers(mechanism, count + 1, (Group(count, blanket=True),) if count else ()))
        return alone if not plan.is_exact else highest(plan.compute())

    attained = [*attained, highest(leak(silent).compute())]
    return between(max(attained), min(alone, ceiling, hidden_in_blanket(mechanism, view.n, among, slack=5e-3)))


def _certain(leak: Leak, views: Iterator[AmongOthers] | list[AmongOthers]) -> list[float]:
    plans = [leak(view) for view in views]
    return [lowest(plan.compute()) for plan in plans if plan.is_exact]


def _coarsenings(mechanism: System) -> list[Channel]:
    """Return what a report tells of one event only: channels with two outputs."""
    return [_one_against_the_rest(event) for event in reporting(mechanism).events()]


def _one_against_the_rest(column: Reals) -> Channel:
    return Channel(np.stack([np.maximum(1 - column, 0), column], axis=1))
