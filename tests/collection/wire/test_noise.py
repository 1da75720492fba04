"""Dummies hide a person as δ, ε and the guess say, which enumeration of small cases confirms."""

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

import discretion as dc
from discretion.collection.errors import MalformedError
from discretion.collection.wire import noise as module
from discretion.collection.wire.noise import Noise, noise_for
from oracles.dummies import law_of, view_delta

SMALL = [Noise(5_000, 2), Noise(9_999, 4), Noise(1, 2), Noise(2_500, 6), Noise(7_071, 4)]


@pytest.mark.parametrize("noise", SMALL, ids=str)
@pytest.mark.parametrize("likelihood", [Fraction(1), Fraction(3, 2), Fraction(4), Fraction(17), Fraction(10**6)])
def test_delta_is_that_of_all_that_three_people_s_counts_may_look_like(noise: Noise, likelihood: Fraction) -> None:
    """Two people are known; the third has one answer or another to a question: two counts differ by one."""
    exact = view_delta(noise, [2, 1, 0], [1, 2, 0], likelihood)
    assert noise.delta(math.log(likelihood), 2) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)
    back = view_delta(noise, [1, 2, 0], [2, 1, 0], likelihood)
    assert back == exact


@pytest.mark.parametrize("noise", [noise for noise in SMALL if noise.most == 2], ids=str)
def test_delta_is_that_of_both_rounds_together(noise: Noise) -> None:
    for likelihood in (Fraction(1), Fraction(5, 2), Fraction(9)):
        exact = view_delta(noise, [1, 0, 1, 0], [0, 1, 0, 1], likelihood)
        assert noise.delta(math.log(likelihood), 4) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("noise", SMALL, ids=str)
def test_the_guess_is_the_better_one_of_two_answers(noise: Noise) -> None:
    exact = (1 + view_delta(noise, [1, 0], [0, 1], Fraction(1))) / 2
    assert noise.guess(2) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("noise", [*SMALL, Noise(9_000, 300)], ids=str)
def test_probabilities_are_those_of_the_definition(noise: Noise) -> None:
    assert noise.probabilities == tuple(map(float, law_of(noise)))


@pytest.mark.parametrize("noise", [Noise(5_000, 2), Noise(2_500, 6)], ids=str)
def test_each_number_is_drawn_as_often_as_it_weighs(noise: Noise, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of all numbers that the system may draw, each once."""
    total = sum(noise.weights)
    numbers = iter(np.linspace(0, total, 4_000, endpoint=False).astype(int).tolist())
    monkeypatch.setattr(module, "randbelow", lambda below: next(numbers) if below == total else pytest.fail("other"))
    drawn = Counter(noise.draw() for _ in range(4_000))
    for number, chance in enumerate(noise.probabilities):
        assert abs(drawn[number] - 4_000 * chance) <= 1


@pytest.mark.parametrize("counts", [2, 4, 8, 26])
@pytest.mark.parametrize("delta", [1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("epsilon", [0.5, 1, 4, 30])
def test_noise_keeps_what_it_was_made_for_and_not_much_more(epsilon: float, delta: float, counts: int) -> None:
    try:
        noise = noise_for(epsilon, delta, counts)
    except MalformedError as refused:
        assert "allow a larger" in str(refused)
        assert Noise(noise_decay(epsilon, counts), 1022).delta(epsilon, counts) > delta
        return
    assert noise.delta(epsilon, counts) <= delta
    assert noise.epsilon(delta, counts) <= epsilon
    assert noise.most == 2 or Noise(noise.decay, noise.most - 2).delta(epsilon, counts) > delta


def noise_decay(epsilon: float, counts: int) -> int:
    """The decay of which so many counts come to ε, whatever the chance."""
    return min(9_999, math.ceil(10_000 * math.exp(-epsilon / counts)))


@pytest.mark.parametrize("noise", [*SMALL, Noise(8_825, 210)], ids=str)
@pytest.mark.parametrize("counts", [1, 2, 8])
def test_epsilon_is_the_least_that_delta_belongs_to(noise: Noise, counts: int) -> None:
    for delta in (0.0, 1e-9, 1e-6, 1e-2, 0.3, 1.0):
        epsilon = noise.epsilon(delta, counts)
        if math.isinf(epsilon):
            assert noise.delta(700.0, counts) > delta
            continue
        assert noise.delta(epsilon, counts) <= delta
        assert epsilon == 0 or noise.delta(epsilon * (1 - 1e-9), counts) > delta


def test_delta_falls_with_epsilon_and_rises_with_the_counts() -> None:
    noise = Noise(8_000, 40)
    grid = [0.0, 0.1, 1.0, 3.0, 700.0]
    assert all(one >= other for one, other in pairwise(noise.delta(epsilon, 6) for epsilon in grid))
    assert all(one <= other for one, other in pairwise(noise.delta(0.7, counts) for counts in range(1, 9)))
    assert noise.delta(700.0, 6) > 0  # no dummy at all has a chance that no epsilon covers


def test_samples_do_not_refute_what_is_claimed() -> None:
    """What a third person's answer does to the counts of both rounds, as the curator and the analyst see them."""
    noise, samples = Noise(7_500, 24), 4_000

    def views(counts: list[int]) -> list[int]:
        return [hash(tuple(count + noise.draw() for count in counts)) % 2**31 for _ in range(samples)]

    def one_count(count: int) -> list[int]:
        return [count + noise.draw() for _ in range(samples)]

    claimed = noise.epsilon(1e-3, 1)
    shown = dc.estimate_epsilon(one_count(1), one_count(2), 1e-3, confidence=0.999, rng=1)
    assert 0 < shown.low <= claimed
    both = dc.estimate_epsilon(views([2, 1, 2, 1]), views([1, 2, 1, 2]), 1e-3, confidence=0.999, rng=1)
    assert both.low <= noise.epsilon(1e-3, 4)


@pytest.mark.parametrize(
    ("decay", "most"), [(0, 2), (10_000, 2), (5_000, 0), (5_000, 3), (5_000, 1024), (0.5, 2), (True, 2), (5_000, -2)]
)
def test_no_other_noise_is_taken(decay: int, most: int) -> None:
    with pytest.raises(MalformedError):
        Noise(decay, most)


@pytest.mark.parametrize(
    ("epsilon", "delta", "why"),
    [
        (0, 1e-6, "epsilon of noise"), (-1, 1e-6, "epsilon of noise"), ("1", 1e-6, "epsilon of noise"),
        (1, 0, "delta of noise"), (1, 1, "delta of noise"), (1, "a", "delta of noise"), (math.nan, 0.1, "epsilon of"),
        (math.inf, 0.1, "epsilon of noise"), (True, 0.1, "epsilon of noise"), (1e-4, 1e-9, "allow a larger"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_refused(epsilon: float, delta: float, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        noise_for(epsilon, delta, 4)
