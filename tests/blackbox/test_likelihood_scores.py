"""Scores of outputs: above 0 where x is likelier, 0 where nothing is known."""

import numpy as np
import pytest

from discretion.blackbox.likelihood_scores import bin_scores, classifier_scores, count_scores, distance_scores


class Guesser:
    def fit(self, X, y):
        self.most = bool(np.mean(y) > 0.5)

    def predict(self, X):
        return np.full(len(X), self.most)

    def predict_proba(self, X):
        raise AssertionError("of a single input nothing is learned")


NUMBERS = {"bins": bin_scores, "distances": distance_scores}


@pytest.mark.parametrize("scores", NUMBERS.values(), ids=NUMBERS)
def test_where_more_of_x_lies_the_score_is_positive(scores):
    rng = np.random.default_rng(1)
    is_x = rng.integers(2, size=4000) > 0
    known = np.where(is_x, rng.normal(1, size=4000), rng.normal(-1, size=4000))
    found = scores(known, is_x, np.array([-5.0, -2.0, -1.0, 1.0, 2.0, 5.0]))
    assert (found[:3] < 0).all()
    assert (found[3:] > 0).all()


def test_a_value_that_fills_a_bin_is_one_by_itself():
    """Zeros of y among other numbers, which are of either alike."""
    rng = np.random.default_rng(2)
    numbers = np.concatenate([rng.uniform(-1, 1, 2000), np.zeros(1000)])
    is_x = np.concatenate([np.arange(2000) % 2 > 0, np.zeros(1000, dtype=bool)])
    beside, zero, above = bin_scores(numbers, is_x, np.array([-1e-9, 0.0, 1e-9]))
    assert zero < -5
    assert min(beside, above) > -2


def test_the_furthest_numbers_have_thinner_bins():
    """One in two hundred of x lies far out, where nothing of y does."""
    rng = np.random.default_rng(3)
    is_x = np.arange(20_000) % 2 > 0
    numbers = rng.normal(size=20_000)
    numbers[1::400] = 50 + rng.random(50)
    assert bin_scores(numbers, is_x, np.array([50.5]))[0] > 2


def test_what_was_never_seen_tells_nothing():
    assert count_scores(np.array([0, 0, 1]), np.array([True, True, False]), np.array([2, 0, 1]))[0] == 0


@pytest.mark.parametrize("side", [True, False])
def test_of_one_input_alone_nothing_is_learned(side):
    known, asked, is_x = np.arange(8.0), np.array([0.5, 20.0]), np.full(8, side)
    assert distance_scores(known, is_x, asked).tolist() == [0, 0]
    assert classifier_scores(Guesser())(known, is_x, asked).tolist() == [side - 0.5] * 2


def test_outputs_that_all_lie_at_one_place_tell_nothing():
    is_x = np.arange(20) % 2 > 0
    assert distance_scores(np.zeros((20, 2)), is_x, np.zeros((1, 2))).tolist() == [0]
