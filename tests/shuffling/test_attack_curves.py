"""What the best attacks on one person in a crowd find: against the explicit channel, and the crowd's own measures."""

import math

import numpy as np
import pytest

import tacit as tc
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate, highest, lowest
from tacit.limits import Limits, within

RATES = [0.0, 1e-6, 0.01, 0.1, 0.5, 0.9, 1.0]
SKEWED = tc.Channel([[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]])

CROWDS = {
    "one": (tc.RandomizedResponse(3, epsilon=1), 1, tc.Uninformed()),
    "two values": (tc.RandomizedResponse(2, epsilon=1), 12, tc.AllButOne([4, 7])),
    "three values": (tc.RandomizedResponse(3, epsilon=1), 9, tc.AllButOne([4, 3, 1])),
    "unknown others": (tc.RandomizedResponse(3, epsilon=2), 8, tc.Uninformed()),
    "a population": (tc.RandomizedResponse(3, epsilon=2), 8, tc.Uninformed([0.7, 0.2, 0.1])),
    "some known": (tc.RandomizedResponse(3, epsilon=1), 8, tc.PartlyInformed([2, 1, 0])),
    "one population": (tc.RandomizedResponse(2, epsilon=1), 6, tc.Exchangeable([1, 2])),
    "unlike values": (SKEWED, 7, tc.AllButOne([2, 4])),
    "no noise": (tc.RandomizedResponse(2, p=1), 5, tc.AllButOne([2, 2])),
    "loud": (tc.RandomizedResponse(2, epsilon=350), 4, tc.AllButOne([1, 2])),
    "unary": (tc.UnaryEncoding.oue(3, epsilon=1), 4, tc.AllButOne([1, 1, 1])),
}


def seen(name):
    mechanism, n, knowledge = CROWDS[name]
    return tc.Shuffled(mechanism, n).seen_by(knowledge)


@pytest.mark.parametrize("name", CROWDS)
def test_the_curve_is_that_of_the_explicit_channel(name):
    view = seen(name)
    curve, listed = tc.tradeoff(view), tc.tradeoff(view.channel())
    for rate in RATES:
        assert curve.at(rate) == pytest.approx(listed.at(rate), abs=1e-12)
    for pair in ((0, 1), (1, 0)):
        for rate in RATES:
            assert tc.tradeoff(view, pair).at(rate) == pytest.approx(
                tc.tradeoff(view.channel(), pair).at(rate), abs=1e-12
            )


@pytest.mark.parametrize("name", CROWDS)
def test_its_profile_is_that_of_the_crowd(name):
    view = seen(name)
    curve = tc.tradeoff(view)
    for epsilon in (0, 0.01, 0.3, 1, 20, math.inf):
        assert curve.delta(epsilon) == pytest.approx(tc.privacy_profile(view, epsilon), abs=1e-12)
    assert curve.bayes_security == pytest.approx(tc.bayes_security(view), abs=1e-12)


@pytest.mark.parametrize("known", [[0, 10**6 - 1], [300_000, 699_999]])
def test_a_million_people_hide_one(known):
    view = tc.Shuffled(tc.RandomizedResponse(2, epsilon=1), 10**6).seen_by(tc.AllButOne(known))
    curve = tc.tradeoff(view)
    assert isinstance(curve.at(0.01), float)
    for epsilon in (0, 1e-3, 3e-3):
        assert curve.delta(epsilon) == pytest.approx(tc.privacy_profile(view, epsilon), abs=1e-12)
    assert curve.epsilon(1e-6) == pytest.approx(tc.dp_epsilon(view, 1e-6), rel=1e-9)
    one_way, other = (tc.tradeoff(view, pair) for pair in ((0, 1), (1, 0)))
    assert curve.at(0.2) <= min(one_way.at(0.2), other.at(0.2)) <= curve.at(0.2) + 1e-9


