"""Random small channels, priors and gains: zeros, ties and copies are common."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

SMALL = st.integers(1, 4)


@st.composite
def stochastic(draw, rows, columns):
    weights = draw(arrays.arrays(np.int64, (rows, columns), elements=st.integers(0, 7)))
    weights[weights.sum(axis=1) == 0, draw(st.integers(0, columns - 1))] = 1
    return weights / weights.sum(axis=1, keepdims=True)


@st.composite
def matrices(draw, rows=SMALL, columns=SMALL):
    return draw(stochastic(draw(rows), draw(columns)))


@st.composite
def rational_stochastic(draw, rows, columns):
    """Rows of Fractions that sum to 1."""
    weights = draw(arrays.arrays(np.int64, (rows, columns), elements=st.integers(0, 7)))
    weights[weights.sum(axis=1) == 0, draw(st.integers(0, columns - 1))] = 1
    return [[Fraction(weight, sum(row)) for weight in row] for row in weights.tolist()]


@st.composite
def rational_matrices(draw, rows=SMALL, columns=SMALL):
    return draw(rational_stochastic(draw(rows), draw(columns)))


def priors(k):
    """None, point priors and priors with zeros included."""
    points = st.integers(0, k - 1).map(lambda i: np.eye(k)[i])
    return st.one_of(st.none(), points, stochastic(1, k).map(lambda rows: rows[0]))


def gains(k, lowest=-4):
    """Gain matrices with up to three guesses, or None for identity."""
    shapes = st.tuples(st.integers(1, 3), st.just(k))
    return st.none() | arrays.arrays(np.float64, shapes, elements=st.integers(lowest, 6).map(lambda i: i / 3))


@st.composite
def problems(draw, rows=SMALL, columns=SMALL):
    """A channel matrix, a prior and a gain that fit."""
    matrix = draw(matrices(rows, columns))
    return matrix, draw(priors(len(matrix))), draw(gains(len(matrix)))
