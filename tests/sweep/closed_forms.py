"""Mechanisms on up to a million values, by the few kinds of report and of value that there are."""

from collections.abc import Iterator
from typing import Any

from oracles.rows import exactly
from sweep.draws import Draw
from sweep.question import DIGITS, Call, Question, call, mpmath, part_of

mpf, log, exp = mpmath.mpf, mpmath.log, mpmath.exp

Asked = Iterator[tuple[Call, Any]]


def questions(draw: Draw) -> Iterator[Question]:
    k, epsilon = draw.size(2, 10**6), draw.epsilon()
    family = draw.either(_response, _skewed_response, _subsets, _hadamard, _hashing, _unary)
    with mpmath.workdps(DIGITS):
        found = list(family(draw, k, epsilon))
    return (Question(asked, lambda truth=truth: truth) for asked, truth in found)


def _response(draw: Draw, k: int, epsilon: float) -> Asked:
    system, order, delta = call("RandomizedResponse", k, epsilon=epsilon), draw.order(), draw.delta()
    p, q = _two_chances(k - 1, epsilon)
    yield call("posterior_vulnerability", system), p
    yield call("bayes_risk", system), (k - 1) * q
    yield call("bayes_security", system), k * q
    yield call("multiplicative_bayes_capacity", system), k * p
    yield call("mutual_information", system), p * log(k * p) + (k - 1) * q * log(k * q)
    yield call("ldp_epsilon", system), mpf(epsilon)
    if k <= 100:
        yield call("renyi_dp", system, order), _renyi_of_response(p, q, k, epsilon, order)
        yield call("dp_epsilon", system, delta), max(mpf(0), log((p - mpf(delta)) / q)) if p > delta else mpf(0)
    yield from _error(draw, system, k, p, q)


def _renyi_of_response(p: Any, q: Any, k: int, epsilon: float, order: float) -> Any:
    if order == mpmath.inf:
        return mpf(epsilon)
    if order == 1:
        return (p - q) * epsilon
    above = mpf(order) - 1
    return log(p * exp(above * epsilon) + q * exp(-above * epsilon) + (k - 2) * q) / above


def _skewed_response(draw: Draw, k: int, epsilon: float) -> Asked:
    k = min(k, 300)
    prior = draw.distribution(k)
    law = exactly(prior)
    system, (p, q) = call("RandomizedResponse", k, epsilon=epsilon), _two_chances(k - 1, epsilon)
    guessed = mpmath.fsum(max(p * x, q * max(law)) for x in law)
    reported = [q + (p - q) * x for x in law]
    told = mpmath.fsum(x * p * log(p / r) + (1 - x) * q * log(q / r) for x, r in zip(law, reported, strict=True) if r)
    yield call("posterior_vulnerability", system, prior=prior), guessed
    yield call("bayes_risk", system, prior=prior), 1 - guessed
    yield call("mutual_information", system, prior=prior), told
    if max(law) < 1:
        yield call("bayes_security", system, prior=prior), (1 - guessed) / (1 - max(law))


def _subsets(draw: Draw, k: int, epsilon: float) -> Asked:
    size = draw.size(1, k - 1)
    system, rarity = call("SubsetSelection", k, epsilon, size=size), exp(-mpf(epsilon))
    weights = size + (k - size) * rarity
    held, left = 1 / weights, rarity / weights
    own, wrong = size * held, (k - size) * left
    other = (own * (size - 1) + wrong * size) / (k - 1)
    yield call("posterior_vulnerability", system), held
    yield call("bayes_risk", system), 1 - held
    yield call("bayes_security", system), wrong + other
    yield call("multiplicative_bayes_capacity", system), k * held
    yield call("mutual_information", system), log(k) + own * log(held) + wrong * log(left)
    yield call("ldp_epsilon", system), mpf(epsilon)
    yield from _error(draw, system, k, own, other)


def _hadamard(draw: Draw, k: int, epsilon: float) -> Asked:
    k = min(k, 200)
    system, (own, wrong) = call("HadamardResponse", k, epsilon), _two_chances(1, epsilon)
    capacity = 2 * own if k > 2 else (3 * own + wrong) / 2
    columns = 1 << k.bit_length()
    told = mpf(0)
    for column in range(columns):
        plus = sum((row & column).bit_count() % 2 == 0 for row in range(1, k + 1))
        seen = plus * own + (k - plus) * wrong
        told += 2 * (plus * own * log(k * own / seen) + (k - plus) * wrong * log(k * wrong / seen)) / (columns * k)
    yield call("posterior_vulnerability", system), capacity / k
    yield call("bayes_security", system), (1 + 2 * wrong) / 2
    yield call("multiplicative_bayes_capacity", system), capacity
    yield call("mutual_information", system), told
    yield from _error(draw, system, k, own, mpf(1) / 2)


def _hashing(draw: Draw, k: int, epsilon: float) -> Asked:
    g = draw.either(2, 3, 4, 5, 7, 16)
    system, (p, _) = call("LocalHashing", k, epsilon, g=g), _two_chances(g - 1, epsilon)
    yield call("ldp_epsilon", system), mpf(epsilon)
    yield from _error(draw, system, k, p, mpf(1) / g)


def _unary(draw: Draw, k: int, epsilon: float) -> Asked:
    lam = draw.either(draw.between(0.01, 0.99), draw.scale(1e-12, 0.9))
    kappa = draw.either(1.0, lam, draw.between(lam, 1), max(lam, 1 - draw.scale(1e-12, 0.1)))
    k = draw.either(k, min(k, 200))
    system, p, q = call("UnaryEncoding", k, kappa, lam), mpf(kappa), mpf(lam)
    capacity = p * (1 - (1 - q) ** k) / q + (1 - p) * (1 - q) ** (k - 1)
    yield call("posterior_vulnerability", system), capacity / k
    yield call("bayes_risk", system), 1 - capacity / k
    yield call("multiplicative_bayes_capacity", system), capacity
    yield call("bayes_security", system), 1 - p + q
    yield call("ldp_epsilon", system), mpf("inf") if kappa == 1 else log(p * (1 - q) / (q * (1 - p)))
    if k <= 200:
        yield call("mutual_information", system), _told_by_bits(k, p, q)
    yield from _error(draw, system, k, p, q)


def _told_by_bits(k: int, p: Any, q: Any) -> Any:
    """Over how many of the other bits are 1, and the own one: ``log k`` less the entropy of the posterior."""
    told = mpf(0)
    for ones in range(k):
        among = mpmath.binomial(k - 1, ones) * q**ones * (1 - q) ** (k - 1 - ones)
        for bit, chance, weight in ((1, p, p * (1 - q)), (0, 1 - p, (1 - p) * q)):
            weights = (ones + bit) * p * (1 - q) + (k - ones - bit) * (1 - p) * q
            told += among * chance * log(k * weight / weights) if chance else 0
    return told


def _error(draw: Draw, system: Call, k: int, own: Any, other: Any) -> Asked:
    """The standard error of a share: each value's supports are independent, with these chances."""
    n = draw.size(1, 10**9)
    if own - other > mpf("1e-40"):
        variance = (own * (1 - own) + (k - 1) * other * (1 - other)) / k / n / (own - other) ** 2
        yield part_of("share", "frequency_error", system, n), mpmath.sqrt(variance)


def _two_chances(others: int, epsilon: float) -> tuple[Any, Any]:
    rarity = exp(-mpf(epsilon))
    return 1 / (1 + others * rarity), rarity / (1 + others * rarity)
