"""The interval for the entropy of a law holds for every law, and bounds what a release of other people exposes."""

import math
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

from discretion.anonymity import (
    ClassSizes,
    Population,
    entropy_exposure_bound,
    sampled_entropy,
    statistical_exposure,
)
from discretion.anonymity.sampling.sampled_entropy import _by_mean, _within_limits
from discretion.errors import InvalidValueError, UnsupportedError
from discretion.estimate import Estimate
from discretion.numerics.laws.binomial_limits import limits_of_parts
from oracles.future_bounds import chance_of, histograms

Law = Sequence[float]


def entropy_of(law: Law) -> float:
    return math.fsum(-p * math.log2(p) for p in law if p)


def sizes_of(counts: Sequence[int]) -> ClassSizes:
    return ClassSizes.from_counts(np.array(counts))


@pytest.mark.long
@pytest.mark.parametrize("law", [(1.0,), (0.5, 0.5), (0.97, 0.03), (0.6, 0.3, 0.1), (0.4, 0.3, 0.3, 0.0)])
@pytest.mark.parametrize("misses", [0.9, 0.2])
def test_of_all_samples_few_have_an_interval_that_misses(law: Law, misses: float) -> None:
    truth, missed = entropy_of(law), {True: 0.0, False: 0.0}
    for counts in histograms(9, len(law)):
        for is_known in missed:
            bits = sampled_entropy(sizes_of(counts), 1 - misses, domain=len(law) if is_known else None)
            missed[is_known] += chance_of(counts, law) * (not bits.low <= truth <= bits.high)
    assert max(missed.values()) <= misses


@pytest.mark.parametrize("people", [1, 2, 5, 8])
def test_the_mean_of_a_sample_is_below_by_the_known_bias_at_most_and_one_person_changes_little(people: int) -> None:
    """Paninski's bound, and the bounded difference, by all samples of three values."""
    change = math.log2(people) / people + (people - 1) / people * math.log2(people / max(people - 1, 1))
    for law in ((0.2, 0.3, 0.5), (0.01, 0.01, 0.98), (1 / 3, 1 / 3, 1 / 3)):
        mean = sum(chance_of(counts, law) * sizes_of(counts).entropy for counts in histograms(people, 3))
        assert mean <= entropy_of(law) <= mean + math.log2(1 + 2 / people)
    moves = [
        abs(
            sizes_of(counts).entropy
            - sizes_of(np.array(counts) - np.eye(3, dtype=int)[a] + np.eye(3, dtype=int)[b]).entropy
        )
        for counts in histograms(people, 3)
        for a, b in product(range(3), repeat=2)
        if counts[a]
    ]
    assert max(moves) == pytest.approx(change, abs=1e-12)
    low, high = _by_mean(sizes_of([people]), 0.1, 2)
    off = change * math.sqrt(people * math.log(2 / 0.1) / 2)
    assert (low, high) == pytest.approx((-off, off + math.log2(1 + 2 / people)))


@pytest.mark.parametrize("counts", [(5, 3, 2), (9, 1), (30, 0, 0), (4, 4, 4)])
def test_the_limits_of_the_shares_enclose_the_entropy_of_every_law_within_and_hardly_more(
    counts: Sequence[int],
) -> None:
    people, values = sum(counts), 3
    counts = (*counts, *[0] * (values - len(counts)))
    least, largest = limits_of_parts(np.array(counts), people, 0.2)
    low, high = _within_limits(sizes_of(counts), 0.2, sum(not count for count in counts))
    grid = np.linspace(0, 1, 201)
    entropies = [
        entropy_of((p, q, 1 - p - q))
        for p, q in product(grid.tolist(), repeat=2)
        if p + q <= 1 and ((np.array([p, q, 1 - p - q]) >= least) & (np.array([p, q, 1 - p - q]) <= largest)).all()
    ]
    assert low <= min(entropies) <= max(entropies) <= high
    assert high == pytest.approx(max(entropies), abs=0.01)
    assert low > min(entropies) - 0.35


