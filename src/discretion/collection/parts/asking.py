"""Compute the next choice of the curator: groups of features that the counts so far certify, and the last choice.

Anonymity, section 8.2: "ask a sequence of queries with increasing complexity".
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from discretion.anonymity import Marginals, hierarchical_rounds
from discretion.collection.parts.asking_by_value import next_by_value
from discretion.collection.parts.choosing import (
    answer_class_sizes,
    certified_next,
    choice_of,
    most_groups,
    people_of,
    places_of,
)
from discretion.collection.parts.counting import people_in
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.parts.redacting import redacted_choice
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Choice
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers


class KnownCounts:
    """The counts of the rounds so far, as the curator or every reader of the boards knows them."""

    def __init__(self) -> None:
        self.counts: Mapping[str, Integers] = {}
        self._people = 0
        self._reports: list[tuple[ShufflerReport, ...]] = []
        self._later: list[tuple[Round, Sequence[Integers]]] = []

    def next_choice(
        self, round_: Round, tallies: Sequence[Integers], reports: Sequence[ShufflerReport]
    ) -> Choice | None:
        """Return the choice after a round, by its tallies and all earlier ones; None if nothing may go out."""
        self.add(round_, tallies, reports)
        if self._people < round_.task.smallest_batch:  # some messages do not open; no client takes such a choice
            return None
        if round_.task.by_value:
            choice = next_by_value(round_, self.counts, self._later, self._people)
        else:
            alike = {group: tally for of, each in self._later for group, tally in zip(of.groups, each, strict=True)}
            choice = _next_choice(round_, self.counts, alike, self._people)
        return None if choice is None else replace(choice, reports=tuple(self._reports))

    def add(self, round_: Round, tallies: Sequence[Integers], reports: Sequence[ShufflerReport]) -> None:
        """Add the tallies of a round, and the shufflers' reports of it."""
        self._reports.append(tuple(reports))
        if round_.number == 1:
            least = map(NoiseInCounts(round_.task).least, tallies)
            self.counts = dict(zip((feature.name for feature in round_.task.features), least, strict=True))
            self._people = max(people_in(tallies, reports))
        else:
            self._later.append((round_, tallies))


def _next_choice(
    after: Round,
    counts: Mapping[str, Integers],
    alike: Mapping[tuple[int, ...], Integers],
    people: int,
) -> Choice | None:
    """Return the choice after a round of the curator, or None if nothing is certified to go out.

    As long as the task has rounds left and not all features go out together, the choice asks for larger groups.
    Otherwise it is the analyst's choice with the most features: certified by single answers, by those and groups, or
    redacted by rules. Among choices with equally many features it is the first of these, since single answers certify
    the most, and redacted answers reveal less.
    """
    together = _by_groups(after, counts, alike)
    if together is not None and together.receiver == "curator":
        return together
    alone = choice_of(after.task, counts, after, people=people, confidence=after.task.confidence)
    choices = [alone, together, redacted_choice(after, counts)]
    return max(
        (choice for choice in choices if choice is not None), key=lambda choice: len(choice.chosen), default=None
    )


def _by_groups(
    after: Round, counts: Mapping[str, Integers], alike: Mapping[tuple[int, ...], Integers]
) -> Choice | None:
    """Return the next choice of the curator, or else the analyst's choice that the counts of groups certify."""
    task, people = after.task, people_of(counts)
    if task.rounds == 1:
        return None
    known, up_to = _marginals(after, counts, alike), min(after.number + 1, task.rounds)
    try:
        last = hierarchical_rounds(known, Decimal(task.budget), k=task.k, rounds=up_to)[-1]
    except TooLargeError:  # with this many features, single answers alone decide what goes out
        return None
    if last.questions and last.size > after.number and len(last.largest_certified) < len(task.features):
        questions = last.questions[: most_groups(after)]
        groups = [places_of(task, each.columns) for each in questions]
        return certified_next(after, "curator", groups, known, people)
    if not last.largest_certified:
        return None
    chosen = places_of(task, last.largest_certified)
    return certified_next(after, "analyst", [chosen], known, people)


def _marginals(after: Round, counts: Mapping[str, Integers], alike: Mapping[tuple[int, ...], Integers]) -> Marginals:
    """Return the counts of single features and of groups.

    A person who is missing from a group is assumed to stand out in it. The same number of people who stand out in
    everything are added to all counts; otherwise single features would certify more than the counts of a group allow.
    """
    features = after.task.features
    answered = [int(tally.sum()) for tally in alike.values()]
    people = max(people_of(counts), *answered, 0)
    people += people - min(answered, default=people)
    return Marginals(
        {name: answer_class_sizes(tally, people) for name, tally in counts.items()},
        groups={
            tuple(features[place].name for place in group): answer_class_sizes(tally, people)
            for group, tally in alike.items()
        },
    )
