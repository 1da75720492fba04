"""Crowds of up to a hundred thousand users with two values, the others unknown or known in part or whole."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from oracles import two_valued_crowds as exact
from sweep.draws import Draw
from sweep.question import Call, Question, Seen, call, mpmath

# What sums of long doubles may be off by, relatively.
_ROUNDING = 1e-15
_MOST_USERS = {"Uninformed": 10**5, "AllButOne": 2000, "PartlyInformed": 2000, "WorstAllButOne": 60}


def questions(draw: Draw) -> Iterator[Question]:
    system, rows = _mechanism(draw)
    knowledge = draw.either(*_MOST_USERS)
    n = draw.size(2, _MOST_USERS[knowledge])
    population = draw.distribution(2)
    shares = np.array(population, exact.Number) / math.fsum(population)
    if knowledge == "Uninformed":
        adversary, known = call(knowledge, population), [[0, 0]]
    elif knowledge == "WorstAllButOne":
        adversary, known = call(knowledge), [[held, n - 1 - held] for held in range(n)]
    else:
        known = [draw.counts(n - 1 if knowledge == "AllButOne" else draw.whole(0, n - 1), 2)]
        adversary = call(knowledge, *known, *([population] if knowledge == "PartlyInformed" else []))
    with np.errstate(under="ignore"):
        views = [exact.views(rows, counts, n - 1 - sum(counts), shares) for counts in known]
        found = list(_asked(Seen(call("Shuffled", system, n), adversary), views, draw, n))
    return (Question(asked, partial(_ends, truth)) for asked, truth in found)


def _mechanism(draw: Draw) -> tuple[Call, Any]:
    if draw.chance(0.7):
        epsilon = draw.either(draw.scale(1e-4, 300), draw.between(0.01, 6))
        rarity = np.exp(-exact.Number(epsilon))
        rows = np.array([[1, rarity], [rarity, 1]]) / (1 + rarity)
        return call("RandomizedResponse", 2, epsilon=epsilon), rows
    cells = [draw.between(0.01, 0.99), draw.scale(1e-6, 0.99)]
    rows = np.array([[cell, 1 - exact.Number(cell)] for cell in cells])
    return call("Channel", [[cell, 1 - cell] for cell in cells]), rows


def _asked(seen: Seen, views: list[Any], draw: Draw, n: int) -> Iterator[tuple[Call, Any]]:
    prior, gain = draw.distribution(2), draw.gain(2)
    law = np.array(prior, exact.Number) / math.fsum(prior)
    pairs = [pair for a, b in views for pair in ((a, b), (b, a))]
    guessed = max(exact.posterior_vulnerability(laws, law, gain) for laws in views)
    yield call("posterior_vulnerability", seen, gain=call("gain_matrix", gain), prior=prior), guessed
    yield call("bayes_risk", seen, prior=prior), min(exact.bayes_risk(laws, law) for laws in views)
    yield call("mutual_information", seen, prior=prior), max(exact.mutual_information(laws, law) for laws in views)
    yield call("bayes_security", seen), min(map(exact.bayes_security, views))
    epsilon, delta = draw.either(draw.scale(1e-6, 10), draw.between(0, 1)), draw.delta() or 1e-9
    yield call("privacy_profile", seen, epsilon), max(exact.hockey_stick(a, b, epsilon) for a, b in pairs)
    yield call("dp_epsilon", seen, delta), max(exact.least_epsilon(a, b, delta) for a, b in pairs)
    if n < 200 and all(laws.min() > 0 for laws in views):
        order = draw.either(0.5, 2.0, 5.0)
        yield call("renyi_dp", seen, order), max(exact.renyi_divergence(a, b, order) for a, b in pairs)


def _ends(truth: Any) -> tuple[Any, Any]:
    """A long double has more digits than a double: pass them on, and how far it may be off."""
    head = float(truth)
    value = mpmath.mpf(head) + mpmath.mpf(float(truth - head) if math.isfinite(head) else 0)
    return value * (1 - _ROUNDING), value * (1 + _ROUNDING)
