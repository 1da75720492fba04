"""The types of a report that is a set: which of the values that are told apart are in it."""

import itertools
from collections.abc import Sequence

import numpy as np

from discretion.mechanisms.reporting import Sender, Support, told_apart
from discretion.numerics.arrays import Reals
from discretion.numerics.proportional_columns import merged_columns

_FEW_APART = 10


def report_types(k: int, size: int, support: Support, values: Sequence[int], others: Sequence[Sender]) -> Reals | None:
    """Return how likely each type of report is, a row per value and then per other sender; None if it takes the sets.

    That is where many values are told apart, or other senders' values are not uniform.
    """
    apart = told_apart(values, others)
    if len(apart) > _FEW_APART or any(sender.population is not None for sender in others):
        return None
    patterns = list(itertools.product((False, True), repeat=len(apart)))

    def of_value(value: int) -> Reals:
        place = apart.index(value)
        rest = len(apart) - 1
        held = [_share(k - 1, size - 1, rest, sum(inside) - 1) if inside[place] else 0.0 for inside in patterns]
        left = [0.0 if inside[place] else _share(k - 1, size, rest, sum(inside)) for inside in patterns]
        return support.own * np.array(held) + support.not_own * np.array(left)

    # The blanket is what all sets have in common: like a uniform value, it makes all sets equally likely.
    uniform = np.array([_share(k, size, len(apart), sum(inside)) for inside in patterns])
    rows = [of_value(value) for value in values]
    rows += [uniform if sender.value is None else of_value(sender.value) for sender in others]
    return merged_columns(np.vstack(rows))[0]


def blanket_probability(k: int, size: int, support: Support) -> float:
    """Return how likely a report is to be of the blanket: every set is at least as likely as one without one's own."""
    return min(1.0, support.not_own * k / (k - size))


def _share(k: int, size: int, told: int, inside: int) -> float:
    """Return which share of the sets of this size have these and no others of the told values in them."""
    share = 1.0
    for place in range(told):
        held = place < inside
        share *= (size - place if held else k - size - (place - inside)) / (k - place)
    return max(0.0, share)
