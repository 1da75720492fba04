"""Bayes security over all pairs of rows, beside SciPy's pairwise distances."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import tacit as tc

MATRIX = np.random.default_rng(0).dirichlet(np.ones(500), size=500)
CHANNEL = tc.Channel(MATRIX)


def ours() -> float:
    """Return β* by Tacit."""
    return tc.bayes_security(CHANNEL)


def scipys() -> float:
    """Return β* by SciPy's pdist."""
    return 1 - float(pdist(MATRIX, "cityblock").max()) / 2


@pytest.mark.benchmark(group="β* of 500 × 500")
@pytest.mark.parametrize("how", [ours, scipys])
def test_all_pairs(benchmark, how) -> None:
    assert benchmark(how) == pytest.approx(scipys())
