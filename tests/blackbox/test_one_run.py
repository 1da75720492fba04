"""The privacy of a program from one run: beside the worst program there is, and on mechanisms whose ε is known."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import linprog
from scipy.special import binom

from discretion.blackbox import estimate_epsilon_in_one_run
from discretion.blackbox.one_run import _chance
from discretion.errors import InvalidValueError
from oracles import one_run as slow

PRECISE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def guessed(right, wrong, delta=0.0, others=0, confidence=0.95):
    """What follows from so many right and wrong guesses, and so many canaries of which nothing is guessed."""
    included = [0] * others + [0] * wrong + [1] * right
    return estimate_epsilon_in_one_run(range(len(included)), included, delta, right + wrong, 0, confidence)


@pytest.mark.parametrize("epsilon", [0, 0.3, 1, 2])
@pytest.mark.parametrize(("canaries", "guesses", "right"), [(1, 1, 1), (2, 2, 1), (2, 1, 1), (3, 2, 2), (3, 3, 2)])
def test_no_private_program_lets_more_be_guessed_and_one_lets_as_much(canaries, guesses, right, epsilon):
    chance = _chance(right, guesses, canaries, epsilon, 0)
    assert slow.most_likely(canaries, guesses, right, epsilon, 0) == pytest.approx(chance, abs=1e-9)
    for delta in (0.01, 0.1, 0.5):
        worst = slow.most_likely(canaries, guesses, right, epsilon, delta)
        assert worst <= _chance(right, guesses, canaries, epsilon, delta) + 1e-9


@pytest.mark.parametrize(("right", "wrong", "confidence"), [(96, 4, 0.95), (60, 40, 0.9), (5, 0, 0.95), (50, 50, 0.95)])
def test_without_delta_it_is_the_lower_limit_of_clopper_and_pearson(right, wrong, confidence):
    rate = stats.beta.ppf(1 - confidence, right, wrong + 1)
    expected = max(0.0, math.log(rate / (1 - rate)))
    assert guessed(right, wrong, others=300, confidence=confidence).low == pytest.approx(expected, abs=1e-9)


def most_right(guesses, right, epsilon, delta):
    """The same of a program that treats all canaries alike, and guesses all: by how many of its guesses are wrong."""
    wrong = np.arange(guesses + 1)
    weight = binom(guesses, wrong)
    # Variables: the probability of each single way to guess with so many wrong, and by how much it is in excess.
    goal = np.concatenate([-weight * (guesses - wrong >= right), np.zeros(2 * guesses)])
    private, limit = np.zeros((2 * guesses + 1, goal.size)), np.zeros(2 * guesses + 1)
    for w in range(1, guesses + 1):
        for row, (more, less) in ((w - 1, (w - 1, w)), (guesses + w - 1, (w, w - 1))):
            private[row, more], private[row, less], private[row, guesses + 1 + row] = 1, -math.exp(epsilon), -1
            private[-1, guesses + 1 + row] = binom(guesses - 1, w - 1)
    limit[-1] = delta
    whole = np.concatenate([weight, np.zeros(2 * guesses)])[None]
    return -linprog(goal, private, limit, whole, [1], bounds=(0, None), method="highs", options=PRECISE).fun


@pytest.mark.parametrize("guesses", [2, 5, 12])
def test_no_private_program_lets_more_of_many_be_guessed(guesses):
    assert most_right(2, 1, 1, 0.01) == pytest.approx(slow.most_likely(2, 2, 1, 1, 0.01), abs=1e-9)
    for right in range(1, guesses + 1):
        for epsilon in (0, 0.5, 1, 3):
            for delta in (1e-3, 0.03, 0.3):
                bound = _chance(right, guesses, guesses, epsilon, delta)
                assert most_right(guesses, right, epsilon, delta) <= bound + 1e-7


def test_where_all_guesses_must_be_right_a_program_reaches_the_bound():
    for guesses, epsilon, delta in [(2, 1, 0.01), (7, 2, 0.003), (12, 3, 1e-3)]:
        bound = _chance(guesses, guesses, guesses, epsilon, delta)
        assert most_right(guesses, guesses, epsilon, delta) == pytest.approx(bound, abs=1e-6)
        assert bound - _chance(guesses, guesses, guesses, epsilon, 0) > 1e-4


def test_the_published_term_for_delta_is_mostly_larger_and_once_too_small():
    def published(canaries, guesses, right, epsilon, delta):
        law = stats.binom(guesses, 1 / (1 + math.exp(-epsilon)))
        tail = [law.sf(right - i - 1) for i in range(canaries + 1)]
        return tail[0] + 2 * canaries * delta * max((tail[i] - tail[0]) / i for i in range(1, canaries + 1))

    for case in [(1000, 1000, 770, 1, 1e-4), (1000, 100, 80, 1, 1e-4), (500, 200, 195, 3, 1e-3), (50, 50, 45, 1, 1e-2)]:
        canaries, guesses, right, epsilon, delta = case
        assert _chance(right, guesses, canaries, epsilon, delta) < published(*case)
    too_small = published(2, 2, 1, 1, 0.01)
    assert too_small < slow.most_likely(2, 2, 1, 1, 0.01) < _chance(1, 2, 2, 1, 0.01)


def test_a_run_of_laplace_noise_shows_most_of_its_epsilon():
    rng = np.random.default_rng(4)
    included = rng.integers(2, size=10_000) > 0
    found = estimate_epsilon_in_one_run(included + rng.laplace(size=10_000), included, 1e-6, 3000, 3000)
    assert 0.9 < found.low < 1
    assert (found.value, found.high, found.confidence) == (found.low, math.inf, 0.95)
    assert found.assuming is not None


@pytest.mark.long
@pytest.mark.parametrize("delta", [0, 0.002])
def test_right_programs_are_rarely_accused(delta):
    """Randomized response, which gives a canary away with probability δ; at the worst it is guessed of every one."""
    rng = np.random.default_rng(5)
    epsilon, accused = 1.0, 0
    for _ in range(250):
        included = rng.integers(2, size=300) > 0
        kept = rng.random(300) < 1 / (1 + math.exp(-epsilon))
        shown = np.where(kept, included, ~included) + 0.0
        given_away = rng.random(300) < delta
        shown[given_away] = 3 * included[given_away] - 1
        inside = int((shown > 0.5).sum())  # of the output alone, so that it does not depend on the coins but by it
        accused += estimate_epsilon_in_one_run(shown, included, delta, inside, 300 - inside).low > epsilon
    assert accused <= stats.binom.ppf(0.999, 250, 0.05)


def test_nothing_guessed_or_nothing_right_shows_nothing():
    assert guessed(0, 0, others=3).low == 0
    assert guessed(0, 20).low == 0
    assert guessed(20, 0, delta=1).low == 0


@pytest.mark.parametrize(
    ("scores", "included", "options", "words"),
    [
        ([], [], {}, "each canary must have a score"),
        ([1.0, 2.0], [1], {}, r"got shapes \(2,\) and \(1,\)"),
        ([[1.0]], [[1]], {}, "got shapes"),
        ([1.0, math.nan], [1, 0], {}, "scores must be finite, got nan of canary 1"),
        ([1j, 2], [1, 0], {}, "each canary must have a score"),
        ([1.0, 2.0], [1, 2], {}, "included must be true or false, got 2 of canary 1"),
        ([1.0, 2.0], [1, 0], {"guessed_out": 2}, "at most the number of canaries, 2; got 1 and 2"),
        ([1.0, 2.0], [1, 0], {"guessed_in": -1}, "guessed_in must be"),
        ([1.0, 2.0], [1, 0], {"delta": 2}, "delta must be"),
    ],
)
def test_what_is_wrong_is_said(scores, included, options, words):
    arguments = {"delta": 0, "guessed_in": 1, "guessed_out": 0, **options}
    with pytest.raises(InvalidValueError, match=words):
        estimate_epsilon_in_one_run(scores, included, **arguments)
