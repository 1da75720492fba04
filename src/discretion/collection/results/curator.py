"""The curator's result of the first round: counts of single answers, none of fewer than k people, and the choice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any, Protocol

import numpy as np

from discretion.collection.parts.choosing import Counts, certified_of
from discretion.collection.parts.counting import people_in
from discretion.collection.parts.intervals import people_intervals
from discretion.collection.parts.joint import score_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.results.rare import Rare, may_be_compared, merge_rare, publishable
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.selection import Choice
from discretion.collection.wire.task import Feature, Task
from discretion.estimate import Estimate
from discretion.numerics.arrays import Integers
from discretion.presenting.json_answers import plain

CONFIDENCE = 0.95  # of all intervals together, where dummies are in the counts


@dataclass(frozen=True)
class FeatureCounts:
    """The number of people with each answer to a feature.

    Parameters
    ----------
    feature, randomizer
        The name of the feature, and the randomizer of its answers, if there is one.
    counts
        The answers of at least k reports, in the task's order, each with its number of reports; None is a missing
        answer. Without a randomizer a report is a person's answer. With dummies in the counts these are estimates,
        whose intervals hold together, and begin at k or above.
    people
        For a randomized feature, the number of people with each of these answers: estimates whose intervals hold
        together. Empty without a randomizer, where the counts are of people, and with dummies.
    rare
        All other answers as one; None if nobody gave any of them.
    lost
        The number of counted people whose answer to this feature did not arrive.
    withheld
        The reason why the counts are not given out; None if they are.
    """

    feature: str
    randomizer: str | None
    counts: tuple[tuple[str | None, int | Estimate], ...]
    rare: Rare | None
    lost: int
    withheld: str | None = None
    people: tuple[Estimate, ...] = ()


@dataclass(frozen=True)
class ChosenFeatures:
    """The features that go out together.

    Parameters
    ----------
    features
        The names of the features, in the task's order.
    exposure
        An upper bound of the share of people in groups of fewer than k people with the same answers: certified for the
        counted people, or with a confidence for other people drawn like them.
    """

    features: tuple[str, ...]
    exposure: Estimate


@dataclass(frozen=True)
class CuratorResult:
    """The result of the first round, in the form that may leave the curator.

    Parameters
    ----------
    task
        The digest of the task, in hexadecimal.
    people
        The number of counted people.
    k, budget
        The parameters of the task.
    features
        The counts of each feature.
    dropped, repeated, unknown, unadmitted
        The numbers of messages that did not open, were repeated, had a code that the task does not have, or had no
        valid token of their own.
    chosen
        The features that go out together; None if nothing is certified to be within the budget.
    shufflers
        The report of each shuffler on the first round.
    """

    task: str
    people: int
    k: int
    budget: str
    features: tuple[FeatureCounts, ...]
    dropped: int
    repeated: int
    unknown: int
    unadmitted: int
    chosen: ChosenFeatures | None
    shufflers: tuple[ShufflerReport, ...] = ()

    def to_dict(self) -> Mapping[str, Any]:
        """Return the result as plain objects, for JSON."""
        records = [
            {
                "feature": each.feature,
                "randomizer": each.randomizer,
                "counts": [
                    {
                        "answer": answer,
                        "reports": plain(count),
                        "people": plain(count if each.randomizer is None else people),
                    }
                    for (answer, count), people in zip_longest(each.counts, each.people)
                ],
                "rare": plain(each.rare),
                "lost": each.lost,
                "withheld": each.withheld,
            }
            for each in self.features
        ]
        return {
            **plain(replace(self, shufflers=())), "features": records,
            "shufflers": [report.to_dict() for report in self.shufflers],
        }  # fmt: skip


class LostMessages(Protocol):
    """The numbers of messages that did not open, were repeated, had an unknown code, or had no valid token."""

    @property
    def dropped(self) -> int: ...  # noqa: D102
    @property
    def repeated(self) -> int: ...  # noqa: D102
    @property
    def unknown(self) -> int: ...  # noqa: D102
    @property
    def unadmitted(self) -> int: ...  # noqa: D102


def curator_result(
    task: Task,
    counts: Counts,
    lost: LostMessages,
    choice: Choice | None,
    confidence: float | None = None,
    *,
    reports: Sequence[ShufflerReport] = (),
    analysed: int | None = None,
) -> CuratorResult:
    """Return the curator's result.

    The curator's counts are of the people of the first round, the analyst's of those who answered again. The difference
    would show the answers of the people who left in between. So the counts of features that go out together are given
    out only after the analyst has counted, and if nobody or at least k people left.

    Parameters
    ----------
    task, counts, lost
        The task, the number of people with each answer, by codes, and the numbers of messages that do not count.
    choice, confidence
        The choice, and its confidence if it is for other people than the counted ones, as in
        :func:`~discretion.collection.parts.choosing.choice_of`.
    reports
        The report of each shuffler on the first round.
    analysed : int, optional
        The number of people that the analyst counted; None if it has not counted yet.
    """
    answered = people_in([*counts.values()], reports)
    people, noise = max(answered), NoiseInCounts(task)
    reach = noise.reach(CONFIDENCE, sum(map(len, counts.values())))
    chosen = None
    if choice is not None:
        names = tuple(task.features[place].name for place in choice.chosen)
        chosen = ChosenFeatures(names, certified_of(task, counts, choice, confidence))
    together = () if choice is None else choice.chosen
    features = tuple(
        _counts_of_feature(
            feature, noise, counts[feature.name], reach, lost=people - count,
            withheld=_withheld(count, analysed, task.k) if place in together and task.other_people is None else None,
        )
        for place, (feature, count) in enumerate(zip(task.features, answered, strict=True))
    )  # fmt: skip
    return CuratorResult(
        task.digest.hex(), people, task.k, task.budget, features,
        lost.dropped, lost.repeated, lost.unknown, lost.unadmitted, chosen, tuple(reports),
    )  # fmt: skip


def _withheld(counted: int, analysed: int | None, k: int) -> str | None:
    if analysed is None:
        return "the analyst has not counted yet"
    if may_be_compared(counted, analysed, k):
        return None
    return (
        f"the analyst counted {analysed:,} people, so these counts and its result together would show the answers of "
        "fewer than k people"
    )


def _counts_of_feature(
    feature: Feature, noise: NoiseInCounts, tally: Integers, reach: int, *, lost: int, withheld: str | None
) -> FeatureCounts:
    if withheld is not None:
        return FeatureCounts(feature.name, feature.randomizer, (), None, lost, withheld)
    people = np.maximum(noise.about(tally), 0)
    is_shown = publishable(np.maximum(people - reach, 0), noise.task.k)
    codes, shown = np.flatnonzero(is_shown).tolist(), people[is_shown].tolist()
    numbers = [noise.estimate(count, reach, CONFIDENCE) for count in shown] if noise.most else shown
    each = tuple((feature.labels[code], count) for code, count in zip(codes, numbers, strict=True))
    estimates: list[Estimate] = []
    if feature.randomizer is not None and not noise.most:
        estimates = people_intervals(people[is_shown], int(people.sum()), score_of(feature), CONFIDENCE)
    rare = merge_rare(people, is_shown)
    return FeatureCounts(feature.name, feature.randomizer, each, rare, lost, people=tuple(estimates))
