"""The joint answers, as the analyst gives them out: shares, each randomizer undone, and how sure they are."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from tacit import limits
from tacit.collection.randomizers import randomizer_of
from tacit.collection.wire.rounds import Round
from tacit.errors import TooLargeError


@dataclass(frozen=True)
class Joint:
    """The shares of people by their answers to several features together.

    Parameters
    ----------
    features
        What was asked, in the order of the answers.
    answers
        Each combination: what was answered to each feature, None being missing.
    shares
        Which share of the people has it: what was counted, or where answers were randomized an unbiased estimate, which
        may be below 0.
    errors
        Its standard error; 0 where it was counted.
    people
        How many answered.
    reach_of_one
        By how much one person can move a share who tells what she likes: a thousand liars can a thousand times as far.
    """

    features: tuple[str, ...]
    answers: tuple[tuple[str | None, ...], ...]
    shares: NDArray[np.float64]
    errors: NDArray[np.float64]
    people: int
    reach_of_one: float


def joint_of(told: NDArray[np.int64], of: Round, times: NDArray[np.int64] | None = None) -> Joint:
    """Return the shares of joint answers, each feature's randomizer undone.

    k-RR tells an answer with p and each other one with q: the share of those who have it is (told − q)/(p − q), and of
    several features together the same along each (the inverse of a product of channels is that of their inverses). The
    standard errors are those of a mean of independent reports.

    Parameters
    ----------
    told
        Codes, a row for each person; or each row once, and in ``times`` how often it was told.

    Raises
    ------
    TooLargeError
        If answers are randomized and there are more than :attr:`~tacit.limits.Limits.most_answers_combined`
        combinations.
    """
    (chosen,) = of.groups
    features = [of.task.features[place] for place in chosen]
    times = np.ones(len(told), np.int64) if times is None else times
    names, people = tuple(feature.name for feature in features), int(times.sum())
    if all(feature.randomizer is None for feature in features):
        told, where = np.unique(told, axis=0, return_inverse=True)
        counts = np.bincount(where.ravel(), times, len(told))
        shares, errors, reach = counts / max(people, 1), np.zeros(len(counts)), 1.0
    else:
        shape = tuple(len(of.labels[place]) for place in chosen)
        if prod(shape) > (most := limits.current().most_answers_combined):
            raise TooLargeError(
                f"randomized answers have {prod(shape):,} combinations, and at most {most:,} are worked out; "
                "choose fewer features, or leave answers of some as they are"
            )
        mean = np.bincount(np.ravel_multi_index(tuple(told.T), shape), times, prod(shape)) / max(people, 1)
        told = np.stack([axis.ravel() for axis in np.indices(shape)], axis=1)
        mean, square, reach = mean.reshape(shape), mean.reshape(shape), 1.0
        for axis, feature in enumerate(features):
            if feature.randomizer is not None:
                law = randomizer_of(feature)
                right, wrong = (
                    (1 - law.q) / law.gap,
                    -law.q / law.gap,
                )  # what a report counts for its answer, and others
                mean = right * mean + wrong * (mean.sum(axis, keepdims=True) - mean)
                square = right**2 * square + wrong**2 * (square.sum(axis, keepdims=True) - square)
                reach *= right - wrong
        shares = mean.ravel()
        errors = np.sqrt(np.maximum(square.ravel() - shares**2, 0) / max(people, 1))
    labels = [of.labels[place] for place in chosen]
    rows: list[list[int]] = told.tolist()
    said = tuple(tuple(labels[place][code] for place, code in enumerate(row)) for row in rows)
    return Joint(names, said, shares, errors, people, reach / max(people, 1))
