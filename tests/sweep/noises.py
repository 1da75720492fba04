"""Noise added to a number: continuous by the law of the loss, discrete by its rows."""

from collections.abc import Iterator
from typing import Any

from oracles import mechanism_rows, noise_pairs, rows as exact
from sweep.draws import Draw
from sweep.measures import about
from sweep.question import DIGITS, Call, Question, call, mpmath

mpf = mpmath.mpf


def questions(draw: Draw) -> Iterator[Question]:
    return draw.either(_gaussian, _laplace, _geometric, _discrete_gaussian)(draw)


def _gaussian(draw: Draw) -> Iterator[Question]:
    ratio, sensitivity = draw.either(draw.scale(1e-6, 300), draw.scale(0.01, 30)), draw.scale(1e-3, 1e3)
    sigma = sensitivity / ratio
    pair = noise_pairs.Gaussian(mpf(sensitivity) / mpf(sigma))
    return _of_two(draw, call("Gaussian", sigma, sensitivity), pair)


def _laplace(draw: Draw) -> Iterator[Question]:
    ratio, sensitivity = draw.either(draw.scale(1e-8, 1e4), draw.scale(0.01, 30)), draw.scale(1e-3, 1e3)
    scale = sensitivity / ratio
    with mpmath.workdps(DIGITS):
        pair = noise_pairs.Laplace(mpf(sensitivity) / mpf(scale))
    return _of_two(draw, call("Laplace", scale, sensitivity), pair)


def _of_two(draw: Draw, system: Call, pair: Any) -> Iterator[Question]:
    prior, gain = draw.distribution(2), draw.gain(2)
    epsilon, order = draw.either(draw.epsilon(), float(pair.r) * draw.between(0, 3)), draw.order()
    delta = draw.delta() or 0.5
    with mpmath.workdps(DIGITS):
        law = exact.exactly(prior)

    def question(name: str, truth: Any, *given: Any, **named: Any) -> Question:
        return Question(call(name, system, *given, **named), truth)

    yield question(
        "posterior_vulnerability",
        lambda: pair.posterior_vulnerability(law, gain),
        prior=prior,
        gain=call("gain_matrix", gain),
    )
    yield question("bayes_risk", lambda: pair.bayes_risk(law), prior=prior)
    yield question("bayes_security", lambda: 1 - pair.hockey_stick(0))
    if max(law) < 1:
        yield question("bayes_security", lambda: pair.bayes_risk(law) / (1 - max(law)), prior=prior)
    yield question("multiplicative_bayes_capacity", lambda: 1 + pair.hockey_stick(0))
    yield question("ldp_epsilon", lambda: pair.ldp_epsilon)
    yield question("privacy_profile", lambda: pair.hockey_stick(epsilon), epsilon)
    yield question("dp_epsilon", lambda: pair.least_epsilon(mpf(delta)), delta)
    yield question("renyi_dp", lambda: pair.renyi_divergence(order), order)


def _geometric(draw: Draw) -> Iterator[Question]:
    epsilon, sensitivity = max(draw.epsilon(), 1e-6), draw.whole(1, 4)
    with mpmath.workdps(DIGITS):
        rows = mechanism_rows.geometric(epsilon, sensitivity)
    return about(call("Geometric", epsilon, sensitivity), [rows], draw)


def _discrete_gaussian(draw: Draw) -> Iterator[Question]:
    sigma, sensitivity = draw.scale(0.03, 2), draw.whole(1, 5)
    with mpmath.workdps(DIGITS):
        rows = mechanism_rows.discrete_gaussian(sigma, sensitivity)
    unlimited = {"renyi_dp", "ldp_epsilon"}  # of which the rows end too early
    given = about(call("DiscreteGaussian", sigma, sensitivity), [rows], draw)
    return (question for question in given if question.asked.name not in unlimited)
