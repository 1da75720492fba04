"""One of several channels, chosen at random."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import tacit as tc
from oracles.strategies import SMALL, matrices, stochastic


@st.composite
def mixtures(draw):
    """Two matrices with as many rows, and a weight."""
    C = draw(matrices())
    return C, draw(stochastic(C.shape[0], draw(SMALL))), draw(st.floats(0, 1))


def dense(C):
    return C.matrix.toarray() if sparse.issparse(C.matrix) else C.matrix


@given(mixtures(), st.sampled_from([np.array, sparse.csr_array]))
def test_a_choice_that_is_seen_shows_the_channel_and_what_it_puts_out(case, storage):
    C, D, w = case
    mixed = tc.visible_choice([tc.Channel(storage(C)), tc.Channel(D)], [w, 1 - w])
    assert mixed.outputs == tuple((0, y) for y in range(C.shape[1])) + tuple((1, y) for y in range(D.shape[1]))
    for (j, y), column in zip(mixed.outputs, dense(mixed).T, strict=True):
        assert np.allclose(column, (w * C, (1 - w) * D)[j][:, y], rtol=1e-15, atol=0)


@given(mixtures())
def test_what_is_hidden_is_seen_less(case):
    C, D, w = case
    D = D[:, :1] * np.eye(1, C.shape[1]) + (1 - D[:, :1]) * np.eye(1, C.shape[1], C.shape[1] - 1)
    both = [tc.Channel(C), tc.Channel(D)]
    hidden, seen = tc.hidden_choice(both, [w, 1 - w]), tc.visible_choice(both, [w, 1 - w])
    assert np.allclose(hidden.matrix, w * C + (1 - w) * D, rtol=1e-14, atol=1e-16)
    assert tc.posterior_vulnerability(hidden) <= tc.posterior_vulnerability(seen) + 1e-12
    mean = w * tc.mutual_information(both[0]) + (1 - w) * tc.mutual_information(both[1])
    assert tc.mutual_information(seen) == pytest.approx(mean, rel=1e-9, abs=1e-12)


def test_labels_are_kept():
    C = tc.Channel([[1, 0], [0, 1]], inputs=["sick", "well"], outputs=["+", "-"])
    D = tc.Channel([[0, 1], [1, 0]])
    for parts in ([C, D], [D, C]):
        assert tc.hidden_choice(parts, [0.5, 0.5]).inputs == ("sick", "well")
        assert tc.hidden_choice(parts, [0.5, 0.5]).outputs == ("+", "-")
    assert tc.visible_choice([D, C], [0.5, 0.5]).outputs == ((0, 0), (0, 1), (1, "+"), (1, "-"))


def test_mechanisms_can_be_chosen():
    mixed = tc.visible_choice([tc.RandomizedResponse(3, p=0.5), tc.UnaryEncoding.oue(3, epsilon=1)], [0.5, 0.5])
    assert mixed.shape == (3, 11)


@pytest.mark.parametrize(
    ("channels", "weights", "error", "words"),
    [
        ([], [], tc.errors.InvalidChannelError, "at least one channel"),
        ([np.eye(2)], [0.5, 0.5], tc.errors.InvalidPriorError, r"one per channel \(1\), got 2"),
        ([np.eye(2), np.eye(2)], [0.5, 0.6], tc.errors.InvalidPriorError, "sum to 1"),
        ([np.eye(2), np.eye(3)], [0.5, 0.5], tc.errors.InvalidChannelError, r"inputs \(2\).*\(3\)"),
    ],
    ids=["none", "too many weights", "no distribution", "other inputs"],
)
@pytest.mark.parametrize("choice", [tc.visible_choice, tc.hidden_choice])
def test_what_cannot_be_mixed_is_refused(choice, channels, weights, error, words):
    with pytest.raises(error, match=words):
        choice([tc.Channel(matrix) for matrix in channels], weights)


def test_other_outputs_and_labels_cannot_be_hidden():
    with pytest.raises(tc.errors.InvalidChannelError, match=r"outputs \(2\).*\(1\)"):
        tc.hidden_choice([tc.Channel(np.eye(2)), tc.Channel([[1], [1]])], [0.5, 0.5])
    one, other = (tc.Channel(np.eye(2), inputs=names) for names in (["a", "b"], ["b", "a"]))
    with pytest.raises(tc.errors.InvalidChannelError, match="'a' and 'b' at position 0"):
        tc.visible_choice([one, tc.Channel(np.eye(2)), other], [0.2, 0.3, 0.5])
    with pytest.raises(tc.errors.UnsupportedError, match=r"tacit\.Channel"):
        tc.visible_choice([np.eye(2)], [1])