@pytest.mark.one_in(5)
@pytest.mark.parametrize("people", [30, 300, 3000])
@pytest.mark.parametrize("values", [1, 2, 50, 1000])
def test_the_interval_holds_for_supports_that_are_smaller_and_larger_than_the_sample(people: int, values: int) -> None:
    rng = np.random.default_rng(people + values)
    runs, missed = 20, 0
    for _ in range(runs):
        law = rng.dirichlet(np.full(values, rng.choice([0.05, 1.0, 100.0])))
        sizes = sizes_of(rng.multinomial(people, law))
        bits = sampled_entropy(sizes, 0.8, domain=values)
        missed += not bits.low <= entropy_of(law.tolist()) <= bits.high
        assert 0 <= bits.low <= bits.value <= bits.high <= math.log2(values)
        unknown = sampled_entropy(sizes, 0.8)
        assert (unknown.high, unknown.value_is, unknown.kind) == (math.inf, "lower bound", "estimate")
        assert unknown.low <= bits.low + 1e-9
    assert missed <= runs * 0.2 + 3 * math.sqrt(runs * 0.16)


def test_the_interval_closes_in() -> None:
    law = 1 / np.arange(1, 41)
    law /= law.sum()
    widths = []
    for people in (10**3, 10**5, 10**7):
        bits = sampled_entropy(sizes_of(np.random.default_rng(1).multinomial(people, law)), domain=40)
        assert bits.low <= entropy_of(law.tolist()) <= bits.high
        widths.append(bits.high - bits.low)
    assert widths[0] > 5 * widths[1] > 25 * widths[2]


def test_a_higher_confidence_is_wider() -> None:
    sizes = ClassSizes([1, 4, 60], [5, 3, 2])
    intervals = [sampled_entropy(sizes, confidence, domain=20) for confidence in (0.5, 0.95, 0.999)]
    assert [bits.low for bits in intervals] == sorted((bits.low for bits in intervals), reverse=True)
    assert [bits.high for bits in intervals] == sorted(bits.high for bits in intervals)


@pytest.mark.parametrize(("n", "k"), [(50, 2), (1000, 5), (10, 11), (7, 1)])
def test_the_entropy_of_a_law_bounds_the_exposure_of_a_release_of_other_people(n: int, k: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(10):
        law = rng.dirichlet(np.full(12, 0.3))
        bits = Estimate(entropy_of(law.tolist()), 0.0, entropy_of(law.tolist()), 0.95, "known")
        bound = entropy_exposure_bound(bits, k=k, people=n)
        assert statistical_exposure(law, n, k) <= bound.high + 1e-12
        assert (bound.confidence, bound.kind, bound.method) == (0.95, "estimate", "entropy")


def test_the_bound_takes_the_upper_end_of_an_interval() -> None:
    bits = Estimate(2.0, 1.0, 8.0, 0.9, "tries", "people drawn alike")
    bound = entropy_exposure_bound(bits, k=2, people=2**16)
    assert (bound.value, bound.confidence, bound.assuming) == (0.5, 0.9, "people drawn alike")
    assert entropy_exposure_bound(bits, threshold="1/65536").value == 0.5
    assert entropy_exposure_bound(Estimate(8.0, 0.0, 8.0, None, "sum"), k=2, people=2**16).certified
    assert entropy_exposure_bound(sampled_entropy(ClassSizes([3], [1])), k=2, people=100).high == 1
    with pytest.raises(InvalidValueError, match="at least 0 bits"):
        entropy_exposure_bound(Estimate(-1.0, -2.0, -1.0, 0.9, "tries"), k=2, people=5)


def test_the_entropies_of_columns_add_up_to_one_of_all_of_them() -> None:
    people = Population("example:adult", columns=["sex", "race"])
    alone = [sampled_entropy(people, 0.975, columns=[name], domain=size) for name, size in (("sex", 2), ("race", 5))]
    together = entropy_exposure_bound(alone[0] + alone[1], k=10, people=10**6)
    assert together.confidence == pytest.approx(0.95)
    assert statistical_exposure(people.class_sizes(), 10**6, 10) <= together.high < 0.2


def test_what_is_no_sample_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="domain must be at least the 2 values in the sample; got 1"):
        sampled_entropy(ClassSizes([3], [2]), domain=1)
    with pytest.raises(InvalidValueError, match="confidence"):
        sampled_entropy(ClassSizes([3], [2]), 0)
    with pytest.raises(UnsupportedError, match="class sizes already belong to certain columns"):
        sampled_entropy(ClassSizes([3], [2]), columns=["a"])
