"""Linear hash functions against their definition, one function and one number at a time."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from discretion.numerics.hashing import linear_hashing
from discretion.numerics.hashing.finite_field import FiniteField
from discretion.numerics.hashing.linear_hashing import LinearHashing


def digits(number, q):
    while number:
        number, digit = divmod(number, q)
        yield digit


def image(q, function, number):
    """``Σ_i a_i v_i`` over the digits."""
    field, total = FiniteField(q), np.array(0)
    for a, v in zip(digits(function, q), digits(number, q), strict=False):
        total = field.add(total, field.multiply(np.array(a), v))
    return int(total)


SIZES = [
    (2, 2),
    (5, 2),
    (8, 2),
    (9, 3),
    (11, 3),
    (4, 4),
    (13, 4),
    (5, 5),
    (26, 5),
    (6, 7),
    (8, 8),
    (9, 9),
    (11, 9),
    (3, 11),
]


@pytest.mark.parametrize(("k", "q"), SIZES)
def test_differences_of_two_numbers_are_uniform(k, q):
    family, field = LinearHashing(k, q), FiniteField(q)
    functions = np.arange(family.functions)
    classes = [family.classes_of(functions, np.full(functions.size, v)) for v in range(k)]
    for v in range(k):
        for w in range(v):
            differences = np.bincount(field.subtract(classes[v], classes[w]), minlength=q)
            assert np.all(differences == family.functions // q)


@pytest.mark.parametrize(("k", "q"), SIZES)
def test_there_are_no_more_functions_than_digits_need(k, q):
    family = LinearHashing(k, q)
    assert family.functions == q**family.digits >= k > q ** (family.digits - 1)


@st.composite
def problems(draw):
    """Some functions, classes and weights; the zero function and repetitions are common."""
    q, k = draw(st.sampled_from([2, 3, 4, 5, 7, 8, 9, 16, 25, 27, 31, 257])), draw(st.integers(2, 300))
    family = LinearHashing(k, q)
    function = st.one_of(st.just(0), st.integers(0, min(5, family.functions - 1)), st.integers(0, family.functions - 1))
    reports = draw(st.lists(st.tuples(function, st.integers(0, q - 1), st.integers(1, 9)), min_size=1, max_size=12))
    return family, *np.array(reports, dtype=np.int64).T


@given(problems())
def test_hits_and_their_counts_are_those_of_the_double_loop(problem):
    family, functions, classes, weights = problem
    q, k = family.classes, family.k
    images = np.array([[image(q, int(a), v) for v in range(k)] for a in functions])
    expected = images == classes[:, None]
    assert np.array_equal(family.hits(functions, classes), expected)
    assert np.array_equal(family.hit_counts(functions, classes, weights), weights @ expected)
    numbers = np.arange(functions.size) * 7 % k
    assert np.array_equal(family.classes_of(functions, numbers), images[np.arange(functions.size), numbers])


@pytest.mark.parametrize("q", [2, 97, 243, 251, 256, 257, 4096, 999_983])  # with 97 there are over 2³² functions
def test_the_largest_functions_and_numbers_are_hashed_as_defined(q):
    family, rng = LinearHashing(10**8, q), np.random.default_rng(q)
    functions = np.append(rng.integers(family.functions, size=20), [0, family.functions - 1, family.functions - 1])
    numbers = np.append(rng.integers(family.k, size=20), [family.k - 1, family.k - 1, 0])
    expected = [image(q, a, v) for a, v in zip(functions.tolist(), numbers.tolist(), strict=True)]
    assert family.classes_of(functions, numbers).tolist() == expected


@given(problems(), st.sampled_from([2, 30, 1000]))
def test_a_transform_that_would_be_too_large_is_made_of_smaller_ones(problem, largest):
    family, functions, classes, weights = problem
    expected = family.hit_counts(functions, classes, weights)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_hashing, "LARGEST_TRANSFORM", largest)
        assert np.array_equal(family.hit_counts(functions, classes, weights), expected)


@pytest.mark.long
@pytest.mark.parametrize(
    ("k", "q"), [(10**6, 2), (10**6, 4), (10**6, 1009), (10**6, 3), (300_000, 625), (10**6, 999_983)]
)
def test_a_million_numbers(k, q):
    family, rng = LinearHashing(k, q), np.random.default_rng(1)
    functions, classes = rng.integers(family.functions, size=40_000), rng.integers(q, size=40_000)
    counts = family.hit_counts(functions, classes, np.ones(40_000, dtype=np.int64))
    some = np.array([0, 1, q - 1, k - 1, *rng.integers(k, size=5)])
    expected = [(family.classes_of(functions, np.full(40_000, v)) == classes).sum() for v in some]
    assert np.array_equal(counts[some], expected)
