"""The fast transform is the matrix, and its own inverse up to the number of values."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as arrays
from scipy.linalg import hadamard

from discretion.numerics.hashing.walsh_hadamard import walsh_hadamard
from oracles.promise import exactly

SIZES = st.integers(0, 7).map(lambda bits: 2**bits)


@given(SIZES.flatmap(lambda size: arrays.arrays(np.int64, size, elements=st.integers(-(2**55), 2**55))))
def test_whole_numbers_are_transformed_exactly(values):
    transformed = walsh_hadamard(values)
    expected = hadamard(values.size).astype(object) @ values.astype(object)
    assert transformed.dtype == np.int64
    assert transformed.tolist() == expected.tolist()


@given(SIZES.flatmap(lambda size: arrays.arrays(np.float64, size, elements=st.floats(-1, 1))))
def test_real_numbers_are_transformed_too(values):
    before = values.copy()
    for found, expected in zip(walsh_hadamard(values), hadamard(values.size) @ values, strict=True):
        assert found == exactly(expected)
    assert np.array_equal(values, before)


@pytest.mark.parametrize("bits", [0, 1, 13, 20])
def test_twice_is_the_number_of_values_times_the_same(bits):
    values = np.random.default_rng(bits).integers(1000, size=2**bits)
    assert np.array_equal(walsh_hadamard(walsh_hadamard(values)), values << bits)
