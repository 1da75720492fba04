"""Shuffled crowds small enough that the law of the histogram can be multiplied out, to all five adversaries."""

from collections.abc import Iterator
from typing import Any

from oracles import crowd_rows as laws
from oracles.rows import exactly
from sweep.channels import a_system
from sweep.draws import Draw
from sweep.measures import about
from sweep.question import DIGITS, Call, Question, Seen, call, mpmath

# By how many kinds of report there are.
_MOST_USERS = {1: 20, 2: 30, 3: 8, 4: 5}


def questions(draw: Draw) -> Iterator[Question]:
    mechanism, rows = a_system(draw, most=4, reports=4)
    n = draw.either(1, 2, 3, draw.whole(2, _MOST_USERS[len(rows[0])]))
    with mpmath.workdps(DIGITS):
        adversary, views, own = draw.either(_uninformed, _all_but_one, _partly, _worst, _exchangeable)(draw, rows, n)
    return about(Seen(call("Shuffled", mechanism, n), adversary), views, draw, own=own)


def _uninformed(draw: Draw, rows: Any, n: int) -> tuple[Call, Any, Any]:
    population, shares = _population(draw, len(rows))
    others = laws.others(rows, [0] * len(rows), n - 1, shares)
    return call("Uninformed", population), [laws.with_target(rows, others)], None


def _all_but_one(draw: Draw, rows: Any, n: int) -> tuple[Call, Any, Any]:
    counts = draw.counts(n - 1, len(rows))
    return call("AllButOne", counts), [laws.with_target(rows, laws.others(rows, counts))], None


def _partly(draw: Draw, rows: Any, n: int) -> tuple[Call, Any, Any]:
    counts = draw.counts(draw.whole(0, n - 1), len(rows))
    population, shares = _population(draw, len(rows))
    others = laws.others(rows, counts, n - 1 - sum(counts), shares)
    return call("PartlyInformed", counts, population), [laws.with_target(rows, others)], None


def _worst(draw: Draw, rows: Any, n: int) -> tuple[Call, Any, Any]:
    ways = laws.compositions(n - 1, len(rows))
    return call("WorstAllButOne"), [laws.with_target(rows, laws.others(rows, counts)) for counts in ways], None


def _exchangeable(draw: Draw, rows: Any, n: int) -> tuple[Call, Any, Any]:
    alpha = draw.alphas(len(rows))
    return call("Exchangeable", alpha), [laws.exchangeable(rows, n, alpha)], alpha


def _population(draw: Draw, k: int) -> tuple[list[float] | None, Any]:
    given = None if draw.chance(0.5) else draw.distribution(k)
    return given, exactly(given or [1.0] * k)