def test_the_worst_others_are_worse_than_any():
    mechanism, n = tc.RandomizedResponse(2, epsilon=1), 8
    crowd = tc.Shuffled(mechanism, n)
    worst = tc.tradeoff(crowd.seen_by(tc.WorstAllButOne()))
    others = [tc.tradeoff(crowd.seen_by(tc.AllButOne([held, n - 1 - held]))) for held in range(n)]
    for rate in RATES:
        assert worst.at(rate) <= min(other.at(rate) for other in others) + 1e-12
    for epsilon in (0, 0.1, 0.5):
        assert worst.delta(epsilon) == pytest.approx(max(other.delta(epsilon) for other in others), abs=1e-12)
    pair = tc.tradeoff(crowd.seen_by(tc.WorstAllButOne()), (1, 0))
    one_way = [tc.tradeoff(crowd.seen_by(tc.AllButOne([held, n - 1 - held])), (1, 0)) for held in range(n)]
    assert pair.delta(0.1) == pytest.approx(max(each.delta(0.1) for each in one_way), abs=1e-12)


@pytest.mark.parametrize(("mechanism", "n"), [(tc.RandomizedResponse(3, epsilon=1), 9), (SKEWED, 6)])
def test_the_worst_of_many_kinds_of_report_are_found_by_their_profile(mechanism, n):
    view = tc.Shuffled(mechanism, n).seen_by(tc.WorstAllButOne())
    curve = tc.tradeoff(view)
    for epsilon in (0, 0.1, 0.4):
        assert curve.delta(epsilon) == tc.privacy_profile(view, epsilon)
        # No line of slope -e^ε that the profile allows is above the curve.
        for rate in (1e-3, 0.05, 0.3):
            assert curve.at(rate) >= 1 - curve.delta(epsilon) - math.exp(epsilon) * rate - 1e-12
    assert curve.bayes_security == pytest.approx(tc.bayes_security(view), abs=1e-12)
    ordered = tc.tradeoff(view, (0, 1))
    assert lowest(ordered.at(0.1)) >= highest(curve.at(0.1)) - 1e-9


def test_what_is_too_much_to_list_is_bounded():
    view = tc.Shuffled(tc.RandomizedResponse(4, epsilon=1), 60).seen_by(tc.AllButOne([20, 20, 10, 9]))
    exactly = tc.tradeoff(view)
    with within(Limits(most_histograms=100)):
        again = tc.Shuffled(tc.RandomizedResponse(4, epsilon=1), 60).seen_by(tc.AllButOne([20, 20, 10, 9]))
        bounded = tc.tradeoff(again).at(0.1), tc.tradeoff(again, (0, 1)).at(0.1)
    for bound in bounded:
        assert isinstance(bound, Estimate)
        assert bound.certified
        assert bound.low - 1e-12 <= exactly.at(0.1)
    assert exactly.at(0.1) <= bounded[0].high + 1e-12


@pytest.mark.long
def test_the_worst_of_a_large_crowd_are_bounded():
    view = tc.Shuffled(tc.RandomizedResponse(3, epsilon=1), 2000).seen_by(tc.WorstAllButOne())
    found = tc.tradeoff(view).at(0.01)
    assert found.certified
    assert found.low <= tc.tradeoff(tc.Shuffled(view.mechanism, 2000).seen_by(tc.AllButOne([0, 1000, 999]))).at(0.01)
    assert tc.tradeoff(view, (0, 1)).at(0.01).certified


@pytest.mark.long
def test_where_all_others_are_alike_the_profile_says_the_curve():
    mechanism = tc.Channel(np.random.default_rng(3).dirichlet(np.ones(5), 2))
    view = tc.Shuffled(mechanism, 3000).seen_by(tc.Uninformed())
    curve = tc.tradeoff(view)
    for epsilon in (0, 0.02):
        assert float(curve.delta(epsilon)) == pytest.approx(float(tc.privacy_profile(view, epsilon)), abs=1e-12)
    assert 0 < lowest(curve.at(0.1)) <= highest(curve.at(0.1)) < 0.9


def test_values_that_nobody_has_are_refused():
    with pytest.raises(InvalidValueError, match="3 is not a secret"):
        tc.tradeoff(seen("three values"), (0, 3))
