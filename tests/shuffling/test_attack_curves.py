"""What the best attacks on one person in a crowd find: against the explicit channel, and the crowd's own measures."""

import math

import numpy as np
import pytest

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest
from support.lowering import lowered

RATES = [0.0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1.0]
SKEWED = dc.Channel([[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]])

CROWDS = {
    "one": (dc.RandomizedResponse(3, epsilon=1), 1, dc.Uninformed()),
    "two values": (dc.RandomizedResponse(2, epsilon=1), 12, dc.AllButOne([4, 7])),
    "three values": (dc.RandomizedResponse(3, epsilon=1), 9, dc.AllButOne([4, 3, 1])),
    "unknown others": (dc.RandomizedResponse(3, epsilon=2), 8, dc.Uninformed()),
    "a population": (dc.RandomizedResponse(3, epsilon=2), 8, dc.Uninformed([0.7, 0.2, 0.1])),
    "some known": (dc.RandomizedResponse(3, epsilon=1), 8, dc.PartlyInformed([2, 1, 0])),
    "one population": (dc.RandomizedResponse(2, epsilon=1), 6, dc.Exchangeable([1, 2])),
    "unlike values": (SKEWED, 7, dc.AllButOne([2, 4])),
    "no noise": (dc.RandomizedResponse(2, p=1), 5, dc.AllButOne([2, 2])),
    "loud": (dc.RandomizedResponse(2, epsilon=350), 4, dc.AllButOne([1, 2])),
    "unary": (dc.UnaryEncoding.oue(3, epsilon=1), 4, dc.AllButOne([1, 1, 1])),
}


def seen(name):
    mechanism, n, knowledge = CROWDS[name]
    return dc.Shuffled(mechanism, n).seen_by(knowledge)


@pytest.mark.parametrize("name", CROWDS)
def test_the_curve_is_that_of_the_explicit_channel(name):
    view = seen(name)
    curve, listed = dc.tradeoff(view), dc.tradeoff(view.channel())
    for rate in RATES:
        assert curve.at(rate) == pytest.approx(listed.at(rate), abs=1e-12)
    for pair in ((0, 1), (1, 0)):
        for rate in RATES:
            assert dc.tradeoff(view, pair).at(rate) == pytest.approx(
                dc.tradeoff(view.channel(), pair).at(rate), abs=1e-12
            )


@pytest.mark.parametrize("name", CROWDS)
def test_its_profile_is_that_of_the_crowd(name):
    view = seen(name)
    curve = dc.tradeoff(view)
    for epsilon in (0, 0.01, 0.3, 1, 20, math.inf):
        assert curve.delta(epsilon) == pytest.approx(dc.privacy_profile(view, epsilon), abs=1e-12)
    assert curve.bayes_security == pytest.approx(dc.bayes_security(view), abs=1e-12)


@pytest.mark.parametrize("known", [[0, 10**6 - 1], [300_000, 699_999]])
def test_a_million_people_hide_one(known):
    view = dc.Shuffled(dc.RandomizedResponse(2, epsilon=1), 10**6).seen_by(dc.AllButOne(known))
    curve = dc.tradeoff(view)
    assert isinstance(curve.at(0.01), float)
    for epsilon in (0, 1e-3, 3e-3):
        assert curve.delta(epsilon) == pytest.approx(dc.privacy_profile(view, epsilon), abs=1e-12)
    assert curve.epsilon(1e-6) == pytest.approx(dc.dp_epsilon(view, 1e-6), rel=1e-9)
    one_way, other = (dc.tradeoff(view, pair) for pair in ((0, 1), (1, 0)))
    assert curve.at(0.2) <= min(one_way.at(0.2), other.at(0.2)) <= curve.at(0.2) + 1e-9


