"""What each party can guess, beside going through all that people may hold and tell."""

import math

import numpy as np
import pytest

from discretion.collection.randomizers import randomizer_of
from discretion.collection.results.guesses import BOUND, among_known, guess_of
from discretion.estimate import Estimate, highest, lowest
from oracles.collecting import channel_of, least_security_among_known, shuffled_guess
from support.collection.drawn_results import features_of
from support.lowering import lowered

KRR = "krr:epsilon=1"
ONE = [features_of(1), features_of(1, randomizers=[KRR]), features_of(2, randomizers=[KRR])]
TWO = [features_of(1, 1, randomizers=[KRR, None]), features_of(1, 1, randomizers=[KRR, KRR])]


def law_of(features, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(math.prod(f.codes for f in features)))


@pytest.mark.parametrize("features", ONE)
@pytest.mark.parametrize("people", [1, 2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_a_guess_is_that_of_all_bags_of_reports(features, people: int, seed: int) -> None:
    law = law_of(features, seed)
    guess = guess_of(features, law, people, 0)
    assert guess.before == pytest.approx(law.max())
    assert guess.after == pytest.approx(shuffled_guess(channel_of(features, randomizer_of), law, people))


@pytest.mark.parametrize("features", TWO)
@pytest.mark.parametrize("people", [1, 2])
def test_a_guess_of_answers_to_two_features(features, people: int) -> None:
    law = law_of(features, 1)
    after = guess_of(features, law, people, 0).after
    assert after == pytest.approx(shuffled_guess(channel_of(features, randomizer_of), law, people))


@pytest.mark.parametrize("features", ONE + TWO)
@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_only_bounded_lies_within(features, people: int, seed: int) -> None:
    if len(features) == 2 and people == 3:
        people = 2
    law = law_of(features, seed)
    with lowered(MAX_ANSWERS_GUESSED=1):
        bound = guess_of(features, law, people, 0).after
    assert isinstance(bound, Estimate)
    assert (bound.method, bound.certified) == (BOUND, True)
    truth = shuffled_guess(channel_of(features, randomizer_of), law, people)
    assert bound.low - 1e-12 <= truth <= bound.high


def test_a_sample_narrows_what_is_certified_and_no_more() -> None:
    features, law = features_of(10), np.random.default_rng(0).dirichlet(np.ones(12))
    sampled = guess_of(features, law, 500, 0).after
    with lowered(MAX_ANSWERS_GUESSED=1):
        bound = guess_of(features, law, 500, 0).after
    assert lowest(bound) <= lowest(sampled) <= highest(sampled) < highest(bound)
    assert guess_of(features, law, 500, 0).after == sampled  # the same seed


def test_shares_below_0_are_none() -> None:
    guess = guess_of(features_of(1, randomizers=[KRR]), np.array([1.1, -0.1, 0.0]), 10, 0)
    assert (guess.before, guess.after) == (1.0, pytest.approx(1.0))


def test_an_answer_that_all_give_is_known_before() -> None:
    guess = guess_of(features_of(1, 1), np.array([1.0]), 10, 0)
    assert (guess.before, guess.after) == (1.0, 1.0)


@pytest.mark.parametrize("features", ONE)
@pytest.mark.parametrize("people", [1, 2, 3])
def test_who_knows_all_others_is_as_sure_as_the_worst_others_let_her(features, people: int) -> None:
    if features[0].codes == 4 and people == 3:
        people = 2
    found = among_known(features[0], people)
    truth = least_security_among_known(channel_of(features, randomizer_of), people)
    assert lowest(found.bayes_security) - 1e-9 <= truth <= highest(found.bayes_security) + 1e-9
    if features[0].randomizer is None:
        assert (found.epsilon, found.bayes_security) == (math.inf, 0.0)
    else:
        assert found.epsilon == pytest.approx(1)
        with lowered(MAX_ANSWERS_GUESSED=1):
            alone = among_known(features[0], people).bayes_security
        assert lowest(alone) <= truth + 1e-12
