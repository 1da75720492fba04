"""A mixture from which no law is far: those in it are all as far from it, and no other is further."""

import numpy as np
import pytest

from discretion.numerics.distances.information_radius import central_weights
from oracles.capacity import divergences

RNG = np.random.default_rng(0)
LAWS = {
    "three on a line": np.array([[0.9, 0.1], [0.5, 0.5], [0.1, 0.9]]),
    "random": RNG.dirichlet(np.ones(30), size=20),
    "sparse": RNG.dirichlet(np.full(50, 0.05), size=40),
    "twice": np.vstack([RNG.dirichlet(np.ones(9), size=6)] * 2),
    "nearly alike": 0.999 * RNG.dirichlet(np.ones(9)) + 0.001 * RNG.dirichlet(np.ones(9), size=12),
    "one": np.array([[0.25, 0.75]]),
    "apart": np.eye(7),
    "a column that none has": np.hstack([np.eye(3), np.zeros((3, 1))]),
}


@pytest.mark.parametrize("within", [1e-4, 1e-10])
@pytest.mark.parametrize("laws", LAWS.values(), ids=LAWS)
def test_no_law_is_further_from_the_mixture_than_those_in_it(laws, within):
    weights = central_weights(laws, within)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1, abs=1e-13)
    told = divergences(laws, weights @ laws)
    assert max(told) <= weights @ told + within + 1e-14


def test_what_rounding_does_not_let_it_reach_it_comes_close_to():
    laws = LAWS["random"]
    told = divergences(laws, central_weights(laws, 0.0) @ laws)
    assert max(told) <= central_weights(laws, 0.0) @ told + 1e-12
