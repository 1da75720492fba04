"""Intervals of the shares of randomized answers, which hold for any number of people with any answers."""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from discretion.collection.parts.joint import JointShares, Score, reach_of, score_of
from discretion.collection.parts.noisy_counts import NoiseInCounts
from discretion.collection.wire.rounds import Round
from discretion.estimate import Estimate
from discretion.numerics.arrays import Integers, Reals

METHOD = "unbiased estimate, with Chernoff's limits"
# Any λ gives limits; the best of this many is taken.
_TRIED = 128
# With more randomized features only the extreme scores are used: the laws have 4 entries to the power of these.
_LAWS = 6


def intervals_of(joint: JointShares, round_: Round, confidence: float) -> tuple[Reals, Reals]:
    """Return limits of the shares of the people who answered, which all hold together with a confidence.

    Only the randomizers' coins are random. The people with the same answers to the features that are not randomized are
    known; let m be their number, and s the share of these who have a combination. The scores of their reports for the
    combination are independent, and the sender's answers determine the law of each. Let φ₁ be the logarithm of the
    moment generating function of a score for a sender with the combination, and φ₀ the largest such logarithm for a
    sender without it. Then a mean score of z or more has a probability of at most
    ``exp(m·(s φ₁(λ) + (1-s) φ₀(λ) - λ z))`` for any λ > 0, and a mean score of z or less likewise for λ < 0. If that is
    below the risk, s is outside the limits. The risk is divided among the combinations. If no answer is randomized, the
    limits are the counted share itself.

    If there are dummies among the messages, the limits follow from their law.
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


def people_intervals(reports: Integers, people: int, score: Score, confidence: float) -> list[Estimate]:
    """Return the number of people with each of some answers to a randomized feature, by its reports.

    The limits are those of `intervals_of` for one feature, and all hold together with the confidence.
    """
    if not reports.size:
        return []
    means = (reports * score.right + (people - reports) * score.wrong) / people
    risk = (1 - confidence) / (2 * reports.size)
    low, high = _chernoff(means, np.full(means.shape, float(people)), -math.log(risk), [score])
    shares = zip(*(np.clip(each, 0.0, 1.0).tolist() for each in (means, low, high)), strict=True)
    return [
        Estimate(people * min(max(mean, least), most), people * least, people * most, confidence, METHOD)
        for mean, least, most in shares
    ]


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
    # Results in doubles may be wrong in the last digits.
    return low - 1e-12, np.maximum(high, low) + 1e-12


def _laws(scores: Sequence[Score]) -> tuple[Reals, Reals]:
    """Return the possible scores of a report for a combination, and their laws by the sender's answers.

    The first row is the law for senders with the combination. Each other row is the law for senders who share some of
    its answers and not the others. For many features only the extreme scores and the means are used: among all laws
    with a given mean, the one on the two extreme scores has the largest exponents.
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
