"""One of several channels, chosen at random."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
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
    mixed = dc.visible_choice([dc.Channel(storage(C)), dc.Channel(D)], [w, 1 - w])
    assert mixed.outputs == tuple((0, y) for y in range(C.shape[1])) + tuple((1, y) for y in range(D.shape[1]))
    for (j, y), column in zip(mixed.outputs, dense(mixed).T, strict=True):
        assert np.allclose(column, (w * C, (1 - w) * D)[j][:, y], rtol=1e-15, atol=0)


@given(mixtures())
def test_what_is_hidden_is_seen_less(case):
    C, D, w = case
    D = D[:, :1] * np.eye(1, C.shape[1]) + (1 - D[:, :1]) * np.eye(1, C.shape[1], C.shape[1] - 1)
    both = [dc.Channel(C), dc.Channel(D)]
    hidden, seen = dc.hidden_choice(both, [w, 1 - w]), dc.visible_choice(both, [w, 1 - w])
    assert np.allclose(hidden.matrix, w * C + (1 - w) * D, rtol=1e-14, atol=1e-16)
    assert dc.posterior_vulnerability(hidden) <= dc.posterior_vulnerability(seen) + 1e-12
    mean = w * dc.mutual_information(both[0]) + (1 - w) * dc.mutual_information(both[1])
    assert dc.mutual_information(seen) == pytest.approx(mean, rel=1e-9, abs=1e-12)


def test_labels_are_kept():
    C = dc.Channel([[1, 0], [0, 1]], inputs=["sick", "well"], outputs=["+", "-"])
    D = dc.Channel([[0, 1], [1, 0]])
    for parts in ([C, D], [D, C]):
        assert dc.hidden_choice(parts, [0.5, 0.5]).inputs == ("sick", "well")
        assert dc.hidden_choice(parts, [0.5, 0.5]).outputs == ("+", "-")
    assert dc.visible_choice([D, C], [0.5, 0.5]).outputs == ((0, 0), (0, 1), (1, "+"), (1, "-"))


def test_mechanisms_can_be_chosen():
    mixed = dc.visible_choice([dc.RandomizedResponse(3, p=0.5), dc.UnaryEncoding.oue(3, epsilon=1)], [0.5, 0.5])
    assert mixed.shape == (3, 11)


@pytest.mark.parametrize(
    ("channels", "weights", "error", "words"),
    [
        ([], [], dc.errors.InvalidChannelError, "at least one channel"),
        ([np.eye(2)], [0.5, 0.5], dc.errors.InvalidPriorError, r"one per channel \(1\), got 2"),
        ([np.eye(2), np.eye(2)], [0.5, 0.6], dc.errors.InvalidPriorError, "sum to 1"),
        ([np.eye(2), np.eye(3)], [0.5, 0.5], dc.errors.InvalidChannelError, r"inputs \(2\).*\(3\)"),
    ],
    ids=["none", "too many weights", "no distribution", "other inputs"],
)
@pytest.mark.parametrize("choice", [dc.visible_choice, dc.hidden_choice])
def test_what_cannot_be_mixed_is_refused(choice, channels, weights, error, words):
    with pytest.raises(error, match=words):
        choice([dc.Channel(matrix) for matrix in channels], weights)


def test_other_outputs_and_labels_cannot_be_hidden():
    with pytest.raises(dc.errors.InvalidChannelError, match=r"outputs \(2\).*\(1\)"):
        dc.hidden_choice([dc.Channel(np.eye(2)), dc.Channel([[1], [1]])], [0.5, 0.5])
    one, other = (dc.Channel(np.eye(2), inputs=names) for names in (["a", "b"], ["b", "a"]))
    with pytest.raises(dc.errors.InvalidChannelError, match="'a' and 'b' at position 0"):
        dc.visible_choice([one, dc.Channel(np.eye(2)), other], [0.2, 0.3, 0.5])
    with pytest.raises(dc.errors.UnsupportedError, match=r"discretion\.Channel"):
        dc.visible_choice([np.eye(2)], [1])
