"""Histograms: all of them, and their laws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discretion.numerics.histograms import histograms as kernel
from discretion.numerics.laws import binomial
from oracles import channels, shuffling


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_all_histograms_those_with_most_on_the_first_outcome_first(n, m):
    listed = [tuple(row) for row in kernel.histograms(n, m).tolist()]
    expected = sorted((h for h in itertools.product(range(n + 1), repeat=m) if sum(h) == n), reverse=True)
    assert listed == expected
    assert kernel.histogram_count(n, m) == len(expected)


ROWS = np.array([[0.5, 0.25, 0.25], [0.0, 0.75, 0.25], [1.0, 0.0, 0.0]])


@pytest.mark.parametrize("counts", [(0, 0, 0), (1, 0, 0), (0, 2, 0), (2, 1, 2), (0, 3, 1), (4, 0, 1)])
def test_the_histogram_of_draws_from_several_laws(counts):
    values = [x for x, count in enumerate(counts) for _ in range(count)]
    expected = shuffling.reported_histograms(channels.exact(ROWS), values)
    law = kernel.histogram_law(counts, ROWS)
    assert law.shape == (sum(counts) + 1,) * 2
    for places in np.ndindex(*law.shape):
        h = (*places, sum(counts) - sum(places))
        assert law[places] == pytest.approx(float(expected.get(h, 0)), rel=1e-13, abs=0)


def test_one_more_draw():
    law = kernel.add_draw(kernel.histogram_law((2, 1), ROWS[:2]), ROWS[0])
    assert np.allclose(law, kernel.histogram_law((3, 1), ROWS[:2]), rtol=1e-13, atol=0)


@pytest.mark.parametrize("alpha", [(0.5, 0.5), (1, 2, 0.25), (1e-8, 1e-8), (3e-7, 1e8)])
def test_the_law_of_draws_from_a_dirichlet_law_is_an_urn(alpha):
    n = 4
    listed = kernel.histograms(n, len(alpha))
    for h in listed:
        rising = math.prod(Fraction(a) + i for a, count in zip(alpha, h.tolist(), strict=True) for i in range(count))
        total = math.prod(Fraction(sum(alpha)) + i for i in range(n))
        ways = math.factorial(n) // math.prod(math.factorial(count) for count in h.tolist())
        assert kernel.dirichlet_multinomial_pmf(h, np.array(alpha)) == pytest.approx(
            float(ways * rising / total), rel=1e-13
        )


def test_a_certain_population_is_no_urn():
    counts, weight = np.array([30, 10]), 2.0**60
    assert kernel.dirichlet_multinomial_pmf(counts, weight * np.array([0.75, 0.25])) == pytest.approx(
        float(binomial.multinomial_pmf(counts, [0.75, 0.25])), rel=1e-12
    )
