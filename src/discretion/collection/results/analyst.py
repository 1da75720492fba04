"""The analyst's result: the shares of joint answers, exact or with intervals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from discretion.collection.parts.counting import BatchCounts, people_in
from discretion.collection.parts.intervals import METHOD, intervals_of
from discretion.collection.parts.joint import JointShares, joint_shares
from discretion.collection.parts.noisy_counts import METHOD as BY_NOISE, NoiseInCounts
from discretion.collection.randomizers import randomizer_of
from discretion.collection.results.rare import Rare, may_be_compared, merge_rare, publishable
from discretion.collection.results.suppressed import RedactedFeature, Suppressed, redacted_features, suppressed_in
from discretion.collection.wire.reports import ShufflerReport
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.task import Feature
from discretion.estimate import Estimate
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.presenting.json_answers import plain
from discretion.validation import as_confidence

Answers = tuple[str | None, ...]


@dataclass(frozen=True)
class Posterior:
    """The posterior law of the shares in the population of which the participants are a sample, by Jeffreys' prior.

    Parameters
    ----------
    means
        The mean of the share of each answer, in the feature's order.
    intervals
        An interval for each share, which holds by itself with the result's confidence.
    """

    means: tuple[float, ...]
    intervals: tuple[tuple[float, float], ...]


@dataclass(frozen=True, eq=False)
class AnalystResult:
    """The result of the analyst's round.

    Parameters
    ----------
    round
        The round, with its task.
    joint
        The shares of all combinations of answers.
    dropped, repeated, unknown, unadmitted
        The numbers of messages that did not open, were repeated, had a code that the task does not have, or had no
        valid token of their own.
    confidence
        The confidence with which all intervals hold together.
    shufflers
        The report of each shuffler on the round.
    """

    round: Round
    joint: JointShares
    dropped: int
    repeated: int
    unknown: int
    unadmitted: int
    confidence: float
    shufflers: tuple[ShufflerReport, ...] = ()

    @property
    def randomized(self) -> Mapping[str, str]:
        """Each feature whose answers were randomized → its randomizer."""
        return {feature.name: feature.randomizer for feature in self._features if feature.randomizer is not None}

    @property
    def _features(self) -> list[Feature]:
        return [self.round.task.features[place] for place in self.round.groups[0]]

    @property
    def is_estimated(self) -> bool:
        """Whether the shares are estimates, because answers were randomized or counted with dummies."""
        return bool(self.randomized) or self.round.task.noise is not None

    @cached_property
    def limits(self) -> tuple[Reals, Reals]:
        """The lower and the upper limit of the share of each combination."""
        return intervals_of(self.joint, self.round, self.confidence)

    @cached_property
    def counts(self) -> Integers | Reals:
        """The counted or estimated number of people with each combination."""
        return self.joint.shares * self.joint.people if self.randomized else self.joint.counts

    def share(self, place: int) -> float | Estimate:
        """Return the share of a combination: exact if it was counted, else an estimate, moved into its interval."""
        share, low, high = (float(each[place]) for each in (self.joint.shares, *self.limits))
        if not self.is_estimated:
            return share
        method = METHOD if self.randomized else BY_NOISE
        return Estimate(min(max(share, low), high), low, high, self.confidence, method)

    def frequent(self, *, show_rare: bool = False) -> Iterator[tuple[Answers, float | Estimate, float]]:
        """Yield the combinations of at least k people, or all combinations, the most frequent first.

        Each comes with its answers, its share and the standard error of the share, which is 0 if it was counted.
        """
        for place in self.ordered_places(show_rare=show_rare):
            yield self.joint.answers[place], self.share(place), float(self.joint.errors[place])

    @property
    def left(self) -> int:
        """The number of people of the first round who are not counted in this one; 0 if other people answer it."""
        if self.round.choice is None or self.round.task.other_people is not None:
            return 0
        return self.round.choice.people - self.joint.people

    @property
    def is_withheld(self) -> bool:
        """Whether the combinations are withheld: everybody knows the earlier counts, and fewer than k people left.

        With a curator the earlier counts are withheld instead.
        """
        task, people = self.round.task, self.joint.people
        return task.curator is None and not may_be_compared(people + self.left, people, task.k)

    def ordered_places(self, *, show_rare: bool = False) -> list[int]:
        """Return the places of the combinations that are shown one by one, the most frequent first."""
        return sorted(self.shown_places(show_rare=show_rare), key=lambda place: -self.counts[place])

    def shown_places(self, *, show_rare: bool = False) -> list[int]:
        """Return the places of the combinations that are shown one by one."""
        return np.flatnonzero(self._are_shown | show_rare).tolist()

    @cached_property
    def _are_shown(self) -> Booleans:
        if self.is_withheld:
            return np.zeros(len(self.counts), np.bool_)
        noise = self.round.task.noise
        return publishable(self.counts if noise is None else self.limits[0] * self.joint.people, self.round.task.k)

    @property
    def rare(self) -> Rare | None:
        """All other combinations as one, including those that join them so that no small count can be computed."""
        return merge_rare(np.maximum(self.counts, 0) if self.round.task.noise else self.counts, self._are_shown)

    @cached_property
    def redacted(self) -> tuple[RedactedFeature, ...]:
        """The features whose answers are redacted by a rule; none if the shares are estimates."""
        return () if self.is_estimated else redacted_features(self.round)

    @cached_property
    def suppressed(self) -> tuple[Suppressed, ...]:
        """The number of redacted answers to each feature with a rule; none if the shares are estimates."""
        return () if self.is_estimated else suppressed_in(self.round, self.joint, self.confidence)

    def share_before_redaction(self, place: int) -> Estimate | None:
        """Return bounds of the share of people with a combination before redaction; None if it has a redacted answer.

        The lower bound is the share of those who sent it. The upper bound also has all who may have redacted a part of
        it, including everybody whose combination is not shown.
        """
        codes, joint = self.joint.codes, self.joint
        redacted = np.full(codes.shape[1], -1)
        redacted[[each.axis for each in self.redacted]] = [each.code for each in self.redacted]
        if not self.redacted or (codes[place] == redacted).any():
            return None
        may_be = ((codes == codes[place]) | (codes == redacted)).all(axis=1) & self._are_shown
        people = max(joint.people, 1)
        low = int(joint.counts[place]) / people
        unseen = 0 if self.rare is None else int(self.rare.people)
        high = min(1.0, (int(joint.counts[may_be].sum()) + unseen) / people)
        return Estimate(high, low, high, None, "everybody who may have redacted a part of it")

    @cached_property
    def exposure(self) -> float | Estimate:
        """The share of people in groups of fewer than k people with the same answers; with dummies an upper bound."""
        counts, noise, k = self.joint.counts, NoiseInCounts(self.round.task), self.round.task.k
        if noise.most:
            least, people = noise.least(counts + noise.mean), max(self.joint.people, 1)
            most = 1 - float(least[least >= k].sum()) / people
            about = float(counts[(counts > 0) & (counts < k)].sum()) / people
            return Estimate(min(most, about), 0.0, most, None, BY_NOISE)
        return float(counts[counts < self.round.task.k].sum()) / max(self.joint.people, 1)

    @cached_property
    def posterior(self) -> Posterior | None:
        """The posterior law of the shares, if the answers are to one feature and were randomized; None otherwise.

        It takes a second or two, since it may be sampled; the same answers have the same law.
        """
        from discretion.information import frequency_posterior  # noqa: PLC0415 - few results have one

        if len(self.joint.features) > 1 or not self.randomized or not self.joint.people:
            return None
        (feature,) = self._features
        law = frequency_posterior(randomizer_of(feature), self.joint.counts, rng=0)
        intervals = (law.marginal(code).interval(self.confidence) for code in range(len(self.joint.counts)))
        return Posterior(tuple(law.mean.tolist()), tuple((float(low), float(high)) for low, high in intervals))

    def to_dict(self, *, show_rare: bool = False) -> Mapping[str, Any]:
        """Return the result as plain objects, for JSON: without combinations of fewer than k people, by default."""
        rare = None if show_rare else self.rare
        law = self.posterior
        labels = [answers[0] for answers in self.joint.answers]
        return {
            "task": self.round.task.digest.hex(),
            "people": self.joint.people,
            "left": self.left,
            "withheld": self.is_withheld and not show_rare,
            "k": self.round.task.k,
            "features": list(self.joint.features),
            "randomized": dict(self.randomized),
            "confidence": self.confidence if self.is_estimated else None,
            "shares": [
                {"answers": list(answers), "share": plain(share), "standard_error": error}
                for answers, share, error in self.frequent(show_rare=show_rare)
            ],
            "suppressed": plain(self.suppressed),
            "shares_before_redaction": [
                {"answers": list(self.joint.answers[place]), "share": plain(share)}
                for place in self.ordered_places(show_rare=show_rare)
                if (share := self.share_before_redaction(place)) is not None
            ],
            "rare": plain(rare),
            "posterior": None if law is None else [
                {"answer": labels[code], "mean": law.means[code], "interval": list(law.intervals[code])}
                for code in self.shown_places(show_rare=show_rare)
            ],
            "exposure": plain(self.exposure),
            "dropped": self.dropped, "repeated": self.repeated, "unknown": self.unknown,
            "unadmitted": self.unadmitted,
            "shufflers": [report.to_dict() for report in self.shufflers],
            "reach_of_one": self.joint.reach_of_one,
        }  # fmt: skip


def analyst_result(
    batch: BatchCounts, round_: Round, confidence: float = 0.95, *, reports: Sequence[ShufflerReport] = ()
) -> AnalystResult:
    """Return the analyst's result of a batch.

    Parameters
    ----------
    batch
        The counts of the batch of the analyst's round.
    round_
        The round.
    confidence
        The confidence with which all intervals hold together, in (0, 1), if answers were randomized or counted with
        dummies.
    reports
        The report of each shuffler on the round.

    Raises
    ------
    InvalidValueError
        If the confidence is out of range.
    TooLargeError
        If answers are randomized and have too many combinations.
    """
    (people,) = people_in([batch.times], reports)
    joint = joint_shares(batch.combinations, round_, batch.times, people)
    return AnalystResult(
        round_, joint, batch.dropped, batch.repeated, batch.unknown, batch.unadmitted, as_confidence(confidence),
        tuple(reports),
    )  # fmt: skip
