"""A channel is validated, labelled, immutable and its own explicit form."""

import contextlib
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
from oracles import channels as slow
from oracles.strategies import matrices

STORAGES = [np.array, sparse.csr_array, sparse.csc_matrix]


def dense(C):
    return C.matrix.toarray() if sparse.issparse(C.matrix) else C.matrix


@given(matrices(), st.sampled_from(STORAGES))
def test_a_channel_holds_the_numbers_it_was_given(matrix, storage):
    C = dc.Channel(storage(matrix))
    assert np.array_equal(dense(C), matrix)
    assert (C.shape, C.secrets) == (matrix.shape, len(matrix))
    assert (C.inputs, C.outputs) == tuple(tuple(range(size)) for size in matrix.shape)
    assert C.channel() is C


def test_rows_are_divided_by_their_sums_where_these_are_off_by_more_than_rounding():
    matrix = np.array([[0.5, 0.5 + 5e-10], [0.1, 0.9], [0.3, 0.7 + 5e-16]])
    kept = dc.Channel(matrix).matrix
    assert kept[0].tolist() == pytest.approx([0.5 / (1 + 5e-10), (0.5 + 5e-10) / (1 + 5e-10)], rel=1e-15)
    assert kept[1:].tolist() == matrix[1:].tolist()


@pytest.mark.parametrize("storage", STORAGES)
def test_a_channel_is_a_copy(storage):
    given_matrix = storage([[0.25, 0.75], [0.5, 0.5]])
    C = dc.Channel(given_matrix)
    given_matrix[0, 0] = 0.75
    assert dense(C)[0, 0] == 0.25


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("place", [(0, 0), (0, 1)], ids=["an entry", "a zero"])
def test_a_channel_cannot_be_written_to(storage, place):
    C = dc.Channel(storage([[1.0, 0.0], [0.5, 0.5]]))
    before = dense(C).copy()
    with warnings.catch_warnings(), contextlib.suppress(ValueError, TypeError, AttributeError):
        # SciPy warns that a new entry is slow, and writes it.
        warnings.simplefilter("ignore")
        C.matrix[place] = 0.25
    assert np.array_equal(dense(C), before)


def test_a_channel_has_no_setters():
    C = dc.Channel([[1.0]])
    for name in ("matrix", "inputs", "outputs", "shape", "anything"):
        with pytest.raises(AttributeError):
            setattr(C, name, None)


def test_sparse_channels_add_up_repeated_entries():
    twice = sparse.coo_array(([0.5, 0.25, 0.25, 1.0], ([0, 0, 0, 1], [0, 1, 1, 0])), shape=(2, 2))
    assert dense(dc.Channel(twice)).tolist() == [[0.5, 0.5], [1.0, 0.0]]


def test_its_text_says_how_large_it_is():
    assert repr(dc.Channel([[0.5, 0.5]])) == "Channel(1 secrets × 2 observations)"
    assert "sparse" in repr(dc.Channel(sparse.eye_array(3)))


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0.5, 0.5], [0.5, 0.6]], r"row 1 sums to 1\.1"),
        ([[0.5, 0.4], [0.5, 0.5]], r"row 0 sums to 0\.9"),
        ([[0.5, 0.5], [0.5, 0.5 + 2e-9]], r"row 1 sums to 1\.000000002"),
        ([[1, 0], [0, 0]], "row 1 sums to 0"),
        ([[0, 1], [1.5, -0.5]], r"row 1.*negative: -0\.5"),
        ([[0, 1], [0.5, math.nan]], "row 1.*not a number: nan"),
        ([[1, 0], [0, 1], [math.inf, 0]], "row 2.*not a number: inf"),
        ([[1, 0], [-math.inf, 1]], "row 1.*not a number: -inf"),
    ],
)
def test_a_wrong_row_is_named_with_what_it_holds(storage, matrix, words):
    with pytest.raises(dc.errors.InvalidChannelError, match=words):
        dc.Channel(storage(matrix))


