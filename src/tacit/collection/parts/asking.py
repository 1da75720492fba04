"""What the curator publishes next: groups of features that the answers so far certify, and at last the choice.

Anonymity, section 8.2: "ask a sequence of queries with increasing complexity".
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from tacit.anonymity import Marginals, hierarchical_rounds
from tacit.collection.parts.choosing import choice_of, next_of, people_of, places_of, sizes_of
from tacit.collection.parts.redacting import redacted_choice
from tacit.collection.wire.rounds import Round
from tacit.collection.wire.selection import MOST_GROUPS, Choice
from tacit.errors import TooLargeError


class Learnt:
    """What the curator knows, or everybody who has seen the boards: how many said the same, by rounds."""

    def __init__(self) -> None:
        self.counts: Mapping[str, NDArray[np.int64]] = {}
        self._alike: dict[tuple[int, ...], NDArray[np.int64]] = {}

    def next_choice(self, of: Round, tallies: Sequence[NDArray[np.int64]]) -> Choice | None:
        """Return what to publish after a round, by its tallies and those of all before; None if nothing may go out."""
        self.add(of, tallies)
        return _next_choice(of, self.counts, self._alike)

    def add(self, of: Round, tallies: Sequence[NDArray[np.int64]]) -> None:
        """Take the tallies of a round."""
        if of.number == 1:
            self.counts = dict(zip((feature.name for feature in of.task.features), tallies, strict=True))
        else:
            self._alike.update(zip(of.groups, tallies, strict=True))


def _next_choice(
    after: Round,
    counts: Mapping[str, NDArray[np.int64]],
    alike: Mapping[tuple[int, ...], NDArray[np.int64]],
) -> Choice | None:
    """Return what to publish after a round of the curator's, or None if nothing is certified to go out.

    As long as the task allows for rounds, and not all features go out together anyway, larger groups are asked for.
    Otherwise it is the choice of most features: by single answers, by those of groups, or redacted by rules. Of several
    the first: single answers say most of how sure it is, and redacted ones tell less.
    """
    task, people = after.task, people_of(counts)
    found = [choice_of(task, counts, after)]
    if task.rounds > 1 and (found[0] is None or len(found[0].chosen) < len(task.features)):
        known = _marginals(after, counts, alike)
        try:
            last = hierarchical_rounds(
                known, Decimal(task.budget), k=task.k, rounds=min(after.number + 1, task.rounds)
            )[-1]
        except TooLargeError:  # of so many features the single answers alone tell what goes out
            last = None
        if last is not None and last.size > after.number and last.asked:
            asked = last.asked[:MOST_GROUPS]
            exposure = max(each.certified.value for each in asked)
            return next_of(after, "curator", [places_of(task, each.columns) for each in asked], exposure, people)
        if last is not None and last.largest_certified:
            chosen, exposure = places_of(task, last.largest_certified), last.largest_certified_bound.value
            found.append(next_of(after, "analyst", [chosen], exposure, people))
    found.append(redacted_choice(after, counts))
    return max((choice for choice in found if choice is not None), key=lambda choice: len(choice.chosen), default=None)


def _marginals(
    after: Round, counts: Mapping[str, NDArray[np.int64]], alike: Mapping[tuple[int, ...], NDArray[np.int64]]
) -> Marginals:
    """Return the counts of single features and of groups.

    Whoever is missing from a group is taken to be like nobody else in it. As many who are like nobody else in anything
    are added to all counts, lest single features seem to certify more than the counts of a group let them.
    """
    features = after.task.features
    answered = [int(held.sum()) for held in alike.values()]
    people = max(people_of(counts), *answered, 0)
    people += people - min(answered, default=people)
    return Marginals(
        {name: sizes_of(held, people) for name, held in counts.items()},
        groups={
            tuple(features[place].name for place in group): sizes_of(held, people) for group, held in alike.items()
        },
    )
