"""Statistical exposure is its definition, and its bounds hold and are no wider than they must be."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from discretion.anonymity import ClassSizes
from discretion.anonymity.sampling.statistical_bounds import statistical_exposure_bounds
from discretion.anonymity.sampling.statistical_exposure import statistical_exposure, statistical_exposure_sensitivity
from discretion.errors import InvalidPriorError, InvalidValueError, TooLargeError
from oracles import anonymity as oracle

some_counts = st.lists(st.integers(0, 20), min_size=1, max_size=5).filter(any)


def law_of(counts: list[int]) -> list[Fraction]:
    return [Fraction(c, sum(counts)) for c in counts]


def exact(value: float) -> Any:
    return pytest.approx(value, rel=1e-10, abs=1e-12)


@given(some_counts, st.integers(1, 30), st.integers(1, 32))
def test_it_is_the_sum_of_appendix_d(counts: list[int], n: int, k: int) -> None:
    p = law_of(counts)
    assert statistical_exposure([float(x) for x in p], n, k) == exact(float(oracle.statistical_exposure(p, n, k)))


@pytest.mark.parametrize(
    ("n", "k"),
    [(10**3, 3), (10**6, 10), (10**6, 5000), (10**9, 3), (10**9, 10), (10**9, 10**6), (10**10, 10**6), (10**10, 10**4)],
)
@pytest.mark.parametrize("deviations", [-6, -1, 0, 1, 4])
def test_it_keeps_its_promise_at_any_size(n: int, k: int, deviations: int) -> None:
    p = (k - 1 + deviations * (k - 1) ** 0.5) / n if deviations > 0 or k > 40 else 2.0**deviations * k / n
    # The other value has nearly all of the people: far more than k, as good as surely.
    assert statistical_exposure([p, 1 - p], n, k) == exact(float(Decimal(p) * oracle.fewer_alike(p, n, k)))


@pytest.mark.parametrize("n", [2, 10, 10**6, 10**9])
def test_all_alike_is_the_only_way_not_to_be_exposed_below_everybody(n: int) -> None:
    for rest in (1e-12, 1 / n, 0.3):
        law = [Decimal(1 - rest), Decimal(rest)]
        exposed = float(sum(p * (1 - p ** (n - 1)) for p in law))
        assert statistical_exposure([1 - rest, rest], n, n) == exact(exposed)


@given(some_counts, st.integers(1, 50))
def test_its_limits(counts: list[int], n: int) -> None:
    p = [float(x) for x in law_of(counts)]
    assert statistical_exposure(p, n, 1) == 0
    assert statistical_exposure(p, n, n + 1) == statistical_exposure(p, n, 10**30) == 1
    if n > 1:
        assert statistical_exposure(p, n, 2) == exact(sum(x * (1 - x) ** (n - 1) for x in p))


def test_it_is_what_a_simulation_sees() -> None:
    p, n, k, runs = np.array([0.4, 0.25, 0.2, 0.1, 0.05]), 60, 8, 20_000
    counts = np.random.default_rng(3).multinomial(n, p, size=runs)
    seen = (counts * (counts < k)).sum(axis=1) / n
    assert abs(seen.mean() - statistical_exposure(p, n, k)) < 4 * seen.std() / runs**0.5


def test_class_sizes_stand_for_their_shares() -> None:
    assert statistical_exposure(ClassSizes([1, 3], [2, 1]), 7, 3) == exact(statistical_exposure([0.2, 0.2, 0.6], 7, 3))


def test_a_million_values() -> None:
    assert statistical_exposure(np.full(10**6, 1e-6), 10**6, 2) == exact(1 / (1 + 1e-6 / (1 - 1e-6)) ** (10**6 - 1))


def test_theorem_8_does_not_hold_as_printed_and_ours_does() -> None:
    p, near = [1.0, 0.0], [1 - 1e-6, 1e-6]
    apart = abs(statistical_exposure(p, 1000, 1000) - statistical_exposure(near, 1000, 1000))
    assert apart == pytest.approx(1.0e-3, rel=0.01)
    assert oracle.printed_theorem_8(2, 1000, 1e-6) == pytest.approx(5.4e-5, rel=0.01)
    assert apart <= statistical_exposure_sensitivity(1000, 1000) * 2e-6


@given(st.integers(1, 60), st.integers(1, 62), some_counts, st.data())
def test_the_sensitivity_bounds_the_difference(n: int, k: int, counts: list[int], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.integers(0, 20), min_size=len(counts), max_size=len(counts)).filter(any))
    p, q = law_of(counts), law_of(others)
    apart = abs(oracle.statistical_exposure(p, n, k) - oracle.statistical_exposure(q, n, k))
    distance = sum(abs(x - y) for x, y in zip(p, q, strict=True))
    assert float(apart) <= statistical_exposure_sensitivity(n, k) * float(distance) + 1e-12


@given(st.integers(2, 200), st.data())
def test_the_sensitivity_is_below_that_of_the_steepest_slope(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(2, n))
    at = Fraction(k - 1, n - 1)
    steepest = (k - 1) * oracle.comb(n - 1, k - 1) * at ** (k - 1) * (1 - at) ** (n - k)
    assert statistical_exposure_sensitivity(n, k) <= float(max(1, steepest)) * (1 + 1e-12)


@pytest.mark.parametrize(("n", "k"), [(10, 3), (50, 20), (100, 2)])
def test_the_sensitivity_is_attained(n: int, k: int) -> None:
    step, dust = Fraction(1, 10**7), 10**4
    law = [Fraction(k, n), 1 - Fraction(k, n)]
    moved = [law[0] - step, law[1]]
    gained = dust * oracle.statistical_exposure([step / dust], n, k)  # on as many values of hardly any people
    apart = oracle.statistical_exposure(moved, n, k) + gained - oracle.statistical_exposure(law, n, k)
    assert float(apart / (2 * step)) == pytest.approx(statistical_exposure_sensitivity(n, k), rel=1e-4)


@pytest.mark.long
@settings(max_examples=25)
@given(
    st.lists(st.integers(0, 9), min_size=2, max_size=4).filter(any),
    st.sampled_from([0.0, 1e-3, 0.05, 0.4, 2.0]),
    st.integers(1, 40),
    st.integers(1, 42),
    st.integers(0, 10**6),
)
def test_bounds_hold_every_law_within_the_radius(counts: list[int], radius: float, n: int, k: int, seed: int) -> None:
    p = np.array(counts) / sum(counts)
    bounds = statistical_exposure_bounds(p, radius, n, k)
    slack = statistical_exposure_sensitivity(n, k) * radius + 1e-9
    assert bounds.certified
    assert bounds.value == statistical_exposure(p, n, k)
    assert bounds.value - slack <= bounds.low <= bounds.value <= bounds.high <= bounds.value + slack
    away = np.random.default_rng(seed).dirichlet(np.full(p.size, 0.5), size=200) - p
    shrunk = np.minimum(1, radius / np.maximum(np.abs(away).sum(axis=1), 1e-12))
    for law in np.clip(p + away * shrunk[:, None], 0, 1):
        assert bounds.low - 1e-12 <= statistical_exposure(law, n, k) <= bounds.high + 1e-12


def test_bounds_of_two_values_are_the_extremes() -> None:
    n, k, radius = 30, 12, 0.2
    seen = [statistical_exposure([x, 1 - x], n, k) for x in np.linspace(0.2, 0.4, 2001)]
    bounds = statistical_exposure_bounds([0.3, 0.7], radius, n, k)
    assert bounds.low <= min(seen) <= bounds.low + 2e-2
    assert bounds.high - 2e-2 <= max(seen) <= bounds.high


@pytest.mark.parametrize("p", [[0.5, 0.4], [1.1, -0.1], [np.nan, 1.0], [], "law"])
def test_what_is_no_law(p: Any) -> None:
    with pytest.raises(InvalidPriorError, match="p must"):
        statistical_exposure(p, 10, 2)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InvalidValueError, match="k must be a whole number of at least 1, got 0"):
        statistical_exposure([1.0], 10, 0)
    with pytest.raises(InvalidValueError, match="n must be a whole number of at least 1, got 0"):
        statistical_exposure([1.0], 0, 1)
    with pytest.raises(TooLargeError, match="n must be at most"):
        statistical_exposure([1.0], 10**11, 1)
    for radius in (-0.1, float("nan"), "wide"):
        with pytest.raises(InvalidValueError, match="radius must be"):
            statistical_exposure_bounds([1.0], radius, 10, 2)  # type: ignore[arg-type]


@pytest.mark.long
def test_certified_bounds_hold_what_is_known_exactly() -> None:
    rng = np.random.default_rng(12)
    for _ in range(20):
        counts = rng.integers(1, 9, rng.integers(1, 6))
        law = [Fraction(int(count), int(counts.sum())) for count in counts]
        n = int(rng.integers(1, 30))
        k = int(rng.integers(1, n + 2))
        sizes = ClassSizes(*np.unique(counts, return_counts=True))
        truth = oracle.statistical_exposure(law, n, k)
        for radius in (0.0, 1e-9, 0.1):
            bounds = statistical_exposure_bounds(sizes, radius, n, k)
            assert bounds.certified
            assert bounds.low <= truth <= bounds.high
