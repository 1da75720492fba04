"""Channels one after the other, and side by side."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
from oracles import channels as slow
from oracles.strategies import SMALL, matrices, stochastic

STORAGES = st.sampled_from([np.array, sparse.csr_array])


def dense(C):
    return C.matrix.toarray() if sparse.issparse(C.matrix) else C.matrix


@st.composite
def pairs(draw, share):
    """Two matrices: the second has as many rows as the first has columns, or as it has rows."""
    C = draw(matrices())
    return C, draw(stochastic(C.shape[share], draw(SMALL)))


@given(pairs(share=1), STORAGES, STORAGES)
def test_a_cascade_multiplies(both, first, second):
    C, D = both
    whole = dc.Channel(first(C)) >> dc.Channel(second(D))
    expected = np.array(slow.cascade(slow.exact(C), slow.exact(D)), dtype=float)
    assert np.allclose(dense(whole), expected, rtol=1e-15, atol=1e-16)
    assert np.array_equal(dense(dc.cascade(dc.Channel(C), dc.Channel(D))), dense(dc.Channel(C) >> dc.Channel(D)))


@given(pairs(share=0), STORAGES, STORAGES)
def test_side_by_side_probabilities_multiply(both, first, second):
    C, D = both
    whole = dc.Channel(first(C)) & dc.Channel(second(D))
    expected = np.array(slow.parallel(slow.exact(C), slow.exact(D)), dtype=float)
    assert np.allclose(dense(whole), expected, rtol=1e-15, atol=1e-16)
    assert whole.outputs == tuple((y, z) for y in range(C.shape[1]) for z in range(D.shape[1]))
    assert np.array_equal(dense(dc.parallel(dc.Channel(C), dc.Channel(D))), dense(dc.Channel(C) & dc.Channel(D)))


@given(st.data())
def test_cascades_are_associative(data):
    C = data.draw(matrices())
    D = data.draw(stochastic(C.shape[1], data.draw(SMALL)))
    E = data.draw(stochastic(D.shape[1], data.draw(SMALL)))
    C, D, E = map(dc.Channel, (C, D, E))
    assert np.allclose(((C >> D) >> E).matrix, (C >> (D >> E)).matrix, rtol=0, atol=1e-15)


def test_a_cascade_goes_from_the_first_inputs_to_the_last_outputs():
    C = dc.Channel(np.eye(2), inputs=["sick", "well"], outputs=["+", "-"])
    D = dc.Channel([[0.5, 0.5, 0], [0, 0.5, 0.5]], inputs=["+", "-"], outputs=["low", "middle", "high"])
    assert (C >> D).inputs == ("sick", "well")
    assert (C >> D).outputs == ("low", "middle", "high")


def test_an_unlabelled_side_fits_any_labels():
    plain, named = dc.Channel(np.eye(2)), dc.Channel(np.eye(2), inputs=["a", "b"], outputs=["c", "d"])
    assert (plain >> named).outputs == ("c", "d")
    assert (named >> plain).inputs == ("a", "b")
    assert (plain & named).inputs == (named & plain).inputs == ("a", "b")


def test_labels_must_agree_in_order():
    C = dc.Channel(np.eye(2), inputs=["a", "b"], outputs=["+", "-"])
    with pytest.raises(dc.errors.InvalidChannelError, match=r"'\+' and '-' at position 0"):
        C >> dc.Channel(np.eye(2), inputs=["-", "+"])
    with pytest.raises(dc.errors.InvalidChannelError, match="'b' and 'c' at position 1"):
        C & dc.Channel(np.eye(2), inputs=["a", "c"])


def test_sizes_must_agree():
    with pytest.raises(dc.errors.InvalidChannelError, match=r"\(2\).*\(3\)"):
        dc.Channel(np.eye(2)) >> dc.Channel(np.eye(3))
    with pytest.raises(dc.errors.InvalidChannelError, match=r"\(2\).*\(3\)"):
        dc.Channel(np.eye(2)) & dc.Channel(np.eye(3))


@pytest.mark.parametrize("other", [[[1, 0], [0, 1]], 3, None])
def test_a_channel_composes_with_channels_only(other):
    with pytest.raises(TypeError):
        dc.Channel(np.eye(2)) >> other
    with pytest.raises(TypeError):
        dc.Channel(np.eye(2)) & other
    for compose in (dc.cascade, dc.parallel):
        with pytest.raises(TypeError, match="Channel"):
            compose(dc.Channel(np.eye(2)), other)


def test_valid_channels_compose_even_at_the_edge_of_what_is_valid():
    C = dc.Channel([[0.5, 0.5 + 9e-10], [0.5, 0.5]])
    assert (C & C).shape == (2, 4)
    assert (C >> C).shape == (2, 2)
