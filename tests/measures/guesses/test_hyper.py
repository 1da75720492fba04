"""What may be believed and how likely that is: against Bayes' rule, and what it says of every gain."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from channels.storage.table import STORAGES
from oracles.promise import exactly
from oracles.strategies import gains, problems
from support.lowering import lowered


def by_the_rule(matrix, prior):
    """Each posterior, rounded, with its probability."""
    joint = matrix * (np.full(len(matrix), 1 / len(matrix)) if prior is None else prior)[:, None]
    found = {}
    for column in joint.T:
        if column.sum() > 0:
            posterior = tuple((column / column.sum()).round(9) + 0.0)
            found[posterior] = found.get(posterior, 0) + column.sum()
    return found


def said(hyper):
    return {tuple(inner.round(9) + 0.0): p for inner, p in zip(hyper.inners, hyper.outer, strict=True)}


@given(problems())
def test_the_posteriors_are_those_of_bayes_rule_each_once(problem):
    matrix, prior, _ = problem
    found = dc.hyper(dc.Channel(matrix), prior)
    assert len(found.outer) == len(found.inners) == len(said(found))
    assert said(found) == pytest.approx(by_the_rule(matrix, prior))
    assert found.outer @ found.inners == pytest.approx(dc.uniform(len(matrix)) if prior is None else prior)
    assert found.inners.sum(axis=1) == pytest.approx(1)
    assert found.outer.sum() == exactly(1)


@given(problems(), st.data())
def test_what_a_guess_gains_is_the_mean_over_the_posteriors(problem, data):
    matrix, prior, _ = problem
    gain = data.draw(gains(len(matrix)))
    gain = dc.identity_gain(len(matrix)) if gain is None else dc.gain_matrix(gain)
    found = dc.hyper(dc.Channel(matrix), prior)
    worth = [dc.prior_vulnerability(inner, gain) for inner in found.inners]
    mean = found.outer @ worth
    assert dc.posterior_vulnerability(dc.Channel(matrix), prior, gain) == pytest.approx(mean, abs=1e-12)


@pytest.mark.parametrize("storage", STORAGES)
def test_it_is_the_same_in_any_storage(storage):
    matrix = np.array([[0.5, 0.25, 0, 0.25, 0], [0.25, 0.125, 0.5, 0.125, 0], [0, 0, 0.5, 0.5, 0]])
    for prior in (None, np.array([0.25, 0.75, 0]), np.array([0, 1.0, 0])):
        found = dc.hyper(STORAGES[storage](matrix), prior)
        assert said(found) == pytest.approx(by_the_rule(matrix, prior))
    assert len(found.outer) == 1


def test_observations_that_say_the_same_under_this_prior_are_one():
    C = dc.Channel([[0.5, 0.5, 0], [0.5, 0.5, 0], [0.1, 0.2, 0.7]])
    assert len(C.reduced().outputs) == 3
    assert dc.hyper(C, [0.5, 0.5, 0]).outer.tolist() == [1]
    assert dc.hyper(C).outer.size == 3


def test_a_crowd_has_a_posterior_for_each_histogram_that_tells_another_tale():
    seen = dc.Shuffled(dc.RandomizedResponse(3, p=0.8), 4).seen_by(dc.Uninformed())
    found = dc.hyper(seen)
    assert found.outer.size == 15
    assert found.outer @ found.inners.max(axis=1) == exactly(dc.posterior_vulnerability(seen))
    known = dc.Exchangeable([0.5, 1, 2])
    among = dc.hyper(dc.Shuffled(dc.RandomizedResponse(3, p=0.8), 4).seen_by(known))
    assert among.outer @ among.inners == pytest.approx(known.prior)


def test_it_shows_itself():
    C = dc.Channel([[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0.5, 0.5]], inputs=["flu", "cold", "none"])
    found = dc.hyper(C, [0.5, 0.25, 0.25])
    assert repr(found) == "Hyper(3 posteriors of 3 secrets)"
    assert found.to_frame().to_pydict() == {
        "probability": [0.375, 0.375, 0.25],
        "flu": exactly_all([2 / 3, 2 / 3, 0]),
        "cold": exactly_all([1 / 3, 0, 0.5]),
        "none": exactly_all([0, 1 / 3, 0.5]),
    }
    assert "| 37.5 % | 66.67 % | 33.33 % | 0 % |" in found.to_markdown()
    assert "cold: 33.3 %" in found.chart().to_dict()["description"]
    many = dc.hyper(dc.Channel(np.eye(30)))
    assert "30 posteriors of 30 secrets; the table has the first 8 secrets." in many.to_markdown()
    assert r"and 20 more, in .to\_frame()" in many.to_markdown()
    assert "1 posterior of 1 secret." in dc.hyper(dc.Channel([[1.0]])).to_markdown()
    with pytest.raises(dc.errors.InvalidValueError, match=r"got 30.*discretion\.restricted"):
        many.chart()


def exactly_all(values):
    return pytest.approx(values, rel=1e-10, abs=1e-12)


def test_labels_that_read_alike_keep_their_columns():
    frame = dc.hyper(dc.Channel(np.eye(3), inputs=[1, "1", "probability"])).to_frame()
    assert frame.column_names == ["probability", "1", "1", "probability"]


def test_it_does_not_change():
    found = dc.hyper(dc.RandomizedResponse(3, p=0.5))
    for part in (found.outer, found.inners):
        with pytest.raises(ValueError, match="read-only"):
            part[0] = 0


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: dc.hyper([[1, 0]]), r"discretion\.Channel"),
        (lambda: dc.hyper(dc.Channel(np.eye(3)), [0.5, 0.5]), r"\(3\), got 2"),
        (lambda: dc.hyper(dc.Laplace(1)), "Laplace"),
        (lambda: dc.hyper(dc.Shuffled(dc.RandomizedResponse(3, p=0.5), 9).seen_by(dc.WorstAllButOne())), "AllButOne"),
    ],
)
def test_what_has_no_posteriors_is_refused(ask, words):
    with pytest.raises(dc.errors.DiscretionError, match=words):
        ask()


def test_what_is_stored_is_read_into_memory_or_refused():
    C = STORAGES["mapped"](np.full((5, 4), 0.25))
    with lowered(MAX_ENTRIES=10), pytest.raises(dc.errors.TooLargeError, match="measure it where it is stored"):
        dc.hyper(C)
