"""At an average privacy S no mechanism has an effective participation above 1 - S, where the theorem holds."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st

import discretion as dc
from information.answers import lowest
from oracles import design as slow, local_information
from oracles.population_laws import law_of
from oracles.promise import exactly
from oracles.strategies import stochastic

ALPHAS = [0.1, 0.5, 0.9, 1.0]


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("k", [2, pytest.param(3, marks=pytest.mark.long)])
def test_honest_or_silent_is_on_the_frontier(k, alpha):
    population = dc.Dirichlet([alpha] * k)
    for privacy in (0.01, 0.5, 0.97):
        design = dc.optimal_mechanism(k, min_average_privacy=privacy, population=population)
        matrix = design.mechanism.dense()
        assert local_information.average_privacy(matrix, law_of(population)) == pytest.approx(privacy, rel=1e-9)
        participation = local_information.effective_participation(matrix, law_of(population))
        assert participation == pytest.approx(1 - privacy, rel=1e-8)
        truth = dc.information.asymptotic_utility(dc.RandomizedResponse(k, epsilon=math.inf), population)
        assert design.value == exactly(truth + math.log(1 - privacy) / 2)
        assert [kind.weight for kind in design.kinds] == [exactly(1 - privacy), exactly(privacy)]


@pytest.mark.long
@settings(max_examples=60)
@given(st.data(), st.sampled_from(ALPHAS))
def test_no_channel_is_above_the_frontier(data, alpha):
    channel = dc.Channel(data.draw(stochastic(2, data.draw(st.integers(2, 4)))))
    population = dc.Dirichlet([alpha] * 2)
    assume(dc.information.is_faithful(channel))
    participation = dc.information.effective_participation(channel, population, rng=1)
    assert lowest(participation) <= 1 - dc.information.average_privacy(channel, population) + 1e-9


@pytest.mark.long
@pytest.mark.parametrize("alpha", ALPHAS)
def test_no_column_has_more_of_the_chi_square_than_of_the_leak(alpha):
    # What the theorem comes to, by a quadrature over populations: the proof integrates over a single variable.
    rng, population = np.random.default_rng(1), dc.Dirichlet([alpha] * 3)
    columns = [rng.gamma(shape, size=3) for shape in (0.1, 0.5, 2, 30) for _ in range(6)]
    columns += [[1, t, t] for t in (1e-6, 1e-3, 0.3)] + [[1, 1, t] for t in (1e-6, 1e-3, 0.3)]
    for column in columns:
        chi_square, leak = slow.shares_of_truth(np.array(column, dtype=float), law_of(population))
        assert chi_square <= leak * (1 + 1e-9)
    chi_square, leak = slow.shares_of_truth(np.array([1.0, 0, 0]), law_of(population))
    assert chi_square == pytest.approx(leak, rel=1e-9)


@pytest.mark.parametrize("k", [3, 4, 7])
def test_the_inequality_of_the_first_step_holds_for_any_numbers(k):
    rng = np.random.default_rng(k)
    for scale, _ in itertools.product((0.01, 0.3, 2), range(200)):
        d = rng.normal(size=k) * scale
        d -= d.mean()
        pairs = [abs(one - other) for one, other in itertools.combinations(d, 2)]
        parts = [((math.exp(-(k - 1) * gap) + (k - 1) * math.exp(gap)) / k - 1) / (k - 1) for gap in pairs]
        assert np.exp(-k * d).mean() - 1 >= math.fsum(parts) * (1 - 1e-9) - 1e-13


@pytest.mark.long
@pytest.mark.parametrize("alpha", [[2.0, 2.0], [1.0, 2.0]])
def test_under_other_laws_a_mechanism_is_above_it(alpha):
    population = dc.Dirichlet(alpha)
    # A little noise on every answer is better than silence, and so is silence that depends on the value.
    above = [
        dc.optimal_mechanism(2, min_average_privacy=privacy, population=population, rng=1).mechanism
        for privacy in (0.3, 0.9)
    ]
    law = law_of(population)
    for mechanism in above:
        matrix = mechanism.channel().dense()
        privacy = local_information.average_privacy(matrix, law)
        assert local_information.effective_participation(matrix, law) > (1 - privacy) * 1.01


@pytest.mark.long
def test_a_million_values_have_an_optimum():
    design = dc.optimal_mechanism(10**6, min_average_privacy=0.9)
    assert design.mechanism.shape == (10**6, 10**6 + 1)
    truth = dc.information.asymptotic_utility(dc.RandomizedResponse(10**6, epsilon=math.inf))
    assert design.value == exactly(truth + math.log(0.1) / 2)
