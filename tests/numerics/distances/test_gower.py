"""Gower's distance: compiled and not, and in fractions."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from discretion.numerics.distances.gower import UNIT, Records, _add_distances, gower_distances, gower_numbers

shapes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 6), st.integers(1, 6))


@st.composite
def records(draw):
    numbers, codes, asked, known = draw(shapes)
    values = st.sampled_from([-5.0, 0.0, 0.1, 1.0, 2.5, 10.0, 33.0, np.nan])

    def some(size):
        given = draw(arrays(float, (numbers, size), elements=values))
        measured, units = gower_numbers(given, 0.0, 10.0)
        others = draw(arrays(np.int32, (codes, size), elements=st.integers(-1, 2)))
        return Records(measured, np.full(numbers, units), others), given

    return some(asked), some(known)


def far(x, y):
    if np.isnan(x) or np.isnan(y):
        return float(np.isnan(x) != np.isnan(y))
    return min(abs(x - y) / 10, 1.0)


@given(records())
def test_it_is_the_sum_of_what_the_columns_differ_by(drawn):
    (asked, of_asked), (known, of_known) = drawn
    found = gower_distances(asked, known)
    slow = np.zeros_like(found)
    _add_distances(known.numbers, known.codes, asked.numbers, asked.codes, known.units, UNIT, slow)
    assert (found == slow).all()
    for i in range(asked.size):
        for j in range(known.size):
            by_number = sum(far(x, y) for x, y in zip(of_asked[:, i], of_known[:, j], strict=True))
            by_code = int(np.sum(asked.codes[:, i] != known.codes[:, j]))
            assert abs(found[i, j] / UNIT - by_number - by_code) < 1e-11


def records_of(numbers, low, high):
    measured, units = gower_numbers(np.array(numbers), low, high)
    return Records(measured, np.full(len(numbers), units), np.zeros((0, len(numbers[0])), np.int32))


def test_equal_distances_are_equal():
    known = records_of([[0.1, 0.3], [0.3, 0.1]], 0.0, 0.7)
    (found,) = gower_distances(records_of([[0.2], [0.2]], 0.0, 0.7), known)
    assert found[0] == found[1]


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**6), st.data())
def test_numbers_as_far_above_as_below_are_as_far(low, width, data):
    away = data.draw(st.integers(0, width))
    here = data.draw(st.integers(low - width, low + 2 * width))
    known = records_of([[float(here - away), float(here + away)]], low, low + width)
    inside = low - width <= here - away <= here + away <= low + 2 * width
    (found,) = gower_distances(records_of([[float(here)]], low, low + width), known)
    assert found[0] == found[1] or not inside


def test_nothing_is_at_infinity_but_infinity_and_a_missing_value_is_nowhere():
    there = [np.inf, -np.inf, np.nan, 1.0, 3.0, -5.0]
    (found,) = gower_distances(records_of([[np.inf]], 0.0, 1.0), records_of([there], 0.0, 1.0))[:1]
    assert found.tolist() == [0, *[UNIT] * 5]
