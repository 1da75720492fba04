"""Laws of histograms when how many draws come from which law is random: against a sum over all ways."""

from fractions import Fraction

import numpy as np
import pytest

from discretion.numerics.histograms.histograms import histogram_law, histograms
from discretion.numerics.histograms.mixed_histograms import mixed_law
from discretion.numerics.laws.binomial import multinomial_pmf
from oracles import channels, shuffling

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
