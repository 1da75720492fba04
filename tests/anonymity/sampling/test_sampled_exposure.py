"""Intervals from a sample cover what they are of, and are what their sources say."""

import functools
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from discretion.anonymity import ClassSizes, Population
from discretion.anonymity.sampling import future_release
from discretion.anonymity.sampling.future_release import future_exposure, simulated_estimates
from discretion.anonymity.sampling.sampled_exposure import sampled_exposure
from discretion.anonymity.sampling.statistical_exposure import Reals, statistical_exposure
from discretion.errors import InvalidPriorError, InvalidValueError, UnsupportedError
from discretion.numerics.laws.binomial_limits import limits_of_parts
from oracles import anonymity as oracle, tables

RUNS = 1000
FEW = [Fraction(x, 100) for x in (40, 30, 15, 10, 5)]
MANY = [Fraction(1, 200)] * 60 + [Fraction(1, 50)] * 20 + [Fraction(3, 10)]


def samples(law: Sequence[Fraction | float], people: int, seed: int) -> list[ClassSizes]:
    drawn = np.random.default_rng(seed).multinomial(people, [float(x) for x in law], size=RUNS)
    return [ClassSizes(*np.unique(counts[counts > 0], return_counts=True)) for counts in drawn]


@pytest.mark.long
@pytest.mark.parametrize("law", [FEW, MANY], ids=["few values", "many values"])
@pytest.mark.parametrize("threshold", [Fraction(1, 250), Fraction(1, 50), Fraction(51, 1000), Fraction(3, 10)])
@pytest.mark.parametrize("people", [30, 2000])
def test_the_interval_covers_the_exposure_of_the_law(law: list[Fraction], threshold: Fraction, people: int) -> None:
    truth = float(oracle.exposure_of_law(law, threshold))
    intervals = [sampled_exposure(sizes, threshold) for sizes in samples(law, people, 1)]
    assert np.mean([i.low <= truth <= i.high for i in intervals]) >= 0.94
    theorem5 = [sampled_exposure(s, threshold, domain=len(law), method="theorem5") for s in samples(law, people, 1)]
    assert np.mean([i.low <= truth <= i.high for i in theorem5]) >= 0.94


@pytest.fixture
def classes_seen_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What depends on a class's size alone is the same in all runs."""
    for law in ("hypergeometric_cdf", "hypergeometric_pmf"):
        monkeypatch.setattr(future_release, law, functools.cache(getattr(future_release, law)))
    limits_of_all = functools.cache(lambda trials, misses: limits_of_parts(np.arange(trials + 1), trials, misses))

    def limits_of(hits: NDArray[np.int64], trials: int, misses: float) -> tuple[Reals, Reals]:
        low, high = limits_of_all(trials, misses)
        return low[hits], high[hits]

    monkeypatch.setattr(future_release, "limits_of_parts", limits_of)


@pytest.mark.usefixtures("classes_seen_once")
@pytest.mark.parametrize(("law", "n", "k", "domain"), [(FEW, 50, 5, None), (FEW, 2000, 90, 5), (MANY, 400, 10, None)])
@pytest.mark.long
def test_the_interval_covers_the_exposure_of_a_future_release(
    law: list[Fraction], n: int, k: int, domain: int | None
) -> None:
    truth = float(oracle.statistical_exposure(law, n, k))
    intervals = [future_exposure(sizes, n, k, domain=domain) for sizes in samples(law, 500, 2)]
    assert np.mean([i.low <= truth <= i.high for i in intervals]) >= 0.94


def test_the_interval_closes_in_where_theorem_5_says_nothing() -> None:
    law = np.repeat([0.0004, 0.01], [500, 80])
    counts = np.random.default_rng(5).multinomial(100_000, law)
    sizes = ClassSizes(*np.unique(counts, return_counts=True))
    ours = sampled_exposure(sizes, "0.002")
    theirs = sampled_exposure(sizes, "0.002", domain=580, method="theorem5")
    assert ours.low <= 0.2 <= ours.high < ours.low + 0.01
    assert (theirs.low, theirs.high) == (0.0, 1.0)


