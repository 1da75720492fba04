"""Class sizes hold all that exposure needs."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.anonymity import ClassSizes
from discretion.errors import InvalidValueError
from oracles import tables

people = st.lists(st.integers(0, 8), min_size=1, max_size=40)


def sizes_of(values: list[int]) -> ClassSizes:
    histogram = tables.class_sizes(values)
    return ClassSizes(list(histogram), list(histogram.values()))


@given(people)
def test_they_count_people_and_classes(values: list[int]) -> None:
    sizes, alike = sizes_of(values), Counter(values)
    assert (sizes.people, sizes.classes) == (len(values), len(alike))
    assert sizes.unique == sum(c == 1 for c in alike.values())
    assert (sizes.smallest, sizes.largest) == (min(alike.values()), max(alike.values()))
    shares = [c / len(values) for c in alike.values()]
    assert sizes.entropy == pytest.approx(-sum(p * math.log2(p) for p in shares), abs=1e-12)


@given(people, st.integers(1, 45))
def test_fewer_than_k_alike(values: list[int], k: int) -> None:
    assert Fraction(sizes_of(values).exposed(k=k), len(values)) == tables.exposure_below(values, k)
    assert sizes_of(values).exposure(k=k) == float(tables.exposure_below(values, k))


@given(people, st.fractions(0, 1))
def test_the_curve_is_the_exposure_at_each_threshold(values: list[int], t: Fraction) -> None:
    sizes = sizes_of(values)
    assert sizes.curve()(t) == sizes.exposure(threshold=t) == float(tables.exposure_at(values, t))


@given(people)
def test_the_curve_steps_just_above_its_breakpoints(values: list[int]) -> None:
    curve = sizes_of(values).curve()
    for breakpoint_, exposed in zip(curve.breakpoints, curve.exposed.tolist(), strict=True):
        above = breakpoint_ + Fraction(1, 10**6)
        assert curve(breakpoint_) == float(tables.exposure_at(values, breakpoint_))
        if above <= 1:
            assert curve(above) == exposed / len(values)
    assert curve(0) == 0


def test_a_share_as_float_means_that_share() -> None:
    for n in range(1, 200):
        sizes = ClassSizes([1], [n])
        assert sizes.exposed(threshold=1 / n) == 0
        assert sizes.exposed(threshold=Fraction(1, n) + Fraction(1, 10**9) if n > 1 else 1) == (n if n > 1 else 0)


def test_counts_of_a_billion_people_are_exact() -> None:
    sizes = ClassSizes([1, 999_999_937], [63, 1])
    assert sizes.people == 10**9
    assert sizes.exposed(threshold="1/1000000000") == 0
    assert sizes.exposed(threshold="1.0000000001e-9") == 63
    assert sizes.exposed(k=10**30) == 10**9


def test_they_cannot_be_changed_and_are_equal_by_value() -> None:
    sizes = ClassSizes([1, 3], [2, 1])
    with pytest.raises(ValueError, match="read-only"):
        sizes.sizes[0] = 5
    with pytest.raises(AttributeError):
        sizes.people = 5  # type: ignore[misc]
    assert sizes == ClassSizes(np.array([1, 3]), (2, 1))
    assert hash(sizes) == hash(ClassSizes([1, 3], [2, 1]))
    assert sizes != ClassSizes([1, 3], [2, 2])


@pytest.mark.parametrize(
    ("sizes", "counts"),
    [([], []), ([1], [1, 2]), ([0], [1]), ([2, 1], [1, 1]), ([1, 1], [1, 1]), ([1], [0]), ([1.5], [1])],
)
def test_what_are_not_class_sizes(sizes: list[int], counts: list[int]) -> None:
    with pytest.raises(InvalidValueError, match="class sizes"):
        ClassSizes(sizes, counts)
