"""Laws of privacy losses on a grid: they bracket the true one, closely also where mass piles up in a few cells."""

import math

import numpy as np
import pytest

from discretion.measures.privacy_loss.losses import GridLaw, dominated_law, dominating_law
from discretion.mechanisms.noise.gaussian_losses import GaussianLosses
from discretion.mechanisms.noise.laplace import LaplaceLosses

STEPS = [1e-4, 1e-3, 0.01, 0.1, 0.7]
LOSSES = [
    *(
        GaussianLosses(1 / sigma, rate, backwards)
        for sigma, rate in [(0.05, 0.01), (0.1, 0.001), (0.4, 0.01), (0.5, 0.002), (1, 0.1), (0.3, 0.9), (4, 0.5)]
        for backwards in (False, True)
    ),
    GaussianLosses(2.0),
    LaplaceLosses(1.3),
]


def excess(law: GridLaw, epsilon: float) -> float:
    losses = law.offset + law.step * (law.lattice.first + np.arange(law.lattice.masses.size))
    return law.infinite - float(law.lattice.masses @ np.expm1(np.minimum(epsilon - losses, 0.0)))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("losses", LOSSES, ids=repr)
def test_a_grid_brackets_the_true_law(losses: GaussianLosses | LaplaceLosses, step: float) -> None:
    least, largest = losses.reach(1e-9)
    if largest - least > 3e5 * step:
        step = (largest - least) / 3e5
    less, more = dominated_law(losses, step, 1e-15), dominating_law(losses, step, 1e-15)
    assert less.lattice.masses.min() >= 0 <= more.lattice.masses.min()
    for law in (less, more):
        assert math.isclose(law.lattice.masses.sum() + law.infinite + law.lost, 1, rel_tol=1e-12)
    for epsilon in np.concatenate([[0.0], np.geomspace(1e-4, max(1e-3, largest), 40)]):
        truth = losses.excess(epsilon)
        assert excess(less, epsilon) <= truth + 1e-13 + 1e-8 * step
        assert truth <= excess(more, epsilon) + 1e-13 + 1e-8 * step


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize(("sigma", "rate"), [(0.5, 0.002), (0.4, 0.01), (0.8, 1e-4), (0.3, 0.05), (0.1, 0.01)])
def test_what_is_merged_next_to_a_pile_keeps_its_mean_loss(sigma: float, rate: float, backwards: bool) -> None:
    losses = GaussianLosses(1 / sigma, rate, backwards)

    def mean(law: GridLaw) -> float:
        places = law.lattice.first + np.arange(law.lattice.masses.size)
        return float(law.lattice.masses @ (law.offset + law.step * places))

    for step in (1e-4, 1e-3):
        merged = mean(dominating_law(losses, step, 1e-15)) - mean(dominated_law(losses, step, 1e-15))
        assert -1e-13 <= merged + 1e-9 * step < 0.3 * step * step + 2e-9 * step


@pytest.mark.parametrize("backwards", [False, True])
def test_the_cell_in_which_losses_start_has_the_other_laws_mass_at_its_own_edge(backwards: bool) -> None:
    sigma, rate = 0.5, 0.1
    losses = GaussianLosses(1 / sigma, rate, backwards)
    edges = losses.anchor + np.array([-0.03, -0.01, 0.02, 0.3])

    y = np.linspace(-14, 16, 3_000_001)
    absent, present = (np.exp(-((y - shift) ** 2) / 2) * (y[1] - y[0]) / math.sqrt(2 * math.pi) for shift in (0, 2))
    loss = np.log1p(rate * np.expm1(y / sigma - 1 / sigma**2 / 2)) * (-1 if backwards else 1)
    other = (1 - rate) * absent + rate * present if backwards else absent
    found = losses.cells(edges)
    for edge, end, scaled in zip(edges, [*edges[1:], math.inf], found.scaled_p, strict=True):
        mass = other[(edge <= loss) & (loss < end)].sum()
        assert math.isclose(scaled, math.exp(edge) * mass, rel_tol=1e-4, abs_tol=1e-9)
