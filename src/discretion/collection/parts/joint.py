"""The joint answers, as the analyst gives them out: shares, each randomizer undone, and how sure they are."""

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

# Combinations of randomized answers whose shares are worked out.
MAX_ANSWERS_COMBINED = 10**7


@dataclass(frozen=True)
class JointShares:
    """The shares of people by their answers to several features together.

    Parameters
    ----------
    features
        What was asked, in the order of the answers.
    answers
        Each combination: what was answered to each feature, None being missing.
    codes
        The same in codes, shape (combinations, features).
    counts
        How many people sent it: after each answer was randomized, where it is; about, where dummies were among the
        messages, and maybe below 0.
    shares
        Which share of the people has it: what was counted, or where answers were randomized or dummies were among the
        messages an unbiased estimate, which may be below 0.
    errors
        Its standard error; 0 where it was counted.
    people
        How many answered.
    reach_of_one
        How far one liar can move a share; a thousand liars can move it a thousand times as far.
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
    """What a report counts for the answer that it tells, and for each other one, so that the mean is unbiased."""

    right: float
    wrong: float

    @property
    def is_plain(self) -> bool:
        """Whether answers are counted as they are."""
        return self.wrong == 0

    def chance(self, own: bool) -> float:
        """Return how likely a report tells an answer: its sender's own (p), or another one (q)."""
        return (own - self.wrong) / (self.right - self.wrong)

    def square(self, own: bool) -> float:
        """Return the mean square of what a report counts for its sender's answer, or for another one."""
        return self.chance(own) * self.right**2 + (1 - self.chance(own)) * self.wrong**2


def score_of(feature: Feature) -> Score:
    """Return the score of a feature's reports: k-RR sends an answer with p, each other one with q."""
    if feature.randomizer is None:
        return Score(1.0, 0.0)
    law = randomizer_of(feature)
    return Score((1 - law.q) / law.gap, -law.q / law.gap)


def reach_of(scores: Sequence[Score]) -> tuple[float, float]:
    """Return the least and the most that one person's report of several features counts for a combination."""
    highest = prod(score.right for score in scores)
    return min((highest / score.right * score.wrong for score in scores), default=0.0), highest


def joint_shares(
    reports: Integers, round_: Round, times: Integers | None = None, people: int | None = None
) -> JointShares:
    """Return the shares of joint answers, each feature's randomizer undone, or the dummies on average taken off.

    k-RR sends an answer with p and each other one with q: the share of those who have it is (sent − q)/(p − q), and of
    several features together the same along each (the inverse of a product of channels is that of their inverses). The
    standard errors are those of a mean of independent reports.

    Parameters
    ----------
    reports
        Codes, a row for each person; or each row once, and in ``times`` how often it was sent.
    people
        How many people sent them; None if there are no dummies among them.

    Raises
    ------
    TooLargeError
        If answers are randomized and there are more than ``MAX_ANSWERS_COMBINED``
        combinations.
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
                f"randomized answers have {prod(shape):,} combinations, and at most {most:,} are worked out; "
                "choose fewer features, or leave answers of some as they are"
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
    """Return all combinations of codes, and how often each was sent."""
    codes = np.stack([axis.ravel() for axis in np.indices(shape)], axis=1)
    return codes, np.bincount(np.ravel_multi_index(tuple(reports.T), shape), times, prod(shape)).astype(np.int64)


def mean_scores(shares: Reals, each: Sequence[tuple[float, float]]) -> Reals:
    """Return of every combination the mean of a product over the features, of what its own answer counts or another."""
    for axis, (own, other) in enumerate(each):
        shares = own * shares + other * (shares.sum(axis, keepdims=True) - shares)
    return shares
