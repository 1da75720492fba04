"""Channels of fractions stay exact as long as everything that they are put together with is."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
from oracles import channels as slow
from oracles.strategies import SMALL, rational_matrices, rational_stochastic

THIRD = Fraction(1, 3)
HALVES = dc.Channel([[Fraction(1, 2), Fraction(1, 2)], [1, 0]])


def in_fractions(C):
    """The rows of a channel, which must not hold anything else than fractions."""
    rows = C.matrix.tolist()
    assert {type(entry) for row in rows for entry in row} == {Fraction}
    return rows


@given(rational_matrices())
def test_what_is_given_is_kept(rows):
    for given_as in (rows, np.array(rows, dtype=object), [tuple(row) for row in rows]):
        C = dc.Channel(given_as)
        assert in_fractions(C) == rows
        assert C.dense().dtype == np.float64
        assert C.dense().tolist() == [[float(entry) for entry in row] for row in rows]


def test_whole_numbers_may_be_among_the_fractions_and_doubles_may_not():
    assert in_fractions(dc.Channel([[Fraction(1, 2), Fraction(1, 2)], [1, 0]])) == [[Fraction(1, 2)] * 2, [1, 0]]
    assert in_fractions(dc.Channel([[Fraction(1), np.int64(0)]])) == [[1, 0]]
    for doubles in ([[THIRD, 2 * THIRD], [0.5, 0.5]], [[1, 0], [0, 1]], np.eye(2, dtype=int)):
        assert dc.Channel(doubles).matrix.dtype == np.float64


def test_what_is_given_away_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        HALVES.matrix[0, 0] = Fraction(1)
    assert "exact" in repr(HALVES)


@given(st.data())
def test_what_is_composed_of_fractions_is_of_fractions(data):
    C = data.draw(rational_matrices())
    D = data.draw(rational_stochastic(len(C[0]), data.draw(SMALL)))
    E = data.draw(rational_stochastic(len(C), len(C[0])))
    w = data.draw(st.fractions(0, 1))
    first, after, beside = map(dc.Channel, (C, D, E))
    assert in_fractions(first >> after) == slow.cascade(C, D)
    assert in_fractions(first & beside) == slow.parallel(C, E)
    parts = [[[share * entry for entry in row] for row in rows] for share, rows in ((w, C), (1 - w, E))]
    shown = [a + b for a, b in zip(*parts, strict=True)]
    assert in_fractions(dc.visible_choice([first, beside], [w, 1 - w])) == shown
    hidden = [[x + y for x, y in zip(a, b, strict=True)] for a, b in zip(*parts, strict=True)]
    assert in_fractions(dc.hidden_choice([first, beside], [w, 1 - w])) == hidden
    assert in_fractions((first & beside).reduced()) == slow.reduced(slow.parallel(C, E))
    assert in_fractions(dc.restricted(first, [len(C) - 1])) == [C[-1]]


def test_columns_merge_only_if_their_posteriors_are_equal():
    tiny = Fraction(1, 10**30)
    C = dc.Channel(
        [
            [Fraction(1, 4), Fraction(1, 4), Fraction(1, 2)],
            [Fraction(1, 4), Fraction(1, 4) + tiny, Fraction(1, 2) - tiny],
        ]
    )
    assert C.reduced().shape == (2, 3)
    assert dc.Channel(C.dense()).reduced().shape == (2, 1)


@pytest.mark.parametrize("other", [np.array([[0.5, 0.5], [0.25, 0.75]]), sparse.csr_array([[0.5, 0.5], [0.25, 0.75]])])
def test_with_doubles_fractions_become_doubles(other):
    D = dc.Channel(other)
    weights = [THIRD, 1 - THIRD]
    mixed = [HALVES >> D, D >> HALVES, HALVES & D, D & HALVES]
    for choice in (dc.visible_choice, dc.hidden_choice):
        mixed += [choice([HALVES, D], weights), choice([HALVES, HALVES], [0.5, 0.5]), choice([D, D], weights)]
    assert {np.asarray(C.dense()).dtype for C in mixed} == {np.dtype(np.float64)}
    assert not any(C.matrix.dtype == np.object_ for C in mixed)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[1, 0], [THIRD, THIRD]], "exactly 1, and row 1 sums to 2/3"),
        ([[1, 0], [THIRD, 1 - THIRD + Fraction(1, 10**30)]], "row 1 sums to 1000000000000000000000000000001/1"),
        ([[THIRD, 1 - THIRD], [Fraction(-1, 2), Fraction(3, 2)]], r"row 1 .*negative: -1/2"),
        ([[THIRD, 1 - THIRD], [1]], "rows of equal length"),
        ([THIRD, 1 - THIRD], r"shape \(2,\)"),
        (THIRD, r"shape \(\)"),
    ],
)
def test_what_is_no_channel_is_refused(rows, words):
    with pytest.raises(dc.errors.InvalidChannelError, match=words):
        dc.Channel(rows)


def test_the_label_of_a_wrong_row_is_named():
    with pytest.raises(dc.errors.InvalidChannelError, match=r"row 1 \('well'\)"):
        dc.Channel([[THIRD, 1 - THIRD], [THIRD, THIRD]], inputs=["sick", "well"])


def test_weights_of_fractions_sum_to_1_exactly():
    with pytest.raises(dc.errors.InvalidPriorError, match="weights of fractions must sum to exactly 1"):
        dc.hidden_choice([HALVES, HALVES], [THIRD, 1 - THIRD + Fraction(1, 10**12)])
