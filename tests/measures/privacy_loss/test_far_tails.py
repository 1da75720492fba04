"""δ down to the least doubles and ε beyond the logarithm of the largest, against logarithms to sixty digits."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from discretion.mechanisms import Exponential
from oracles import adversaries as slow
from oracles.promise import exactly

ORDERS = [1e-8, 0.3, 0.5, 0.999, 1.0, 2.0, 32.0, 1e4, 1e8, math.inf]


def exponential_rows(scores, rate):
    """The exponential mechanism to sixty digits; the rate is ε/(2Δ)."""
    weights = [[slow.power(rate * score) for score in row] for row in scores]
    return [[weight / sum(row) for weight in row] for row in weights]


def supporting_rows(channel, epsilon):
    """A channel with two different entries, at another ε: the larger is e^ε times the smaller."""
    likely, ratio = channel.matrix > 1.01 * channel.matrix.min(), slow.power(epsilon)
    rows = [[ratio if entry else Fraction(1) for entry in row] for row in likely.tolist()]
    return [[weight / sum(row) for weight in row] for row in rows]


def unary_rows(k, own, other):
    """Unary encoding bit by bit: the own bit is 1 with one probability, every other with another."""
    bits = list(np.ndindex(*[2] * k))
    chances = [[own if bit == value else other for bit in range(k)] for value in range(k)]
    return [
        [math.prod(p if bit else 1 - p for p, bit in zip(row, report, strict=True)) for report in bits]
        for row in chances
    ]


def sigmoid(epsilon):
    odds = slow.power(epsilon)
    return odds / (1 + odds)


HALF = Fraction(1, 2)
LOUD = {
    **{
        f"{make(1.0)} at {epsilon}": (make(epsilon), supporting_rows(make(1.0).channel(), epsilon))
        for epsilon in (710.0, 745.0, 1000.0)
        for make in (
            lambda epsilon: dc.RandomizedResponse(2, epsilon=epsilon),
            lambda epsilon: dc.RandomizedResponse(4, epsilon=epsilon),
            lambda epsilon: dc.SubsetSelection(4, epsilon=epsilon, size=2),
            lambda epsilon: dc.SubsetSelection(3, epsilon=epsilon, size=1),
            lambda epsilon: dc.LocalHashing(3, epsilon=epsilon, g=3),
            lambda epsilon: dc.HadamardResponse(3, epsilon=epsilon),
        )
    },
    "rappor": (dc.UnaryEncoding.rappor(2, epsilon=900), unary_rows(2, sigmoid(450), 1 - sigmoid(450))),
    "oue": (dc.UnaryEncoding.oue(3, epsilon=900), unary_rows(3, HALF, 1 - sigmoid(900))),
    "blh": (dc.UnaryEncoding.blh(3, epsilon=900), unary_rows(3, sigmoid(900), HALF)),
    "exponential": (Exponential([[0, 1600], [1600, 0]], epsilon=1), exponential_rows([[0, 1600], [1600, 0]], 0.5)),
    "exponential, three answers": (
        Exponential([[0, 5, 900], [1600, 7, 0], [3, 1, 2]], epsilon=1),
        exponential_rows([[0, 5, 900], [1600, 7, 0], [3, 1, 2]], 0.5),
    ),
}
each_loud = pytest.mark.parametrize(("mechanism", "rows"), LOUD.values(), ids=LOUD.keys())


def log_of(fraction):
    with localcontext() as context:
        context.prec = 60
        return (Decimal(fraction.numerator) / Decimal(fraction.denominator)).ln()


@each_loud
def test_the_profile_where_ratios_overflow(mechanism, rows):
    most = dc.ldp_epsilon(mechanism)
    assert most == exactly(slow.renyi_divergence(*max(ordered(rows), key=largest_ratio), math.inf))
    for epsilon in (0.0, 1.0, most / 2, most - 5, most - 0.745, most - 1e-3, most, most + 1, math.inf):
        expected = 0 if math.isinf(epsilon) else slow.privacy_profile(rows, slow.power(epsilon))
        assert dc.privacy_profile(mechanism, epsilon) == exactly(expected)


def ordered(rows):
    return [(rows[a], rows[b]) for a, b in slow.ordered_pairs(rows)]


def largest_ratio(pair):
    return max(p / q for p, q in zip(*pair, strict=True))


@pytest.mark.long
@each_loud
@pytest.mark.parametrize("order", ORDERS)
def test_the_renyi_divergence_where_ratios_overflow(mechanism, rows, order):
    expected = max(slow.renyi_divergence(p, q, order) for p, q in ordered(rows))
    assert dc.renyi_dp(mechanism, order) == exactly(expected)


@each_loud
@pytest.mark.parametrize("delta", [0.3, 1e-3, 1e-12, 1e-100, 1e-300])
def test_epsilon_is_where_the_profile_meets_delta(mechanism, rows, delta):
    epsilon = dc.dp_epsilon(mechanism, delta)
    slack = max(1e-10 * epsilon, 1e-12)
    assert slow.privacy_profile(rows, slow.power(epsilon + slack)) <= Fraction(delta)
    assert epsilon == 0 or slow.privacy_profile(rows, slow.power(max(0.0, epsilon - slack))) >= Fraction(delta)


def test_a_laplace_mechanism_of_epsilon_1000():
    for delta in (0.1, 1e-3, 1e-100, 1e-300):
        # Between 0 and Δ, δ(ε) = 1 - exp((ε - Δ/λ)/2).
        assert dc.dp_epsilon(dc.Laplace(0.001), delta) == exactly(1000 + 2 * log_of(1 - Fraction(delta)))


@pytest.mark.parametrize("sigma", [10.0, 1.0, 0.03, 0.01, 1e-4])
@pytest.mark.parametrize("delta", [0.3, 1e-6, 1e-30, 1e-300])
def test_gaussian_noise_of_any_size(sigma, delta):
    mp = pytest.importorskip("mpmath")
    epsilon = dc.dp_epsilon(dc.Gaussian(sigma), delta)
    with mp.workdps(400):
        mu = 1 / mp.mpf(sigma)

        def profile(x):
            return mp.ncdf(mu / 2 - x / mu) - mp.exp(x) * mp.ncdf(-mu / 2 - x / mu)

        slack = max(mp.mpf(1e-10) * epsilon, mp.mpf(1e-12))
        assert profile(epsilon + slack) <= delta
        assert epsilon == 0 or profile(epsilon - slack) >= delta


def test_a_channel_whose_ratios_are_beyond_what_a_double_holds():
    channel = dc.Channel([[1.0, 1e-310], [1e-310, 1.0]])
    logarithm = -log_of(Fraction(1e-310))
    for delta in (0.1, 1e-3):
        assert dc.dp_epsilon(channel, delta) == exactly(logarithm + log_of(1 - Fraction(delta)))
    assert dc.renyi_dp(channel, math.inf) == exactly(logarithm)


@pytest.mark.parametrize("delta", [2e-308, 1e-318, 1e-322, 5e-324])
def test_a_delta_without_all_its_digits_has_an_epsilon_between_bounds(delta):
    found = dc.dp_epsilon(dc.Gaussian(0.3), delta)
    assert isinstance(found, dc.Estimate)
    assert found.certified
    assert found.low == dc.dp_epsilon(dc.Gaussian(0.3), 2.2250738585072014e-308)
    assert found.high == math.inf
    assert dc.dp_epsilon(dc.Laplace(0.5), delta) == exactly(2)


def response_epsilon(epsilon, delta):
    """``ε(δ) = ε + ln(1 - δ (1 + e^-ε))`` of randomized response between two values, to sixty digits."""
    with localcontext() as context:
        context.prec = 60
        left = 1 - Decimal(delta) * (1 + (-Decimal(epsilon)).exp())
        return float(max(Decimal(0), Decimal(epsilon) + left.ln())) if left > 0 else 0.0


INVERSES = {
    "the measure": lambda epsilon, delta: dc.dp_epsilon(dc.RandomizedResponse(2, epsilon=epsilon), delta),
    "the curve": lambda epsilon, delta: dc.tradeoff(dc.RandomizedResponse(2, epsilon=epsilon)).epsilon(delta),
    "the guarantee": lambda epsilon, delta: dc.security.tradeoff_of_dp(epsilon).epsilon(delta),
    "a pair": lambda epsilon, delta: max(
        dc.tradeoff(dc.RandomizedResponse(2, epsilon=epsilon), pair=pair).epsilon(delta) for pair in ((0, 1), (1, 0))
    ),
    "beside nothing": lambda epsilon, delta: dc.tradeoff(
        dc.RandomizedResponse(2, epsilon=epsilon) & dc.Channel([[1.0], [1.0]])
    ).epsilon(delta),
}


@pytest.mark.parametrize("way", INVERSES)
@pytest.mark.parametrize("epsilon", [0.5, 30.0, 700.0, 725.0, 740.0, 745.0, 800.0, 1000.0, 1e4])
def test_epsilon_of_any_delta_is_as_exact_where_a_lie_is_too_rare_for_a_double(way, epsilon):
    for delta in (1e-300, 1e-12, 1e-5, 0.5, 1 - 1e-6, 1 - 1e-12):
        assert INVERSES[way](epsilon, delta) == exactly(response_epsilon(epsilon, delta))


@pytest.mark.parametrize("epsilon", [300.0, 745.0, 1500.0])
@pytest.mark.parametrize("delta", [1e-30, 0.3, 0.9, 1 - 1e-9])
def test_epsilon_of_several_uses_is_that_of_all_telling_the_truth(epsilon, delta):
    """Where lies are next to impossible, n answers all tell the truth: ε(δ) is as of one with n ε."""
    truth = pytest.approx(response_epsilon(epsilon, delta), rel=1e-9)
    systems = [
        dc.repeated(dc.RandomizedResponse(2, epsilon=epsilon / 3), 3),
        dc.RandomizedResponse(2, epsilon=epsilon / 2) & dc.RandomizedResponse(2, epsilon=epsilon / 2),
        dc.repeated(dc.Channel([[1 - 2**-50, 2**-50], [2**-50, 1 - 2**-50]]), 30),
    ]
    for system in systems[:2]:
        assert float(dc.dp_epsilon(system, delta)) == truth
        assert float(dc.tradeoff(system).epsilon(delta)) == truth
    many = 30 * math.log(2**50 - 1)
    # Some of these 30 lie with a probability of 3e-14.
    assert dc.tradeoff(systems[2]).epsilon(delta) == pytest.approx(response_epsilon(many, delta), abs=1e-4)
    assert dc.tradeoff(systems[2]).delta(many - 1) == pytest.approx(-math.expm1(-1), rel=1e-6)
