"""Sums of many numbers on a lattice: the excess from few frequencies, and from all masses."""

import math

import numpy as np
import pytest

from discretion.numerics.laws.lattice_sums import Lattice, TiltedSum, tilted_sum

DRAWN = np.random.default_rng(7).dirichlet(np.ones(300))
PILE = np.append(0.9, 0.1 * DRAWN)
FAR = np.append(np.zeros(200), DRAWN)


def excess_by_masses(law: TiltedSum, start: int, beyond: float, step: float) -> float:
    x = beyond + step * np.arange(law.size - start)
    return math.fsum(law.masses[start:] * np.exp(-law.rate / step * x) * -np.expm1(-x))


def largest_weight(theta: float) -> float:
    return math.exp(theta * math.log(theta / (1 + theta))) / (1 + theta) if theta > 0 else 1.0


@pytest.mark.parametrize("masses", [DRAWN, PILE, FAR])
@pytest.mark.parametrize("count", [3, 100, 10_000])
@pytest.mark.parametrize("step", [1e-6, 1e-3, 0.5])
@pytest.mark.parametrize("rate", [0.0, 1e-5, 1e-3, 0.1])
def test_few_frequencies_give_the_excess_of_all_masses(masses, count: int, step: float, rate: float) -> None:
    law = tilted_sum([(Lattice(masses, -40), count)], rate)
    for place in {0, 1, law.size // 3, round(law.mean) - law.first, law.size - 2, law.size}:
        for beyond in (0.0, 0.3 * step, step):
            found = law.excess(place, beyond, step)
            assert abs(found - excess_by_masses(law, place, beyond, step)) <= law.error * largest_weight(rate / step)


def test_only_the_frequencies_that_are_not_negligible_are_kept() -> None:
    law = tilted_sum([(Lattice(DRAWN, 0), 10_000)], 1e-3)
    assert not law.keeps_digits
    assert law.law.transform.size < 100 < law.size
    assert law.masses.sum() == pytest.approx(1, abs=law.error)
    assert law.masses @ law.places == pytest.approx(law.mean, rel=1e-9)


def test_all_frequencies_are_kept_of_a_law_with_gaps() -> None:
    """A law on every second place has the same transform at the highest frequency as at 0, but for its sign."""
    gaps = np.zeros(2 * DRAWN.size - 1)
    gaps[::2] = DRAWN
    law, once = tilted_sum([(Lattice(gaps, 0), 1000)], 0.0), tilted_sum([(Lattice(DRAWN, 0), 1000)], 0.0)
    assert law.law.transform.size > law.law.period // 3
    places = dict(zip(law.places.tolist(), law.masses.tolist(), strict=True))
    expected = [places.get(2 * place, 0.0) for place in once.places.tolist()]
    assert np.abs(once.masses - expected).max() <= law.error + once.error


def test_a_sum_that_is_convolved_keeps_its_digits() -> None:
    law = tilted_sum([(Lattice(np.array([0.5, 0.5]), 0), 100)], 0.0)
    assert law.keeps_digits
    assert law.masses == pytest.approx([math.comb(100, i) / 2**100 for i in range(101)], rel=1e-12)
    assert law.mean == pytest.approx(50)
