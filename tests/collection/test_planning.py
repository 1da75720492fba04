"""How many people a collection needs, beside all sets of questions gone through by the bound's definition."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path
from random import Random

import numpy as np
import pytest

from discretion.collection import Feature
from discretion.collection.errors import MalformedError
from discretion.collection.parts.choosing import choice_of, exposure_of
from discretion.collection.planning import (
    Shares,
    _sent,
    equal_shares,
    expected_counts,
    given_shares,
    people_needed,
    plan_collection,
)
from discretion.collection.results.documents import plan_document
from discretion.collection.rules import with_rules
from discretion.collection.wire.noise import Noise
from discretion.collection.wire.task import Task, redacted_codes
from discretion.presenting.views.markdown import to_markdown
from support.cli_runner import run
from support.collection.in_process import made

EXAMPLE = Path(__file__).parents[2] / "docs" / "collect.toml"
NOISES = [None, None, Noise(7_000, 8)]
FEATURES = (Feature("a", ("1", "2", "3")), Feature("b", ("1", "2")), Feature("c", ("1", "2", "3", "4")))


def task_of(**changed: object) -> Task:
    return made(FEATURES, **({"k": 10, "budget": "0.01", "smallest_batch": 50} | changed)).task  # pyright: ignore[reportArgumentType]


def drawn(draw: Random, task: Task) -> Shares:
    laws = {}
    for feature in task.features:
        law = np.array([draw.random() ** 2 for _ in feature.values] + [draw.choice([0.0, 0.01]), 0.0])
        laws[feature.name] = law / law.sum()
    return laws


def may_stand_out(counts: list[list[int]], k: int) -> int:
    """By definition: the least of Σ rare + (k - 1)·Π kept over all cuts; of one question the rare ones alone."""
    if len(counts) == 1:
        return sum(count for count in counts[0] if count < k)
    people = sum(counts[0])
    cuts = [[0, *sorted({count for count in each if count})] for each in counts]
    totals = [
        sum(sum(count for count in each if count < cut) for each, cut in zip(counts, chosen, strict=True))
        + (k - 1) * prod(sum(count >= max(cut, 1) for count in each) for each, cut in zip(counts, chosen, strict=True))
        for chosen in product(*cuts)
    ]
    return min(people, *totals)


def goes_out(task: Task, laws: Shares, names: tuple[str, ...], people: int) -> bool:
    """What dummies may be is off, half of it on average; whoever is not certain to be alike stands out."""
    off = 0 if task.noise is None else task.noise.mean * len(task.shufflers)
    counts = [[max(int(count) - off, 0) for count in expected_counts(laws[name], people)] for name in names]
    counts = [[*filter(None, each), *[1] * (people - sum(each))] for each in counts]
    return Fraction(may_stand_out(counts, task.k), people) <= Fraction(task.budget)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(12))
def test_the_questions_that_go_out_are_the_most_of_all_sets_that_the_bound_lets_out(seed: int) -> None:
    draw = Random(seed)
    task = task_of(k=draw.randint(2, 12), budget=str(draw.choice([0.01, 0.05, 0.2])), noise=draw.choice(NOISES))
    laws, users = drawn(draw, task), draw.choice([60, 400, 3_000])
    plan = plan_collection(task, users, laws, "drawn")
    names = [feature.name for feature in task.features]
    sets = [chosen for size in (1, 2, 3) for chosen in combinations(names, size)]
    most = max((len(chosen) for chosen in sets if goes_out(task, laws, chosen, users)), default=0)
    assert len(plan.released) == most
    assert not plan.released or goes_out(task, laws, plan.released, users)


@pytest.mark.parametrize("seed", range(12))
def test_with_so_many_people_they_go_out_and_with_one_fewer_not(seed: int) -> None:
    draw = Random(100 + seed)
    task = task_of(k=draw.randint(2, 12), budget=str(draw.choice([0.01, 0.05])), noise=draw.choice(NOISES))
    laws = drawn(draw, task)
    for chosen in (("a",), ("a", "b"), ("a", "b", "c")):
        people = people_needed(task, laws, chosen)
        if people is not None:
            assert goes_out(task, laws, chosen, people)
            assert people == task.smallest_batch or not goes_out(task, laws, chosen, people - 1)


def test_noise_needs_more_people_and_the_plan_says_so() -> None:
    plain, noisy = (
        plan_collection(task, 3_000, equal_shares(task), "equal") for task in (task_of(), task_of(noise=NOISES[-1]))
    )
    for exact, less in zip(plain.needed, noisy.needed, strict=True):
        assert exact.people is not None
        assert less.people is not None
        assert less.people > exact.people
    assert (plain.dummies, noisy.dummies) == (0, 4)
    assert "Shufflers add 4 dummies to each count on average" in str(plan_document(noisy).blocks)
    assert "dummies" not in str(plan_document(plain).blocks)


def test_all_questions_come_last_and_each_set_has_the_one_before() -> None:
    task = task_of()
    plan = plan_collection(task, 500, equal_shares(task), "equal")
    sets = [{*each.features} for each in plan.needed]
    assert [len(each) for each in sets] == [1, 2, 3]
    assert sets[0] < sets[1] < sets[2]
    people = [each.people for each in plan.needed if each.people is not None]
    assert people == sorted(people)
    assert plan.needed[-1].people == people_needed(task, equal_shares(task), ("a", "b", "c")) == 24 * 9 * 100


def test_fewer_answers_are_named_only_where_fewer_people_are_enough_then() -> None:
    task = task_of()
    shares = given_shares(task, {"a": {"1": 0.5, "2": 0.4}, "b": {"1": 0.5, "2": 0.5}, "c": {"1": 0.9, "2": 0.1}})
    plan = plan_collection(task, 500, shares, "given")
    everything = plan.needed[-1].people
    assert everything is not None
    assert all(each.people < everything for each in plan.coarser)


def test_counts_of_so_many_people_are_whole_and_within_one_of_their_shares() -> None:
    draw = np.random.default_rng(1)
    for people in (1, 7, 1000, 10**9):
        law = draw.dirichlet(np.ones(9))
        counts = expected_counts(law, people)
        assert counts.sum() == people
        assert (np.abs(counts - law * people) < 1).all()


@pytest.mark.parametrize("given, why", [
    ({"a": {"1": 1}}, "shares of the answers to 'b' are missing"),
    ({"z": {}}, "no question 'z'; it has a, b, c"),
    ({"a": {"9": 1}, "b": {}, "c": {}}, "'a' has no answer '9'; it has 1, 2, 3, other, missing"),
    ({"a": {"1": 0.7, "2": 0.4}, "b": {}, "c": {}}, "they add up to 1.1"),
    ({"a": {"1": -0.1}, "b": {}, "c": {}}, "at least 0"),
    ({"a": {"1": "x"}, "b": {}, "c": {}}, "a table of answers and numbers"),
    ({"a": 3, "b": {}, "c": {}}, "a table of answers and numbers"),
])  # fmt: skip
def test_shares_that_are_none_are_named(given: dict[str, object], why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        given_shares(task_of(), given)


@pytest.mark.parametrize("users", [49, 10**10 + 1])
def test_fewer_people_than_a_batch_has_are_not_planned(users: int) -> None:
    task = task_of()
    with pytest.raises(MalformedError, match="at least 50 people, the smallest batch"):
        plan_collection(task, users, equal_shares(task), "equal")


def released(option: str, path: Path) -> list[str]:
    """Return what the example releases of 2,000 people with the shares that an option names."""
    code, out, err = run("collect", "plan", str(EXAMPLE), "--users", "2000", option, str(path), "--json")
    assert (code, err) == (0, "")
    return json.loads(out)["results"]["released"]


def test_the_example_s_plan_is_what_its_page_shows(tmp_path: Path) -> None:
    code, out, err = run("collect", "plan", str(EXAMPLE), "--users", "1000")
    assert (code, err) == (0, "")
    page = (EXAMPLE.parent / "how-to" / "collecting.md").read_text(encoding="utf-8")
    assert "\n".join(line.rstrip() for line in out.strip().splitlines()) in page
    shares = {"age": {"under 30": 0.5, "30 to 59": 0.5}, "town": {"Lima": 1}, "service": {"doctor": 0.9}}
    (tmp_path / "shares.json").write_text(json.dumps(shares))
    assert released("--shares", tmp_path / "shares.json") == ["age", "town"]


def test_shares_may_be_those_of_a_table(tmp_path: Path) -> None:
    rows = ["age,town,service", *(f"{('under 30', '30 to 59')[place % 2]},Lima,doctor" for place in range(20))]
    (tmp_path / "people.csv").write_text("\n".join(rows) + "\n")
    assert released("--like", tmp_path / "people.csv") == ["age", "town"]


@pytest.mark.long
def test_where_other_people_answer_half_of_them_are_counted_and_the_others_certified_with_the_confidence() -> None:
    task = task_of(other_people="0.9", budget="0.05", smallest_batch=1_000)
    laws = equal_shares(task)
    with pytest.raises(MalformedError, match="at least 2,000 people, the smallest batch in each round"):
        plan_collection(task, 1_999, laws, "equal")
    plan = plan_collection(task, 4_000, laws, "equal")
    counts = {name: expected_counts(law, 2_000) for name, law in laws.items()}
    choice = choice_of(task, counts, confidence=0.9)
    assert choice is not None
    assert plan.exposure == choice.exposure
    assert plan.released == tuple(task.features[place].name for place in choice.chosen)
    assert "Half of the people answer the single questions" in to_markdown(plan_document(plan))
    same = plan_collection(replace(task, other_people=None), 4_000, laws, "equal")
    assert len(same.released) >= len(plan.released)
    enough = people_needed(task, laws, ("a", "b"))
    assert enough is not None
    for people, goes in ((enough, True), (enough - 1, False)):
        half = {name: expected_counts(law, people // 2) for name, law in laws.items()}
        certified = exposure_of(task, half, (0, 1), 0.9).high
        assert (certified <= 0.05 and people // 2 >= 1_000) == goes


def test_rules_redact_as_many_as_on_average_if_answers_have_nothing_to_do_with_one_another() -> None:
    lines = ["a: 1, other when b: 2 and c: 1, 2 decoys 0.1", "c: any when b: 1"]
    asked = with_rules(FEATURES, lines)
    task = made(asked, k=10, budget="0.5", smallest_batch=50).task
    laws = drawn(Random(3), task)
    sent = {feature.name: np.zeros(feature.codes) for feature in asked}
    for row in product(*(range(len(feature.given)) for feature in asked)):
        chance = prod(float(laws[feature.name][code]) for feature, code in zip(asked, row, strict=True))
        needed = redacted_codes(asked, row)
        for place, feature in enumerate(asked):
            redacted = 1.0 if place in needed else float(feature.decoys)
            if feature.rules:
                sent[feature.name][-1] += chance * redacted
            sent[feature.name][row[place]] += chance * (1 - redacted)
    planned = _sent(task, laws)
    assert all(planned[name] == pytest.approx(law, abs=1e-12) for name, law in sent.items())
    assert plan_collection(task, 10_000, laws, "drawn").coarser == ()  # each question is ruled, or a condition
