"""A job by itself: its steps, its limits, and no plan that is made for nothing."""

from typing import Any

import pytest

import discretion as dc
from discretion.errors import InvalidValueError, TooLargeError
from discretion.jobs.measure import measure
from discretion.jobs.scenario import Scenario
from discretion.measures.measure import Plan
from jobs.limited import Limited

RR = dc.RandomizedResponse


def test_every_answer_is_a_step() -> None:
    monitor = Limited(100)
    found = measure(RR(5, 1), Scenario(users=100, epsilon=0.5, delta=0.01), monitor=monitor)
    assert monitor.seen == list(found.answers)
    assert not found.not_computed


def test_beyond_a_limit_the_answers_so_far_stay() -> None:
    found = measure(RR(5, 1), Scenario(), monitor=Limited(2))
    assert list(found.answers) == ["prior_vulnerability", "posterior_vulnerability"]
    assert set(found.not_computed.values()) == {"enough"}
    assert "bayes_security" in found.to_dict()["not_computed"]


def test_a_limit_before_the_first_answer_is_an_error() -> None:
    with pytest.raises(TooLargeError, match="enough"):
        measure(RR(5, 1), Scenario(), monitor=Limited(0))


def test_what_was_named_and_has_no_answer_is_an_error() -> None:
    certain = Scenario(prior=[1, 0])
    assert "bayes_security" in measure(RR(2, 1), certain).not_computed
    with pytest.raises(InvalidValueError, match="at least two possible secrets"):
        measure(RR(2, 1), certain, only=["bayes_security"])


@pytest.mark.parametrize("shuffled", [False, True])
def test_no_plan_is_made_to_be_thrown_away(monkeypatch: pytest.MonkeyPatch, shuffled: bool) -> None:
    unused: dict[int, str] = {}
    make = Plan.__init__

    def made(plan, method, compute) -> None:
        unused[len(unused)] = method.name
        number = len(unused) - 1

        def computed():
            unused[number] = ""
            return compute()

        make(plan, method, computed)

    monkeypatch.setattr(Plan, "__init__", made)
    levels = {} if shuffled else {"epsilon": 0.5, "delta": 0.01}
    found = measure(RR(5, 1), Scenario(users=10, **levels), shuffled=shuffled)
    assert not found.not_computed
    assert len(unused) >= 8
    assert not any(unused.values())


@pytest.mark.parametrize(
    ("arguments", "sentences"),
    [
        ({}, ["The adversary sees one output; every secret is equally likely beforehand."]),
        ({"prior": [0.7, 0.3]}, ["The adversary sees one output; the secret follows your prior."]),
        (
            {"users": 50, "delta": 1e-6, "shuffled": True},
            [
                "The adversary sees the shuffled reports of 50 people and knows no other answer, if all",
                "For dp_epsilon it knows all other answers, in the worst case.",
                "For every prior: bayes_security, multiplicative_bayes_capacity, shannon_capacity, dp_epsilon.",
            ],
        ),
        (
            {"users": 50, "shuffled": True, "knowledge": dc.WorstAllButOne(), "only": ["leakage"]},
            ["knows all other answers, in the worst case."],
        ),
    ],
)
def test_the_document_names_the_adversary(arguments: dict[str, Any], sentences: list[str]) -> None:
    of_job = {name: arguments.pop(name) for name in ("shuffled", "only") if name in arguments}
    text = measure(dc.RandomizedResponse(2, epsilon=1), Scenario(**arguments), **of_job).to_markdown()
    for sentence in sentences:
        assert sentence in text.replace("\\", "")
