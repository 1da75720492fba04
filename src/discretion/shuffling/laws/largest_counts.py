"""The guess by the largest count: of the values that single reports support, guess the one with most support.

The lower bounds here fall with the crowd as the best guess does; for bits there is also an upper bound. Let κ be the
likely a report supports its sender's value, λ how likely another one, and T_x the number of all n reports that support
the value x. The target's value is uniform among k, and guessed correctly with probability v.

- **Strangers of uniform values.** All n reports have one law, and support any value with ``λ' = λ + (κ-λ)/k``. For bits

      k v - 1 >= (κ-λ) / (λ'(1-λ)) · (E max_x T_x / n - λ').

  Fix the other reports, and let D be the sum over x of how much likelier x is guessed if the target's bit for x is 1
  instead of 0, its other bits having the law that no value has a part in. Then ``k v - 1 = (κ-λ) E D``. The target's
  bit for the guessed value is 1 with a probability of ``E max_x T_x / n``, since all reports have one law; and this is
  at most ``λ' + (1-λ) λ' E D``, since other bits that are 1 never make a guess likelier.
  For sets of one size the likelihoods are linear in the counts, and ``(κ-λ') / (λ'(1-λ'))`` makes both sides equal.
  The counts are negatively associated (Joag-Dev and Proschan, "Negative association of random variables, with
  applications", 1983), so that the largest is on average at least that of k independent binomial counts.
- **Others who all hold one value.** Guess among the other k-1 values, by the reports that do not support the others'
  value. These are a share 1-κ of all, and e^ε times as likely from the target if they support its value: so
  ``k v - 1 >= (e^ε - 1)/n · E[max_x T_x - mean]`` over their counts.
- **Others of known values, bits.** The counts of the others' reports, S_x, are independent, and the target raises the
  count of its own value more often than another one: ``k v - 1 = (κ-λ) Σ_x E[win_x(S_x + 1) - win_x(S_x)]``, where
  win_x is how likely x has the largest count given its own.
- **Above, for bits.** With probability ``(1-κ)/(1-λ)`` each other user reports bits that no value has a part in. Show
  the adversary all other reports: the likelihoods are then linear in the counts, which are independent.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from discretion.channels.channel import System
from discretion.errors import TooLargeError
from discretion.mechanisms.reporting import Reporting, reporting
from discretion.numerics.arrays import Integers, Reals
from discretion.numerics.laws.binomial import binomial_window
from discretion.numerics.laws.occupancy import expected_maximum_load
from discretion.numerics.laws.poisson_multinomial import histogram_box
from discretion.shuffling.laws.blanket import hidden_in_blanket
from discretion.shuffling.laws.groups import OtherUsers, holders

# Kinds of values, by how many of the others hold them, whose counts have a law each.
_MAX_KINDS = 32
# What rounding may change, relatively.
_ROUNDING = 1e-7
# Beyond, a lie is too rare for these bounds.
_LOUD = 600.0
# Within how many standard deviations a mean is cut into stretches, how many at most, and what they may cost.
_WITHIN, _STRETCHES, _COST = 4.0, 16, 1e-3


def guess_by_largest_count(mechanism: System, groups: OtherUsers) -> float:
    """Return a lower bound of the probability of a correct guess of a uniform value; 1/k if no bound is known."""
    report, k, n = reporting(mechanism), mechanism.secrets, 1 + sum(group.count for group in groups)
    counts_are_associated = report.bits is not None or _set_size(report) is not None
    if not report.is_symmetric or not counts_are_associated or not groups or not 0 < _epsilon(report) < _LOUD:
        return 1 / k
    if all(group.value is not None for group in groups):
        held = holders(k, groups)
        risen = _risen_among_known(report, held)
        risen = max(risen, _risen_among_one_value(report, n)) if len(groups) == 1 else risen
    else:
        risen = _risen_among_strangers(report, n) if len(groups) == 1 and groups[0].is_uniform else 0.0
    return (1 + risen * (1 - _ROUNDING)) / k


def guess_above_among_bits(mechanism: System, n: int) -> float:
    """Return an upper bound of the probability of a correct guess of a uniform value, for any values of the others."""
    bits, k = reporting(mechanism).bits, mechanism.secrets
    if bits is None or not bits.other or not bits.not_other:
        return math.inf
    slope = bits.gap / bits.other / bits.not_other

    def among(count: int) -> float:
        excess = excess_of_largest(k, count + 1, bits.other, bits.not_other) / (count + 1)
        return (1 + slope * excess * (1 + _ROUNDING)) / k

    return hidden_in_blanket(min(1.0, bits.not_own / bits.not_other), n, among, slack=2e-3)


def excess_of_largest(k: int, n: int, p: float, q: float) -> float:
    """Return ``E max - n p`` of k independent counts of the law Bin(n, p), where q = 1-p."""
    first, masses = binomial_window(n, p, q)
    beyond = np.append(np.cumsum(masses[::-1])[::-1][1:], 0.0)
    with np.errstate(divide="ignore"):
        below = np.exp(k * np.log1p(-np.minimum(beyond, 1.0)))
    law = np.diff(below, prepend=0.0)
    return max(0.0, float(law @ (first - n * p + np.arange(masses.size))))


def _epsilon(report: Reporting) -> float:
    return 0.0 if report.pure_epsilon is None else report.pure_epsilon


def _set_size(report: Reporting) -> int | None:
    """Return the number of values in each report's support, if it is constant and every such set is reported."""
    sizes = report.support_sizes
    return int(sizes.sizes[0]) if sizes is not None and sizes.sizes.size == 1 else None


