"""Systems made of systems: one after the other, side by side, chosen among, and used many times."""

from collections.abc import Iterator
from itertools import product

from oracles import crowd_rows
from oracles.rows import exactly
from sweep.channels import a_system
from sweep.draws import Draw
from sweep.measures import about
from sweep.question import DIGITS, Question, call, mpmath

# A channel made of others holds doubles, to which what is less than these is impossible.
_LEAST = 1e-280


def questions(draw: Draw) -> Iterator[Question]:
    system, rows = a_system(draw, most=3, reports=4)
    if any(0 < cell < _LEAST for row in rows for cell in row):
        return questions(draw)
    kind = draw.either("cascade", "parallel", "visible_choice", "hidden_choice", "repeated")
    with mpmath.workdps(DIGITS):
        if kind == "repeated":
            uses = draw.whole(1, 6)
            laws = [crowd_rows.others([row], [uses]) for row in rows]
            seen = sorted(set().union(*laws))
            return about(call(kind, system, uses), [[[law.get(y, 0) for y in seen] for law in laws]], draw)
        if kind == "cascade":
            width = draw.whole(1, 3)
            matrix = [draw.distribution(width) for _ in rows[0]]
            after = [exactly(row) for row in matrix]
            both = [[mpmath.fdot(row, column) for column in zip(*after, strict=True)] for row in rows]
            return about(call(kind, system, call("Channel", matrix)), [both], draw)
        matrix, shares = [draw.distribution(len(rows[0])) for _ in rows], draw.distribution(2)
        other, (left, right) = [exactly(row) for row in matrix], exactly(shares)
        if kind == "parallel":
            pairs = [[p * q for p, q in product(*both)] for both in zip(rows, other, strict=True)]
            return about(call(kind, system, call("Channel", matrix)), [pairs], draw)
        weighted = [([left * p for p in a], [right * q for q in b]) for a, b in zip(rows, other, strict=True)]
        if kind == "visible_choice":
            chosen = [a + b for a, b in weighted]
        else:
            chosen = [[p + q for p, q in zip(a, b, strict=True)] for a, b in weighted]
        return about(call(kind, [system, call("Channel", matrix)], shares), [chosen], draw)
