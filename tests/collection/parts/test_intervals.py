"""Intervals of randomized shares: they hold as often as they say, over all coins that people may toss."""

from collections import defaultdict
from itertools import product
from math import prod

import numpy as np
import pytest
from scipy.special import gammaln

from discretion.collection.parts import intervals
from discretion.collection.parts.intervals import intervals_of
from discretion.collection.parts.joint import joint_shares, score_of
from discretion.collection.randomizers import randomizer_of
from oracles.collecting import all_told, channel_of
from support.collection.drawn_results import collected, features_of
from support.collection.in_process import round_of

KRR = "krr:epsilon=1.5"
CASES = {
    "one": (features_of(1, randomizers=[KRR]), [0, 0, 1, 2, 2, 2]),
    "all alike": (features_of(1, randomizers=[KRR]), [1, 1, 1, 1, 1]),
    "beside a plain one": (features_of(1, 1, randomizers=[KRR]), [[0, 0], [1, 0], [1, 0], [2, 1], [2, 1]]),
    "two": (features_of(1, 1, randomizers=[KRR, "krr:epsilon=1"]), [[0, 0], [1, 0], [1, 2]]),
}


def truth_of(rows: np.ndarray, codes: np.ndarray) -> np.ndarray:
    return np.array([np.mean(np.all(rows == code, axis=1)) for code in codes])


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("confidence", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("by_ends", [False, True])
def test_all_hold_together_over_all_coins(case, confidence, by_ends, monkeypatch) -> None:
    if by_ends:
        monkeypatch.setattr(intervals, "_LAWS", 0)
    features, held = CASES[case]
    of = collected(features, held)
    channels = [channel_of([feature], randomizer_of) for feature in features]
    of_all, missed, chances = round_of(of.task, *range(len(features))), 0.0, 0.0
    bags: dict[tuple[tuple[int, ...], ...], float] = defaultdict(float)
    for told, chance in all_told(of.rows, channels):
        bags[tuple(sorted(map(tuple, told.tolist())))] += chance
    for told, chance in bags.items():
        joint = joint_shares(np.array(told), of_all)
        low, high = intervals_of(joint, of_all, confidence)
        truth = truth_of(of.rows, joint.codes)
        missed += chance * (not ((low <= truth + 1e-9) & (truth <= high + 1e-9)).all())
        chances += chance
    assert chances == pytest.approx(1)
    assert missed <= 1 - confidence


@pytest.mark.parametrize("alike", [(True, True), (True, False), (False, True), (False, False)])
def test_each_side_misses_as_seldom_as_it_says_whoever_the_others_are(alike: tuple[bool, bool]) -> None:
    """40 people who have both answers of a combination, one of them, or none: over how many tell what."""
    scores = [score_of(feature) for feature in features_of(3, 2, randomizers=["krr:epsilon=3"] * 2)]
    told = [*product((True, False), repeat=2)]
    counted = np.array(
        [prod(s.right if own else s.wrong for s, own in zip(scores, each, strict=True)) for each in told]
    )
    law = [
        prod(s.chance(has) if own else 1 - s.chance(has) for s, own, has in zip(scores, each, alike, strict=True))
        for each in told
    ]
    bags = np.array([bag for bag in product(range(41), repeat=3) if sum(bag) <= 40])
    bags = np.column_stack([bags, 40 - bags.sum(axis=1)])
    log_chance = gammaln(41) - gammaln(bags + 1).sum(axis=1) + bags @ np.log(law)
    low, high = intervals._chernoff(bags @ np.array(counted) / 40, np.full(len(bags), 40.0), 2.0, scores)
    truth, chance = float(all(alike)), np.exp(log_chance)
    assert chance.sum() == pytest.approx(1)
    assert chance[low > truth + 1e-9].sum() <= np.exp(-2.0)
    assert chance[high < truth - 1e-9].sum() <= np.exp(-2.0)


def test_they_close_in_on_the_truth() -> None:
    """As fast as a standard error, and not much wider: of 5 answers, where 2.6 standard errors would do."""
    features = features_of(3, randomizers=["krr:epsilon=2"])
    widths = []
    for people in (1_000, 100_000):
        of = collected(features, np.arange(people) % 5)
        joint = of.analysed(0).joint
        low, high = intervals_of(joint, round_of(of.task, 0), 0.95)
        widths.append(((high - low) / 2 / joint.errors).max())
    assert max(widths) < 4.5


def test_what_was_counted_is_its_own_interval() -> None:
    result = collected(features_of(2), [0, 0, 1]).analysed(0)
    low, high = result.limits
    assert low.tolist() == high.tolist() == result.joint.shares.tolist()
    assert result.share(0) == 2 / 3


def test_nobody_has_a_share_that_no_plain_answer_leaves_room_for() -> None:
    of = collected(features_of(1, 1, randomizers=[None, KRR]), [[0, 0]] * 30 + [[1, 2]] * 10)
    low, high = of.analysed(0, 1).limits
    plain = of.analysed(0, 1).joint.codes[:, 0]
    assert high[plain == 2].max() == 0
    assert high[plain == 1].max() <= 0.25 + 1e-9
    assert low.min() >= 0
