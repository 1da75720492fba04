"""Gower's distance: compiled and not, and in fractions."""

import numpy as np
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

from tacit.numerics.distances.gower import UNIT, Records, _add_distances, gower_distances, in_units

shapes = st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 6), st.integers(1, 6))


@st.composite
def records(draw):
    numbers, codes, asked, known = draw(shapes)
    values = st.sampled_from([-5.0, 0.0, 0.1, 1.0, 2.5, 10.0, 33.0, np.nan])

    def some(size):
        given = draw(arrays(float, (numbers, size), elements=values))
        return Records(
            in_units(given, 0.0, 10.0), draw(arrays(np.int32, (codes, size), elements=st.integers(-1, 2)))
        ), given

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
    _add_distances(known.numbers, known.codes, asked.numbers, asked.codes, UNIT, slow)
    assert (found == slow).all()
    for i in range(asked.size):
        for j in range(known.size):
            by_number = sum(far(x, y) for x, y in zip(of_asked[:, i], of_known[:, j], strict=True))
            by_code = int(np.sum(asked.codes[:, i] != known.codes[:, j]))
            assert abs(found[i, j] / UNIT - by_number - by_code) < 1e-11


def test_equal_distances_are_equal():
    known = Records(in_units(np.array([[0.1, 0.3], [0.3, 0.1]]), 0.0, 0.7), np.zeros((0, 2), np.int32))
    asked = Records(in_units(np.array([[0.2], [0.2]]), 0.0, 0.7), np.zeros((0, 1), np.int32))
    (found,) = gower_distances(asked, known)
    assert found[0] == found[1]
