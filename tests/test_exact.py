"""An exact answer is a float, or a fraction, with the value, the ends and the kind of an estimate."""

import copy
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest

import discretion as dc
from discretion.estimate import as_answer
from discretion.exact import Exact, ExactFraction

FRACTIONS = dc.Channel([[Fraction(2, 3), Fraction(1, 3)], [0, 1]])
REPORT = dc.RandomizedResponse(3, epsilon=1)
CURVE = dc.tradeoff(REPORT)


def answers_of_all_kinds() -> list[dc.Answer]:
    crowds = [dc.Shuffled(REPORT, n) for n in (2, 10, 10**6)]
    return [
        *(dc.bayes_security(crowd) for crowd in crowds),
        *(dc.mutual_information(crowd) for crowd in crowds[:2]),
        dc.bayes_risk(FRACTIONS),
        dc.prior_vulnerability([Fraction(1, 3), Fraction(2, 3)]),
        dc.prior_vulnerability([1, 0]),
        dc.ldp_epsilon(REPORT),
        dc.privacy_profile(REPORT, 0.5),
        dc.dp_epsilon(dc.Gaussian(1), 1e-5),
        dc.shannon_capacity(REPORT),
        dc.total_variation([0.5, 0.5], [1, 0]),
        dc.security.success_probability(0.5),
        dc.security.success_probability(dc.Estimate(0.5, 0.4, 0.6, 0.95, "tries")),
        dc.exposure("example:adult", 5, columns=["sex"]),
        dc.shuffling.maximum_load(10, 2),
        CURVE.advantage,
        CURVE.at(0.1),
        CURVE.delta(0.5),
        CURVE.epsilon(0.01),
        CURVE.gaussian_mu(),
    ]


def test_every_answer_has_a_value_in_its_interval_and_a_kind() -> None:
    answers = answers_of_all_kinds()
    for answer in answers:
        assert answer.low <= answer.value <= answer.high
        assert answer.value == float(answer)
        assert (answer.kind == "exact") is not isinstance(answer, dc.Estimate)
    assert {answer.kind for answer in answers} >= {"exact", "bound", "estimate"}


def test_of_arrays_every_answer_has_a_kind_where_not_all_are_exact() -> None:
    curve = dc.tradeoff(dc.SubsampledGaussian(1, 0.1, 3))
    answers = curve.at([0.0, 0.5, 1.0])
    kinds = {answer.kind for answer in answers} if answers.dtype == object else {"exact"}
    assert kinds <= {"exact", "bound"}
    assert dc.privacy_profile(REPORT, [0.1, 0.2]).dtype == np.float64


def test_an_exact_answer_is_a_float() -> None:
    exact = as_answer(0.1)
    assert isinstance(exact, float) and type(exact) is Exact and exact == 0.1 and hash(exact) == hash(0.1)
    assert repr(exact) == str(exact) == f"{exact}" == "0.1" and f"{exact:.3f}" == "0.100"
    assert json.dumps([exact]) == "[0.1]"
    assert type(exact + 1) is type(-exact) is type(round(exact, 1)) is type(exact.value) is float
    assert np.array([exact, 1.0]).dtype == np.float64 and np.log(exact) == np.log(0.1)
    for again in (pickle.loads(pickle.dumps(exact)), copy.copy(exact), copy.deepcopy(exact)):
        assert again == exact and again.kind == "exact"
    assert type(as_answer(np.float64(0.1)).value) is float


def test_an_exact_fraction_is_a_fraction() -> None:
    exact = as_answer(Fraction(1, 3))
    assert isinstance(exact, Fraction) and type(exact) is ExactFraction and exact == Fraction(1, 3)
    assert hash(exact) == hash(Fraction(1, 3))
    assert repr(exact) == "Fraction(1, 3)" and str(exact) == "1/3" and type(exact + 1) is Fraction
    assert exact.low == exact.value == exact.high == 1 / 3
    for again in (pickle.loads(pickle.dumps(exact)), copy.copy(exact), copy.deepcopy(exact)):
        assert again == exact and again.kind == "exact"


def test_data_frames_hold_exact_answers_as_floats() -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    exact = as_answer(0.1)
    assert pandas.Series([exact, exact]).dtype == np.float64
    assert polars.Series([exact, 1.0]).dtype == polars.Float64
    assert polars.DataFrame({"x": [exact]}).schema["x"] == polars.Float64


@pytest.mark.parametrize("other", [True, "closed form", None, (1, 2)])
def test_what_is_no_number_stays_what_it_is(other: object) -> None:
    assert as_answer(other) is other


def test_every_answer_names_its_confidence_and_its_assumption_and_an_exact_one_has_neither() -> None:
    for answer in answers_of_all_kinds():
        assert answer.certified == (answer.confidence is None and answer.assuming is None)
        assert answer.kind != "exact" or answer.certified
