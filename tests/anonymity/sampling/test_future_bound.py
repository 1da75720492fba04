"""Bounds on a release of other people hold, whatever goes together, and are the least of their kind."""

from collections.abc import Iterable
from math import sqrt
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from discretion.anonymity import (
    ClassSizes,
    Marginals,
    Population,
    SampledMarginals,
    future_exposure,
    future_exposure_bound,
    statistical_exposure,
)
from discretion.anonymity.sampling.future_bound import FutureCertificate
from discretion.anonymity.sampling.rare_values import SampledValues
from discretion.anonymity.sampling.statistical_exposure import largest_exposed_part
from discretion.errors import InvalidValueError, UnknownColumnError, UnsupportedError
from discretion.mechanisms import HadamardResponse, RandomizedResponse
from oracles import future_bounds as oracle

RUNS = 60
Joint = NDArray[np.float64]


def sampled(counts: Iterable[int], **known: Any) -> SampledValues:
    given = np.array([*counts])
    known.setdefault("people", int(given.sum()))
    return SampledValues(*np.unique(given[given > 0], return_counts=True), **known)


def lines_of(values: SampledValues, misses: float) -> list[tuple[float, float]]:
    return [(limit, kept) for limit, kept, _ in values.rare_lines(misses)]


@pytest.mark.parametrize(
    ("counts", "people", "domain", "epsilon"),
    [
        ((7,), 7, None, None), ((7,), 7, 1, None), ((7,), 7, 3, None), ((5, 2, 1, 1), 9, None, None),
        ((5, 2, 1, 1), 9, 4, None), ((5, 2, 1, 1), 12, 6, None), ((20, 9, 1), 30, None, None),
        ((20, 9, 1), 33, 3, None), ((12, 9, 4), 25, 3, 1.0), ((30, 2, 2), 34, 5, 3.0), ((30, 2, 2), 36, 5, 0.5),
        ((9, 8, 7), 24, 3, 0.0),
        ((1,), 1, None, None), ((1,), 1, 2, None), ((1, 1, 1, 1, 1), 5, None, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("misses", [0.5, 0.01])
def test_limits_of_rare_values_are_those_of_all_sets_and_all_values(
    counts: tuple[int, ...], people: int, domain: int | None, epsilon: float | None, misses: float
) -> None:
    randomizer = None if epsilon is None or domain is None else RandomizedResponse(domain, epsilon=epsilon)
    response = (1.0, 0.0) if randomizer is None else (randomizer.p, randomizer.q)
    ours = lines_of(
        sampled(counts, people=people, domain=domain, response=None if randomizer is None else randomizer.response),
        misses,
    )
    slow = oracle.rare_limits(counts, people, misses, domain, response)
    for kept in range(1, 8):
        assert oracle.least_with(ours, kept) == pytest.approx(oracle.least_with(slow, kept), rel=1e-9, abs=1e-12)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "law", [(1.0,), (0.7, 0.2, 0.1), (0.34, 0.33, 0.33), (0.9, 0.1, 0.0), (0.5, 0.5), (0.25, 0.25, 0.25, 0.25)]
)
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("epsilon", [None, 0.0, 1.0, 3.0])
@pytest.mark.parametrize("misses", [0.9, 0.3])
def test_of_all_samples_few_have_limits_that_miss(
    law: tuple[float, ...], is_known: bool, epsilon: float | None, misses: float
) -> None:
    """Added up over all samples of eight people: all limits hold together, whichever values are frequent."""
    if epsilon is not None and (not is_known or len(law) == 1):
        return
    randomizer = None if epsilon is None else RandomizedResponse(len(law), epsilon=epsilon)
    reported = law if randomizer is None else [randomizer.q + randomizer.gap * p for p in law]
    missed = 0.0
    for counts in oracle.histograms(8, len(law)):
        known = sampled(
            counts, domain=len(law) if is_known else None, response=None if randomizer is None else randomizer.response
        )
        if any(oracle.outside(law, int(kept)) > limit + 1e-12 for limit, kept in lines_of(known, misses)):
            missed += oracle.chance_of(counts, reported)
    assert missed <= misses


@pytest.mark.one_in(4)
@pytest.mark.parametrize("law", [(0.7, 0.2, 0.1), (0.5, 0.3, 0.2)])
@pytest.mark.parametrize("is_known", [True, False])
def test_of_all_samples_few_have_limits_that_miss_whichever_message_is_lost(
    law: tuple[float, ...], is_known: bool
) -> None:
    missed = 0.0
    for counts in oracle.histograms(9, len(law)):
        for place, count in enumerate(counts):
            left = [number - (other == place) for other, number in enumerate(counts)]
            if count and any(
                oracle.outside(law, int(kept)) > limit + 1e-12
                for limit, kept in lines_of(sampled(left, people=9, domain=3 if is_known else None), 0.5)
            ):
                missed += oracle.chance_of(counts, law)
                break
    assert missed <= 0.5


@pytest.mark.parametrize(("n", "k"), [(2, 2), (5, 2), (5, 5), (30, 4), (400, 20)])
def test_the_most_that_a_value_adds_to_the_exposure(n: int, k: int) -> None:
    largest = max(p * oracle.fewer_or_as_many(k - 2, n - 1, p) for p in np.linspace(0, k / n, 3001).tolist())
    assert largest <= largest_exposed_part(n, k) * (1 + 1e-12)
    assert largest_exposed_part(n, k) == pytest.approx(largest, rel=1e-5)
    assert largest_exposed_part(n, k) <= (k - 1) / n * (1 + 1e-12)


@pytest.mark.parametrize("k", [2, 3, 10, 10**6])
def test_at_the_most_people_it_is_what_a_poisson_law_says(k: int) -> None:
    n = 10**10
    assert 0 < largest_exposed_part(n, k) * n <= k - 1
    if k == 2:
        assert largest_exposed_part(n, k) * n == pytest.approx(np.exp(-1), rel=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_bound_is_the_least_over_all_covers_and_cuts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = pa.table({name: rng.choice(6, 300, p=rng.dirichlet(np.ones(6))) for name in "abc"})
    people = Population(table)
    groups = [("a", "b"), ("b", "c")][: seed % 3]
    n, k = int(rng.integers(20, 5000)), int(rng.integers(2, 8))
    ours = future_exposure_bound(people, n, k, 0.9, groups=groups)
    known = SampledMarginals(people)
    all_groups = [("a",), ("b",), ("c",), *groups]
    lines = {group: lines_of(known.values(group), 0.1 / len(all_groups)) for group in all_groups}
    least = oracle.least_bound(lines, "abc", largest_exposed_part(n, k))
    assert ours.high == pytest.approx(least, rel=2e-10)
    assert (ours.value, ours.low, ours.confidence) == (ours.high, 0.0, 0.9)


def test_a_law_just_as_exposed_as_the_bound_lets_it_be() -> None:
    """Ten values of two columns, all 100 pairs as probable: each pair is held by one of n people on average."""
    counts = Marginals({name: dict.fromkeys(range(10), 1000) for name in "ab"})
    bound = future_exposure_bound(SampledMarginals(counts, domain={"a": 10, "b": 10}), n=100, k=2)
    assert bound.high == pytest.approx(statistical_exposure([0.01] * 100, 100, 2), rel=1e-9)


def dependent(values: int) -> Joint:
    return np.eye(values) / values


def independent(values: int) -> Joint:
    weights = 1 / np.arange(1, values + 1) ** 1.5
    return np.outer(weights, weights) / weights.sum() ** 2


def slack_is_needed(values: int, share: float = 0.3) -> Joint:
    """The construction just above the counting bound: p = (1-c)·I/m + c·J/m²."""
    return (1 - share) * np.eye(values) / values + share * np.ones((values, values)) / values**2


def heavy_tailed(values: int) -> Joint:
    weights = 1 / np.arange(1, values + 1) ** 1.1
    joint = np.diag(0.5 * weights / weights.sum())
    joint[:, 0] += 0.5 * weights / weights.sum()
    return joint


def unseen(values: int) -> Joint:
    joint = np.zeros((values, 2))
    joint[0, 0], joint[1:, 1] = 0.8, 0.2 / (values - 1)
    return joint


JOINTS = {
    "one value": (np.ones((1, 1)), 50, 2), "dependent": (dependent(8), 300, 30),
    "independent": (independent(30), 400, 5), "slack needed": (slack_is_needed(10), 400, 4),
    "heavy-tailed": (heavy_tailed(400), 1000, 10),
    "unseen": (unseen(2000), 3000, 3), "one person": (dependent(3), 1, 1), "more than there are": (dependent(3), 4, 5),
    "rare values": (np.diag([0.97, 0.01, 0.01, 0.005, 0.005]), 200, 4),
}  # fmt: skip


def certified(joint: Joint, counts: list[NDArray[np.int64]], **given: Any) -> FutureCertificate:
    domains = joint.shape if given.pop("is_known") else (None,) * joint.ndim
    responses = given.pop("responses", (None,) * joint.ndim)
    columns = [(name,) for name in "abc"[: joint.ndim]]
    known = (
        sampled(each, domain=domain, response=response)
        for each, domain, response in zip(counts, domains, responses, strict=True)
    )
    return FutureCertificate(dict(zip(columns, known, strict=True)), **given)


@pytest.mark.long
@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("people", [40, 2000])
def test_the_bound_misses_no_more_often_than_it_may(name: str, is_known: bool, people: int) -> None:
    joint, n, k = JOINTS[name]
    truth = statistical_exposure(joint.ravel() / joint.sum(), n, k)
    rng = np.random.default_rng(7)
    misses, confidence = 0, 0.5
    for _ in range(RUNS):
        rows = rng.multinomial(people, joint.ravel() / joint.sum()).reshape(joint.shape)
        counts = [rows.sum(1), rows.sum(0)]
        bound = certified(joint, counts, n=n, k=k, confidence=confidence, is_known=is_known).exposure("ab").high
        misses += bound < truth * (1 - 1e-12)
    assert misses <= RUNS * (1 - confidence) + 3 * sqrt(RUNS / 4)


@pytest.mark.long
@pytest.mark.parametrize("name", ["dependent", "independent", "slack needed", "rare values"])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 4.0, np.inf])
def test_the_bound_from_reports_misses_no_more_often_than_it_may(name: str, epsilon: float) -> None:
    joint, n, k = JOINTS[name]
    truth = statistical_exposure(joint.ravel() / joint.sum(), n, k)
    rng = np.random.default_rng(8)
    randomizers = [RandomizedResponse(values, epsilon=epsilon) for values in joint.shape]
    misses, bounds = 0, []
    for _ in range(RUNS):
        people = rng.choice(joint.size, 3000, p=joint.ravel() / joint.sum())
        counts = [
            np.bincount(randomizer.sample(values, rng), minlength=randomizer.k)
            for randomizer, values in zip(randomizers, np.unravel_index(people, joint.shape), strict=True)
        ]
        responses = [randomizer.response for randomizer in randomizers]
        known = certified(joint, counts, n=n, k=k, confidence=0.5, is_known=True, responses=responses)
        bounds.append(known.exposure("ab").high)
        misses += bounds[-1] < truth * (1 - 1e-12)
    assert misses <= RUNS * 0.5 + 3 * sqrt(RUNS / 4)
    if name == "rare values":
        everything_kept = min(1.0, largest_exposed_part(n, k) * joint.size)
        assert np.mean(bounds) < everything_kept if epsilon else np.mean(bounds) == pytest.approx(everything_kept)


def test_reports_that_are_the_values_are_as_good_as_the_values() -> None:
    counts = Marginals({"a": {0: 900, 1: 90, 2: 10}})
    as_values = SampledMarginals(counts, domain={"a": 3}).values(("a",))
    reports = SampledMarginals(counts, randomizers={"a": RandomizedResponse(3, p=1.0)}).values(("a",))
    assert np.array(lines_of(reports, 0.05)) == pytest.approx(np.array(lines_of(as_values, 0.05)), rel=1e-12)


def test_without_any_privacy_budget_reports_certify_nothing_but_the_domain() -> None:
    reports = sampled([500, 500], domain=2, response=RandomizedResponse(2, epsilon=0).response)
    assert lines_of(reports, 0.05) == [(0.0, 2.0)]


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_were_counted_together_are_bounded_by_both_routes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    people = Population(
        pa.table({"a": rng.choice(5, 4000, p=[0.6, 0.3, 0.08, 0.015, 0.005]), "b": rng.choice(3, 4000)})
    )
    n, k = (1000, 4000, 10**6)[seed], 10
    together = future_exposure_bound(people, n, k, groups=[("a", "b")])
    half = FutureCertificate({("a", "b"): SampledMarginals(people).values(("a", "b"))}, n, k, 0.975).exposure("ab")
    assert together.high == min(half.high, future_exposure(people, n, k, 0.975).high)
    assert together.confidence == 0.95
    alone = future_exposure_bound(people, n, k, columns=["a"])
    assert statistical_exposure([0.6, 0.3, 0.08, 0.015, 0.005], n, k) <= alone.high


def test_a_higher_confidence_is_a_higher_bound() -> None:
    counts = Marginals({"a": ClassSizes([10, 400], [9, 7]), "b": ClassSizes([2, 1444], [1, 2])})
    bounds = [future_exposure_bound(counts, 5000, 12, confidence).high for confidence in (0.5, 0.9, 0.99, 1 - 1e-9)]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1] < 1


