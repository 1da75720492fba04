"""Compute the next choice of the curator by value: combinations of frequent answers; all other answers count as one.

Anonymity, section 8.2: "asking about pairs involving those values is likely to cause significant privacy loss, so the
curator specifically does not ask them". The exposure by all questions about several features together is within the
budget.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import floor

import numpy as np

from discretion.anonymity.choosing.value_rounds import ValueCurator
from discretion.collection.parts.choosing import most_groups, next_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice, Receiver, Term
from discretion.numerics.arrays import Integers

# The most features of one question, as in three rounds of whole features.
_FEATURES_TOGETHER = 3


def next_by_value(
    after: Round, counts: Mapping[str, Integers], asked: Sequence[tuple[Round, Sequence[Integers]]], people: int
) -> Choice | None:
    """Return the choice after a round, or None if nothing is certified to go out.

    Everybody with the same tables computes the same choice: see :func:`~discretion.anonymity.value_rounds`.

    Parameters
    ----------
    counts
        The number of people with each answer to each feature.
    asked
        Each later round so far, with the table of each of its groups in the order of their codes.
    people
        The number of people counted in the first round. A person who is missing from a table may have any answers.
    """
    task = after.task
    frequent = [_frequent(counts[feature.name]) for feature in task.features]
    # A last answer with a count of 0: that of people whose first message was lost.
    singles = [
        np.append(counts[feature.name][codes], 0) for feature, codes in zip(task.features, frequent, strict=True)
    ]
    allowed = floor(Decimal(task.budget) * people)
    answered = [int(tally.sum()) for _, tallies in asked for tally in tallies]
    curator = ValueCurator(singles, max(people, *answered, 0), task.k, allowed, _FEATURES_TOGETHER)
    for round_, tallies in asked:
        for place, (group, tally) in enumerate(zip(round_.groups, tallies, strict=True)):
            curator.learn(group, _by_frequency(round_, place, tally, frequent))
    release = curator.release()
    everything = tuple(map(len, frequent))
    if after.number < task.rounds and (release is None or release[1] != everything):
        planned = sorted(curator.plan().items())[: most_groups(after)]
        if planned:
            bounds = [bound for _, (_, bound) in planned]
            groups = [(group, kept) for group, (kept, _) in planned]
            return _choice(after, "curator", groups, bounds, allowed, people, frequent)
    if release is None:
        return None
    group, kept, bound = release
    return _choice(after, "analyst", [(group, kept)], [bound], allowed, people, frequent)


def _frequent(counts: Integers) -> list[int]:
    """Return the codes that somebody has, the most frequent first, and equally frequent ones by code."""
    order: list[int] = np.argsort(-counts, kind="stable").tolist()
    return [code for code in order if counts[code]]


def _by_frequency(round_: Round, place: int, tally: Integers, frequent: Sequence[Sequence[int]]) -> Integers:
    """Return the table of a group with the most frequent answers first, and all other answers last."""
    table = tally.reshape(round_.cells(place))
    for axis, (feature, kept) in enumerate(zip(round_.groups[place], round_.kept[place], strict=True)):
        codes = kept or ()
        rank_of = {code: rank for rank, code in enumerate(frequent[feature])}
        ranks = [rank_of.get(code, len(rank_of)) for code in codes]
        table = np.take(table, [*np.argsort(ranks, kind="stable"), len(codes)], axis)
    return table


def _choice(  # noqa: PLR0917
    after: Round,
    receiver: Receiver,
    groups: Sequence[tuple[tuple[int, ...], tuple[int, ...]]],
    bounds: Sequence[int],
    allowed: int,
    people: int,
    frequent: Sequence[Sequence[int]],
) -> Choice:
    """Return a choice whose bounds are raised to multiples of k within the budget, so that they show no small count."""
    k, left = after.task.k, allowed - sum(bounds)
    terms: list[tuple[Term, ...]] = []
    for (group, _), bound in zip(groups, bounds, strict=True):
        more = min(left, -bound % k)
        left -= more
        terms.append((Term(group, bound + more, 0),))
    kept = tuple(
        tuple(tuple(sorted(frequent[feature][:most])) for feature, most in zip(group, each, strict=True))
        for group, each in groups
    )
    exposure = max(term.rare for (term,) in terms) / people
    return next_of(
        after, receiver, [group for group, _ in groups], exposure=exposure, people=people, terms=tuple(terms), kept=kept
    )
