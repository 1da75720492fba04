"""What one observation leaks at most: by its definition, its law, and under a prior that is only estimated."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.errors import InvalidPriorError, InvalidValueError
from discretion.estimate import Estimate, highest
from discretion.measures import pointwise_maximal_leakage
from oracles.promise import exactly
from oracles.strategies import matrices, priors

LEVELS = [0, 0.1, 0.5, 0.9, 1]


def leaks(matrix, law):
    """By double loops: what each observation leaks, and how likely it is."""
    for y in range(matrix.shape[1]):
        seen = sum(p * matrix[x, y] for x, p in enumerate(law))
        largest = max(matrix[x, y] for x, p in enumerate(law) if p)
        yield (math.log(largest / seen) if seen else 0.0), seen


@given(matrices(), st.data())
def test_it_is_its_definition_and_so_is_its_law(matrix, data):
    prior = data.draw(priors(len(matrix)))
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else prior
    found = pointwise_maximal_leakage(dc.Channel(matrix), prior)
    expected = list(leaks(matrix, law))
    assert found.leakages == pytest.approx(np.array([leak for leak, _ in expected]), abs=1e-12)
    assert found.confidence is None
    for threshold in (-1, 0.05, 0.3, 0.7, math.inf):
        tail = sum(seen for leak, seen in expected if leak > threshold)
        assert found.tail(threshold) == exactly(tail)


@given(matrices(), st.data())
def test_a_level_is_the_least_that_is_exceeded_no_oftener(matrix, data):
    found = pointwise_maximal_leakage(dc.Channel(matrix), data.draw(priors(len(matrix))))
    for delta in LEVELS:
        level = found.level(delta)
        assert level == 0 or level in found.leakages
        assert found.tail(level) <= delta
        assert level == 0 or found.tail(math.nextafter(level, 0)) > delta


@given(matrices(), st.data())
def test_on_average_it_is_maximal_leakage_and_no_guess_improves_by_more(matrix, data):
    prior = data.draw(priors(len(matrix)))
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else prior
    C = dc.Channel(matrix)
    found = pointwise_maximal_leakage(C, prior)
    marginal = law @ matrix
    assert marginal @ np.exp(found.leakages) == exactly(math.exp(dc.measures.sibson_information(C, math.inf, prior)))
    gain = np.array([[1, 0, 0.5, 2][: len(law)], [0, 1, 1, 0][: len(law)]])
    before = (gain @ law).max()
    for y in np.flatnonzero(marginal):
        after = (gain @ (law * matrix[:, y])).max() / marginal[y]
        assert after <= before * math.exp(found.leakages[y]) * (1 + 1e-12)


def test_from_counts_it_is_no_less_than_for_any_prior_between_their_limits():
    matrix = np.array([[0.7, 0.2, 0.1, 0], [0.1, 0.8, 0.1, 0], [0.2, 0.2, 0.2, 0.4]])
    counts = [60, 30, 10]
    found = pointwise_maximal_leakage(dc.Channel(matrix, outputs="abcd"), counts=counts, confidence=0.9)
    assert (found.outputs, found.confidence) == (("a", "b", "c", "d"), 0.9)
    own = pointwise_maximal_leakage(dc.Channel(matrix), [0.6, 0.3, 0.1])
    assert (found.leakages >= own.leakages).all()
    tail, level = found.tail(0.3), found.level(0.2)
    assert isinstance(tail, Estimate)
    assert (tail.confidence, tail.low) == (0.9, 0)
    assert tail.high >= own.tail(0.3)
    assert highest(found.tail(level.high)) <= 0.2
    # Ten times as many people say more.
    more = pointwise_maximal_leakage(dc.Channel(matrix), counts=[600, 300, 100], confidence=0.9)
    assert (own.leakages <= more.leakages).all()
    assert (more.leakages < found.leakages).all()


def test_the_least_probability_of_an_observation_is_that_of_the_worst_prior_between_the_limits():
    rng = np.random.default_rng(0)
    counts = np.array([12, 5, 3])
    from discretion.numerics.laws.binomial_limits import limits_of_parts

    low, high = limits_of_parts(counts, 20, 0.05)
    # A corner: all but one secret at a limit, and that one takes the rest.
    corners = []
    for free in range(3):
        others = [x for x in range(3) if x != free]
        for ends in itertools.product(*[(low[x], high[x]) for x in others]):
            law = np.zeros(3)
            law[others] = ends
            law[free] = 1 - law.sum()
            if low[free] - 1e-12 <= law[free] <= high[free] + 1e-12:
                corners.append(law)
    for _ in range(20):
        matrix = rng.dirichlet(np.ones(4), size=3)
        found = pointwise_maximal_leakage(dc.Channel(matrix), counts=counts)
        least = np.min([law @ matrix for law in corners], axis=0)
        assert np.exp(-found.leakages) * matrix.max(axis=0) == pytest.approx(least, rel=1e-9)
        above = found.leakages > 0.4
        most = max(law @ matrix[:, above].sum(axis=1) for law in corners)
        assert found.tail(0.4).high == pytest.approx(most, rel=1e-9)


@pytest.mark.long
def test_limits_from_counts_hold_as_often_as_they_say():
    rng = np.random.default_rng(0)
    law = np.array([0.5, 0.3, 0.15, 0.05])
    C = dc.Channel(rng.dirichlet(np.ones(6), size=4))
    own = pointwise_maximal_leakage(C, law)
    missed = 0
    for _ in range(500):
        found = pointwise_maximal_leakage(C, counts=rng.multinomial(40, law), confidence=0.8)
        held = (found.leakages >= own.leakages).all() and all(
            highest(found.tail(t)) >= own.tail(t) - 1e-12 for t in (0.2, 0.5)
        )
        missed += not held
    assert missed <= 100


def test_what_has_no_meaning_is_refused():
    C = dc.Channel([[0.9, 0.1], [0.2, 0.8]])
    for counts in ([1, 2, 3], [1, -1], [0, 0], [0.5, 1], ["a", 1], [math.nan, 1]):
        with pytest.raises(InvalidPriorError, match="counts must be"):
            pointwise_maximal_leakage(C, counts=counts)
    with pytest.raises(InvalidValueError, match="got both"):
        pointwise_maximal_leakage(C, [0.5, 0.5], counts=[1, 2])
    with pytest.raises(InvalidValueError, match="confidence"):
        pointwise_maximal_leakage(C, counts=[1, 2], confidence=1)
    found = pointwise_maximal_leakage(C)
    with pytest.raises(InvalidValueError, match="threshold"):
        found.tail("much")
    with pytest.raises(InvalidValueError, match="delta"):
        found.level(2)
