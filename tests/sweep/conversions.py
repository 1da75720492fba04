"""What differential privacy says of Bayes security and back, and the maximum load with what follows from it."""

from collections.abc import Iterator
from fractions import Fraction
from math import factorial
from typing import Any

from sweep.draws import Draw
from sweep.question import DIGITS, Call, Question, call, mpmath

mpf, log, exp = mpmath.mpf, mpmath.log, mpmath.exp


def questions(draw: Draw) -> Iterator[Question]:
    return _of_loads(draw) if draw.chance(0.2) else _of_numbers(draw)


def _of_numbers(draw: Draw) -> Iterator[Question]:
    epsilon, delta = draw.epsilon(), draw.delta()
    security = draw.either(0.0, 1.0, 5e-324, draw.scale(1e-300, 1), draw.between(0, 1), 1 - draw.scale(1e-16, 1))
    with mpmath.workdps(DIGITS):
        e, d, b = mpf(epsilon), mpf(delta), mpf(security)
        ratio = exp(e)
        truths: list[tuple[Call, Any]] = [
            (call("security.bayes_security_of_ldp", epsilon, delta), 2 * (1 - d) / (1 + ratio)),
            (call("security.membership_advantage", epsilon, delta), (ratio - 1 + 2 * d) / (ratio + 1)),
            (call("security.yeom_advantage", epsilon), min(ratio - 1, mpf(1))),
            (call("security.success_probability", security), 1 - b / 2),
            (call("security.delta_of_bayes_security", security, epsilon), max(mpf(0), 1 - b * (1 + ratio) / 2)),
            (call("security.epsilon_of_bayes_security", security, delta), _least_epsilon(b, d)),
        ]
        truths += _of_databases(draw, epsilon, ratio)
    return (Question(asked, lambda truth=truth: truth) for asked, truth in truths)


def _least_epsilon(security: Any, delta: Any) -> Any:
    if security >= 1 - delta:
        return mpf(0)
    return log((2 * (1 - delta) - security) / security) if security else mpf("inf")


def _of_databases(draw: Draw, epsilon: float, ratio: Any) -> Iterator[tuple[Call, Any]]:
    people, values = draw.size(1, 300), draw.size(2, 1000)
    right = (ratio / (values - 1 + ratio)) ** people
    yield (
        call("security.bayes_security_of_databases", epsilon, people, values),
        (1 - right) / (1 - mpf(values) ** -people),
    )
    likeliest = draw.between(0.001, 0.999)
    if Fraction(likeliest) > Fraction(1, values**people):
        security = (1 - mpf(likeliest) * values**people * right) / (1 - mpf(likeliest))
        asked = call("security.bayes_security_of_databases", epsilon, people, values, prior_maximum=likeliest)
        yield asked, max(mpf(0), security)


def _of_loads(draw: Draw) -> Iterator[Question]:
    n, k = draw.size(1, 60), draw.either(2, 3, draw.size(2, 10**6))
    p = draw.between(1 / k, 1)
    crowd = call("Shuffled", call("RandomizedResponse", k, p=p), n)
    load = _maximum_load(n, k)
    guess = load / n * (k * mpf(p) - 1) / (k - 1) + (1 - mpf(p)) / (k - 1)
    yield Question(call("shuffling.maximum_load", n, k), lambda: load)
    yield Question(call("shuffling.maximum_load_bounds", n, k), lambda: load)
    yield Question(call("posterior_vulnerability", crowd), lambda: guess)
    yield Question(call("shuffling.asymptotic_vulnerability", crowd), lambda: guess)


def _maximum_load(n: int, k: int) -> Any:
    """``Σ_m 1 - P(no count over m)``, by powers of the truncated exponential series in whole numbers."""
    missing = Fraction(0)
    for most in range(1, n):
        # With S = Σ z^j/j! and its power P, S P' = k S' P gives each coefficient of P from those before.
        terms = [Fraction(1, factorial(j)) for j in range(most + 1)]
        power = [Fraction(1)]
        for t in range(1, n + 1):
            known = (((k + 1) * j - t) * terms[j] * power[t - j] for j in range(1, min(most, t) + 1))
            power.append(sum(known, Fraction(0)) / t)
        missing += power[n] * factorial(n) / Fraction(k) ** n
    with mpmath.workdps(60):
        load = n - missing
        return mpf(load.numerator) / mpf(load.denominator)
