"""A comparison by itself: its steps, its limits, and its curves."""

import pytest

import discretion as dc
from discretion.errors import InvalidPriorError, TooLargeError
from discretion.jobs.compare import compare
from discretion.jobs.scenario import Scenario
from discretion.jobs.target import target_of
from discretion.refinement import Order
from discretion.spelling import mechanism_of
from jobs.limited import Limited

TEXTS = ["krr:k=2,epsilon=1", "oue:k=2,epsilon=1"]
SYSTEMS = {text: mechanism_of(text) for text in TEXTS}


def test_every_answer_is_a_step_that_names_its_mechanism() -> None:
    monitor, scenario = Limited(100), Scenario(users=20, seed=1)
    found = compare(SYSTEMS, scenario, target_of("posterior_vulnerability<=0.6", scenario), monitor=monitor)
    assert {step.partition(": ")[0] for step in monitor.seen} == {*TEXTS, "all"}
    assert len(monitor.seen) == len(set(monitor.seen)) >= 2 * 8
    for row in found.answers.values():
        assert not row.not_computed
        assert row.shuffled is not None
        assert row.target is not None
        assert row.target["met"] == (row.shuffled["posterior_vulnerability"] <= 0.6)
    assert found.tradeoff is None


def test_beyond_a_limit_the_answers_so_far_stay() -> None:
    first, second = compare(SYSTEMS, Scenario(seed=1), monitor=Limited(2)).answers.values()
    assert list(first.alone) == ["ldp_epsilon", "posterior_vulnerability"]
    assert second.alone == {}
    assert set(second.not_computed.values()) == {"enough"}


def test_which_mechanism_is_safer_is_said_of_several_or_why_not() -> None:
    found = compare(SYSTEMS, Scenario(seed=1))
    assert isinstance(found.order, Order)
    assert found.order.covers == (((TEXTS[0],), (TEXTS[1],)),)
    assert found.to_dict()["refinement"] == found.order.to_dict()
    others = compare(SYSTEMS | {"krr:k=3,epsilon=1": dc.RandomizedResponse(3, 1)}, Scenario(seed=1))
    assert "(2) and the second's (3) must be equal in number" in others.to_dict()["refinement"]["not_computed"]
    large = {f"krr:k=1000,epsilon={e}": dc.RandomizedResponse(1000, e) for e in (1, 2)}
    (reason,) = compare(large, Scenario(seed=1)).order.undecided.values()
    assert "takes some steps of over 268,435,456 multiplications" in reason
    alone = compare({TEXTS[0]: SYSTEMS[TEXTS[0]]}, Scenario(seed=1))
    assert alone.order is None
    assert "refinement" not in alone.to_dict()


def test_a_curve_that_is_cut_short_is_an_error() -> None:
    steps = Limited(1000)
    compare(SYSTEMS, Scenario(seed=1), monitor=steps)
    with pytest.raises(TooLargeError, match="enough"):
        compare(SYSTEMS, Scenario(seed=1), epsilons=[1], monitor=Limited(len(steps.seen) + 1))


def test_what_does_not_fit_is_refused_before_any_step() -> None:
    monitor = Limited(100)
    with pytest.raises(InvalidPriorError, match="one probability per secret"):
        compare({"krr:k=3,epsilon=1": dc.RandomizedResponse(3, 1)}, Scenario(prior=[0.5, 0.5]), monitor=monitor)
    assert not monitor.seen


def test_the_note_names_each_column_whose_adversary_knows_more() -> None:
    mechanism = {"krr:k=2,p=0.75": dc.RandomizedResponse(2, p=0.75)}
    text = compare(mechanism, Scenario(users=20, epsilon=0.0, delta=1e-6)).to_markdown().replace("\\", "")
    assert "The adversary knows no other answer, if all answers are equally frequent." in text
    assert "For δ(0) and ε(1e-06) it knows all other answers, in the worst case." in text
    worst = Scenario(users=20, epsilon=0.0, knowledge=dc.WorstAllButOne())
    assert "For δ" not in compare(mechanism, worst).to_markdown()
