"""Every measure of a matrix of laws by its definition, in as many digits as mpmath is set to.

Rows are secrets; nothing is written in a form that saves digits, for there are enough of them.
"""

import itertools
import math

import pytest

mpmath = pytest.importorskip("mpmath")
mpf, log, exp = mpmath.mpf, mpmath.log, mpmath.exp


def exactly(numbers):
    """The doubles as the numbers that they are, divided by their sum."""
    given = [mpf(float(number)) for number in numbers]
    return [number / mpmath.fsum(given) for number in given]


def prior_vulnerability(prior, gain):
    return max(_dot(prior, guess) for guess in gain)


def posterior_vulnerability(rows, prior, gain):
    return mpmath.fsum(max(_dot(column, guess) for guess in gain) for column in _joint(rows, prior))


def bayes_risk(rows, prior):
    return mpmath.fsum(cell for column in _joint(rows, prior) for cell in sorted(column)[:-1])


def bayes_security(rows):
    pairs = itertools.combinations(rows, 2)
    return min((mpmath.fsum(map(min, a, b)) for a, b in pairs), default=mpf(1))


def mutual_information(rows, prior):
    reported = [_dot(prior, column) for column in zip(*rows, strict=True)]
    return mpmath.fsum(
        p * cell * log(cell / mean)
        for p, row in zip(prior, rows, strict=True)
        for cell, mean in zip(row, reported, strict=True)
        if p and cell
    )


def posterior_entropy(rows, prior):
    columns = _joint(rows, prior)
    return mpmath.fsum(cell * log(mpmath.fsum(column) / cell) for column in columns for cell in column if cell)


def guessing_entropy(rows, prior):
    ranked = (sorted(column, reverse=True) for column in _joint(rows, prior))
    return mpmath.fsum(guesses * cell for column in ranked for guesses, cell in enumerate(column, start=1))


def sibson_information(rows, prior, order):
    if order == 1:
        return mutual_information(rows, prior)
    columns = [
        [(p, cell) for p, cell in zip(prior, column, strict=True) if p and cell] for column in zip(*rows, strict=True)
    ]
    if order == math.inf:
        return log(mpmath.fsum(max((cell for _, cell in column), default=mpf(0)) for column in columns))
    alpha = mpf(order)
    sums = (mpmath.fsum(p * cell**alpha for p, cell in column) for column in columns)
    return alpha / (alpha - 1) * log(mpmath.fsum(total ** (1 / alpha) for total in sums if total))


def shannon_capacity(rows, steps=12):
    """Both ends of it, after some of the textbook's steps."""
    prior = [mpf(1) / len(rows)] * len(rows)
    for _ in range(steps):
        reported = [_dot(prior, column) for column in zip(*rows, strict=True)]
        told = [
            mpmath.fsum(cell * log(cell / mean) for cell, mean in zip(row, reported, strict=True) if cell)
            for row in rows
        ]
        ends = max(mpf(0), _dot(prior, told)), max(mpf(0), *told)
        prior = [p * exp(each) for p, each in zip(prior, told, strict=True)]
        prior = [p / mpmath.fsum(prior) for p in prior]
    return ends


def capacity(rows):
    return mpmath.fsum(max(column) for column in zip(*rows, strict=True))


def ldp_epsilon(rows):
    return max((renyi_divergence(a, b, math.inf) for a, b in ordered_pairs(rows)), default=mpf(0))


def ordered_pairs(rows):
    return itertools.permutations(rows, 2)


def hockey_stick(p, q, epsilon):
    ratio = exp(mpf(epsilon))
    return mpmath.fsum(max(a - ratio * b, mpf(0)) for a, b in zip(p, q, strict=True))


def least_epsilon(p, q, delta):
    """``log max_S (P(S) - δ)/Q(S)`` over the sets S of the outcomes with the largest ratios."""
    if delta >= 1:
        return mpf(0)
    ratio, above, below = mpf(1), -mpf(delta), mpf(0)
    for a, b in sorted(zip(p, q, strict=True), key=lambda cell: mpf("inf") if not cell[1] else cell[0] / cell[1])[::-1]:
        above, below = above + a, below + b
        if above > 0:
            ratio = max(ratio, above / below if below else mpf("inf"))
    return log(ratio)


def renyi_divergence(p, q, order):
    seen = [(a, b) for a, b in zip(p, q, strict=True) if a]
    if order >= 1 and not all(b for _, b in seen):
        return mpf("inf")
    if math.isinf(order):
        return max(log(a / b) for a, b in seen)
    if order == 1:
        return mpmath.fsum(a * log(a / b) for a, b in seen)
    order = mpf(order)
    powers = [order * log(a) + (1 - order) * log(b) for a, b in seen if b]
    most = max(powers, default=mpf("-inf"))
    return mpf("inf") if not powers else (most + log(mpmath.fsum(exp(x - most) for x in powers))) / (order - 1)


def _joint(rows, prior):
    """The columns of the joint law."""
    return list(zip(*([p * cell for cell in row] for p, row in zip(prior, rows, strict=True)), strict=True))


def _dot(left, right):
    return mpmath.fsum(a * b for a, b in zip(left, right, strict=True))
