"""Crowds of up to a thousand million, where no sum reaches: by other formulas, and by what two answers must obey."""

from collections.abc import Iterator

from oracles.crowds import mean_absolute_difference
from sweep.draws import Draw
from sweep.question import Question, Seen, call, mpmath

mpf = mpmath.mpf


def questions(draw: Draw) -> Iterator[Question]:
    n = draw.size(1000, 10**9)
    k, epsilon = draw.size(3, n // 100), draw.either(draw.scale(1e-6, 700), draw.between(0.01, 6))
    mechanism = call("RandomizedResponse", k, epsilon=epsilon)
    crowd, larger = call("Shuffled", mechanism, n), call("Shuffled", mechanism, n + 1 + draw.size(1, n))
    truth = 1 / (1 + (k - 1) * mpmath.exp(-mpf(epsilon)))
    lie = (1 - truth) / (k - 1)

    def among_loads():
        load = call("shuffling.maximum_load_bounds", n, k).answer()
        return tuple(mpf(end) / n * (truth - lie) + lie for end in (load.low, load.high))

    yield Question(call("posterior_vulnerability", crowd), among_loads)
    distance = mpf(k) * (truth - lie) / (2 * n) * mpf(mean_absolute_difference(n, k))
    yield Question(call("bayes_security", crowd), lambda: 1 - distance)
    for measure, falls in (("posterior_vulnerability", True), ("mutual_information", True), ("bayes_security", False)):
        fewer = call(measure, crowd)
        ends = (lambda fewer=fewer: (0, _high(fewer.answer()))) if falls else (lambda fewer=fewer: (fewer.answer(), 1))
        yield Question(call(measure, larger), ends)
    yield from _of_two_values(draw, n)


def _of_two_values(draw: Draw, n: int) -> Iterator[Question]:
    """ε(δ) undoes δ(ε); what the worst sees is no less private than what any one sees."""
    epsilon = draw.between(0.1, 5)
    crowd = call("Shuffled", call("RandomizedResponse", 2, epsilon=epsilon), n)
    for adversary in (call("AllButOne", [0, n - 1]), call("Uninformed", draw.distribution(2))):
        width = epsilon * draw.scale(1e-3, 1) / n**0.5
        seen = Seen(crowd, adversary)
        profile = call("privacy_profile", seen, width)
        delta = profile.answer()
        if not isinstance(delta, float) or not 1e-280 < delta < 0.5:
            continue
        # As exact as δ is, whose relative error the slope of its logarithm, over √n, turns into one of ε.
        yield Question(call("dp_epsilon", seen, delta), lambda w=width: (w * (1 - 1e-9), w * (1 + 1e-9)))
        advantage = call("privacy_profile", seen, 0.0)
        yield Question(call("bayes_security", seen), lambda a=advantage: 1 - mpf(a.answer()))


def _high(answer):
    return getattr(answer, "high", answer)
