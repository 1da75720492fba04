"""The analyst's shares of joint answers: exact counts, or unbiased estimates with standard errors."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from discretion import limits
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.randomizers import randomizer_of
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.task import Feature
from discretion.errors import TooLargeError
from discretion.numerics.arrays import Integers, Reals

# The most combinations of randomized answers whose shares are computed.
MAX_ANSWERS_COMBINED = 10**7


@dataclass(frozen=True)
class JointShares:
    """The shares of people by their answers to several features together.

    Parameters
    ----------
    features
        The names of the features, in the order of the answers.
    answers
        Each combination: the answer to each feature; None is a missing answer.
    codes
        The same in codes, shape (combinations, features).
    counts
        The number of people who sent each combination, after randomization. With dummies among the messages it is an
        unbiased estimate, which may be below 0.
    shares
        The share of the people who have each combination: exact if it was counted. With randomized answers or dummies
        it is an unbiased estimate, which may be below 0.
    errors
        The standard error of each share; 0 if it was counted.
    people
        The number of people who answered.
    reach_of_one
        How much one liar can change a share, at most; a thousand liars can change it a thousand times as much.
    """

    features: tuple[str, ...]
    answers: tuple[tuple[str | None, ...], ...]
    codes: Integers
    counts: Integers
    shares: Reals
    errors: Reals
    people: int
    reach_of_one: float


@dataclass(frozen=True)
class Score:
    """The scores of a report for its own answer, and for each other answer, whose mean is an unbiased share."""

    right: float
    wrong: float

    @property
    def is_plain(self) -> bool:
        """Whether answers are counted without randomization."""
        return self.wrong == 0

    def chance(self, own: bool) -> float:
        """Return the probability that a report has its sender's own answer (p), or another given one (q)."""
        return (own - self.wrong) / (self.right - self.wrong)

    def square(self, own: bool) -> float:
        """Return the mean square of a report's score for its sender's answer, or for another one."""
        return self.chance(own) * self.right**2 + (1 - self.chance(own)) * self.wrong**2


def score_of(feature: Feature) -> Score:
    """Return the scores of a feature's reports; k-RR sends the own answer with p, and each other one with q."""
    if feature.randomizer is None:
        return Score(1.0, 0.0)
    law = randomizer_of(feature)
    return Score((1 - law.q) / law.gap, -law.q / law.gap)


def reach_of(scores: Sequence[Score]) -> tuple[float, float]:
    """Return the least and the largest score of one person's report of several features for a combination."""
    highest = prod(score.right for score in scores)
    return min((highest / score.right * score.wrong for score in scores), default=0.0), highest


def joint_shares(
    reports: Integers, round_: Round, times: Integers | None = None, people: int | None = None
) -> JointShares:
    """Return the shares of joint answers, corrected for the randomizers, or for the average number of dummies.

    k-RR sends the own answer with p and each other one with q, so the share of people with an answer is
    (sent − q)/(p − q). For several features this is applied along each feature, because the inverse of a product of
    channels is the product of their inverses. The standard errors are those of a mean of independent reports.

    Parameters
    ----------
    reports
        Codes, a row for each person; or each different row once, with its number in ``times``.
    people
        The number of people who sent the reports; None if there are no dummies among them.

    Raises
    ------
    TooLargeError
        If answers are randomized and there are more than ``MAX_ANSWERS_COMBINED`` combinations.
    """
    (chosen,) = round_.groups
    features, labels = [round_.task.features[place] for place in chosen], round_.labels[0]
    times = np.ones(len(reports), np.int64) if times is None else times
    scores, people = [score_of(feature) for feature in features], int(times.sum()) if people is None else people
    noise = NoiseInCounts(round_.task)
    if noise.most:
        codes, counts = _counts_of_all(reports, times, tuple(map(len, labels)))
        counts = noise.about(counts)
        shares = counts / max(people, 1)
        errors = np.full(len(counts), noise.error / max(people, 1))
    elif all(feature.randomizer is None for feature in features):
        codes, where = np.unique(reports, axis=0, return_inverse=True)
        counts = np.bincount(where.ravel(), times, len(codes)).astype(np.int64)
        shares, errors = counts / max(people, 1), np.zeros(len(counts))
    else:
        shape = tuple(map(len, labels))
        if prod(shape) > (most := limits.current().numbers(MAX_ANSWERS_COMBINED, each=64)):
            raise TooLargeError(
                f"randomized answers have {prod(shape):,} combinations, and at most {most:,} are computed; "
                "choose fewer features, or do not randomize some of them"
            )
        codes, counts = _counts_of_all(reports, times, shape)
        observed = (counts / max(people, 1)).reshape(shape)
        mean = mean_scores(observed, [(score.right, score.wrong) for score in scores])
        square = mean_scores(observed, [(score.right**2, score.wrong**2) for score in scores])
        shares = mean.ravel()
        errors = np.sqrt(np.maximum(square.ravel() - shares**2, 0) / max(people, 1))
    lowest, highest = reach_of(scores)
    rows: list[list[int]] = codes.tolist()
    answers = tuple(tuple(labels[place][code] for place, code in enumerate(row)) for row in rows)
    names = tuple(feature.name for feature in features)
    return JointShares(names, answers, codes, counts, shares, errors, people, (highest - lowest) / max(people, 1))


def _counts_of_all(reports: Integers, times: Integers, shape: tuple[int, ...]) -> tuple[Integers, Integers]:
    """Return all combinations of codes, and the number of reports of each."""
    codes = np.stack([axis.ravel() for axis in np.indices(shape)], axis=1)
    return codes, np.bincount(np.ravel_multi_index(tuple(reports.T), shape), times, prod(shape)).astype(np.int64)


def mean_scores(shares: Reals, each: Sequence[tuple[float, float]]) -> Reals:
    """Return the mean score of every combination: a product over the features of the own or the other score."""
    for axis, (own, other) in enumerate(each):
        shares = own * shares + other * (shares.sum(axis, keepdims=True) - shares)
    return shares
