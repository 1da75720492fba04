"""Questions by value: combinations of frequent answers, within the budget together, with and without a curator."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from discretion.anonymity import value_rounds
from discretion.collection import Choice, Client, Task
from discretion.collection.board import Board
from discretion.collection.errors import MalformedError, RefusedTaskError
from discretion.collection.parts.asking import KnownCounts
from discretion.collection.parts.counting import BatchCounts, count_batch, tallies_of
from discretion.collection.parts.joint import joint_shares
from discretion.collection.wire.noise import Noise
from discretion.collection.wire.rounds import Round
from discretion.collection.wire.selection import Term
from discretion.collection.wire.task import LESS_FREQUENT, Feature
from support.collection.in_process import NOW, Codes, Run, features, honest_reports, made, people, population

TOKEN = bytes(range(32))
BY_VALUE: dict[str, Any] = {"by_value": True, "k": 5, "budget": "0.05"}


def two_hundred() -> Codes:
    """Two, four and nine answers that have nothing to do with one another: by column no pair is certified."""
    rng = np.random.default_rng(1)
    columns = [(rng.permutation(200) % most).tolist() for most in (2, 4, 9)]
    return list(zip(*columns, strict=True))


def answers_to(of: Round, place: int, table: Codes) -> list[tuple[str | None, ...]]:
    """What each person answers to a group of a round: a listed answer as it is, any other as one."""
    group, kept = of.groups[place], of.kept[place]
    told: list[tuple[str | None, ...]] = []
    for row in table:
        codes = [of.task.features[feature].code_of(str(row[feature])) for feature in group]
        told.append(tuple(
            of.task.features[feature].labels[code] if codes_kept is None or code in codes_kept else LESS_FREQUENT
            for feature, code, codes_kept in zip(group, codes, kept, strict=True)
        ))  # fmt: skip
    return told


def standing_out(answers: Iterable[object], k: int) -> int:
    """How many have fewer than k alike, counted one by one."""
    return sum(count for count in Counter(answers).values() if count < k)


def counted(batch: BatchCounts, of: Round, place: int) -> Counter[tuple[str | None, ...]]:
    """How often each combination of answers to a group was counted."""
    found: Counter[tuple[str | None, ...]] = Counter()
    for row, count in zip(batch.combinations.tolist(), batch.times.tolist(), strict=True):
        group, codes = (0, row) if of.to_analyst else (row[0], row[1:])
        if group == place:
            labels = of.labels[place]
            found[tuple(its[code] for its, code in zip(labels, codes[: len(labels)], strict=True))] += count
    return found


@pytest.mark.long
@pytest.mark.parametrize("curated", [True, False])
def test_everything_asked_and_what_goes_out_is_within_the_budget_and_equal_to_the_table(
    curated: bool, tmp_path: Path
) -> None:
    table, asked = two_hundred(), features(2, 4, 9)
    run = Run(made(asked, curated=curated, rounds=4, **BY_VALUE), people(table), tmp_path)
    task, board = run.task, Board()
    finest: dict[tuple[int, ...], int] = {}
    batch, of, choice = run.ask(), Round(task), None
    while not of.to_analyst:
        choice = run.choice()
        assert choice is not None
        of = Round(task, choice)
        batch = run.ask(choice)
        for place, group in enumerate(of.groups):
            answers = answers_to(of, place, table)
            assert counted(batch, of, place) == Counter(answers)
            bounded = choice.terms[place][0].rare
            assert standing_out(answers, 5) <= bounded
            if not of.to_analyst:
                finest[group] = standing_out(answers, 5)
        if not of.to_analyst:
            assert sum(term.rare for (term,) in choice.terms) <= 10
            assert sum(finest.values()) <= 10  # the budget is 5 % of 200 people, for all questions together
    assert finest[0, 1] == 0
    assert len(finest) == 3
    assert of.choice is not None
    assert len(of.choice.chosen) > 1
    assert standing_out(answers_to(of, 0, table), 5) <= 10
    shares = joint_shares(batch.combinations, of, batch.times)
    assert dict(zip(shares.answers, shares.counts.tolist(), strict=True)) == Counter(answers_to(of, 0, table))
    if not curated:  # everybody who reads the boards comes to the same choices
        for number, client in enumerate(run.clients[:2]):
            assert number or client.answered == of.number
        for number in range(1, of.number):
            part = run.clients[0].round(number)
            messages = b"".join(message for client in run.clients for message in client.messages(number))
            board.add(part, messages, honest_reports(part, 200))
            following = run.clients[0].round(number + 1).choice
            assert following is not None
            assert board.leads_to is not None
            assert replace(board.leads_to, reports=following.reports) == following


def test_the_questions_are_those_of_rounds_on_the_table_itself(tmp_path: Path) -> None:
    table, asked = two_hundred(), features(2, 4, 9)
    run = Run(made(asked, rounds=3, **BY_VALUE), people(table), tmp_path)
    expected = value_rounds(population(table), "0.05", k=5, rounds=3)
    run.ask()
    choice = run.choice()
    assert choice is not None
    kept = [  # the last answer of all is told apart from those of nobody
        tuple(min(len(codes), (2, 4, 9)[place] - 1) for place, codes in zip(group, its, strict=True))
        for group, its in zip(choice.groups, choice.kept, strict=True)
    ]
    assert kept == [question.kept for question in expected[1].questions]
    assert [tuple(f"f{place}" for place in group) for group in choice.groups] == [
        question.columns for question in expected[1].questions
    ]


def test_messages_to_small_and_large_groups_are_equally_long_and_an_answer_that_is_not_asked_for_is_dropped() -> None:
    of = made(features(2, 4, 9), rounds=3, curated=False, **BY_VALUE)
    task = of.task
    choice = by_value(task, ((0, 1), (0, 1, 2)), (((0,), (1, 3)), ((0, 1), (0,), (2,))))
    client = Client(task, TOKEN, {"f0": "1", "f1": "3", "f2": "7"}, now=lambda: NOW)
    client.upload()
    client.upload(choice)
    round_ = Round(task, choice)
    assert round_.cells(0) == [2, 3]
    assert round_.cells(1) == [3, 2, 2]
    small, large = client.messages(2)
    assert len(small) == len(large) == round_.plain_form.size
    assert round_.plain_form.unpack(small)[:4] == (0, 1, 1, 0)  # another one than 0; the second of 1 and 3; filled up
    assert round_.plain_form.unpack(large)[:4] == (1, 1, 1, 1)
    wrong = [
        round_.plain_form.pack(0, 2, 0, 0, bytes(16)),  # the first feature has one answer that is asked for
        round_.plain_form.pack(0, 0, 0, 1, bytes(16)),  # no third feature
        round_.plain_form.pack(2, 0, 0, 0, bytes(16)),  # no third group
    ]
    batch = count_batch([b"".join([small, large, *wrong])], round_, None)
    assert (batch.unknown, int(batch.times.sum())) == (3, 2)
    assert tallies_of(batch, round_)[0].tolist() == [0, 0, 0, 0, 1, 0]


def by_value(task: Task, groups: Sequence[tuple[int, ...]], kept: Any, rare: int = 1, number: int = 2) -> Choice:
    """Return an unsigned choice of the curator's by value, of 100 people."""
    return Choice(
        task.digest, task.digest, number, "curator", tuple(groups), rare / 100, 100,
        terms=tuple((Term(group, rare, 0),) for group in groups),
        reports=(honest_reports(Round(task), 100),) * (number - 1), kept=kept,
    )  # fmt: skip


