"""The choice: what it certifies of those counted, and of others like them, beside going through all that may come."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from discretion.anonymity.sampling.statistical_exposure import largest_exposed_part
from discretion.collection.parts.choosing import choice_of, exposure_of
from discretion.errors import InvalidValueError
from support.collection.drawn_results import collected, drawn, features_of


@pytest.mark.one_in(11)
@pytest.mark.parametrize("budget", ["0.02", "0.05", "0.2", "1"])
@pytest.mark.parametrize("seed", range(3))
def test_the_choice_for_others_is_the_largest_within_the_budget(budget: str, seed: int) -> None:
    of = drawn(features_of(2, 5, 3, 8), 20_000, seed, k=4, budget=budget, smallest_batch=5_000)
    choice = choice_of(of.task, of.counts, confidence=0.95)
    bounds = {
        chosen: exposure_of(of.task, of.counts, chosen, 0.95).high
        for size in range(1, 5)
        for chosen in combinations(range(4), size)
    }
    within = [chosen for chosen, bound in bounds.items() if Fraction(bound) <= Fraction(budget)]
    if choice is None:
        assert not within
    else:
        best = max(map(len, within))
        assert choice.chosen in within
        assert choice.exposure == bounds[choice.chosen] == min(bounds[c] for c in within if len(c) == best)
        assert len(choice.chosen) == best


def test_what_is_certified_of_others_says_how_surely_and_assuming_what() -> None:
    of = drawn(features_of(2, 30), 5_000, k=25, smallest_batch=5_000)
    exposure = exposure_of(of.task, of.counts, (0, 1), 0.99)
    assert (exposure.confidence, exposure.certified) == (0.99, False)
    assert "drawn like the counted people" in str(exposure.assuming)
    same_people = exposure_of(of.task, of.counts, (0, 1))
    assert same_people.certified
    assert exposure.high < exposure_of(of.task, of.counts, (0, 1), 0.999).high


def test_fewer_others_than_k_all_stand_out() -> None:
    of = drawn(features_of(2), 1_000, k=10, budget="0.5", smallest_batch=9)
    assert exposure_of(of.task, of.counts, (0,), 0.9).high == 1
    assert choice_of(of.task, of.counts, confidence=0.9) is None


def test_whose_message_was_lost_is_taken_to_have_answered_otherwise() -> None:
    of = drawn(features_of(30, 4), 5_000, k=25, smallest_batch=5_000)
    whole, (a, b) = of.counts, of.task.features
    moved = np.eye(a.codes, dtype=int) * 50
    lost = {a.name: whole[a.name] - moved[0], b.name: whole[b.name]}
    rare = {a.name: lost[a.name] + moved[29], b.name: whole[b.name]}
    certified, without, otherwise = (exposure_of(of.task, counts, (0, 1), 0.9).high for counts in (whole, lost, rare))
    assert certified < without
    assert otherwise <= without


def test_a_feature_that_nobody_answered_certifies_no_more_than_its_number_of_answers() -> None:
    of = drawn(features_of(2, 3), 1_000, k=5, smallest_batch=1_000)
    counts = {"a": of.counts["a"], "b": of.counts["b"] * 0}
    cells = math.prod(feature.codes for feature in of.task.features)
    assert exposure_of(of.task, counts, (0, 1), 0.9).high == pytest.approx(cells * largest_exposed_part(1_000, 5))


def test_a_confidence_out_of_range_is_refused() -> None:
    of = collected(features_of(1), [0, 1])
    with pytest.raises(InvalidValueError, match=r"confidence must be in \(0, 1\), got 1"):
        choice_of(of.task, of.counts, confidence=1)
