"""Intervals of shares whose answers were randomized, that hold for any people and however few."""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from discretion.collection.parts.joint import JointShares, Score, reach_of, score_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.wire.rounds import Round
from discretion.numerics.arrays import Reals

METHOD = "unbiased estimate, with Chernoff's limits"
# Any λ gives limits; the best of so many is taken.
_TRIED = 128
# Beyond so many randomized features only the scores' ends are used: all that they may be are 4 to the power of these.
_LAWS = 6


def intervals_of(joint: JointShares, round_: Round, confidence: float) -> tuple[Reals, Reals]:
    """Return limits of the shares of the people who answered, that all hold together with a confidence.

    The randomizers' coins alone are left to chance. Those whose answers to the features that are told as they are are
    alike are known, m people; a share s of these has a combination. What their reports score for it is independent, and
    of a law that the sender's answers say; with φ₁ the logarithm of its moment generating function for who has the
    combination, and φ₀ the largest for who has not, a mean score z or more has a chance of at most
    ``exp(m·(s φ₁(λ) + (1-s) φ₀(λ) - λ z))`` for any λ > 0, and likewise one of z or less: where that is below the risk,
    s is not within the limits. The risk is divided among the combinations. What was counted is its own limits.

    Where dummies are among the messages their law gives the limits.
    """
    noise = NoiseInCounts(round_.task)
    if noise.most:
        reach = noise.reach(confidence, len(joint.shares)) / max(joint.people, 1)
        return np.clip(joint.shares - reach, 0.0, 1.0), np.clip(joint.shares + reach, 0.0, 1.0)
    scores = [score_of(round_.task.features[place]) for place in round_.groups[0]]
    plain = [place for place, score in enumerate(scores) if score.is_plain]
    if len(plain) == len(scores):
        return joint.shares, joint.shares
    _, group = np.unique(joint.codes[:, plain], axis=0, return_inverse=True)
    people = np.bincount(group.ravel(), weights=joint.counts)[group.ravel()].astype(np.float64)
    chance = people > 0
    low, high = np.zeros_like(people), np.zeros_like(people)
    if chance.any():
        m, part = people[chance], people[chance] / joint.people
        risk = (1 - confidence) / (2 * int(chance.sum()))
        ends = _chernoff(joint.shares[chance] / part, m, -math.log(risk), [s for s in scores if not s.is_plain])
        low[chance], high[chance] = (part * np.clip(end, 0.0, 1.0) for end in ends)
    return low, high


def _chernoff(means: Reals, people: Reals, most: float, scores: Sequence[Score]) -> tuple[Reals, Reals]:
    values, laws = _laws(scores)
    reach = float(values.max() - values.min())
    low, high = np.zeros_like(means), np.ones_like(means)
    for each in np.geomspace(0.1 * math.sqrt(most / float(people.max())), 200.0, _TRIED).tolist():
        for rate in (each / reach, -each / reach):
            top = float((rate * values).max())
            exponents = top + np.log(laws @ np.exp(rate * values - top))
            has, has_not = float(exponents[0]), float(exponents[1:].max())
            end = (rate * means - has_not - most / people) / (has - has_not or math.inf)
            if rate > 0 and has > has_not:
                low = np.maximum(low, end)
            elif rate < 0 and has < has_not:
                high = np.minimum(high, end)
    # What is worked out in doubles may be off in the last digits.
    return low - 1e-12, np.maximum(high, low) + 1e-12


def _laws(scores: Sequence[Score]) -> tuple[Reals, Reals]:
    """Return what reports may count for a combination, and their laws: a row for who has it, and one for each other.

    Who has not is told apart by which of the answers she has. Of many features only the ends and the means are used: of
    all laws of a mean that on both ends has the largest exponents.
    """
    lowest, highest = reach_of(scores)
    if len(scores) > _LAWS:
        reach = highest - lowest
        laws = [[(mean - lowest) / reach, (highest - mean) / reach] for mean in (1, 0)]
        return np.array([highest, lowest]), np.array(laws)
    vectors = list(product((True, False), repeat=len(scores)))
    values = [math.prod(s.right if own else s.wrong for s, own in zip(scores, each, strict=True)) for each in vectors]
    laws = [
        [
            math.prod(
                s.chance(has) if own else 1 - s.chance(has) for s, own, has in zip(scores, each, who, strict=True)
            )
            for each in vectors
        ]
        for who in vectors
    ]
    return np.array(values), np.array(laws)
