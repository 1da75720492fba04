"""What reports reveal of the respondents' own tally, held against everybody's value enumerated."""

from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from discretion.errors import InvalidValueError, TooLargeError, UnsupportedError
from oracles.posterior import Enumerated
from oracles.promise import exactly
from support.lowering import lowered

CHANNELS = {
    "asymmetric": [[0.7, 0.2, 0.1], [0.15, 0.8, 0.05], [0.3, 0.1, 0.6]],
    "excluding": [[0.5, 0.5, 0.0, 0.0], [0.0, 0.25, 0.5, 0.25], [0.25, 0.0, 0.0, 0.75]],
    "a report of nothing": [[0.5, 0.25, 0.25], [0.5, 0.125, 0.375]],
    "nothing at all": [[0.5, 0.5], [0.5, 0.5]],
}
PRIORS = {2: [[8, 1], [0.5, 2]], 3: [[8, 1, 1], [0.5, 1, 2]]}


def enumerated(matrix, counts, laws):
    """The probability of each tally, in Fractions: every component's terms, each weighted."""
    law, total = {}, Fraction(0)
    for weight, alpha in laws:
        for term, tally in Enumerated(matrix, counts, alpha).terms:
            law[tuple(tally)] = law.get(tuple(tally), 0) + Fraction(weight) * term
            total += Fraction(weight) * term
    return {tally: mass / total for tally, mass in law.items()}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("of", ["one law", "a mixture"])
@pytest.mark.parametrize("channel", CHANNELS)
def test_the_law_of_the_tally_is_that_of_everybody_s_value_enumerated(channel, of):
    matrix = np.array(CHANNELS[channel])
    k, outputs = matrix.shape
    rows = PRIORS[k] if of == "a mixture" else PRIORS[k][:1]
    weights = [0.25, 0.75] if of == "a mixture" else [1]
    prior = dc.DirichletMixture(rows, weights) if of == "a mixture" else dc.Dirichlet(rows[0])
    counts = np.arange(outputs) % 3 + 1
    posterior = dc.information.tally_posterior(dc.Channel(matrix), counts, prior)
    law = enumerated(matrix, counts, zip(weights, rows, strict=True))
    assert posterior.n == counts.sum()
    for tally, probability in zip(posterior.tallies.tolist(), posterior.probabilities, strict=True):
        assert probability == exactly(law.get(tuple(tally), Fraction(0)))
    mean = [sum(p * t[x] for t, p in law.items()) for x in range(k)]
    for x in range(k):
        assert posterior.mean[x] == exactly(mean[x])
        expected = [sum(p for t, p in law.items() if t[x] == held) for held in range(posterior.n + 1)]
        assert posterior.marginal(x) == pytest.approx([float(p) for p in expected], rel=1e-10, abs=1e-14)
        for z in range(k):
            covariance = sum(p * t[x] * t[z] for t, p in law.items()) - mean[x] * mean[z]
            assert posterior.covariance[x, z] == pytest.approx(float(covariance), rel=1e-9, abs=1e-12)


def test_shares_given_the_tally_have_the_mean_of_the_population_s_posterior():
    # E P = (α + E T)/(A + n), and the shares of the respondents are known better than those of the population.
    system, counts, alpha = dc.RandomizedResponse(3, epsilon=1), [20, 11, 9], np.array([0.5, 1, 2])
    respondents = dc.information.tally_posterior(system, counts, dc.Dirichlet(alpha))
    population = dc.frequency_posterior(system, counts, dc.Dirichlet(alpha))
    assert (alpha + respondents.mean) / (alpha.sum() + 40) == pytest.approx(population.mean, rel=1e-10)
    assert (respondents.covariance.diagonal() / 43.5**2 < population.covariance.diagonal()).all()


def test_the_truth_is_the_tally():
    posterior = dc.information.tally_posterior(dc.RandomizedResponse(2, p=1), [10**6, 3])
    assert posterior.tallies.tolist() == [[10**6, 3]]
    assert posterior.covariance.tolist() == [[0, 0], [0, 0]]


def test_no_reports_have_the_empty_tally():
    assert dc.information.tally_posterior(dc.RandomizedResponse(2, p=0.7), [0, 0]).marginal(0).tolist() == [1]


def test_what_has_no_sum_is_refused():
    response = dc.RandomizedResponse(2, p=0.7)
    with pytest.raises(UnsupportedError, match="PointMixture"):
        dc.information.tally_posterior(response, [1, 2], dc.PointMixture([[0.5, 0.5]], [1]))
    with pytest.raises(InvalidValueError, match="counts"):
        dc.information.tally_posterior(response, [1, -2])
    with lowered(MAX_POSTERIOR_TERMS=1), pytest.raises(TooLargeError, match="3 respondents"):
        dc.information.tally_posterior(response, [1, 2])


def test_a_billion_truthful_reports_are_not_listed_number_by_number():
    posterior = dc.information.tally_posterior(dc.RandomizedResponse(2, p=1), [9 * 10**8, 0])
    assert posterior.mean.tolist() == [9e8, 0]
    with pytest.raises(TooLargeError, match="read the tallies"):
        posterior.marginal(0)
