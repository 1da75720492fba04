"""Arrays where users pass arrays: each answer is that of its own number."""

import numpy as np
import pytest

import discretion as dc

BOUNDED = dc.repeated(dc.Laplace(1.0), 3)
SYSTEMS = {"exact": dc.Gaussian(1.0), "bounded": BOUNDED, "channel": dc.RandomizedResponse(3, epsilon=1)}
QUESTIONS = {
    "privacy_profile": (dc.privacy_profile, [0.0, 0.5, 2.0]),
    "dp_epsilon": (dc.dp_epsilon, [1e-5, 1e-6, 0.1]),
    "renyi_dp": (dc.renyi_dp, [0.5, 1, 2]),
    "at": (lambda system, levels: dc.tradeoff(system).at(levels), [0.01, 0.05, 1.0]),
    "true_positive_rate": (lambda system, levels: dc.tradeoff(system).true_positive_rate(levels), [0.01, 0.05, 1.0]),
    "precision": (lambda system, levels: dc.tradeoff(system).precision(0.1, levels), [0.01, 0.05, 1.0]),
    "delta": (lambda system, levels: dc.tradeoff(system).delta(levels), [0.0, 0.5, 2.0]),
    "epsilon": (lambda system, levels: dc.tradeoff(system).epsilon(levels), [1e-2, 0.1, 0.3]),
}


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("kind", SYSTEMS)
def test_an_array_of_levels_is_answered_one_by_one_in_its_shape(name, kind):
    ask, levels = QUESTIONS[name]
    system, given = SYSTEMS[kind], np.array(levels)
    alone = [ask(system, level) for level in levels]
    is_exact = not any(isinstance(answer, dc.Estimate) for answer in alone)
    for asked in (levels, tuple(levels), given, given[None, :], given[:, None]):
        answers = ask(system, asked)
        assert isinstance(answers, np.ndarray)
        assert answers.shape == np.shape(asked)
        assert answers.dtype == (np.float64 if is_exact else np.object_)
        # A curve keeps the lines it has looked at, so that the last digit depends on what was asked before.
        assert [*map(float, answers.ravel())] == pytest.approx([*map(float, alone)], rel=1e-11)
    assert not isinstance(ask(system, given[0]), np.ndarray)
    assert ask(system, []).shape == (0,)


def test_priors_and_rates_are_broadcast():
    curve = dc.tradeoff(dc.Gaussian(1.0))
    table = curve.precision([[0.1], [0.5]], [0.01, 0.1, 0.2])
    assert table.shape == (2, 3)
    assert table[1, 2] == curve.precision(0.5, 0.2)


@pytest.mark.parametrize("levels", [[0, "x"], [[1], [1, 2]], [0, None], [0.5, -1]], ids=repr)
def test_one_wrong_level_is_named(levels):
    with pytest.raises(dc.errors.InvalidValueError, match="epsilon must be"):
        dc.privacy_profile(dc.Gaussian(1.0), levels)


def test_a_method_is_named_of_one_level():
    assert dc.method(dc.privacy_profile, dc.Gaussian(1.0), 0.5).rung == "closed form"