@pytest.mark.parametrize("groups", [(), [("a", "b")]])
def test_with_k_of_one_nobody_is_exposed_and_with_fewer_people_than_k_everybody(groups: Any) -> None:
    people = Population(pa.table({"a": ["x", "y", "x"], "b": ["u", "u", "v"]}))
    assert future_exposure_bound(people, 10, 1, groups=groups).high == 0
    assert future_exposure_bound(people, 9, 10, groups=groups).high == 1
    assert future_exposure_bound(people, 1, 1, groups=groups).high == 0
    assert future_exposure_bound(people, 9, 10, columns=[]).high == 1
    assert future_exposure_bound(people, 10, 10, columns=[]).high == 0


def test_of_one_value_that_everybody_has_little_can_be_exposed() -> None:
    counts = Marginals({"a": ClassSizes([10**6], [1]), "b": ClassSizes([10**6], [1])})
    assert future_exposure_bound(counts, 10**6, 100).high < 2e-4
    known = SampledMarginals(counts, domain={"a": 1, "b": 1})
    assert future_exposure_bound(known, 10**6, 2).high == pytest.approx(largest_exposed_part(10**6, 2))


def test_of_very_many_people_and_values() -> None:
    counts = Marginals({"a": ClassSizes([1, 2, 10**5], [10**6, 10**6, 10**4]), "b": ClassSizes([1003 * 10**6], [1])})
    bound = future_exposure_bound(counts, 10**9, 50)
    assert 0.002 < bound.high < 0.01
    known = SampledMarginals(counts, domain={"a": 10**9, "b": 10})
    assert future_exposure_bound(known, 10**9, 50).high < 0.01


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"domain": {"a": 1}}, InvalidValueError, "the number of its possible values; 2 were seen, got 1"),
        ({"domain": {"c": 3}}, UnknownColumnError, "'c'"),
        ({"domain": 3}, UnsupportedError, "domain of SampledMarginals is a mapping by column, got 3"),
        ({"randomizers": {"a": HadamardResponse(3, 1.0)}}, UnsupportedError, "k-ary randomized .* got Hadamard"),
        ({"randomizers": {"a": RandomizedResponse(3, p=0.5)}, "domain": {"a": 4}}, InvalidValueError, "one number"),
    ],
)  # fmt: skip
def test_what_is_no_sample_is_refused(arguments: Any, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        SampledMarginals(Marginals({"a": {0: 3, 1: 2}, "b": {0: 5}}), **arguments)


def test_what_cannot_be_bounded_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="SampledMarginals takes a Population or a table; got list"):
        SampledMarginals([1])  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnsupportedError, match="call future_exposure_bound with them"):
        future_exposure(Marginals({"a": {0: 5}}), 10, 2)  # pyright: ignore[reportArgumentType]
    people = Population(pa.table({"a": ["x", "y"], "b": ["u", "u"], "who": ["p", "q"]}))
    randomized = SampledMarginals(people, randomizers={"a": RandomizedResponse(2, epsilon=1)})
    with pytest.raises(UnsupportedError, match="a group must have no randomized columns, got 'a' in a and b"):
        future_exposure_bound(randomized, 10, 2, groups=[("a", "b")])
    with pytest.raises(InvalidValueError, match=r"confidence must be in \(0, 1\)"):
        future_exposure_bound(people, 10, 2, 1.0)
    several = Population(pa.table({"a": ["x", "y"], "who": ["p", "p"]}), person="who")
    with pytest.raises(UnsupportedError, match="single columns do not bound"):
        future_exposure_bound(several, 10, 2)
