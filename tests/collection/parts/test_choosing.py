"""The choice: what it certifies of those counted, and of others like them, beside going through all that may come."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, factorial, prod

import numpy as np
import pytest

from discretion.anonymity import statistical_exposure
from discretion.collection.parts.choosing import choice_of, exposure_of
from discretion.collection.parts.other_people import StatisticalCertificate, rare_limits
from discretion.errors import InvalidValueError
from support.collection.drawn_results import collected, drawn, features_of


def histograms(people: int, values: int):
    """All ways in which people have values."""
    if values == 1:
        yield (people,)
    else:
        yield from ((first, *rest) for first in range(people + 1) for rest in histograms(people - first, values - 1))


def chance_of(counts, law) -> float:
    return factorial(sum(counts)) * prod(p**c / factorial(c) for p, c in zip(law, counts, strict=True))


@pytest.mark.parametrize("law", [(0.7, 0.2, 0.1), (0.34, 0.33, 0.33), (0.9, 0.1, 0.0), (0.25, 0.25, 0.25, 0.25)])
@pytest.mark.parametrize("misses", [0.5, 0.1])
def test_limits_of_rare_answers_hold_for_all_sets_at_once(law, misses) -> None:
    missed = 0.0
    for counts in histograms(10, len(law)):
        limits = rare_limits(np.array(counts), 10, misses)
        for n, limit in enumerate(limits, 1):
            commonest = np.argsort(-np.array(counts), kind="stable")[:n]
            if 1 - sum(law[value] for value in commonest) > limit + 1e-12:
                missed += chance_of(counts, law)
                break
    assert missed <= misses


@pytest.mark.parametrize("seed", range(20))
def test_others_stand_out_no_more_than_is_certified_where_the_limits_hold(seed: int) -> None:
    """Whatever answers go together, and wherever the marginals lie within their limits."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 5, size=2))
    law = rng.dirichlet(np.full(prod(shape), 0.3)).reshape(shape)
    marginals = [law.sum(1), law.sum(0)]
    people, k, others = 4000, int(rng.integers(2, 8)), int(rng.integers(20, 3000))
    counts = {name: rng.multinomial(people, p) for name, p in zip("ab", marginals, strict=True)}
    bound = StatisticalCertificate(counts, k, others, 0.99)
    for name, p in zip("ab", marginals, strict=True):
        outside = 1 - np.cumsum(p[np.argsort(-counts[name])])
        assert (outside <= np.array(rare_limits(counts[name], people, 0.005)) + 1e-12).all()  # for these seeds
    assert statistical_exposure(law.ravel(), others, k) <= bound.exposure("ab").high
    assert statistical_exposure(marginals[0], others, k) <= bound.exposure("a").high


def test_the_bound_is_the_least_over_all_cuts() -> None:
    of = drawn(features_of(4, 3, 6), 5000)
    bound = StatisticalCertificate(of.counts, 5, 800, 0.95)
    limits = [rare_limits(held, 5000, 0.05 / 3) for held in of.counts.values()]
    least = min(
        sum(each[n - 1] for each, n in zip(limits, cut, strict=True)) + 4 / 800 * prod(cut)
        for cut in product(*(range(1, len(each) + 1) for each in limits))
    )
    assert bound.exposure("abc").high == pytest.approx(min(1.0, least))


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
    assert "drawn as those who were counted" in str(exposure.assuming)
    same_people = exposure_of(of.task, of.counts, (0, 1))
    assert same_people.certified
    assert same_people.high < exposure.high < exposure_of(of.task, of.counts, (0, 1), 0.999).high


def test_fewer_others_than_k_all_stand_out() -> None:
    of = drawn(features_of(2), 1_000, k=10, budget="0.5", smallest_batch=9)
    assert exposure_of(of.task, of.counts, (0,), 0.9).high == 1
    assert choice_of(of.task, of.counts, confidence=0.9) is None


def test_whose_message_was_lost_is_taken_to_have_answered_otherwise() -> None:
    whole = rare_limits(np.array([50, 50]), 100, 0.1)
    lost = rare_limits(np.array([50, 40]), 100, 0.1)
    assert lost == whole
    assert rare_limits(np.array([60, 40]), 100, 0.1) < whole


def test_one_answer_is_never_rare() -> None:
    assert rare_limits(np.array([7]), 7, 0.1) == [0.0]


def test_of_very_many_answers_limits_are_none_or_hold() -> None:
    limits = rare_limits(np.arange(20_000, 0, -1), 20_000 * 20_001 // 2, 0.05)
    assert len(limits) == 20_000
    assert all(0 <= limit <= 1 for limit in limits)
    assert limits[0] < 1
    assert comb(20_000, 10_000) > 1e300
    assert limits[9_999] == 1


def test_a_confidence_out_of_range_is_refused() -> None:
    of = collected(features_of(1), [0, 1])
    with pytest.raises(InvalidValueError, match=r"confidence must be in \(0, 1\), got 1"):
        choice_of(of.task, of.counts, confidence=1)
