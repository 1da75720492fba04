"""Intervals from a few samples of black boxes whose law is known: they may miss only as often as they say."""

from collections.abc import Iterator

from oracles import rows as exact
from sweep.draws import Draw
from sweep.question import DIGITS, Question, call, mpmath


def questions(draw: Draw) -> Iterator[Question]:
    secrets, reports = draw.whole(2, 4), draw.whole(1, 5)
    prior = [draw.scale(0.02, 1) for _ in range(secrets)]
    matrix = [draw.distribution(reports) for _ in range(secrets)]
    with mpmath.workdps(DIGITS):
        law, rows = exact.exactly(prior), [exact.exactly(row) for row in matrix]
    went_in = draw.rng.choices(range(secrets), prior, k=draw.size(20, 300))
    came_out = [draw.rng.choices(range(reports), matrix[secret])[0] for secret in went_in]
    if len(set(went_in)) > 1:
        risk = call("estimate_bayes_risk", went_in, came_out, rng=draw.whole(0, 999))
        yield Question(risk, lambda: exact.bayes_risk(rows, law))
        security = call("estimate_bayes_security", went_in, came_out, rng=draw.whole(0, 999))
        seen = sorted(set(went_in))
        yield Question(security, lambda: exact.bayes_security([rows[secret] for secret in seen]), may_be_refused=True)
    x, y = (draw.rng.choices(range(reports), row, k=draw.size(20, 300)) for row in matrix[:2])
    epsilon, delta, both = draw.epsilon(), draw.delta(), list(exact.ordered_pairs(rows[:2]))
    profile = call("estimate_privacy_profile", x, y, epsilon, rng=draw.whole(0, 999))
    yield Question(profile, lambda: max(exact.hockey_stick(p, q, epsilon) for p, q in both))
    least = call("estimate_epsilon", x, y, delta, rng=draw.whole(0, 999))
    yield Question(least, lambda: max(exact.least_epsilon(p, q, delta) for p, q in both))