def _risen_among_strangers(report: Reporting, n: int) -> float:
    k, size, bits = report.secrets, _set_size(report), report.bits
    if size is not None:
        p, q = size / k, (k - size) / k
        odds = math.expm1(_epsilon(report))
        slope = odds / (1 + odds * p)
    else:
        assert bits is not None
        p, q = bits.other + bits.gap / k, bits.not_other - bits.gap / k
        slope = bits.gap / p / bits.not_other
    return slope * excess_of_largest(k, n, p, q) / n


def _risen_among_one_value(report: Reporting, n: int) -> float:
    k, odds, bits = report.secrets, math.exp(_epsilon(report)), report.bits
    size = _set_size(report)
    if k < 3:
        return 0.0
    if size is not None:
        own, not_own = size * odds / (size * odds + k - size), (k - size) / (size * odds + k - size)
        p, q = size / (k - 1), (k - 1 - size) / (k - 1)
    else:
        assert bits is not None
        own, not_own, p, q = bits.own, bits.not_own, bits.other, bits.not_other

    def excess(count: int) -> float:
        if size == 1:
            return expected_maximum_load(count, k - 1) - count / (k - 1) if count else 0.0
        return excess_of_largest(k - 1, count, p, q)

    return (odds - 1) * _mean_of_rising(excess, n, not_own, own) / n


def _mean_of_rising(function: Callable[[int], float], n: int, p: float, q: float) -> float:
    """Return a lower bound of the mean of a function that rises from 0 on, for a count of the law Bin(n, p).

    Each interval of counts takes the value at its start; for a function that rises as a root this costs little.
    """
    first, masses = binomial_window(n, p, q)
    mean, deviation = n * p, math.sqrt(n * p * q)
    stretches = min(_STRETCHES, math.ceil(_WITHIN * deviation / (2 * _COST * max(mean, 1.0))))
    cuts = mean + deviation * np.linspace(-_WITHIN, _WITHIN, stretches, endpoint=False)
    starts = np.unique(np.clip(np.floor(cuts).astype(np.int64) - first, 0, masses.size - 1))
    shares = np.add.reduceat(masses, starts)
    return float(shares @ [function(int(first + start)) for start in starts])


class _Kind(NamedTuple):
    """Values held by the same number of other users: their number, and the law of each count from a first point on."""

    size: int
    first: int
    law: Reals


def _risen_among_known(report: Reporting, held: Integers) -> float:
    bits = report.bits
    numbers, sizes = np.unique(held, return_counts=True)
    if bits is None or numbers.size > _MAX_KINDS:
        return 0.0
    users = int(held.sum())
    if not users:
        return 0.0
    try:
        kinds = [
            _kind(size, [(held_by, bits.own, bits.not_own), (users - held_by, bits.other, bits.not_other)])
            for held_by, size in zip(numbers.tolist(), sizes.tolist(), strict=True)
        ]
    except TooLargeError:
        return 0.0
    # Values that more others hold are supported more often: their counts are compared from there on.
    moved = [
        kind._replace(first=kind.first - round(bits.gap * (held_by - numbers[0])))
        for kind, held_by in zip(kinds, numbers.tolist(), strict=True)
    ]
    largest = max(kinds, key=lambda kind: kind.size)
    return bits.gap * max(_risen(moved, bits.other), _risen([largest], bits.other))


def _kind(size: int, groups: list[tuple[int, float, float]]) -> _Kind:
    present = [group for group in groups if group[0]]
    box = histogram_box([count for count, *_ in present], [(p, q) for _, p, q in present])
    return _Kind(size, box.corner[0], np.maximum(box.probabilities(), 0.0))


def _risen(kinds: list[_Kind], other: float) -> float:
    """Return ``Σ_x E[win_x(S_x + 1) - win_x(S_x)]``; among equal counts an earlier kind wins, then all equally."""
    start = min(kind.first for kind in kinds)
    end = max(kind.first + kind.law.size for kind in kinds) + 2
    laws = [np.pad(kind.law, (kind.first - start, end - kind.first - kind.law.size)) for kind in kinds]
    with_target = [(1 - other) * law + other * np.append(0.0, law[:-1]) for law in laws]
    up_to = [np.minimum(np.cumsum(law), 1.0) for law in with_target]
    risen = 0.0
    for place, kind in enumerate(kinds):
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(up_to[place] > 0, np.minimum(with_target[place] / up_to[place], 1.0), 1.0)
            ties = np.where(share > 0, -np.expm1(kind.size * np.log1p(-share)) / (kind.size * share), 1.0)
        win = up_to[place] ** (kind.size - 1) * ties
        for rival, rivals in enumerate(kinds):
            if rival < place:
                win *= np.append(0.0, up_to[rival][:-1]) ** rivals.size
            elif rival > place:
                win *= up_to[rival] ** rivals.size
        risen += kind.size * float(laws[place][:-1] @ np.diff(win))
    return risen
