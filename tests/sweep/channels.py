"""Plain channels and mechanisms small enough that every row can be written down."""

import math
from collections.abc import Iterator
from typing import Any

from oracles import mechanism_rows as laws
from oracles.rows import exactly
from sweep.draws import Draw
from sweep.measures import about
from sweep.question import DIGITS, Call, Question, call, mpmath

mpf = mpmath.mpf

# Of the scores of an exponential mechanism.
_RANGE = 1600


def questions(draw: Draw) -> Iterator[Question]:
    system, rows = a_system(draw, most=5)
    return about(system, [rows], draw)


def a_system(draw: Draw, most: int, reports: int = 8) -> tuple[Call, Any]:
    """A mechanism or a channel with at most so many values, and its rows."""
    kind = draw.either(*_KINDS)
    k, epsilon = draw.whole(2, most), draw.epsilon()
    with mpmath.workdps(DIGITS):
        system, rows = _KINDS[kind](draw, k, epsilon)
    return (system, rows) if len(rows[0]) <= reports else a_system(draw, most, reports)


def _response(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    if draw.chance(0.7):
        return call("RandomizedResponse", k, epsilon=epsilon), laws.randomized_response(k, epsilon)
    p = draw.either(1 / k, 1.0, 1 - draw.scale(1e-16, 0.1), min(1.0, 1 / k + draw.scale(1e-16, 0.4)))
    p = max(p, 1 / k)
    lie = (1 - mpf(p)) / (k - 1)
    rows = [[mpf(p) if x == y else lie for y in range(k)] for x in range(k)]
    # 1/k in doubles may be less than the share itself.
    return call("RandomizedResponse", k, p=p), [[mpf(1) / k] * k] * k if p == 1 / k else rows


def _subsets(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    size = draw.whole(1, k - 1)
    return call("SubsetSelection", k, epsilon, size=size), laws.subset_selection(k, epsilon, size)


def _hadamard(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    return call("HadamardResponse", k, epsilon), laws.hadamard_response(k, epsilon)


def _hashing(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    g = draw.either(2, 3, 5)
    return call("LocalHashing", k, epsilon, g=g), laws.local_hashing(k, epsilon, g)


def _unary(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    k, lam = min(k, 3), draw.either(draw.between(0.01, 0.99), draw.scale(1e-12, 0.9))
    kappa = draw.either(1.0, lam, draw.between(lam, 1), max(lam, 1 - draw.scale(1e-16, 0.1)))
    return call("UnaryEncoding", k, kappa, lam), laws.unary_encoding(k, kappa, lam)


def _matrix(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    least, reports = draw.either(1e-300, 1e-40, 0.1, 0.1), draw.whole(2, 4)
    cells = [[0.0 if draw.chance(0.15) else draw.scale(least, 1) for _ in range(reports)] for _ in range(k)]
    if draw.chance(0.3):  # nearly independent
        width = draw.scale(1e-12, 1)
        cells = [[1 + width * cell for cell in row] for row in cells]
    rows = [[(cell + (y == 0) * 1e-3) for y, cell in enumerate(row)] for row in cells]
    matrix = [[cell / math.fsum(row) for cell in row] for row in rows]
    channel = call("Channel", matrix)
    return channel if draw.chance(0.7) else call("ChannelMechanism", channel), [exactly(row) for row in matrix]


def _exponential(draw: Draw, k: int, epsilon: float) -> tuple[Call, Any]:
    answers, least = draw.whole(2, 4), max(epsilon, 1e-6) / _RANGE
    scores = [[round(draw.scale(0.01, _RANGE), 3) for _ in range(answers)] for _ in range(k)]
    return call("Exponential", scores, least), laws.exponential(scores, least)


_KINDS = {
    "k-RR": _response,
    "subset selection": _subsets,
    "Hadamard": _hadamard,
    "local hashing": _hashing,
    "unary encoding": _unary,
    "channel": _matrix,
    "exponential": _exponential,
}
