"""The curve of an attack by its scores: its band, how often all of it holds, and what is no list of scores."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import discretion as dc
from discretion.blackbox import estimate_tradeoff
from discretion.errors import InvalidValueError

RATES = np.array([0, 1e-4, 1e-3, 0.01, 0.05, 0.2, 0.5, 0.9, 0.99, 0.999])


def holds(curve, truth):
    """Whether a curve is within the band at all rates."""
    ends = [curve.at(rate) for rate in RATES]
    return all(end.low - 1e-12 <= missed <= end.high + 1e-12 for end, missed in zip(ends, truth, strict=True))


def scores(rng, n, m, shift=1.0):
    return rng.normal(size=n), rng.normal(size=m) + shift


def test_a_band_holds_the_best_test_of_two_normal_laws():
    truth = norm.sf(1 - norm.isf(RATES))
    rng = np.random.default_rng(7)
    assert sum(holds(estimate_tradeoff(*scores(rng, 200, 300), confidence=0.8), truth) for _ in range(50)) >= 40


@pytest.mark.long
@pytest.mark.parametrize("kind", ["normal", "ties", "all alike"])
def test_a_band_misses_no_more_often_than_it_says(kind):
    rng = np.random.default_rng(8)
    draw = {
        "normal": lambda: scores(rng, 60, 90),
        "ties": lambda: (rng.binomial(3, 0.4, 60), rng.binomial(3, 0.6, 90)),
        "all alike": lambda: (np.zeros(60), np.zeros(90)),
    }[kind]
    binomials = np.array(
        [math.comb(3, i) * np.array([0.4, 0.6]) ** i * np.array([0.6, 0.4]) ** (3 - i) for i in range(4)]
    )
    curve = {
        "normal": lambda: norm.sf(1 - norm.isf(RATES)),
        "ties": lambda: [dc.tradeoff(dc.Channel(binomials.T), (0, 1)).at(rate) for rate in RATES],
        "all alike": lambda: 1 - RATES,
    }[kind]()
    missed = sum(not holds(estimate_tradeoff(*draw(), confidence=0.5), curve) for _ in range(400))
    assert missed <= 0.5 * 400 + 3 * math.sqrt(100)


def test_each_end_of_the_band_is_that_of_one_threshold_or_of_a_mixture_of_two():
    # Of three scores each, with a threshold above 1: 1/3 of the innocent are accused, 2/3 of the guilty found.
    curve = estimate_tradeoff([0.0, 1.0, 2.0], [1.0, 2.0, 3.0], confidence=0.9)
    assert curve.at(0).value == pytest.approx(2 / 3)
    assert curve.at(1 / 3).value == pytest.approx(1 / 3)
    assert curve.at(1 / 6).value == pytest.approx(1 / 2)
    assert curve.true_positive_rate(1 / 3).value == pytest.approx(2 / 3)
    assert curve.advantage.value == pytest.approx(1 / 3)
    assert curve.advantage.confidence == 0.9


def test_more_scores_tell_more_also_where_few_are_accused():
    rng = np.random.default_rng(9)
    few, many = (estimate_tradeoff(*scores(rng, n, n)) for n in (300, 30_000))
    for rate in (1e-3, 0.1, 0.5):
        found = [curve.true_positive_rate(rate) for curve in (few, many)]
        assert found[1].high - found[1].low < found[0].high - found[0].low
    # The distance of laws alone, ±√(log(80)/(2·30000)) at least, says nothing at a rate of 1e-3.
    assert many.true_positive_rate(1e-3).low > 0.003
    assert many.epsilon(1e-3).low > 1
    assert many.gaussian_mu(0.01).low < 1 < many.gaussian_mu(0.01).high


def test_infinite_scores_are_the_surest():
    curve = estimate_tradeoff([-np.inf] * 500, [np.inf] * 500)
    assert curve.at(0.05).high < 0.05
    assert curve.advantage.low > 0.85


WRONG = {
    "nobody guilty": (([1.0], []), "y is empty"),
    "nobody innocent": (([], [1.0]), "x is empty"),
    "rows": (([[1.0, 2.0]], [1.0]), "make one score of each output"),
    "texts": ((["a"], [1.0]), "x must be scores"),
    "NaN": (([1.0], [math.nan]), "NaN"),
    "a confidence of 1": (([1.0], [1.0], 1.0), "confidence must be in"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name):
    given, said = WRONG[name]
    with pytest.raises(InvalidValueError, match=said):
        estimate_tradeoff(*given)


def test_scores_that_are_lower_of_the_guilty_are_noted_and_turned_round():
    innocent, guilty = scores(np.random.default_rng(11), 5000, 5000, shift=2.0)
    right = estimate_tradeoff(innocent, guilty)
    wrong = estimate_tradeoff(-innocent, -guilty)
    assert right.note is None
    assert wrong.advantage.high < 0.1 < right.advantage.low
    assert 'larger="x"' in wrong.note
    assert wrong.note in wrong.to_markdown().replace("\\", "")
    assert wrong.note.split(":")[0] in wrong.to_html()
    turned = estimate_tradeoff(-innocent, -guilty, larger="x")
    assert turned.note is None
    assert [turned.at(rate) for rate in RATES] == [right.at(rate) for rate in RATES]
    assert 'larger="y"' in estimate_tradeoff(innocent, guilty, larger="x").note


@pytest.mark.long
def test_scores_that_tell_nothing_are_noted_no_more_often_than_the_confidence_allows():
    rng = np.random.default_rng(12)
    noted = sum(estimate_tradeoff(*scores(rng, 50, 50, 0.0), confidence=0.8).note is not None for _ in range(300))
    assert noted <= 0.2 * 300


def test_another_side_than_x_or_y_is_refused():
    with pytest.raises(InvalidValueError, match='larger must be "x" or "y"'):
        estimate_tradeoff([1.0], [2.0], larger="z")