def test_the_worst_others_are_worse_than_any():
    mechanism, n = dc.RandomizedResponse(2, epsilon=1), 8
    crowd = dc.Shuffled(mechanism, n)
    worst = dc.tradeoff(crowd.seen_by(dc.WorstAllButOne()))
    others = [dc.tradeoff(crowd.seen_by(dc.AllButOne([held, n - 1 - held]))) for held in range(n)]
    for rate in RATES:
        assert worst.at(rate) <= min(other.at(rate) for other in others) + 1e-12
    for epsilon in (0, 0.1, 0.5):
        assert worst.delta(epsilon) == pytest.approx(max(other.delta(epsilon) for other in others), abs=1e-12)
    pair = dc.tradeoff(crowd.seen_by(dc.WorstAllButOne()), (1, 0))
    one_way = [dc.tradeoff(crowd.seen_by(dc.AllButOne([held, n - 1 - held])), (1, 0)) for held in range(n)]
    assert pair.delta(0.1) == pytest.approx(max(each.delta(0.1) for each in one_way), abs=1e-12)


@pytest.mark.parametrize(("mechanism", "n"), [(dc.RandomizedResponse(3, epsilon=1), 9), (SKEWED, 6)])
def test_the_worst_of_many_kinds_of_report_are_found_by_their_profile(mechanism, n):
    view = dc.Shuffled(mechanism, n).seen_by(dc.WorstAllButOne())
    curve = dc.tradeoff(view)
    for epsilon in (0, 0.1, 0.4):
        assert curve.delta(epsilon) == dc.privacy_profile(view, epsilon)
        # No line of slope -e^ε that the profile allows is above the curve.
        for rate in (1e-3, 0.05, 0.3):
            assert curve.at(rate) >= 1 - curve.delta(epsilon) - math.exp(epsilon) * rate - 1e-12
    assert curve.bayes_security == pytest.approx(dc.bayes_security(view), abs=1e-12)
    ordered = dc.tradeoff(view, (0, 1))
    assert lowest(ordered.at(0.1)) >= highest(curve.at(0.1)) - 1e-9


@pytest.mark.long
def test_what_is_too_much_to_list_is_bounded():
    view = dc.Shuffled(dc.RandomizedResponse(4, epsilon=1), 60).seen_by(dc.AllButOne([20, 20, 10, 9]))
    exactly = dc.tradeoff(view)
    with lowered(MAX_HISTOGRAMS=100):
        again = dc.Shuffled(dc.RandomizedResponse(4, epsilon=1), 60).seen_by(dc.AllButOne([20, 20, 10, 9]))
        bounded = dc.tradeoff(again).at(0.1), dc.tradeoff(again, (0, 1)).at(0.1)
    for bound in bounded:
        assert isinstance(bound, Estimate)
        assert bound.certified
        assert bound.low - 1e-12 <= exactly.at(0.1)
    assert exactly.at(0.1) <= bounded[0].high + 1e-12


@pytest.mark.long
def test_the_worst_of_a_large_crowd_are_bounded():
    view = dc.Shuffled(dc.RandomizedResponse(3, epsilon=1), 2000).seen_by(dc.WorstAllButOne())
    found = dc.tradeoff(view).at(0.01)
    assert found.certified
    assert found.low <= dc.tradeoff(dc.Shuffled(view.mechanism, 2000).seen_by(dc.AllButOne([0, 1000, 999]))).at(0.01)
    assert dc.tradeoff(view, (0, 1)).at(0.01).certified


@pytest.mark.long
def test_where_all_others_are_alike_the_profile_says_the_curve():
    mechanism = dc.Channel(np.random.default_rng(3).dirichlet(np.ones(5), 2))
    view = dc.Shuffled(mechanism, 3000).seen_by(dc.Uninformed())
    curve = dc.tradeoff(view)
    for epsilon in (0, 0.02):
        assert float(curve.delta(epsilon)) == pytest.approx(float(dc.privacy_profile(view, epsilon)), abs=1e-12)
    assert 0 < lowest(curve.at(0.1)) <= highest(curve.at(0.1)) < 0.9


def test_values_that_nobody_has_are_refused():
    with pytest.raises(InvalidValueError, match="3 is not a secret"):
        dc.tradeoff(seen("three values"), (0, 3))