PAIR = ((0, 1),), (((0,), (1,)),)
REFUSED: dict[str, tuple[Any, int, str]] = {
    "an answer that there is not": ((((0, 1),), (((0,), (6,)),)), 1, "must name features"),
    "no answer of a feature": ((((0, 1),), (((0,), ()),)), 1, "must name features"),
    "an answer twice": ((((0, 1),), (((0,), (1, 1)),)), 1, "must name features"),
    "answers of one feature for two": ((((0, 1),), (((0,),),)), 1, "must name features"),
    "answers of no group": ((((0, 1),), ()), 1, "must name features"),
    "a group of one feature": ((((0,),), (((0,),),)), 1, "must name features"),
    "a group over the budget": (PAIR, 6, "than the task's budget"),
    "groups over the budget together": (
        (((0, 1), (0, 2), (1, 2)), (((0,), (0,)),) * 3), 2, "together let more people stand out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_client_refuses_a_choice_by_value_with(case: str) -> None:
    (groups, kept), rare, said = REFUSED[case]
    task = made(features(2, 4, 9), rounds=3, curated=False, **BY_VALUE).task
    client = Client(task, TOKEN, {}, now=lambda: NOW)
    client.upload(by_value(task, *PAIR))
    client = Client(task, TOKEN, {}, now=lambda: NOW)
    with pytest.raises((MalformedError, RefusedTaskError), match=said):
        client.upload(by_value(task, groups, kept, rare))


def test_only_a_task_by_value_has_choices_by_value() -> None:
    task = made(features(2, 4), rounds=2, curated=False, k=5).task
    with pytest.raises(MalformedError, match="must name features"):
        Client(task, TOKEN, {}, now=lambda: NOW).upload(by_value(task, *PAIR))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"redaction": "0.5"}, "exclude redaction"),
        ({"noise": Noise(5_000, 4)}, "exclude noise"),
        ({"features": (Feature("f0", ("0",), "krr:epsilon=1"),)}, "exclude randomized answers"),
        ({"by_value": 1}, "true or false"),
    ],
)
def test_questions_by_value_exclude_what_would_make_their_promise_another(changed: dict[str, Any], said: str) -> None:
    task = made(features(2, 4), **BY_VALUE).task
    with pytest.raises(MalformedError, match=said):
        replace(task, **changed)


@pytest.mark.long
def test_whoever_is_missing_from_a_count_may_have_any_answers() -> None:
    """Messages are lost by chance: what was certified holds for all people, those who are missing included."""
    draw, asked = Random(3), features(3, 4, 5)
    for _ in range(20):
        table: Codes = [tuple(draw.choice([0, 0, draw.randrange(most)]) for most in (3, 4, 5)) for _ in range(120)]
        task = made(asked, rounds=3, curated=False, by_value=True, k=4, budget="0.2").task
        learnt, of = KnownCounts(), Round(task)
        while not of.to_analyst:
            tallies = []
            for place, group in enumerate(of.groups):
                answers = [answer for answer in answers_to(of, place, table) if draw.random() < 0.98]
                cells = np.zeros(of.cells(place), np.int64)
                for answer in answers:
                    cells[tuple(its.index(each) for its, each in zip(of.labels[place], answer, strict=True))] += 1
                tallies.append(cells.ravel())
                assert len(group) == cells.ndim
            choice = learnt.next_choice(of, tallies, honest_reports(of, 120))
            if choice is None:
                break
            for place, terms in enumerate(choice.terms):
                of_all = standing_out(answers_to(Round(task, choice), place, table), 4)
                assert of_all <= terms[0].rare + (120 - choice.people)
            of = Round(task, choice)