def test_a_wrong_row_is_named_by_its_label_too():
    with pytest.raises(dc.errors.InvalidChannelError, match=r"row 1 \('well'\) sums to 1\.1"):
        dc.Channel([[0.5, 0.5], [0.5, 0.6]], inputs=["sick", "well"])


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([], r"shape \(0,\)"),
        ([[]], r"shape \(1, 0\)"),
        ([0.5, 0.5], r"shape \(2,\)"),
        ([[[1.0]]], r"shape \(1, 1, 1\)"),
        (1.0, r"shape \(\)"),
        ([[0.5, 0.5], [1]], "rows of equal length"),
        ([["a", "b"]], "numbers"),
        (None, r"shape \(\)"),
        (sparse.csr_array((0, 3)), r"shape \(0, 3\)"),
        (sparse.csr_array((3, 0)), r"shape \(3, 0\)"),
    ],
)
def test_what_is_no_matrix_is_no_channel(matrix, words):
    with pytest.raises(dc.errors.InvalidChannelError, match=words):
        dc.Channel(matrix)


@pytest.mark.parametrize("which", ["inputs", "outputs"])
@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["a"], r"\(2\), got 1"),
        (["a", "b", "c"], r"\(2\), got 3"),
        (["a", "a"], "'a' more than once"),
        ([[1], [2]], r"hashable|\[1\]"),
        (5, "5"),
    ],
    ids=["too few", "too many", "twice", "unhashable", "no sequence"],
)
def test_labels_that_do_not_fit_are_refused(which, labels, words):
    with pytest.raises(dc.errors.InvalidChannelError, match=words) as caught:
        dc.Channel([[0.5, 0.5], [0.5, 0.5]], **{which: labels})
    assert which in str(caught.value)


@given(matrices(), st.sampled_from(STORAGES))
def test_reducing_merges_exactly_the_proportional_columns(matrix, storage):
    doubled = np.hstack([matrix / 2, np.zeros((len(matrix), 1)), matrix[:, ::-1] / 4, matrix / 4])
    C = dc.Channel(storage(doubled), outputs=[f"y{y}" for y in range(doubled.shape[1])])
    expected = np.array(slow.reduced(slow.exact(doubled)), dtype=float)
    assert dense(C.reduced()).shape == expected.shape
    assert np.allclose(dense(C.reduced()), expected, rtol=0, atol=1e-15)
    assert C.reduced().inputs == C.inputs
    assert sparse.issparse(C.reduced().matrix) == sparse.issparse(C.matrix)


def test_a_merged_column_keeps_its_first_label():
    C = dc.Channel([[0.2, 0.4, 0, 0.4], [0.1, 0.2, 0, 0.7]], outputs="abcd")
    assert C.reduced().outputs == ("a", "d")


@given(matrices())
def test_reducing_twice_is_reducing_once(matrix):
    once = dc.Channel(matrix).reduced()
    assert np.array_equal(once.reduced().matrix, once.matrix)


@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_a_column_that_excludes_a_secret_is_not_merged_with_one_that_allows_it(storage):
    # The posteriors (1, 0) and (1 - 4e-14, 4e-14) are close, but only one of them is proof.
    C = dc.Channel(storage([[0.5, 0.25, 0.25], [0.0, 1e-14, 1 - 1e-14]]))
    assert dc.ldp_epsilon(C) == dc.ldp_epsilon(C.reduced()) == math.inf


@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_columns_that_tell_slightly_different_things_are_not_merged(storage):
    near = dc.Channel(storage([[0.3, 0.3 + 1e-8, 0.4 - 1e-8], [0.2, 0.2, 0.6]]))
    assert near.reduced().shape == (2, 3)
    rounded = dc.Channel(storage([[0.1, 0.2, 0.7], [0.1 / 3, 0.2 / 3, 0.9]]))
    assert rounded.reduced().shape == (2, 2)


@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_strong_evidence_is_not_merged_with_stronger(storage):
    # The posteriors of the second secret, 2e-15 and 4e-13, are close but two hundred times apart.
    C = dc.Channel(storage([[0.5, 0.25, 0.25], [1e-15, 1e-13, 1 - 1e-15 - 1e-13]]))
    assert dc.ldp_epsilon(C.reduced()) == pytest.approx(dc.ldp_epsilon(C), rel=1e-10)