def test_theorem_5_is_the_plug_in_at_both_sides_of_the_threshold() -> None:
    n, values, t = 10_000, 3, 0.2
    sizes = ClassSizes([1000, 4000, 5000], [1, 1, 1])
    gap = sqrt(log(2 * values / 0.05) / (2 * n))
    interval = sampled_exposure(sizes, t, domain=values, method="theorem5")
    assert (interval.low, interval.high) == pytest.approx((0.1 - gap * values, 0.1 + gap * values), rel=1e-12)
    assert (interval.value, interval.confidence, interval.method) == (0.1, 0.95, "Theorem 5")


@pytest.mark.parametrize("people", [500, 2000])
def test_every_method_covers_where_resampling_does_not_for_values_just_at_the_threshold(people: int) -> None:
    law = [Fraction(1, 20)] * 20
    assert oracle.exposure_of_law(law, Fraction(1, 20)) == 0
    for ask in ({"method": "auto"}, {"method": "auto", "domain": 20}, {"method": "theorem5", "domain": 20}):
        intervals = [sampled_exposure(sizes, "0.05", **ask) for sizes in samples(law, people, 8)[:200]]
        assert np.mean([i.low == 0 for i in intervals]) >= 0.94


@pytest.mark.long
def test_a_future_release_is_covered_where_resampling_does_not_for_many_rare_values() -> None:
    weights = 1 / np.arange(1, 2001)
    law = (weights / weights.sum()).tolist()
    truth = statistical_exposure(law, 5000, 10)
    intervals = [future_exposure(sizes, 5000, 10) for sizes in samples(law, 500, 9)[:25]]
    assert np.mean([i.low <= truth <= i.high for i in intervals]) >= 0.94
    assert np.mean([i.high - i.low for i in intervals]) < 0.9


@pytest.mark.long
def test_a_higher_confidence_is_wider_and_a_known_domain_is_not() -> None:
    sizes = samples(MANY, 2000, 6)[0]
    for ask in (lambda **o: sampled_exposure(sizes, "0.001", **o), lambda **o: future_exposure(sizes, 10**6, 40, **o)):
        middle, wide, known = ask(), ask(confidence=0.999), ask(domain=81)
        assert wide.low <= middle.low <= known.low <= known.high <= middle.high <= wide.high


@settings(max_examples=25)
@given(st.lists(st.sampled_from("abcd"), min_size=2, max_size=9), st.data())
def test_the_mean_exposure_of_subsets_is_that(people: list[str], data: st.DataObject) -> None:
    n = data.draw(st.integers(2, len(people)))
    k = data.draw(st.integers(2, n))
    sizes = tables.class_sizes(people)
    mean = future_release._mean_exposure(ClassSizes(list(sizes), list(sizes.values())), n, k)
    assert mean == pytest.approx(float(oracle.mean_exposure_of_subsets(people, n, k)), rel=1e-12, abs=1e-12)


@settings(max_examples=15)
@given(st.integers(3, 8), st.data())
def test_replacing_one_person_changes_the_mean_by_no_more_than_is_allowed_for(m: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, m))
    k = data.draw(st.integers(2, n))
    alone = [oracle.mean_exposure_of_subsets("a" * s + "bcdefghijkl"[: m - s], n, k) for s in range(m + 1)]
    others = [(m - s) * (alone[0] / m) for s in range(m + 1)]  # each of the others is alone
    part = [whole - rest for whole, rest in zip(alone, others, strict=True)]
    steps = [float(after - before) for before, after in pairwise(part)]
    allowed = future_release._off_the_mean(m, n, k, 0.1) / sqrt(log(10) / (2 * m)) / m
    assert allowed == pytest.approx(max(steps) - min(steps), rel=1e-9)


