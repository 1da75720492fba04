"""Histograms: all of them, and their laws."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from discretion.numerics.histograms import histograms as kernel
from discretion.numerics.histograms.histograms import histogram_law, histograms, mixed_law
from discretion.numerics.laws import binomial
from discretion.numerics.laws.binomial import multinomial_pmf
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


LAWS = {
    "two outcomes": [[0.5, 0.5], [0.25, 0.75], [1.0, 0.0]],
    "three outcomes": [[0.5, 0.25, 0.25], [0.0, 0.75, 0.25], [0.125, 0.125, 0.75], [1.0, 0.0, 0.0]],
    "one outcome": [[1.0], [1.0]],
}


@pytest.mark.parametrize("laws", LAWS)
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("draws", [0, 1, 2, 4])
def test_it_is_the_mean_over_which_laws_are_drawn_from(laws, k, draws):
    rows = np.array(LAWS[laws][:k])
    held = histograms(draws, len(rows)).tolist()
    weights = [[Fraction(1 + (7 * i + j) % 5, 2) for i in range(len(held))] for j in range(2)]
    found = mixed_law(draws, rows, np.array(weights, dtype=np.float64))
    assert found.shape == (2,) + (draws + 1,) * (rows.shape[1] - 1)
    for law, mixture in zip(found, weights, strict=True):
        expected = dict.fromkeys(map(tuple, histograms(draws, rows.shape[1]).tolist()), Fraction(0))
        for counts, weight in zip(held, mixture, strict=True):
            values = [x for x, count in enumerate(counts) for _ in range(count)]
            for h, mass in shuffling.reported_histograms(channels.exact(rows), values).items():
                expected[h] += weight * mass
        for h, mass in expected.items():
            assert law[h[:-1]] == pytest.approx(float(mass), rel=1e-14, abs=0)
        assert law.sum() == pytest.approx(float(sum(expected.values())), rel=1e-14)


def test_draws_from_a_known_mixture_are_draws_from_its_mean():
    # Who draws a law at random first and then an outcome draws from the mean law: to every digit of every tail.
    rows, shares, draws = np.array([[0.75, 0.25], [0.125, 0.875]]), np.array([0.25, 0.75]), 700
    law = mixed_law(draws, rows, multinomial_pmf(histograms(draws, 2), shares)[None])[0]
    expected = histogram_law((draws,), shares[None] @ rows)
    assert np.allclose(law, expected, rtol=1e-11, atol=1e-290)
