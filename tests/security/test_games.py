"""The games of Bayes-sec, played: the adversary wins as often as the metric of each game says."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.errors import InvalidPriorError, InvalidValueError
from discretion.security import chosen_observation_game, chosen_secrets_game, indistinguishability_game
from oracles.promise import exactly
from oracles.strategies import matrices, priors

SEVERAL = st.integers(2, 4)
SYSTEMS = {
    "a channel": dc.Channel([[0.9, 0.1, 0], [0.8, 0.2, 0], [0.5, 0.1, 0.4]]),
    "randomized response": dc.RandomizedResponse(5, epsilon=1),
    "subset selection": dc.SubsetSelection(5, epsilon=2),
    "a crowd": dc.Shuffled(dc.RandomizedResponse(3, p=0.8), 5).seen_by(dc.AllButOne([2, 1, 1])),
    "nothing": dc.Channel([[1.0], [1.0]]),
    "everything": dc.Channel(np.eye(3)),
}
every_system = pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)


@given(st.data())
def test_the_first_game_is_lost_with_the_share_of_the_guessing_error_that_is_kept(data):
    matrix = data.draw(matrices(rows=SEVERAL))
    prior = data.draw(priors(len(matrix)))
    law = np.full(len(matrix), 1 / len(matrix)) if prior is None else np.array(prior)
    chance = indistinguishability_game(dc.Channel(matrix), prior).chance
    assert chance == exactly(sum((law[:, None] * matrix).max(axis=0)))
    if law.max() < 1:
        assert 1 - chance == pytest.approx(dc.bayes_security(dc.Channel(matrix), law) * (1 - law.max()), abs=1e-12)


@every_system
def test_who_chooses_the_secrets_is_wrong_half_as_often_as_bayes_security_says(system):
    game = chosen_secrets_game(system)
    assert game.chance == pytest.approx(1 - dc.bayes_security(system) / 2, abs=1e-12)
    assert game.secrets == dc.leakiest_pair(system)


@every_system
def test_who_chooses_the_observation_too_wins_as_often_as_epsilon_says(system):
    game = chosen_observation_game(system)
    assert game.chance == pytest.approx(1 / (1 + math.exp(-dc.ldp_epsilon(system))), rel=1e-12)
    assert len(set(game.secrets)) == 2
    channel = system.channel()
    a, b = (channel.inputs.index(secret) for secret in game.secrets)
    seen = channel.outputs.index(*game.observations)
    assert channel.dense()[a, seen] >= channel.dense()[b, seen]


@every_system
def test_the_more_the_adversary_may_choose_the_oftener_she_wins(system):
    two = dc.restricted(system, dc.leakiest_pair(system))
    assert indistinguishability_game(two).chance == pytest.approx(chosen_secrets_game(system).chance)
    assert chosen_secrets_game(system).chance <= chosen_observation_game(system).chance + 1e-12


@every_system
@pytest.mark.parametrize("make", [indistinguishability_game, chosen_secrets_game, chosen_observation_game])
def test_rounds_are_won_as_often_as_the_chance_says(system, make):
    game = make(system)
    won = game.play(50_000, confidence=1 - 1e-9, rng=7)
    assert won.low <= game.chance <= won.high
    assert won.high - won.low < 0.06
    assert won == game.play(50_000, confidence=1 - 1e-9, rng=7)


def test_the_intervals_of_played_games_cover_as_often_as_they_say():
    game = indistinguishability_game(dc.RandomizedResponse(3, epsilon=1), [0.5, 0.3, 0.2])
    played = [game.play(50, confidence=0.8, rng=seed) for seed in range(400)]
    assert sum(won.low <= game.chance <= won.high for won in played) >= 0.8 * 400 - 3 * math.sqrt(400 * 0.16)


def test_a_game_needs_rounds_secrets_and_a_prior():
    game = indistinguishability_game(dc.RandomizedResponse(2, epsilon=1))
    with pytest.raises(InvalidValueError, match="rounds must be"):
        game.play(0)
    with pytest.raises(InvalidValueError, match="confidence must be"):
        game.play(10, confidence=1)
    with pytest.raises(InvalidPriorError, match=r"one probability per secret \(2\), got 3"):
        indistinguishability_game(dc.RandomizedResponse(2, epsilon=1), [0.2, 0.3, 0.5])
    for make in (chosen_secrets_game, chosen_observation_game):
        with pytest.raises(InvalidValueError, match="one"):
            make(dc.Channel([[0.5, 0.5]]))