def test_limits_of_parts_miss_no_more_often_than_the_part_is_large() -> None:
    trials, misses = 60, 0.2
    low, high = limits_of_parts(np.arange(trials + 1), trials, misses)
    for p in (Fraction(x, 97) for x in range(1, 97)):
        missed = [x for x in range(trials + 1) if not low[x] <= p <= high[x]]
        chance = sum(oracle.comb(trials, x) * p**x * (1 - p) ** (trials - x) for x in missed)
        assert chance <= Fraction(misses) * p


def test_figure_3_the_statistical_exposure_varies_less_around_the_truth() -> None:
    p = [0.1, 0.2, 0.3, 0.4]
    figure = simulated_estimates(p, 128, rng=0)
    k = np.arange(1, 129)
    assert figure.truth == pytest.approx([statistical_exposure(p, 128, int(j)) for j in k], abs=1e-12)
    error = np.abs(figure.exposure.mean(axis=0) - figure.truth)
    assert (error <= 5 * figure.exposure.std(axis=0) / sqrt(RUNS) + 1e-3).all()
    between = (figure.truth > 0.01) & (figure.truth < 0.99)
    assert (figure.statistical_exposure.std(axis=0)[between] < figure.exposure.std(axis=0)[between]).mean() > 0.95


@pytest.mark.long
def test_extremes() -> None:
    alone, same = ClassSizes([1], [10**6]), ClassSizes([10**6], [1])
    for sizes in (alone, same, ClassSizes([1], [1])):
        assert (sampled_exposure(sizes, 0).low, sampled_exposure(sizes, 0).high) == (0, 0)
        assert future_exposure(sizes, 100, 1).high == 0
        assert future_exposure(sizes, 100, 101).low == 1
        assert 0 <= future_exposure(sizes, 2, 2).low <= future_exposure(sizes, 2, 2).high <= 1
    assert sampled_exposure(alone, 1).low == 1
    assert (sampled_exposure(same, 1).low, sampled_exposure(same, 1).high) == (0, 1)
    assert sampled_exposure(same, "0.5").high < 1e-5
    assert sampled_exposure(alone, "0.001").low == 1
    assert future_exposure(same, 10**9, 10**6).high < 1e-3
    assert future_exposure(alone, 1000, 2).low > 0.99


@pytest.mark.long
def test_a_population_and_some_of_its_columns() -> None:
    adult = Population("example:adult")
    for columns in (None, ["sex"], ["race", "workclass"]):
        sizes = adult.class_sizes(columns)
        assert sampled_exposure(adult, "0.01", columns=columns) == sampled_exposure(sizes, "0.01")
        assert future_exposure(adult, 100, 5, columns=columns) == future_exposure(sizes, 100, 5)


def test_what_cannot_be_asked() -> None:
    sizes = ClassSizes([1, 2], [1, 2])
    with pytest.raises(InvalidValueError, match="Theorem 5 needs domain="):
        sampled_exposure(sizes, "0.1", method="theorem5")
    bad: Any
    for bad in ("guess", "bootstrap"):
        with pytest.raises(InvalidValueError, match="method must be"):
            sampled_exposure(sizes, "0.1", method=bad)
    with pytest.raises(InvalidValueError, match="a threshold must be a number in"):
        sampled_exposure(sizes, 1.5)
    with pytest.raises(InvalidPriorError, match="p must sum to 1"):
        simulated_estimates([0.5], 10)
    for ask in (lambda **o: sampled_exposure(sizes, "0.1", **o), lambda **o: future_exposure(sizes, 10, 2, **o)):
        for bad in (0, 1, "sure", float("nan")):
            with pytest.raises(InvalidValueError, match="confidence must be"):
                ask(confidence=bad)
        with pytest.raises(InvalidValueError, match="at least the 3 values in the sample; got 2"):
            ask(domain=2)
        with pytest.raises(UnsupportedError, match="class sizes already belong to certain columns"):
            ask(columns=["sex"])
    with pytest.raises(UnsupportedError, match="sampled_exposure takes a Population or a table; got list"):
        sampled_exposure([("f",)], "0.1")  # type: ignore[arg-type]
