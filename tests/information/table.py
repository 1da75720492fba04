"""Local protocols with laws of the population, for every generic property: a new one is one more line."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import discretion as dc
from oracles.population_laws import law_of
from oracles.strategies import stochastic


@dataclass(frozen=True)
class Case:
    system: Any
    population: Any

    @cached_property
    def matrix(self):
        return np.array(self.system.channel().matrix)

    @cached_property
    def law(self):
        return law_of(self.population or dc.Dirichlet.jeffreys(len(self.matrix)))

    @property
    def continuous(self):
        return not isinstance(self.population, dc.PointMixture)

    @property
    def faithful(self):
        return np.linalg.matrix_rank(self.matrix) == len(self.matrix)


BLOCKS = np.array([[1, 0, 0], [0, 2 / 3, 1 / 3], [0, 1 / 3, 2 / 3]])
TWO_POINTS = dc.PointMixture([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125]], [0.25, 0.75])
THREE_POINTS = dc.PointMixture([[1, 0, 0], [0, 0.5, 0.5], [0.25, 0.25, 0.5]], [0.25, 0.25, 0.5])

_CASES = {
    "GRR(2, 1)": (dc.RandomizedResponse(2, epsilon=1), None),
    "GRR(3, 2)": (dc.RandomizedResponse(3, epsilon=2), None),
    "GRR(3, 0.1) Dirichlet(.3, 1, 4)": (dc.RandomizedResponse(3, epsilon=0.1), dc.Dirichlet([0.3, 1, 4])),
    "GRR(3, 8) Dirichlet(1, 1, 1)": (dc.RandomizedResponse(3, epsilon=8), dc.Dirichlet([1, 1, 1])),
    "GRR(3, inf)": (dc.RandomizedResponse(3, epsilon=math.inf), None),
    "GRR(3, 0)": (dc.RandomizedResponse(3, epsilon=0), None),
    "GRR(3, 1) two points": (dc.RandomizedResponse(3, epsilon=1), TWO_POINTS),
    "GRR(3, inf) three points": (dc.RandomizedResponse(3, epsilon=math.inf), THREE_POINTS),
    "RAPPOR(2, 2)": (dc.UnaryEncoding.rappor(2, epsilon=2), None),
    "OUE(2, 1) Dirichlet(2, 5)": (dc.UnaryEncoding.oue(2, epsilon=1), dc.Dirichlet([2, 5])),
    "UE(2, 1, 0.3)": (dc.UnaryEncoding(2, kappa=1, lam=0.3), None),
    "BLH(2, 3) points": (dc.UnaryEncoding.blh(2, epsilon=3), dc.PointMixture([[0.1, 0.9], [0.8, 0.2]], [0.5, 0.5])),
    "channel 2×3": (dc.Channel([[0.5, 0.25, 0.25], [0, 0.75, 0.25]]), dc.Dirichlet([0.5, 1.5])),
    "channel 3×4": (dc.Channel([[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.3, 0.1, 0.5, 0.1]]), None),
    "channel 3×3 with zeros": (dc.Channel(BLOCKS), dc.Dirichlet([1, 1, 1])),
    "channel 3×3 three points": (dc.Channel([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0, 0.5, 0.5]]), THREE_POINTS),
    "channel 3×2": (dc.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]]), dc.Dirichlet([2, 0.5, 1])),
    "channel that merges": (dc.Channel([[1, 0], [1, 0], [0, 1]]), None),
    "channel that merges, uneven": (dc.Channel([[0, 1], [1, 0], [0, 1]]), dc.Dirichlet([0.3, 1, 4])),
    "channel that merges, three points": (dc.Channel([[1, 0], [1, 0], [0, 1]]), THREE_POINTS),
    "channel that merges to the rounding": (dc.Channel([[0.1 + 0.2, 0.7], [0.3, 0.7], [0.75, 0.25]]), None),
    "hash and response": (dc.Channel(np.eye(2)[[0, 1, 0]]) >> dc.RandomizedResponse(2, epsilon=1), None),
    "channel that says nothing": (dc.Channel([[0.3, 0.7]] * 3), None),
}

CASES = [pytest.param(Case(*pair), id=name) for name, pair in _CASES.items()]
CONTINUOUS = [param for param in CASES if param.values[0].continuous]
FAITHFUL = [param for param in CONTINUOUS if param.values[0].faithful]


TWO_OR_THREE, UP_TO_FOUR, THREE_OR_FOUR = st.integers(2, 3), st.integers(1, 4), st.integers(3, 4)


@st.composite
def populations(draw, k, continuous=False):
    """Dirichlet laws of all shapes, and finite mixtures with certain values among their points."""
    alphas = st.lists(st.sampled_from([0.3, 0.5, 1.0, 2.5]), min_size=k, max_size=k)
    if continuous or draw(st.booleans()):
        return dc.Dirichlet(draw(alphas))
    points = draw(stochastic(draw(st.integers(2, 3)), k))
    return dc.PointMixture(points, draw(stochastic(1, len(points)))[0])


@st.composite
def problems(draw, values=TWO_OR_THREE, reports=UP_TO_FOUR, continuous=False):
    """A channel and a law of the population that fit."""
    k = draw(values)
    return Case(dc.Channel(draw(stochastic(k, draw(reports)))), draw(populations(k, continuous)))


def faithful_problems(values=TWO_OR_THREE, reports=THREE_OR_FOUR):
    """Those of full rank, by a margin, with a continuous law: what asymptotic utility is for."""
    return problems(values, reports, continuous=True).filter(
        lambda case: np.linalg.svd(case.matrix, compute_uv=False)[-1] > 1e-3
    )
